"""ARPA files: written and read back, written by other tools, damaged."""

import gzip
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.language_model.arpa import check_arpa
from isogloss.align.language_model.ngrams import NgramModel
from tests.unit.align.language_model.test_estimation import (
    quiet_estimate,
    zipf_sentences,
)


def assert_equal_models(first: NgramModel, second: NgramModel) -> None:
    assert (first.order, first.words) == (second.order, second.words)
    for name in ("ngrams", "log_probability", "log_backoff"):
        for one, other in zip(getattr(first, name), getattr(second, name), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
@pytest.mark.parametrize("order", [1, 3, 6])
def test_round_trip(tmp_path: Path, name: str, order: int) -> None:
    model = quiet_estimate([*zipf_sentences(200), ["x\u00a0y", "\u3000", "ü"]], order)
    model.save(tmp_path / name)
    assert_equal_models(model, NgramModel.load(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]  # no temporary file stays


def test_round_trip_of_awkward_numbers(tmp_path: Path) -> None:
    model = quiet_estimate([["a"]], 1)
    values = np.array(
        [-1e-7, -99, np.nextafter(np.float32(-1), np.float32(-2)), -1 / 3], np.float32
    )
    model = replace(model, log_probability=(values,))
    model.save(tmp_path / "m")
    assert_equal_models(model, NgramModel.load(tmp_path / "m"))


def test_round_trip_over_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.align.language_model.arpa._BLOCK", 7)
    model = quiet_estimate(zipf_sentences(50), 3)
    model.save(tmp_path / "m")
    assert_equal_models(model, NgramModel.load(tmp_path / "m"))


def test_compression_is_told_by_the_content(tmp_path: Path) -> None:
    model = quiet_estimate([["a", "b"]], 2)
    model.save(tmp_path / "m.gz")
    (tmp_path / "m.gz").rename(tmp_path / "m.arpa")
    assert_equal_models(model, NgramModel.load(tmp_path / "m.arpa"))


ARPA = r"""
\data\
ngram 1=5
ngram 2=3

\1-grams:
-1.5	<unk>
-99	<s>	-0.25
-1	b	-0.5
-1	</s>
-0.5	a	-0.125

\2-grams:
-0.25	<s> a
-0.5	a </s>
-0.75	a b

\end\
"""


def test_read_what_other_tools_write(tmp_path: Path) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA.replace("<unk>", "<UNK>").replace("-0.5\ta </s>", "-0.5 a </s>"))
    model = NgramModel.load(path)
    assert model.words == ("<unk>", "<s>", "</s>", "b", "a")
    assert model.ngrams[0].ravel().tolist() == [0, 1, 3, 2, 4]
    assert model.log_backoff[0].tolist() == [0, -0.25, -0.5, 0, -0.125]
    assert model.ngrams[1].tolist() == [[1, 4], [4, 2], [4, 3]]
    assert model.log_probability[1].tolist() == [-0.25, -0.5, -0.75]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ngram 1=5\nngram 2=3", "ngram 1=\t5\nngram\t2\t=\t3"),
        ("\n\n\\2-grams", "\n\\2-grams"),
        ("-99\t<s>", "-inf\t<s>"),
        ("-99\t<s>", "-Inf <s>"),
    ],
)
def test_forms_of_other_tools(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA)
    expected = NgramModel.load(path)
    assert old in ARPA
    path.write_text(ARPA.replace(old, new))
    check_arpa(path)
    assert_equal_models(NgramModel.load(path), expected)


@pytest.mark.parametrize("mark", ["iARPA", "qARPA 3 256 256 256"])
def test_text_of_irstlm_alone(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(f"{mark}\n{ARPA}")
    message = (
        r"line 1: the file is in a format of IRSTLM alone; expected ARPA text\. Convert it with "
        "`compile-lm FILE --text=yes OUTPUT`"
    )
    with pytest.raises(DataError, match=message):
        NgramModel.load(path)


def test_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA.lstrip(), encoding="utf-8-sig")
    with pytest.warns(DataWarning, match="m.arpa: a byte order mark was removed"):
        assert NgramModel.load(path).words == ("<unk>", "<s>", "</s>", "b", "a")
    with pytest.raises(DataError, match=r"line 1: the file begins with a byte order mark; .*sed"):
        check_arpa(path)  # for KenLM, which refuses it


