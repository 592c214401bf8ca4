"""`align --external-links`, `apply --external-links`: links of other aligners."""

import gzip
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align import AlignerOptions, read_bitext, read_links, train
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage

DATA = Path(__file__).resolve().parents[3] / "data"
FAST = ["--model1-iterations", "2", "--hmm-iterations", "2", "--jump-classes", "0", "-q"]
SIZE = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Text, a model of it and its links, with probabilities and with the sides exchanged."""
    folder = tmp_path_factory.mktemp("external_links")
    for name in ("en", "es"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            write(folder / name, stream.read().splitlines()[:SIZE])
    assert run(folder, "--model", str(folder / "m"), "-o", str(folder / "own")) == 0
    assert apply(folder, "--scores", "-o", str(folder / "scored.gz")) == 0
    links = read_links(folder / "own")
    write(folder / "swapped", [" ".join(f"{j}-{i}" for i, j in row) for row in links])
    return folder


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(folder, *more):
    return program.main(["align", str(folder / "en"), str(folder / "es"), *FAST, *more])


def apply(folder, *more):
    texts = [str(folder / name) for name in ("en", "es")]
    return program.main(["apply", str(folder / "m"), *texts, "-q", *more])


def test_links_lean_towards_external_links(folder, tmp_path):
    """External links that has no links where the model has some, and others beside."""
    own = read_links(folder / "own")
    said = [[link for link in row if sum(link) % 3] for row in own]
    write(tmp_path / "said", [" ".join(f"{i}-{j}:0.9" for i, j in row) for row in said])
    outputs = []
    for number, weight in enumerate(("0", "2")):
        more = ["--external-links", str(tmp_path / "said"), "--external-weight", weight]
        assert apply(folder, *more, "-o", str(tmp_path / f"{number}")) == 0
        outputs.append(read_links(tmp_path / f"{number}"))
    assert list(outputs[0]) == list(own)
    kept = [set(row) for row in said]
    outside = [sum(len(set(row) - kept[k]) for k, row in enumerate(out)) for out in outputs]
    assert outside[1] < 0.95 * outside[0]


def test_align_and_apply_choose_the_same_links(folder, tmp_path):
    more = ["--external-links", str(folder / "scored.gz"), "--external-links", str(folder / "own")]
    assert run(folder, *more, "-o", str(tmp_path / "align")) == 0
    assert apply(folder, *more, "-o", str(tmp_path / "apply")) == 0
    assert list(read_links(tmp_path / "align")) == list(read_links(tmp_path / "apply"))


def test_a_training_with_external_links_goes_on_with_its_own_only(folder, tmp_path, capsys):
    names = ["-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "state")]
    more = [*names, "--external-links-in", "both", "--external-links"]
    bitext = read_bitext(folder / "en", folder / "es")
    options = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_classes=0)
    given = ExternalLinks((read_links(folder / "own", scored=True),))
    state = Checkpoint(tmp_path / "state", fingerprint(bitext, options, external_links=given))
    train(bitext, options=options, external_links=given, storage=TrainingStorage(state))
    assert run(folder, *more, str(folder / "scored.gz"), "--resume") == 1
    assert "was written for a different text or different options" in capsys.readouterr().err
    assert run(folder, *more, str(folder / "own"), "--resume") == 0


def test_a_finished_run_is_not_taken_for_one_with_other_external_links(folder, tmp_path, capsys):
    more = ["-o", str(tmp_path / "out"), "--model", str(tmp_path / "m"), "--external-links"]
    assert run(folder, *more, str(folder / "own")) == 0
    assert run(folder, *more, str(folder / "own"), "--resume") == 0
    assert run(folder, *more, str(folder / "scored.gz"), "--resume") == 1
    said = (
        f"{tmp_path / 'm'} was trained on another text or with other options; resume with the "
        "original ones, choose another folder, or pass --overwrite to train again"
    )
    assert said in capsys.readouterr().err


def test_external_links_with_sides_exchanged_is_told(folder, tmp_path, capsys):
    english, spanish = ((folder / name).read_text().splitlines() for name in ("en", "es"))
    lines = (folder / "swapped").read_text().splitlines()
    inside = []
    for row, source, target in zip(lines, english, spanish, strict=True):
        limits = len(source.split()), len(target.split())
        places = [tuple(map(int, link.split("-"))) for link in row.split()]
        inside.append(" ".join(f"{i}-{j}" for i, j in places if i < limits[0] and j < limits[1]))
    write(tmp_path / "swapped", inside)
    more = ["--external-links", str(tmp_path / "swapped"), "-o", str(tmp_path / "out")]
    assert apply(folder, *more) == 0
    said = capsys.readouterr().err
    assert f"--external-links {tmp_path / 'swapped'}: " in said
    assert "match with source and target swapped. Correct one of the files" in said


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([""] * (SIZE - 1), f"said: the links have {SIZE - 1} lines; expected {SIZE}, one per"),
        (["", "0-0:0.5 99-0", *[""] * (SIZE - 2)], "said, line 2: link 99-0 is out of range"),
        (
            ["0-0:1.5", *[""] * (SIZE - 1)],
            "said, line 1: the score of '0-0:1.5' is invalid; expected a probability between",
        ),
        (
            ["0-0:nan", *[""] * (SIZE - 1)],
            "said, line 1: the score of '0-0:nan' is invalid; expected a probability between",
        ),
        (
            ["0p0", *[""] * (SIZE - 1)],
            "said, line 1: '0p0' is malformed; expected links such as 0-0",
        ),
    ],
)
def test_bad_files(folder, tmp_path, capsys, lines, message):
    write(tmp_path / "said", lines)
    more = ["--external-links", str(tmp_path / "said"), "-o", str(tmp_path / "out")]
    for command in (run, apply):
        assert command(folder, *more) == 1
        assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_where_external_links_has_no_use(folder, capsys):
    said = ["--external-links", str(folder / "own")]
    assert program.main(["apply", str(folder / "m"), "-", *said]) == 2
    assert "cannot be used with standard input" in capsys.readouterr().err
    assert run(folder, *said, "--hmm-iterations", "0") == 2
    assert "--external-links needs --hmm-iterations above 0" in capsys.readouterr().err
    assert apply(folder, *said, "--external-weight", "-1") == 2
    assert "--external-weight" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more", [[], ["--heuristic", "grow-diag"], ["--external-links", "scored.gz"]]
)
def test_a_text_in_parts(folder, more, tmp_path, monkeypatch):
    """The links and their probabilities are those of the whole text."""
    monkeypatch.chdir(folder)
    outputs = []
    for number, size in enumerate((SIZE, 7)):
        monkeypatch.setattr("isogloss.align.text.bitext.PART", size)
        assert apply(folder, *more, "--scores", "-o", str(tmp_path / f"{number}")) == 0
        outputs.append((tmp_path / f"{number}").read_bytes())
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == SIZE
