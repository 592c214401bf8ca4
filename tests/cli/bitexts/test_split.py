"""isogloss split: sets and the rest are the whole bitext, each pair once."""

import gzip
import json
import os
import re

import pytest

from isogloss import program

SIZES = ("--sets", "tune=3", "test=2")


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = [(f"Source {k} .", f"Target\u00a0{k} !") for k in range(40)]
    pairs[7] = ("source  8 .", "another one")  # the source of pair 8 but for case and blanks
    for side, name in enumerate(("en", "es")):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (tmp_path / f"a.{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (tmp_path / "labels").write_text("".join("law\n" if k % 2 else "a/b\n" for k in range(38)))
    with (tmp_path / "labels").open("a") as stream:
        stream.write("-\n-\n")
    (tmp_path / "linked").write_text("a\tb\t0-0\nc\td\t0-0\n")
    return tmp_path


def split(*arguments):
    return program.main(["split", *map(str, arguments)])


def read(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_sets_and_rest_are_the_bitext(work, capsys):
    bitext = ("a.en.gz", "a.es.gz")
    assert split(*bitext, *SIZES, "--labels", "labels", "--out", "parts") == 0
    said = capsys.readouterr().err
    assert "a/b: 19 pairs, 19 within the length limits, 18 of these without repeated" in said
    assert "law: 19 pairs, 19 within the length limits, 18 of these" in said
    assert "3 in tune, 2 in test of each domain; 30 stay in parts/rest" in said
    names = {f"{name}.{domain}" for name in ("tune", "test") for domain in ("a%2Fb", "law")}
    files = {f"{name}.{side}.gz" for name in {*names, "rest"} for side in ("en", "es")}
    parts = work / "parts"
    assert {file.name for file in parts.iterdir()} == files | {
        "rest.labels.gz",
        "drawn.tsv",
        "files.json",
    }
    source, target = read(work / "a.en.gz"), read(work / "a.es.gz")
    labels = (work / "labels").read_text().split()
    rows = [line.split("\t") for line in (parts / "drawn.tsv").read_text().splitlines()]
    assert rows[0] == ["set", "domain", "number"]
    numbers = {int(row[2]) - 1 for row in rows[1:]}
    assert not numbers & {7, 8, 38, 39}
    for name in ("tune", "test"):
        for domain in ("a/b", "law"):
            chosen = [int(row[2]) - 1 for row in rows[1:] if row[:2] == [name, domain]]
            stem = f"{name}.{domain.replace('/', '%2F')}"
            assert chosen == sorted(chosen)
            assert {labels[k] for k in chosen} == {domain}
            assert read(parts / f"{stem}.en.gz") == [source[k] for k in chosen]
            assert read(parts / f"{stem}.es.gz") == [target[k] for k in chosen]
    rest = [k for k in range(40) if k not in numbers]
    assert read(parts / "rest.en.gz") == [source[k] for k in rest]
    assert read(parts / "rest.es.gz") == [target[k] for k in rest]
    assert read(parts / "rest.labels.gz") == [labels[k] for k in rest]


def test_one_file_gives_the_sets_of_two(work):
    source, target = read(work / "a.en.gz"), read(work / "a.es.gz")
    records = [{"translation": {"en": s, "es": t}} for s, t in zip(source, target, strict=True)]
    (work / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    seed = ("--seed", 3, *SIZES)
    assert split("a.jsonl", "--langs", "en-es", *seed, "--out", "one") == 0
    assert split("a.en.gz", "a.es.gz", *seed, "--out", "two") == 0
    assert split("a.en.gz", "a.es.gz", *seed, "--out", "again") == 0
    assert split("a.en.gz", "a.es.gz", *SIZES, "--lowercase", "--out", "other") == 0
    for file in (work / "two").iterdir():
        assert file.read_bytes() == (work / "again" / file.name).read_bytes()
    for name in ("tune", "test", "rest"):
        for side in ("en", "es"):
            one = (work / "one" / f"{name}.{side}").read_text().splitlines()
            assert one == read(work / "two" / f"{name}.{side}.gz")
    drawn = [(work / name / "drawn.tsv").read_text() for name in ("one", "two", "other")]
    assert drawn[0] == drawn[1] != drawn[2]
    lower = read(work / "other/rest.en.gz")
    assert lower == [line.lower() for line in lower]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("a.en.gz", "-", *SIZES), 2, "- cannot be read twice; pass a regular file"),
        (("pipe", "a.es.gz", *SIZES), 2, "pipe cannot be read twice"),
        (
            ("a.en.gz", "a.es.gz", "--sets", "tune"),
            2,
            "--sets must be NAME=SIZE, such as tune=1000, got 'tune'",
        ),
        (
            ("a.en.gz", "a.es.gz", "--sets", "a/b=1"),
            2,
            "--sets must be NAME=SIZE, such as tune=1000, got 'a/b=1'",
        ),
        (
            ("a.en.gz", "a.es.gz", "--sets", "a=0"),
            2,
            "--sets must be NAME=SIZE with a size of at least 1, got 'a=0'",
        ),
        (("a.en.gz", "a.es.gz", "--sets", "a=1", "a=2"), 2, "--sets has two sets named a"),
        (
            ("a.en.gz", "a.es.gz", "--sets", "a=39"),
            1,
            "only 38 pairs can be drawn: the length limits (1 to 80 words per side) leave 40",
        ),
        (("a.en.gz", "a.es.gz", *SIZES, "--max-length", "2"), 1, "only 0 pairs can be drawn"),
        (
            ("linked", "--sets", "a=1"),
            1,
            "linked, line 1: the line has links in a third column",
        ),
        (("no", "a.es.gz", *SIZES), 1, "no"),
    ],
)
def test_what_can_not_be_drawn_leaves_nothing(work, capsys, arguments, status, message):
    os.mkfifo(work / "pipe")
    assert split(*arguments, "--out", "parts") == status
    assert message in capsys.readouterr().err
    assert not (work / "parts").exists()


