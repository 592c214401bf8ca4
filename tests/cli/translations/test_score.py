"""isogloss score: lists from pipes, and the scores of each sentence."""

import os
import threading
from pathlib import Path

import pytest
import sacrebleu

from isogloss import program

REFERENCES = "the house is big\na cat\nthe end\n"
TEXTS = ("the house is large", "a cat", "an end of it")
LIST = "".join(
    f"{k} ||| {text} ||| LM0= {-k} ||| {-k}\n{k} ||| x ||| LM0= -9 ||| -9\n"
    for k, text in enumerate(TEXTS)
)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref").write_text(REFERENCES)
    (tmp_path / "list").write_text(LIST)
    (tmp_path / "text").write_text("".join(f"{text}\n" for text in TEXTS))
    return tmp_path


def scored(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert program.main(["score", *command, "--refs", "ref", "-q"]) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("work")
def test_a_list_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A named pipe can be read once; a second reader would wait for ever, or find nothing."""
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_text(LIST), daemon=True)
    writer.start()
    piped = scored(capsys, "pipe", "--metric", "bleu,wer")
    writer.join(timeout=10)
    assert not writer.is_alive()
    assert piped == scored(capsys, "list", "--metric", "bleu,wer")
    assert piped == scored(capsys, "text", "--metric", "bleu,wer")


@pytest.mark.parametrize("file", ["list", "text"])
def test_scores_per_sentence(work: Path, capsys: pytest.CaptureFixture[str], file: str) -> None:
    metrics = "bleu,chrf,ter,wer,cer"
    scored(capsys, file, "--metric", metrics, "--per-sentence", "scores.tsv")
    header, *rows = (line.split("\t") for line in Path("scores.tsv").read_text().splitlines())
    assert header == ["sentence", *metrics.split(",")]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    bleu = sacrebleu.BLEU(tokenize="none", effective_order=True)
    pairs = list(zip(TEXTS, REFERENCES.splitlines(), strict=True))
    for column, theirs in ((1, bleu), (2, sacrebleu.CHRF()), (3, sacrebleu.TER())):
        expected = [theirs.sentence_score(text, [reference]).score for text, reference in pairs]
        assert [row[column] for row in rows] == [f"{score:.2f}" for score in expected]
    assert [row[4] for row in rows] == ["25.00", "0.00", "150.00"]
    assert (work / "scores.tsv").exists()


@pytest.mark.usefixtures("work")
def test_utterances_have_names(capsys: pytest.CaptureFixture[str]) -> None:
    records = '{"id": "u-%d", "refs": ["a b"], "hyps": [{"text": "a c", "features": {"am": 1}}]}\n'
    Path("lists.jsonl").write_text("".join(records % number for number in (7, 8)))
    command = ["lists.jsonl", "--metric", "wer", "--per-sentence", "scores.tsv", "-q"]
    assert program.main(["score", *command]) == 0
    assert Path("scores.tsv").read_text() == "sentence\twer\nu-7\t50.00\nu-8\t50.00\n"
    assert capsys.readouterr().out.startswith("wer\t50.00\t")
