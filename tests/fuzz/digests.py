"""What every command writes, as digests: `python -m tests.fuzz.digests SEEDS [--threads N]`.

Run under other circumstances, such as another locale, it has to print the same.
"""

import argparse
import hashlib
import io
import json
import sys
from collections.abc import Collection, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from tests.fuzz.commands import COMMANDS, carry_out, written

__all__ = ["digests", "main"]

# time and memory, or absolute paths, stand in these
TOLD = {"run/usage.json"}
OF_THE_PIPELINE = {"run/manifest.json", "run/report.txt"}


def digests(seeds: Path, names: Collection[str], threads: int) -> dict[str, str]:
    """SHA-256 of what commands write to files and standard output, by command and name of file."""
    found = {}
    for name in names:
        with TemporaryDirectory() as place:
            folder = Path(place) / "seeds"
            copytree(seeds, folder)
            output = io.StringIO()
            with redirect_stdout(output):
                status = carry_out(name, folder, threads)
            files = written(folder) | {
                "status": b"%d" % status,
                "stdout": output.getvalue().encode(),
            }
            passed = TOLD | (OF_THE_PIPELINE if name == "run" else set())
            for file in sorted(files.keys() - passed):
                found[f"{name}: {file}"] = hashlib.sha256(files[file]).hexdigest()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print digests as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[*COMMANDS])
    options = parser.parse_args(arguments)
    json.dump(digests(options.seeds, options.only, options.threads), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
