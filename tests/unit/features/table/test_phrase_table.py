"""Phrase tables: Moses text in and out, added columns, selections."""

import gzip
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.features.extraction.extract import extract
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts, phrases_of
from isogloss.features.table.rule_texts import format_rules
from isogloss.features.table.rules import select_rules
from isogloss.features.table.selections import restrict_features, sort_rules
from isogloss.features.table.sidecar import MOSES_SCORES, columns_file
from isogloss.features.templates.apply import add_templates

TEXT = """\
casa verde ||| green house ||| 0.5 0.25 1 0.125 ||| 1-0 0-1 ||| 2 1 1 ||| A_x 1 B_y 2.5 |||
casa ||| home ||| 0.5 0.25 0.25 0.125 ||| 0-0 ||| 2 4 1 ||| |||
casa ||| house ||| 0.5 0.25 0.5 0.125 ||| 0-0 ||| 4 4 2 ||| B_y 1 |||
casa ||| the house ||| 1 0.25 0.25 0.125 ||| 0-1 ||| 1 4 1 ||| |||
"""


def written(folder: Path, text: str, name: str = "table") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path, TEXT)


@pytest.fixture
def table(path: Path) -> PhraseTable:
    return PhraseTable.load(path)


def rules(table: PhraseTable) -> list[tuple[str, str]]:
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    return [
        (source[left], target[right])
        for left, right in zip(table.rule_source, table.rule_target, strict=True)
    ]


def sparse_rows(table: PhraseTable) -> list[dict[str, float]]:
    bounds = table.sparse.offsets
    return [
        {
            table.sparse_names[table.sparse.ids[k]]: float(table.sparse.values[k])
            for k in range(bounds[row], bounds[row + 1])
        }
        for row in range(len(table))
    ]


RULES = [
    ("casa verde", "green house"),
    ("casa", "home"),
    ("casa", "house"),
    ("casa", "the house"),
]
SPARSE = [{"A_x": 1.0, "B_y": 2.5}, {}, {"B_y": 1.0}, {}]


def test_columns(table: PhraseTable) -> None:
    assert RULES == rules(table)
    assert MOSES_SCORES == table.score_names
    np.testing.assert_array_equal(
        [
            [0.5, 0.25, 1.0, 0.125],
            [0.5, 0.25, 0.25, 0.125],
            [0.5, 0.25, 0.5, 0.125],
            [1.0, 0.25, 0.25, 0.125],
        ],
        table.scores,
    )
    np.testing.assert_array_equal([[2, 1, 1], [2, 4, 1], [4, 4, 2], [1, 4, 1]], table.counts)
    assert [256, 1, 0, 0, 1] == table.links.ids.tolist()
    assert [0, 2, 3, 4, 5] == table.links.offsets.tolist()
    assert SPARSE == sparse_rows(table)


def test_text_round_trip(table: PhraseTable, tmp_path: Path) -> None:
    table.save(tmp_path / "again")
    assert TEXT == (tmp_path / "again").read_text()


@pytest.mark.parametrize("name", ["again", "again.gz", "again.zst"])
def test_score_names_go_to_a_sidecar(table: PhraseTable, tmp_path: Path, name: str) -> None:
    more = table.with_scores(["rank", "DomainLex.law"], np.arange(1.0, 9.0).reshape(4, 2))
    more.save(tmp_path / name)
    assert tmp_path / "again.columns.json" == columns_file(tmp_path / name)
    again = PhraseTable.load(tmp_path / name)
    assert (*MOSES_SCORES, "rank", "DomainLex.law") == again.score_names
    np.testing.assert_array_equal(more.scores, again.scores)


def test_gz_holds_the_same_text(table: PhraseTable, tmp_path: Path) -> None:
    table.save(tmp_path / "again.gz")
    assert TEXT == gzip.decompress((tmp_path / "again.gz").read_bytes()).decode()


def test_names_without_a_sidecar(tmp_path: Path) -> None:
    table = PhraseTable.load(written(tmp_path, "a ||| b ||| 1 2 3 4 5 6 ||| ||| |||\n"))
    assert (*MOSES_SCORES, "score.4", "score.5") == table.score_names
    table = PhraseTable.load(written(tmp_path, "a ||| b ||| 1 2\n"))
    assert ("p(f|e)", "lex(f|e)") == table.score_names
    assert [[0.0, 0.0, 0.0]] == table.counts.tolist()


