"""prune from outside."""

import gzip

import pytest

from isogloss import program

PAIRS = [("a b", "x y"), ("a", "x"), ("b", "y"), ("b a", "z x"), ("c", "z"), ("d", "w")]
TABLE = [
    "a ||| x ||| 0.50 0.5 0.6 1 ||| 0-0 ||| 3 3 3 |||  ||| ",  # p = 1/20
    "a ||| x y ||| 0.5 5e-1 0.3 1 ||| 0-0 0-1 ||| 1 3 1 ||| |||",  # p = 1/2
    "a ||| z ||| 0.5 0.5 0.3 1 ||| 0-0 ||| 2 3 1 ||| |||",
    "c ||| z ||| 0.1 0.5 0.9 1 ||| 0-0 ||| 2 1 1 ||| |||",  # p = 1/3
    "d ||| w ||| 0.9 0.5 0.9 1 ||| 0-0 ||| 1 1 1 ||| |||",  # p = 1/6: alpha
]


@pytest.fixture
def files(tmp_path):
    """Table, source, target, output."""
    paths = [tmp_path / name for name in ("table.gz", "f", "e", "out")]
    paths[0].write_bytes(gzip.compress("".join(f"{line}\n" for line in TABLE).encode()))
    for side, path in enumerate(paths[1:3]):
        path.write_text("".join(f"{pair[side]}\n" for pair in PAIRS), encoding="utf-8")
    return paths


def run(*arguments, status=0):
    assert program.main(["prune", *(str(argument) for argument in arguments)]) == status


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], (0, 4)),
        (["-l", "a+e"], (0,)),
        (["--significance", "1.0"], (0, 3, 4)),
        (["-l", "0", "-n", "2"], (0, 1, 3, 4)),
        (["--ratio", "0.6"], (0, 4)),
        (["-l", "0", "--min-score", "p(f|e):0.3", "--min-score", "p(e|f):0.5"], (0, 4)),
        (["-l", "0", "--min-count", "2"], (0,)),
    ],
)
def test_with_the_text(files, options, expected, capsys):
    """The lines that are kept are those of the table."""
    table, source, target, out = files
    run(table, source, target, "-o", out, *options)
    assert out.read_text("utf-8").splitlines() == [TABLE[k] for k in expected]
    shown = f"{len(expected)} of 5 rules kept ({20 * len(expected)}.0%)"
    captured = capsys.readouterr()
    assert shown in captured.err
    assert "indexing 6 sentence pairs" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-n", "1"], (0, 3, 4)),
        (["--table-limit", "2", "--rank-by", "p(f|e)"], (0, 1, 3, 4)),
        (["--ratio", "0.5"], (0, 1, 2, 3, 4)),
    ],
)
def test_without_a_text(files, options, expected, capsys):
    table, *_, out = files
    run(table, "-o", out, *options)
    assert out.read_text("utf-8").splitlines() == [TABLE[k] for k in expected]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-l", "a+e"], "2 of 3 source words lost their last rule and will be unknown to a "
         "decoder. To keep more, lower --significance (-l)\n"),
        (["-l", "a+e", "--min-count", "1", "--unseen", "drop"], "To keep more, lower "
         "--significance (-l) or --min-count, or pass --unseen keep\n"),
        (["-l", "0", "--min-score", "p(f|e):0.3"], "1 of 3 source words lost their last rule"),
        (["-l", "0", "-n", "1"], ""),
    ],
)  # fmt: skip
def test_words_that_lose_their_last_rule(files, options, said, capsys):
    table, source, target, out = files
    run(table, source, target, "-o", out, *options)
    told = capsys.readouterr().err
    assert said in told
    assert ("last rule" in told) == bool(said)


def test_ranked_by_weights(files, tmp_path):
    table, *_, out = files
    (tmp_path / "weights").write_text("p(e|f) -1\nLM0 0.5\n", encoding="utf-8")
    run(table, "-o", out, "-n", "1", "--weights", tmp_path / "weights")
    assert out.read_text("utf-8").splitlines() == [TABLE[k] for k in (1, 3, 4)]


def test_a_text_in_one_file_and_rules_of_another_text(files, tmp_path, capsys):
    table, *_, out = files
    both = tmp_path / "both.tsv"
    both.write_text("".join(f"{f}\t{e}\n" for f, e in PAIRS[:-1]), encoding="utf-8")
    run(table, both, "-o", out, status=1)
    assert not out.exists()
    message = "the text does not contain 'd' or 'w' of the rule 'd' ||| 'w'; expected"
    assert message in capsys.readouterr().err
    run(table, both, "-o", out, "--unseen", "keep", "-l", "a+e")
    assert out.read_text("utf-8").splitlines() == [TABLE[k] for k in (0, 4)]
    run(table, both, "-o", out, "--unseen", "drop", "-l", "a+e")
    assert out.read_text("utf-8").splitlines() == TABLE[:1]


def test_an_unsorted_table(files, capsys):
    table, source, target, out = files
    table.write_text("".join(f"{line}\n" for line in TABLE[::-1]), encoding="utf-8")
    run(table, source, target, "-o", out, status=1)
    assert "--unsorted" in capsys.readouterr().err
    run(table, source, target, "-o", out, "--unsorted")
    assert out.read_text("utf-8").splitlines() == [TABLE[k] for k in (0, 4)]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "a pruning criterion is missing; pass SRC TGT, --table-limit, --ratio"),
        (["-l", "a+e"], 2, "-l needs the bitext of the table; pass SRC TGT"),
        (
            ["--min-score", "0.5"],
            2,
            "--min-score must be NAME:NUMBER, such as 'p(e|f):0.001', got '0.5'",
        ),
        (
            ["--min-score", "p(e|f):x"],
            2,
            "--min-score must be NAME:NUMBER, such as 'p(e|f):0.001', got 'p(e|f):x'",
        ),
        (["--min-score", "lex:0.5"], 2, "score 'lex'; the table has p(f|e), lex(f|e)"),
        (["--ratio", "2"], 2, "--ratio must be between 0 (off) and 1, got 2.0"),
        (
            ["--min-count", "100"],
            1,
            "all 5 rules are pruned; expected at least one rule to remain. Lower",
        ),
    ],
)
def test_errors(files, options, status, message, capsys):
    table, *_, out = files
    run(table, "-o", out, *options, status=status)
    assert message in capsys.readouterr().err
    assert not out.exists()
