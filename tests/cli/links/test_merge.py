"""isogloss merge: the outputs for parts of a text give that of the whole text, byte for byte."""

import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from isogloss import program
from isogloss.commands.links.merge import in_order

DATA = Path(__file__).resolve().parents[3] / "data"
PAIRS = 12  # so that numbers of parts have one and two digits
FORMATS = ("zst", "talp", "naacl", "tsv", "jsonl")
TABLES = ("parquet", "arrow", "scored.parquet")
FEW = ("--model1-iterations=1", "--hmm-iterations=1", "-q")
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text and a model of it."""
    folder = tmp_path_factory.mktemp("merge")
    for name in ("en", "es"):
        lines = gzip.decompress((DATA / f"train.{name}.gz").read_bytes()).splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(lines[:PAIRS]))
    sides = [f"{folder}/en", f"{folder}/es"]
    assert program.main(["train", *sides, "--model", f"{folder}/m", *FEW]) == 0
    return folder


@pytest.fixture
def text(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Arguments of `apply`, in a new folder."""
    monkeypatch.chdir(tmp_path)
    return [f"{trained}/m", f"{trained}/en", f"{trained}/es", "-q"]


def apply_parts(text: Sequence[str], ending: str, count: int = 11) -> None:
    """Write whole.ENDING and part.K.ENDING."""
    assert program.main(["apply", *text, "-o", f"whole.{ending}"]) == 0
    for part in range(1, count + 1):
        words = ["--part", f"{part}/{count}", "-o", f"part.{part}.{ending}"]
        assert program.main(["apply", *text, *words]) == 0


