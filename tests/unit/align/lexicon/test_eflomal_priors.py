"""eflomal's priors: counted, written, read."""

import gzip
from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.lexicon.eflomal_priors import (
    count_priors,
    format_priors,
    read_priors,
    write_priors,
)
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.links.links import Links, parse_links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from tests.naive.priors import prior_lines

# reverse: green and house are both explained by casa; forward: verde by house
BITEXT = Bitext.unlabeled(
    Corpus.from_sentences([["la", "casa", "verde"], ["sí"], []]),
    Corpus.from_sentences([["the", "green", "house"], ["yes"], ["oh"]]),
)
WORDS = (BITEXT.source.vocabulary, BITEXT.target.vocabulary)
FORWARD = parse_links(["0-0 2-2", "", ""])
REVERSE = parse_links(["0-0 1-1 1-2", "", ""])
GOLDEN = [
    "LEX\tcasa\tgreen\t1",
    "LEX\tcasa\thouse\t1",
    "LEX\tla\tthe\t1",
    "FERF\tcasa\t2\t1",
    "FERF\tla\t1\t1",
    "FERR\thouse\t1\t1",
    "FERR\tthe\t1\t1",
    "HMMF\t0\t1",  # green to house
    "HMMF\t1\t3",  # start to the, the to green, start to end of the empty source
    "HMMF\t2\t2",  # house to the end, start to end of `sí`
    "HMMR\t1\t2",  # start to la, verde to the end
    "HMMR\t2\t3",  # la to verde, start to end of `yes` and of `oh`
]


def lines_of(bitext, forward, reverse):
    priors = count_priors(bitext, forward, reverse)
    return list(format_priors(priors, bitext.source.vocabulary, bitext.target.vocabulary))


def test_golden(tmp_path):
    assert lines_of(BITEXT, FORWARD, REVERSE) == GOLDEN
    write_priors(BITEXT, FORWARD, REVERSE, tmp_path / "priors.gz")
    assert gzip.decompress((tmp_path / "priors.gz").read_bytes()).decode().splitlines() == GOLDEN


def test_the_naive_twin_agrees_with_the_golden():
    pairs = [
        (BITEXT.source.words(k), BITEXT.target.words(k), FORWARD[k], REVERSE[k]) for k in range(3)
    ]
    assert prior_lines(pairs) == GOLDEN


def test_no_links_at_all():
    none = parse_links(["", "", ""])
    assert lines_of(BITEXT, none, none) == [
        "HMMF\t1\t1", "HMMF\t2\t1", "HMMF\t4\t1", "HMMR\t2\t2", "HMMR\t4\t1",
    ]  # fmt: skip


def test_counts_have_six_digits():
    """As eflomal's own: %g."""
    lexical = LexicalEntries.collect([1, 2], [1, 1], [1_234_567, 0.1234567])
    nothing = read_priors("/dev/null", *WORDS)
    priors = replace(nothing, lexical=lexical)
    assert list(format_priors(priors, *WORDS)) == [
        "LEX\tcasa\tthe\t0.123457", "LEX\tla\tthe\t1.23457e+06",
    ]  # fmt: skip


def test_swapped_links():
    with pytest.warns(DataWarning, match="the t2s links have one link per target word and"):
        count_priors(
            Bitext.unlabeled(BITEXT.source, BITEXT.target),
            parse_links(["0-0 1-1 1-2", "", ""]),
            parse_links(["0-0 1-2 2-2", "", ""]),
        )


def test_links_outside_the_pair():
    with pytest.raises(
        DataError,
        match="link 1-0 is out of range: the sentence pair has 1 source word and 1 target word",
    ):
        count_priors(BITEXT, FORWARD, parse_links(["", "1-0", ""]))
    with pytest.raises(DataError, match="the links have 2 lines; expected 3, one per sentence"):
        count_priors(BITEXT, parse_links(["", ""]), REVERSE)


def write(tmp_path, *lines):
    path = tmp_path / "priors"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_read_gives_back_what_was_written(tmp_path):
    path = write(tmp_path, *GOLDEN)
    priors = read_priors(path, *WORDS)
    assert list(format_priors(priors, *WORDS)) == GOLDEN
    counted = count_priors(BITEXT, FORWARD, REVERSE)
    for name in vars(counted):
        for column, value in vars(getattr(counted, name)).items():
            read = getattr(getattr(priors, name), column)
            np.testing.assert_array_equal(read, value)
            assert np.asarray(read).dtype == np.asarray(value).dtype


