"""Tables as streams: blocks between source phrases, order, memory, whole files or none."""

import gzip
import io
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, OutputError, UsageError
from isogloss.features.table.formats import MOSES, TableFormat
from isogloss.features.table.grammars import table_format
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rule_texts import format_rules
from isogloss.features.table.rules import select_rules
from isogloss.features.table.sidecar import columns_file
from isogloss.features.table.stream import TableFile, read_blocks
from isogloss.features.table.write_blocks import write_blocks
from isogloss.features.templates.apply import add_templates


def line(source: str, target: str, score: str = "0.5") -> str:
    return f"{source} ||| {target} ||| {score} 0.25 ||| 0-0 ||| 2 2 1 ||| |||\n"


def written(folder: Path, lines: list[str], name: str = "table") -> Path:
    (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder / name


# of 3, 1, 2, 5 and 1 rules; ~ and é stand behind the bar, so `b ~` comes after `b`
SIZES = {"a x": 3, "a": 1, "b": 2, "b ~": 5, "é": 1}
LINES = [line(source, f"t{k}") for source, size in SIZES.items() for k in range(size)]


def sources(block: PhraseTable) -> list[str]:
    texts = phrase_texts(block.source)
    return [texts[number] for number in block.rule_source]


@pytest.mark.parametrize(
    ("rules", "sizes"),
    [
        (1, [3, 1, 2, 5, 1]),
        (2, [3, 1, 2, 5, 1]),
        (3, [3, 3, 5, 1]),
        (4, [4, 2, 5, 1]),
        (6, [6, 6]),
        (11, [11, 1]),
        (12, [12]),
        (1000, [12]),
    ],
)
@pytest.mark.parametrize("unsorted", [False, True])
def test_blocks_end_between_source_phrases(
    tmp_path: Path, rules: int, sizes: list[int], unsorted: bool
) -> None:
    path = written(tmp_path, LINES)
    blocks = list(read_blocks(path, rules=rules, unsorted=unsorted))
    assert sizes == [len(block) for block in blocks]
    assert [name for name, size in SIZES.items() for _ in range(size)] == [
        source for block in blocks for source in sources(block)
    ]
    assert "".join(LINES) == "".join(f"{x}\n" for block in blocks for x in format_rules(block))


def test_blocks_over_many_reads(tmp_path: Path) -> None:
    # 60,000 lines are more than is read at a time; some source phrases have thousands of rules
    sizes = np.random.default_rng(1).choice([1, 2, 3, 50, 9000], 400, p=[0.3, 0.3, 0.2, 0.18, 0.02])
    lines = [line(f"s{k:03d}", f"t{i}") for k, size in enumerate(sizes) for i in range(size)]
    path = written(tmp_path, lines)
    seen: list[str] = []
    for block in read_blocks(path, rules=500):
        names = sources(block)
        assert not seen or seen[-1] != names[0]
        assert len(block) <= 500 or len(set(names)) == 1
        seen += names
    assert [f"s{k:03d}" for k, size in enumerate(sizes) for _ in range(size)] == seen


@pytest.mark.parametrize(
    ("order", "fall", "phrase", "before"),
    [
        (["a", "b", "a"], 3, "a", "b"),
        (["b", "a"], 2, "a", "b"),
        (["a", "a x"], 2, "a x", "a"),  # as `sort` in most other locales puts it
        (["b ~", "b"], 2, "b", "b ~"),
        (["é", "z"], 2, "z", "é"),
    ],
)
@pytest.mark.parametrize("rules", [1, 100])
def test_a_table_sorted_otherwise(
    tmp_path: Path, order: list[str], fall: int, phrase: str, before: str, rules: int
) -> None:
    path = written(tmp_path, [line(source, f"t{k}") for k, source in enumerate(order)])
    message = (
        f"^{path}, line {fall}: the source phrase '{phrase}' follows '{before}'; expected "
        r"the order of `source \|\|\|` in the C locale. Sort .*LC_ALL=C sort.*`unsorted=True`"
    )
    with pytest.raises(DataError, match=message):
        list(read_blocks(path, rules=rules))
    in_order = [phrase for block in read_blocks(path, unsorted=True) for phrase in sources(block)]
    assert sorted(order, key=lambda text: text.encode() + b" |||") == in_order


def test_order_that_falls_between_the_parts_of_a_file(tmp_path: Path) -> None:
    lines = [line(f"s{k:05d}", "t") for k in range(40000)]
    lines.append(line("s00007", "u"))
    with pytest.raises(DataError, match="line 40001: the source phrase 's00007' follows"):
        for _ in read_blocks(written(tmp_path, lines), rules=1000):
            pass


def test_a_rule_twice_in_a_stream(tmp_path: Path) -> None:
    path = written(tmp_path, [*LINES[:9], line("b ~", "t1")])
    with pytest.raises(DataError, match=r"line 10: the rule 'b ~' \|\|\| 't1' repeats line 8;"):
        list(read_blocks(path, rules=2))


def test_line_numbers_of_rules_that_are_filtered(tmp_path: Path) -> None:
    path = written(tmp_path, [*LINES, line("ê", "t", "x")])
    with pytest.raises(DataError, match=r"line 13: the scores 'x 0\.25' contain 'x'; expected"):
        list(read_blocks(path, sources=frozenset(["b", "ê"])))
    (block,) = read_blocks(path, sources=frozenset(["b", "b ~"]))
    assert ["b", "b", "b ~", "b ~", "b ~", "b ~", "b ~"] == sources(block)


def test_mixed_numbers_of_scores(tmp_path: Path) -> None:
    lines = [line(f"s{k:05d}", "t") for k in range(30000)] + ["t ||| t ||| 1 ||| 0-0\n"]
    with pytest.raises(DataError, match="line 30001: the line has 1 score; expected 2, as in"):
        list(read_blocks(written(tmp_path, lines)))
    blocks = [next(read_blocks(written(tmp_path, [row], "x"))) for row in (lines[0], lines[-1])]
    message = r"the scores of a block are p\(f\|e\); expected p\(f\|e\), lex\(f\|e\), as in"
    with pytest.raises(DataError, match=message):
        write_blocks(blocks, tmp_path / "out")
    assert not list(tmp_path.glob("out*"))


def test_a_line_of_a_gigabyte_is_not_read_whole(tmp_path: Path) -> None:
    path = written(tmp_path, [line("a", "b"), "b ||| "])
    with path.open("ab") as stream:
        stream.truncate(1 << 30)  # a hole, which takes no room on the disk
    tracemalloc.start()
    with pytest.raises(DataError, match="line 2: the line is longer than 16777216 bytes"):
        list(read_blocks(path))
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


def test_no_rules(tmp_path: Path) -> None:
    path = written(tmp_path, [])
    with pytest.raises(DataError, match=r"the table has no rules for the input\. Check"):
        list(read_blocks(path))
    with pytest.raises(DataError, match=r"the table has no rules for the input\. Check"):
        list(read_blocks(written(tmp_path, LINES), sources=frozenset(["perro"])))
    with pytest.raises(UsageError, match="rules must be at least 1, got 0"):
        list(read_blocks(path, rules=0))
    with pytest.raises(DataError, match=r"the phrase table is empty$"):
        write_blocks([], tmp_path / "out")
    (block,) = read_blocks(written(tmp_path, LINES))
    with pytest.raises(DataError, match=r"no rule remains$"):
        write_blocks([select_rules(block, np.arange(0))], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["out", "out.gz", "out.zst"])
def test_stream_round_trip(tmp_path: Path, name: str) -> None:
    done: list[int] = []
    path = written(tmp_path, LINES)
    write_blocks(read_blocks(path, rules=3), tmp_path / name, advance=done.append)
    assert [3, 3, 5, 1] == done
    assert columns_file(tmp_path / name) == tmp_path / "out.columns.json"
    assert '"p(f|e)"' in columns_file(tmp_path / name).read_text()
    write_blocks(read_blocks(tmp_path / name), tmp_path / "again")
    assert "".join(LINES) == (tmp_path / "again").read_text(encoding="utf-8")


def test_blocks_may_have_other_sparse_names(tmp_path: Path) -> None:
    blocks = (
        add_templates(block, ["pt"]) for block in read_blocks(written(tmp_path, LINES), rules=1)
    )
    write_blocks(blocks, tmp_path / "out")
    table = PhraseTable.load(tmp_path / "out")
    assert 12 == len(table.sparse_names)
    whole = add_templates(PhraseTable.load(tmp_path / "table"), ["pt"])
    assert whole.sparse_names == table.sparse_names
    assert whole.sparse.ids.tolist() == table.sparse.ids.tolist()


def test_order_is_checked_on_writing(tmp_path: Path) -> None:
    first, *_, last = read_blocks(written(tmp_path, LINES), rules=1)
    message = r"the source phrase 'a x' follows 'é'; expected the order of `source \|\|\|` in the C"
    with pytest.raises(DataError, match=message):
        write_blocks([last, first], tmp_path / "out")
    with pytest.raises(DataError, match="the source phrase 'a x' follows 'a x'; expected the"):
        write_blocks([first, first], tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))


