"""Spans carried over by links, sentence by sentence, with sets."""

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["bridged", "project_sentence"]

Links = Mapping[tuple[int, int], float]
Parts = tuple[tuple[int, int], ...]


def bridged(links: Links, num_source: int, num_target: int) -> dict[tuple[int, int], float]:
    """The links, and those of probability 0 of words without any."""
    result = dict(links)
    linked_source, linked_target = {i for i, _ in links}, {j for _, j in links}
    begin = 0
    while begin < num_source:
        end = begin
        while end < num_source and end not in linked_source:
            end += 1
        if end > begin:
            low = max((j for i, j in links if i == begin - 1), default=-1) + 1
            high = min((j for i, j in links if i == end), default=num_target)
            facing = range(low, high)
            if links and facing and not linked_target & set(facing):
                size, width = end - begin, len(facing)
                for step in range(size):
                    for k, target in enumerate(facing):
                        # the word's share of the stretch overlaps the other's
                        if k * size < (step + 1) * width and (k + 1) * size > step * width:
                            result[begin + step, target] = 0.0
        begin = end + 1
    return result


def runs(words: Iterable[int], widest: int = 0) -> list[list[int]]:
    """Words by runs without a hole of more than ``widest`` words."""
    found: list[list[int]] = []
    for word in sorted(words):
        if found and word - found[-1][-1] <= widest + 1:
            found[-1].append(word)
        else:
            found.append([word])
    return found


def confidence(words: set[int], source: set[int], links: Links) -> float:
    """As project() says it."""
    into = {(i, j): p for (i, j), p in links.items() if i in source and j in words and p > 0.0}
    if not into:
        return 0.0
    best = [max((p for (i, _), p in into.items() if i == word), default=0.0) for word in source]
    return sum(best) / len(source) * len({j for _, j in into}) / len(words)


def image(part: tuple[int, int], links: Links, gaps: str, max_gap: int) -> set[int]:
    """The words of the other side of one part of a span."""
    weight: dict[int, float] = {}
    for (i, j), p in links.items():
        if part[0] <= i < part[1]:
            weight[j] = max(weight.get(j, 0.0), p)
    if not weight:
        return set()
    near = max(runs(weight, max_gap), key=lambda run: sum(weight[j] for j in run))
    if gaps == "fill":
        return set(range(near[0], near[-1] + 1))
    return set(near) if gaps == "keep" else set(max(runs(near), key=len))


def project_sentence(
    spans: Sequence[Parts],
    links: Links,
    *,
    gaps: str = "fill",
    max_gap: int = 3,
    min_confidence: float = 0.0,
    nested: bool = True,
) -> dict[int, tuple[Parts, float]]:
    """Parts and confidence of each span that is carried over, by its number."""
    sources = [{i for begin, end in parts for i in range(begin, end)} for parts in spans]
    images = [
        set().union(*(image(part, links, gaps, max_gap) for part in parts)) for parts in spans
    ]
    sure = [confidence(words, sources[k], links) for k, words in enumerate(images)]
    taken: list[int] = []
    for k in sorted(range(len(spans)), key=lambda k: (-sure[k], k)):
        others = [o for o in taken if not (nested and sources[o] & sources[k])]
        free = images[k] - set().union(*(images[o] for o in others))
        if free != images[k]:
            images[k] = free if gaps == "keep" or not free else set(max(runs(free), key=len))
        taken.append(k)
    result = {}
    for k, words in enumerate(images):
        value = confidence(words, sources[k], links) if words else 0.0
        if words and value >= min_confidence:
            result[k] = tuple((run[0], run[-1] + 1) for run in runs(words)), value
    return result
