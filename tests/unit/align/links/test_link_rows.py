"""Links and gold links as sequences: rows chosen, compared, copied; files of them; mistakes."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, WrongTypeError
from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.align.links.gold_links import GoldLinks, parse_gold
from isogloss.align.links.links import Links, parse_links
from tests.unit.align.links.test_links import by_link


def test_some_sentence_pairs_are_links() -> None:
    scored = parse_links(["0-0:0.5 1-2:0.25", "", "3-4:1", "2-2:0.75"], scored=True)
    for links in (scored, scored.unscored()):
        rows = list(links)
        chosen: Any
        for chosen, numbers in (
            (slice(None, None, 2), [0, 2]),
            (slice(None, None, -1), [3, 2, 1, 0]),
            ([2, 0, 2], [2, 0, 2]),
            ([-1], [3]),
            ([], []),
            (np.array([1, 3], np.int16), [1, 3]),
            (np.array([True, False, False, True]), [0, 3]),
            ([False, True, True, False], [1, 2]),
        ):
            part = links[chosen]
            assert list(part) == [rows[number] for number in numbers]
            assert part == links.select(chosen)
            if links.probability is not None:
                assert by_link(part) == [by_link(links)[number] for number in numbers]
    assert scored[np.int64(2)] == [(3, 4)]
    assert [(3, 4)] in scored
    assert [(4, 3)] not in scored


def test_what_chooses_no_sentence_pairs() -> None:
    links = parse_links(["0-0", "1-1"])
    wrong: Any
    for wrong in ("0", 0.5, [0.5], [[0]], None):
        with pytest.raises(TypeError, match="sentence pairs"):
            links[wrong]
    for wrong in ([2], [-3], [True], np.array([True, False, True])):
        with pytest.raises(IndexError):
            links[wrong]


def test_links_are_equal_by_content() -> None:
    one, other = parse_links(["0-0 1-2", ""]), Links.from_pairs([[(1, 2), (0, 0)], []])
    assert one == other
    assert one != parse_links(["0-0 1-2"]) and one != parse_links(["0-0 1-1", ""])
    scored = parse_links(["0-0:0.5 1-2:1", ""], scored=True)
    assert scored != one and scored.unscored() == one
    assert one != [[(0, 0), (1, 2)], []]
    for again in (copy.copy(scored), copy.deepcopy(scored), pickle.loads(pickle.dumps(scored))):
        assert again == scored
    gold = parse_gold(["0-0 1p1", ""])
    assert gold == GoldLinks.from_pairs([[(0, 0)], []], [[(1, 1)], []])
    assert gold != parse_gold(["0-0 1-1", ""])
    assert pickle.loads(pickle.dumps(gold)) == copy.deepcopy(gold) == gold


@pytest.mark.parametrize("name", ["x", "x.gz", "x.zst"])
def test_links_are_saved_and_loaded(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    links = parse_links(["0-0:0.5 1-2:0.25", "", "3-4:1"], scored=True)
    links.save(path)
    assert Links.load(path) == links == Links.load(str(path), scored=True)
    assert Links.load(path, scored=False) == links.unscored()
    links.unscored().save(path)  # replaced
    assert list(read_lines(path)) == ["0-0 1-2", "", "3-4"]
    assert Links.load(path) == links.unscored()
    assert by_link(Links.load(path, scored=True))[0] == {(0, 0): 1.0, (1, 2): 1.0}


@pytest.mark.parametrize("short", [1 << 20, -1])
def test_scores_are_kept_if_all_links_have_one(
    short: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh._SHORT", short)
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh._BLOCK", 2)
    for lines in (["0-0:0.5", "", "1-1", "0-1:0.5"], ["0-0:-7.5", "1-1"], ["", ""], []):
        write_lines(lines, tmp_path / "x")
        assert Links.load(tmp_path / "x") == parse_links(lines)
    write_lines(["0-0:0.5", "", "", "1-1:0.25"], tmp_path / "x")
    assert by_link(Links.load(tmp_path / "x"))[3] == {(1, 1): 0.25}
    write_lines(["0-0:0.5", "1-1:-7.5"], tmp_path / "x")
    with pytest.raises(
        DataError, match=r"line 2: the score of '1-1:-7\.5' is invalid; expected a pro"
    ):
        Links.load(tmp_path / "x")
    assert list(Links.load(tmp_path / "x", scored=False)) == [[(0, 0)], [(1, 1)]]


def test_links_are_saved_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("-", None):
        parse_links(["0-0 1-2", ""]).save(path)
        assert capsys.readouterr().out == "0-0 1-2\n\n"
    parse_gold(["0-0 1p2"]).save("-")
    assert capsys.readouterr().out == "0-0 1p2\n"


def test_gold_links_are_saved_and_loaded(tmp_path: Path) -> None:
    gold = parse_gold(["2p2 0-0 0?1 1-1", "", "5-6"])
    gold.save(tmp_path / "x.gold.gz")
    assert read_lines(tmp_path / "x.gold.gz") == ["0-0 0p1 1-1 2p2", "", "5-6"]
    assert GoldLinks.load(tmp_path / "x.gold.gz") == gold
    assert gold[0] == ([(0, 0), (1, 1)], [(0, 0), (0, 1), (1, 1), (2, 2)])
    assert list(gold)[1] == ([], [])
    assert list(gold[[2, 0]]) == [gold[2], gold[0]]
    assert len(gold[1:]) == 2


def test_what_is_no_file(tmp_path: Path) -> None:
    wrong: Any
    with (tmp_path / "x").open("w") as wrong:
        for links in (parse_links(["0-0"]), parse_gold(["0-0"])):
            with pytest.raises(WrongTypeError, match="path must be a path, not <_io"):
                links.save(wrong)


def test_what_is_no_list_of_links() -> None:
    wrong: Any
    for wrong, message in (
        ("0-0 1-1", r"not '0-0 1-1'; use Links.load\(path\) for a file"),
        (Path("x"), "use Links.load"),
        (None, "for each sentence pair, not None"),
        (["0-0"], r"links of pair 0 must be a list of \(source, target\), not '0-0'"),
        (
            [[], [(0, 0, 0.5)]],
            r"links of pair 1 must be .* not \[\(0, 0, 0.5\)\]",
        ),
        ([[(0, 1.0)]], "links of pair 0"),
        ([[("0", "1")]], "links of pair 0"),
        ([None], "links of pair 0 .* not None"),
    ):
        with pytest.raises(WrongTypeError, match=message):
            Links.from_pairs(wrong)
    with pytest.raises(DataError, match="a link has the position -1; expected positions of at"):
        Links.from_pairs([[(0, -1)]])
    with pytest.raises(DataError, match="expected positions below 65536"):
        Links.from_pairs([[(0, 1 << 40)]])
    assert list(Links.from_pairs([[[0, 1]], np.array([[2, 3]])])) == [[(0, 1)], [(2, 3)]]
    assert list(Links.from_pairs(iter([iter([(0, 1)])]))) == [[(0, 1)]]


def test_gold_links_that_do_not_fit() -> None:
    links: Any = parse_links(["0-0"])
    with pytest.raises(WrongTypeError, match=r"Links, not .*; use GoldLinks.from_pairs"):
        GoldLinks([[(0, 0)]], links)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="the sure links are for 1 sentence pair, but the possible"):
        GoldLinks(links, parse_links(["0-0", ""]))
    assert GoldLinks.from_pairs(links).possible == links
