"""`align --known-links`: links that are given are learned from and kept."""

import gzip
import json
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align import AlignerOptions, read_bitext, train
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage

DATA = Path(__file__).resolve().parents[3] / "data"
FAST = ["--model1-iterations", "2", "--hmm-iterations", "2"]
SIZE = 200
HAND = {0: "0-1 1-0", 7: "2-0", 9: "0-0 0-1 1-1:0.5"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Text in two files and in one with links, hand links of some pairs, and what else is found."""
    folder = tmp_path_factory.mktemp("hand")
    sides = []
    for name in ("en", "es"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            sides.append(stream.read().splitlines()[:SIZE])
        write(folder / name, sides[-1])
    links = [HAND.get(number, "") for number in range(SIZE)]
    (folder / "hand.gz").write_bytes(gzip.compress(("\n".join(links) + "\n").encode()))
    write(folder / "tsv", ["\t".join(row) for row in zip(*sides, links, strict=True)])
    assert run(folder, "-o", str(folder / "free"), "-q") == 0
    assert run(folder, "--known-links", str(folder / "hand.gz"), "-o", str(folder / "links")) == 0
    return folder


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path):
    return path.read_text(encoding="utf-8").splitlines()


def run(folder, *more):
    return program.main(["align", str(folder / "en"), str(folder / "es"), *FAST, *more])


def pairs(line):
    return {tuple(map(int, link.partition(":")[0].split("-"))) for link in line.split()}


@pytest.mark.parametrize("name", ["x.talp", "x.naacl", "x.jsonl", "x.tsv"])
def test_hand_links_of_any_format(folder, tmp_path, name):
    text = [str(folder / side) for side in ("en", "es")] if name in ("x.jsonl", "x.tsv") else []
    known = str(tmp_path / name)
    assert program.main(["convert", str(folder / "hand.gz"), *text, "-o", known]) == 0
    out = tmp_path / "links"
    assert run(folder, "--known-links", known, "-o", str(out), "-q") == 0
    assert read(out) == read(folder / "links")
    lines = read(Path(known))
    write(Path(known), [*lines, *lines])
    assert run(folder, "--known-links", known, "-o", str(out), "-q") == (
        0 if "naacl" in name else 1
    )


@pytest.mark.parametrize("option", ["--known-links", "--external-links"])
def test_talp_is_counted_from_one(folder, tmp_path, option):
    """A file that fits also if it is counted from 0 is read by its name."""
    first = Path(folder / "free")
    write(tmp_path / "a.links", read(first))
    talp = str(tmp_path / "a.talp")
    assert program.main(["convert", str(first), "-o", talp]) == 0
    for name in ("a.links", "a.talp"):
        file, out = str(tmp_path / name), str(tmp_path / f"{name}.out")
        assert run(folder, option, file, "-o", out, "-q") == 0
    assert read(tmp_path / "a.links.out") == read(tmp_path / "a.talp.out")


def test_hand_links_are_kept_and_their_words_have_no_others(folder):
    links = read(folder / "links")
    assert len(links) == SIZE
    for number, text in HAND.items():
        hand = pairs(text)
        assert hand <= pairs(links[number])
        for source, target in pairs(links[number]) - hand:
            assert source not in {link[0] for link in hand}
            assert target not in {link[1] for link in hand}
    assert not pairs(HAND[0]) <= pairs(read(folder / "free")[0])


def test_hand_links_are_certain(folder, tmp_path):
    more = ["--known-links", str(folder / "hand.gz"), "--scores", "-q"]
    for heuristic in ("posterior", "union"):
        assert run(folder, *more, "--heuristic", heuristic, "-o", str(tmp_path / "out")) == 0
        scored = read(tmp_path / "out")
        for number, text in HAND.items():
            values = dict(link.split(":") for link in scored[number].split())
            assert {values[f"{j}-{i}"] for j, i in pairs(text)} == {"1.0000"}
        if heuristic == "posterior":
            assert list(map(pairs, scored)) == list(map(pairs, read(folder / "links")))


def test_the_third_column(folder, tmp_path):
    command = ["align", str(folder / "tsv"), *FAST, "-q", "-o", str(tmp_path / "out")]
    assert program.main([*command, "--known-links", "column"]) == 0
    assert (tmp_path / "out").read_bytes() == (folder / "links").read_bytes()
    assert program.main(command) == 0  # not asked for
    assert (tmp_path / "out").read_bytes() == (folder / "free").read_bytes()


def test_what_is_said(folder, tmp_path, capsys):
    hand = ["--known-links", str(folder / "hand.gz"), "-o", str(tmp_path / "out")]
    assert run(folder, *hand) == 0
    assert "6 known links in 3 sentence pairs" in capsys.readouterr().err


def test_without_confidence_hand_links_are_only_written(folder, tmp_path):
    hand = ["--known-links", str(folder / "hand.gz"), "--known-confidence", "0", "-q"]
    models = [tmp_path / "with", tmp_path / "without"]
    assert run(folder, *hand, "-o", str(tmp_path / "out"), "--model", str(models[0])) == 0
    assert run(folder, "-o", str(tmp_path / "free"), "--model", str(models[1]), "-q") == 0
    files = [sorted(path for path in model.rglob("*") if path.is_file()) for model in models]
    for first, second in zip(*files, strict=True):
        if first.name != "model.json":
            assert first.read_bytes() == second.read_bytes()
    headers = [json.loads((model / "model.json").read_text()) for model in models]
    for header in headers:
        del header["fingerprint"], header["checksum"]  # of what training was given, hand links too
    assert headers[0] == headers[1]
    out = read(tmp_path / "out")
    for number, (line, free) in enumerate(zip(out, read(folder / "free"), strict=True)):
        assert pairs(HAND[number]) <= pairs(line) if number in HAND else line == free


def test_seed_samples_have_none(folder, tmp_path):
    more = ["--known-links", str(folder / "hand.gz"), "-o", str(tmp_path / "out"), "-q"]
    assert run(folder, *more, "--seed-sample", f"legal={folder}/en,{folder}/es") == 0
    links = read(tmp_path / "out")
    assert len(links) == SIZE
    assert all(pairs(text) <= pairs(links[number]) for number, text in HAND.items())


def test_hand_links_of_a_pair_that_is_too_long_are_dropped_with_it(folder, tmp_path, capsys):
    lengths = [[len(line.split()) for line in read(folder / name)] for name in ("en", "es")]
    longest = lengths[0].index(max(lengths[0]))
    limit = max(lengths[0]) - 1
    links = ["0-0" if number in (longest, 3) else "" for number in range(SIZE)]
    write(tmp_path / "hand", links)
    texts = [read(folder / name) for name in ("en", "es")]
    write(tmp_path / "tsv", ["\t".join(row) for row in zip(*texts, links, strict=True)])
    more = [*FAST, "--max-length", str(limit), "-o", str(tmp_path / "out"), "--known-links"]
    for given in (
        [str(folder / "en"), str(folder / "es"), *more, str(tmp_path / "hand")],
        [str(tmp_path / "tsv"), *more, "column"],
    ):
        assert program.main(["align", *given]) == 0
        said = capsys.readouterr().err
        assert f"have more than {limit} words" in said or f"has more than {limit} words" in said
        assert "1 known link in 1 sentence pair" in said
        links = read(tmp_path / "out")
        assert links[longest] == ""
        assert "0-0" in links[3].split()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [""] * (SIZE - 1),
            "hand, line 200: the file has 199 lines, but {en} has 200; expected two files",
        ),
        (
            [""] * (SIZE + 1),
            "hand, line 201: the file has 201 lines, but {en} has 200; expected two files",
        ),
        (["", "0-0 99-0", *[""] * (SIZE - 2)], "hand, line 2: link 99-0 is out of range"),
        (
            ["0p0", *[""] * (SIZE - 1)],
            "hand, line 1: '0p0' is malformed; expected links such as 0-0",
        ),
    ],
)
def test_bad_files(folder, tmp_path, capsys, lines, message):
    write(tmp_path / "hand", lines)
    assert run(folder, "--known-links", str(tmp_path / "hand"), "-o", str(tmp_path / "out")) == 1
    assert message.format(en=folder / "en") in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_column_that_is_not_there(folder, capsys):
    assert run(folder, "--known-links", "column") == 2
    said = f"--known-links column needs links in the third column, but {folder}/en has none"
    assert said in capsys.readouterr().err


def test_a_confidence_that_is_none(folder, capsys):
    assert run(folder, "--known-links", str(folder / "hand.gz"), "--known-confidence", "1.5") == 2
    assert "confidence must be between 0 and 1, got 1.5" in capsys.readouterr().err


def test_a_stopped_training_goes_on_with_its_own_hand_links_only(folder, tmp_path, capsys):
    options = AlignerOptions(model1_iterations=2, hmm_iterations=2)
    bitext = read_bitext(folder / "en", folder / "es")
    state = Checkpoint(tmp_path / "state", fingerprint(bitext, options))
    train(bitext, options=options, storage=TrainingStorage(state))
    more = ["--resume", "--checkpoint", str(tmp_path / "state"), "-o", str(tmp_path / "out"), "-q"]
    assert run(folder, *more, "--known-links", str(folder / "hand.gz")) == 1
    assert (
        "different text or different options, or by an earlier version of isogloss; resume"
        in capsys.readouterr().err
    )
    assert run(folder, *more) == 0
