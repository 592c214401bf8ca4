"""Bands of transition probabilities and jump counts against formulas per position."""

from itertools import product

import numpy as np
import pytest

from isogloss.align.kernels.simd import LANES, padded
from isogloss.align.model.kernels.jump_vectors import GROUP
from isogloss.align.model.kernels.transitions import (
    KEPT,
    JumpCounts,
    Jumps,
    allocate_bands,
    band_at,
    band_places,
    count_jumps,
    fill_band,
    margin,
    num_groups,
    provide_band,
    row_shares,
    table_of,
    window_of,
)
from tests.naive.alignment import START, jump_matrix, jump_row, jump_table, random_jumps
from tests.naive.expectations import add_jumps, empty_jump_counts

WINDOWS = [1, 2, 5, 100]
SETTINGS = list(product(WINDOWS, (0.0, 0.1), (False, True)))  # smoothing, final jumps
OWN = 1, 1  # direction and table of the bands
AT, BEHIND = 48, 32  # numbers before a band and behind it
BESIDE = np.float32(-7.0)


def made(seed: int, window: int, smoothing: float, final: bool, tables: int = 2) -> Jumps:
    rng = np.random.default_rng(seed)
    classes = 1 + 2 * (seed % 2)
    return random_jumps(rng, window, smoothing, tables=tables, final=final, classes=classes)


class Band:
    """The band of one number of states, taken out of its array, and the formula's matrix."""

    def __init__(self, jumps: Jumps, shares: np.ndarray, size: int) -> None:
        self.jumps, self.size, self.width = jumps, size, padded(size)
        self.window = window = window_of(jumps.jump)
        self.states = [7 * k % 90 for k in range(size)]  # types of words
        table = jump_table(jumps, *OWN)
        self.classes = np.zeros(self.width, np.int32)
        self.classes[:size] = [table.kinds[word] for word in self.states]
        self.expected, _ = jump_matrix(table, size, self.states)
        self.places = band_places(AT, window, self.width)
        self.array = np.full(self.places[-1] + BEHIND, BESIDE)
        self.array[AT : self.places[-1]] = np.nan
        fill_band(jumps, shares, *OWN, size, self.classes, self.array, AT)

    def rows(self, part: int, number: int) -> np.ndarray:
        """float32[number, width] from the beginning of a part on."""
        return self.array[self.places[part] :][: number * self.width].reshape(number, -1)

    def matrix(self, by_position: bool) -> np.ndarray:
        """P(position | origin) of all words."""
        origin, position = np.indices((self.size, self.size))
        distance, window = position - origin, self.window
        rows = self.rows(int(by_position), 2 * window + 1)
        near = np.clip(distance, -window, window) + window, position if by_position else origin
        reached = (window + 1) * by_position  # from an origin to where its tail begins
        right, left = self.rows(2, 4)[2:] if by_position else self.rows(2, 2)
        right = right[np.minimum(origin + reached, self.width - 1)]
        left = left[np.maximum(origin - reached, 0)]
        return np.select([distance > window, distance < -window], [right, left], rows[near])


@pytest.fixture(scope="module", params=enumerate(SETTINGS), ids=lambda param: str(param[1]))
def bands(request: pytest.FixtureRequest) -> list[Band]:
    """Those of sizes up to 70; of the larger ones every setting of a window has its quarter."""
    number, (window, smoothing, final) = request.param
    jumps = made(number, window, smoothing, final)
    shares = row_shares(jumps)
    return [Band(jumps, shares, size) for size in (*range(1, 21), *range(21 + number % 4, 71, 4))]


def close(found: np.ndarray, expected: np.ndarray | float, band: Band) -> None:
    """Some four roundings to float32, by 6e-8 each."""
    np.testing.assert_allclose(found, expected, rtol=3e-6, atol=1e-9, err_msg=f"{band.size} states")


def same(found: np.ndarray, expected: np.ndarray | float, band: Band) -> None:
    np.testing.assert_array_equal(found, expected, err_msg=f"{band.size} states")


@pytest.mark.parametrize("by_position", [False, True], ids=["by origin", "by position"])
def test_a_band_is_the_formula(bands: list[Band], by_position: bool) -> None:
    for band in bands:
        close(band.matrix(by_position), band.expected[: band.size, : band.size], band)


def test_tails_by_position_are_those_by_origin_moved(bands: list[Band]) -> None:
    for band in bands:
        right, left, from_left, from_right = band.rows(2, 4)
        side = min(band.window + 1, band.width)
        same(from_left, np.r_[np.zeros(side), right[: band.width - side]], band)
        same(from_right, np.r_[left[side:], np.zeros(side)], band)


