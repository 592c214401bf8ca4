"""What training with latent domains keeps and counts, on dicts of words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Words = Sequence[str]
WordPair = tuple[str, str]  # generated word, word of its state
START = -1
JUMP_ROUNDS = 5
LEAST_JUMP = 1e-9


@dataclass(frozen=True)
class Settings:
    """The options of the same names; there are no classes of jumps and no sparse prior."""

    model1_iterations: int
    hmm_iterations: int
    shared_iterations: int
    jump_window: int
    null_probability: float
    jump_smoothing: float
    lexical_floor: float
    agreement: bool
    stem_length: int
    stem_smoothing: float
    prune: float
    domain_smoothing: float
    domain_temperature: float
    min_domain_posterior: float
    seed_confidence: float
    shared_jumps: bool
    language_model_order: int
    language_model_sides: str
    language_model_refits: int
    out_domain_size: int
    out_domain_selection: str


@dataclass
class Alignments:
    """Expectations of one pair, direction and domain.

    links: (generated position, state position) -> P; null: P of each generated word
    jumps: (origin, position) -> expected jumps that the table explains, not the smoothing
    """

    log_likelihood: float
    links: dict[tuple[int, int], float]
    null: list[float]
    jumps: dict[tuple[int, int], float]


@dataclass
class Tables:
    """Tables of one direction: per domain t(word | state), t(word | NULL); jumps per table."""

    lexical: list[dict[WordPair, float]]
    null: list[dict[str, float]]
    jump: list[dict[int, float]]
    start: list[dict[int, float]]


@dataclass
class Counts:
    """Expected counts of one direction, as ``Tables``; offers: (open distances, how often)."""

    links: list[Counter[WordPair]]
    null: list[Counter[str]]
    jump: list[Counter[int]]
    start: list[Counter[int]]
    jump_offers: list[Counter[tuple[int, ...]]]
    start_offers: list[Counter[tuple[int, ...]]]


def smoothed_rows(
    counts: dict[WordPair, float], prior: dict[WordPair, float], strength: float
) -> dict[WordPair, float]:
    """(c + m p) / (sum of the state's c + m); 0 for a state without either."""
    totals: Counter[str] = Counter()
    for (_, state), count in counts.items():
        totals[state] += count
    return {
        pair: (count + strength * prior.get(pair, 0.0)) / (totals[pair[1]] + strength)
        if totals[pair[1]] + strength > 0
        else 0.0
        for pair, count in counts.items()
    }


def jump_row(
    table: dict[int, float], origin: int, num_states: int, smoothing: float
) -> list[tuple[float, float]]:
    """Per position what the table and what the smoothing give; a tail is spread evenly."""
    tail = max(table)
    clipped = [max(-tail, min(tail, position - origin)) for position in range(num_states)]
    total = sum(table[distance] for distance in set(clipped))
    return [
        ((1.0 - smoothing) * table[d] / clipped.count(d) / total, smoothing / num_states)
        for d in clipped
    ]


def new_jumps(
    table: dict[int, float], counts: Counter[int], offers: Counter[tuple[int, ...]]
) -> dict[int, float]:
    """Counts over how often each distance was on offer, five times, as offers hang on the table."""
    for _ in range(JUMP_ROUNDS):
        offered: Counter[int] = Counter()
        for distances, often in offers.items():
            total = sum(table[distance] for distance in distances)
            offered.update(dict.fromkeys(distances, often / total))
        raised = {d: counts[d] / offered[d] if offered[d] > 0 else w for d, w in table.items()}
        total = sum(raised.values())
        table = {d: max(weight / total, LEAST_JUMP) for d, weight in raised.items()}
    return table