# what a token may hold: no ASCII blank, no control, not the field separator, nor a byte order mark,
# which is dropped where a file begins
tokens = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="|\ufeff"),
    min_size=1,
    max_size=3,
)
sentences = st.lists(tokens, min_size=1, max_size=4)


def twice_written(table: PhraseTable, folder: Path) -> tuple[bytes, bytes]:
    table.save(folder / "one")
    PhraseTable.load(folder / "one").save(folder / "two")
    return (folder / "one").read_bytes(), (folder / "two").read_bytes()


def small_table(source: list[str], target: list[str]) -> PhraseTable:
    bitext = Bitext.unlabeled(Corpus.from_sentences([source]), Corpus.from_sentences([target]))
    links = [(k, k) for k in range(min(len(source), len(target)))]
    return add_templates(
        extract(bitext, Links.from_pairs([links]), ExtractionOptions(3, moses_precision=False)),
        ["pt", "al"],
    )


@settings(max_examples=25)
@given(sentences, sentences)
def test_round_trip_of_words_in_any_script(source: list[str], target: list[str]) -> None:
    with TemporaryDirectory() as folder:
        one, two = twice_written(small_table(source, target), Path(folder))
        assert one == two


@pytest.mark.parametrize("word", ["\u00a0", "x\u00a0", "1\u00a0000", "\u3000", "a\u2028b", "\x85"])
def test_round_trip_of_words_with_other_blanks(word: str, tmp_path: Path) -> None:
    # isogloss.align.text.readers splits at blanks and tabs only and keeps these as parts of words
    one, two = twice_written(small_table([word, "b"], [word, "y"]), tmp_path)
    assert one == two


def test_round_trip_of_bars_inside_words(tmp_path: Path) -> None:
    # isogloss.align.text.readers forbids the token ||| alone
    one, two = twice_written(small_table(["a", "b"], ["x|||y", "z"]), tmp_path)
    assert one == two


def test_filter_by_sources(path: Path) -> None:
    table = PhraseTable.load(path, sources=frozenset(["casa", "perro"]))
    assert RULES[1:] == rules(table)
    assert SPARSE[1:] == sparse_rows(table)


def test_limit_keeps_the_most_probable_of_each_source(path: Path) -> None:
    # p(e|f) of casa: home 0.25, house 0.5, the house 0.25
    best = PhraseTable.load(path, table_limit=1)
    assert [RULES[0], RULES[2]] == rules(best)
    assert [SPARSE[0], SPARSE[2]] == sparse_rows(best)
    assert RULES[:3] == rules(PhraseTable.load(path, table_limit=2))


def test_unsorted_file_is_brought_together_by_source(tmp_path: Path) -> None:
    lines = TEXT.splitlines(keepends=True)
    mixed = "".join([lines[1], lines[0], lines[3], lines[2]])
    table = PhraseTable.load(written(tmp_path, mixed))
    assert [RULES[1], RULES[3], RULES[2], RULES[0]] == rules(table)
    assert [SPARSE[1], SPARSE[3], SPARSE[2], SPARSE[0]] == sparse_rows(table)
    assert [1, 1, 2, 1] == table.counts[:, 2].tolist()
    assert [0, 1, 0, 256, 1] == table.links.ids.tolist()


def test_with_scores(table: PhraseTable) -> None:
    more = table.with_scores(["x"], np.array([[1.0], [2.0], [3.0], [4.0]]))
    assert (*MOSES_SCORES, "x") == more.score_names
    np.testing.assert_array_equal(table.scores, more.scores[:, :4])
    assert [1.0, 2.0, 3.0, 4.0] == more.scores[:, 4].tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_are_finite(table: PhraseTable, bad: float) -> None:
    with pytest.raises(ValueError, match="scores must be finite"):
        table.with_scores(["x"], np.array([[1.0], [2.0], [bad], [4.0]]))


def test_with_sparse_appends_to_each_row(table: PhraseTable) -> None:
    rows = Ragged.from_rows([[(1, 3.0)], [(0, 4.0), (1, 5.0)], [(0, 6.0)], []])
    more = table.with_sparse(["C_0", "C_1"], rows)
    assert ("A_x", "B_y", "C_0", "C_1") == more.sparse_names
    assert [0, 1, 3, 2, 3, 1, 2] == more.sparse.ids.tolist()
    assert [0, 3, 5, 7, 7] == more.sparse.offsets.tolist()
    assert [
        {"A_x": 1.0, "B_y": 2.5, "C_1": 3.0},
        {"C_0": 4.0, "C_1": 5.0},
        {"B_y": 1.0, "C_0": 6.0},
        {},
    ] == sparse_rows(more)


