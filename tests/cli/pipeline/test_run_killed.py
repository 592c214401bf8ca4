"""`isogloss run`, killed at many of its operations on files, then resumed: the same bytes."""

import os
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.training.checkpoint import last_checkpoint
from isogloss.pipeline.run import PipelineRun
from tests.naive.kills import contents, killed_everywhere, put_back
from tests.tiers import tiers

ALIGN = """
[run]
out = "out"
threads = 1
[[train]]
source = "a"
target = "b"
labels = "labels"
[align]
model1_iterations = 1
hmm_iterations = 1
shared_iterations = 1
language_model_order = 0
"""
TUNE = """
[tune]
source = "a"
references = ["b"]
limit = 2
epochs = 1
nbest_size = 2
"""
TEST = """
[test]
source = "a"
references = ["b"]
limit = 2
"""

pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # few seeds


def make(folder: Path, config: str = ALIGN + TUNE + TEST) -> None:
    lines = ["x y z", "x", "y z", "z x", "y", "z"] * 4
    (folder / "a").write_text("\n".join(lines) + "\n")
    (folder / "b").write_text("\n".join(line.upper() for line in lines) + "\n")
    (folder / "labels").write_text("law\nnews\n-\n" * 8)
    (folder / "c.toml").write_text(config)


def run(*more: str) -> int:
    return program.main(("run", "c.toml", "-q", *more))


def without_times(folder: Path) -> dict[str, bytes]:
    files = contents(folder)
    assert {"out/manifest.json", "out/report.txt"} <= files.keys()
    return {
        name: content
        for name, content in files.items()
        if name not in ("out/manifest.json", "out/report.txt")
    }


def finished(folder: Path, config: str) -> dict[str, bytes]:
    """What a run gives that nothing stops; kernels are then ready."""
    folder.mkdir()
    make(folder, config)
    os.chdir(folder)
    assert run() == 0
    return without_times(folder)


@pytest.fixture(autouse=True)
def stay(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            None,
            "out contains lm.arpa.gz, notes; expected only files of `isogloss run`. Choo",
        ),
        ("{", "out contains a manifest.json of another program; expected only"),
        ('{"kind": "mine"}', "out contains a manifest.json of another program; expected only"),
        ('[{"name": "app"}]', "out contains a manifest.json of another program; expected only"),
        ('{"kind": "isogloss pipeline run"}', "out contains a manifest.json of another program"),
        ('{"kind": "isogloss pipeline run", "files": [5]}', "a manifest.json of another program"),
    ],
)
def test_a_folder_that_is_no_run_is_not_replaced(tmp_path, capsys, manifest, message):
    make(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes").write_text("mine")
    (tmp_path / "out/lm.arpa.gz").write_text("mine, too")
    if manifest:
        (tmp_path / "out/manifest.json").write_text(manifest)
    before = contents(tmp_path)
    for more in ((), ("--resume",)):
        assert run("--overwrite", *more) == 1
        assert message in capsys.readouterr().err
    assert before == contents(tmp_path)


def test_what_else_is_in_the_folder_of_a_run_stays(tmp_path):
    expected = finished(tmp_path / "work", ALIGN)
    (tmp_path / "work/out/notes").write_text("mine")
    (tmp_path / "work/out/latent.model/notes").write_text("mine")
    assert run("--overwrite") == 1  # a model's folder is replaced as a whole
    (tmp_path / "work/out/latent.model/notes").unlink()
    assert run("--overwrite") == 0
    assert without_times(tmp_path / "work") == expected | {"out/notes": b"mine"}


def test_a_file_that_is_only_called_as_one_of_a_run_stays(tmp_path, capsys):
    config = f"{ALIGN}[extract]\nenabled = false\n"
    expected = finished(tmp_path / "work", config)
    mine = {"out/lexicon/flat.mine.s2t.tsv.gz": b"mine", "out/weights.full.json": b"mine"}
    put_back(mine, tmp_path / "work")
    assert run("--overwrite") == 0
    assert without_times(tmp_path / "work") == expected | mine
    before = contents(tmp_path / "work/out")
    (tmp_path / "work/c.toml").write_text(ALIGN + TUNE)
    assert run("--overwrite") == 1
    message = "out contains weights.full.json, which its manifest.json does not list; expected only"
    assert message in capsys.readouterr().err
    assert contents(tmp_path / "work/out") == before


def test_a_domain_whose_name_makes_no_file(tmp_path, capsys):
    make(tmp_path)
    (tmp_path / "labels").write_text(f"{'é' * 120}\nnews\n-\n" * 8)
    assert run() == 1
    message = "expected file names of at most 220 bytes. Rename the domain"
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_bad_input_leaves_an_older_run_as_it_was(tmp_path):
    finished(tmp_path / "work", ALIGN)
    (tmp_path / "work/b").write_text("too short\n")
    before = contents(tmp_path / "work")
    assert run("--overwrite") == 1
    assert before == contents(tmp_path / "work")


def test_the_state_of_a_training_stays_until_its_stage_is_written_down(tmp_path, monkeypatch):
    """A run that is killed just before trains nothing again."""
    expected = finished(tmp_path / "whole", ALIGN)
    (tmp_path / "work").mkdir()
    make(tmp_path / "work", ALIGN)
    os.chdir(tmp_path / "work")
    write = PipelineRun._write_manifest

    def stopped(self: PipelineRun) -> None:
        if "align-flat" in self.manifest["stages"]:
            raise KeyboardInterrupt
        write(self)

    with monkeypatch.context() as patch:
        patch.setattr(PipelineRun, "_write_manifest", stopped)
        assert run() == 130
    assert last_checkpoint("out/flat.checkpoint") == Path("out/flat.checkpoint/iteration-2")
    assert run("--resume") == 0
    assert without_times(tmp_path / "work") == expected


@pytest.mark.parametrize("step", tiers(199, 11))
def test_a_new_run(tmp_path, step):
    expected = finished(tmp_path / "whole", ALIGN + TUNE + TEST)
    for number in killed_everywhere(run, make, tmp_path, step):
        assert run("--resume") == 0, number
        assert without_times(Path.cwd()) == expected, number
    assert number > 200


@pytest.mark.thorough
@pytest.mark.parametrize("step", [17])
def test_a_run_that_replaces_another(tmp_path, step):
    """One with tuning, whose weights and texts the new one doesn't have."""
    config = ALIGN + TEST
    expected = finished(tmp_path / "whole", config)
    finished(tmp_path / "older", ALIGN.replace("hmm_iterations = 1", "hmm_iterations = 2") + TUNE)
    before = contents(tmp_path / "older")

    def make_older(folder: Path) -> None:
        put_back(before, folder)
        (folder / "c.toml").write_text(config)

    for number in killed_everywhere(lambda: run("--overwrite"), make_older, tmp_path, step):
        assert run("--overwrite", "--resume") == 0, number
        assert without_times(Path.cwd()) == expected, number


@pytest.mark.thorough
@pytest.mark.parametrize("step", [61])
def test_a_killed_run_of_another_configuration_is_replaced(tmp_path, step):
    """Wherever it was killed, also in training."""
    config = ALIGN.replace("model1_iterations = 1", "model1_iterations = 2")
    expected = finished(tmp_path / "whole", config)
    for _ in killed_everywhere(run, make, tmp_path, step):
        Path("c.toml").write_text(config)
        assert run("--overwrite") == 0
        assert without_times(Path.cwd()) == expected
