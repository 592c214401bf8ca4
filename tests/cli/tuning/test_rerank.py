"""rerank from outside: which sentence a line belongs to, and what is written back."""

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss import program
from isogloss.tune.nbest.store import store_nbest
from tests.naive.tampering import tamper

TEXT = """\
0 ||| a ||| x= 1 ||| 0
0 ||| b ||| x= 2 ||| 0
2 ||| c ||| x= 1 ||| 0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("weights").write_text("x 1\n")
    Path("text").write_text(TEXT)
    write("records", [
        {"id": 2, "hyps": [hypothesis("c", 1)]},
        {"id": 0, "hyps": [hypothesis("a", 1), hypothesis("b", 2)]},
    ])  # fmt: skip
    return tmp_path


def hypothesis(text: str, value: float) -> dict[str, Any]:
    return {"text": text, "features": {"x": value}}


def write(name: str, records: list[Any]) -> None:
    Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))


def rerank(*arguments: str, status: int = 0) -> None:
    assert program.main(["rerank", *arguments, "-w", "weights"]) == status


@pytest.mark.parametrize("name", ["text", "records"])
@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
def test_a_line_for_each_line_of_the_source(
    folder: Path, name: str, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    rerank(name, *more)
    assert capsys.readouterr().out == "b\n\nc\n"
    rerank(name, "--sentences", "5", *more)
    told = capsys.readouterr()
    assert told.out == "b\n\nc\n\n\n"
    assert told.err.count("3 sentences have no hypothesis (first: 1)") == 1


@pytest.mark.parametrize("name", ["text", "records"])
def test_a_line_for_each_line_from_a_folder(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(UserWarning, match="sentence"):
        store_nbest([name], "stored")
    rerank("stored", "--sentences", "4")
    told = capsys.readouterr()
    assert told.out == "b\n\nc\n\n"
    assert "2 sentences have no hypothesis (first: 1)" in told.err


@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
def test_lines_with_names_of_utterances(
    folder: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"0": "utt-7", "2": "utt-3"}
    lines = [f"{names[line[0]]}{line[1:]}\n" for line in TEXT.splitlines()]
    Path("named").write_text("".join(lines))
    rerank("named", *more)
    assert capsys.readouterr().out == "b\nc\n"
    rerank("named", "--sorted", *more)
    assert capsys.readouterr().out == (
        "utt-7 ||| b ||| x= 2 ||| 2\nutt-7 ||| a ||| x= 1 ||| 1\nutt-3 ||| c ||| x= 1 ||| 1\n"
    )


@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
def test_records_that_come_twice(
    folder: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """They stay among sorted records, and are kept once in lines."""
    hyps = [hypothesis("a", 1) | {"k": k} for k in range(3)]
    write("twice", [{"id": "u-1", "hyps": [*hyps, hypothesis("b", 2)]}])
    rerank("twice", "--sorted", *more)
    (record,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert [one.get("k") for one in record["hyps"]] == [None, 0, 1, 2]
    Path("lines").write_text("u-1 ||| a ||| x= 1 ||| 0\n" * 3)
    rerank("lines", "--sorted", *more)
    assert capsys.readouterr().out == "u-1 ||| a ||| x= 1 ||| 1\n"


@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
def test_line_breaks_that_are_lost(
    folder: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["a\nb", "a", "\nc\r\nd\n", "e\n"]
    write("broken", [{"id": k, "hyps": [hypothesis(text, 1)]} for k, text in enumerate(texts)])
    rerank("broken", *more)
    assert capsys.readouterr().err == (
        "warning: 2 hypotheses have line breaks, which are written as spaces; pass --sorted to "
        "keep line breaks\n"
    )
    for other in ("--sorted", "--indices"):
        rerank("broken", other, *more)
        assert not capsys.readouterr().err
    write("broken", [{"id": 0, "hyps": [hypothesis("a\nb", 1)]}])
    rerank("broken", *more)
    assert "warning: 1 hypothesis has line breaks, which" in capsys.readouterr().err


def test_ids_beyond_the_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rerank("text", "--sentences", "2", status=1)
    assert "text, line 3: the sentence id 2 is too large for 2 sentences" in capsys.readouterr().err
    rerank("text", "--sentences", "0", status=2)
    assert "--sentences" in capsys.readouterr().err


def test_sorted_records_keep_their_ids(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rerank("records", "--sorted", "--sentences", "4")
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [0, 1, 2, 3] == [record["id"] for record in written]
    assert [["b", "a"], [], ["c"], []] == [
        [hyp["text"] for hyp in record["hyps"]] for record in written
    ]


def test_ids_that_are_names_keep_their_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["n", 7, "5", 0.5]
    write("named", [{"id": name, "hyps": [hypothesis("c", 1)]} for name in names])
    rerank("named", "--sorted")
    written = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    assert names == written
    assert list(map(type, names)) == list(map(type, written))


def test_half_a_character_is_bad_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("half", [{"id": 0, "hyps": [hypothesis("\ud800", 1)]}])
    rerank("half", status=1)
    assert (
        r'half, line 1: hypothesis 1: "text" contains the unpaired surrogate \ud800;'
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("stored", [False, True])
def test_references_in_files_have_the_order_of_the_ids(
    folder: Path, stored: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tuning from a list that runs backwards, with a reference more than the list has."""
    good = [f"right words of number {k}" for k in range(6)]
    write("backwards", [
        {"id": k, "hyps": [hypothesis("wrong", 0), hypothesis(good[k], 1)]}
        for k in range(5, -1, -1)
    ])  # fmt: skip
    Path("references").write_text("".join(f"{reference}\n" for reference in [*good, "none"]))
    if stored:
        with pytest.warns(UserWarning, match="backwards: sentence ids are not sorted"):
            store_nbest(["backwards"], "stored")
    name = "stored" if stored else "backwards"
    assert program.main(["tune", name, "--refs", "references", "--folds", "0", "-o", "out"]) == 0
    told = capsys.readouterr().err
    assert "oracle 100.00" in told
    assert "1 sentence has no hypothesis (first: 6)" in told
    Path("references").write_text("".join(f"{reference}\n" for reference in good[1:]))
    assert program.main(["tune", name, "--refs", "references", "-o", "out2"]) == 1
    seen = "expected at most 5" if stored else "more records than the 5 sentences"
    assert seen in capsys.readouterr().err


