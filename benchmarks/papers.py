"""The papers' tables in small, each by one command.

    python benchmarks/papers.py green-2 [--out FOLDER] [--runs N] [--subsets N] [--largest N]
                                        [--threads N] [--json FILE]

green-2, green-4, green-6, green-9: Green et al. (2013); green-2 stands for Tables 2 and 3, green-4
for 4 and 5. chiang-1: Table 1 of Chiang (2012); chiang-f2, -f3, -f4, -f6: Figures 2, 3, 4 and 5,
6. cuong-1, -2, -3, -4: Tables 1 to 4 of Cuong & Sima'an (2015). galley-f5 (with Table 1), -2, -f6,
-f7: Figure 5, Table 2, Figures 6 and 7 of Galley & Quirk (2011). clark-2, -3: Tables 2 and 3 of
Clark, Dyer & Lavie (2014), clark-2-lists, clark-3-lists: the same on fixed lists. All that is built
and learned is kept in --out; a table that was interrupted goes on there, and green-9 reads what
green-2 has left.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mixtures import DATA
from paper_chiang import figure_2, figure_3, figure_4, figure_6
from paper_chiang import table_1 as chiang_1
from paper_clark import table_2 as clark_2
from paper_clark import table_3 as clark_3
from paper_clark_lists import table_2 as clark_2_lists
from paper_clark_lists import table_3 as clark_3_lists
from paper_cuong import table_4 as cuong_4
from paper_cuong_links import table_1 as cuong_1
from paper_cuong_links import table_2 as cuong_2
from paper_cuong_links import table_3 as cuong_3
from paper_galley import figure_5 as galley_5
from paper_galley import figure_6 as galley_6
from paper_galley import figure_7 as galley_7
from paper_galley_beam import table_2 as galley_2
from paper_green import table_2, table_4, table_6, table_9
from paper_runs import Workshop, mark_sources
from program import run_program

TABLES: dict[str, Callable[[Workshop, Path], dict[str, Any]]] = {
    "green-2": table_2,
    "green-4": table_4,
    "green-6": table_6,
    "green-9": table_9,
    "chiang-1": chiang_1,
    "chiang-f2": figure_2,
    "chiang-f3": figure_3,
    "chiang-f4": figure_4,
    "chiang-f6": figure_6,
    "clark-2": clark_2,
    "clark-3": clark_3,
    "clark-2-lists": clark_2_lists,
    "clark-3-lists": clark_3_lists,
    "cuong-1": cuong_1,
    "cuong-2": cuong_2,
    "cuong-3": cuong_3,
    "cuong-4": cuong_4,
    "galley-f5": galley_5,
    "galley-2": galley_2,
    "galley-f6": galley_6,
    "galley-f7": galley_7,
}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the tables."""
    record = {}
    for name in options.tables:
        folder = options.out.resolve() / name.partition("-")[0]
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{name}, {options.runs} runs", flush=True)
        if warning := mark_sources(folder):
            print(f"warning: {warning}", file=sys.stderr)
        sizes = (options.subsets, options.largest)
        workshop = Workshop(folder, options.threads, options.runs, *sizes)
        record[name] = TABLES[name](workshop, options.data.resolve())
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="+", choices=TABLES)
    parser.add_argument(
        "--out", type=Path, default=Path("runs/papers"), metavar="FOLDER", help="all is kept here"
    )
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="of each tuning")
    parser.add_argument(
        "--subsets", type=int, default=1000, metavar="N", help="of each size, for galley"
    )
    parser.add_argument(
        "--largest", type=int, default=1000, metavar="N", help="sentences, for galley-2, -f6, -f7"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("papers.py", parse(), run)
