"""Search graphs in Moses's text form, read back and followed."""

import re
from pathlib import Path

import pytest

from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.model import Decoder, DecoderSettings
from isogloss.tune.decoder.search_graph import search_graph_lines
from tests.unit.tune.decoder.test_derivations import RULES
from tests.unit.tune.decoder.test_language_model import random_model

LINE = re.compile(
    r"(?P<sentence>\d+) hyp=(?P<hyp>\d+) stack=(?P<stack>\d+) back=(?P<back>\d+) "
    r"score=(?P<score>\S+) transition=(?P<transition>\S+)( recombined=(?P<recombined>\d+))? "
    r"forward=(?P<forward>-?\d+) fscore=(?P<fscore>\S+) covered=(?P<covered>\d+-\d+) "
    r"out=(?P<out>.*)"
)


@pytest.fixture
def decoder(tmp_path: Path) -> Decoder:
    (tmp_path / "table").write_text("".join(f"{rule}\n" for rule in RULES))
    table = PhraseTable.load(tmp_path / "table")
    return Decoder(table, random_model(0, 2), DecoderSettings(10**6, 6))


def test_every_way_through_the_lines_is_a_translation(decoder: Decoder) -> None:
    found = decoder.search(["c", "odd", "a", "b"])
    best = decoder.derivations(found, 10**6, distinct=False)
    first, *lines = search_graph_lines(decoder, found, 7)
    start = re.fullmatch(r"7 hyp=0 stack=0 forward=(\d+) fscore=(\S+)", first)
    assert start is not None
    assert float(start[2]) == pytest.approx(best.score[0], rel=1e-5)
    hypotheses = {}
    for line in lines:
        match = LINE.fullmatch(line)
        assert match is not None, line
        hypotheses[int(match["hyp"])] = match
        assert match["sentence"] == "7"
    assert list(hypotheses) == list(range(1, len(lines) + 1))
    # the ways that lead to each hypothesis: those to what it follows, or to what is one with that
    ways: dict[int, list[tuple[str, float]]] = {0: [("", 0.0)]}
    for number, match in hypotheses.items():
        back = int(match["back"])
        before = ways[back]
        if back:
            same = [k for k, other in hypotheses.items() if other["recombined"] == str(back)]
            before = before + [way for k in same for way in ways[k]]
            covered = int(hypotheses[back]["stack"])
            score = float(hypotheses[back]["score"])
        else:
            covered, score = 0, 0.0
        begin, end = map(int, match["covered"].split("-"))
        assert int(match["stack"]) == covered + end - begin + 1
        assert float(match["score"]) == pytest.approx(score + float(match["transition"]), abs=1e-3)
        gain = float(match["transition"])
        ways[number] = [(f"{text} {match['out']}".strip(), total + gain) for text, total in before]
    ended = [k for k, match in hypotheses.items() if match["stack"] == "4"]
    whole = sorted((way for k in ended for way in ways[k]), key=lambda way: -way[1])
    expected = [decoder.text(best, k) for k in range(len(best))]
    assert sorted(text for text, _ in whole) == sorted(expected)
    assert [score for _, score in whole] == pytest.approx(best.score.tolist(), abs=1e-3)
    assert {hypotheses[k]["forward"] for k in ended} == {"-1"}


def test_forward_follows_the_best_translation(decoder: Decoder) -> None:
    found = decoder.search(["c", "a", "b"])
    first, *lines = search_graph_lines(decoder, found, 0)
    words, number = [], int(first.split("forward=")[1].split()[0])
    while number >= 0:
        match = LINE.fullmatch(lines[number - 1])
        assert match is not None
        assert float(match["fscore"]) == pytest.approx(float(first.split("fscore=")[1]), rel=1e-4)
        words.append(match["out"])
        number = int(match["forward"])
    assert " ".join(words) == decoder.text(decoder.derivations(found), 0)


def test_an_empty_sentence_has_a_start_alone(decoder: Decoder) -> None:
    lines = list(search_graph_lines(decoder, decoder.search([]), 3))
    assert lines == ["3 hyp=0 stack=0 forward=-1 fscore=0"]
