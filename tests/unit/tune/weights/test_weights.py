"""Weights by name, in and out."""

import copy
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, DataWarning, WrongTypeError
from isogloss.features.bins.binning import Binning, Bins, BinSpec
from isogloss.features.space import FeatureSpace, bin_feature_name, escape, is_sparse
from isogloss.tune.weights.given import places_beside
from isogloss.tune.weights.weights import Weights, check_weight_names

SPACE = FeatureSpace(["LM0", "TM0.1", "PT_a_b", "AL_a_"])


def test_weights_by_name() -> None:
    weights = Weights(SPACE, np.array([0.5, 0.0, 0.0, -1.0]))
    assert (0.5, 0.0, 0.0) == (weights["LM0"], weights["PT_a_b"], weights.get("x"))
    assert {"LM0": 0.5, "TM0.1": 0.0, "AL_a_": -1.0} == weights.as_dict()
    assert weights.num_active == 2
    assert ("LM0" in weights, "x" in weights, len(weights)) == (True, False, 4)
    assert list(SPACE) == list(weights)
    assert [("LM0", 0.5), ("TM0.1", 0.0), ("PT_a_b", 0.0), ("AL_a_", -1.0)] == list(weights.items())
    assert dict(weights.items()) == weights.as_dict(keep_zeros=True)


def test_weights_print_what_they_hold() -> None:
    weights = Weights(SPACE, np.array([0.5, 0.0, 0.0, -1.0]))
    counts = "4 features, 2 of them dense; 2 weights other than 0"
    assert f"Weights({counts}: AL_a_ -1, LM0 0.5)" == repr(weights)
    counts = "0 features, 0 of them dense; 0 weights other than 0"
    assert f"Weights({counts})" == repr(Weights.from_dict({}))


def test_weights_of_a_dictionary_put_dense_names_first() -> None:
    weights = Weights.from_dict({"PT_a": 1.0, "LM0": 2.0, "AL_b": 0.0, "WP": 3.0})
    assert ["LM0", "WP", "PT_a", "AL_b"] == list(weights)
    assert {"LM0": 2.0, "WP": 3.0, "PT_a": 1.0} == weights.as_dict()
    assert weights == Weights.from_dict({"LM0": 2.0, "WP": 3.0, "PT_a": 1.0, "AL_b": 0.0})


def test_weights_over_another_space() -> None:
    weights = Weights.from_dict({"LM0": 0.5, "x": 3.0, "AL_a_": -1.0})
    carried = weights.to_space(SPACE)
    assert SPACE is carried.space
    assert [0.5, 0.0, 0.0, -1.0] == carried.values.tolist()
    assert carried is carried.to_space(SPACE)
    assert {"AL_a_": -1.0, "y": 0.0} == weights.select(["y", "AL_a_"]).as_dict()
    assert Weights.zeros(SPACE) == Weights.from_dict({"x": 3.0}).to_space(SPACE)


