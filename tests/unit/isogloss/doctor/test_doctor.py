"""Findings of doctor: each thing that may be wrong, and a clean text."""

import random
import re

import numpy as np
import pytest

from isogloss.doctor import training_rules
from isogloss.doctor.doctor import diagnose, findings_table, format_figures, format_findings
from isogloss.doctor.examination import blocks_of
from isogloss.doctor.labels import count_labels
from isogloss.doctor.languages import ForeignLines, LanguageProfiles
from isogloss.doctor.survey import Tally, TokenBlock
from isogloss.doctor.training_cost import training_cost

EN = "the of to and a in is it you that he was for on are with as his they be".split()  # noqa: SIM905
ES = "el de que y a en un ser se no haber por con su para como estar tener le lo".split()  # noqa: SIM905


def clean(count: int = 300) -> tuple[list[str], list[str]]:
    """Made-up translations: word for word, one target word more now and then."""
    rng = random.Random(3)
    source, target = [], []
    for _ in range(count):
        words = [rng.randrange(len(EN)) for _ in range(rng.randrange(4, 30))]
        source.append(" ".join([*(EN[k] for k in words), "."]))
        target.append(" ".join([*(ES[k] for k in words), *ES[: rng.randrange(2)], "."]))
    return source, target


def examine(source: list[str] | bytes, target: list[str] | bytes, **options):
    sides = [
        side.removesuffix(b"\n").split(b"\n")
        if isinstance(side, bytes)
        else [line.encode() for line in side]
        for side in (source, target)
    ]
    return diagnose(blocks_of(*sides), **options)


def seen_of(diagnosis, topic: str) -> list[tuple[str, str]]:
    return [
        (finding.level, finding.text) for finding in diagnosis.findings if finding.topic == topic
    ]


