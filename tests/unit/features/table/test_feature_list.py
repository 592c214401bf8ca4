"""Features and their counts; files to begin tuning or decoding with."""

from pathlib import Path

import pytest

from features.table.feature_list import FeatureList
from features.table.stream import read_blocks
from tune.weights.weights import Weights

TEXT = """\
a ||| b ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| A_x 1 B_y 1 |||
a ||| c ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| A_x 1 |||
b ||| c ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| C_z 1 A_x 2 |||
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "table").write_text(TEXT)
    return tmp_path / "table"


def test_counts(path: Path) -> None:
    listed = FeatureList()
    blocks = list(listed.watch(read_blocks(path, rules=1)))
    assert [2, 1] == [len(block) for block in blocks]
    assert ["p(f|e)\t3", "lex(f|e)\t3", "A_x\t3", "B_y\t1", "C_z\t1"] == list(listed.lines())
    assert (3, "3") == (listed.num_rules, listed.shown_size)


def test_names_beyond_the_limit_are_counted_together(path: Path) -> None:
    listed = FeatureList(limit=2)
    list(listed.watch(read_blocks(path, rules=1)))
    assert ["A_x\t3", "B_y\t1", "(others)\t1"] == list(listed.lines())[2:]
    assert "more than 2" == listed.shown_size


def test_files(path: Path, tmp_path: Path) -> None:
    listed = FeatureList()
    list(listed.watch(read_blocks(path)))
    listed.export(tmp_path / "export", path)
    assert {"p(f|e)": 0.2, "lex(f|e)": 0.2, "A_x": 0.0, "B_y": 0.0, "C_z": 0.0} == dict(
        Weights.read(tmp_path / "export" / "weights.txt").items()
    )
    assert (tmp_path / "export" / "moses.ini").read_text().splitlines() == [
        "# scores in their order: p(f|e) lex(f|e)",
        "[feature]",
        f"PhraseDictionaryMemory name=TranslationModel0 num-features=2 path={path} "
        "input-factor=0 output-factor=0",
        "",
        "[weight]",
        "TranslationModel0= 0.2 0.2",
        "",
        "# weights of sparse features",
        "[weight-file]",
        str(tmp_path / "export" / "sparse-weights.txt"),
    ]
    assert (tmp_path / "export" / "sparse-weights.txt").read_text().splitlines() == [
        "TranslationModel0_A_x 0",
        "TranslationModel0_B_y 0",
        "TranslationModel0_C_z 0",
    ]


def test_no_sparse_features(path: Path, tmp_path: Path) -> None:
    path.write_text("a ||| b ||| 1 0.5\n")
    listed = FeatureList()
    list(listed.watch(read_blocks(path)))
    listed.export(tmp_path / "export", path)
    names = {file.name for file in (tmp_path / "export").iterdir()}
    assert {"features.tsv", "weights.txt", "moses.ini"} == names
    assert "[weight-file]" not in (tmp_path / "export" / "moses.ini").read_text()
