"""The formats in which `align`, `apply`, `symmetrize` and `retokenize` write links."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align import read_gold, read_links

DATA = Path(__file__).resolve().parents[3] / "data"
FORMATS = ("pharaoh", "talp", "naacl", "xl-wa", "ctfalign")
FAST = ("--model1-iterations", "1", "--hmm-iterations", "1", "--jump-classes", "0", "-q")
SIZE = 200
LONG = 3  # a pair whose words are too many, which has no links


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Text in both cases, a model of it, and its links."""
    folder = tmp_path_factory.mktemp("formats")
    for name in ("en", "es"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            lines = stream.read().splitlines()[:SIZE]
        lines[LONG] = " ".join([lines[LONG]] * 30)
        (folder / name).write_text("".join(f"{line.capitalize()}\n" for line in lines))
    limits = ("--max-length", "100", "--lowercase")
    assert run(folder, "align", "en", "es", *FAST, *limits, "--model", "m", "-o", "links") == 0
    return folder


def run(folder, *words):
    """Run a command on files of the folder, which are named by one word."""
    names = {"en", "es", "m", "links"}
    return program.main([str(folder / word) if word in names else word for word in words])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", ["align", "apply"])
def test_links_of_a_text(folder, tmp_path, command, form):
    """The sentences are written as they stand, also those that were too long or in lowercase."""
    out = str(tmp_path / "out")
    words = ("en", "es", *FAST) if command == "align" else ("m", "en", "es", "-q")
    more = ("--max-length", "100", "--lowercase", "--to", form, "-o", out)
    assert run(folder, command, *words, *more) == 0
    found = read_gold(out, format=form, num_pairs=SIZE if form == "naacl" else None)
    assert found.possible == found.sure == read_links(folder / "links")
    written = Path(out).read_text(encoding="utf-8")
    sentence = (folder / "en").read_text(encoding="utf-8").splitlines()[LONG]
    assert (sentence in written) == (form in FORMATS[3:])


@pytest.mark.parametrize("form", FORMATS)
def test_links_of_a_stream(folder, tmp_path, monkeypatch, form):
    sides = ((folder / name).read_text(encoding="utf-8").splitlines() for name in ("en", "es"))
    lines = "".join(f"{left} ||| {right}\n" for left, right in zip(*sides, strict=True))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    out = str(tmp_path / "out")
    more = ("--max-length", "100", "--lowercase", "-q", "--to", form, "-o", out)
    assert run(folder, "apply", "m", "-", *more) == 0
    found = read_gold(out, format=form, num_pairs=SIZE if form == "naacl" else None)
    assert found.possible == read_links(folder / "links")


@pytest.mark.parametrize(
    ("suffix", "form"),
    [
        ("talp", "talp"),
        ("naacl", "naacl"),
        ("tsv", "xl-wa"),
        ("jsonl", "ctfalign"),
        ("x", "pharaoh"),
    ],
)
def test_the_suffix_names_the_format(folder, tmp_path, suffix, form):
    """Of each output by itself, compressed or not, and of convert."""
    outputs = ("-o", str(tmp_path / f"a.{suffix}.gz"), "--t2s", str(tmp_path / "t2s"))
    assert run(folder, "align", "en", "es", *FAST, *outputs) == 0
    assert read_gold(tmp_path / "t2s", format="pharaoh").sure == read_links(tmp_path / "t2s")
    found = read_gold(tmp_path / f"a.{suffix}.gz", format=form, num_pairs=None)
    if form == "pharaoh":
        return
    given = ("--input-format", "talp") if form == "talp" else ()
    again = str(tmp_path / f"b.{suffix}")
    assert run(folder, "convert", str(tmp_path / f"a.{suffix}.gz"), *given, "-o", again) == 0
    assert read_gold(again, format=form) == found


def test_links_without_their_text(folder, tmp_path):
    links, out = str(folder / "links"), str(tmp_path / "out.naacl")
    assert run(folder, "symmetrize", links, links, "-o", out) == 0
    assert read_gold(out, num_pairs=SIZE).sure == read_links(links)
    same = f"{folder / 'en'},{folder / 'en'}"
    assert run(folder, "retokenize", links, "--source", same, "--to", "talp", "-o", out) == 0
    assert read_gold(out, format="talp").sure == read_links(links)


BURRITO = "the format burrito names words by token ids; pass --source-ids FILE and --target-ids F"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("align en es -o x.json", BURRITO),
        ("apply m - --to burrito", BURRITO),
        ("retokenize links --source en,en --to burrito", BURRITO),
        (
            "symmetrize links links -o x.tsv",
            "the format xl-wa contains the sentences, which this command does not read; write the "
            "links as text, then type `isogloss convert LINKS SRC TGT --to xl-wa`",
        ),
        (
            "align - --to ctfalign",
            "the format ctfalign contains the sentences, which a stream gives only once; write",
        ),
        (
            "apply m en es --scores --to talp",
            "--scores has no effect on links in the format talp; omit it, or write the links in",
        ),
        (
            "convert links -o out",
            "the output format is missing; pass --to FORMAT, or -o FILE with one of the suffixes",
        ),
    ],
)
def test_formats_that_are_not_written(folder, tmp_path, monkeypatch, capsys, command, told):
    monkeypatch.chdir(folder)
    assert program.main(command.split()) == 2
    assert told in capsys.readouterr().err
    assert not list(folder.glob("x.*"))
