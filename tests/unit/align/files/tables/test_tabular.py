"""Tables of Arrow, pandas and Polars against the plain columns."""

import sys
from typing import Any

import numpy as np
import pytest

from isogloss.align import DomainPosteriors, Links, Span, Spans, UsageError, Vocabulary
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.text.string_array import Texts
from isogloss.features import FeatureSpace
from isogloss.tune import NBest, Weights

WHY = "tables need pip install isogloss[tables]"
Rows = list[dict[str, Any]]


def links() -> tuple[Tabular, Rows]:
    plain = Links.from_pairs([[(0, 1), (2, 0)], [], [(1, 1)]])
    scores = np.array([0.5, 0.25, 1.0], np.float32)
    rows = [
        {"pair": 0, "source": 0, "target": 1, "probability": 0.5},
        {"pair": 0, "source": 2, "target": 0, "probability": 0.25},
        {"pair": 2, "source": 1, "target": 1, "probability": 1.0},
    ]
    return Links(plain.source, plain.target, plain.offsets, scores), rows


def spans() -> tuple[Tabular, Rows]:
    table = Spans.from_sentences([[], [(0, 2, "PER"), Span(((3, 4), (5, 6)), "LOC")]])
    rows = [
        {"sentence": 1, "span": 0, "label": "PER", "start": 0, "end": 2},
        {"sentence": 1, "span": 1, "label": "LOC", "start": 3, "end": 4},
        {"sentence": 1, "span": 1, "label": "LOC", "start": 5, "end": 6},
    ]
    return table, rows


def lexicon() -> tuple[Tabular, Rows]:
    table = LexicalTable(
        np.array([2, 1], np.int32), np.array([1, 2], np.int32), np.array([0.75, 1.0], np.float32),
        np.array([0.0, 0.5, 0.0], np.float32), Vocabulary(["NULL", "ñu"]), Vocabulary(["a", "b"]),
        "s2t",
    )  # fmt: skip
    rows = [
        {"given": None, "generated": "NULL", "probability": 0.5},
        {"given": "a", "generated": "ñu", "probability": 0.75},
        {"given": "b", "generated": "NULL", "probability": 1.0},
    ]
    return table, rows


def weights() -> tuple[Tabular, Rows]:
    table = Weights.from_dict({"LM0": 0.5, "pt_x~y": -2.0})
    return table, [{"feature": "LM0", "weight": 0.5}, {"feature": "pt_x~y", "weight": -2.0}]


def nbest() -> tuple[Tabular, Rows]:
    table = NBest(
        np.array([0, 2, 3]),
        Texts.from_strings(["una casa", "", "ñ"]),
        Ragged.from_rows([[(0, 0.5), (2, 1.0), (0, 0.25)], [(1, 2.0)], [(2, 1.0), (2, -0.5)]]),
        FeatureSpace(["LM0", "rank", "pt_x"]),
        {"comet": np.array([0.5, 0.25, 0.125])},
        ("first", "second"),
    )
    rows = [
        {"sentence": "first", "rank": 0, "text": "una casa", "LM0": 0.75, "feature:rank": 0.0,
         "comet": 0.5, "sparse": [{"name": "pt_x", "value": 1.0}]},
        {"sentence": "first", "rank": 1, "text": "", "LM0": 0.0, "feature:rank": 2.0,
         "comet": 0.25, "sparse": []},
        {"sentence": "second", "rank": 0, "text": "ñ", "LM0": 0.0, "feature:rank": 0.0,
         "comet": 0.125,
         "sparse": [{"name": "pt_x", "value": 1.0}, {"name": "pt_x", "value": -0.5}]},
    ]  # fmt: skip
    return table, rows


def domains() -> tuple[Tabular, Rows]:
    table = DomainPosteriors(("law", "out"), np.array([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]]))
    rows = [
        {"pair": 0, "domain": "law", "p(law)": 0.75, "p(out)": 0.25},
        {"pair": 1, "domain": "law", "p(law)": 0.5, "p(out)": 0.5},
        {"pair": 2, "domain": "out", "p(law)": 0.0, "p(out)": 1.0},
    ]
    return table, rows


TABLES = [links, spans, lexicon, weights, nbest, domains]


@pytest.mark.parametrize("make", TABLES)
def test_arrow(make: Any) -> None:
    arrow = pytest.importorskip("pyarrow", reason=WHY)
    table, rows = make()
    assert table.to_arrow().to_pylist() == rows
    assert arrow.table(table).to_pylist() == rows  # by its stream


@pytest.mark.parametrize("make", TABLES)
def test_polars(make: Any) -> None:
    polars = pytest.importorskip("polars", reason=WHY)
    table, rows = make()
    assert table.to_polars().to_dicts() == rows
    assert polars.DataFrame(table).to_dicts() == rows


@pytest.mark.parametrize("make", TABLES)
def test_pandas(make: Any) -> None:
    pandas = pytest.importorskip("pandas", reason=WHY)
    table, rows = make()
    frame = table.to_pandas()
    assert list(frame.columns) == list(rows[0])
    found = frame.to_dict("records")
    for row in found:
        for name, value in row.items():
            if name == "sparse":
                row[name] = list(value)
            elif pandas.isna(value):
                row[name] = None
    assert found == rows
    names = {"label", "given", "generated", "domain"} & set(frame.columns)
    assert all(frame[name].dtype == "category" for name in names)


def test_numbers_and_texts_are_not_copied() -> None:
    pytest.importorskip("pyarrow", reason=WHY)
    table, _ = links()
    assert isinstance(table, Links)
    column = table.to_arrow()["source"].chunk(0)
    assert column.buffers()[1].address == table.source.ctypes.data
    lists, _ = nbest()
    assert isinstance(lists, NBest)
    text = lists.to_arrow()["text"].chunk(0)
    assert text.buffers()[2].address == lists.texts.content.ctypes.data


def test_tables_without_rows() -> None:
    pytest.importorskip("pyarrow", reason=WHY)
    for table in (Links.from_pairs([]), Spans.from_sentences([[]]), Weights.from_dict({})):
        assert table.to_arrow().num_rows == 0
        assert list(table.to_pandas().columns) == list(table.table_columns())
        assert table.to_polars().columns == list(table.table_columns())


@pytest.mark.parametrize(
    ("library", "method", "message"),
    [
        (
            "pyarrow",
            "to_arrow",
            r"an Arrow table needs pyarrow; run pip install isogloss\[tables\]",
        ),
        ("pyarrow", "to_pandas", r"an Arrow table needs pyarrow"),
        (
            "pandas",
            "to_pandas",
            r"a table of pandas needs pandas; run pip install isogloss\[tables",
        ),
        (
            "polars",
            "to_polars",
            r"a table of Polars needs polars; run pip install isogloss\[tables\]",
        ),
    ],
)
def test_without_the_libraries(
    library: str, method: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=message):
        getattr(links()[0], method)()


def test_what_is_no_table() -> None:
    with pytest.raises(ValueError, match="posteriors must have one column per domain"):
        DomainPosteriors(("a",), np.zeros((2, 2)))
    with pytest.raises(NotImplementedError):
        Tabular().table_columns()
