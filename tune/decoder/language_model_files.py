"""Language models from files: ARPA text, and the binaries that KenLM's `build_binary` makes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, check_path, pluralize, warn
from isogloss.align.execution.calls import public
from isogloss.align.files.memory import free_memory
from isogloss.align.language_model.kenlm_files import (
    LARGEST_LOG,
    PROBING,
    REST_PROBING,
    KenlmFile,
    is_kenlm,
)
from isogloss.align.language_model.kenlm_tries import read_trie
from isogloss.align.language_model.ngrams import NgramModel

from .kernels.ngram import CROWDED, NO_EXTENSION, insert_ngrams, longest_run
from .language_model import (
    CROWDED_TOGETHER,
    NgramTable,
    bytes_of_table,
    empty_table,
    natural_logs,
    rise_of_backoffs,
)

__all__ = ["read_language_model"]

_WEIGHTS = [("probability", "<f4"), ("backoff", "<f4")]
_REST = [("rest", "<f4")]
_KEY = [("key", "<u8")]
_VOCABULARY_HEADER, _VOCABULARY_SLOT = 8, 12  # bytes


@public
def read_language_model(path: str | Path) -> NgramTable:
    """Read a language model: ARPA text or a binary of KenLM.

    KenLM's hash tables are used as they are, by the hashes of their n-grams. Their upper bounds on
    the probabilities of longer n-grams are loose: the search is slower and finds translations with
    the same scores. KenLM's tries are read as if from an ARPA file.

    Parameters
    ----------
    path : str or Path
        ARPA text, plain or compressed, or a binary of KenLM of any kind.

    Returns
    -------
    NgramTable

    Raises
    ------
    DataError
        If the file can't be read, is damaged, or doesn't fit in memory.
    WrongTypeError
        If ``path`` is not a path.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "lm.arpa"
    >>> grams = "\\\\1-grams:\\n-1 <unk>\\n-99 <s>\\n-0.5 </s>\\n-0.3 casa\\n".replace(" ", "\\t")
    >>> _ = path.write_text(f"\\\\data\\\\\\nngram 1=4\\n\\n{grams}\\n\\\\end\\\\\\n")
    >>> model = read_language_model(path)
    >>> model.order, len(model.index)
    (1, 4)
    """
    check_path(path)
    if is_kenlm(path):
        with KenlmFile(path) as file:
            if file.kind in (PROBING, REST_PROBING):
                return _read_probing(file)
            _check_memory(file, sum(file.counts[1:]))
            model = read_trie(file)
    else:
        model = NgramModel.load(path)
    if 0 not in model.ngrams[0]:  # the id of <unk>
        warn(f"{path} has no <unk>; unknown words get a log10 probability of -100, as in KenLM")
    try:
        return NgramTable.from_model(model)
    except DataError as error:
        raise error.placed(path) from error


@dataclass(frozen=True)
class _Level:
    """The hash table of one order in the file."""

    # at: its first byte; kind: type of a slot; slots: their number.

    order: int
    at: int
    kind: np.dtype[np.void]
    slots: int

    @property
    def end(self) -> int:
        """Byte behind the table."""
        return self.at + self.kind.itemsize * self.slots

    def entries(self, file: KenlmFile) -> Iterator[NDArray[np.void]]:
        """The n-grams, some at a time, without the empty slots."""
        for block in file.blocks(self.at, self.kind, self.slots):
            yield block[block["key"] != 0]


@dataclass(frozen=True)
class _Survey:
    """What is known of an order's n-grams once they are all seen."""

    # num: how many; highest: natural-log probability; backoff: the highest natural-log backoff.

    num: int
    highest: float
    backoff: float


def _read_probing(file: KenlmFile) -> NgramTable:
    """The model of KenLM's hash tables. Raises DataError for a damaged file."""
    weights = np.dtype(_WEIGHTS + (_REST if file.kind == REST_PROBING else []))
    start = file.start + _VOCABULARY_HEADER + _VOCABULARY_SLOT * _slots(file, 1)
    at = start + weights.itemsize * (file.counts[0] + 1)
    levels = []
    for order in range(2, file.order + 1):
        numbers = weights.descr if order < file.order else _WEIGHTS[:1]
        levels.append(_Level(order, at, np.dtype([*_KEY, *numbers]), _slots(file, order)))
        at = levels[-1].end
    words = file.words(at)
    unigrams = file.array(start, weights, len(words))
    values = _checked_values(file, unigrams, 1)
    surveys = [_survey(file, level) for level in levels]
    num = sum(survey.num for survey in surveys)
    _check_memory(file, num)
    backoffs = [np.array([survey.backoff], np.float32) for survey in surveys]
    rise = rise_of_backoffs([natural_logs(unigrams["backoff"]), *backoffs])
    table = empty_table(file.order, words, values, num, rise)
    highest = [survey.highest for survey in surveys]
    table.arrays.unigram_bound[:] = _bounds(unigrams, values, highest)
    for level in levels:
        _insert(file, level, table, surveys[level.order - 2 :])
    if longest_run(table.arrays.keys) > CROWDED:
        raise file.error(CROWDED_TOGETHER, "a file written by build_binary")
    return table


