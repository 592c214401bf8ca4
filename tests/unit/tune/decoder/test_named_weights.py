"""Weights for a decoder by its names or by Moses's, and hypotheses under either."""

import json
import re
import warnings
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.lines import HypothesisLines, link_line, segmented_line
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.decoder.named_weights import (
    decoder_prefixes,
    moses_groups,
    named_weights,
    weights_for_moses,
)
from isogloss.tune.decoder.reordering import ReorderingTable
from isogloss.tune.weights.moses_ini import read_moses_ini
from isogloss.tune.weights.weights import Weights
from tests.unit.tune.decoder.test_language_model import random_model

RULES = (
    "a ||| x ||| 0.5 0.25 0.5 0.5 ||| 0-0 |||  ||| s_1 2\n"
    "b ||| y z ||| 0.5 0.5 0.5 0.125 ||| 0-0 0-1 |||  ||| s_1 1 s_2 -1\n"
)
ORDER = "a ||| x ||| 0.5 0.25 0.25\nb ||| y z ||| 0.25 0.5 0.25\n"
GROUPS = {
    "LM0": ("LM0",),
    "Distortion0": ("Distortion0",),
    "WordPenalty0": ("WordPenalty0",),
    "PhrasePenalty0": ("PhrasePenalty0",),
    "UnknownWordPenalty0": ("UnknownWordPenalty0",),
    "TranslationModel0": ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)"),
    "LexicalReordering0": (
        "LexR.wbe.monotone.previous", "LexR.wbe.swap.previous", "LexR.wbe.discontinuous.previous"
    ),
    "LexicalReordering1": ("LexR1.wbe.previous",),
}  # fmt: skip
MOSES = {
    "LM0": 0.5, "Distortion0": 0.25, "WordPenalty0": -1.0, "PhrasePenalty0": 0.125,
    "TranslationModel0.0": 1.0, "TranslationModel0.1": 2.0, "TranslationModel0.2": 3.0,
    "TranslationModel0.3": 4.0, "LexicalReordering0.0": 5.0, "LexicalReordering0.1": 6.0,
    "LexicalReordering0.2": 7.0, "LexicalReordering1": 8.0, "s_2": 9.0,
}  # fmt: skip


@pytest.fixture
def decoder(tmp_path: Path) -> Decoder:
    (tmp_path / "table").write_text(RULES)
    (tmp_path / "order").write_text(ORDER)
    table = PhraseTable.load(tmp_path / "table")
    names = ("msd-backward-fe", "msd-backward-fe-collapseff")
    models = [ReorderingModel.parse(name) for name in names]
    orders = [ReorderingTable.read(tmp_path / "order", model, table) for model in models]
    return Decoder(table, random_model(0, 2), reordering=orders)


def test_groups(decoder: Decoder) -> None:
    assert list(moses_groups(decoder).items()) == list(GROUPS.items())


def test_the_names_of_moses(decoder: Decoder) -> None:
    weights = named_weights(decoder, Weights.from_dict(MOSES), "w")
    ours = weights.as_dict(keep_zeros=True)
    assert [ours[name] for name in GROUPS["TranslationModel0"]] == [1.0, 2.0, 3.0, 4.0]
    assert [ours[name] for name in GROUPS["LexicalReordering0"]] == [5.0, 6.0, 7.0]
    assert (ours["LexR1.wbe.previous"], ours["s_2"], ours["s_1"]) == (8.0, 9.0, 0.0)
    assert (ours["LM0"], ours["UnknownWordPenalty0"]) == (0.5, 1.0)
    renamed = {"TM": GROUPS["TranslationModel0"]} | GROUPS
    del renamed["TranslationModel0"]
    given = {name.replace("TranslationModel0", "TM"): value for name, value in MOSES.items()}
    assert named_weights(decoder, Weights.from_dict(given), "w", renamed) == weights
    assert named_weights(decoder, weights, "w") == weights
    # sparse features of the table as Moses calls them
    given["TM_s_2"] = given.pop("s_2")
    assert named_weights(decoder, Weights.from_dict(given), "w", renamed) == weights
    with pytest.raises(
        DataError, match="w: s_2 is a second weight of the feature s_2; expected one"
    ):
        named_weights(decoder, Weights.from_dict(given | {"s_2": 1.0}), "w", renamed)


INI = """\
[feature]
LexicalReordering name=Second type=msd-backward-fe
PhraseDictionaryCompact name=TM path=table
WordPenalty
LexicalReordering type=msd-backward-fe-collapseff
PhrasePenalty
Distortion
SRILM name=Big
SomethingElse name=Other
[weight]
TM= 1 1 1 1
"""