def test_a_clean_text() -> None:
    source, target = clean()
    diagnosis = examine(source, target)
    assert {finding.level for finding in diagnosis.findings} == {"ok"}
    assert [finding.topic for finding in diagnosis.findings] == [
        "form", "lines", "encoding", "characters", "blanks", "tokens", "lengths", "repetitions",
        "alignment", "languages", "cost",
    ]  # fmt: skip
    assert diagnosis.pairs == 300
    assert diagnosis.source.tokens == sum(len(line.split()) for line in source)
    assert (diagnosis.source.types, diagnosis.target.types) == (21, 21)
    assert diagnosis.correlation > 0.9
    lengths = [len(line.split()) for line in target]
    assert diagnosis.target.lengths["longest"] == max(lengths)
    assert diagnosis.target.lengths["median"] == sorted(lengths)[(len(lengths) - 1) // 2]
    longest = lengths.index(max(lengths))
    assert diagnosis.target.longest[0] == (longest + 1, max(lengths))
    cells = sum(len(a.split()) * len(b.split()) for a, b in zip(source, target, strict=True))
    assert (diagnosis.estimate.cells, diagnosis.estimate.domains) == (cells, 1)
    met = {
        (s, t) for a, b in zip(source, target, strict=True) for s in a.split() for t in b.split()
    }
    assert diagnosis.estimate.type_pairs == len(met)


def with_line(number: int, source: str | None, target: str | None):
    sides = clean()
    for side, line in zip(sides, (source, target), strict=True):
        if line is not None:
            side[number] = line
    return sides


LONG = " ".join(EN * 48)

ODD = [
    (("a ||| b", None), "characters", "warning",
     "source: 1 line contains the token |||; align fails there, because ||| separates fields of "
     "tables"),
    ((None, "10\u00a0000"), "characters", "warning", "target: 1 line contains no-break spaces"),
    ((None, "a\u2003b"), "characters", "warning", "target: 1 line contains other Unicode spaces"),
    ((None, "a\u200bb"), "characters", "warning", "target: 1 line contains zero-width spaces"),
    ((None, "a\u00adb"), "characters", "note",
     "target: 1 line contains soft hyphens or direction marks"),
    (("a\x00b", None), "characters", "warning", "source: 1 line contains control characters"),
    (("a\rb", None), "characters", "warning",
     "source: 1 line contains carriage returns inside the line"),
    (("a \ufffd b", None), "characters", "warning",
     "source: 1 line contains replacement characters (U+FFFD)"),
    ((None, "Ã©l"), "characters", "warning",
     "target: 1 line looks like UTF-8 decoded as Windows-1252 (Ã© for é, â€™ for ’)"),
    ((None, ""), "blanks", "note", "target: 1 line is blank; such pairs do not affect training"),
    (("a\tb", None), "blanks", "note", "source: 1 line contains tabs"),
    (("a  b", None), "blanks", "note", "source: 1 line contains repeated or outer spaces"),
    ((" ".join(EN * 6), None), "lengths", "note", "1 pair has more than 100 tokens on a side"),
    ((" ".join(EN), "lo"), "lengths", "note",
     "1 pair has one side more than 9 times as long as the other"),
    (("xyz", "xyz"), "repetitions", "note", "1 pair (0.3%) has the same text on both sides"),
    ((" ".join(EN), " ".join(EN)), "languages", "note",
     "target: 1 line looks like text in the source language"),
    ((" ".join(ES), " ".join(ES)), "languages", "note",
     "source: 1 line looks like text in the target language"),
    ((" ".join(ES), " ".join(EN)), "languages", "warning", "1 pair looks swapped"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "topic", "level", "text"), ODD)
def test_one_odd_line(lines, topic: str, level: str, text: str) -> None:
    diagnosis = examine(*with_line(122, *lines))
    assert (level, text) in seen_of(diagnosis, topic)
    (finding,) = [finding for finding in diagnosis.findings if finding.text == text]
    assert finding.lines == (123,)
    assert finding.remedy


def test_sides_that_are_the_same_are_never_to_be_exchanged(monkeypatch) -> None:
    """Whatever language they look like."""

    def flag(profiles: object, pair: tuple[TokenBlock, TokenBlock]) -> ForeignLines:
        nothing = np.zeros(len(pair[0].lengths), np.bool_)
        return ForeignLines(~nothing, nothing, nothing)

    monkeypatch.setattr(LanguageProfiles, "flag", flag)
    sides = [["a b", "c d", "e f"], ["a b", "C D", "e f"]]
    seen = seen_of(examine(*sides), "languages")
    assert ("warning", "1 pair looks swapped") in seen


def test_one_pair_that_takes_everything() -> None:
    diagnosis = examine(*with_line(7, LONG, LONG))
    (text,) = [text for level, text in seen_of(diagnosis, "lengths") if level == "warning"]
    assert text.startswith("one pair (960 and 960 tokens) takes 8")


def test_pairs_that_align_takes_as_empty_cost_nothing() -> None:
    source, target = with_line(7, " ".join(f"w{k}" for k in range(1001)), "lo")
    diagnosis = examine(source, target)
    text = "1 pair has more than 1000 tokens on a side; align treats it as empty"
    assert ("warning", text) in seen_of(diagnosis, "lengths")
    del source[7], target[7]
    assert diagnosis.estimate == examine(source, target).estimate


def test_repeated_pairs() -> None:
    source, target = clean(20)
    few = examine([*source, source[3], ""], [*target, target[3], ""])
    assert seen_of(few, "repetitions") == [("note", "1 duplicate pair (4.5%)")]
    assert (few.repeated_pairs, few.identical_pairs) == (1, 0)
    many = examine(source * 2, target * 2)
    assert seen_of(many, "repetitions") == [("warning", "20 duplicate pairs (50.0%)")]


def test_encodings() -> None:
    source = b"\xef\xbb\xbfa b .\r\nc d .\r\n"
    target = "é x .\nz\n".encode("latin-1")
    assert seen_of(examine(source, target), "encoding") == [
        ("warning", "target: 1 line is not UTF-8; align fails there"),
        ("note", "source: the file begins with a byte order mark"),
        ("note", "source: 2 lines have Windows line endings"),
    ]


def test_untokenized_text() -> None:
    source, target = clean()
    glued = [line.replace(" .", ".") for line in source]
    assert seen_of(examine(glued, target), "tokens") == [
        ("warning", "source: punctuation is attached to a word in 100% of the lines with "
             "punctuation; "
                    "the text looks untokenized"),
    ]  # fmt: skip
    chinese = ["我们今天去学校学习中文吧"] * 300
    assert seen_of(examine(source, chinese), "tokens") == [
        ("warning", "target: 12.0 characters per token in a script without spaces"),
    ]
    words = [" ".join("我们今天去学校学习中文吧")] * 300
    assert seen_of(examine(source, words), "tokens")[0][0] == "ok"


def test_case() -> None:
    source, target = clean()
    cased = [line.capitalize() for line in source]
    assert seen_of(examine(cased, target), "tokens") == [
        ("note", "source: 49% of the types differ from another type only in case"),
    ]
    assert seen_of(examine(cased, target, lowercase=True), "tokens")[0][0] == "ok"
    assert examine(cased, target, lowercase=True).source.types == 21


def test_a_lost_line() -> None:
    source, target = clean(2000)
    del target[1199]
    diagnosis = examine(source, target)
    ((level, text),) = seen_of(diagnosis, "lines")
    assert level == "warning"
    match = re.fullmatch(
        r"the source has 2000 lines, the target 1999; judging by their lengths, the lines stop "
        r"matching near line "
        r"(\d+)",
        text,
    )
    assert int(match[1]) == pytest.approx(1200, abs=8)
    assert (diagnosis.pairs, diagnosis.source.lines) == (1999, 2000)
    ((level, text),) = seen_of(diagnosis, "alignment")
    assert text.endswith("to 1999 match better with the target 1 line above")


def test_one_side_only() -> None:
    source, target = clean(5000)
    diagnosis = examine(source, target[:10])
    assert diagnosis.source.lines == 5000
    assert seen_of(diagnosis, "lines") == [
        ("warning", "the source has 5000 lines, the target 10; the lengths do not show where the "
                    "lines stop matching"),
    ]  # fmt: skip
    nothing = examine([], [])
    assert seen_of(nothing, "lines") == [("warning", "the bitext has no sentence pairs")]
    assert nothing.correlation is None
    assert "pairs" in format_figures(nothing)


def test_texts_that_do_not_belong_together() -> None:
    source, target = clean(300)
    ((level, text),) = seen_of(examine(source, target[150:] + target[:150]), "alignment")
    assert level == "warning"
    assert text.startswith("the lengths of source and target barely correlate (")


def test_labels() -> None:
    source, target = clean()
    labels = ["law"] * 120 + ["medical"] + ["-"] * 177 + ["", "two names"]
    diagnosis = examine(source, target, labels=labels)
    assert seen_of(diagnosis, "labels") == [
        ("warning", "2 lines do not contain exactly one name; align fails there"),
        ("warning", "the domain medical has only 1 labeled pair; align fails"),
    ]
    assert diagnosis.estimate.domains == 3
    assert diagnosis.labels == count_labels(labels)
    assert diagnosis.labels.domains == {"law": 120, "medical": 1}
    assert (diagnosis.labels.unlabeled, diagnosis.labels.lines) == (177, 300)
    assert diagnosis.labels.bad == Tally(2, [299, 300])
    assert "medical" in format_figures(diagnosis)
    assert seen_of(examine(source, target, labels=["-"] * 299), "labels") == [
        ("warning", "there are 299 labels for 300 pairs; align fails"),
        ("warning", "no pair is labeled"),
    ]
    assert seen_of(examine(source, target, labels=["a"] * 300), "labels")[0][0] == "ok"


def test_links() -> None:
    source, target = clean(3)
    assert seen_of(examine(source, target, links=["0-0"] * 3), "links")[0][0] == "ok"
    diagnosis = examine(source, target, links=["0-0 0-0 99-0", "x", ""])
    assert seen_of(diagnosis, "links") == [
        ("warning", "1 link is malformed"),
        ("warning", "1 link is out of range"),
        ("warning", "1 link is repeated"),
        ("note", "2 pairs have words on both sides but no links"),
    ]
    assert diagnosis.links.num_problems == 3
    assert seen_of(examine(source, target, links=["0-0"]), "links")[0] == (
        "warning", "the links have 1 line for 3 pairs",
    )  # fmt: skip


def test_cost_beyond_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_rules, "_physical_megabytes", lambda: 100.0)
    ((level, text),) = seen_of(examine(*clean()), "cost")
    assert level == "warning"
    assert text.endswith("this machine has 100 MB")
    monkeypatch.setattr(training_rules, "_physical_megabytes", lambda: 0.0)
    assert seen_of(examine(*clean()), "cost")[0][0] == "ok"


