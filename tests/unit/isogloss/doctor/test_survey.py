"""What is counted in the lines of one side."""

import numpy as np
import pytest

from isogloss.doctor.survey import ODDITIES, Lexicon, SideSurvey, Tally


def survey(*blocks: str | bytes, lowercase: bool = False) -> SideSurvey:
    side = SideSurvey(0, Lexicon(), lowercase)
    for block in blocks:
        raw = block if isinstance(block, bytes) else block.encode()
        side.add(raw.split(b"\n"))
    return side


def test_lines_tokens_and_lengths() -> None:
    side = SideSurvey(1, Lexicon())
    first = side.add([b"a b  a", b"", b" \t ", "é\u00a0x".encode()])
    assert [3, 0, 0, 1] == first.lengths.tolist()
    assert [3, 4, 3, 5] == first.ids.tolist()
    assert side.add([]).lengths.tolist() == []
    second = side.add([b"b c"])
    assert [4, 6] == second.ids.tolist()
    assert (side.lines, side.tokens, side.characters) == (5, 6, 15)
    assert [1, 1, 2, 2] == sorted(side.lexicon.types(1).tolist())
    assert side.lexicon.types(0).tolist() == []
    assert Tally(2, [2, 3]) == side.blank
    assert Tally(1, [3]) == side.tabs
    assert Tally(2, [1, 3]) == side.spare_blanks


def test_only_the_first_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.doctor.survey.MOST_LINES", 5)
    side = survey(*["\n".join([""] * 4)] * 3)
    assert Tally(12, [1, 2, 3, 4, 5]) == side.blank


@pytest.mark.parametrize("kind", ODDITIES)
def test_each_kind_of_odd_characters(kind: str) -> None:
    for mark in ODDITIES[kind]:
        side = survey("a b", f"fine\nbad{mark}ly\n{mark}{mark}")
        assert Tally(2, [3, 4]) == side.odd[kind]
        assert [kind] == [name for name, tally in side.odd.items() if tally.lines]
        assert side.not_utf8 == Tally()


def test_text_in_any_script_is_not_odd() -> None:
    side = survey(
        "naïve Ångström\nпривет мир\n你好 世界\nमानक हिन्दी\nخانه\u200cها 👩\u200d👩\u200d👧"
    )
    assert {name: tally.lines for name, tally in side.odd.items()} == dict.fromkeys(ODDITIES, 0)
    assert side.mojibake == Tally()
    assert set(side.scripts()) == {"LATIN", "CYRILLIC", "CJK", "DEVANAGARI", "ARABIC"}


def test_encoding() -> None:
    side = survey(b"\xef\xbb\xbfa\r\nb\r\nc\ncaf\xe9 x")
    assert side.byte_order_mark
    assert Tally(2, [1, 2]) == side.windows_ends
    assert Tally(1, [4]) == side.not_utf8
    assert side.odd["carriage returns inside the line"] == Tally()
    assert (side.lines, side.tokens) == (4, 5)
    assert survey("x\r").windows_ends == Tally(1, [1])
    assert not survey("a", "\ufeffb").byte_order_mark


@pytest.mark.parametrize("text", ["é", "’", "Привет", "ça va", "“x”", "€ 5", "你好"])
def test_mojibake(text: str) -> None:
    wrong = text.encode().decode("cp1252", errors="ignore" if text == "Привет" else "replace")
    if "\ufffd" in wrong:
        wrong = text.encode().decode("latin-1")
    assert Tally(1, [2]) == survey(f"fine {text}\nbad {wrong}").mojibake


@pytest.mark.parametrize(
    "text", ["SÃO Paulo", "câne « à »", "Âge", "ÎLE-de-France", "Ñandú", "PÂTÉ »", "à la", "ÃO"]
)
def test_accented_letters_are_no_mojibake(text: str) -> None:
    assert survey(text).mojibake == Tally()


def test_bars() -> None:
    side = survey("a ||| b\na|||b\n|||| x\n|||\n\t|||")
    assert Tally(3, [1, 4, 5]) == side.bars


@pytest.mark.parametrize(
    ("line", "glued"),
    [
        ("Hello, world", 1), ("Hello , world", 0), ("the end.", 1), ("the end .", 0),
        ("(see there); x", 1), ("Why?", 1), ("Why ?", 0), ("a , b", 0), (", x", 0), ("né, x", 1),
        ("at 10:30 x .", 0), ("x.y .", 0), ("он: да", 1),
        ("it &apos;s ,", 0), ("it &apos;s, x", 1),
    ],
)  # fmt: skip
def test_punctuation_that_sticks_to_a_word(line: str, glued: int) -> None:
    side = survey(f"{line}\nno marks here")
    assert (side.marked, side.glued) == (1, glued)


def test_case() -> None:
    side = survey("The the THE cat Cat")
    assert side.uppercase() == pytest.approx(5 / 15, rel=1e-12)
    assert (len(side.lexicon.types(0)), side.lexicon.caseless_types(0)) == (5, 2)
    lowered = survey("The the THE cat Cat", lowercase=True)
    assert sorted(lowered.lexicon.types(0).tolist()) == [2, 3]
    assert survey("123 你").uppercase() == 0.0


def test_a_lexicon_grows() -> None:
    lexicon = Lexicon()
    side = SideSurvey(0, lexicon)
    side.add([" ".join(f"w{k}" for k in range(5000)).encode()])
    side.add([b"w0 w4999 w5000"])
    assert np.bincount(lexicon.types(0)).tolist() == [0, 4999, 2]
