"""Doctor and check look at anything without falling over, and count what is there."""

import json
from dataclasses import asdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.files.text_io import split_tokens
from isogloss.align.links.files.link_check import check_links
from isogloss.doctor.doctor import diagnose, format_figures, format_findings
from isogloss.doctor.examination import blocks_of

odd = st.sampled_from(
    [
        "\u00a0",
        "\u200b",
        "\r",
        "\t",
        "  ",
        "|||",
        "Ã©",
        "\ufffd",
        "\x00",
        "a,",
        ".",
        "你好",
        "É",
        "\n",
    ]
)
texts = st.lists(st.one_of(st.text(max_size=12), odd), max_size=8).map("".join)
raw = st.one_of(st.binary(max_size=30), texts.map(lambda text: text.encode(errors="ignore")))
lines = st.lists(raw.map(lambda line: line.replace(b"\n", b"")), max_size=12)


@settings(max_examples=30)
@given(lines, lines, st.booleans(), st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_any_bytes(
    source: list[bytes], target: list[bytes], lowercase: bool, labels: list[str], links: list[str]
) -> None:
    diagnosis = diagnose(blocks_of(source, target), labels=labels, links=links, lowercase=lowercase)
    assert diagnosis.pairs == min(len(source), len(target))
    assert (diagnosis.source.lines, diagnosis.target.lines) == (len(source), len(target))
    json.dumps(asdict(diagnosis), allow_nan=False)
    assert format_figures(diagnosis).startswith("Sides")
    assert format_findings(diagnosis.findings).startswith("Findings")


@settings(max_examples=40)
@given(st.lists(texts.map(lambda text: text.replace("\n", "").rstrip("\r")), max_size=12))
def test_tokens_are_those_of_the_readers(source: list[str]) -> None:
    lines = [text.encode(errors="ignore") for text in source]
    if lines:
        lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
    tokens = [split_tokens(line.decode()) for line in lines]
    diagnosis = diagnose(blocks_of(lines, lines))
    assert diagnosis.source.tokens == sum(map(len, tokens))
    assert diagnosis.source.types == len({token for words in tokens for token in words})
    assert diagnosis.source.blank_lines == sum(not words for words in tokens)


@given(st.lists(texts, max_size=6), st.integers(1, 5))
def test_any_text_for_links(text: list[str], limit: int) -> None:
    lengths = np.arange(5) % 3
    check = check_links(text, lengths, lengths[::-1].copy(), limit)
    assert len(check.problems) <= limit
    assert check.num_problems >= check.malformed + check.out_of_range + check.repeated
