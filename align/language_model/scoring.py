"""Scores of sentences under a language model, by KenLM, and the text of such queries."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UsageError, check_listed
from ..files.parts import scratch_folder
from ..files.text_io import on_one_line
from ..text.corpus import Corpus
from .arpa import check_arpa
from .ngrams import NgramModel
from .words import MARKERS, UNKNOWN, WORD, is_plain

__all__ = ["LanguageModel", "kenlm_module", "query_lines"]

_LN_10 = math.log(10.0)


@cache
def kenlm_module() -> ModuleType | None:
    """KenLM's module ``kenlm``, or None if it is not installed or cannot be loaded."""
    try:
        module = import_module("kenlm")
    except Exception:  # an extension module for another system may raise anything
        return None
    return module if hasattr(module, "Model") and hasattr(module, "Config") else None


class LanguageModel:
    """Sentence probabilities from KenLM (Heafield 2011).

    Words are what stands between ASCII blanks; U+00A0 or U+3000 inside a word is part of it, in
    the file as in the query. Words that the estimator counts as ``<unk>`` (markers spelled as
    words, words with an ASCII blank or NUL inside) are scored as ``<unk>``. Values are summed by
    KenLM in single precision.

    Raises DataError for what isn't ARPA text of order 2 to 6, plain, or compressed where KenLM was
    built so; its own binary format can't be checked, and is not read. Loading is quiet, but for a
    line that KenLM itself writes to stderr about an ARPA file without ``<unk>``. Raises UsageError
    if the module ``kenlm`` is not installed or cannot be loaded.
    """

    __slots__ = ("_model", "_order")

    def __init__(self, path: str | Path) -> None:
        kenlm = kenlm_module()  # not before a model is read
        if kenlm is None:
            raise UsageError(
                "KenLM is not installed or cannot be loaded; run pip install camel-kenlm, or pip "
                "install kenlm where there is no wheel of it"
            )
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        check_arpa(path)
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            reason = on_one_line(str(error)).rpartition(" because ")[2] or type(error).__name__
            raise DataError(
                f"KenLM cannot read this file ({reason[:200]})",
                "ARPA text with an order between 2 and 6",
                file=path,
            ) from error
        self._order = int(self._model.order)

    @classmethod
    def from_ngrams(cls, model: NgramModel) -> "LanguageModel":
        """Load an estimated model, by way of a temporary ARPA file."""
        with scratch_folder(None) as folder:
            path = folder / "model.arpa"
            _with_bigrams(model).save(path)
            loaded = cls(path)
        loaded._order = model.order
        return loaded

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return self._order

    def score(self, sentences: Iterable[str]) -> NDArray[np.float64]:
        """Natural log probability of each sentence with its end, float64[n].

        sentences: words separated by ASCII blanks; an empty one scores the sentence end alone.

        Raises WrongTypeError for one text in place of a list of them.
        """
        check_listed(sentences, "sentences", "a list of strings")
        log10 = map(self._model.score, map(_query_text, sentences))
        return _LN_10 * np.fromiter(log10, np.float64)

    def score_lines(self, lines: Sequence[str]) -> NDArray[np.float64]:
        """Natural log probability of each sentence with its end, float64[num_sentences].

        lines: of :func:`query_lines`, which serve several models; an empty one scores 0, as
        nothing is said about a sentence without tokens.
        """
        score = self._model.score
        return _LN_10 * np.array([score(line) if line else 0.0 for line in lines], np.float64)


def query_lines(corpus: Corpus) -> list[str]:
    """The sentences of a corpus as KenLM takes them, words separated by blanks."""
    words, bounds = _query_words(corpus), corpus.offsets.tolist()
    return [" ".join(words[begin:end]) for begin, end in pairwise(bounds)]


def _query_words(corpus: Corpus) -> list[str]:
    """The tokens of a corpus as KenLM takes them."""
    vocabulary = corpus.vocabulary.words
    if len(corpus.tokens) < len(vocabulary):
        return [
            MARKERS[UNKNOWN] if token < 0 else _query_word(vocabulary[token])
            for token in corpus.tokens.tolist()
        ]
    # Token -1 takes the last entry of the table.
    table = np.array([*map(_query_word, vocabulary), MARKERS[UNKNOWN]], object)
    words: list[str] = table[corpus.tokens].tolist()
    return words


def _query_word(word: str) -> str:
    """``word`` as KenLM takes it: one that it cannot hold becomes ``<unk>``."""
    return word if is_plain(word) else MARKERS[UNKNOWN]


def _query_text(sentence: str) -> str:
    """``sentence`` as KenLM takes it."""
    if "<" not in sentence and "\0" not in sentence:
        return sentence
    return " ".join(map(_query_word, WORD.findall(sentence)))


def _with_bigrams(model: NgramModel) -> NgramModel:
    """A unigram model as a bigram model without bigrams, which KenLM wants; others as they are."""
    if model.order > 1:
        return model
    empty = np.empty(0, np.float32)
    return NgramModel(
        2,
        model.words,
        (model.ngrams[0], np.empty((0, 2), np.int32)),
        (model.log_probability[0], empty),
        (model.log_backoff[0], empty),
    )
