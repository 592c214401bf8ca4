"""Where the n-best lists of the batch loop come from: our decoder, or a command of the user's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from isogloss.align.files.writers import write_lines
from isogloss.features.space import FeatureSpace
from isogloss.tune.decoder.model import FIXED_FEATURES, Decoder
from isogloss.tune.nbest.types import NBest
from isogloss.tune.nbest.writer import nbest_lines
from isogloss.tune.online.decoder_loop import TuningText, decode_corpus, decoded_lists
from isogloss.tune.results import Advance
from isogloss.tune.weights.weights import Weights

__all__ = ["OwnDecoder", "TranslationSource", "over_used_features"]


class TranslationSource(Protocol):
    """What translates a text under given weights."""

    def write_list(
        self, weights: Weights, text: TuningText, size: int, path: Path, advance: Advance
    ) -> None:
        """Write the n-best list of a text in Moses's format, best hypothesis first.

        size: hypotheses per sentence; path: of the list, which is written whole or not at all
        advance: is called with the number of sentences that were translated since the last call
        """
        ...


@dataclass(frozen=True)
class OwnDecoder:
    """Our decoder as a source of lists; its fixed features don't stand in them."""

    decoder: Decoder
    threads: int = 1

    def write_list(
        self, weights: Weights, text: TuningText, size: int, path: Path, advance: Advance
    ) -> None:
        """Write the n-best list of a text, see :class:`TranslationSource`."""
        translations = decode_corpus(
            self.decoder, text.sentences, weights,
            nbest_size=size, threads=self.threads, advance=advance,
        )  # fmt: skip
        lists = over_used_features(decoded_lists(self.decoder, translations), FIXED_FEATURES)
        order = [np.asarray(lists.hypotheses(k)) for k in range(len(lists))]
        scores = np.concatenate([derivations.score for derivations in translations])
        write_lines(nbest_lines(lists, order, scores, "moses"), path)


def over_used_features(lists: NBest, without: Sequence[str] = ()) -> NBest:
    """The lists over the dense features, and the sparse ones that they have.

    without: features that are left out, as Moses does with those that nothing is learned of
    """
    kept = np.arange(len(lists.space)) < lists.space.num_dense
    kept[lists.rows.ids] = True  # of millions of sparse features lists have few
    kept[lists.space.ids(without)] = False
    space = FeatureSpace(lists.space.names[k] for k in np.flatnonzero(kept).tolist())
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return replace(lists, rows=lists.rows.renumbered(numbers), space=space)