def test_equal_weights() -> None:
    weights = Weights.from_dict({"a": 1.0, "b_": 2.0})
    assert weights == Weights.from_dict({"b_": 2.0, "a": 1.0})
    assert weights != Weights.from_dict({"a": 1.0, "b_": 3.0})
    assert weights != Weights.from_dict({"a": 1.0, "c_": 2.0})
    assert weights != {"a": 1.0, "b_": 2.0}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "each feature needs one weight"),
        ([1.0, 2.0, np.nan, 4.0], "weights must be finite"),
        ([1.0, 2.0, np.inf, 4.0], "weights must be finite"),
    ],
)
def test_weights_that_are_none(values: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Weights(SPACE, np.array(values))


def test_neighbors_survive_a_file_of_weights(tmp_path: Path) -> None:
    space = FeatureSpace([bin_feature_name("p_x", k, 12) for k in (3, 0, 11, 2, 7)])
    weights = dict(zip(space, [1.0, 0.0, 2.0, -1.0, 0.5], strict=True))
    for name in ("w.json", "w"):
        Weights.from_dict(weights).save(tmp_path / name, keep_zeros=True)
        again = Weights.load(tmp_path / name).space
        assert space.neighbors.tolist() == again.neighbors.tolist()
    assert [[3, 4], [-1, 3], [4, -1], [1, 0], [0, 2]] == space.neighbors.tolist()


WEIGHTS = {"LM0": 0.1, "TM0.0": -1e-300, "p(e|f)": 1 / 3, "PT_la~casa_the~house": 2.0, "WT_é_": 0.0}


@pytest.mark.parametrize("name", ["w", "w.json", "w.gz", "sub/w.json"])
def test_weights_round_trip(tmp_path: Path, name: str) -> None:
    Weights.from_dict(WEIGHTS).save(tmp_path / name, keep_zeros=True)
    assert list(WEIGHTS.items()) == list(Weights.load(tmp_path / name).items())


def test_written_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Weights.from_dict({"LM0": 0.1, "PT_é_b": 2.0}).save(tmp_path / "w")
    assert (tmp_path / "w").read_text() == "LM0 0.1\nPT_é_b 2.0\n"
    Weights.from_dict({"LM0": 0.1, "PT_é_b": 2.0}).save(None)
    assert {"space": {"dense": ["LM0"]}, "weights": {"LM0": 0.1, "PT_é_b": 2.0}} == json.loads(
        capsys.readouterr().out
    )


def test_sparse_weights_of_0_are_left_out(tmp_path: Path) -> None:
    weights = Weights.from_dict({"LM0": 0.0, "PT_a": 0.0, "PT_b": 1.0})
    weights.save(tmp_path / "w")
    assert {"LM0": 0.0, "PT_b": 1.0} == dict(Weights.load(tmp_path / "w").items())
    weights.save(tmp_path / "w", keep_zeros=True)
    assert weights == Weights.load(tmp_path / "w")


def test_numpy_weights_round_trip(tmp_path: Path) -> None:
    Weights.from_dict({"LM0": np.float64(0.5)}).save(tmp_path / "w")
    assert {"LM0": 0.5} == Weights.load(tmp_path / "w").as_dict()


@pytest.mark.parametrize("word", ["1\u00a0000", "\u3000", "a\u2028b", "\x85"])
def test_round_trip_of_names_with_other_blanks(tmp_path: Path, word: str) -> None:
    weights = {f"AL_{escape(word)}_x": 0.5}
    Weights.from_dict(weights).save(tmp_path / "w")
    assert weights == Weights.load(tmp_path / "w").as_dict()


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
        Weights.from_dict(weights).save(path)
    except DataError as error:
        assert any(f"{path}: the name {name!r} cannot be written in" in str(error)
                   for name in names)  # fmt: skip
        assert not path.exists()
        with pytest.raises(DataError, match=r"which accepts any name|Rename the feature"):
            check_weight_names(names, path)
        return
    dense_first = sorted(weights.items(), key=lambda item: is_sparse(item[0]))
    assert dense_first == list(Weights.load(path).items())
    check_weight_names(names, path)


@pytest.mark.parametrize("name", ["WT_x~=", "#x", "log prob", "{a_"])
def test_names_that_lines_cannot_hold(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        DataError, match=r"w: the name '.*' cannot be written in .* Write JSON \(a file in \."
    ):
        Weights.from_dict({"LM0": 1.0, name: 1.0}).save(tmp_path / "w")
    assert [] == list(tmp_path.iterdir())
    check_weight_names([name], tmp_path / "w.json")
    check_weight_names([name], None)


@pytest.mark.parametrize("name", ["", "a\nb", "\ud800_", "\x1b[31m", "a\0"])
@pytest.mark.parametrize("file", ["w", "w.json"])
def test_names_that_nothing_can_hold(tmp_path: Path, name: str, file: str) -> None:
    with pytest.raises(
        DataError, match=rf"{file}: the name .* (is not printable|cannot be written in).* Rename"
    ):
        Weights.from_dict({"LM0": 1.0, name: 1.0}).save(tmp_path / file)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_only_finite_weights_are_written(tmp_path: Path, value: float) -> None:
    with pytest.raises(ValueError, match="weights must be finite"):
        Weights.from_dict({"a": 1.0, "b": value}).save(tmp_path / "w")
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
    } == Weights.load(text(tmp_path, content)).as_dict()