def test_starts_and_ends_are_the_formula(bands: list[Band]) -> None:
    """Without final jumps the end is certain."""
    for band in bands:
        starts, size = band.rows(4, 1)[0], band.size
        close(starts[:size], band.expected[START, :size], band)
        ends = band.array[band.places[5] :][: band.width + LANES]
        close(ends[: size + 1], band.expected[:, size], band)
        same(starts[size:], 0.0, band)
        same(ends[size + 1 :], 0.0, band)


def test_jumps_and_starts_are_distributions(bands: list[Band]) -> None:
    for band in bands:
        starts, size = band.rows(4, 1)[0], band.size
        ends = band.array[band.places[5] :][: size + 1] * band.jumps.final
        for by_position in (False, True):
            close(band.matrix(by_position).sum(1, dtype=float) + ends[:size], 1.0, band)
        close(starts.sum(dtype=float) + ends[size], 1.0, band)


def test_nothing_leads_from_or_to_where_no_word_is(bands: list[Band]) -> None:
    """Nor do unused rows hold anything, though all are written."""
    for band in bands:
        rows = GROUP * num_groups(band.window)
        place, distance = np.arange(band.width), np.arange(rows)[:, None] - band.window
        for part, other in enumerate((place + distance, place - distance)):
            words = (place < band.size) & (0 <= other) & (other < band.size)
            own = band.rows(part, rows)
            same(own[~words | (distance > band.window)], 0.0, band)
            assert (own[words & (distance <= band.window)] > 0.0).all()
        same(band.rows(2, 2)[:, band.size :], 0.0, band)


def test_a_band_keeps_to_its_place(bands: list[Band]) -> None:
    for band in bands:
        same(band.array[:AT], BESIDE, band)
        same(band.array[-BEHIND:], BESIDE, band)
        assert np.isfinite(band.array).all()  # every number has been written


def numbers_of(array: np.ndarray, at: int, window: int, size: int) -> np.ndarray:
    """All of a band that begins at a place."""
    return array[at : band_places(at, window, padded(size))[-1]]


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize(
    ("window", "classes", "sizes", "kept"),
    [
        (5, 1, [1, 3, 15, 16, 17, 40], [1, 3, 15, 16, 17, 40]),
        (100, 1, [2, 20, 400, 900, 901], [2, 20, 400]),  # the longer ones would be above KEPT
        (5, 3, [1, 3, 16, 40], []),  # the classes of a sentence are its own
    ],
)
def test_a_provided_band_is_the_one_that_is_filled(
    window: int, classes: int, sizes: list[int], kept: list[int], final: bool
) -> None:
    """In any order, of both directions and all tables; those kept stand side by side."""
    rng = np.random.default_rng(window)
    jumps = random_jumps(rng, window, 0.1, tables=2, final=final, classes=classes)
    bands = allocate_bands(jumps, np.isin(np.arange(sizes[-1] + 1), sizes))
    assert np.flatnonzero(bands.kept).tolist() == kept
    longest = band_places(0, window, padded(sizes[-1]))[-1]
    assert len(bands.numbers) <= KEPT + 4 * longest
    found, wanted, shares = {}, {}, row_shares(jumps)
    for size in rng.permutation(sizes * 2).tolist():
        for side, table in np.ndindex(2, 2):
            own = rng.integers(0, classes, padded(size)).astype(np.int32)
            provide_band(jumps, side, table, size, own, bands)
            at = band_at(bands, side, table, size)
            place = side, table, size
            found[place] = numbers_of(bands.numbers, at, window, size)
            wanted[place] = np.full(len(found[place]), np.nan, np.float32)
            fill_band(jumps, shares, side, table, size, own, wanted[place], 0)
            np.testing.assert_array_equal(found[place], wanted[place])
    for place in found:
        if place[2] in kept:
            np.testing.assert_array_equal(found[place], wanted[place])


def test_a_kept_band_is_filled_once() -> None:
    jumps = random_jumps(np.random.default_rng(0), 5, 0.1)
    bands, none = allocate_bands(jumps, np.arange(21) == 20), np.zeros(32, np.int32)
    own = numbers_of(bands.numbers, band_at(bands, 1, 0, 20), 5, 20)
    provide_band(jumps, 1, 0, 20, none, bands)
    assert np.argwhere(bands.filled).tolist() == [[1, 0, 20]]
    own[:] = 7.0
    provide_band(jumps, 1, 0, 20, none, bands)
    np.testing.assert_array_equal(own, 7.0)


