"""Files to begin tuning or decoding with: all that a decoder has, and read by ours."""

import math
from pathlib import Path

import numpy as np
import pytest

from isogloss.features.bins.binning import Binning, Bins, BinSpec
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.feature_list import FeatureList
from isogloss.features.table.stream import read_blocks
from isogloss.runs.moses_decoder import read_moses_decoder
from isogloss.runs.starting_files import StartingModels, starting_files, write_starting_files
from isogloss.tune.decoder.named_weights import weights_for_moses
from isogloss.tune.weights.moses_ini import read_moses_ini
from isogloss.tune.weights.weights import Weights

TEXT = """\
a ||| b ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| A_x 1 B_y 1 |||
b ||| c ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| C_z 1 A_x 2 |||
"""
MODEL = ReorderingModel.parse("wbe-msd-backward-fe")
WEIGHTS = {
    "UnknownWordPenalty0": 1.0, "PhrasePenalty0": 0.2, "WordPenalty0": -1.0, "Distortion0": 0.3,
    "p(f|e)": 0.2, "lex(f|e)": 0.2, "LexR.wbe.monotone.previous": 0.3,
    "LexR.wbe.swap.previous": 0.3, "LexR.wbe.discontinuous.previous": 0.3, "LM0": 0.5,
}  # fmt: skip


def features_of(path: Path) -> FeatureList:
    listed = FeatureList()
    for block in read_blocks(path):
        listed.add(block)
    return listed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("table", TEXT), ("order", ""), ("lm", "")):
        (tmp_path / name).write_text(text)
    models = StartingModels((tmp_path / "lm",), ((MODEL, tmp_path / "order"),))
    table = tmp_path / "table"
    write_starting_files(tmp_path / "export", table, features_of(table), models)
    return tmp_path


def test_files(folder: Path) -> None:
    export = folder / "export"
    assert set(starting_files(export)) == set(export.iterdir())
    sparse = dict.fromkeys(("A_x", "B_y", "C_z"), 0.0)
    assert WEIGHTS | sparse == dict(Weights.load(export / "weights.txt").items())
    factors = "input-factor=0 output-factor=0"
    assert (export / "moses.ini").read_text().splitlines() == [
        "# scores in their order: p(f|e) lex(f|e)",
        *("[input-factors]", "0", "", "[mapping]", "0 T 0", "", "[distortion-limit]", "6", ""),
        *("[feature]", "UnknownWordPenalty", "PhrasePenalty", "WordPenalty", "Distortion"),
        f"PhraseDictionaryMemory name=TranslationModel0 num-features=2 path={folder / 'table'} "
        f"{factors}",
        "LexicalReordering name=LexicalReordering0 num-features=3 type=wbe-msd-backward-fe "
        f"{factors} path={folder / 'order'}",
        f"KENLM name=LM0 factor=0 path={folder / 'lm'}",
        *("", "[weight]", "UnknownWordPenalty0= 1.0", "PhrasePenalty0= 0.2", "WordPenalty0= -1.0"),
        *("Distortion0= 0.3", "TranslationModel0= 0.2 0.2", "LexicalReordering0= 0.3 0.3 0.3"),
        *("LM0= 0.5", "", "# weights of sparse features", "[weight-file]"),
        str(export / "sparse-weights.txt"),
    ]
    assert (export / "sparse-weights.txt").read_text().splitlines() == [
        f"TranslationModel0_{name} 0" for name in sparse
    ]


def test_bins_weigh_what_their_score_would(folder: Path) -> None:
    columns = ([0.1, 0.5], [0.2, 0.5], [0.4, 1.0], [1.0, 1.0])
    binning = Binning((BinSpec("p(e|f)", 1),), (Bins(*map(np.array, columns)),))
    names = ["p(e|f)_bin0:2", "p(e|f)_bin1:2"]
    (folder / "table").write_text(
        f"a ||| b ||| 1 ||| 0-0 ||| 1 1 1 ||| A_x 1 {names[0]} 1 |||\n"
        f"b ||| c ||| 1 ||| 0-0 ||| 1 1 1 ||| {names[1]} 1 |||\n"
    )
    seen = features_of(folder / "table")
    write_starting_files(folder / "new", folder / "table", seen, StartingModels(), binning)
    weights = Weights.load(folder / "new" / "weights.txt")
    shown = [weights[name] for name in ("A_x", *names)]
    assert shown == pytest.approx([0.0, 0.2 * math.log(0.2), 0.2 * math.log(0.5)])
    for_moses = Weights.load(folder / "new" / "moses.ini")
    assert [for_moses[f"TranslationModel0_{name}"] for name in ("A_x", *names)] == shown


def test_our_decoder_reads_it(folder: Path) -> None:
    config = read_moses_decoder(folder / "export" / "moses.ini").config
    assert (folder / "table", ((MODEL, folder / "order"),)) == (
        config.phrase_table, config.reordering,
    )  # fmt: skip
    assert [folder / "lm"] == [model.path for model in config.language_models]


def test_our_weights_fit_it(folder: Path) -> None:
    """Each feature of the decoder has its place there, and no other has."""
    ini = read_moses_ini(folder / "export" / "moses.ini")
    given = {name: float(k) for k, name in enumerate(WEIGHTS)} | {"A_x": -1.0}
    named = weights_for_moses(Weights.from_dict(given), ini).as_dict()
    assert ini.weights().keys() - {"TranslationModel0_B_y", "TranslationModel0_C_z"} == set(named)
    assert -1.0 == named["TranslationModel0_A_x"]


def test_no_sparse_features(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("a ||| b ||| 1 0.5\n")
    features = features_of(tmp_path / "table")
    write_starting_files(tmp_path / "export", tmp_path / "table", features, StartingModels())
    names = {file.name for file in (tmp_path / "export").iterdir()}
    assert {"features.tsv", "weights.txt", "moses.ini"} == names
    assert "[weight-file]" not in (tmp_path / "export" / "moses.ini").read_text()