@pytest.mark.parametrize("ending", [*FORMATS, *TABLES])
def test_parts_give_the_bytes_of_the_whole(
    text: list[str], ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if ending in TABLES:
        pytest.importorskip("pyarrow", reason="tables need pyarrow")
    if ending.startswith("scored"):
        text = [*text, "--scores"]
    apply_parts(text, ending)
    names = sorted(map(str, Path().glob(f"part.*.{ending}")))
    assert names[1] == f"part.10.{ending}"  # the shell's order
    checked = [] if ending == "naacl" else ["--num-pairs", str(PAIRS)]
    assert program.main(["merge", *names, *checked, "-o", f"joined.{ending}"]) == 0
    assert Path(f"joined.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()
    told = capsys.readouterr().err
    assert ("lines of 11 parts" if ending == "naacl" else "12 lines of 11 parts") in told
    assert program.main(["merge", f"part.*.{ending}", "-o", f"again.{ending}", "-q"]) == 0
    assert Path(f"again.{ending}").read_bytes() == Path(f"whole.{ending}").read_bytes()
    assert capsys.readouterr().err == ""


def test_parts_without_pairs(text: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The first part of NAACL may be empty, the others may differ in lines, and have blank ones."""
    apply_parts(text, "naacl", PAIRS + 3)
    assert not Path("part.1.naacl").read_bytes()
    assert program.main(["merge", "part.*.naacl", "-o", "joined.naacl", "-q"]) == 0
    assert Path("joined.naacl").read_bytes() == Path("whole.naacl").read_bytes()
    assert capsys.readouterr().err == ""
    for part, content in (("gap.1", "1 1 1\n\n2 1 1\n"), ("gap.2", "\n3 1 1\n")):
        Path(part).write_text(content)
    assert program.main(["merge", "gap.1", "gap.2", "-o", "gaps", "-q"]) == 0
    assert Path("gaps").read_text() == "1 1 1\n\n2 1 1\n\n3 1 1\n"
    Path("none").write_bytes(b"")
    assert program.main(["merge", "none", "-o", "x", "-q", "--num-pairs", "0"]) == 0
    assert Path("x").read_bytes() == b""


def test_groups_of_rows_are_those_of_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="tables need pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isogloss.commands.links.merge.ROWS", 4)
    for part, count in enumerate([3, 0, 6, 2]):
        links = [f"{part}-{row}" for row in range(count)]
        table = arrow.table({"links": links}, arrow.schema([("links", arrow.string())]))
        parquet.write_table(table, f"{part}.parquet")
    words = ["0.parquet", "1.parquet", "2.parquet", "3.parquet", "--num-pairs", "11"]
    assert program.main(["merge", *words, "-o", "whole.parquet", "-q"]) == 0
    whole = parquet.ParquetFile("whole.parquet")
    groups = [whole.read_row_group(group) for group in range(whole.num_row_groups)]
    assert [group.column("links").to_pylist() for group in groups] == [
        ["0-0", "0-1", "0-2", "2-0"], ["2-1", "2-2", "2-3", "2-4"], ["2-5", "3-0", "3-1"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        (["p.10", "p.2", "p.1", *(f"p.{part}" for part in range(3, 10))],
         [f"p.{part}" for part in range(1, 11)]),
        (["p1-of-3", "p0-of-3", "p2-of-3"], ["p0-of-3", "p1-of-3", "p2-of-3"]),
        (["node2/part.01", "node1/part.02"], ["node1/part.02", "node2/part.01"]),
        (["news", "law"], ["news", "law"]),
        (["part.2", "law.1"], ["part.2", "law.1"]),
        (["one"], ["one"]),
    ],
)  # fmt: skip
def test_order(given: list[str], ordered: list[str]) -> None:
    assert in_order(given) == ordered


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("p.1 p.3", 1, "p.3: part 2 is missing before this one; expected all parts of the text. "
         "Run the job of part 2 again, or number the files from 1"),
        ("p.2 p.3", 1, "p.2: part 1 is missing before this one"),
        ("p.0 p.3", 1, "p.3: part 1 is missing before this one"),
        ("p.1 p.1", 1, "p.1: this part was passed twice; expected each part once"),
        ("p.1 ./p.1 p.2", 1, "p.1: this part was passed twice"),
        ("p.1 linked", 1, "linked: this part was passed twice"),
        ("p.1 p.01 p.2", 1, "p.01: p.1 has the same number; expected each part once"),
        ("p.1 other p.1", 1, "p.1: this part was passed twice"),
        ("p.1 p.2 p.3 --num-pairs 9", 1, "p.3: this part has 1 line; expected about 3, as other "
         "parts have, and 9 in all parts. Run its job again"),
        ("p.1 p.2 --num-pairs 9", 1, "all parts have 6 lines; expected 9, one for each sentence "
         "pair. Check that no part is missing, and that all are parts of this text"),
        ("p.1 p.2 --num-pairs -1", 2, "--num-pairs"),
        ("p.1 - p.2", 2, "- is a stream, and parts are read twice; pass files"),
        ("folder", 2, "folder is a folder; pass its files"),
        ("p.1 p.4", 1, "p.4 cannot be read"),
        ("json", 2, "json is a JSON object, which cannot be joined; merge links in text"),
        ("naacl --num-pairs 2", 2, "naacl is NAACL, with a line per link, so sentence pairs cannot "
         "be counted; omit --num-pairs"),
        ("later naacl", 1, "naacl, line 1: sentence 1 follows sentence 3 of later; expected parts "
         "in the order of their sentences"),
        ("naacl broken", 1, "broken, line 2: the line is '4 1'; expected a link in NAACL. Run its "
         "job again"),
        ("p.1 naacl", 1, "naacl: this part is naacl; expected pharaoh, as p.1 is"),
        ("p.1 scored", 1, "scored: this part is pharaoh with scores; expected pharaoh, as p.1 is"),
        ("p.1 values", 1, "values: this part is other text; expected pharaoh, as p.1 is"),
        ("p.1 p.2 -o x.talp", 2, "x.talp has the suffix of talp, but p.1 is pharaoh"),
        ("p.1 p.2 -o p.2", 2, "p.2 is an input of this command"),
        ("p.[12] -o p.2", 2, "p.2 is an input of this command"),
        ("short", 1, "short: the last line has no line feed; expected a complete part. Run its job "
         "again"),
        ("cut.1.gz cut.2.gz -o x.gz", 1, "cut.2.gz, line 3: the compressed file is truncated"),
    ],
)  # fmt: skip
def test_what_is_refused(
    words: str,
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("p.0", "p.1", "p.01", "p.2", "other"):
        Path(name).write_text("0-0\n\n1-0\n")
    Path("p.3").write_text("0-0\n")
    Path("json").write_text('{"format": "alignment", "records": []}\n')
    Path("naacl").write_text("1 1 1 S\n1 2 2 S\n")
    packed = gzip.compress(b"0-0\n1-1\n" + bytes(range(128, 256)).hex().encode())
    Path("later").write_text("\n\n3 1 1\n3 2 2\n".lstrip())
    Path("broken").write_text("3 1 1\n4 1\n")
    Path("scored").write_text("\n0-0:0.5 1-1:0.75\n")
    Path("values").write_text("-2.75\n-inf\n")
    Path("short").write_text("0-0\n0-0 1-")
    Path("linked").symlink_to("p.1")
    Path("folder").mkdir()
    Path("cut.1.gz").write_bytes(packed)
    Path("cut.2.gz").write_bytes(packed[:-30])
    more = [] if "-o" in words else ["-o", "out"]
    before = Path("p.2").read_bytes()
    assert program.main(["merge", *words.split(), *more]) == status
    assert said in capsys.readouterr().err
    assert not Path("out").exists()
    assert not [*Path().glob("x.*")]
    assert Path("p.2").read_bytes() == before


def test_tables_and_text_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet", reason="tables need pyarrow")
    monkeypatch.chdir(tmp_path)
    parquet.write_table(arrow.table({"links": ["0-0"]}), "1.parquet")
    parquet.write_table(arrow.table({"links": ["0-0"], "domain": ["law"]}), "2.parquet")
    Path("3.parquet").write_text("0-0\n")
    for words, status, said in (
        ("1.parquet -o x", 2, "1.parquet is a table; pass -o FILE.parquet"),
        ("1.parquet", 2, "1.parquet is a table; pass -o FILE.parquet"),
        ("3.parquet -o x.parquet", 1, "3.parquet: this is not a table; expected a Parquet or Arrow "
         "file. Run its job again"),
        ("1.parquet 4.parquet -o x.parquet", 1, "4.parquet: part 2 is missing before this one"),
        ("1.parquet 2.parquet -o x.parquet", 1,
         "2.parquet: the table has the columns links (string), domain (string); expected links "
         "(string), as in the first part"),
    ):  # fmt: skip
        assert program.main(["merge", *words.split()]) == status
        assert said in capsys.readouterr().err
        assert not Path("x").exists()
        assert not Path("x.parquet").exists()


def test_a_part_of_another_size_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for part, count in enumerate([2000, 1000, 2001], start=1):
        Path(f"p.{part}").write_text("0-0\n" * count)
    out = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(out, write_through=True))
    assert program.main(["merge", "p.1", "p.2", "p.3"]) == 0
    assert out.getvalue() == b"0-0\n" * 5001
    said = (
        "warning: p.2 has 1,000 lines, but other parts have 2,000; run its job again, or pass "
        "--num-pairs N if this is intended"
    )
    assert said in capsys.readouterr().err
    assert program.main(["merge", "p.1", "p.2", "p.3", "-o", "x", "--num-pairs", "5001"]) == 0
    assert "warning" not in capsys.readouterr().err