def test_only_a_sentence_begin_may_be_impossible(tmp_path: Path) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA.replace("-1\t</s>", "-inf\t</s>"))
    with pytest.raises(DataError, match="line 10: the value '-inf' is invalid; expected a finite"):
        NgramModel.load(path)
    with pytest.raises(DataError, match=r"the value '-inf.*</s>' is invalid"):
        check_arpa(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", r"line 2: the line 'data' is malformed; expected \data"),
        (
            "ngram 1=5",
            "ngram 2=5",
            "line 3: the line 'ngram 2=5' is malformed; expected ngram 1=<count> or",
        ),
        (
            "ngram 2=3\n",
            "ngrams\n",
            "line 4: the line 'ngrams' is malformed; expected ngram 2=<count> or",
        ),
        ("ngram 1=5\nngram 2=3\n", "", "line 3: the header contains no counts; expected ngram"),
        (
            "ngram 1=5",
            "ngram 1=6",
            "line 12: the section ends after 5 1-grams; expected 6, as declared in the header",
        ),
        (
            "ngram 1=5",
            "ngram 1=4",
            r"line 11: the line '-0.5\ta\t-0.125' is malformed; expected \2-grams:",
        ),
        (
            "ngram 2=3",
            "ngram 2=4",
            "line 16: the section ends after 3 2-grams; expected 4, as declared in the header",
        ),
        (
            "ngram 1=5",
            "ngram 1=5000",
            "line 12: the section ends after 5 1-grams; expected 5000, as declared in the header",
        ),
        (
            "ngram 2=3",
            "ngram 2=9",
            "line 16: the section ends after 3 2-grams; expected 9, as declared in the header",
        ),
        (
            "ngram 2=3",
            "ngram 2=2000",
            "line 16: the section ends after 3 2-grams; expected 2000, as declared in the header",
        ),
        (
            "ngram 2=3",
            "ngram 2=2",
            r"line 15: the line '-0.75\ta b' is malformed; expected \end" + "\\",
        ),
        (
            "\\2-grams:",
            "\\3-grams:",
            r"line 12: the line '\\3-grams:' is malformed; expected \2-grams:",
        ),
        ("\tb\t", "\tb c d\t", "line 9: the line has 5 fields; expected 2 or 3 in a 1-gram"),
        ("a b\n", "a b\t-1\n", "line 15: the line has 4 fields; expected 3 in a 2-gram"),
        ("a b\n", "a\n", "line 15: the line has 2 fields; expected 3 in a 2-gram"),
        ("a b\n", "a c\n", "line 15: the word 'c' is not among the 1-grams"),
        ("-0.75", "low", "line 15: the value 'low' is invalid; expected a finite number"),
        ("-0.125", "nan", "line 11: the value 'nan' is invalid; expected a finite number"),
        ("-0.125", "1e39", "line 11: the value '1e39' is invalid; expected a finite number"),
        ("-0.125", "-1_0.5", "line 11: the value '-1_0.5' is invalid; expected a finite number"),
        (
            "ngram 1=5",
            "ngram 1=" + "9" * 20,
            "line 3: the line 'ngram 1=99999999999999999999' is malformed; expected ngram 1",
        ),
        (
            "-0.75",
            "0.75",
            "line 15: the value '0.75' is invalid; expected a log probability of at most 0",
        ),
        ("\tb\t", "\ta\t", "line 11: the word 'a' occurs twice"),
        ("\tb\t", "\tb\0c\t", r"line 9: the word 'b\x00c' contains a NUL byte"),
        ("\tb\t", "\t\udcff\t", r"line 9: the word b'\xff' is not UTF-8"),
        ("\\end\\\n", "", r"line 16: the file ends after this line; expected \end\ as the last"),
    ],
)
def test_bad_arpa(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "m.arpa"
    text = ARPA.replace("\n\n\\2", "\n\\2")
    assert text.count(old) == 1
    path.write_bytes(text.replace(old, new).encode(errors="surrogateescape"))
    with pytest.raises(DataError, match=re.escape(f"{path}, {message}")):
        NgramModel.load(path)


def test_a_file_that_ends_within_a_section(tmp_path: Path) -> None:
    """It is told as such, also in the middle of a line; a section that ends is told by its end."""
    begin = ARPA.partition("-0.5\ta </s>")[0]
    for last in ("", "-0.5", "-0.5\ta </s>"):
        (tmp_path / "m").write_text(begin + last)
        line = 14 + bool(last)
        message = (
            rf"m, line {line}: the file ends after this line; expected \\end\\ as the last line"
        )
        with pytest.raises(DataError, match=message):
            NgramModel.load(tmp_path / "m")
    (tmp_path / "m").write_text(begin + "\\end\\")
    message = "m, line 15: the section ends after 1 2-gram; expected 3, as declared in the header"
    with pytest.raises(DataError, match=message):
        NgramModel.load(tmp_path / "m")


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "m.arpa"
    content = ARPA.strip().encode()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(DataError, match=r"m\.arpa, line|m\.arpa: "):
            NgramModel.load(path)
    path.write_bytes(content)
    NgramModel.load(path)


@pytest.mark.parametrize("length", [11, 40, -9])
def test_truncated_archive(tmp_path: Path, length: int) -> None:
    path = tmp_path / "m.arpa.gz"
    path.write_bytes(gzip.compress(ARPA.encode())[:length])
    with pytest.raises(DataError, match=r"line \d+: the compressed file is truncated or damaged"):
        NgramModel.load(path)


@pytest.mark.parametrize(
    ("marks", "missing"),
    [
        (["</s>"], "</s>"),
        (["<s>"], "<s>"),
        (["<s>", "</s>"], "<s> or </s>"),
    ],
)
def test_a_model_without_the_ends_of_sentences(
    tmp_path: Path, marks: list[str], missing: str
) -> None:
    words = [word for word in ("<unk>", "<s>", "</s>", "a") if word not in marks]
    rows = "".join(f"-1\t{word}\n" for word in words)
    text = f"\\data\\\nngram 1={len(words)}\n\n\\1-grams:\n{rows}\n\\end\\\n"
    (tmp_path / "m").write_text(text)
    message = (
        f"m: the 1-grams do not contain {missing}; expected both <s> and </s>, as KenLM requires"
    )
    with pytest.raises(DataError, match=message):
        NgramModel.load(tmp_path / "m")


def test_empty_arpa(tmp_path: Path) -> None:
    for content in (b"", gzip.compress(b"")):
        (tmp_path / "m").write_bytes(content)
        message = r"m: the file is empty; expected ARPA text, which begins with \\data\\\. Check"
        with pytest.raises(DataError, match=message):
            NgramModel.load(tmp_path / "m")


def test_missing_arpa(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none cannot be read: No such file"):
        NgramModel.load(tmp_path / "none")


@pytest.mark.parametrize(
    ("begin", "program"),
    [
        (b"mmap lm http://kheafield.com/code format version 5\n\0", "KenLM"),
        (b"SRILM_BINARY_NGRAM_002\n", "SRILM"),
        (b"blmt 3 10 20 30\n", "IRSTLM"),
    ],
)
def test_binary_models(tmp_path: Path, begin: bytes, program: str) -> None:
    for content in (begin + bytes(1000), gzip.compress(begin)):
        (tmp_path / "lm").write_bytes(content)
        message = (
            rf"lm: the file is a binary language model of {program}; expected ARPA text\. Pass"
        )
        with pytest.raises(DataError, match=message):
            NgramModel.load(tmp_path / "lm")


def test_empty_lines_without_end(tmp_path: Path) -> None:
    (tmp_path / "lm").write_text("\n" * 20_000)
    with pytest.raises(DataError, match="lm, line 10000: there are 10,000 empty lines in a row;"):
        NgramModel.load(tmp_path / "lm")
