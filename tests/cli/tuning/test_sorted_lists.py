"""rerank with whole lists in new order, and after tuning."""

import gzip
import importlib.util
import json
from pathlib import Path

from isogloss import program
from tests.cli.tuning.word_lists import SENTENCES, hypotheses, records, run


def test_how_many_are_kept_is_for_sorted_lists(lists, capsys):
    (lists / "w").write_text("good 1\n")
    assert (
        program.main(["rerank", str(lists / "list"), "-w", str(lists / "w"), "--nbest-size", "2"])
        == 2
    )
    assert "--nbest-size has no effect without --sorted" in capsys.readouterr().err


def test_sorted_lists(lists, capsys):
    (lists / "w").write_text("good 1\n")
    assert (
        program.main(
            ["rerank", str(lists / "list"), "-w", str(lists / "w"), "--sorted", "--nbest-size", "2"]
        )
        == 0
    )
    told = capsys.readouterr()
    rows = [line.split(" ||| ") for line in told.out.splitlines()]
    assert [str(k) for k in range(SENTENCES) for _ in range(2)] == [row[0] for row in rows]
    scores = [float(row[3]) for row in rows]
    assert all(best >= second for best, second in zip(scores[::2], scores[1::2], strict=True))
    best = [
        max(candidates, key=lambda candidate: round(candidate[1]["good"], 4))
        for _, candidates in hypotheses()
    ]
    assert [" ".join(words) for words, _ in best] == [row[1] for row in rows[::2]]
    assert "w has no weight for bad; it counts as 0" in told.err


def test_sorted_json_lists(tmp_path, capsys):
    path = records(tmp_path)
    (tmp_path / "w").write_text("good 1\nbad 0\n")
    assert program.main(["rerank", str(path), "-w", str(tmp_path / "w"), "--sorted"]) == 0
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [f"s{k}" for k in range(SENTENCES)] == [record["id"] for record in written]
    assert [" ".join(truth) for truth, _ in hypotheses()] == [
        record["refs"][0] for record in written
    ]
    for record in written:
        good = [hyp["features"]["good"] for hyp in record["hyps"]]
        assert sorted(good, reverse=True) == good


def test_the_reranking_example(tmp_path, monkeypatch, capsys):
    """From text to lists to weights to restored text, and whether it is better."""
    root = Path(__file__).parents[3]
    lines = gzip.decompress((root / "data/train.es.gz").read_bytes()).decode().splitlines()
    (tmp_path / "train").write_text("\n".join(lines[:1500]) + "\n", encoding="utf-8")
    for name, part in (("dev", lines[1500:1560]), ("test", lines[1600:1660])):
        (tmp_path / name).write_text("\n".join(part) + "\n", encoding="utf-8")
    module = _example(root / "examples/restore_accents.py")
    for name in ("dev", "test"):
        monkeypatch.setattr("sys.argv", [
            "restore_accents.py", "--train", f"all={tmp_path / 'train'}", "--text",
            str(tmp_path / name), "-o", str(tmp_path / f"{name}.jsonl"), "--size", "8",
        ])  # fmt: skip
        module.main()
    run(tmp_path, "--metric", "column:accuracy", "-o", tmp_path / "w", lists=("dev.jsonl",))
    (tmp_path / "first").write_text("forms 1\n")
    for name in ("w", "first"):
        arguments = ["rerank", "test.jsonl", "-w", name, "-o", f"{name}.txt"]
        files = {"test.jsonl", name, f"{name}.txt"}
        command = [str(tmp_path / word) if word in files else word for word in arguments]
        assert program.main(command) == 0
    texts = [(tmp_path / f"{name}.txt").read_text().splitlines() for name in ("first", "w")]
    truth = [line.lower() for line in lines[1600:1660]]
    right = [sum(map(str.__eq__, restored, truth)) for restored in texts]
    assert right[1] >= right[0] > 0


def _example(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
