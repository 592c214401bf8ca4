"""The command of a tuning run, as its manifest records it and `isogloss rerun` reads it again."""

from typing import Any, TypeVar

from isogloss.align.errors import DataError

from ...options import build_options, check_values, flat_values, option_names
from ...runs.run_folder import MANIFEST
from ...tuning.folder import TuningFolder
from ...tuning.optimizer_options import optimizer_option_names

__all__ = ["recorded_command", "recorded_options"]

Options = TypeVar("Options")
_REMEDY = "Bring it back from a copy, or repeat the run with the version that it names"

# what doesn't change the result, or says where it goes
_NOT_RECORDED = frozenset((
    "output", "out", "resume", "overwrite", "threads", "quiet", "verbose", "max_memory", "tmpdir",
    "cluster",
))  # fmt: skip


def recorded_command(options: Any) -> dict[str, Any]:
    """All options by name that the result depends on, as JSON has them.

    Options of optimisers that were not given are None.
    """
    values = dict.fromkeys(optimizer_option_names()) | flat_values(options)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in sorted(values.items())
        if name not in _NOT_RECORDED
    }


def recorded_options(folder: TuningFolder, kind: type[Options]) -> Options:
    """The options that the folder of a run records, an object of the dataclass ``kind``.

    What says where results go is never taken from there: the folder may be a stranger's.

    Raises DataError where one is missing that is not an optimiser's, or is not what it can be.
    """
    optional = _NOT_RECORDED.union(optimizer_option_names())
    for name in option_names(kind):
        if name not in optional and name not in folder.command:
            raise DataError(
                f"command without {name}",
                "all options of `isogloss tune`",
                file=folder.path / MANIFEST,
                remedy=_REMEDY,
            )
    given = {
        name: value
        for name, value in folder.command.items()
        if value is not None and name not in _NOT_RECORDED
    }
    try:
        check_values(kind, given)
    except DataError as error:
        raise error.placed(folder.path / MANIFEST, remedy=_REMEDY) from error
    return build_options(kind, given)
