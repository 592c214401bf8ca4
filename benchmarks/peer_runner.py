"""Run one other aligner in this process; nothing of ours is imported, which would cost it time.

    python benchmarks/peer_runner.py NAME SOURCE TARGET FORWARD REVERSE

FORWARD receives the links that explain each source word, REVERSE those that explain each target
word, both as source-target positions.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

CHUNK = 5000  # sentence pairs that thot is asked to align at a time
# classes of thot and their iterations; each starts from the one before
HMM = (("Ibm1AlignmentModel", 5), ("HmmAlignmentModel", 3))
MODEL4 = (*HMM, ("Ibm3AlignmentModel", 3), ("Ibm4AlignmentModel", 3))


def run_eflomal(source: Path, target: Path, forward: Path, reverse: Path) -> None:
    """Both directions at once, by eflomal's defaults."""
    import eflomal

    with source.open(encoding="utf-8") as left, target.open(encoding="utf-8") as right:
        # what it calls forward explains each target word
        eflomal.Aligner(model=3).align(
            left, right, links_filename_fwd=str(reverse), links_filename_rev=str(forward)
        )


def train_thot(stages: Iterable[tuple[str, int]], source: Path, target: Path) -> Any:
    """A model of P(target | source)."""
    from thot import alignment

    model: Any = None
    for kind, iterations in stages:
        model = getattr(alignment, kind)(*([] if model is None else [model]))
        if model.num_sentence_pairs == 0:
            model.read_sentence_pairs(str(source), str(target))
        model.start_training()
        for _ in range(iterations):
            model.train()
        model.end_training()
    return model


def thot_links(model: Any, source: Path, target: Path) -> Iterator[list[tuple[int, int]]]:
    """(source, target) positions of the best alignment of each pair."""
    sides = [
        [line.split() for line in file.read_text(encoding="utf-8").split("\n")[:-1]]
        for file in (source, target)
    ]
    for first in range(0, len(sides[0]), CHUNK):
        parts = [side[first : first + CHUNK] for side in sides]
        for _, matrix in model.get_best_alignments(*parts):
            rows, columns = matrix.to_numpy().nonzero()
            yield list(zip(rows.tolist(), columns.tolist(), strict=True))


def run_thot(
    stages: Iterable[tuple[str, int]], source: Path, target: Path, forward: Path, reverse: Path
) -> None:
    """One direction after the other."""
    with reverse.open("w") as out:
        for links in thot_links(train_thot(stages, source, target), source, target):
            out.write(" ".join(f"{i}-{j}" for i, j in links) + "\n")
    with forward.open("w") as out:
        for links in thot_links(train_thot(stages, target, source), target, source):
            out.write(" ".join(f"{i}-{j}" for j, i in links) + "\n")


def main() -> None:
    """Run the aligner that is named."""
    files = [Path(file) for file in sys.argv[2:]]
    if sys.argv[1] == "eflomal":
        run_eflomal(*files)
    else:
        run_thot({"thot": HMM, "thot-model4": MODEL4}[sys.argv[1]], *files)


if __name__ == "__main__":
    main()
