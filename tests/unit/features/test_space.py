"""Feature names, and weights in and out."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from align.errors import DataError
from features.space import FeatureSpace, bin_feature_name, escape, is_sparse
from tune.weights.weights import Weights, check_weight_names, read_weights, write_weights

SPACE = FeatureSpace(["LM0", "TM0.1", "PT_a_b", "AL_a_"])


def test_ids_and_names() -> None:
    assert ("LM0", "TM0.1", "PT_a_b", "AL_a_") == SPACE.names == tuple(SPACE)
    assert [0, 1, 2, 3] == [SPACE.id(name) for name in SPACE]
    assert (4, 2) == (len(SPACE), SPACE.num_dense)
    assert (-1, 7) == (SPACE.id("x"), SPACE.id("x", 7))
    assert "LM0" in SPACE
    assert "x" not in SPACE


@pytest.mark.parametrize(("names", "dense"), [([], 0), (["a", "b"], 2), (["a_", "b_"], 0)])
def test_number_of_dense_features(names: list[str], dense: int) -> None:
    assert dense == FeatureSpace(names).num_dense


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a", "a"], "feature names are unique"), (["a_", "b"], "dense features come before sparse")],
)
def test_spaces_that_are_none(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FeatureSpace(names)


def test_vector_leaves_out_other_names() -> None:
    assert [0.5, 0.0, 0.0, -1.0] == SPACE.vector({"LM0": 0.5, "AL_a_": -1, "x": 3.0}).tolist()


def test_weights_by_name() -> None:
    weights = Weights(SPACE, np.array([0.5, 0.0, 0.0, -1.0]))
    assert (0.5, 0.0, 0.0) == (weights["LM0"], weights["PT_a_b"], weights["x"])
    assert {"LM0": 0.5, "TM0.1": 0.0, "AL_a_": -1.0} == weights.as_dict()
    assert weights.num_active == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "one weight per feature"),
        ([1.0, 2.0, np.nan, 4.0], "weights are finite"),
        ([1.0, 2.0, np.inf, 4.0], "weights are finite"),
    ],
)
def test_weights_that_are_none(values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Weights(SPACE, np.array(values))


def test_escape_by_hand() -> None:
    assert escape("a_b~c%d=e:f-g,é") == "a%5Fb%7Ec%25d%3De%3Af-g,é"
    assert escape("my score\t2") == "my%20score%092"


@given(st.text(), st.text())
def test_escape_tells_words_apart(one: str, other: str) -> None:
    assert (one == other) == (escape(one) == escape(other))
    assert not set("_~=: \t") & set(escape(one))


@pytest.mark.parametrize(
    ("name", "sparse"), [("LM0", False), ("TM0.1", False), ("PT_a", True), ("_", True)]
)
def test_sparse_names_have_an_underscore(name: str, sparse: bool) -> None:
    assert sparse == is_sparse(name)


def test_bins_sort_as_the_values() -> None:
    assert bin_feature_name("a_b", 7, 100) == "a%5Fb_bin07:100"
    names = [bin_feature_name("p(e|f)", k, 11) for k in range(11)]
    assert ["p(e|f)_bin00:11", "p(e|f)_bin10:11"] == [names[0], names[-1]]
    assert sorted(names) == names
    assert bin_feature_name("p", 9, 16, overlap=2) == "p_bin09..11:16_overlap2"
    assert bin_feature_name("p", 9, 16, extend=1) == "p_bin09:16_extend1"
    assert bin_feature_name("p", 0, 1) == "p_bin0:1"


def test_neighbours_of_bins() -> None:
    space = FeatureSpace(["LM0", "p_bin2:4", "PT_a_b", "p_bin0:4", "p_bin3:4", "p_bin1:4"])
    assert [[-1, -1], [5, 4], [-1, -1], [-1, 5], [1, -1], [3, 1]] == space.neighbours.tolist()
    assert space.neighbours.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        space.neighbours[0, 0] = 1


def test_bins_that_are_missing_are_passed_over() -> None:
    space = FeatureSpace(["p_bin00:16", "p_bin15:16", "p_bin07:16", "q_bin3:4"])
    assert [[-1, 2], [2, -1], [0, 1], [-1, -1]] == space.neighbours.tolist()


def test_each_kind_of_bins_is_a_chain_of_its_own() -> None:
    names = [
        *("p_bin0:3", "p_bin1:3", "p_bin0..1:3_overlap1", "p_bin1..2:3_overlap1"),
        *("p_bin0:4", "p_bin1:4", "q_bin0:3", "p_bin0:3_extend1", "p_bin1:3_extend1"),
    ]
    chains = [[0, 1], [2, 3], [4, 5], [6], [7, 8]]
    expected = np.full((9, 2), -1)
    for chain in chains:
        for before, after in pairwise(chain):
            expected[before, 1], expected[after, 0] = after, before
    assert expected.tolist() == FeatureSpace(names).neighbours.tolist()


@pytest.mark.parametrize(
    "name",
    ["PT_a_bin1:2", "LE_bin1%3A2", "p_bin1", "p_bin1:2_x", "p_bin:2", "_bin1:2", "p_bin1:2_overlap",
     "p_bin-1:2", "xp_bin1:2"],
)  # fmt: skip
def test_features_that_are_no_bins_of_a_score(name: str) -> None:
    """Words of templates among them: a word's colon is escaped."""
    assert (FeatureSpace(["p_bin0:2", name]).neighbours == -1).all()


