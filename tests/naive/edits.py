"""Edit distance and translation edit rate, written down as they are defined."""

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, floor, inf

Words = Sequence[str]


def edit_distance(words: Words, reference: Words) -> int:
    """Least number of insertions, deletions and substitutions, by the whole table."""
    above = list(range(len(reference) + 1))
    for row, word in enumerate(words, start=1):
        here = [row]
        for column, other in enumerate(reference, start=1):
            here.append(min(above[column] + 1, here[-1] + 1, above[column - 1] + (word != other)))
        above = here
    return above[-1]


def fewest_operations(words: Words, reference: Words) -> list[int]:
    """Insertions, deletions, substitutions of the fewest edits with the most matches."""

    @cache
    def cheapest(own: int, other: int) -> tuple[int, int, int, int]:
        """Edits, substitutions, insertions, deletions of what comes before two places."""
        ways = [(own + other, 0, own, other)] if not own or not other else []
        if own:
            edits, changed, added, lost = cheapest(own - 1, other)
            ways.append((edits + 1, changed, added + 1, lost))
        if other:
            edits, changed, added, lost = cheapest(own, other - 1)
            ways.append((edits + 1, changed, added, lost + 1))
        if own and other:
            edits, changed, added, lost = cheapest(own - 1, other - 1)
            differs = words[own - 1] != reference[other - 1]
            ways.append((edits + differs, changed + differs, added, lost))
        return min(ways)

    _, changed, added, lost = cheapest(len(words), len(reference))
    return [added, lost, changed]


def least_edits(words: Words, references: Sequence[Words]) -> list[int]:
    """Edits and length of the closest reference, the longest of equally close ones."""
    return min(
        ([edit_distance(words, reference), len(reference)] for reference in references),
        key=lambda edits: (edits[0], -edits[1]),
    )


def operations_of(words: Words, references: Sequence[Words]) -> list[int]:
    """Insertions, deletions, substitutions from the reference that `least_edits` takes."""
    closest = min(
        references, key=lambda reference: (edit_distance(words, reference), -len(reference))
    )
    return fewest_operations(words, closest)


def beam_steps(words: Words, reference: Words) -> tuple[float, str]:
    """Distance and steps (k = keep, s = substitute, d = delete, i = insert) within the beam."""
    slope = len(reference) / len(words) if words else 1.0
    beam = ceil(slope / 2 + 25) if slope / 2 > 25 else 25

    def inside(row: int, column: int) -> bool:
        diagonal = floor(row * slope)
        last = len(reference) + 1 if row == len(words) else diagonal + beam
        return row == 0 or diagonal - beam <= column < last

    table: dict[tuple[int, int], tuple[float, str]] = {}
    for row in range(len(words) + 1):
        for column in range(len(reference) + 1):
            ways = [(inf, "", (0, 0))]
            if row and column:
                same = words[row - 1] == reference[column - 1]
                ways.append((not same, "k" if same else "s", (row - 1, column - 1)))
            if row:
                ways.append((1, "d", (row - 1, column)))
            if column:
                ways.append((1, "i", (row, column - 1)))
            if not inside(row, column):
                table[row, column] = inf, ""
            elif row or column:
                # min takes the first of equals
                table[row, column] = min(
                    ((table[at][0] + cost, table[at][1] + step) for cost, step, at in ways[1:]),
                    key=lambda reached: reached[0],
                )
            else:
                table[0, 0] = 0, ""
    return table[len(words), len(reference)]


def shifts(words: Words, reference: Words, steps: str) -> Iterator[tuple[int, int, int]]:
    """(length, begin, target) of the shifts that are tried."""
    aligned, wrong, reference_wrong = {}, [], []
    for step in steps:
        if step != "i":
            wrong.append(step != "k")
        if step != "d":
            aligned[len(reference_wrong)] = len(wrong) - 1
            reference_wrong.append(step != "k")
    for begin in range(len(words)):
        for goal in range(max(0, begin - 50), min(len(reference), begin + 51)):
            for length in range(1, 11):
                block, other = words[begin:][:length], reference[goal:][:length]
                if len(block) < length or list(block) != list(other):
                    break
                if not any(wrong[begin:][:length]) or not any(reference_wrong[goal:][:length]):
                    continue
                if begin <= aligned[goal] < begin + length:
                    continue
                before = -1
                for behind in range(goal - 1, goal + length):
                    target = aligned[behind] + 1 if behind >= 0 else 0
                    if target != before:
                        yield length, begin, target
                    before = target


def shifted(words: Words, length: int, begin: int, target: int) -> Words:
    """The words with a block moved to before ``target``."""
    block, rest = words[begin : begin + length], [*words[:begin], *words[begin + length :]]
    at = target - length if target > begin + length else target
    return (*rest[:at], *block, *rest[at:])


def ter_edits(words: Words, reference: Words) -> int:
    """Shifts and edits by Tercom's greedy search; no more than 1,000 shifts are tried."""
    if not reference:
        return len(words)
    distance_of = cache(lambda one: beam_steps(one, reference))
    words, made, tried = tuple(words), 0, 0
    while True:
        distance, steps = distance_of(words)
        found = list(shifts(words, reference, steps))
        tried += len(found)
        ranked = max(
            (
                (distance - distance_of(shifted(words, *one))[0], one[0], -one[1], -one[2])
                for one in found
            ),
            default=(0, 0, 0, 0),
        )
        if ranked[0] <= 0 or tried >= 1000:
            return made + int(distance)
        words = tuple(shifted(words, ranked[1], -ranked[2], -ranked[3]))
        made += 1


def ter_statistics(words: Words, references: Sequence[Words]) -> list[float]:
    """Fewest edits to any reference, mean length of the references."""
    lengths = [len(reference) for reference in references]
    return [
        min(ter_edits(words, reference) for reference in references),
        sum(lengths) / len(lengths),
    ]