@pytest.mark.parametrize(
    "line", ["LM0", "LM0=", "LM0 x", "LM0 1 2", "LM0= 1 x", "LM0 nan", "a inf"]
)
def test_bad_line(tmp_path: Path, line: str) -> None:
    path = text(tmp_path, f"WordPenalty0 1\n{line}\n")
    with pytest.raises(
        DataError,
        match=rf"^{path}, line 2: the line '{line}' is malformed; expected NAME value, or",
    ):
        Weights.load(path)


@pytest.mark.parametrize("content", ['{"lm": 0.5, "weights": -1}', '{"weights": -1, "lm": 0.5}'])
def test_a_plain_object_of_numbers(tmp_path: Path, content: str) -> None:
    assert Weights.load(text(tmp_path, content)).as_dict() == {"lm": 0.5, "weights": -1.0}


def test_the_folder_of_a_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the folder has no weights\.json; expected a file of w"):
        Weights.load(tmp_path)
    Weights.from_dict({"lm": 0.5}).save(tmp_path / "weights.json")
    assert Weights.load(str(tmp_path)).as_dict() == {"lm": 0.5}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "{}",
        '{"lm": [0.5]}',
        '{"weights": [1]}',
        '{"weights": {"a": "x"}}',
        '{"weights": {"a": null}}',
        '{"weights": {"a": NaN}}',
        '{"weights": {"a": Infinity}}',
    ],
)
def test_bad_json(tmp_path: Path, content: str) -> None:
    path = text(tmp_path, content)
    with pytest.raises(DataError, match=rf"^{path}(, line 1)?: the JSON has no valid weights"):
        Weights.load(path)


def test_bins_get_the_weight_of_their_score() -> None:
    halves = Bins(*(np.array(column) for column in ([0.1, 0.5], [0.2, 0.5], [0.4, 1.0], [1.0, 1])))
    binning = Binning((BinSpec("p", 1), BinSpec("q", 1, keep=True)), (halves, halves))
    given = Weights.from_dict({"LM0": 0.5, "p": 2.0, "q": 3.0})
    bins = {"p_bin0:2": 2.0 * math.log(0.2), "p_bin1:2": 2.0 * math.log(0.5)}
    assert given.with_bin_weights(binning).as_dict() == pytest.approx({"LM0": 0.5, "q": 3.0} | bins)
    for own in ({"LM0": 0.5}, {"p": 2.0, "p_bin1:2": 0.0}):  # no such score; bins have weights
        weights = Weights.from_dict(own)
        assert weights.with_bin_weights(binning) is weights
    assert given.with_bin_weights(binning, ("p", "q")) is given  # a file of bins of another table


def test_what_others_have_besides() -> None:
    learned = Weights.from_dict({"LM0": 0.5, "s_1": 0.0, "s_2": 0.25})
    given = Weights.from_dict({"LM0": 1.0, "LM7": 0.0, "s_1": 3.0, "s_3": 0.75, "s_4": 0.0})
    expected = {"LM0": 0.5, "s_2": 0.25, "s_3": 0.75}
    assert learned.with_rest_of(given).as_dict(keep_zeros=True) == expected
    assert learned.with_rest_of(given, 2.0).as_dict() == expected | {"s_3": 1.5}
    assert learned.with_rest_of(learned) is learned
    assert learned.with_rest_of(Weights.from_dict({"s_1": 3.0})) is learned


