"""extract with little memory, and with input that it refuses."""

import gzip

import pytest

from isogloss.align.files.outputs import sole_writer
from isogloss.features.extraction.reordering import ADAGRAD_PRO
from tests.cli.tables.small_text import (
    MANY_OPTIONS,
    contents,
    run,
    write,
)
from tests.naive.disk import no_file_above


def test_memory_changes_no_byte(long_text):
    for size in ("1M", "1G"):
        run(long_text, *MANY_OPTIONS, "--max-memory", size, output=f"{size}/table.gz")
    written = [contents(long_text / size) for size in ("1M", "1G")]
    by_name = [{path.name: data for path, data in files.items()} for files in written]
    assert by_name[0] == by_name[1]
    assert len(by_name[0]) == 4
    text = gzip.decompress(by_name[0]["table.gz"])
    assert text.count(b"\n") > 3 * 1024  # two thousand phrase pairs fit into a part
    assert b"||| dom_it 1 dom_law 1 |||" in text


def test_parts_wait_in_the_given_folder(long_text, tmp_path, capsys):
    (tmp_path / "scratch").mkdir()
    run(long_text, "--max-memory", "1M", "--tmpdir", tmp_path / "scratch")
    assert list((tmp_path / "scratch").iterdir()) == []
    before = contents(tmp_path)
    run(long_text, "--tmpdir", tmp_path / "none", status=1)
    assert f"{tmp_path / 'none'} cannot be written: No such file" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_no_room(long_text, capsys):
    run(long_text, "--lexical", long_text / "lex", "--dense", "-q")
    before = contents(long_text)
    for more in (["--max-memory", "1M"], []):
        with no_file_above(5000):
            run(long_text, "--lexical", long_text / "lex", "--dense", "-q", *more, status=1)
        assert "cannot be written: File too large" in capsys.readouterr().err
        assert contents(long_text) == before


BAD = [
    (["--smoothing", "laplace"], 2, "--smoothing must be one of none, good-turing, "),
    (["--max-phrase-length", "9"], 2, "--max-phrase-length must be between 1 and 8, got 9"),
    (["--max-memory", "9K"], 2, "--max-memory must be at least 1048576 bytes, got 9216"),
    (["--domain-smoothing", "0"], 2, "--domain-smoothing must be above 0 and at most 1e12, got"),
    (["--reordering-smoothing", "-1"], 2, "--reordering-smoothing must be between 0 (none) and"),
    (["--reordering", "msd"], 2, "reordering model 'msd': the name does not have four parts"),
    (["--count-bins", "2,1"], 2, "limits of count bins must be increasing integers from 1"),
    (["--count-features", "Rules"], 2, "count feature 'Rules'; expected one of RuleCount"),
    (["--label-features", "ratio"], 2, "--label-features has no effect without --labels"),
    (["--labels", "labels"], 2, "--labels has no effect without --label-features"),
    (["--labels", "labels", "--label-features", "ratio", "--label-features", "ratio"], 2,
     "label features must be unique, got ratio, ratio"),
    (["--model", "m", "--domain-posteriors", "posteriors"], 2,
        "--domain-posteriors and --model exclude each other"
    ),
    (["--reordering", ADAGRAD_PRO, "--reordering", ADAGRAD_PRO], 2,
     f"table.reordering.{ADAGRAD_PRO} is used for two outputs"),
    (["--domain-posteriors", "weights"], 1,
     "weights: the file has 4 lines; expected 5: domain names,"),
    (["--instance-weights", "posteriors"], 1, "posteriors: the file has 5 weights; expected 4"),
    (["--instance-weights", "labels"], 1,
     "labels, line 1: the line 'law' is malformed; expected one weight per line"),
    (["--labels", "posteriors", "--label-features", "ratio"], 1, "5 labels; expected 4"),
    (["--model", "none"], 1, "none"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "status", "message"), BAD)
def test_errors_leave_the_files_as_they_were(folder, options, status, message, capsys):
    more = ["--lexical", folder / "lex", "--dense"]
    bare = contents(folder)
    run(folder, *more, *options, status=status)
    assert message in capsys.readouterr().err
    assert contents(folder) == bare
    run(folder, *more)
    before = contents(folder)
    assert before.keys() > bare.keys()
    run(folder, *more, *options, status=status)
    assert contents(folder) == before


def test_files_that_are_the_same(folder, capsys):
    before = contents(folder)
    table = folder / "table"
    for options in (
        ["--reordering", f"{ADAGRAD_PRO}={table}"],
        ["--reordering", f"{ADAGRAD_PRO}={folder / 'table.columns.json'}"],
        ["--reordering", f"{ADAGRAD_PRO}={folder / 'x.e2f'}", "--lexical", folder / "x"],
    ):
        run(folder, *options, status=2)
        assert "is used for two outputs" in capsys.readouterr().err
    assert contents(folder) == before


def test_tables_beside_the_table_are_not_what_is_read(folder, capsys):
    """Nor are they written while another process writes them."""
    before = contents(folder)
    run(folder, "--reordering", f"{ADAGRAD_PRO}={folder / 'f'}", status=2)
    assert "is an input of this command" in capsys.readouterr().err
    with sole_writer(folder / "x.f2e"):
        run(folder, "--lexical", folder / "x", status=1)
    assert "another process is writing it" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            ["0-0", "0-0", "0-2", "0-0"],
            "links, line 3: link 0-2 is out of range: the sentence pair has 2 source words",
        ),
        (
            ["0-0", "0-0", "2-0", "0-0"],
            "links, line 3: link 2-0 is out of range: the sentence pair has 2 source words",
        ),
        (["0-0", "x", "0-0", "0-0"], "links, line 2: 'x' is malformed; expected links such as 0-0"),
        (["0-0"], "links: the links have 1 line; expected 4, one per sentence pair"),
    ],
)
def test_bad_links(folder, links, message, capsys):
    write(folder / "links", links)
    before = contents(folder)
    run(folder, "--lexical", folder / "lex", "--dense", status=1)
    assert message in capsys.readouterr().err
    assert contents(folder) == before


NOTHING = "no phrase pairs were extracted. Check that the text and the links are not empty"


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        (["a", "b"], ["x", "y"], ["", ""]),
        (["", ""], ["x", ""], ["", ""]),
        (["a b c"], ["x y z"], ["0-0 0-1 0-2 1-0 2-0"]),  # its one phrase pair is too long
    ],
)
def test_no_phrase_pair(folder, source, target, links, capsys):
    write(folder / "f", source)
    write(folder / "e", target)
    write(folder / "links", links)
    before = contents(folder)
    run(folder, "--max-phrase-length", "2", "--lexical", folder / "lex", "--dense", status=1)
    message = capsys.readouterr().err
    assert NOTHING in message
    assert "or raise the limit (--max-phrase-length)" in message
    assert contents(folder) == before
