"""manifest.json of a pipeline's folder: what the run was made of, and which stages are done."""

import platform
import sys
from typing import Any

from align.errors import DataError
from align.files.stored_folder import StoredKind

from ..runs.run_folder import AGAIN, MANIFEST, digest_of_file, is_in_use, read_manifest
from .config import RunConfig

__all__ = ["open_manifest"]

PIPELINE_RUN = StoredKind(
    kind="isogloss pipeline run", version=(1, 0), remedy=AGAIN, outdated=AGAIN
)


def open_manifest(config: RunConfig, *, resume: bool, overwrite: bool) -> dict[str, Any]:
    """The manifest of the folder to go on with, or a new one.

    Raises DataError where the folder exists and neither was asked for, or holds another run,
    ModelError where it is of another kind or version, and OutputError where it can't be made.
    """
    path = config.out / MANIFEST
    in_use = is_in_use(config.out, resume=resume, overwrite=overwrite)
    fresh = {
        **PIPELINE_RUN.stamp(),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "digest": config.digest,
        "seed": config.seed,
        "inputs": {str(path): digest_of_file(path) for path in config.inputs},
        "stages": {},
    }
    if not in_use or overwrite:
        return fresh
    if not path.exists():
        raise DataError(
            f"{config.out} holds no {MANIFEST}", "the folder of an earlier run", remedy=AGAIN
        )
    types = {"digest": str, "inputs": dict, "stages": dict}
    manifest = read_manifest(path, PIPELINE_RUN, types, AGAIN)
    names = {"digest": "configuration", "program": "version", "inputs": "input"}
    changed = [names[key] for key in names if manifest[key] != fresh[key]]
    if changed:
        raise DataError(
            f"{path} belongs to another {changed[0]}",
            "the folder of the run to go on with",
            remedy=AGAIN,
        )
    return manifest
