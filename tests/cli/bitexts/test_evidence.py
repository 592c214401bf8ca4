"""`align --evidence`, `apply --evidence`: links of other aligners."""

import gzip
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align import AlignerOptions, read_bitext, read_links, train
from isogloss.align.links.evidence import LinkEvidence
from isogloss.align.model.checkpoint import Checkpoint, fingerprint
from isogloss.align.model.training import TrainingStorage

DATA = Path(__file__).resolve().parents[3] / "data"
FAST = ["--model1-iterations", "2", "--hmm-iterations", "2", "--jump-classes", "0", "-q"]
SIZE = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Text, a model of it and its links, with probabilities and with the sides exchanged."""
    folder = tmp_path_factory.mktemp("evidence")
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


def test_links_lean_towards_evidence(folder, tmp_path):
    """Evidence that has no links where the model has some, and others beside."""
    own = read_links(folder / "own")
    said = [[link for link in row if sum(link) % 3] for row in own]
    write(tmp_path / "said", [" ".join(f"{i}-{j}:0.9" for i, j in row) for row in said])
    outputs = []
    for number, weight in enumerate(("0", "2")):
        more = ["--evidence", str(tmp_path / "said"), "--evidence-weight", weight]
        assert apply(folder, *more, "-o", str(tmp_path / f"{number}")) == 0
        outputs.append(read_links(tmp_path / f"{number}"))
    assert list(outputs[0]) == list(own)
    kept = [set(row) for row in said]
    outside = [sum(len(set(row) - kept[k]) for k, row in enumerate(out)) for out in outputs]
    assert outside[1] < 0.95 * outside[0]


def test_align_and_apply_choose_the_same_links(folder, tmp_path):
    more = ["--evidence", str(folder / "scored.gz"), "--evidence", str(folder / "own")]
    assert run(folder, *more, "-o", str(tmp_path / "align")) == 0
    assert apply(folder, *more, "-o", str(tmp_path / "apply")) == 0
    assert list(read_links(tmp_path / "align")) == list(read_links(tmp_path / "apply"))


def test_a_training_with_evidence_goes_on_with_its_own_only(folder, tmp_path, capsys):
    names = ["-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "state")]
    more = [*names, "--evidence-in", "both", "--evidence"]
    bitext = read_bitext(folder / "en", folder / "es")
    options = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_classes=0)
    given = LinkEvidence((read_links(folder / "own", scored=True),))
    state = Checkpoint(tmp_path / "state", fingerprint(bitext, options, evidence=given))
    train(bitext, options=options, evidence=given, storage=TrainingStorage(state))
    assert run(folder, *more, str(folder / "scored.gz"), "--resume") == 1
    assert "is of another text or of other options" in capsys.readouterr().err
    assert run(folder, *more, str(folder / "own"), "--resume") == 0


def test_a_finished_run_is_not_taken_for_one_with_other_evidence(folder, tmp_path, capsys):
    more = ["-o", str(tmp_path / "out"), "--model", str(tmp_path / "m"), "--evidence"]
    assert run(folder, *more, str(folder / "own")) == 0
    assert run(folder, *more, str(folder / "own"), "--resume") == 0
    assert run(folder, *more, str(folder / "scored.gz"), "--resume") == 1
    assert f"{tmp_path / 'm'} exists" in capsys.readouterr().err


def test_evidence_with_sides_exchanged_is_told(folder, tmp_path, capsys):
    english, spanish = ((folder / name).read_text().splitlines() for name in ("en", "es"))
    lines = (folder / "swapped").read_text().splitlines()
    inside = []
    for row, source, target in zip(lines, english, spanish, strict=True):
        limits = len(source.split()), len(target.split())
        places = [tuple(map(int, link.split("-"))) for link in row.split()]
        inside.append(" ".join(f"{i}-{j}" for i, j in places if i < limits[0] and j < limits[1]))
    write(tmp_path / "swapped", inside)
    more = ["--evidence", str(tmp_path / "swapped"), "-o", str(tmp_path / "out")]
    assert apply(folder, *more) == 0
    said = capsys.readouterr().err
    assert f"--evidence {tmp_path / 'swapped'}: " in said
    assert "would be with source and target exchanged. Correct one of the files" in said


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([""] * (SIZE - 1), f"said: {SIZE - 1} lines of links; expected {SIZE}, one per sentence"),
        (["", "0-0:0.5 99-0", *[""] * (SIZE - 2)], "said, line 2: link 99-0, but the pair has"),
        (["0-0:1.5", *[""] * (SIZE - 1)], "said, line 1: '0-0:1.5'; expected a probability from"),
        (["0-0:nan", *[""] * (SIZE - 1)], "said, line 1: '0-0:nan'; expected a probability from"),
        (["0p0", *[""] * (SIZE - 1)], "said, line 1: '0p0'; expected links such as 0-0"),
    ],
)
def test_bad_files(folder, tmp_path, capsys, lines, message):
    write(tmp_path / "said", lines)
    more = ["--evidence", str(tmp_path / "said"), "-o", str(tmp_path / "out")]
    for command in (run, apply):
        assert command(folder, *more) == 1
        assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_where_evidence_has_no_use(folder, capsys):
    said = ["--evidence", str(folder / "own")]
    assert program.main(["apply", str(folder / "m"), "-", *said]) == 2
    assert "cannot be used with standard input" in capsys.readouterr().err
    assert run(folder, *said, "--hmm-iterations", "0") == 2
    assert "--evidence needs --hmm-iterations above 0" in capsys.readouterr().err
    assert apply(folder, *said, "--evidence-weight", "-1") == 2
    assert "--evidence-weight" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--heuristic", "grow-diag"], ["--evidence", "scored.gz"]])
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
