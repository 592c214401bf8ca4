"""What pip and build call: hatchling, and for a wheel with compiled kernels what these need.

An editable installation needs none: its kernels are compiled when they are first called.
"""

import sys
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - pip would tell it late, or of NumPy instead
    version = ".".join(map(str, sys.version_info[:2]))
    sys.exit(f"isogloss needs Python 3.11 or newer; this is Python {version}")

from hatchling.build import *  # noqa: F403 all of its hooks are this backend's, too
from hatchling.build import get_requires_for_build_wheel as _required
from hatchling.builders.wheel import WheelBuilder
from isogloss_hook import is_wanted


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What hatchling needs; to compile, all that the library runs with, and the tested Numba."""
    required: list[str] = _required(config_settings)
    if is_wanted():
        project = WheelBuilder(str(Path.cwd())).metadata.core
        required += [*project.dependencies, *project.optional_dependencies["kernels"]]
    return required