def test_no_bands_where_no_pair_has_words() -> None:
    for classes in (1, 2):
        jumps = random_jumps(np.random.default_rng(0), 5, 0.1, classes=classes)
        assert len(allocate_bands(jumps, np.zeros(2, np.bool_)).numbers) == 0


def test_a_domain_has_a_table_of_its_own_or_shares_one() -> None:
    for tables, expected in ((1, [0, 0, 0]), (3, [0, 1, 2])):
        jumps = random_jumps(np.random.default_rng(0), 5, 0.1, tables=tables)
        assert expected == [table_of(jumps, domain) for domain in range(3)]
        assert window_of(jumps.jump) == window_of(jumps.start) == window_of(jumps.jump[0, 0]) == 5


def ratios_of(band: Band, moves: np.ndarray) -> np.ndarray:
    """Expected jumps over their probability, arranged as the band, as far as it is to be read."""
    size, window, final = band.size, band.window, band.jumps.final
    ratio = moves / band.expected
    result = np.full_like(band.array, np.nan)
    _, behind, right, left, starts, ends, _ = band.places
    rows = result[AT:behind].reshape(-1, band.width)
    rows[: 2 * window + 1] = 0.0
    for distance in range(-window, window + 1):
        jumps = np.diagonal(ratio[:size, :size], distance)
        first = max(0, -distance)
        rows[distance + window, first : first + len(jumps)] = jumps
    result[right : ends + size + 1] = 0.0
    for origin in range(size):
        result[right + origin] = ratio[origin, origin + window + 1 : size].sum()
        result[left + origin] = ratio[origin, : max(origin - window, 0)].sum()
    result[starts : starts + size] = ratio[START, :size]
    # without final jumps the kernel's sums of ends hold something, too
    result[ends : ends + size + 1] = ratio[:, size] if final else 1.0
    return result


def test_jumps_are_counted_by_bucket(bands: list[Band]) -> None:
    """The counts are added to; beside the ratios nothing changes."""
    for band in bands:
        jumps = band.jumps
        moves = np.random.default_rng(band.size).random((band.size + 1, band.size + 1))
        found, wanted = empty_jump_counts(jumps), empty_jump_counts(jumps)
        for _ in range(2):
            ratios = ratios_of(band, moves)
            count_jumps(
                (band.array, AT), ratios[AT:], jumps.smoothing, jumps.final, band.size,
                band.classes, tuple(array[OWN] for array in found),
            )  # fmt: skip
            same(ratios[:AT], np.nan, band)
            same(ratios[-BEHIND:], np.nan, band)
        add_jumps(JumpCounts(*wanted), OWN, jump_table(jumps, *OWN), 2.0 * moves, band.states)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(
                one, other, rtol=1e-4, atol=1e-6, err_msg=f"{band.size} states"
            )


@pytest.mark.parametrize("window", WINDOWS)
def test_shares_are_of_the_open_buckets(window: int) -> None:
    """A word stays where it is with its share of the weight of distance 0."""
    jumps = made(window, window, 0.1, False)
    found, side = row_shares(jumps), min(window + 1, 8)
    for place in np.ndindex(found.shape[:3]):
        own = jump_table(jumps, *place[:2])._replace(kinds=[place[2]])
        for left, right in np.ndindex(side + 1, side + 1):
            size = left + right + 1
            explained, _ = jump_row(own, left, size, [0] * size)
            share = explained[left] / own.jump[place[2]][window + 1]
            assert found[place][left, right] == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("width", [16, 48, 256])
def test_parts_of_a_band_follow_one_another(width: int, window: int) -> None:
    """At multiples of LANES, with four rows and zeros beside them at the end."""
    found = band_places(0, window, width)
    rows, room = GROUP * num_groups(window) * width, 4 * (width + margin(window)) + margin(window)
    sizes = [rows, rows, width, 3 * width, width, width + LANES + room]
    assert sizes == np.diff(found).tolist()
    assert not any(place % LANES for place in found)
    for at in (0, 16, 4096):
        assert [at + place for place in found] == list(band_places(at, window, width))


def test_margins_hold_the_longest_shift() -> None:
    """No more rows and zeros than it takes for whole groups and vectors."""
    for window in range(1, 101):
        rows, beside = GROUP * num_groups(window), margin(window)
        assert 2 * window + 1 <= rows < 2 * window + 1 + GROUP
        assert beside % LANES == 0
        assert rows - window <= beside < rows - window + LANES
        assert padded(window + 1) <= beside  # whole vectors, one place beyond the window
