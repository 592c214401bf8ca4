"""Kernels that commands call from Python, and with what types: the list of isogloss/compilation.

    python -m tests.signatures

writes it again, from what the tests of the commands ask for, and has tests/usual_kernels.py write
which of them a command usually calls; it takes as long as these do.
"""

import os
import subprocess
import sys
from pathlib import Path

from isogloss.align.kernels.lazy import Kernel
from isogloss.compilation.signatures import LIST, kernel_line, read_list

RECORD = "ISOGLOSS_TEST_SIGNATURES"  # names a file that lines are added to, in place of a check
PACKAGE = "isogloss"


def asked_for() -> set[str]:
    """Lines of the list for all kernels that this process has called from Python."""
    return {
        kernel_line(kernel, signature)
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == PACKAGE
        for kernel in vars(module).values()
        if isinstance(kernel, Kernel) and kernel.__module__ == name
        for signature in kernel.signatures
    }


def check_or_record(lines: set[str]) -> None:
    """All lines are on the list; or they are added to a file, where the environment names one."""
    if file := os.environ.get(RECORD):
        with Path(file).open("a", encoding="utf-8") as record:
            record.writelines(f"{line}\n" for line in sorted(lines))
        return
    missing = sorted(lines - set(read_list()))
    assert not missing, (
        f"commands call kernels with types that are not in {LIST.name}; write it again with: "
        f"python -m tests.signatures\n" + "\n".join(missing)
    )


def main() -> None:
    """Run the tests of the commands, and write the list where they pass."""
    record = LIST.with_suffix(".part")
    record.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "tests/cli", *sys.argv[1:]]
    subprocess.run(command, env=os.environ | {RECORD: str(record)}, check=True)
    lines = sorted(set(record.read_text(encoding="utf-8").splitlines()))
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    record.replace(LIST)
    subprocess.run([sys.executable, "-m", "tests.usual_kernels"], check=True)
    print(f"{len(lines)} lines in {LIST}")


if __name__ == "__main__":
    main()