@pytest.mark.parametrize(
    ("cells", "type_pairs", "domains", "megabytes", "seconds"),
    [
        (13_394_761, 2_940_048, 1, 300, 7), (53_433_276, 8_171_184, 1, 557, 25),
        (53_433_276, 8_171_184, 9, 945, 32), (160_299_828, 8_171_184, 1, 1143, 64),
        (6_296_258, 1_718_787, 5, 302, 5), (76_229_658, 4_901_415, 1, 677, 30),
    ],
)  # fmt: skip
def test_cost_is_near_what_was_measured(cells, type_pairs, domains, megabytes, seconds) -> None:
    cost = training_cost(cells, type_pairs, domains)
    assert cost.megabytes == pytest.approx(megabytes, rel=0.10)
    assert cost.cpu_seconds == pytest.approx(seconds, rel=0.15, abs=1)


def test_formats() -> None:
    diagnosis = examine(*with_line(3, "a\u00a0b", None))
    text = format_findings(diagnosis.findings)
    assert text.splitlines()[:3] == [
        "Findings",
        "warning  characters: source: 1 line contains no-break spaces (first: line 4)",
        "         Tokenize again, or replace them with spaces; they join words",
    ]
    assert findings_table(diagnosis.findings).row_count == len(diagnosis.findings)
    assert format_figures(diagnosis).splitlines()[0] == "Sides"