def test_places_beside_another_space() -> None:
    weights = Weights.from_dict({"d": 1, "e": 2, "A_1": 3, "A_2": 0, "A_3": 4, "A_4": 5})
    others = FeatureSpace(["e", "d", "A_3", "A_5", "A_2", "A_1"])
    numbers, kept = places_beside(FeatureSpace(["d", "A_1"]), others, weights)
    assert (numbers.tolist(), kept.tolist()) == ([-1, 0, 2, -1, -1, 1], [4.0])
    numbers, kept = places_beside(FeatureSpace(["d", "A_1"]), others, None)
    assert (numbers.tolist(), kept.tolist()) == ([-1, 0, -1, -1, -1, 1], [])


def test_names_of_several_spaces() -> None:
    """A name that one has stays, whatever another shows; a table shows in any."""
    weights = Weights.from_dict({"A_B_x": 1, "T_B_x": 2, "T_y_z": 3})
    lists, held_out = FeatureSpace(["A_B_x", "C_y"]), FeatureSpace(["B_x"])
    assert weights.renamed_for(lists) == weights
    assert weights.renamed_for(lists, held_out).as_dict() == {"A_B_x": 1, "y_z": 3, "B_x": 2}
    assert weights.renamed_for(held_out, FeatureSpace(["T_q"])).as_dict()["T_B_x"] == 2


def test_names_that_a_table_stands_before() -> None:
    space = FeatureSpace(["LM0", "PT_a_b", "WT_c"])
    moses = {"LM0": 1.0, "T_PT_a_b": 0.5, "T_PT_d_e": 0.25, "WT_c": 0.1, "U_x_y": 0.2}
    own = {"LM0": 1.0, "WT_c": 0.1, "U_x_y": 0.2, "PT_a_b": 0.5, "PT_d_e": 0.25}
    given = Weights.from_dict(moses)
    assert given.renamed_for(space).as_dict() == own
    assert given.renamed_for(FeatureSpace(["LM0", "T_PT_a_b"])) is given
    assert given.renamed_for(FeatureSpace(["LM0", "a"])) is given
    words = Weights.from_dict({"PT_LexE_h": 0.1, "PT_c_h": 0.9, "PT_p_d": 0.7})
    lists = FeatureSpace(["LexE_h", "PT_c_h"])  # whose PT is a template, and no table
    assert words.renamed_for(lists).as_dict() == words.as_dict()
    scores = Weights.from_dict({"tgt_lm_score": 3.0, "tgt_len": 2.0})
    assert scores.renamed_for(FeatureSpace(["len", "lm_score"])).as_dict() == {
        "lm_score": 3.0, "tgt_len": 2.0,
    }  # fmt: skip
    both = Weights.from_dict(moses | {"PT_a_b": 0.75})
    assert both.renamed_for(space)["PT_a_b"] == 0.75
    learned = Weights(space, np.array([0.3, 0.2, 0.1]))
    assert learned.with_rest_of(given).as_dict() == {
        "LM0": 0.3, "PT_a_b": 0.2, "WT_c": 0.1, "PT_d_e": 0.25, "U_x_y": 0.2,
    }  # fmt: skip


def test_a_dict_is_told_how_it_becomes_weights() -> None:
    remedy = r"space must be a FeatureSpace, not \{'LM0': 0.5\}; use Weights.from_dict\(\{"
    for arguments in ([{"LM0": 0.5}], [{"LM0": 0.5}, np.zeros(1)]):
        with pytest.raises(WrongTypeError, match=remedy):
            Weights(*arguments)
    weights = Weights.from_dict({"LM0": 0.5})
    assert pickle.loads(pickle.dumps(weights)) == copy.deepcopy(weights) == weights


def test_names_with_colons(tmp_path: Path) -> None:
    """A warning, as a name may end with a colon; none where others don't."""
    (tmp_path / "w").write_text("lm: 0.5\ntm: 1\n")
    with pytest.warns(DataWarning, match=r"w: all names end with a colon .'lm:'.,.*`sed .* .*w`"):
        assert Weights.load(tmp_path / "w").as_dict() == {"lm:": 0.5, "tm:": 1.0}
    (tmp_path / "w").write_text("lm 0.5\nWT_a~: 1\n")
    assert Weights.load(tmp_path / "w").as_dict() == {"lm": 0.5, "WT_a~:": 1.0}
