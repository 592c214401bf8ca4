"""The comparison that closes the experiments of Galley & Quirk (2011): MERT and LP-MERT, each in
the loop with the decoder, from the same weights, on the same sentences of a Spanish-English system.
"""

from pathlib import Path
from typing import Any

from paper_green import print_systems, rows_of
from paper_runs import SystemFiles, Text, Tuning, Workshop

from isogloss.align.files.text_io import read_lines

__all__ = ["end_to_end"]

FOLDER, REFERENCES = "smt-es-en", 4
MODEL = "wbe-msd-bidirectional-fe"
OPTIMIZERS = ("mert", "lp-mert")
NBEST = "100"


def _text(workshop: Workshop, data: Path, name: str, limit: int | None = None) -> Text:
    """The first sentences of a set with its references."""
    source, *references = (
        workshop.write(f"loop/{file}", [*read_lines(data / FOLDER / file)][:limit])
        for file in (f"{name}.es", *(f"{name}.en.{k}" for k in range(REFERENCES)))
    )
    return Text(f"{name}-{limit or 'all'}", source, tuple(references))


def end_to_end(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return BLEU after each loop: of the tuning set, and of the test set with p."""
    files = data / FOLDER
    system = SystemFiles(
        "loop", files / "phrase-table.gz", files / "lm.arpa.gz",
        f"{MODEL}={files / 'reordering-table.gz'}",
    )  # fmt: skip
    tuned, test = _text(workshop, data, "tune", workshop.largest), _text(workshop, data, "test")
    options = ("--loop", "batch", "--nbest-size", NBEST, "-w", str(files / "default.weights"))
    tunings = [Tuning(system, name, tuned, options) for name in OPTIMIZERS]
    rows = rows_of(workshop, f"galley-loop.{workshop.largest}", tunings, [test])
    print_systems(rows, [test])
    return rows