@pytest.mark.parametrize("name", ["text", "records"])
def test_weights_that_fit_nothing(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("weights").write_text("xs_y 1\n")
    rerank(name, status=1)
    assert (
        "weights: the file has weights for xs_y; expected weights for x" in capsys.readouterr().err
    )
    Path("weights").write_text("")
    rerank(name, status=1)
    assert "weights: the file has no weights; expected weights for x" in capsys.readouterr().err
    Path("weights").write_text("x 1\nlm_score 2\n")
    rerank(name)
    assert "weights: the lists have no feature lm_score" in capsys.readouterr().err


def test_weights_without_the_prefix_of_an_object(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("nested", [{"id": 0, "text": "a", "scores": {"prm": 1, "orm": 2}}] * 2)
    Path("weights").write_text("prm 1\n")
    for command in ("rerank", "tune"):
        more = ("--metric", "column:scores.orm") if command == "tune" else ()
        given = [command, "nested", "--fields", "features=scores", "-w", "weights", *more]
        assert program.main(given) == 1
        told = capsys.readouterr().err
        assert "only for prm; expected" in told or "has weights for prm; expected" in told
        assert told.endswith(" weights for scores.prm, scores.orm. Did you mean scores.prm?\n")


def test_several_features_without_weight(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("three", [{"id": 0, "hyps": [{"text": "a", "features": {"x": 1, "y": 2, "z": 3}}]}])
    rerank("three")
    assert "weights has no weight for y, z; they count as 0" in capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
@pytest.mark.parametrize(
    ("fields", "given", "expected"),
    [
        (
            (),
            [{"id": 3, "task": {"a": [1, None]}, "hyps": [
                {"text": "x = 1\ny = 2", "features": {"x": 1}, "tokens": [5, 6]},
                {"text": "x = 1\n", "features": {"x": 2.5}, "finish": "stop", "score": 9},
            ], "note": "\ud800"}],
            [{"id": 3, "task": {"a": [1, None]}, "hyps": [
                {"text": "x = 1\n", "features": {"x": 2.5}, "finish": "stop", "score": 9,
                 "new_score": 2.5},
                {"text": "x = 1\ny = 2", "features": {"x": 1}, "tokens": [5, 6], "new_score": 1.0},
            ], "note": "\ud800"}],
        ),
        (
            ("id=problem", "text=answer", "features=x,judge.orm"),
            [{"problem": "p", "answer": "a", "x": 1, "judge": {"orm": 0, "model": "m"}, "n": 0},
             {"problem": "q", "answer": "a\n\n b", "x": 1, "judge": {"orm": 0}, "n": 1},
             {"problem": "p", "answer": "b", "x": 2, "judge": {"orm": 0}, "n": 2}],
            [{"problem": "p", "answer": "b", "x": 2, "judge": {"orm": 0}, "n": 2, "score": 2.0},
             {"problem": "p", "answer": "a", "x": 1, "judge": {"orm": 0, "model": "m"}, "n": 0,
              "score": 1.0},
             {"problem": "q", "answer": "a\n\n b", "x": 1, "judge": {"orm": 0}, "n": 1,
              "score": 1.0}],
        ),
        (
            ("hyps=out.beams", "text=t", "features=x,score"),
            [{"id": 0, "out": {"beams": [
                {"t": "a", "x": 1, "score": 7}, {"t": "b", "x": 2, "score": 7}], "time": 3}}],
            [{"id": 0, "out": {"beams": [
                {"t": "b", "x": 2, "score": 7, "new_score": 2.0},
                {"t": "a", "x": 1, "score": 7, "new_score": 1.0}], "time": 3}}],
        ),
        (
            ("features=x",),
            [{"text": ["a\n", "b"], "x": [1, 2], "seed": 5, "ids": ["A", "B"], "refs": ["r", "s"]}],
            [{"text": ["b", "a\n"], "x": [2, 1], "seed": 5, "ids": ["B", "A"], "refs": ["r", "s"],
              "score": [2.0, 1.0]}],
        ),
        (
            ("text=generated_text", "features=x"),
            [[{"generated_text": "a", "x": 1, "k": 0}, {"generated_text": "b", "x": 2}], []],
            [[{"generated_text": "b", "x": 2, "score": 2.0},
              {"generated_text": "a", "x": 1, "k": 0, "score": 1.0}], []],
        ),
    ],
    ids=["ours", "flat", "below", "columns", "bare"],
)  # fmt: skip
def test_records_keep_their_form_keys_and_line_breaks(
    folder: Path,
    fields: tuple[str, ...],
    given: list[Any],
    expected: list[Any],
    more: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("given", given)
    fields = ("--fields", *fields) if fields else ()
    rerank("given", "--sorted", "-o", "sorted", *fields, *more)
    assert [json.loads(line) for line in Path("sorted").read_text().splitlines()] == expected
    for name, again in (("sorted", "again"), ("again", "thrice")):  # with a score already
        rerank(name, "--sorted", "-o", again, *fields)
        assert '"new_score": ' in Path(again).read_text()
    assert Path("again").read_bytes() == Path("thrice").read_bytes()


def test_scores_in_an_object_truth_values_and_labels_that_are_not_known_yet(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("weights").write_text("scores.prm 1\nscores.ok 1\n")
    fields = ("--fields", "id=p", "text=t", "features=scores", "metrics=correct")
    records = [
        {"p": 0, "t": "a", "scores": {"prm": 0.5, "ok": True}},
        {"p": 0, "t": "b", "scores": {"prm": 0.7, "ok": False}},
    ]
    write("new", records)
    rerank("new", *fields)
    assert capsys.readouterr().out == "a\n"
    write("known", [record | {"correct": k == 0} for k, record in enumerate(records)])
    words = ["tune", "known", *fields, "--metric", "column:correct", "-o", "w.json", "--folds", "0"]
    assert program.main([*words, "-q"]) == 0
    assert {"scores.prm", "scores.ok"} == json.loads(Path("w.json").read_text())["weights"].keys()


def test_lists_of_several_forms_are_written_as_ours(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("mine", [{"id": 0, "k": 1, "hyps": [hypothesis("a", 3) | {"k": 2}]}])
    Path("log").write_text("S-0\tq\nH-0\t-1\tb\nS-1\tr\nH-1\t-2\tc\n")
    rerank("mine", "log", "--sorted")
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["hyps"] == [
        {"text": "a", "features": {"x": 3.0}, "score": 3.0},
        {"text": "b", "features": {"score": -1.0}, "score": 0.0},
    ]
    assert [second["src"], [one["text"] for one in second["hyps"]]] == ["r", ["c"]]


@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
def test_indices_are_places_in_the_list_as_it_is(
    folder: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Repeated hypotheses count, which are kept once; lists are merged one after the other."""
    Path("repeated").write_text(
        "0 ||| a ||| x= 1 ||| 0\n2 ||| e ||| x= 0 ||| 0\n0 ||| a ||| x= 1 ||| 0\n"
        "0 ||| b ||| x= 2 ||| 0\n0 ||| b ||| x= 2 ||| 0\n2 ||| f ||| x= 0 ||| 0\n"
    )
    rerank("repeated", "--indices", *more)
    assert capsys.readouterr().out == "2\n\n0\n"
    Path("more").write_text("0 ||| c ||| x= 3 ||| 0\n2 ||| g ||| x= 1 ||| 0\n")
    rerank("repeated", "more", "--indices", *more)
    assert capsys.readouterr().out == "4\n\n2\n"


def test_indices_that_are_not_known(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rerank("text", "--sorted", "--indices", status=2)
    assert "--sorted and --indices cannot be used together" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="sentence"):
        store_nbest(["text"], "stored")
    rerank("stored", "--indices")
    assert capsys.readouterr().out == "1\n\n0\n"
    header = json.loads(Path("stored/nbest.json").read_text())
    del header["arrays"]["places"]
    Path("stored/nbest.json").write_text(json.dumps(header))
    Path("stored/places.npy").unlink()
    tamper(Path("stored"), "nbest.json")
    rerank("stored", "--indices", status=1)
    told = capsys.readouterr().err
    assert (
        "stored: the stored list was written by an older version and has no hypothesis indices"
        in told
    )
    assert "Store the lists again" in told
