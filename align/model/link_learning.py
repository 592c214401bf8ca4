"""A model that learns from gold links which of its cells are links."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arrays.id_counts import id_counts
from ..arrays.ragged import row_numbers
from ..arrays.row_choice import Rows, rows_chosen
from ..errors import DataError, check_argument, warn
from ..links.classifier.candidates import Candidates, Translations, word_features
from ..links.classifier.learning import GoldCells, learn_classifier
from ..links.classifier.thresholds import Aim
from ..links.evaluate import evaluate
from ..links.external_links import ExternalLinks
from ..links.gold_links import SHIFTS, GoldLinks, gold_hint
from ..links.gold_sample import placed
from ..links.links import Links
from ..text.bitext import Bitext
from ..text.corpus import Corpus
from .chosen_links import by_posterior
from .cooccurrence import Cells
from .parameters import POSTERIOR
from .posterior_links import ModelPosteriorLinks

__all__ = ["ModelLinkLearning"]

_RUN = 30  # pairs with gold links that are looked at by themselves


@dataclass(frozen=True, eq=False, repr=False)
class ModelLinkLearning(ModelPosteriorLinks):
    """A model that can be taught by gold links."""

    def learn_links(
        self,
        bitext: Bitext,
        gold: GoldLinks,
        *,
        rows: Rows | None = None,
        aim: str = "aer",
        external_links: ExternalLinks | Links | None = None,
        threads: int = 1,
    ) -> Self:
        """Learn from some sentences with gold links which pairs of positions are links.

        A classifier of gradient-boosted trees learns from the posteriors of both directions, those
        of the positions around, translation probabilities, positions, lengths, word counts and
        kinds of characters. A second one learns also from what the first says of the positions
        around. Both are cross-fitted. Possible links are left out of learning. What comes out is
        calibrated (Platt 1999), so that it is the probability that a link is right.

        Parameters
        ----------
        bitext : Bitext
            Sentence pairs, best those that the model was trained on.
        gold : GoldLinks
            Gold links of the same sentence pairs.
        rows : sequence of int, slice, or ndarray of bool, optional
            Pairs that have gold links, by number or as a mask; default: all of them.
        aim : {"aer", "f1", "precision=P"}, default "aer"
            What the threshold of links is best for: the lowest AER, the highest F1, or as many
            links as have a precision of P, between 0 and 1.
        external_links : ExternalLinks or Links, optional
            External alignments of the same sentence pairs, if those that the model is to align have
            them, too.
        threads : int, default 1
            Does not affect the result.

        Returns
        -------
        AlignmentModel
            Its links are chosen by ``model.classifier``, whose chances are their probabilities; it
            shows the AER on sentences that it hasn't learned from.

        Raises
        ------
        UsageError
            If LightGBM isn't installed, the model has no HMM iterations, or the aim is unknown.
        DataError
            If the gold links or external links are of another text, there are gold links of fewer
            than 10 sentence pairs, a pair is chosen twice, or no links have the precision that is
            the aim.
        IndexError
            If rows are out of range.

        Examples
        --------
        >>> import isogloss as ig
        >>> bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
        >>> gold = ig.read_gold("data/train.en-es.gold.gz")
        >>> model = ig.train(bitext, hmm_iterations=2)
        >>> taught = model.learn_links(bitext[:100], gold[:100])
        >>> taught.classifier.num_sentences
        100
        """
        check_argument(gold, GoldLinks, "gold", "GoldLinks", "read_gold(path)")
        wanted = Aim.parse(aim)
        words = self._word_features(bitext)
        whole, weighed = bitext, None
        if external_links is not None:
            weighed = self.weigh(bitext, external_links, threads)
        if rows is not None:
            rows = rows_chosen(rows, len(bitext), "sentence pairs")
            if len(np.unique(rows)) < len(rows):
                raise DataError("rows name a sentence pair twice", "each pair once")
            weighed = None if weighed is None else weighed.select(rows)
            gold = gold[rows] if len(gold) == len(bitext) else gold
            bitext = bitext[rows]
        if len(gold) != len(bitext):
            raise DataError(
                f"the gold links are of {len(gold)} sentence pairs, but the text has {len(bitext)}"
            )
        gold.possible.check_range(bitext.source.lengths, bitext.target.lengths)
        posterior = self.domain_posteriors(bitext, threads)
        untaught = replace(self, classifier=None)
        encoded = self._fitted(bitext)
        values = self._link_posteriors(encoded, threads, posterior, weighed)
        cells = self._cells(encoded)
        likely = by_posterior(self._calibration, encoded, cells, values, untaught.threshold)
        linked = self.with_identical_words(likely, bitext, POSTERIOR)
        if hint := _misfit(untaught, whole, rows, linked, gold, threads):
            raise DataError(hint)
        sizes = np.stack([encoded.source.lengths, encoded.target.lengths]).astype(np.int64)
        candidates = Candidates.of(
            cells.offsets, sizes, values,
            (words[0][encoded.source.tokens], words[1][encoded.target.tokens]),
            Translations(self.parameters.lexical, cells.pair_ids, posterior),
        )  # fmt: skip
        places = candidates.places[:, 0]
        is_sure = _are_linked(gold.sure, cells, sizes)[places]
        kinds = np.where(is_sure, 1, 2 * _are_linked(gold.possible, cells, sizes)[places])
        known = GoldCells(
            kinds.astype(np.int8), np.diff(gold.sure.offsets),
            self._calibration.confidence(*values[:, places]), evaluate(linked, gold).aer,
        )  # fmt: skip
        learned = learn_classifier(candidates, known, words, wanted)
        if wanted.name == "aer" and learned.aer >= learned.aer_before:
            warn(
                f"{learned.num_sentences} sentences with gold links don't lower the AER of each "
                f"other by cross-fitting: {learned.aer:.2%} with what they teach, "
                f"{learned.aer_before:.2%} without it. Link more sentences by hand"
            )
        return replace(self, classifier=learned)

    def _word_features(self, bitext: Bitext) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Features of the model's words: float32[num_words + 1, 3] for each side."""
        text = self.encode(bitext) if self.trained_on is None else self.trained_on.bitext
        return _features_of(text.source), _features_of(text.target)


