"""Posteriors and instance weights as files."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.features.extraction.sentence_weights import read_instance_weights, read_posteriors


def written(folder: Path, text: str) -> Path:
    path = folder / "weights"
    path.write_bytes(text.encode())
    return path


def test_posteriors(tmp_path: Path) -> None:
    path = written(tmp_path, "law\tBücher\n0.25\t0.75\n1\t0\n1e-6\t.999999\n")
    domains, values = read_posteriors(path, 3)
    assert domains == ("law", "Bücher")
    assert values.tolist() == [[0.25, 0.75], [1.0, 0.0], [1e-6, 0.999999]]
    assert values.dtype == np.float64


def test_posteriors_that_were_rounded(tmp_path: Path) -> None:
    """They sum to 1 by a thousandth."""
    _, values = read_posteriors(written(tmp_path, "a\tb\n0.5\t0.501\n0.5\t0.499\n"), 2)
    assert values.tolist() == [[0.5, 0.501], [0.5, 0.499]]


def test_posteriors_of_no_pair(tmp_path: Path) -> None:
    domains, values = read_posteriors(written(tmp_path, "law\tit\n"), 0)
    assert (domains, values.shape) == (("law", "it"), (0, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "weights: the file is empty; expected domain names, then one line per sentence"),
        ("a\tb\n", "weights: the file has 1 line; expected 2: domain names, then one line per"),
        ("a\tb\n1\t0\n1\t0\n", "weights: the file has 3 lines; expected 2: domain names, then"),
        ("a\t\n1\t0\n", r"weights, line 1: the line 'a\\t' is malformed; expected unique,"),
        ("a b\tc\n1\t0\n", r"line 1: the line 'a b\\tc' is malformed; expected unique, printable,"),
        (
            "a\tb=c\n1\t0\n",
            "line 1: the domain 'b=c' can't be part of the name of a score; exp",
        ),
        ("a\t\x1b[31m\n1\t0\n", r"line 1: the line 'a\\t\\x1b\[31m' is malformed; expected"),
        ("a\t|||\n1\t0\n", r"line 1: the domain '\|\|\|' can't be part of the name of a score"),
        ("\n1\n", "line 1: the line '' is malformed; expected unique, printable, tab-separated"),
        ("a\ta\n1\t0\n", r"line 1: the line 'a\\ta' is malformed; expected unique, printable,"),
        ("a\tb\n1\n", "line 2: the line '1' is malformed; expected 2 tab-separated probabilities"),
        ("a\tb\n1\t0\t0\n", r"line 2: the line '1\\t0\\t0' is malformed; expected 2 tab-separated"),
        ("a\tb\n1 0\n", "line 2: the line '1 0' is malformed; expected 2 tab-separated"),
        ("a\tb\n1\tx\n", r"line 2: the line '1\\tx' is malformed; expected 2 tab-separated"),
        ("a\tb\n1\t\n", r"line 2: the line '1\\t' is malformed; expected 2 tab-separated"),
        ("a\tb\n1\tnan\n", r"line 2: the line '1\\tnan' is malformed; expected 2 tab-separated"),
        ("a\tb\ninf\t0\n", r"line 2: the line 'inf\\t0' is malformed; expected 2 tab-separated"),
        ("a\tb\n-0.1\t1\n", r"line 2: the line '-0.1\\t1' is malformed; expected 2 tab-separated"),
        ("a\tb\n0.5\t0.7\n", r"the sum of '0.5\\t0.7' is 1.2; expected 2 tab-separated"),
        ("a\tb\n0.5\t0.4989\n", r"the sum of '0.5\\t0.4989' is 0.9989; expected 2 tab-separated"),
        ("a\tb\n0.5\t0.5011\n", r"the sum of '0.5\\t0.5011' is 1.0011; expected 2 tab-separated"),
        ("a\tb\n0\t0\n", r"line 2: the sum of '0\\t0' is 0; expected 2 tab-separated"),
        ("a\tb\n1.001\t0\n", r"line 2: the line '1.001\\t0' is malformed; expected 2"),
        ("a\tb\n0_1\t0\n", r"line 2: the line '0_1\\t0' is malformed; expected 2 tab-separated"),
        ("a\tb\n\u0661\t0\n", r"line 2: the line '١\\t0' is malformed; expected 2 tab-separated"),
        (f"a\tb\n{'9' * 500}\t0\n", "line 2: the line"),
    ],
)
def test_bad_posteriors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_posteriors(written(tmp_path, text), 1)


def test_a_bad_line_further_down(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n" + "1\n" * 40 + "2\n" + "1\n")
    with pytest.raises(DataError, match="line 42: the line '2' is malformed; expected 1"):
        read_posteriors(path, 42)


def test_instance_weights(tmp_path: Path) -> None:
    path = written(tmp_path, "0.5\n3\n1e-6\n 2 \n")
    assert read_instance_weights(path, 4).tolist() == [0.5, 3.0, 1e-6, 2.0]
    assert read_instance_weights(written(tmp_path, ""), 0).shape == (0,)
    assert read_instance_weights(written(tmp_path, "1e-9\n1e9\n"), 2).tolist() == [1e-9, 1e9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n", "weights: the file has 1 weight; expected 2, one per sentence pair"),
        ("1\n1\n1\n", "weights: the file has 3 weights; expected 2, one per sentence pair"),
        ("1\n0\n", r"line 2: the line '0' is malformed; .* per line, between 1e-09 and 1e\+09"),
        ("1\n0.99e-9\n", "weights, line 2: the line '0.99e-9' is malformed; expected one weight"),
        ("1\n1.01e9\n", "weights, line 2: the line '1.01e9' is malformed; expected one weight"),
        ("1\n1e39\n", "weights, line 2: the line '1e39' is malformed; expected one weight per"),
        ("1\n1e-300\n", "weights, line 2: the line '1e-300' is malformed; expected one weight"),
        ("-1\n1\n", "line 1: the line '-1' is malformed; expected one weight per line, between"),
        ("1\n1 2\n", "line 2: the line '1 2' is malformed; expected one weight per line,"),
        ("1\n1\t2\n", r"line 2: the line '1\\t2' is malformed; expected one weight per line,"),
        ("1\n\n", "line 2: the line '' is malformed; expected one weight per line, between"),
        ("1\nx\n", "line 2: the line 'x' is malformed; expected one weight per line, between"),
        ("1\nnan\n", "line 2: the line 'nan' is malformed; expected one weight per line,"),
        ("1\ninf\n", "line 2: the line 'inf' is malformed; expected one weight per line,"),
        ("1\n1e999\n", "line 2: the line '1e999' is malformed; expected one weight per line,"),
        ("1\n1_0\n", "line 2: the line '1_0' is malformed; expected one weight per line,"),
        ("1\n\u0661\n", "line 2: the line '١' is malformed; expected one weight per line,"),
    ],
)
def test_bad_instance_weights(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_instance_weights(written(tmp_path, text), 2)


def test_missing_files(tmp_path: Path) -> None:
    for read in (read_posteriors, read_instance_weights):
        with pytest.raises(DataError, match=r"none .*No such file"):
            read(tmp_path / "none", 1)