def _insert(file: KenlmFile, level: _Level, table: NgramTable, surveys: Sequence[_Survey]) -> None:
    """Put the n-grams of an order into the table."""
    # surveys: of this order and of longer ones Raises DataError for two n-grams of one hash, and
    # other n-grams than there were.
    left, highest = surveys[0].num, [survey.highest for survey in surveys[1:]]
    for block in level.entries(file):
        left -= len(block)
        if left < 0:
            raise file.error("the file changed while it was read", "")
        values = _checked_values(file, block, level.order)
        bounds = _bounds(block, values, highest)
        repeated = insert_ngrams(table.arrays, block["key"].copy(), values, bounds)
        if repeated > 0:
            raise file.error("two n-grams have the same hash", "")
        if repeated < 0:
            raise file.error(CROWDED_TOGETHER, "a file written by build_binary")


def _slots(file: KenlmFile, order: int) -> int:
    """Slots of the hash table of an order, as KenLM computes them, in single precision."""
    count = file.counts[order - 1]
    return max(count + 1, int(np.float32(file.multiplier) * np.float32(count)))


def _survey(file: KenlmFile, level: _Level) -> _Survey:
    """Look at the n-grams of an order. Raises DataError for bad numbers, and too few n-grams."""
    num, highest, backoff = 0, -np.inf, 0.0
    for block in level.entries(file):
        values = _checked_values(file, block, level.order)
        num += len(values)
        highest = max(highest, values[:, 0].max(initial=-np.inf))
        if level.order < file.order:
            backoff = max(backoff, natural_logs(block["backoff"]).max(initial=0.0))
    count = file.counts[level.order - 1]
    # pruning may have left holes, which were filled, but not among the longest
    if num < count or num >= level.slots or (num > count and level.order == file.order):
        raise file.error(
            f"the file has {pluralize(num, 'n-gram')} of order {level.order}",
            f"{count}, as in the header",
        )
    return _Survey(num, float(highest), float(backoff))


def _checked_values(file: KenlmFile, entries: NDArray[np.void], order: int) -> NDArray[np.float32]:
    """Natural-log probability and backoff of n-grams of an order, float32[num, 2]."""
    # The sign of a probability says that no other word extends its n-gram, that of a backoff of 0
    # that it is the context of none; among the longest n-grams both are so. Raises DataError for
    # numbers that stand for no probability.
    numbers = [entries["probability"]]
    if order < file.order:
        numbers.append(entries["backoff"])
    bad = ~np.logical_and.reduce([np.abs(logs) <= LARGEST_LOG for logs in numbers])
    if order == file.order:
        bad |= numbers[0] > 0.0
    if bad.any():
        shown = ", ".join(f"{logs[bad][0]:g}" for logs in numbers)
        raise file.error(
            f"a {order}-gram has the values {shown}", "a log probability and a finite backoff"
        )
    values = np.full((len(entries), 2), NO_EXTENSION, np.float32)
    values[:, 0] = -np.abs(natural_logs(numbers[0]))
    for backoff in numbers[1:]:
        is_context = (backoff != 0.0) | ~np.signbit(backoff)
        values[is_context, 1] = natural_logs(backoff[is_context])
    return values


def _bounds(
    entries: NDArray[np.void], values: NDArray[np.float32], highest: Sequence[float]
) -> NDArray[np.float32]:
    """What no older words can raise the probabilities of n-grams above: float32[num]."""
    # values: float32[num, 2], of the n-grams; highest: natural-log probability of each longer
    # order.
    most = np.float32(max(highest, default=-np.inf))
    extended = ~np.signbit(entries["probability"])
    return np.where(extended, np.maximum(values[:, 0], most), values[:, 0])


def _check_memory(file: KenlmFile, num: int) -> None:
    """Raise DataError where a table of ``num`` n-grams doesn't fit in memory."""
    needed, free = bytes_of_table(num), free_memory()
    if free is not None and needed > free:
        raise file.error(
            f"the {num:,} n-grams need {needed / 1e9:,.1f} GB of memory",
            f"at most the {free / 1e9:,.1f} GB that are available",
            "Use a smaller model (pruned or of lower order), or save it with `isogloss decode "
            "--save` on a larger machine: saved models are memory-mapped",
        )