def test_restrict_features(table: PhraseTable) -> None:
    less = restrict_features(table, ["p(e|f)", "p(f|e)"])
    assert ("p(e|f)", "p(f|e)") == less.score_names
    assert [[1.0, 0.5], [0.25, 0.5], [0.5, 0.5], [0.25, 1.0]] == less.scores.tolist()
    assert ((), [{}, {}, {}, {}]) == (less.sparse_names, sparse_rows(less))
    assert RULES == rules(less)


def test_select_rules(table: PhraseTable) -> None:
    less = select_rules(table, np.array([0, 2]))
    assert [RULES[0], RULES[2]] == rules(less)
    assert [SPARSE[0], SPARSE[2]] == sparse_rows(less)
    assert [256, 1, 0] == less.links.ids.tolist()
    assert [0, 2, 3] == less.links.offsets.tolist()
    np.testing.assert_array_equal(table.scores[[0, 2]], less.scores)
    np.testing.assert_array_equal(table.counts[[0, 2]], less.counts)


def test_rules_are_sorted_by_source(table: PhraseTable) -> None:
    with pytest.raises(ValueError, match="rules must be sorted by source phrase"):
        select_rules(table, np.array([2, 0]))


def test_phrases_of_an_input() -> None:
    assert {"a", "b", "c", "a b", "b c"} == phrases_of([["a", "b", "c"], []], max_length=2)


# lines as Moses, older versions of it and other programs write them
FORMS = [
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| |||\n",
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1 |||\n",
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1\n",
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 ||| |||\n",
    "a ||| b ||| 1 0.5 ||| 0-0\n",
    "a ||| b ||| 1 0.5\n",
    "a ||| b ||| 1 0.5 ||| ||| 3 2 1 ||| |||\n",
    "a ||| b ||| 1 0.5 |||  ||| 3 2 1 |||  |||\n",
    "a ||| b ||| 1 0.5 ||| ||| ||| |||\n",
    "a ||| haus|NN das|ART ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| dom_x 1 |||\n",
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| A_x 0.12345678 B_y 1 |||\n",
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| ||| {{Tree [X [a  b]]}} {{X 1.50}}\n",
    "a ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| A_x 1 ||| {{Tree x}} |||\n",
    "a ||| b ||| 0.12345678901 5e-01 ||| 0-0 ||| 3.50 2.0 1 ||| |||\n",
    "a  ||| b ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| |||\n",
    "a\t||| b ||| 1 0.5 \n",
]


@pytest.mark.parametrize("line", FORMS)
def test_what_is_not_changed_is_written_as_it_stands(tmp_path: Path, line: str) -> None:
    table = PhraseTable.load(written(tmp_path, line + line.replace("a", "c", 1)))
    target = "haus|NN das|ART" if "haus" in line else "b"
    assert [("a", target), ("c", target)] == rules(table)
    np.testing.assert_array_equal(table.scores[:, 1], [0.5, 0.5])
    table.save(tmp_path / "again")
    assert line + line.replace("a", "c", 1) == (tmp_path / "again").read_text()
    select_rules(table, np.array([1])).save(tmp_path / "again")
    assert line.replace("a", "c", 1) == (tmp_path / "again").read_text()


def test_fields_that_lines_lack(tmp_path: Path) -> None:
    text = (
        "a ||| b ||| 1 0.5\na ||| c ||| 1 0.5 ||| 0-0\na ||| d ||| 1 0.5 ||| ||| 3 2\n"
        "a ||| e ||| 1 0.5 ||| 0-0 ||| 3 2 1 ||| A_x 1 ||| {{p}}\n"
    )
    table = PhraseTable.load(written(tmp_path, text))
    assert [[0, 0, 0], [0, 0, 0], [3, 2, 0], [3, 2, 1]] == table.counts.tolist()
    assert [0, 0, 1, 1, 2] == table.links.offsets.tolist()
    assert [{}, {}, {}, {"A_x": 1.0}] == sparse_rows(table)
    assert table.properties is not None
    assert ["", "", "", "{{p}}"] == table.properties.tolist()


DIGITS = "a ||| b ||| 0.1234567890 5e-1 ||| 00-0 ||| 7.0 2 ||| A_x 0.12345678 ||| {{p  q}}\n"


