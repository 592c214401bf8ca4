"""Where lines stop being translations of each other: by lengths, and by words."""

import numpy as np
import pytest

from isogloss.doctor.languages import LanguageProfiles
from isogloss.doctor.misalignment import Shift, find_break, length_correlation, shifted_lines
from isogloss.doctor.survey import Lexicon, SideSurvey


def lengths(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sentences of 3 to 60 words, and translations a little longer or shorter."""
    rng = np.random.default_rng(seed)
    source = np.exp(rng.uniform(1.1, 4.1, count))
    target = source * np.exp(rng.normal(0.1, 0.15, count))
    return source.round().astype(np.int32), target.round().astype(np.int32)


def test_correlation_of_lengths() -> None:
    source, target = lengths(2000)
    assert length_correlation(source, target) > 0.9
    assert abs(length_correlation(source, np.roll(target, 1))) < 0.1
    assert np.isnan(length_correlation(source, np.full(2000, 7, np.int32)))


@pytest.mark.parametrize("seed", range(3))
def test_lines_in_place_are_not_shifted(seed: int) -> None:
    assert shifted_lines(*lengths(5000, seed)) == []
    assert shifted_lines(*lengths(100, seed)) == []


@pytest.mark.parametrize("lost", [1, 2, 5])
def test_a_lost_line_is_found(lost: int) -> None:
    source, target = lengths(5000)
    shorter = np.delete(target, np.arange(2345, 2345 + lost))
    (shift,) = shifted_lines(source[:-lost], shorter)
    assert shift.lines == -lost
    assert shift.first == pytest.approx(2346, abs=6)
    assert shift.last == 5000 - lost
    (other,) = shifted_lines(shorter, target[:-lost])
    assert other.lines == lost


def test_a_line_lost_and_one_too_many() -> None:
    source, target = lengths(5000)
    moved = np.insert(np.delete(target, 999), 3000, 20)
    (shift,) = shifted_lines(source, moved)
    assert shift.lines == -1
    assert (shift.first, shift.last) == pytest.approx((1000, 3000), abs=6)


def test_two_lost_lines_are_two_stretches() -> None:
    source, target = lengths(5000)
    shifts = shifted_lines(source[:-2], np.delete(target, [1500, 3500]))
    assert [shift.lines for shift in shifts] == [-1, -2]
    assert [shift.first for shift in shifts] == pytest.approx([1501, 3501], abs=6)
    assert shifts[0].last + 1 == shifts[1].first
    assert isinstance(shifts[0], Shift)


@pytest.mark.parametrize("gap", [1, 40])
@pytest.mark.parametrize("side", [0, 1])
def test_a_gap_of_any_size_is_found(gap: int, side: int) -> None:
    pair = list(lengths(3000))
    pair[side] = np.delete(pair[side], np.arange(700, 700 + gap))
    assert find_break(*pair) == pytest.approx(701, abs=6)


def test_no_guess_without_evidence() -> None:
    source, target = lengths(3000)
    rng = np.random.default_rng(1)
    assert find_break(source, rng.permutation(target)[:-10]) is None
    assert find_break(source, target) is None
    assert find_break(source[:5], target[:4]) is None


WORDS = (
    ["the", "of", "to", "and", "a", "in", "is", "it", "you", "that", "he", "was", "no"],
    ["el", "de", "que", "y", "a", "en", "un", "ser", "se", "lo", "por", "con", "no"],
)


def blocks(seed: int, swapped: set[int], copied: set[int], count: int = 1000):
    """Lines of either language, some with exchanged sides, some with the source on both."""
    rng = np.random.default_rng(seed)
    lexicon = Lexicon()
    surveys = SideSurvey(0, lexicon), SideSurvey(1, lexicon)
    sides: tuple[list[bytes], list[bytes]] = ([], [])
    for line in range(count):
        line_sides = [" ".join(rng.choice(words, 12)).encode() for words in WORDS]
        if line in copied:
            line_sides[1] = line_sides[0]
        for side in (0, 1):
            sides[side].append(line_sides[1 - side if line in swapped else side])
    return surveys[0].add(sides[0]), surveys[1].add(sides[1])


def test_lines_of_the_other_language() -> None:
    flagged = LanguageProfiles().flag(blocks(0, {10, 700}, {20, 30}))
    assert [10, 700] == np.flatnonzero(flagged.swapped).tolist()
    assert np.flatnonzero(flagged.source).tolist() == []
    assert [20, 30] == np.flatnonzero(flagged.target).tolist()


def test_many_swapped_lines_do_not_blur_the_profiles() -> None:
    profiles = LanguageProfiles()
    few = set(range(0, 1000, 6))
    assert few == set(np.flatnonzero(profiles.flag(blocks(1, few, set())).swapped).tolist())
    for _ in range(3):  # then nothing but swapped ones
        assert profiles.flag(blocks(2, set(range(1000)), set())).swapped.all()


def test_names_and_numbers_are_of_no_language() -> None:
    lexicon = Lexicon()
    surveys = SideSurvey(0, lexicon), SideSurvey(1, lexicon)
    lines = [f"Obama {k} NATO".encode() for k in range(50)] + [b""]
    flagged = LanguageProfiles().flag((surveys[0].add(lines), surveys[1].add(lines)))
    assert not (flagged.swapped | flagged.source | flagged.target).any()
    empty = LanguageProfiles().flag((surveys[0].add([b""]), surveys[1].add([b""])))
    assert empty.swapped.tolist() == [False]
