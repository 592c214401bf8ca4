"""Commands that let a Ray cluster work: the bytes of one machine, and what they refuse."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.program import main

DATA = Path(__file__).resolve().parents[3] / "data"
# the program, of whose workers on a cluster one ends at the second part that it is given
LOSING_A_WORKER = """
from isogloss.__main__ import run
from isogloss.align.execution.cluster_groups import ClusterGroup
from isogloss.align.text.samples import streamed_bitext
from tests.naive.workers import end_process

def ask(group, member, *arguments, asked=[], **parts):
    asked.append(member)
    if len(asked) == 3:
        whole(group, member, end_process)
    return whole(group, member, *arguments, **parts)

whole, ClusterGroup.ask, streamed_bitext.PART = ClusterGroup.ask, ask, 100
run()
"""
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts, labels and a model."""
    folder = tmp_path_factory.mktemp("work")
    for name in ("en", "es", "labels"):
        lines = gzip.decompress((DATA / f"train.{name}.gz").read_bytes()).splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(lines[:1200]))
    options = ["--model1-iterations=1", "--hmm-iterations=1", "--labels", f"{folder}/labels", "-q"]
    text = [f"{folder}/en", f"{folder}/es"]
    assert main(["train", *text, *options, "--model", f"{folder}/m"]) == 0
    assert main(["apply", f"{folder}/m", *text, "-o", f"{folder}/links", "-q"]) == 0
    return folder


@pytest.mark.thorough
def test_apply_writes_the_bytes_of_one_machine(
    work: Path, tmp_path: Path, started: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.align.text.samples.streamed_bitext.PART", 100)
    command = ["apply", f"{work}/m", f"{work}/en", f"{work}/es", "--scores", "-q", "--threads=1"]
    for name, place in (("one", []), ("two", ["--cluster=local", "--nodes=2"])):
        outputs = ["-o", f"{tmp_path}/{name}", "--pair-scores", f"{tmp_path}/{name}.scores"]
        assert main([*command, *outputs, *place]) == 0
    for name in ("", ".scores"):
        assert (tmp_path / f"one{name}").read_bytes() == (tmp_path / f"two{name}").read_bytes()


@pytest.mark.thorough
def test_align_writes_the_bytes_of_one_machine(work: Path, tmp_path: Path, started: object) -> None:
    command = ["align", f"{work}/en", f"{work}/es", "--labels", f"{work}/labels", "--train-on=500",
               "--model1-iterations=1", "--hmm-iterations=1", "-q", "--threads=1"]  # fmt: skip
    for name, place in (("one", []), ("two", ["--cluster=local", "--nodes=2"])):
        outputs = ["-o", f"{tmp_path}/{name}", "--posteriors", f"{tmp_path}/{name}.domains"]
        assert main([*command, *outputs, *place]) == 0
    for name in ("", ".domains"):
        assert (tmp_path / f"one{name}").read_bytes() == (tmp_path / f"two{name}").read_bytes()


@pytest.mark.thorough
def test_what_ray_tells_of_a_lost_worker_is_not_among_the_links(work: Path) -> None:
    """It prints on standard output, in a thread of its own."""
    text, place = [f"{work}/en", f"{work}/es"], ["--cluster=local", "--nodes=2", "--threads=1"]
    done = subprocess.run(
        [sys.executable, "-c", LOSING_A_WORKER, "apply", f"{work}/m", *text, *place],
        capture_output=True, cwd=DATA.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"a worker was lost on node" in done.stderr
    assert done.stdout == (work / "links").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--nodes=2"], "--nodes has no effect without --cluster; add --cluster ADDRESS"),
        (["--cluster=local", "--external-links", "{work}/en"],
         "--cluster needs a text in files, without --external-links"),
        (["--cluster=local", "--retokenize", "characters:,"],
         "--retokenize cannot be used with --cluster; run `isogloss retokenize` afterwards"),
    ],
)  # fmt: skip
def test_what_apply_refuses(
    work: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [option.format(work=work) for option in options]
    assert main(["apply", f"{work}/m", f"{work}/en", f"{work}/es", "-q", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command",
    [
        ["domains", "predict", "{work}/m", "{work}/en", "{work}/es"],
        ["domains", "summary", "{work}/m", "{work}/en", "{work}/es", "--json"],
        ["domains", "typical", "{work}/m", "{work}/en", "{work}/es"],
        ["domains", "contrast", "{work}/m", "medical", "{work}/en", "{work}/es"],
        ["domains", "entropy", "{work}/m", "{work}/en", "{work}/es"],
        ["domains", "translations", "{work}/m", "charge", "{work}/en", "{work}/es"],
        ["concordance", "{work}/m", "{work}/en", "{work}/es", "{work}/links", "charge"],
        ["dictionary", "{work}/m", "{work}/en", "{work}/es"],
        ["dictionary", "{work}/m", "{work}/en", "{work}/es", "--links", "{work}/links"],
    ],
    ids=lambda command: "-".join(command[:2] if command[0] == "domains" else command[::5]),
)
def test_commands_about_domains_write_the_bytes_of_one_machine(
    work: Path,
    command: list[str],
    tmp_path: Path,
    started: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("isogloss.align.text.bitext.PART", 300)
    command = [word.format(work=work) for word in command]
    for name, place in (("one", []), ("two", ["--cluster=local", "--nodes=2"])):
        assert main([*command, "-q", "--threads=1", "-o", f"{tmp_path}/{name}", *place]) == 0
    assert (tmp_path / "one").stat().st_size > 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("command", [["entropy", "{work}/m"], ["translations", "{work}/m", "the"]])
def test_a_cluster_without_a_text_is_refused(
    work: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = [word.format(work=work) for word in command]
    assert main(["domains", *command, "-q", "--cluster=local"]) == 2
    message = "--cluster has no effect without a text; pass SRC TGT as well"
    assert message in capsys.readouterr().err


def test_links_of_other_tokens_are_refused_before_training(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["align", f"{work}/en", f"{work}/es", "--train-on=500", "--retokenize=characters:,"]
    assert main([*command, "--cluster=local"]) == 2
    assert capsys.readouterr().err == (
        "isogloss align: --retokenize cannot be used with --cluster and --train-on; run "
        "`isogloss retokenize` afterwards\n"
    )


def test_an_address_without_a_cluster_is_told_before_the_text_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = [f"{tmp_path}/missing.en", f"{tmp_path}/missing.es"]
    assert main(["align", *text, "-o", f"{tmp_path}/links", "--cluster", "localhost:1"]) == 2
    told = capsys.readouterr().err
    assert "no Ray cluster is reachable at localhost:1 (" in told
    assert "missing.en" not in told