def _misfit(
    model: ModelPosteriorLinks,
    text: Bitext,
    rows: NDArray[np.int64] | None,
    linked: Links,
    gold: GoldLinks,
    threads: int,
) -> str:
    """What would explain that gold links fit badly; of some rows, those around are looked at."""
    if rows is None or not (np.diff(rows) > 0).all():
        return gold_hint(linked, gold)
    around = np.arange(-SHIFTS, SHIFTS + 1) + rows[:, None]
    near = np.unique(np.clip(around, 0, len(text) - 1))
    found = placed(model.align_posterior(text[near], None, threads), near, len(text))

    def hint(chosen: NDArray[np.int64]) -> str:
        some = gold[chosen]
        sides = (placed(side, rows[chosen], len(text)) for side in (some.sure, some.possible))
        return gold_hint(found, GoldLinks(*sides))

    every = np.arange(len(rows))
    if told := hint(every):
        return told
    for chosen in np.array_split(every, max(len(rows) // _RUN, 1)):  # a line may be lost inside
        if told := hint(chosen):
            return f"of the pairs {rows[chosen[0]] + 1} to {rows[chosen[-1]] + 1}, {told}"
    return ""


def _features_of(corpus: Corpus) -> NDArray[np.float32]:
    counts = id_counts(corpus.tokens, len(corpus.vocabulary))
    return word_features(corpus.vocabulary.words, counts)


def _are_linked(links: Links, cells: Cells, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether cells are links: bool[num_cells]. sizes: int64[2, num_pairs], words of each pair"""
    found = np.zeros(len(cells.pair_ids), np.bool_)
    pair = row_numbers(links.offsets)
    found[cells.offsets[pair] + links.source * sizes[1, pair] + links.target] = True
    return found