def test_a_folder_in_use_stays(work, capsys):
    (work / "parts").mkdir()
    (work / "parts/mine").write_text("mine")
    assert split("a.en.gz", "a.es.gz", *SIZES, "--out", "parts") == 1
    assert "parts exists and is not empty. Choose another folder" in capsys.readouterr().err
    assert [file.name for file in (work / "parts").iterdir()] == ["mine"]


def test_a_folder_of_an_earlier_run_is_replaced(work, capsys):
    bitext = ("a.en.gz", "a.es.gz")
    assert split(*bitext, "--sets", "dev=9", "--out", "parts") == 0
    assert split(*bitext, *SIZES, "--out", "parts") == 1
    assert "--overwrite replaces the output of an earlier run" in capsys.readouterr().err
    assert split(*bitext, *SIZES, "--out", "parts", "--overwrite") == 0
    assert split(*bitext, *SIZES, "--out", "fresh", "--overwrite") == 0
    capsys.readouterr()
    both = [{file.name: file.read_bytes() for file in (work / name).iterdir()}
            for name in ("parts", "fresh")]  # fmt: skip
    assert both[0] == both[1]
    (work / "parts/notes").write_text("mine")
    assert split(*bitext, *SIZES, "--out", "parts", "--overwrite") == 1
    assert "parts exists and contains notes. Choose another folder" in capsys.readouterr().err
    (work / "parts/notes").rename(work / "parts/rest.links")
    assert split(*bitext, *SIZES, "--out", "parts", "--overwrite") == 1
    assert "parts exists and contains rest.links. Choose another folder" in capsys.readouterr().err
    assert (work / "parts/rest.links").read_text() == "mine"


def test_more_files_than_can_be_open(work, capsys, monkeypatch):
    monkeypatch.setattr("resource.getrlimit", lambda kind: (46, 46))
    assert split("a.en.gz", "a.es.gz", *SIZES, "--labels", "labels", "--out", "parts") == 1
    told = capsys.readouterr().err
    assert re.search(r"labels: the sets would need \d+ files, two per .*; expected at most 3", told)
    assert not (work / "parts").exists()


def test_a_bitext_that_changes_meanwhile(work, capsys, monkeypatch):
    from isogloss.commands.shared import BitextOptions

    pairs = list(BitextOptions("a.en.gz", "a.es.gz").pairs())
    passes = iter((pairs, pairs[:-1]))
    monkeypatch.setattr(BitextOptions, "pairs", lambda _: next(passes))
    assert split("a.en.gz", "a.es.gz", *SIZES, "--out", "parts") == 1
    assert "number of sentence pairs changed while reading; expected 40" in capsys.readouterr().err
    assert not (work / "parts").exists()
