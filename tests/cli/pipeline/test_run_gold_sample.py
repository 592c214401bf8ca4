"""`isogloss run` with a gold sample: what is learned, kept, judged and resumed."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import isogloss as ig
from isogloss import program
from isogloss.pipeline.config import read_config
from isogloss.pipeline.mixture import read_mixture
from tests.cli.first_pairs import PAIRS, write_first_pairs

pytest.importorskip("lightgbm", reason="learning links needs LightGBM")
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
CONFIG = """
[run]
out = "out"
[[train]]
source = "train.en.gz"
target = "train.es.gz"
[[evaluate]]
name = "bundled"
gold = "train.en-es.gold.gz"
[align]
model1_iterations = 3
hmm_iterations = 2
gold_sample = "sample"
keep_gold = true
[extract]
enabled = false
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that learned from each tenth pair."""
    folder = tmp_path_factory.mktemp("run")
    write_first_pairs(folder)
    gold = gzip.decompress((folder / "train.en-es.gold.gz").read_bytes()).decode().splitlines()
    sample = [line if number % 10 == 0 else "-" for number, line in enumerate(gold)]
    (folder / "sample").write_text("".join(f"{line}\n" for line in sample))
    (folder / "taught.toml").write_text(CONFIG)
    assert program.main(["run", str(folder / "taught.toml"), "-q"]) == 0
    return folder


def links_of(folder: Path) -> ig.Links:
    return ig.read_links(folder / "out" / "flat.links.gz")


def test_the_links_are_better_and_gold_links_are_kept(folder: Path, tmp_path: Path) -> None:
    gold = ig.read_gold(folder / "train.en-es.gold.gz")
    taught = links_of(folder)
    model = ig.AlignmentModel.load(folder / "out" / "flat.model")
    assert model.classifier is not None
    assert model.classifier.num_sentences == PAIRS // 10
    rows = np.arange(0, PAIRS, 10)
    assert list(taught[rows]) == list(gold[rows].possible)
    others = np.setdiff1d(np.arange(PAIRS), rows)
    text = read_mixture(read_config(folder / "taught.toml")).bitext[others]
    assert list(taught[others]) == list(model.align(text).unscored())
    assert ig.evaluate(taught[others], gold[others]).aer < 0.05


def test_pairs_of_the_sample_are_not_judged(folder: Path) -> None:
    """Neither in the figures nor in the page of the report."""
    others = np.setdiff1d(np.arange(PAIRS), np.arange(0, PAIRS, 10))
    gold = ig.read_gold(folder / "train.en-es.gold.gz")
    aer = 100 * ig.evaluate(links_of(folder)[others], gold[others]).aer
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    found = manifest["stages"]["align-flat"]["figures"]["aer"]["bundled"]["posterior"]
    assert found == pytest.approx(aer, abs=0.006)
    page = folder / "page.html"
    assert program.main(["report", str(folder / "out"), "-o", str(page), "-q"]) == 0
    assert f"{aer:.2f} [" in page.read_text()


def test_another_gold_sample_is_another_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", str(folder / "taught.toml"), "-q"]
    before = (folder / "sample").read_text()
    assert program.main([*command, "--resume"]) == 0
    (folder / "sample").write_text("".join(before.splitlines(keepends=True)[:900]))
    try:
        assert program.main([*command, "--resume"]) == 1
    finally:
        (folder / "sample").write_text(before)
    assert "belongs to a run with a different input" in capsys.readouterr().err


def test_bad_gold_links_are_told_before_a_run_is_replaced(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "few").write_text("0-0\n" * 9)
    text = CONFIG.replace('"sample"', f'"{tmp_path}/few"')
    (folder / "few.toml").write_text(text)
    model = folder / "out" / "flat.model" / "model.json"
    before = model.read_bytes()
    assert program.main(["run", str(folder / "few.toml"), "-q", "--overwrite"]) == 1
    assert "few: 9 sentence pairs have sure gold links" in capsys.readouterr().err
    assert model.read_bytes() == before
