"""Feature names and spaces."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.align.text.string_array import Texts
from isogloss.align.text.text_index import TextIndex
from isogloss.features.space import FeatureSpace, bin_feature_name, escape, is_sparse, starting_with

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
    [
        (["a", "a"], "feature names must be unique"),
        (["a_", "b"], "dense features must come before sparse"),
    ],
)
def test_spaces_that_are_none(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FeatureSpace(names)


def test_features_of_an_index() -> None:
    names = ["LM0", "PT_a_b", "LO_ü_b", "LO_swap_c"]
    space = FeatureSpace(names[:2], TextIndex.numbered(Texts.from_strings(names[2:]))[0])
    plain = FeatureSpace(names)
    assert names == list(space) == list(space.names) == space.names[:4]
    assert (space.names[-1], space.names[1]) == ("LO_swap_c", "PT_a_b")
    with pytest.raises(IndexError, match="4"):
        space.names[4]
    assert (4, 1) == (len(space), space.num_dense)
    assert [0, 1, 2, 3] == [space.id(name) for name in names]
    asked = ["LO_swap_c", "x", "LM0"]
    assert [3, -1, 0] == space.ids(asked).tolist() == plain.ids(asked).tolist()
    assert "x" not in space
    values = {"LO_swap_c": 2.0, "x": 1.0, "PT_a_b": -1.0}
    assert [0, -1, 0, 2] == space.vector(values).tolist() == plain.vector(values).tolist()
    for prefix in ("LO_", "LO_s", "", "P"):
        expected = starting_with(names, prefix).tolist()
        assert expected == starting_with(space.names, prefix).tolist()
    assert space.has_names_of(plain)
    assert not space.has_names_of(FeatureSpace([*names[:3], "LO_other"]))
    assert not plain.has_names_of(FeatureSpace(names[:3]))
    assert repr(plain) == repr(space)
    with pytest.raises(ValueError, match="feature names must be unique"):
        FeatureSpace([*names[:2], "LO_ü_b"], TextIndex.numbered(Texts.from_strings(names[2:]))[0])


def test_vector_leaves_out_other_names() -> None:
    assert [0.5, 0.0, 0.0, -1.0] == SPACE.vector({"LM0": 0.5, "AL_a_": -1, "x": 3.0}).tolist()


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


def test_neighbors_of_bins() -> None:
    space = FeatureSpace(["LM0", "p_bin2:4", "PT_a_b", "p_bin0:4", "p_bin3:4", "p_bin1:4"])
    assert [[-1, -1], [5, 4], [-1, -1], [-1, 5], [1, -1], [3, 1]] == space.neighbors.tolist()
    assert space.neighbors.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        space.neighbors[0, 0] = 1


def test_bins_that_are_missing_are_passed_over() -> None:
    space = FeatureSpace(["p_bin00:16", "p_bin15:16", "p_bin07:16", "q_bin3:4"])
    assert [[-1, 2], [2, -1], [0, 1], [-1, -1]] == space.neighbors.tolist()


def test_all_bins_of_what_is_seen() -> None:
    """Names say how many there are; what was there keeps its id."""
    names = ["LM0", "p_bin15:16", "p_bin07:16", "a%5Fb_bin1..2:4_overlap1", "q_bin1:3_extend1"]
    space = FeatureSpace(names).with_all_bins()
    assert list(space)[:5] == names
    others = [bin_feature_name("p", k, 16) for k in range(16) if k not in (7, 15)]
    others += ["a%5Fb_bin0..1:4_overlap1", "a%5Fb_bin2..3:4_overlap1"]
    assert list(space)[5:] == [*others, "q_bin0:3_extend1", "q_bin2:3_extend1"]
    assert space.num_dense == 1
    assert space.with_all_bins() is space
    index = TextIndex.numbered(Texts.from_strings(["p_bin2:3"]))[0]
    assert list(FeatureSpace(["LM0"], index).with_all_bins())[1:3] == ["p_bin2:3", "p_bin0:3"]


@pytest.mark.parametrize(
    "name",
    ["p_bin3:3", "p_bin00:3", "p_bin0..2:4_overlap1", "p_bin0:3_overlap3", "p_bin1:03",
     "p_bin0:65537", "p_bin0:99999999999999999999", "LM0"],
)  # fmt: skip
def test_names_that_no_bins_have_stand_for_no_others(name: str) -> None:
    space = FeatureSpace([name])
    assert space.with_all_bins() is space


def test_bins_that_are_too_many() -> None:
    names = [bin_feature_name(f"p{k}", 0, 1 << 16) for k in range(17)]
    message = "1114095 bins occur in no hypothesis; expected at most 1048576"
    with pytest.raises(DataError, match=message):
        FeatureSpace(names).with_all_bins()


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
    assert expected.tolist() == FeatureSpace(names).neighbors.tolist()


@pytest.mark.parametrize(
    "name",
    ["PT_a_bin1:2", "LE_bin1%3A2", "p_bin1", "p_bin1:2_x", "p_bin:2", "_bin1:2", "p_bin1:2_overlap",
     "p_bin-1:2", "xp_bin1:2"],
)  # fmt: skip
def test_features_that_are_no_bins_of_a_score(name: str) -> None:
    """Words of templates among them: a word's colon is escaped."""
    assert (FeatureSpace(["p_bin0:2", name]).neighbors == -1).all()