def test_unknown_words_are_counted_and_null_has_an_id(tmp_path):
    path = write(
        tmp_path, "LEX\tCasa\thouse\t1.5", "LEX\tcasa\thouse\t2", "LEX\tmesa\thouse\t1",
        "LEX\t<NULL>\thouse\t0.25", "LEX\tcasa\t<NULL>\t4", "LEX\tla\tthe\t0", "FERF\tmesa\t1\t3",
        "FERF\tcasa\t0\t3", "FERR\thouse\t2\t1", "HMMF\t-3\t1", "HMMF\t-3\t0.5", "HMMR\t7\t1e-3",
    )  # fmt: skip
    priors = read_priors(path, *WORDS)
    lexical = priors.lexical
    casa, house = (own.get(word) for own, word in zip(WORDS, ("casa", "house"), strict=True))
    assert list(zip(lexical.source, lexical.target, lexical.weight, strict=True)) == [
        (0, house, 0.25), (casa, 0, 4.0), (casa, house, 2.0),
    ]  # fmt: skip
    assert lexical.num_unknown == 2
    assert (priors.source_fertility.word.tolist(), priors.source_fertility.num_unknown) == (
        [casa], 1,
    )  # fmt: skip
    assert (priors.source_jumps.jump.tolist(), priors.source_jumps.weight.tolist()) == ([-3], [1.5])
    assert priors.target_jumps.weight.tolist() == [0.001]
    assert read_priors(path, *WORDS, lowercase=True).lexical.weight.tolist() == [0.25, 4.0, 3.5]


def test_an_empty_file(tmp_path):
    priors = read_priors(write(tmp_path), *WORDS)
    assert len(priors.lexical) == len(priors.source_jumps.jump) == 0
    assert len(priors.target_fertility.word) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("LEX\tcasa\thouse", r"line 2: the line 'LEX\\tcasa\\thouse' is malformed; expected"),
        ("LEX casa house 1", "the line 'LEX casa house 1' is malformed; expected a line starting"),
        ("", "line 2: the line '' is malformed; expected a line starting with LEX, FERF, FERR,"),
        ("HMMF\t1\t2\t3", "expected HMMF<TAB>jump<TAB>alpha"),
        ("LEX\tcasa\thouse\tx", "line 2: alpha is 'x'; expected a number of at least 0"),
        ("LEX\tcasa\thouse\t-1", "alpha is '-1'; expected a number of at least 0"),
        ("LEX\tcasa\thouse\tnan", "alpha is 'nan'; expected a number of at least 0"),
        ("LEX\tcasa\thouse\t1_0", "alpha is '1_0'; expected a number of at least 0"),
        ("LEX\tcasa\t\t1", "expected LEX<TAB>source<TAB>target<TAB>alpha"),
        ("FERF\tcasa\t-1\t1", "line 2: fertility is '-1'; expected an integer"),
        ("FERR\thouse\ttwo\t1", "fertility is 'two'; expected an integer"),
        ("HMMR\t1.5\t1", "line 2: jump is '1.5'; expected an integer"),
        ("HMMR\t99999999999\t1", "jump is '99999999999'; expected an integer"),
    ],
)
def test_bad_lines(tmp_path, line, message):
    path = write(tmp_path, "HMMF\t1\t1", line)
    with pytest.raises(DataError, match=message):
        read_priors(path, *WORDS)


def test_equal_to_eflomal(tmp_path):
    """eflomal-makepriors on the same text, our reverse links as its forward ones."""
    eflomal = pytest.importorskip("eflomal")
    rng = np.random.default_rng(5)
    pairs = []
    for _ in range(60):
        source, target = ([f"{side}{k}é" for k in rng.integers(9, size=rng.integers(1, 9))]
                          for side in "st")  # fmt: skip
        forward = [(i, int(rng.integers(len(target)))) for i in range(len(source))]
        reverse = [(int(rng.integers(len(source))), j) for j in range(len(target))]
        pairs.append((source, target, forward[: rng.integers(9)], reverse[: rng.integers(9)]))
    bitext = Bitext.unlabeled(*(Corpus.from_sentences([p[k] for p in pairs]) for k in (0, 1)))
    forward, reverse = (Links.from_pairs([p[k] for p in pairs]) for k in (2, 3))
    texts = [[" ".join(p[k]) for p in pairs] for k in (0, 1)]
    links = [[" ".join(f"{i}-{j}" for i, j in p[k]) for p in pairs] for k in (3, 2)]
    with (tmp_path / "theirs").open("w", encoding="utf-8") as stream:
        lexical, hmmf, hmmr, ferf, ferr = eflomal.calculate_priors(*texts, *links)
        eflomal.write_priors(stream, lexical, hmmf, hmmr, ferf, ferr)
    write_priors(bitext, forward, reverse, tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_equal_by_content_and_printed():
    priors = count_priors(BITEXT, FORWARD, REVERSE)
    assert repr(priors) == "Priors(3 pairs of words, 4 fertilities, 5 jumps)"
    assert repr(priors.source_fertility) == "FertilityPriors(2 words and fertilities)"
    assert repr(priors.source_jumps) == "JumpPriors(3 jumps)"
    assert priors == count_priors(BITEXT, FORWARD, REVERSE)
    assert priors != count_priors(BITEXT, REVERSE, FORWARD)
