"""eflomal's priors, counted link by link; forward and reverse in our sense."""

from collections import Counter
from collections.abc import Iterable, Sequence

Pair = tuple[Sequence[str], Sequence[str], Iterable[tuple[int, int]], Iterable[tuple[int, int]]]


def moves(states: dict[int, list[int]], length: int) -> list[int]:
    """Steps between the states of the explained words, from -1 and to the end."""
    steps, here = [], -1
    for position in sorted(states):
        steps.append(min(states[position]) - here)
        here = max(states[position])
    return [*steps, length - here]


def prior_lines(pairs: Iterable[Pair]) -> list[str]:
    """Lines of text from (source, target, forward links, reverse links)."""
    counts: dict[str, Counter[tuple[str | int, ...]]] = {
        kind: Counter() for kind in ("LEX", "FERF", "FERR", "HMMF", "HMMR")
    }
    for source, target, forward, reverse in pairs:
        by_source: dict[int, list[int]] = {}
        by_target: dict[int, list[int]] = {}
        for i, j in set(forward):
            by_source.setdefault(i, []).append(j)
        for i, j in set(reverse):
            by_target.setdefault(j, []).append(i)
            counts["LEX"][source[i], target[j]] += 1
        for position, number in Counter(i for i, j in set(reverse)).items():
            counts["FERF"][source[position], number] += 1
        for position, number in Counter(j for i, j in set(forward)).items():
            counts["FERR"][target[position], number] += 1
        counts["HMMF"].update((step,) for step in moves(by_target, len(source)))
        counts["HMMR"].update((step,) for step in moves(by_source, len(target)))
    return [
        "\t".join([kind, *map(str, key), f"{number:g}"])
        for kind, own in counts.items()
        for key, number in sorted(own.items())
    ]
