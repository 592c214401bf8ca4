"""Lines that are no rules, damaged files and sidecars."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.features.table import phrases
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.reading import wanted_lines
from isogloss.features.table.sidecar import columns_file
from tests.unit.features.table.test_phrase_table import TEXT, written

GOOD = "a ||| b ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| |||\n"
FORM = r"source \|\|\| target \|\|\| scores"
BARS = r".* source \|\|\| target \|\|\| scores \|\|\| i-j links \|\|\| counts \|\|\| NAME value .."
LINKS = "i-j ..., positions in source and target"
ENTRIES = "NAME value ..., an underscore in each name"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| c\n", rf"the line 'a \|\|\| c' has 2 fields; expected {FORM}"),
        ("a\n", rf"the line 'a' has 1 field; expected {FORM}"),
        ("\n", rf"the line '' has 1 field; expected {FORM}"),
        ("a ||| c ||| ||| 0-0\n", "the line has 0 scores; expected 2, as in previous lines"),
        ("a ||| c ||| 1 x ||| 0-0\n", rf"'1 x' contain 'x'; expected finite numbers: {FORM}"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| -1 1 1\n", "the counts are '-1 1 1'; expected finite"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 1 ||| X_y 1e39\n",
         "invalid sparse feature: 1e39 of 'X_y' is too large for single precision; expected NAME"),
        ("a ||| c ||| 1 1_0 ||| 0-0\n", "the scores '1 1_0' contain '1_0'; expected finite"),
        ("a ||| c ||| 1 nan ||| 0-0\n", "the scores '1 nan' contain 'nan'; expected finite"),
        ("a ||| c ||| 1 inf ||| 0-0\n", "the scores '1 inf' contain 'inf'; expected finite"),
        ("a ||| c ||| 1 1e999 ||| 0-0\n", "the scores '1 1e999' contain '1e999'; expected finite"),
        ("a ||| c ||| 1 1_0 ||| 0-0\n", "the scores '1 1_0' contain '1_0'; expected finite"),
        ("a ||| c ||| 1 \u0661 ||| 0-0\n", "the scores '1 ١' contain '١'; expected finite"),
        ("a ||| c ||| 1 ||| 0-0\n", "the line has 1 score; expected 2, as in previous lines"),
        ("a ||| c ||| 1 0 ||| 0-0\n", "a score is 0; expected scores above 0, because decoders"),
        ("a ||| c ||| 1 -0.5 ||| 0-0\n", "a score is -0.5; expected scores above 0, because"),
        ("a ||| c ||| 1 1 ||| 0\n", f"invalid links: '0'; expected {LINKS}"),
        ("a ||| c ||| 1 1 ||| 0-x\n", f"invalid links: '0-x'; expected {LINKS}"),
        ("a ||| c ||| 1 1 ||| 0-0-0 0\n", f"invalid links: '0-0-0 0'; expected {LINKS}"),
        ("a ||| c ||| 1 1 ||| 0-300\n", f"'0-300'; expected {LINKS}, between 0 and 255"),
        ("a ||| c ||| 1 1 ||| 256-0\n", f"'256-0'; expected {LINKS}, between 0 and 255"),
        ("a ||| c ||| 1 1 ||| 8388608-0\n", f"invalid links: '8388608-0'; expected {LINKS}"),
        ("a ||| c ||| 1 1 ||| 9999999-0\n", f"invalid links: '9999999-0'; expected {LINKS}"),
        ("a ||| c ||| 1 1 ||| 0-1 ||| 1 1 1 ||| |||\n",
         "link 0-1 is out of range: the rule has 1 source word and 1 target word"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 one 1\n", "the counts are '1 one 1'; expected finite"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 nan 1\n", "the counts are '1 nan 1'; expected finite"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 1 1 ||| A_x\n", f"feature: 'A_x'; expected {ENTRIES}"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 1 1 ||| A_x y\n", f"feature: y; expected {ENTRIES}"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 1 1 ||| A_x nan |||\n", "invalid sparse feature: nan;"),
        ("a ||| c ||| 1 1 ||| 0-0 ||| 1 1 1 ||| Ax 1 |||\n",
         f"feature: 'Ax' has no underscore; expected {ENTRIES}"),
        ("a ||| ||| c ||| 1 1 ||| 0-0\n", rf"scores 'c' contain 'c'.*{BARS}|a phrase is empty"),
        ("a ||| x ||| c ||| 1 1 ||| 0-0\n", rf"scores 'c' contain 'c'.*{BARS}"),
        ("a ||| x ||| c ||| 1 1 ||| ||| ||| ||| ||| {{x}}\n", BARS),
        (" ||| c ||| 1 1\n", "a phrase is empty; expected source ||| target ||| scores ||| i-j"),
        ("a ||| b ||| 1 1 ||| 0-0\n",
         r"the rule 'a' \|\|\| 'b' repeats line 1; expected unique rules. Remove one of"),
    ],
)  # fmt: skip
def test_bad_line(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path, GOOD + line)
    with pytest.raises(DataError, match=rf"^{path}, line 2: .*{message}"):
        PhraseTable.load(path)


def test_the_first_bad_line_among_many(tmp_path: Path) -> None:
    lines = [f"a ||| w{k} ||| 1 1 ||| 0-0 ||| 1 1 1 ||| |||\n" for k in range(5000)]
    lines[4321] = lines[4400] = "a ||| w ||| 1 oops ||| 0-0 ||| 1 1 1 ||| |||\n"
    with pytest.raises(DataError, match="line 4322: the scores '1 oops' contain 'oops'; expected"):
        PhraseTable.load(written(tmp_path, "".join(lines)))


def test_a_rule_that_comes_back_later(tmp_path: Path) -> None:
    lines = ["a ||| b ||| 1\n", "a ||| c ||| 1\n", "b ||| b ||| 1\n", "a ||| b ||| 0.5\n"]
    with pytest.raises(DataError, match=r"line 4: the rule 'a' \|\|\| 'b' repeats line 1;"):
        PhraseTable.load(written(tmp_path, "".join(lines)))


def test_invalid_utf8(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(GOOD.encode() + b"a ||| \xff ||| 1 1\n")
    with pytest.raises(DataError, match=rf"^{path}, line 2: byte 0xff at column 7 is not UTF-8"):
        PhraseTable.load(path)


def test_a_line_that_is_far_too_long(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "a ||| " + "x" * 5000 + "\n" + GOOD)
    with pytest.raises(DataError, match=rf"^{path}, line 2: the line is longer than 999"):
        list(wanted_lines(path, longest=999))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path, TEXT)


def test_no_rule_left(path: Path) -> None:
    with pytest.raises(
        DataError, match=rf"^{path}: the table has no rules for the input.*right table"
    ):
        PhraseTable.load(path, sources=frozenset(["perro"]))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        PhraseTable.load(tmp_path / "none")


def test_damaged_archive(path: Path, tmp_path: Path) -> None:
    (tmp_path / "table.gz").write_bytes(gzip.compress(TEXT.encode())[:40])
    with pytest.raises(DataError, match=r"table\.gz, line \d+: .*truncated or damaged"):
        PhraseTable.load(tmp_path / "table.gz")


def test_an_archive_cut_inside_a_line(tmp_path: Path) -> None:
    # what is left of the last line is no fault of the table
    lines = "".join(f"a ||| w{k} ||| 1 1 ||| 0-0\n" for k in range(3000))
    packed = gzip.compress(lines.encode())
    (tmp_path / "table.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match=r"table\.gz, line \d{3,}: .*truncated or damaged"):
        PhraseTable.load(tmp_path / "table.gz")


def test_sidecar_with_another_number_of_names(path: Path) -> None:
    columns_file(path).write_text('{"scores": ["p", "q"]}')
    with pytest.raises(
        DataError, match=r"columns.json: the file has 2 column names, but the table"
    ):
        PhraseTable.load(path)


def test_sidecar_with_a_name_of_a_sparse_feature(path: Path) -> None:
    columns_file(path).write_text('{"scores": ["p", "q", "r", "s_t"]}')
    with pytest.raises(DataError, match=r"columns.json: the name 's_t' contains an underscore;"):
        PhraseTable.load(path)


@pytest.mark.parametrize("name", ["=", "a=", "a=b", "|||", "#", "{a"])
def test_names_of_scores_that_weights_cannot_have(path: Path, tmp_path: Path, name: str) -> None:
    table = PhraseTable.load(path)
    names = ["p", "q", "r", name]
    columns_file(path).write_text(json.dumps({"scores": names}))
    told = rf"the name '{re.escape(name)}' is invalid; expected printable names .* Rename the score"
    with pytest.raises(DataError, match=rf"columns\.json: {told}"):
        PhraseTable.load(path)
    with pytest.raises(DataError, match=rf"again: {told}"):
        replace(table, score_names=tuple(names)).save(tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("text", ["{", "{}", "[]"])
def test_damaged_sidecar(path: Path, text: str) -> None:
    columns_file(path).write_text(text)
    with pytest.raises(DataError, match=r"columns\.json"):
        PhraseTable.load(path)


@pytest.mark.parametrize("few", [0, 700, 10_000])
def test_tables_are_the_same_by_kernel_and_by_dictionary(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f"w{k // 3} x ||| é{k % 7} v{k} ||| 0.{k % 9 + 1} 1e-3 ||| 0-0 ||| 2 1 1 ||| A_{k % 5} 0.5"
        for k in range(3000)
    ]
    path = tmp_path / "table"
    path.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    wanted = PhraseTable.load(path)
    monkeypatch.setattr(phrases, "FEW", few)
    found = PhraseTable.load(path)
    assert [str(rule) for rule in found] == [str(rule) for rule in wanted]
    assert len(found) == 3000


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n", 1), (GOOD + "\n", 2), (GOOD * 3 + "\n" + GOOD, 4), ("\n" * 3_000_000, 1)],
    ids=range(4),
)
def test_empty_lines_are_errors_whatever_is_looked_for(
    tmp_path: Path, text: str, line: int
) -> None:
    """Of a table for some source phrases, too, and at once: archives may hold millions."""
    (tmp_path / "table").write_text(text)
    for sources in (None, frozenset({"a"}), frozenset({"z"})):
        with pytest.raises(
            DataError, match=rf"table, line ({line}: the line '' has 1 field|2: the rule 'a')"
        ):
            PhraseTable.load(tmp_path / "table", sources=sources)
    lines = list(wanted_lines(tmp_path / "table", sources=frozenset({"z"})))
    assert lines[0] == ([line], [""])
