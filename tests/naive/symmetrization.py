"""Slow twin of the heuristics that merge the links of two directions."""


def symmetrize(
    forward: set[tuple[int, int]], reverse: set[tuple[int, int]], heuristic: str
) -> set[tuple[int, int]]:
    """Moses's symal on sets of (source, target), as Koehn's pseudocode tells it."""
    chosen, union = forward & reverse, forward | reverse
    if heuristic == "intersection":
        return chosen
    if heuristic == "union":
        return union

    def free(link: tuple[int, int]) -> tuple[bool, bool]:
        return all(link[0] != j for j, _ in chosen), all(link[1] != i for _, i in chosen)

    steps = [(0, -1), (-1, 0), (0, 1), (1, 0)]
    if "diag" in heuristic:
        steps += [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    grown = True
    while grown:
        grown = False
        for i, j in sorted({(i, j) for j, i in union}):
            if (j, i) not in chosen:
                continue
            for step_j, step_i in steps:
                link = (j + step_j, i + step_i)
                if link in union and link not in chosen and any(free(link)):
                    chosen.add(link)
                    grown = True
    if "final" in heuristic:
        enough = all if heuristic.endswith("and") else any
        for links in (forward, reverse):
            for link in sorted(links):
                if enough(free(link)):
                    chosen.add(link)
    return chosen
