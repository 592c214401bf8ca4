"""Lists as fairseq prints them."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.types import NBest, read_nbest

LOG = """\
2023-01-01 00:00:00 | INFO | fairseq_cli.generate | loading
S-1\tla casa
T-1\tthe house
H-1\t-0.5\tthe house
D-1\t-0.5\tThe house
P-1\t-0.25 -0.25 -1.0
H-1\t-1\ta house
D-1\t-1\tA house
P-1\t-0.5 -0.5 -2
I-1\t4
S-0\tsí
T-0\tyes
H-0\t-0.25\t
D-0\t-0.25\t
P-0\t-0.25
2023-01-01 00:00:01 | INFO | fairseq_cli.generate | Translated 2 sentences
Generate test with beam=5: BLEU4 = 10.0
"""


def read(folder: Path, text: str, *fields: str) -> NBest:
    (folder / "log").write_text(text)
    return read_nbest([folder / "log"], fields=RecordFields.parse(fields))


def test_a_log(tmp_path: Path) -> None:
    lists = read(tmp_path, LOG)
    assert ["", "the house", "a house"] == list(lists.texts)
    assert [0, 1, 3] == lists.sentence_offsets.tolist()
    assert ("score", "logprob", "length") == lists.space.names
    assert [-0.25, -0.25, 1, -0.5, -1.5, 3, -1, -3, 3] == lists.rows.values.tolist()
    assert lists.references is not None
    assert [["yes"], ["the house"]] == [lists.references.of(k) for k in range(2)]
    assert ["sí", "la casa"] == list(lists.sources or ())


def test_detokenized_hypotheses_have_other_references(tmp_path: Path) -> None:
    lists = read(tmp_path, LOG, "text=D")
    assert (["", "The house", "A house"], None) == (list(lists.texts), lists.references)
    assert read(tmp_path, LOG, "text=D", "refs=T").references is not None


def test_lines_without_numbers(tmp_path: Path) -> None:
    """As in 2018: what comes after a source belongs to it."""
    text = "| loading\nS\tla casa\nO\tla casa\nH\t-0.5\tthe house\nP\t-0.25 -0.5\nH\t-1\ta house\n"
    lists = read(tmp_path, f"{text}P\t-1 -1\nO\tsí\nH\t-0.25\tyes\nP\t-2\n")
    assert ["the house", "a house", "yes"] == list(lists.texts)
    assert [0, 2, 3] == lists.sentence_offsets.tolist()
    assert ["la casa", "sí"] == list(lists.sources or ())
    assert [-0.5, -0.75, 2, -1, -2, 2, -0.25, -2, 1] == lists.rows.values.tolist()


def test_what_may_be_missing(tmp_path: Path) -> None:
    """fairseq-interactive knows no references, and P- and D- can be left out."""
    lists = read(tmp_path, "S-0\ta\nW-0\t0.1\tseconds\nH-0\t-1\tx\nS-1\tb\nH-1\t-2\ty\n")
    assert (["x", "y"], ("score",)) == (list(lists.texts), lists.space.names)
    assert lists.references is None


def test_records_across_blocks(tmp_path: Path) -> None:
    """A sentence whose lines are read in two pieces, or in thousands, is one."""
    hypotheses = [f"H-0\t{-k}\tword{k} " + "x" * 997 for k in range(4000)]
    lists = read(tmp_path, "\n".join(["S-0\ta", *hypotheses, "S-1\tb", "H-1\t0\tend", ""]))
    assert [0, 4000, 4001] == lists.sentence_offsets.tolist()
    assert [-float(k) for k in range(4000)] == lists.rows.values.tolist()[:4000]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "H-1\t-0.5\tthe house",
            "H-1\tthe house",
            4,
            "'H-1.*': a score and a hypothesis, separated by a tab, are",
        ),
        ("H-1\t-0.5\t", "H-1\tx\t", 4, "'H-1.*; expected H-ID, a score and a hypothesis"),
        ("P-0\t-0.25", "P-0\t-0.25 nan", 15, "'P-0.*; expected H-ID"),
        ("H-0\t-0.25\t\nD-0\t-0.25\t\n", "", 13, r"'P-0.*': no hypothesis \(H-\) precedes it"),
    ],
)
def test_lines_that_cannot_be_read(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in LOG
    with pytest.raises(DataError, match=f"log, line {line}: {message}"):
        read(tmp_path, LOG.replace(old, new))
