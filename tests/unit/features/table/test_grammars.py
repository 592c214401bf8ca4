"""Grammars of cdec and Joshua, tables of Phrasal: in, out, and from one to the other."""

import math
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.features.table.formats import TableFormat
from isogloss.features.table.grammars import Cdec, Joshua, Phrasal, _property, table_format
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rule_texts import format_rules
from isogloss.features.table.sidecar import MOSES_SCORES, columns_file
from isogloss.features.table.stream import read_blocks

# as cdec's extractor writes them
CDEC = """\
[X] ||| [X,1] casa ||| [X,1] house ||| EgivenFCoherent=0.3010299957 SampleCountF=1 CountEF=0.3 \
MaxLexFgivenE=2 MaxLexEgivenF=0 IsSingletonF=0 IsSingletonFE=1 ||| 1-1
[X] ||| la ||| the ||| EgivenFCoherent=1 SampleCountF=2 CountEF=1.5 MaxLexFgivenE=0.5 \
MaxLexEgivenF=0.25 IsSingletonF=0 IsSingletonFE=0 PT_la_the=1 ||| 0-0
[NP] ||| la casa ||| the house ||| EgivenFCoherent=1 SampleCountF=2 CountEF=1.5 \
MaxLexFgivenE=0.5 MaxLexEgivenF=0.25 IsSingletonF=1 IsSingletonFE=0 ||| 0-0 1-1 ||| (NP (D t))
"""


def read(folder: Path, text: str, form: TableFormat) -> PhraseTable:
    (folder / "grammar").write_text(text, encoding="utf-8")
    return PhraseTable.load(folder / "grammar", format=form)


def rules(table: PhraseTable) -> list[tuple[str, str]]:
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    pairs = zip(table.rule_source, table.rule_target, strict=True)
    return [(source[left], target[right]) for left, right in pairs]


def test_cdec(tmp_path: Path) -> None:
    table = read(tmp_path, CDEC, Cdec())
    assert rules(table) == [
        ("[X,1] casa", "[X,1] house"), ("la", "the"), ("la casa", "the house"),
    ]  # fmt: skip
    assert table.score_names == (
        "EgivenFCoherent", "SampleCountF", "CountEF", "MaxLexFgivenE", "MaxLexEgivenF",
        "IsSingletonF", "IsSingletonFE",
    )  # fmt: skip
    np.testing.assert_allclose(
        table.scores[:2],
        [
            [0.5, 10.0, 10**0.3, 0.01, 1.0, 1.0, math.e],
            [0.1, 100.0, 10**1.5, 10**-0.5, 10**-0.25, 1.0, 1.0],
        ],
        rtol=1e-9,
    )
    assert [257, 0, 0, 257] == table.links.ids.tolist()
    assert (("PT_la_the",), [0, 0, 1, 1]) == (table.sparse_names, table.sparse.offsets.tolist())
    assert table.properties is not None
    assert ["", "", "{{LHS [NP]}} {{TreeFragment (NP (D t))}}"] == table.properties.tolist()
    assert CDEC.splitlines() == list(format_rules(table, Cdec()))


def test_cdec_with_a_feature_more_keeps_its_digits(tmp_path: Path) -> None:
    table = read(tmp_path, CDEC, Cdec())
    more = table.with_scores(["x"], np.full((3, 1), math.e)).with_sparse(
        ["AL_;=_x"], Ragged.from_rows([[(0, 2.0)], [(0, 1.0)], []])
    )
    expected = [
        line.replace("IsSingletonFE=1", "IsSingletonFE=1 x=1 AL_%3B%3D_x=2")
        .replace("FE=0 PT_la_the=1", "FE=0 x=1 PT_la_the=1 AL_%3B%3D_x=1")
        .replace("IsSingletonFE=0 |||", "IsSingletonFE=0 x=1 |||")
        for line in CDEC.splitlines()
    ]
    assert expected == list(format_rules(more, Cdec()))
    again = read(tmp_path, "".join(f"{line}\n" for line in expected), Cdec())
    assert {"PT_la_the", "AL_;%3D_x"} == set(again.sparse_names)


def test_cdec_order_of_features_and_semicolons(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "[X] ||| a ||| b ||| EgivenF=1;X_y=2; Z=0.5 ||| 0-0\n"
        "[X] ||| a ||| c ||| Z=-0.5 EgivenF=2 ||| 0-0\n",
        Cdec(),
    )
    assert ("p(e|f)", "Z") == table.score_names
    expected = [[0.1, math.exp(0.5)], [0.01, math.exp(-0.5)]]
    np.testing.assert_allclose(table.scores, expected, rtol=1e-12)
    assert ("X_y",) == table.sparse_names