def test_what_is_changed_leaves_the_rest_in_its_digits(tmp_path: Path) -> None:
    table = PhraseTable.load(written(tmp_path, DIGITS))
    more = table.with_scores(["x"], np.array([[1 / 3]])).with_sparse(
        ["C_z"], Ragged.from_rows([[(0, 2.0)]])
    )
    assert [
        "a ||| b ||| 0.1234567890 5e-1 0.333333 ||| 00-0 ||| 7.0 2 ||| A_x 0.12345678 C_z 2 ||| "
        "{{p  q}}"
    ] == list(format_rules(more))
    less = restrict_features(more, ["x", "lex(f|e)"])
    assert ["a ||| b ||| 0.333333 5e-1 ||| 00-0 ||| 7.0 2 ||| ||| {{p  q}}"] == list(
        format_rules(less)
    )


def test_values_that_change_are_shown_anew(tmp_path: Path) -> None:
    text = DIGITS + DIGITS.replace("b", "c")
    table = PhraseTable.load(written(tmp_path, text))
    scores, counts = table.scores.copy(), table.counts.copy()
    scores[1, 0], counts[0, 2] = 0.25, 4.0
    other = replace(table, scores=scores, counts=counts, links=Ragged.empty(2))
    assert [
        "a ||| b ||| 0.1234567890 5e-1 ||| ||| 7 2 4 ||| A_x 0.12345678 ||| {{p  q}}",
        "a ||| c ||| 0.25 5e-1 ||| ||| 7.0 2 ||| A_x 0.12345678 ||| {{p  q}}",
    ] == list(format_rules(other))
    # features before those of the file: all of them are shown anew
    other = replace(table, sparse_names=("B_y",))
    assert "a ||| b ||| 0.1234567890 5e-1 ||| 00-0 ||| 7.0 2 ||| B_y 0.123457 ||| {{p  q}}" == next(
        format_rules(other)
    )


def test_text_is_not_kept_where_it_is_not_wanted(tmp_path: Path) -> None:
    table = PhraseTable.load(written(tmp_path, DIGITS), keep_text=False)
    assert table.origin is None
    assert ["a ||| b ||| 0.123457 0.5 ||| 0-0 ||| 7 2 0 ||| A_x 0.123457 ||| {{p  q}}"] == list(
        format_rules(table)
    )


def test_zero_is_written_as_decoders_take_it(table: PhraseTable, tmp_path: Path) -> None:
    more = table.with_scores(["x"], np.array([[0.0], [1.0], [1.0], [1.0]]))
    more.save(tmp_path / "again")
    again = PhraseTable.load(tmp_path / "again")
    np.testing.assert_allclose(np.log(again.scores[0, 4]), -100.0, rtol=1e-6)


def test_a_score_below_zero_is_not_written(table: PhraseTable, tmp_path: Path) -> None:
    more = table.with_scores(["x"], np.array([[1.0], [1.0], [-2.0], [1.0]]))
    with pytest.raises(DataError, match="the score x of rule 3 is -2; expected scores above 0,"):
        more.save(tmp_path / "again")
    assert not list(tmp_path.glob("again*"))


def test_a_table_without_scores_is_not_written(table: PhraseTable, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no score remains; expected at least one score per rule"):
        restrict_features(table, []).save(tmp_path / "again")


def test_an_unsorted_table_is_sorted_before_it_is_written(tmp_path: Path) -> None:
    lines = [line + "\n" for line in TEXT.splitlines()]
    mixed = "".join([lines[3], lines[0], lines[2], lines[1]]).replace("0.25", "0.250")
    table = PhraseTable.load(written(tmp_path, mixed))
    with pytest.raises(DataError, match="the source phrase 'casa verde' follows 'casa'; expected"):
        table.save(tmp_path / "again")
    assert not (tmp_path / "again").exists()
    in_order = sort_rules(table)
    assert RULES == rules(in_order)
    in_order.save(tmp_path / "again")
    assert TEXT.replace("0.25", "0.250") == (tmp_path / "again").read_text()
    without = sort_rules(replace(table, origin=None))
    assert TEXT.splitlines() == list(format_rules(without))


def test_properties_have_one_text_per_rule(table: PhraseTable) -> None:
    with pytest.raises(ValueError, match="properties must have one string per rule"):
        replace(table, properties=np.array(["x"], np.object_))
