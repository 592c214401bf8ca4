"""Options of symmetrization: how a model makes links of both directions, and which are written."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.files.tables.reading import TABLES
from isogloss.align.files.writers import write_lines
from isogloss.align.links.formats.burrito import TokenIds
from isogloss.align.links.formats.gold_formats import BURRITO, SENTENCE_FORMATS
from isogloss.align.links.links import Links
from isogloss.align.links.reliability import WeightedLinks
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import MODEL_HEURISTICS, POSTERIOR, AlignerOptions
from isogloss.align.text.bitext import Bitext

from ...options import not_allowed, number, option, output_file
from ..link_formats import check_link_formats, link_format, link_format_option
from ..link_tables import TableColumns
from ..shared import BitextOptions

__all__ = ["LinkOptions", "SymmetrizationOptions"]


def _threshold(text: str) -> float:
    value = number(text)
    if not 0.0 < value <= 1.0:
        raise not_allowed("above 0 and at most 1", value)
    return value


@dataclass(frozen=True)
class SymmetrizationOptions:
    """How the links of both directions are combined.

    heuristic: symmetrization method (default: the model's, which is posterior, or grow-diag-final
        with --preset paper)
    posterior_threshold: minimum link posterior, averaged over both directions, for --heuristic
        posterior; --scores prints calibrated probabilities instead, which may be lower (default:
        0.5)
    """

    heuristic: str | None = option(default=None, choices=MODEL_HEURISTICS)
    posterior_threshold: float | None = option(default=None, metavar="PROB", parse=_threshold)

    def check_threshold(self) -> None:
        """Raise UsageError for a threshold that would not be used."""
        if self.posterior_threshold is not None and self.heuristic not in (None, POSTERIOR):
            raise UsageError(
                f"--posterior-threshold has no effect with --heuristic {self.heuristic}; omit one "
                "of them"
            )

    def check(self, options: AlignerOptions) -> None:
        """As check_threshold, and for probabilities that a model will not have.

        options: those that it will be trained with
        """
        self.check_threshold()
        if self._by_threshold and options.hmm_iterations == 0:
            raise _needs_probabilities("--posterior-threshold")

    @property
    def _by_threshold(self) -> bool:
        return self.posterior_threshold is not None and self.heuristic in (None, POSTERIOR)


def _needs_probabilities(name: str) -> UsageError:
    return UsageError(f"{name} needs link probabilities; set --hmm-iterations above 0")


@dataclass(frozen=True)
class LinkOptions(SymmetrizationOptions):
    """Which links are written, and with which scores.

    scores: write links as i-j:probability; probabilities are calibrated and may be below
        --posterior-threshold
    pair_scores: write the mean log-probability per word of each sentence pair; a word that the
        model lacks counts as log 1e-7 = -16.1
    retokenize: write links for other tokenizations of the text, each FILE or STYLE:FILE as for
        `isogloss retokenize`; leave a side empty to keep it (SRC, or ,TGT)
    """

    scores: bool = False
    pair_scores: str | None = option(default=None, metavar="FILE", parse=output_file)
    retokenize: str | None = option(default=None, metavar="SRC,TGT")
    to: str | None = link_format_option()

    def check(self, options: AlignerOptions) -> None:
        """As that of SymmetrizationOptions, and for scores of links."""
        if self.scores and options.hmm_iterations == 0:
            raise _needs_probabilities("--scores")
        super().check(options)

    def formats(self, *outputs: str | None) -> dict[str | None, str]:
        """The format of each output of links, by its name."""
        return {output: link_format(self.to, output) for output in outputs}

    def check_formats(
        self,
        formats: Collection[str],
        ids: tuple[TokenIds, TokenIds] | None,
        bitext: BitextOptions,
        *,
        keeps_text: bool = False,
    ) -> None:
        """Raise errors as :func:`check_link_formats`, and for scores that are not written.

        ids: token ids of the words, for the format burrito
        """
        others = [format for format in formats if format not in ("pharaoh", *TABLES)]
        bound = [format for format in others if format in (*SENTENCE_FORMATS, BURRITO)]
        if self.retokenize and bound:
            what = "names the words" if bound[0] == BURRITO else "contains the sentences"
            raise UsageError(
                f"--retokenize cannot be used with the format {bound[0]}, which {what} as they are "
                "aligned; omit one of them"
            )
        check_link_formats(formats, ids, bitext, keeps_text=keeps_text, tables=True)
        if self.scores and others:
            raise UsageError(
                f"--scores has no effect on links in the format {others[0]}; omit it, or write "
                "the links in the format pharaoh"
            )

    def table_columns(self, model: AlignmentModel) -> TableColumns:
        """The columns of a table of links beside them."""
        return TableColumns(self.scores, len(model.domains) > 1)

    def name(self, options: AlignerOptions) -> str:
        """The method for the links of a model. options: the model's"""
        return self.heuristic or options.heuristic

    def are_usual(self, options: AlignerOptions) -> bool:
        """Whether links are chosen by posterior, at most as strictly as by default."""
        threshold = options.posterior_threshold
        if self.posterior_threshold is not None:
            threshold = self.posterior_threshold
        return self.name(options) == POSTERIOR and threshold <= AlignerOptions.posterior_threshold

    def links(
        self,
        model: AlignmentModel,
        bitext: Bitext,
        posterior: NDArray[np.float64],
        threads: int,
        external_links: WeightedLinks | None = None,
        text: Bitext | None = None,
    ) -> Links:
        """The links of a bitext.

        text: the bitext as it is written, with words that the model lacks; None = it knows all
        posterior: float64[num_pairs, num_domains], P(D | f, e)
        external_links: links of other aligners, weighed by the model
        """
        if self._by_threshold:
            assert self.posterior_threshold is not None
            threshold = self.posterior_threshold
            links = model.align_posterior(bitext, threshold, threads, posterior, external_links)
        else:
            links = model.align(
                bitext,
                heuristic=self.heuristic,
                threads=threads,
                posterior=posterior,
                external_links=external_links,
            )
        if text is not None:
            links = model.with_identical_words(links, text, self.heuristic)
        if not self.scores:
            return links.unscored()
        if links.probability is None:
            return model.with_confidence(bitext, links, threads, posterior, external_links)
        return links

    def write_pair_scores(self, model: AlignmentModel, bitext: Bitext, threads: int) -> None:
        """Write a score per sentence pair, where they are asked for."""
        if self.pair_scores:
            write_lines(self.pair_score_lines(model, bitext, threads), self.pair_scores)

    def pair_score_lines(
        self, model: AlignmentModel, bitext: Bitext, threads: int
    ) -> Iterator[str]:
        """The score of each sentence pair, six decimals."""
        return (f"{score:.6f}" for score in model.scores(bitext, threads).tolist())
