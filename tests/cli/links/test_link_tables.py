"""Links in Parquet and Arrow files, out of commands and into them."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

import isogloss as ig
from isogloss.align.errors import DataError
from isogloss.align.files.tables.reading import table_rows
from isogloss.program import main

pyarrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")
from pyarrow import parquet  # noqa: E402

DATA = Path(__file__).resolve().parents[3] / "data"
COLUMNS = ("links", "probabilities", "domain", "domain_probability")
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts, labels and a model."""
    folder = tmp_path_factory.mktemp("work")
    for name in ("en", "es", "labels"):
        lines = gzip.decompress((DATA / f"train.{name}.gz").read_bytes()).splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(lines[:300]))
    options = ["--model1-iterations=1", "--hmm-iterations=1", "--labels", f"{folder}/labels"]
    assert main([
        "align", f"{folder}/en", f"{folder}/es", *options, "--model", f"{folder}/m", "-q",
        "-o", f"{folder}/first.parquet",
    ]) == 0  # fmt: skip
    return folder


def rows(path: Path) -> list[tuple[Any, ...]]:
    found = table_rows(path, COLUMNS)
    assert found is not None
    return list(found)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_table_holds_what_the_text_does(work: Path, suffix: str) -> None:
    command = ["apply", f"{work}/m", f"{work}/en", f"{work}/es", "-q"]
    assert main([*command, "--scores", "-o", f"{work}/scored.{suffix}"]) == 0
    assert main([*command, "--scores", "-o", f"{work}/scored"]) == 0
    assert main([*command, "-o", f"{work}/links.{suffix}"]) == 0
    assert main([*command, "-o", f"{work}/links"]) == 0
    assert ig.Links.load(work / f"scored.{suffix}") == ig.Links.load(work / "scored")
    assert ig.Links.load(work / f"links.{suffix}") == ig.Links.load(work / "links")
    assert main(["domains", "predict", f"{work}/m", f"{work}/en", f"{work}/es", "-q",
                 "-o", f"{work}/posteriors"]) == 0  # fmt: skip
    header, *lines = (work / "posteriors").read_text().splitlines()
    for line, (_, scores, domain, probability) in zip(
        lines, rows(work / f"links.{suffix}"), strict=True
    ):
        values = dict(zip(header.split("\t"), map(float, line.split("\t")), strict=True))
        assert scores is None
        assert values[domain] == max(values.values()) == pytest.approx(probability, abs=1e-6)


def test_align_writes_the_labels_of_labeled_pairs(work: Path) -> None:
    labels = (work / "labels").read_text().split()
    domains = [row[2] for row in rows(work / "first.parquet")]
    assert all(label in ("-", domain) for label, domain in zip(labels, domains, strict=True))


def test_every_way_to_apply_writes_the_same(
    work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    en, es = ((work / name).read_text().splitlines() for name in ("en", "es"))
    pairs = tmp_path / "pairs"
    pairs.write_text("".join(f"{a}\t{b}\n" for a, b in zip(en, es, strict=True)))
    command = ["apply", f"{work}/m"]
    assert main([*command, f"{work}/en", f"{work}/es", "-q", "-o", f"{tmp_path}/1.parquet"]) == 0
    none = tmp_path / "none"
    none.write_text("\n" * len(en))
    assert main([*command, f"{work}/en", f"{work}/es", "-q", "-o", f"{tmp_path}/2.parquet",
                 "--external-links", str(none)]) == 0  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pairs.read_bytes())))
    assert main([*command, "-", "-q", "-o", f"{tmp_path}/3.parquet"]) == 0
    one, two, three = (rows(tmp_path / f"{number}.parquet") for number in (1, 2, 3))
    assert one == three
    assert [row[2] for row in one] == [row[2] for row in two]


def test_commands_read_tables(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [f"{work}/en", f"{work}/es"]
    main(["apply", f"{work}/m", *sides, "-q", "-o", f"{work}/table.parquet"])
    main(["apply", f"{work}/m", *sides, "-q", "-o", f"{work}/text"])
    main(["apply", f"{work}/m", *sides, "-q", "-o", f"{work}/gold", "--heuristic", "union"])
    for name in ("text", "table.parquet"):
        command = ["evaluate", f"{work}/{name}", f"{work}/gold"]
        assert main(command) == 0
    tables = [line for line in capsys.readouterr().out.splitlines() if "AER" in line]
    assert len(tables) == 2
    assert len(set(tables)) == 1
    assert main(["symmetrize", f"{work}/table.parquet", f"{work}/text", "--heuristic", "union",
                 "-o", f"{work}/both.arrow"]) == 0  # fmt: skip
    assert ig.Links.load(work / "both.arrow") == ig.Links.load(work / "text")


def test_many_rows_are_groups_of_one_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("0-0\n" * 70_000)
    for number in (1, 2):
        assert main(["symmetrize", f"{tmp_path}/a", f"{tmp_path}/a",
                     "-o", f"{tmp_path}/{number}.parquet"]) == 0  # fmt: skip
    file = parquet.ParquetFile(tmp_path / "1.parquet")
    assert file.metadata.num_rows == 70_000
    assert file.metadata.row_group(0).num_rows == 65_536
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()


def test_no_rows(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    command = ["symmetrize", f"{tmp_path}/a", f"{tmp_path}/a", "-o", f"{tmp_path}/o.parquet"]
    assert main(command) == 0
    assert rows(tmp_path / "o.parquet") == []
    assert len(ig.Links.load(tmp_path / "o.parquet")) == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["retokenize", "a", "-o", "x.parquet", "--source", "a,a"],
         "this command writes no Parquet tables; give the output another suffix"),
        (["symmetrize", "a", "a", "-o", "x.parquet.gz"],
         "x.parquet.gz has a suffix that this command does not write"),
    ],
)  # fmt: skip
def test_outputs_that_are_refused(
    command: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("0-0\n")
    assert main(command) == 2
    assert message in capsys.readouterr().err
    assert [*map(str, Path().iterdir())] == ["a"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"link": ["0-0"]}, "x: the table has the columns link; expected a column links"),
        ({"links": [7]}, "x: the links in row 1 are 7; expected text"),
        ({"links": ["0-0", "1-1 2-2"], "probabilities": [[0.5], [0.5]]},
         "x: row 2 has 2 links, but 1 probability; expected a probability for each link"),
        ({"links": ["0-x"]}, "x, line 1: '0-x' is malformed"),
    ],
)  # fmt: skip
def test_bad_tables(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    parquet.write_table(pyarrow.table(columns), tmp_path / "x")
    with pytest.raises(DataError, match=message):
        ig.Links.load(tmp_path / "x")
