"""Slow twins of link remapping and of the sample of cells: sets and loops."""

from collections.abc import Sequence


def owned(texts: Sequence[str]) -> list[set[int]]:
    """Characters of each token; one without any owns the next, at the end the last."""
    whole, position, result = sum(map(len, texts)), 0, []
    for text in texts:
        cells = set(range(position, position + len(text)))
        if not cells and whole:
            cells = {min(position, whole - 1)}
        result.append(cells)
        position += len(text)
    return result


def images(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """New tokens that share a character with each old one."""
    targets = owned(new)
    return [[k for k, other in enumerate(targets) if cells & other] for cells in owned(old)]


def remap(
    links: dict[tuple[int, int], float],
    source: tuple[Sequence[str], Sequence[str]],
    target: tuple[Sequence[str], Sequence[str]],
) -> dict[tuple[int, int], float]:
    """Links between the new tokens of one sentence pair, each with its highest score."""
    sides = images(*source), images(*target)
    result: dict[tuple[int, int], float] = {}
    for (s, t), score in links.items():
        for new in ((a, b) for a in sides[0][s] for b in sides[1][t]):
            result[new] = max(score, result.get(new, score))
    return dict(sorted(result.items()))


def sampled_cells(
    source: Sequence[Sequence[int]], target: Sequence[Sequence[int]], mask: int
) -> list[list[int]]:
    """Hashes of the cells of each sentence pair whose bits under ``mask`` are 0."""
    return [
        [s ^ t for s in left for t in right if (s ^ t) & mask == 0]
        for left, right in zip(source, target, strict=True)
    ]
