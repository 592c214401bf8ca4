"""Statistics of all hypotheses of n-best lists: text to symbols to kernel, block by block."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, check_argument, pluralize
from isogloss.align.execution import run_all
from isogloss.align.text.string_array import Texts

from ..nbest.types import NBest
from ..references import References, check_references
from .kernels.tokens import SentenceTexts, Symbols, number_units

__all__ = ["measure"]

_T = TypeVar("_T", bound=np.generic)
_BLOCK = 32  # sentences of a task; the memory of a task goes with it


def measure(
    name: str,
    lists: NBest,
    references: References | None,
    units: Sequence[int],
    kernel: Callable[..., None],
    num_statistics: int,
    *,
    threads: int = 1,
) -> NDArray[np.float64]:
    """float64[num_hypotheses, num_statistics], what the kernel writes.

    name: of the metric, for messages; references: those of the lists where None
    units: what texts are split into, see ``kernels.tokens``
    kernel: called with the Symbols of a block of sentences, one for each of the units, and the rows
    of its hypotheses

    Raises DataError where there are no references, or not those of every sentence, and
    WrongTypeError for texts in place of lists.
    """
    remedy = "score(translations, references) for texts"
    check_argument(lists, NBest, "lists", "an NBest", remedy)
    references = lists.references if references is None else references
    if references is None:
        raise DataError(f"{name} needs references; pass `references=...`")
    check_references(references)
    if len(references) != len(lists):
        raise DataError(
            f"there are references for {pluralize(len(references), 'sentence')}",
            f"{len(lists)}, as in the lists",
        )
    hypothesis_texts = _sentence_texts(lists.texts, lists.sentence_offsets)
    reference_texts = _sentence_texts(references.texts, references.offsets)
    result = np.zeros((len(lists.texts), num_statistics))

    def block(first: int) -> None:
        last = min(first + _BLOCK, len(lists))
        symbols: list[Symbols] = [
            number_units(unit, hypothesis_texts, reference_texts, first, last) for unit in units
        ]
        begin, end = lists.sentence_offsets[first], lists.sentence_offsets[last]
        kernel(*symbols, result[begin:end])

    starts = range(0, len(lists), _BLOCK)
    run_all((partial(block, first) for first in starts), threads)
    return result


def _sentence_texts(texts: Texts, sentences: NDArray[np.int64]) -> SentenceTexts:
    return SentenceTexts(
        _read_only(texts.content), _read_only(texts.offsets), _read_only(sentences)
    )


def _read_only(array: NDArray[_T]) -> NDArray[_T]:
    """The array as kernels are compiled for it, whether it may be written to or not."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view
