"""Outputs that don't fit their references: one side in lower case, names of utterances."""

import json

import pytest

from isogloss import program

TEXT = ["The cat eats bread .", "It sleeps in Paris ."]
SAID = (
    "warning: {} has no capital letters, but 30% of the words in {} contain some. Words that "
    "differ in casing count as errors; pass --lowercase to ignore case\n"
)


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """The same text with capitals and without, and as a list with references."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(TEXT) + "\n"
    (tmp_path / "cased").write_text(text)
    (tmp_path / "lower").write_text(text.lower())
    records = [
        {"id": k, "hyps": [{"text": line.lower()}], "refs": [line]} for k, line in enumerate(TEXT)
    ]
    (tmp_path / "list.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in records))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("score lower --refs cased", SAID.format("lower", "cased")),
        ("score cased --refs lower --metric wer", SAID.format("lower", "cased")),
        ("score list.jsonl", SAID.format("list.jsonl", "the references in list.jsonl")),
        ("compare cased lower --refs cased", SAID.format("lower", "cased")),
        ("score lower --refs cased --lowercase", ""),
        ("score lower --refs cased --metric ter", ""),  # sacrebleu's TER ignores case
        ("score lower --refs lower", ""),
        ("score cased --refs cased", ""),
    ],
)
@pytest.mark.usefixtures("texts")
def test_one_side_in_lower_case(capsys, command, said):
    assert program.main(command.split()) == 0
    assert capsys.readouterr().err == said


def test_outputs_with_ids_of_utterances(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").write_text("".join(f"utt-{k} the cat\n" for k in range(5)))
    (tmp_path / "ref").write_text("the cat\n" * 5)
    assert program.main(["score", "out", "--refs", "ref", "--metric", "wer"]) == 1
    assert capsys.readouterr().err == (
        "isogloss score: out, line 1: the line begins with the utterance id utt-0, as in files of "
        "Kaldi, but must be text only. To remove the ids, run cut -d' ' -f2- out\n"
    )
    assert program.main(["score", "ref", "--refs", "out"]) == 1
    assert "out, line 1: the line begins with the utterance id" in capsys.readouterr().err


def test_first_words_of_both_may_be_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("out", "ref"):
        (tmp_path / name).write_text("".join(f"A{k} cats\n" for k in range(5)))
    assert program.main(["score", "out", "--refs", "ref", "--metric", "wer"]) == 0
    captured = capsys.readouterr()
    for name in ("out", "ref"):
        warning = f"warning: {name}: each line has an utterance id, such as A0"
        assert captured.err.count(warning) == 1
    assert captured.out.startswith("wer\t0.00\t")


def test_scored_lists_with_ids(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"u{k}", "hyps": [{"text": f"word {k}"}]} for k in (2, 0, 1)]
    (tmp_path / "list.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "ref").write_text("".join(f"u{k} word {k}\n" for k in range(3)))
    assert program.main(["score", "list.jsonl", "--refs", "ref", "--metric", "wer"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("wer\t0.00\t")
    assert "ref: the utterance ids are the names in the n-best list" in captured.err


def test_other_number_of_lines(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").write_text("the cat\n")
    (tmp_path / "ref").write_text("the cat\n" * 2)
    assert program.main(["score", "out", "--refs", "ref"]) == 1
    assert capsys.readouterr().err == (
        "isogloss score: out: the file has 1 translation, but ref has 2 lines; expected one "
        "translation per reference line. Look for a missing or duplicated line break in one of "
        "them\n"
    )


def test_a_list_of_other_keys(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.jsonl").write_text('{"p": 1, "answer": "a", "comet": 0.5}\n')
    for more in ([], ["--metric", "column:comet"]):
        assert program.main(["score", "list.jsonl", "--refs", "list.jsonl", *more]) == 1
        assert (
            "If the keys have other names, pass --fields id=NAME text=NAME features=NAME,NAME, "
            "with metrics=NAME for --metric column:NAME\n"
        ) in capsys.readouterr().err
    fields = ["--fields", "id=p", "text=text", "--metric", "column:comet"]
    assert program.main(["score", "list.jsonl", *fields]) == 1
    assert "Pass the names of the keys (--fields)" in capsys.readouterr().err


def test_the_first_hypotheses_of_a_list_of_moses(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lists = [
        "0 ||| the cat eats ||| LM0= -1 ||| -1\n", "0 ||| a dog ||| LM0= -2 ||| -2\n",
        "1 ||| it sleeps ||| LM0= -1 ||| -1\n",
    ]  # fmt: skip
    (tmp_path / "list").write_text("".join(lists))
    (tmp_path / "refs").write_text("the cat eats\nit sleeps\n")
    assert program.main(["score", "list", "--refs", "refs", "--metric", "wer"]) == 0
    assert capsys.readouterr().out.startswith("wer\t0.0")
    assert program.main(["compare", "refs", "list", "--refs", "refs", "--metric", "wer"]) == 0
    assert "+0.00" in capsys.readouterr().out