def failing(blocks: Iterator[PhraseTable]) -> Iterator[PhraseTable]:
    yield next(blocks)
    raise RuntimeError("stopped")


def test_nothing_is_written_half(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    (tmp_path / "out").write_text("older")
    with pytest.raises(RuntimeError, match="stopped"):
        write_blocks(failing(read_blocks(path, rules=1)), tmp_path / "out")
    assert {"table", "out"} == {file.name for file in tmp_path.iterdir()}
    assert "older" == (tmp_path / "out").read_text()
    (tmp_path / "cut.gz").write_bytes(gzip.compress("".join(LINES * 400).encode())[:-20])
    with pytest.raises(DataError, match=r"cut\.gz, line \d+: .*truncated or damaged"):
        write_blocks(read_blocks(tmp_path / "cut.gz"), tmp_path / "out")
    assert "older" == (tmp_path / "out").read_text()
    (tmp_path / "folder").touch()
    with pytest.raises(OutputError, match="cannot be written: File exists"):
        write_blocks(read_blocks(path), tmp_path / "folder" / "out")


def test_standard_input_and_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress("".join(LINES).encode())))
    monkeypatch.setattr(sys, "stdin", stdin)
    write_blocks(read_blocks("-", rules=4), "-")
    assert "".join(LINES) == capsys.readouterr().out