def test_the_first_lines_are_those_of_the_file_across_blocks() -> None:
    source, target = clean(9000)
    for number in (4095, 4096, 8999):
        source[number] = "bad\u00a0line"
    diagnosis = examine(source, target)
    (finding,) = [finding for finding in diagnosis.findings if "no-break" in finding.text]
    assert finding.lines == (4096, 4097, 9000)
    assert np.isclose(diagnosis.source.characters, sum(map(len, source)), rtol=0.0)


def test_long_lines_come_in_smaller_blocks() -> None:
    line = b"word " * 2000
    sides = [line] * 3000, [line] * 2999
    parts = list(blocks_of(*sides))
    assert max(len(part[0]) for part in parts) < 1100
    assert [sum(len(part[side]) for part in parts) for side in (0, 1)] == [3000, 2999]
    assert all(len(part[0]) == len(part[1]) for part in parts[:-1])


@pytest.mark.parametrize(
    ("word", "kind", "remedy"),
    [
        ("it &apos;s", "escapes of Moses, such as &apos;", "deescape-special-chars"),
        ("caf&#233;", "HTML entities, such as &nbsp; or &#233;", "html.unescape"),
        ("caf\\u00e9", "characters written as \\u00e9 or \\xe9", "Decode"),
        ("a%20b", "characters written as %20 or %C3%A9", "unquote"),
        ("caf=C3=A9", "characters written as =C3=A9 (quoted-printable)", "quopri"),
        ("it\\'s", "backslash escapes, such as \\' or \\n", "Undo"),
    ],
)
def test_escapes(word: str, kind: str, remedy: str) -> None:
    """All lines are counted; many on one side are a warning, a few a note."""
    source, target = clean()
    target = [f"{line} '" if n % 10 == 0 else line for n, line in enumerate(target)]
    for step, level in ((3, "warning"), (200, "note")):
        escaped = [f"{line} {word}" if n % step == 1 else line for n, line in enumerate(source)]
        found = [one for one in examine(escaped, target).findings if one.topic == "form"]
        (finding,) = found
        number = sum(word in line for line in escaped)
        assert finding.level == level
        assert finding.text.startswith(f"source: {number} line")
        assert kind in finding.text
        assert remedy in finding.remedy
        assert finding.lines[:2] == tuple(range(2, len(source) + 1, step))[:2]


@pytest.mark.parametrize("word", ["it &apos;s", "it\\'s"])
def test_escapes_beside_nothing_to_escape(word: str) -> None:
    source, target = clean()
    escaped = [f"{line} {word}" if n % 3 == 1 else line for n, line in enumerate(source)]
    (finding,) = (one for one in examine(escaped, target).findings if one.topic == "form")
    assert finding.level == "note"
    assert "other side" not in finding.text
