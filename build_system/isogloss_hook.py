"""Build hook: a wheel holds its kernels compiled, and is then for this system and Python alone.

A wheel without them is one for every system. It is built on another processor than x86-64, with
ISOGLOSS_BUILD_KERNELS=0, and by pip and uv, which build to install at once: all kernels take longer
to compile than those that a new installation calls first. ISOGLOSS_BUILD_KERNELS=1 has pip and uv
compile them, too. Where kernels are to be compiled and can't be, no wheel is built.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SWITCH = "ISOGLOSS_BUILD_KERNELS"
SITE_SWITCH = "ISOGLOSS_BUILD_SITE"  # whether a wheel holds the site, which was built before
INSTALLERS = ("PIP_BUILD_TRACKER", "UV")  # what pip and uv set for what they build
PROCESSORS = ("x86_64", "amd64")
SUBPACKAGES = ("align", "features", "tune")  # folders beside isogloss/, which has links to them


class CompiledKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles kernels into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the files of a wheel are gathered; none of an editable installation are."""
        root = Path(self.root)
        if version == "editable":
            link_subpackages(root)
            return
        build_data["force_include"].update(placed_in_package(root))
        if not is_wanted():
            self.app.display_info(f"The wheel has no compiled kernels; {SWITCH}=1 compiles them.")
            return
        link_subpackages(root)
        folder = root / "build" / "compiled"
        reason = compile_kernels(root, folder)
        if reason is not None:
            self.app.abort(
                f"{reason}\nThe kernels can't be compiled, so no wheel is built; "
                f"set {SWITCH}=0 to build a wheel without compiled kernels."
            )
        build_data["force_include"][str(folder)] = "isogloss/align/compiled"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def placed_in_package(root: Path) -> dict[str, str]:
    """Folders and files that stand beside isogloss/, and where a wheel has them."""
    sample = sorted(path for path in (root / "data").iterdir() if path.is_file())
    placed = [*(root / name for name in SUBPACKAGES), *sample]
    places = {str(path): f"isogloss/{path.relative_to(root)}" for path in placed}
    if os.environ.get(SITE_SWITCH, "0") != "0":
        places[str(root / "docs" / "_build" / "html")] = "isogloss/site"
    return places


def link_subpackages(root: Path) -> None:
    """See that a checkout has isogloss/align -> ../align and the others, as a clone has.

    An unpacked sdist has no links, nor has a clone where git makes none of them.
    """
    for name in SUBPACKAGES:
        link = root / "isogloss" / name
        if not link.is_dir():
            link.unlink(missing_ok=True)
            link.symlink_to(Path("..", name), target_is_directory=True)


def is_wanted() -> bool:
    """Whether kernels can be compiled for this processor's level, and shall be."""
    default = "0" if any(name in os.environ for name in INSTALLERS) else "1"
    asked = os.environ.get(SWITCH, default)
    return asked != "0" and platform.machine().lower() in PROCESSORS


def compile_kernels(root: Path, folder: Path) -> str | None:
    """Compile them into a folder; what kept it from that, else None.

    Numba's files stay in build/kernels: the next build compiles what has changed since.
    """
    shutil.rmtree(folder, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if name[:6] != "NUMBA_"}
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    command = [sys.executable, "-m", "isogloss.compilation.portable"]
    command += [str(folder), str(root / "build" / "kernels")]
    done = subprocess.run(command, env=environment, cwd=root, stderr=subprocess.PIPE, text=True)
    return None if done.returncode == 0 else done.stderr.strip() or f"status {done.returncode}"