def test_neighbours_survive_a_file_of_weights(tmp_path: Path) -> None:
    space = FeatureSpace([bin_feature_name("p_x", k, 12) for k in (3, 0, 11, 2, 7)])
    weights = dict(zip(space, [1.0, 0.0, 2.0, -1.0, 0.5], strict=True))
    for name in ("w.json", "w"):
        write_weights(weights, tmp_path / name)
        again = FeatureSpace(read_weights(tmp_path / name))
        assert space.neighbours.tolist() == again.neighbours.tolist()
    assert [[3, 4], [-1, 3], [4, -1], [1, 0], [0, 2]] == space.neighbours.tolist()


WEIGHTS = {"LM0": 0.1, "TM0.0": -1e-300, "p(e|f)": 1 / 3, "PT_la~casa_the~house": 2.0, "WT_é_": 0.0}


@pytest.mark.parametrize("name", ["w", "w.json", "w.gz", "sub/w.json"])
def test_weights_round_trip(tmp_path: Path, name: str) -> None:
    write_weights(WEIGHTS, tmp_path / name)
    assert list(WEIGHTS.items()) == list(read_weights(tmp_path / name).items())


def test_written_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_weights({"LM0": 0.1, "PT_é_b": 2.0}, tmp_path / "w")
    assert (tmp_path / "w").read_text() == "LM0 0.1\nPT_é_b 2.0\n"
    write_weights({"LM0": 0.1, "PT_é_b": 2.0}, None)
    assert {"space": {"dense": ["LM0"]}, "weights": {"LM0": 0.1, "PT_é_b": 2.0}} == json.loads(
        capsys.readouterr().out
    )


def test_numpy_weights_round_trip(tmp_path: Path) -> None:
    write_weights({"LM0": np.float64(0.5)}, tmp_path / "w")
    assert {"LM0": 0.5} == read_weights(tmp_path / "w")


@pytest.mark.parametrize("word", ["1\u00a0000", "\u3000", "a\u2028b", "\x85"])
def test_round_trip_of_names_with_other_blanks(tmp_path: Path, word: str) -> None:
    weights = {f"AL_{escape(word)}_x": 0.5}
    write_weights(weights, tmp_path / "w")
    assert weights == read_weights(tmp_path / "w")


ODD = [*"#{[]= \t\r\n\0a_1", "\ufeff", ".0"]
NAMES = st.text(max_size=6) | st.lists(st.sampled_from(ODD), max_size=5).map("".join)


@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True))
@example(names=["WT_x~="])
@example(names=["WT_x~=", "WT_x~"])
@example(names=["#x"])
@example(names=["log prob"])
@example(names=["{a_"])
def test_any_name_is_read_back_or_refused(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    path = tmp_path_factory.mktemp("weights") / "w"
    weights = {name: k + 0.5 for k, name in enumerate(names)}
    try:
        write_weights(weights, path)
    except DataError as error:
        assert any(f"{path}: the name {name!r}; expected names that can" in str(error)
                   for name in names)  # fmt: skip
        assert not path.exists()
        with pytest.raises(DataError, match="which holds any name"):
            check_weight_names(names, path)
        return
    assert list(weights.items()) == list(read_weights(path).items())
    check_weight_names(names, path)


@pytest.mark.parametrize("name", ["WT_x~=", "#x", "log prob", "{a_", "a\nb", "\ud800_"])
def test_names_that_lines_cannot_hold(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"w: the name '.*'; expected .* Write JSON \(a file in \."):
        write_weights({"LM0": 1.0, name: 1.0}, tmp_path / "w")
    assert [] == list(tmp_path.iterdir())
    check_weight_names([name], tmp_path / "w.json")
    check_weight_names([name], None)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_only_finite_weights_are_written(tmp_path: Path, value: float) -> None:
    with pytest.raises(ValueError, match="weights are finite"):
        write_weights({"a": 1.0, "b": value}, tmp_path / "w")
    assert [] == list(tmp_path.iterdir())


def text(folder: Path, content: str) -> Path:
    path = folder / "w"
    path.write_text(content)
    return path


def test_moses_weights(tmp_path: Path) -> None:
    content = "# made by hand\n[weight]\n\nLM0= 0.5\nTM0= 0.2 -1 3e-2\nPT_a_b 7\nWordPenalty0= -1\n"
    assert {
        "LM0": 0.5,
        "TM0.0": 0.2,
        "TM0.1": -1.0,
        "TM0.2": 0.03,
        "PT_a_b": 7.0,
        "WordPenalty0": -1.0,
    } == read_weights(text(tmp_path, content))


@pytest.mark.parametrize(
    "line", ["LM0", "LM0=", "LM0 x", "LM0 1 2", "LM0= 1 x", "LM0 nan", "a inf"]
)
def test_bad_line(tmp_path: Path, line: str) -> None:
    path = text(tmp_path, f"WordPenalty0 1\n{line}\n")
    with pytest.raises(DataError, match=rf"^{path}, line 2: '{line}'; expected NAME value, or"):
        read_weights(path)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "{}",
        '{"weights": [1]}',
        '{"weights": {"a": "x"}}',
        '{"weights": {"a": null}}',
        '{"weights": {"a": NaN}}',
        '{"weights": {"a": Infinity}}',
    ],
)
def test_bad_json(tmp_path: Path, content: str) -> None:
    path = text(tmp_path, content)
    with pytest.raises(DataError, match=rf"^{path}(, line 1)?: JSON that can't be read as weights"):
        read_weights(path)
