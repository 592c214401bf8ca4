"""Stored folders with other arrays under checksums that fit, as one who means harm would make."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.files.checksums import file_sums, seal


def tamper(folder: Path, header: str, told: dict[str, Any] | None = None, **arrays: Any) -> None:
    """Put arrays in the place of others (a dot in a name is __); values of others are kept.

    told: what the header says beside the arrays
    """
    values = json.loads((folder / header).read_text())
    for key, array in arrays.items():
        name = key.replace("__", ".")
        np.save(folder / f"{name}.npy", array)
        values["arrays"][name] = [str(array.dtype), list(array.shape)]
    del values["checksum"]
    (folder / header).unlink()
    (folder / header).write_bytes(seal(values | (told or {}) | {"files": file_sums(folder)}))