@pytest.mark.parametrize("sidecar", [None, ["a", "b", "c", "d"]])
def test_our_weights_for_a_moses_ini(tmp_path: Path, sidecar: list[str] | None) -> None:
    """By the kinds and the order of its features, whatever they are called."""
    (tmp_path / "ini").write_text(INI)
    ini = read_moses_ini(tmp_path / "ini")
    scores = GROUPS["TranslationModel0"]
    if sidecar:
        (tmp_path / "table.columns.json").write_text(json.dumps({"scores": sidecar}))
        scores = tuple(sidecar)
    expected = {f"TM.{k}": float(k) for k in range(4)} | {
        "Second.0": 4.0, "Second.1": 5.0, "Second.2": 6.0, "LexicalReordering0": 7.0, "Big": 8.0,
        "WordPenalty0": 9.0, "PhrasePenalty0": 10.0, "Distortion0": 11.0, "TM_s_1": 12.0,
        "Other_s_1": 13.0, "TM_t_1": 14.0,
    }  # fmt: skip
    names = (
        *scores, *GROUPS["LexicalReordering0"], *GROUPS["LexicalReordering1"], "LM0",
        "WordPenalty0", "PhrasePenalty0", "Distortion0", "s_1", "Other_s_1", "TM_t_1",
    )  # fmt: skip
    ours = Weights.from_dict(dict(zip(names, map(float, range(15)), strict=True)))
    assert expected == weights_for_moses(ours, ini).as_dict()
    fixed = Weights.from_dict(ours.as_dict() | {"UnknownWordPenalty0": 1.0})
    assert expected == weights_for_moses(fixed, ini).as_dict()  # the moses.ini has no such feature
    named = Weights.from_dict(expected)
    assert expected == weights_for_moses(named, ini).as_dict()
    (tmp_path / "table.columns.json").write_text('{"scores": ["another"]}')
    assert expected == weights_for_moses(named, ini).as_dict()  # it isn't asked
    with pytest.raises(DataError, match=r"table\.columns\.json: .*1 column name, but the table"):
        weights_for_moses(ours, ini)
    (tmp_path / "table.columns.json").write_text(json.dumps({"scores": scores}))
    partly = Weights.from_dict({name: 1.0 for name in names if name != scores[1]})
    message = rf"^there is no weight for {re.escape(scores[1])}, a score of the phrase table of"
    with pytest.raises(DataError, match=message):
        weights_for_moses(partly, ini)


def test_a_reordering_model_of_no_known_type(tmp_path: Path) -> None:
    (tmp_path / "ini").write_text(INI.replace("type=msd-backward-fe\n", "type=odd\n"))
    ours = Weights.from_dict(dict.fromkeys(GROUPS["TranslationModel0"], 1.0))
    with pytest.raises(DataError, match="ini, line 2: reordering model 'odd': the name does not"):
        weights_for_moses(ours, read_moses_ini(tmp_path / "ini"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["T"], ["a ", "b "]),  # whole names: a and not a.law
        (["T.1", "none"], ["b ", "none"]),
        (["a", "L"], ["a", "L"]),  # its own names come first
        (["T=0.5", "LM0=2", "W_x=y=1"], ["a =0.5", "b =0.5", "LM0=2", "W_x=y=1"]),
        (["T.1=0", "T=1"], ["a =1", "b =1", "b =0"]),  # the longest prefix last
        (["T=0", "a=1"], ["a =0", "b =0", "a=1", "a =1"]),  # given last, of the same length
        (["T_"], ["W_"]),  # all of them, and none of the scores
        (["T_W=0", "T_=1", "W_=2"], ["W_=1", "W_=2", "W=0", "W_=0"]),
        (["T_PT_", "T_"], ["W_", "T_PT_"]),  # what fits none stays as it was given
        (["T_W_x"], ["W_x"]),  # Moses has the table's name before those of sparse features
        ([], []),
    ],
)
def test_prefixes_by_the_names_of_moses(given: list[str], expected: list[str]) -> None:
    groups = {"T": ("a", "b"), "LM0": ("LM0",)}
    names = ["a", "b", "LM0", "W_x=y", "LO_m"]  # the last one of a state template
    found = decoder_prefixes(names, given, groups, scores=("a", "b"), sparse=("W_x=y",))
    assert found == tuple(expected)
    assert decoder_prefixes(names, ["T_"], groups, scores=("a", "b")) == ("T_",)  # it has none


