"""Inspection of real text: links there and back, and damage done to it on purpose."""

import gzip
import re

import pytest

from isogloss.align import read_gold
from isogloss.align.links.files.link_check import check_links
from isogloss.align.links.links import Links, format_links
from isogloss.align.text.distinct_pairs import DistinctPairs
from isogloss.align.text.readers import read_bitext, read_lines
from isogloss.align.text.retokenization.retokenize import Tokenizations, retokenize_lines
from isogloss.doctor.doctor import diagnose
from isogloss.doctor.examination import blocks_of


@pytest.fixture(scope="module")
def medical(shared_data):
    """2,446 English-Spanish pairs, as bytes."""
    folder = shared_data / "en-es-multidomain"
    return [
        gzip.decompress((folder / f"train.medical.{code}.gz").read_bytes()).split(b"\n")[:-1]
        for code in ("en", "es")
    ]


def words(lines):
    return [line.split() for line in lines]


def subwords(tokens, size):
    """Pieces of ``size`` characters, marked as BPE marks them."""
    return [
        [
            word[k : k + size] + ("@@" if k + size < len(word) else "")
            for word in line
            for k in range(0, len(word), size)
        ]
        for line in tokens
    ]


def test_hand_links_to_subwords_to_characters_and_back(shared_data):
    stem = shared_data / "en-es-gold" / "wikipedia-dev"
    sides = [words(read_lines(f"{stem}.{code}.gz")) for code in ("en", "es")]
    links = list(format_links(read_gold(f"{stem}.en-es.gold.gz").sure))
    pieces = [subwords(side, size) for side, size in zip(sides, (2, 3), strict=True)]

    def carry(lines, old, new, styles):
        both = [Tokenizations(old and old[side], new and new[side], styles) for side in (0, 1)]
        return list(retokenize_lines(lines, both[0], both[1]))

    down = carry(links, sides, pieces, ("plain", "bpe"))
    assert down != links
    characters = carry(down, pieces, None, ("bpe", "characters"))
    assert characters == carry(links, sides, None, ("plain", "characters"))
    assert carry(characters, None, pieces, ("characters", "bpe")) == down
    assert carry(down, pieces, sides, ("bpe", "plain")) == links


def test_hand_links_lie_in_their_pairs_unless_swapped(shared_data):
    stem = shared_data / "en-es-gold" / "wikipedia-dev"
    bitext = read_bitext(f"{stem}.en.gz", f"{stem}.es.gz")
    links = read_gold(f"{stem}.en-es.gold.gz").sure
    lengths = bitext.source.lengths, bitext.target.lengths
    assert check_links(format_links(links), *lengths).num_problems == 0
    swapped = check_links(format_links(links.reversed()), *lengths)
    assert swapped.hint == "the sides look swapped: pass the text files in reverse order"
    later = Links(links.source + 1, links.target + 1, links.offsets)
    assert check_links(format_links(later), *lengths).hint.startswith("the positions look 1-based")


def test_good_text_gives_no_warning(medical):
    diagnosis = diagnose(blocks_of(*medical))
    assert [finding for finding in diagnosis.findings if finding.level == "warning"] == []
    assert diagnosis.correlation > 0.9


def test_a_lost_line_is_found(medical):
    source, target = medical
    shorter = target[:1500] + target[1501:]
    (lost,) = [
        finding
        for finding in diagnose(blocks_of(source, shorter)).findings
        if finding.topic == "lines"
    ]
    assert lost.lines[0] == pytest.approx(1501, abs=10)


def test_swapped_pairs_are_found(medical):
    sides = [list(side) for side in medical]
    exchanged = set(range(1000, 1100))
    for line in exchanged:
        sides[0][line], sides[1][line] = sides[1][line], sides[0][line]
    (swapped,) = [
        finding
        for finding in diagnose(blocks_of(*sides)).findings
        if finding.topic == "languages" and "swapped" in finding.text
    ]
    found = re.fullmatch(r"(\d+) pairs look swapped", swapped.text)
    assert found and 95 <= int(found[1]) <= 101
    assert swapped.lines[:2] == (1001, 1002)


def test_type_pairs_are_estimated_within_two_percent(shared_data):
    folder = shared_data / "en-es-multidomain"
    bitext = read_bitext(folder / "train.medical.en.gz", folder / "train.medical.es.gz")
    source, target = bitext.source, bitext.target
    pairs = DistinctPairs()
    pairs.add(source.tokens, source.lengths, target.tokens, target.lengths)
    met = {
        (s, t)
        for k in range(len(bitext))
        for s in set(source.sentence(k).tolist())
        for t in set(target.sentence(k).tolist())
    }
    assert len(pairs) == pytest.approx(len(met), rel=0.02)