@pytest.mark.parametrize("features", ["0.5 -2", "PhraseModel_0=0.5 PhraseModel_1=-2"])
def test_cdec_values_without_names(tmp_path: Path, features: str) -> None:
    table = read(tmp_path, f"[X] ||| a ||| b ||| {features} ||| 0-0\n", Cdec())
    assert ("PhraseModel.0", "PhraseModel.1") == table.score_names
    np.testing.assert_allclose(table.scores, np.exp([[0.5, -2.0]]), rtol=1e-12)
    more = table.with_scores(["p(e|f)"], np.array([[0.1]]))
    assert ["[X] ||| a ||| b ||| PhraseModel_0=0.5 PhraseModel_1=-2 EgivenF=1 ||| 0-0"] == list(
        format_rules(more, Cdec())
    )


def test_another_scale_for_all(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| EgivenF=1 Z=2 ||| 0-0\n"
    table = read(tmp_path, text, table_format("cdec", "-log"))
    np.testing.assert_allclose(table.scores, np.exp([[-1.0, -2.0]]), rtol=1e-12)
    table = read(tmp_path, text, table_format("cdec", "probability"))
    assert [[1.0, 2.0]] == table.scores.tolist()
    table = PhraseTable.load(_moses(tmp_path, "-0.5 0 2"), format=table_format("moses", "log"))
    np.testing.assert_allclose(table.scores, np.exp([[-0.5, 0.0, 2.0]]), rtol=1e-12)


def _moses(folder: Path, scores: str) -> Path:
    (folder / "moses").write_text(f"a ||| b ||| {scores} ||| 0-0 ||| 3 2 1 ||| |||\n")
    return folder / "moses"


JOSHUA = """\
[X] ||| [X,1] casa ||| [X,1] house ||| 0.5 1 0 2.302585093 ||| 1-1
[X] ||| la ||| the ||| 0.25 1 0 2 PT_la_the=1 ||| 0-0
"""


def test_joshua(tmp_path: Path) -> None:
    table = read(tmp_path, JOSHUA, Joshua())
    assert MOSES_SCORES == table.score_names
    np.testing.assert_allclose(table.scores[0], np.exp([-0.5, -1, 0, -2.302585093]), rtol=1e-12)
    assert ("PT_la_the",) == table.sparse_names
    assert JOSHUA.splitlines() == list(format_rules(table, Joshua()))
    more = table.with_scores(["x"], np.full((2, 1), 0.1))
    assert [
        "[X] ||| [X,1] casa ||| [X,1] house ||| 0.5 1 0 2.302585093 2.302585093 ||| 1-1",
        "[X] ||| la ||| the ||| 0.25 1 0 2 2.302585093 PT_la_the=1 ||| 0-0",
    ] == list(format_rules(more, Joshua()))


def test_joshua_with_names(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| Lex(e|f)=1 p(e|f)=0.5\n[S] ||| a ||| b ||| p(e|f)=2 Lex(e|f)=1\n"
    table = read(tmp_path, text, Joshua())
    assert ("Lex(e|f)", "p(e|f)") == table.score_names
    np.testing.assert_allclose(table.scores, np.exp([[-1.0, -0.5], [-1.0, -2.0]]), rtol=1e-12)
    assert text.splitlines() == list(format_rules(table, Joshua()))


def test_joshua_with_counts_of_a_moses_table(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| 0.5 1 ||| 0-0 ||| 3 2 1 |||\n"
    table = read(tmp_path, text, Joshua())
    assert [[3.0, 2.0, 1.0]] == table.counts.tolist()
    assert text.splitlines() == list(format_rules(table, Joshua()))


PHRASAL = """\
la ||| the ||| (0) ||| (0) ||| -0.5 -1 0.0 0.9998963\x20
la casa ||| the big house ||| (0) (1,2) ||| (0) (1) (1) ||| -0.25 -1 2.5 0.9998963\x20
la casa ||| house ||| () (0) ||| (1) ||| -0.25 -1 2.5 0.9998963\x20
"""


def test_phrasal(tmp_path: Path) -> None:
    table = read(tmp_path, PHRASAL, Phrasal())
    np.testing.assert_allclose(table.scores[1], np.exp([-0.25, -1, 2.5, 0.9998963]), rtol=1e-12)
    assert [0, 0, 257, 258, 256] == table.links.ids.tolist()
    assert PHRASAL.splitlines() == list(format_rules(table, Phrasal()))
    more = table.with_scores(["x"], np.full((3, 1), math.e))
    assert [line + "1" for line in PHRASAL.splitlines()] == list(format_rules(more, Phrasal()))
    sparse = table.with_sparse(["A_x"], Ragged.from_rows([[(0, 1.0)], [], []]))
    with pytest.raises(UsageError, match="Phrasal tables cannot contain sparse features; choose"):
        list(format_rules(sparse, Phrasal()))


TABLE = """\
casa ||| house ||| 0.123457 0.25 1 1.15697e-05 2.718 ||| 0-0 ||| 7 3 2 ||| A_x 2.5 |||
casa verde ||| green &apos; house ||| 0.5 0.25 1 5.7e-27 1 ||| 1-0 0-2 ||| 2 1 1 ||| |||
"""


@pytest.mark.parametrize("form", [Cdec(), Joshua()])
def test_a_table_as_a_grammar_and_back(tmp_path: Path, form: TableFormat) -> None:
    (tmp_path / "table").write_text("\n".join(reversed(TABLE.splitlines())) + "\n")
    table = PhraseTable.load(tmp_path / "table")
    table.save(tmp_path / "grammar.gz", format=form)
    (again,) = read_blocks(tmp_path / "grammar.gz", format=form)
    assert table.score_names == again.score_names
    assert columns_file(tmp_path / "grammar.gz").exists()
    np.testing.assert_allclose(again.scores, table.scores, rtol=1e-7)
    assert table.links == again.links
    written = list(format_rules(again))
    if isinstance(form, Cdec):  # has no place for counts
        written = [
            line.replace("||| |||", f"||| {counts} |||", 1)
            for line, counts in zip(written, ("2 1 1", "7 3 2"), strict=True)
        ]
    assert list(reversed(TABLE.splitlines())) == written


def test_left_hand_sides_go_from_one_grammar_to_the_other(tmp_path: Path) -> None:
    table = read(tmp_path, CDEC, Cdec())
    (third,) = list(format_rules(table, Joshua()))[2:]
    assert third.startswith("[NP] ||| la casa ||| the house ||| 2.302585093 ")
    moses = list(format_rules(table))[2]
    assert moses.endswith("||| 0-0 1-1 ||| ||| ||| {{LHS [NP]}} {{TreeFragment (NP (D t))}}")


FORM = r"\[X\] \|\|\| source \|\|\| target"


@pytest.mark.parametrize(
    ("form", "line", "message"),
    [
        (Cdec(), "[X] ||| a ||| b", rf"the line '.* a \|\|\| b' has 3 fields; expected {FORM}"),
        (Cdec(), "[X] ||| a ||| b ||| P=1 ||| 0-0 ||| t ||| u", r"the line '\[X\] \|\|\| a"),
        (Cdec(), "[X] ||| a ||| b ||| P=x", "the scores 'x' contain 'x'; expected finite"),
        (Cdec(), "[X] ||| a ||| b ||| P=1 Q=1",
         "the dense features are P, Q; expected P, as in previous lines: every rule must have"),
        (Cdec(), "[X] ||| a ||| b ||| A_x=1", "the dense features are unnamed; expected P, as in"),
        (Cdec(), "[X] ||| a ||| b ||| 1", r"the dense features are PhraseModel.0; expected P, as"),
        (Cdec(), "[X] ||| a ||| b ||| P=1 A_x=", "invalid sparse feature: A_x=; expected"),
        (Cdec(), "[X] ||| a ||| b ||| P=1 A_x=y", "invalid sparse feature: y; expected"),
        (Cdec(), "[X] ||| a ||| b ||| P=800", "a score is 800; expected logarithms up to 700"),
        (Cdec(), "[X] ||| a ||| ||| P=1", r"a phrase is empty; expected \[X\] \|\|\| source"),
        (Cdec(), "[X] ||| a ||| x ||| P=1", r"the rule 'a' \|\|\| 'x' repeats line 1; expected"),
        (Joshua(), "[X] ||| a ||| b ||| P=1 2", "2 scores; expected 1 as in the lines before|the"),
        (Phrasal(), "a ||| b ||| (0) ||| (0)", r"the line 'a \|\|\| b \|\|\| \(0\) \|\|\| \(0\)'"),
        (Phrasal(), "a ||| b ||| (0) (0) ||| (0) ||| 1", r"the links '\(0\) \(0\)' are malformed;"),
        (Phrasal(), "a ||| b ||| 0 ||| (0) ||| 1", "the links '0' are malformed; expected one"),
        (Phrasal(), "a ||| b ||| (0) ||| () ||| 1", r"links \(0\) and \(\) differ; expected equal"),
    ],
)  # fmt: skip
def test_bad_line(tmp_path: Path, form: TableFormat, line: str, message: str) -> None:
    first = {
        "phrasal": "a ||| x ||| (0) ||| (0) ||| 1\n",
        "cdec": "[X] ||| a ||| x ||| P=1 ||| 0-0\n",
        "joshua": "[X] ||| a ||| x ||| P=1 ||| 0-0\n",
    }[form.name]
    with pytest.raises(DataError, match=rf"grammar, line 2: {message}"):
        read(tmp_path, f"{first}{line}\n", form)


def test_properties_that_do_not_end() -> None:
    """Each began a search to the end of the line: minutes for one of 120 KB."""
    assert _property("{{LHS " * 200_000 + "[NP]}}", "LHS") == "[NP]"
    assert _property("{{LHS " * 200_000, "LHS") == ""
    assert _property("{{TreeFragment (NP {{ }) {}}", "TreeFragment") == "(NP {{ }) {"  # a word
    assert (
        _property("{{LHS [NP]}} {{TreeFragment (NP {} (D t))}}", "TreeFragment") == "(NP {} (D t))"
    )