def test_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(
        b"\xef\xbb\xbf" + "".join(LINES).replace("\n", "\r\n").encode()
    )
    with pytest.warns(UserWarning) as caught:
        blocks = list(read_blocks(tmp_path / "table", rules=3))
    assert "".join(LINES) == "".join(f"{x}\n" for block in blocks for x in format_rules(block))
    messages = sorted(
        str(warning.message).removeprefix(f"{tmp_path}/table: ") for warning in caught
    )
    assert messages == [
        "a byte order mark was removed",
        "the carriage return at the end of 12 lines was removed (Windows line endings)",
    ]


def test_a_table_can_be_gone_through_again(tmp_path: Path) -> None:
    file = TableFile(written(tmp_path, LINES), rules=3, sources=frozenset(["a x", "é"]))
    assert [[3, 1]] * 2 == [[len(block) for block in file] for _ in range(2)]


def _with_one_more(block: PhraseTable) -> PhraseTable:
    return block.with_scores(["x"], block.scores[:, :1])


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what is held is a block of 1,000 rules and the lines that are read at a time
    monkeypatch.setattr("isogloss.align.files.text_io._TEXT_BLOCK", 1 << 14)
    peaks = []
    for number in (5_000, 20_000):
        path = tmp_path / str(number)
        path.write_text("".join(line(f"s{k // 4:06d}", f"t{k % 4}") for k in range(number)))
        tracemalloc.start()
        blocks = read_blocks(path, rules=1000)
        write_blocks((_with_one_more(block) for block in blocks), tmp_path / "out")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_forms_by_name() -> None:
    with pytest.raises(UsageError, match="format 'pharaoh'; expected one of moses, cdec, joshua"):
        table_format("pharaoh")
    with pytest.raises(UsageError, match="scale 'ln'; expected one of probability, log, -log"):
        table_format("moses", "ln")


@pytest.mark.parametrize(
    ("text", "calls", "message"),
    [
        ("\n" * 3_000_000, 10, "line 1: the line '' has 1 field; expected source ||| target |||"),
        ("a ||| b\n" * 500_000, 700_000, r"line 1: the line 'a \|\|\| b' has 2 fields; expected"),
    ],
    ids=["empty lines", "one source phrase"],
)
def test_no_line_is_looked_at_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, calls: int, message: str
) -> None:
    """Each block of a file was compared with all before it, which took minutes."""
    (tmp_path / "table").write_text(text)
    source, looked = type(MOSES).source, []

    def looked_at(self: TableFormat, line: str) -> str:
        looked.append(None)
        return source(self, line)

    monkeypatch.setattr(type(MOSES), "source", looked_at)
    with pytest.raises(DataError, match=message):
        list(read_blocks(tmp_path / "table", rules=1000))
    assert len(looked) < calls
