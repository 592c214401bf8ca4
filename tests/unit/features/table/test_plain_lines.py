"""Lines that a kernel reads, against the parser in Python, which reads all."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.features.table.columns import RuleFault
from isogloss.features.table.formats import MOSES, RuleColumns, TableFormat
from isogloss.features.table.grammars import TABLE_FORMATS
from isogloss.features.table.plain_lines import PlainParser, PlainRules, SourceFilter
from tests.tiers import examples

SCORES = ["1", "0.5", "2.718", ".5", "5.", "+1", "1e-05", "1E2", "0.333333", "1.23457e-18"]
ODD_NUMBERS = [
    "1e-30", "4.9e-324", "1.7976931348623157e308", "0.1234567890123456789", "9007199254740993",
    "123456789012345678901234567890", "1e22", "1e23", "3.72008e-44", "0", "-0", "-0.5", "1e999",
    "nan", "inf", "-inf", "Infinity", "x", "1_0", "١", "1e", "e1", ".", "+", "0x1", "1e0000000001",
    "1\x0c", "1\u00a0",
]  # fmt: skip
WORDS = [
    "a", "b", "the", "é", "語", "\U0001f600", "|", "||", "||||", "a|||", "|||a", "a|||b", "1",
    "0-0", "A_x", "\x01", "\x0b", "\x85", "\u00a0", "\u2028", "&#124;",
]  # fmt: skip
LINKS = ["0-0", "1-0", "0-1", "12-3", "00-01", "7-255"]
ODD_LINKS = ["0", "0-", "-0", "0-256", "256-0", "0-x", "0-0-0", "99999999-0", "0-0,1-1", "١-0"]
ENTRIES = ["A_x 1", "B_é -0.25", "_ 1e-30", "A_x 2", "C_|||_d 3.4e38", "D_1_2 0.1"]
ODD_ENTRIES = ["A_x", "Ax 1", "A_x y", "A_x nan", "A_x 1e39", "A_x 1e400", "1 A_x", "A_x 1 1"]

phrase = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


def some(texts: list[str], least: int = 0, most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(texts), min_size=least, max_size=most).map(" ".join)


def fields(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """The fields of a line, of which those after the third may be missing."""
    return st.tuples(st.tuples(*parts), st.integers(3, len(parts))).map(
        lambda drawn: list(drawn[0][: drawn[1]])
    )


plain_line = fields(
    phrase, phrase, some(SCORES, 2, 2), some(LINKS), some(["1", "2.5", "0", "1e3"]), some(ENTRIES),
    st.just(""),
).map(" ||| ".join)  # fmt: skip
odd_line = fields(
    phrase | st.just(""), phrase | st.just(""), some(SCORES + ODD_NUMBERS), some(LINKS + ODD_LINKS),
    some(ODD_NUMBERS, most=5), some(ENTRIES + ODD_ENTRIES), st.sampled_from(["", "{{x  y}}"]),
    st.just(""), some(["", "x"]),
).map(" ||| ".join)  # fmt: skip


@st.composite
def changed_lines(draw: st.DrawFn) -> str:
    """A line in which something was put in, taken away or repeated."""
    text = draw(plain_line | odd_line)
    for _ in range(draw(st.integers(0, 3))):
        begin = draw(st.integers(0, len(text)))
        end = min(begin + draw(st.integers(0, 3)), len(text))
        piece = draw(
            st.sampled_from(["", " ", "  ", "\t", "\r", "|||", " ||| ", "|", "0", "-", "é"])
        )
        text = text[:begin] + piece + text[end:]
    return text


def phrases(plain: PlainRules, spans: tuple[np.ndarray, np.ndarray]) -> list[str]:
    content = plain.text.tobytes()
    bounds = zip(*(side.tolist() for side in spans), strict=True)
    return [content[begin:end].decode() for begin, end in bounds]


def check_alike(plain: PlainRules, columns: RuleColumns) -> None:
    assert phrases(plain, plain.source) == list(columns.source)
    assert phrases(plain, plain.target) == list(columns.target)
    assert plain.numbers.tobytes() == columns.scores.tobytes()
    assert plain.numbers.shape == columns.scores.shape
    assert plain.links == columns.links
    assert plain.counts.tobytes() == columns.counts.tobytes()
    names = [columns.sparse_names[number] for number in columns.sparse.ids.tolist()]
    assert phrases(plain, plain.names) == names
    assert plain.values.tobytes() == columns.sparse.values.tobytes()
    assert plain.value_offsets.tolist() == columns.sparse.offsets.tolist()
    assert columns.properties is None


def parsed(lines: list[str]) -> RuleColumns | None:
    """What the parser in Python reads; None where it finds a fault."""
    try:
        return MOSES.parse(lines)
    except RuleFault:
        return None


@examples(300)
@given(st.lists(plain_line, min_size=1, max_size=5))
@example(["a ||| b ||| 1 0.5"])
@example(["a ||| b ||| 1 0.5 |||  ||| |||"])
@example(["a  |||  b ||| 1  0.5 ||| "])
def test_plain_lines_are_read(lines: list[str]) -> None:
    plain, columns = PlainParser().parse(lines), parsed(lines)
    assert plain is not None
    assert columns is not None
    check_alike(plain, columns)


@examples(600)
@given(st.lists(plain_line | changed_lines(), min_size=1, max_size=4))
@example(["a ||| b ||| 1 1 ||| 0-0 ||| 1 1 1 1"])
@example(["a ||| b ||| 1 1 ||| 0-0 ||| 1 1 1 ||| ||| ||| |||"])
@example(["a ||| b ||| 1 1", ""])
def test_what_is_read_is_what_the_parser_in_python_reads(lines: list[str]) -> None:
    plain = PlainParser().parse(lines)
    if plain is None:
        return
    columns = None
    try:
        MOSES.scale.check(plain.numbers)
    except RuleFault as fault:
        with pytest.raises(RuleFault, match=r"^score") as caught:
            MOSES.parse(lines)
        assert (fault.row, fault.seen) == (caught.value.row, caught.value.seen)
    else:
        columns = parsed(lines)
        assert columns is not None
        check_alike(plain, columns)


@pytest.mark.parametrize(
    "line",
    [
        "a ||| b", "a ||| b |||", "a ||| ||| 1 1", "||| b ||| 1 1", "a b  c ||| b ||| 1 1",
        "a ||| b ||| 1 1 ||| 0-0 ||| 1 1 1 ||| ||| {{x}}", "a\tb ||| c ||| 1 1", "",
        "a ||| b ||| 1 nan", "a ||| b ||| 1 1_0", "a ||| b ||| 1 1 ||| 0-0 ||| 1 1 1 ||| A_x 1e39",
        "a ||| b ||| 1 1\r", "a ||| b ||| 1 1 1", "a ||| b ||| 1 1 ||| 0-256",
        "a ||| b ||| 1 1 ||| ||| 1 1 1 ||| Ax 1", "a ||| b ||| 1 1 ||| ||| 1 1 1 ||| A_x",
    ],
)  # fmt: skip
def test_lines_left_to_the_parser_in_python(line: str) -> None:
    good = "a ||| b ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| |||"
    parser = PlainParser()
    assert parser.parse([good, good]) is not None
    assert parser.parse([good, line, good]) is None


def test_room_that_was_used_for_other_lines() -> None:
    parser = PlainParser()
    many = [f"a ||| b{k} ||| 1 1e-30 ||| 0-0 1-1 ||| 1 2 3 ||| A_x {k}" for k in range(50)]
    for lines in (many, ["é ||| c ||| 2 ||| ||| 5"], many[:7]):
        plain, columns = parser.parse(lines), parsed(lines)
        assert plain is not None
        assert columns is not None
        check_alike(plain, columns)


@examples(400)
@given(
    st.lists(plain_line | changed_lines(), min_size=1, max_size=6),
    st.sampled_from([MOSES, TABLE_FORMATS["cdec"]]),
    st.data(),
)
def test_lines_are_chosen_as_python_chooses_them(
    lines: list[str], format: TableFormat, data: st.DataObject
) -> None:
    """By source phrases of the lines, and by others that are almost these."""
    texts = [format.source(line) for line in lines]
    almost = [text[:-1] for text in texts] + [f"{text} " for text in texts] + ["", "a ||| b"]
    sources = data.draw(st.frozensets(st.sampled_from(texts + almost)))
    block = "\n".join(lines).encode()
    rows, chosen = SourceFilter(sources, format, few=0).choose(block, len(lines))
    assert rows == [row for row, text in enumerate(texts) if text in sources]
    assert chosen == [lines[row] for row in rows]
