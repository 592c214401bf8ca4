"""Tables and figures of the papers on small data, each made by one command.

    python benchmarks/papers.py green-2 [--out FOLDER] [--runs N] [--subsets N] [--largest N]
                                        [--threads N] [--data FOLDER] [--json FILE]

``--help`` lists the names. All that is built and learned is kept in --out; a table that was
interrupted resumes there, green-9 reads what green-2 has left, and galley-1 what galley-f5 has.
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
from paper_galley import table_1 as galley_1
from paper_galley_beam import table_2 as galley_2
from paper_galley_loop import end_to_end as galley_loop
from paper_green import table_2, table_4, table_6, table_9
from paper_runs import Workshop, mark_sources
from program import run_program

from isogloss.align import UsageError

Table = Callable[[Workshop, Path], dict[str, Any]]
TABLES: dict[str, tuple[Table, str]] = {
    "green-2": (table_2, "Green et al. (2013), Tables 2 and 3"),
    "green-4": (table_4, "Green et al. (2013), Tables 4 and 5"),
    "green-6": (table_6, "Green et al. (2013), Table 6"),
    "green-9": (table_9, "Green et al. (2013), Table 9"),
    "chiang-1": (chiang_1, "Chiang (2012), Table 1"),
    "chiang-f2": (figure_2, "Chiang (2012), Figure 2"),
    "chiang-f3": (figure_3, "Chiang (2012), Figure 3"),
    "chiang-f4": (figure_4, "Chiang (2012), Figures 4 and 5"),
    "chiang-f6": (figure_6, "Chiang (2012), Figure 6"),
    "clark-2": (clark_2, "Clark, Dyer & Lavie (2014), Table 2"),
    "clark-3": (clark_3, "Clark, Dyer & Lavie (2014), Table 3"),
    "clark-2-lists": (clark_2_lists, "Table 2 on fixed n-best lists"),
    "clark-3-lists": (clark_3_lists, "Table 3 on fixed n-best lists"),
    "cuong-1": (cuong_1, "Cuong & Sima'an (2015), Table 1"),
    "cuong-2": (cuong_2, "Cuong & Sima'an (2015), Table 2"),
    "cuong-3": (cuong_3, "Cuong & Sima'an (2015), Table 3"),
    "cuong-4": (cuong_4, "Cuong & Sima'an (2015), Table 4"),
    "galley-f5": (galley_5, "Galley & Quirk (2011), Figure 5"),
    "galley-1": (galley_1, "Galley & Quirk (2011), Table 1"),
    "galley-2": (galley_2, "Galley & Quirk (2011), Table 2"),
    "galley-f6": (galley_6, "Galley & Quirk (2011), Figure 6"),
    "galley-f7": (galley_7, "Galley & Quirk (2011), Figure 7"),
    "galley-loop": (galley_loop, "Galley & Quirk (2011), both in the decoder's loop"),
}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the tables."""
    data = options.data.resolve()
    if not data.is_dir():
        raise UsageError(
            f"there is no folder {data}; name the folder of the real data with --data or "
            "$ISOGLOSS_DATA"
        )
    record = {}
    for name in options.tables:
        folder = options.out.resolve() / name.partition("-")[0]
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{name}, {options.runs} runs", flush=True)
        if warning := mark_sources(folder):
            print(f"warning: {warning}", file=sys.stderr)
        sizes = (options.subsets, options.largest)
        workshop = Workshop(folder, options.threads, options.runs, *sizes)
        record[name] = TABLES[name][0](workshop, data)
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    names = "\n".join(f"  {name:15}{title}" for name, (_, title) in TABLES.items())
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        epilog=f"names of tables and figures:\n{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "tables", nargs="+", choices=TABLES, metavar="NAME", help="a table or figure, see below"
    )
    default = "(default: %(default)s)"
    for name, value, text in (
        ("runs", 3, "tuning runs of each system"),
        ("subsets", 1000, "random subsets of each size, for galley"),
        ("largest", 1000, "number of sentences, for galley-2, -f6, -f7, -loop"),
        ("threads", 1, "number of threads"),
    ):
        parser.add_argument(
            f"--{name}", type=int, default=value, metavar="N", help=f"{text} {default}"
        )
    for name, folder, text in (
        ("out", Path("runs/papers"), "folder of everything that is made"),
        ("data", DATA, "folder of the real data; also $ISOGLOSS_DATA"),
    ):
        parser.add_argument(
            f"--{name}", type=Path, default=folder, metavar="FOLDER", help=f"{text} {default}"
        )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures as JSON")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("papers.py", parse(), run)