def test_a_value_where_none_is_asked_for_stays_with_the_name_that_was_given() -> None:
    """So that an error is of what the user has written."""
    groups = {"T": ("a", "b")}
    found = decoder_prefixes(["a", "b"], ["T=0.7", "T.1"], groups, scores=("a", "b"), valued=False)
    assert sorted(found) == ["T=0.7", "b "]


@pytest.mark.parametrize(
    ("moses_first", "expected"), [(False, ["LM0", "a"]), (True, ["a", "LM1 "])]
)
def test_whose_names_come_first(moses_first: bool, expected: list[str]) -> None:
    groups = {"LM1": ("LM0",), "LM0": ("LM1",)}
    names = ["LM0", "LM1", "a"]
    found = decoder_prefixes(names, ["LM0", "a"], groups, moses_first=moses_first)
    assert sorted(found) == sorted(expected)


def test_weights_that_do_not_fit(decoder: Decoder) -> None:
    def named(weights: dict[str, float]) -> Weights:
        return named_weights(decoder, Weights.from_dict(weights), "w")

    message = (
        r"w: the file has a weight for TranslationModel0\.4, DomainLex, which the decoder does not"
        r" have; expected weights for LM0, .* Pass the tables"
    )
    with pytest.raises(DataError, match=message):
        named(MOSES | {"TranslationModel0.4": 1.0, "DomainLex": 0.5, "other": 0.0, "t_1": 1.0})
    with pytest.raises(
        DataError, match=r"w: p\(f\|e\) is a second weight of the feature p\(f\|e\)"
    ):
        named(MOSES | {"p(f|e)": 1.0})
    with pytest.warns(DataWarning, match="all weights in w are 0, so all translations have"):
        named(dict.fromkeys(MOSES, 0.0))
    with pytest.warns(DataWarning, match=r"w has no weight for Distortion0; it counts as 0"):
        weights = named({name: w for name, w in MOSES.items() if name != "Distortion0"})
    assert weights["Distortion0"] == 0.0
    with pytest.warns(
        DataWarning, match=r"w has weights for 1 of the decoder's \d+ dense features; Distortion0, "
    ):
        named({"LM0": 1.0})
    for none in ({}, {"other": 0.0}):
        seen = "the file has weights for other" if none else "the file has no weights"
        with pytest.raises(DataError, match=f"w: {seen}; expected weights for LM0, Distortion0, "):
            named(none)


def test_weights_of_sparse_features_that_the_table_lacks(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("a ||| x ||| 0.5 0.25 0.5 0.5 ||| 0-0\n")
    decoder = Decoder(PhraseTable.load(tmp_path / "table"), random_model(0, 2))
    given = decoder.weights().as_dict(keep_zeros=True) | {"s_1": 1.0}
    for more, number in (({}, "1 weight"), ({"s_2": 1.0}, "2 weights")):
        said = f"w has {number} of sparse features, such as s_1, that neither the phrase table nor"
        with pytest.warns(DataWarning, match=said):
            named_weights(decoder, Weights.from_dict(given | more), "w")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named_weights(decoder, decoder.weights(), "w")


def test_lines(decoder: Decoder) -> None:
    weights = named_weights(decoder, Weights.from_dict(MOSES), "w")
    found = decoder.nbest(["b", "odd", "a"], weights, 50)
    numbers = {decoder.text(found, k): k for k in range(len(found))}
    number = numbers["y z odd x"]
    assert segmented_line(decoder, found, number) == "y z |0-0| odd |1-1| x |2-2|"
    assert link_line(decoder, found, number) == "0-0 0-1 1-2 2-3"
    lines = list(HypothesisLines(decoder, GROUPS, True, True).lines(7, found))
    fields = lines[number].split(" ||| ")
    assert fields[:2] == ["7", "y z odd x"]
    assert fields[2].endswith(
        "WordPenalty0= -4 PhrasePenalty0= 3 UnknownWordPenalty0= -100 TranslationModel0= -1.38629 "
        "-2.07944 -1.38629 -2.77259 LexicalReordering0= -2.07944 0 0 LexicalReordering1= -2.07944 "
        "s_1= 3 s_2= -1"
    )
    assert fields[3:] == [f"{found.score[number]:.6g}", "0=0-1 1=2 2=3", "0-0 0-1 1-2 2-3"]
    ours = next(HypothesisLines(decoder).lines(0, found)).split(" ||| ")
    assert len(ours) == 4
    assert "lex(f|e)= -2.07944 p(e|f)= -1.38629" in ours[2]
    assert segmented_line(decoder, decoder.nbest([])) == ""
