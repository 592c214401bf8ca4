"""A decoder's forests, searched with the weights of the moment, as examples to learn from."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.features.space import FeatureSpace

from ...decoder.forest import search_forest
from ...decoder.model import Decoder
from ...decoder.rule_options import Translations
from ...forest.hypergraph import Hypergraph
from ...forest.pruning import pruned
from ...metrics.bleu import Bleu
from ...online.decoder_loop import TuningText, named_errors, translation_score
from ...results import Advance, pass_over
from ...weights.weights import Weights
from .forests import Approximation, ForestExample

__all__ = ["DecodedForests", "ForestChoices", "searched"]


@dataclass(frozen=True)
class ForestChoices:
    """How forests are made, and looked at.

    approximation: of BLEU in the search for hope and fear: rerank or linear
    density: edges kept of each forest, for each edge of its best derivation; None = all
    """

    approximation: Approximation = "rerank"
    density: float | None = None


@dataclass(frozen=True)
class DecodedForests:
    """Text to translate, whose forests are searched anew whenever they are asked for.

    metric: BLEU within an oracle document as eq. 3 has it (document = chiang)
    threads: to judge weights with
    advance: is called with the number of sentences that were translated since the last call
    """

    decoder: Decoder
    text: TuningText
    choices: ForestChoices = ForestChoices()
    threads: int = 1
    advance: Advance = pass_over
    metric: Bleu = field(default_factory=lambda: Bleu(document="chiang"))

    @property
    def space(self) -> FeatureSpace:
        """The decoder's features."""
        return self.decoder.space

    def __len__(self) -> int:
        return len(self.text)

    def example(self, number: int, weights: NDArray[np.float64]) -> ForestExample:
        """A sentence's forest by a search with these weights: float64[num_features].

        Raises UsageError and DataError as :func:`searched` does.
        """
        whole = Weights(self.space, weights)
        density = self.choices.density
        _, graph = searched(self.decoder, self.text.sentences[number], whole, density)
        self.advance(1)
        references = self.text.references.select(np.array([number]))
        return ForestExample(graph, references, self.metric, self.choices.approximation)

    def score(self, weights: NDArray[np.float64]) -> float:
        """BLEU of the best translations of all. weights: float64[num_features]"""
        return translation_score(
            self.decoder, self.text, weights, self.metric, self.threads, self.advance
        )


def searched(
    decoder: Decoder, sentence: Sequence[str], weights: Weights, density: float | None
) -> tuple[Translations, Hypergraph]:
    """What a search finds in a sentence, and its forest.

    weights: over the decoder's space
    density: edges kept of it, for each edge of its best derivation; None = all

    Raises UsageError for a sentence that the decoder's limits don't allow, and DataError for one
    whose search needs more memory than there is; both name it.
    """
    with named_errors(sentence):
        found = decoder.search(sentence, weights)
        graph = search_forest(decoder, found)
    if density is not None:
        graph = pruned(graph, graph.scores(weights.values), density)
    return found, graph
