"""AlignmentModel: what training leaves, and what it can be asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..execution import run_tasks
from ..links.aligned_pair import AlignedPair, words_of_side
from ..links.evidence import LinkEvidence
from ..links.links import Links
from ..links.reliability import WeighedEvidence
from ..links.symmetrize import symmetrize
from ..ragged import offsets_of, positions_within, row_numbers
from ..text.corpus import Bitext, Corpus
from .cooccurrence import Cells
from .em import BLOCK, log_likelihoods, log_sum
from .kernels import hmm
from .kernels.viterbi import viterbi
from .latent_domain import domain_posterior, log_domain_weights
from .parameters import POSTERIOR, learned, paired_text
from .parts import ModelParts
from .store import read_model, write_model
from .trained_text import TrainedText

__all__ = ["FLAT", "AlignmentModel"]

FLAT = "general"  # name of the only domain of a model without domains
SAMPLE = 4096  # pairs that evidence is weighed by


@dataclass(frozen=True)
class AlignmentModel(ModelParts):
    """Domain-conditioned HMM (or Model 1) in both directions; its parts are :class:`ModelParts`.

    trained_on: the text it was trained on; None in a model that was loaded
    """

    trained_on: TrainedText | None = field(default=None, repr=False, compare=False)

    @classmethod
    def load(cls, folder: str | Path, *, verify: bool = False) -> "AlignmentModel":
        """Open a model folder; large arrays are memory-mapped.

        All that is read is verified. With ``verify`` so are the tables of word pairs, which
        otherwise are checked against their size, type and shape only: damage inside them gives
        wrong results, but no look-up outside of an array. Folders before format 2.1 hold no
        checksums; with ``verify`` their word pairs must at least be in order, and their
        probabilities be numbers.

        Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
        """
        return cls(**vars(read_model(folder, verify=verify)))

    def save(self, folder: str | Path, *, overwrite: bool = False, fingerprint: str = "") -> None:
        """Write a model folder; it appears under its name only when complete.

        fingerprint: of the training, which the folder then tells

        Raises ModelError where the folder exists, unless ``overwrite``, and OutputError where it
        can't be written, such as on a full disk; an older model is kept until the new one is
        complete.
        """
        write_model(self, folder, overwrite=overwrite, fingerprint=fingerprint)

    def __repr__(self) -> str:
        kind = "HMM" if self.options.hmm_iterations else "Model 1"
        domains = f"domains: {', '.join(self.domains)}" if len(self.domains) > 1 else "no domains"
        return (
            f"AlignmentModel({kind}; {domains}; {len(self.source_vocabulary) - 1:,} source and "
            f"{len(self.target_vocabulary) - 1:,} target word types, {len(self.index):,} word "
            f"pairs; {len(self.trace)} iterations)"
        )

    def log_likelihoods(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D): float64[2, num_pairs, D].

        Raises ModelError for damaged tables.
        """
        bitext = self._fitted(bitext)
        text = paired_text(bitext, self._cells(bitext))
        return learned(log_likelihoods(self.parameters, self.options, text, self._stage, threads))

    def _known_cells(self, bitext: Bitext) -> Cells | None:
        return None if self.trained_on is None else self.trained_on.cells_of(bitext)

    def _cells(self, bitext: Bitext) -> Cells:
        return self._known_cells(bitext) or self.index.cells(bitext)

    def _blocks(self, bitext: Bitext) -> Iterator[tuple[NDArray[np.int64], Bitext, Cells | None]]:
        """Places, text and, where they are at hand, cells of some thousand pairs at a time."""
        cells = self._known_cells(bitext)
        for begin in range(0, len(bitext), BLOCK):
            rows = np.arange(begin, min(begin + BLOCK, len(bitext)))
            block = bitext if len(rows) == len(bitext) else bitext.select(rows)
            yield rows, block, None if cells is None else cells.part(begin, len(rows))

    def domain_posteriors(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """P(D | f, e) of each pair: float64[num_pairs, D]. Labels are not looked at."""
        if len(self.domains) == 1:
            return np.ones((len(bitext), 1))
        bitext = self._fitted(bitext)
        return domain_posterior(
            self.log_likelihoods(bitext, threads),
            self._log_language(bitext),
            self.log_prior,
            self.options.language_model_sides,
            self.options.domain_temperature,
        )

    def restricted(self, domains: Sequence[str]) -> "AlignmentModel":
        """As that of ModelParts; what is known of the text it was trained on is of all domains."""
        return replace(super().restricted(domains), trained_on=None)

    def scores(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """How well the words of each pair explain each other: float64[num_pairs], nats per word.

        The mean of log P(f | e) / J and log P(e | f) / I, domains summed by P(D). Higher is better;
        0 is certainty, and pairs with an empty side get -inf.
        """
        values = self.log_likelihoods(bitext, threads)
        lengths = np.stack([bitext.source.lengths, bitext.target.lengths])
        per_word = log_sum(values + self.log_prior, axis=2) / np.maximum(lengths, 1)
        return np.asarray(np.where(bitext.usable, per_word.mean(0), -np.inf))

    def _log_language(self, bitext: Bitext) -> NDArray[np.float64] | None:
        if self.language_models is None:
            return None
        return self.language_models.score(bitext)

    def _decoding_weights(
        self, bitext: Bitext, threads: int, posterior: NDArray[np.float64] | None = None
    ) -> list[NDArray[np.float64]]:
        """Weights of the domains in eq. 5, for each direction: float64[num_pairs, D]."""
        if self.options.decoding_weights == "pair" or len(self.domains) == 1:
            if posterior is None:
                posterior = self.domain_posteriors(bitext, threads)
            return [posterior] * 2
        terms = log_domain_weights(self._log_language(bitext), self.log_prior, len(bitext))
        weights = [np.exp(term - log_sum(term, axis=1)[:, None]) for term in terms]
        if self.options.decoding_weights == "hard":
            weights = [np.eye(len(self.domains))[row.argmax(1)] for row in weights]
        return weights

    def weigh(
        self,
        bitext: Bitext,
        evidence: LinkEvidence | Links,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
    ) -> WeighedEvidence:
        """Evidence of a text, each file weighed by how it agrees with this model.

        Its rates are learned from at most SAMPLE pairs; the model's tables stay as they are.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.

        Raises UsageError for a model without HMM iterations, and DataError for evidence of another
        number of pairs or outside of theirs.
        """
        bitext, given = self._fitted(bitext), LinkEvidence.of(evidence)
        lengths = bitext.source.lengths, bitext.target.lengths
        given.check(*lengths)
        weighed = WeighedEvidence.of(given, lengths[1])
        rows = weighed.sample(SAMPLE)
        part, text = weighed.select(rows), bitext.select(rows)
        own = None if posterior is None else posterior[rows]
        for _ in self._posteriors_by_block(text, threads, own, part):
            pass  # what is expected is kept in the evidence
        part.learn(lengths[0][rows] * lengths[1][rows], np.ones(len(rows), bool))
        weighed.factors[:] = part.factors
        return weighed

    def align_directions(
        self,
        bitext: Bitext,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        evidence: WeighedEvidence | None = None,
    ) -> tuple[Links, Links]:
        """Viterbi links of both directions under eq. 5, both as (source, target) positions.

        The first explains each source word by a target word, the second each target word.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.
        evidence: of the text, as :meth:`weigh` gives it
        """
        bitext = self._fitted(bitext)
        weights = self._decoding_weights(bitext, threads, posterior)
        tasks = (
            partial(
                self._viterbi,
                block,
                cells,
                [side_weights[rows] for side_weights in weights],
                _part(evidence, rows),
            )
            for rows, block, cells in self._blocks(bitext)
        )
        parts = list(run_tasks(tasks, threads))
        forward, reverse = (
            np.concatenate([part[side] for part in parts] or [np.zeros(0, np.int32)])
            for side in (0, 1)
        )
        return (
            _links_of_path(forward, bitext.source.offsets),
            _links_of_path(reverse, bitext.target.offsets).reversed(),
        )

    def _viterbi(
        self,
        bitext: Bitext,
        cells: Cells | None,
        weights: list[NDArray[np.float64]],
        evidence: WeighedEvidence | None,
    ) -> list[NDArray[np.int32]]:
        text = paired_text(bitext, cells or self.index.cells(bitext), evidence=evidence)
        self.parameters.check_pairs(text.pair_ids)
        jumps = self.parameters.jumps(self.options)
        if self.options.hmm_iterations == 0:
            # jumps are uniform and NULL is a state among I + 1, as in Model 1
            jumps = jumps._replace(null_probability=0.0, smoothing=1.0, final=False)
        lexical = self.parameters.lexical_tables(self.options.lexical_floor)
        paths = []
        for side, corpus in enumerate((bitext.source, bitext.target)):
            paths.append(np.empty(len(corpus.tokens), np.int32))
            viterbi(text, side, lexical, jumps, np.ascontiguousarray(weights[side]), paths[side])
        return paths

    def link_posteriors(
        self, bitext: Bitext, threads: int = 1, posterior: NDArray[np.float64] | None = None
    ) -> tuple[Cells, NDArray[np.float32]]:
        """P(link | both sentences) of each cell in both directions: cells, float32[2, num_cells].

        The posteriors of the domains are averaged by P(D | f, e). Needs HMM iterations.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.

        Raises UsageError for a model without HMM iterations.
        """
        bitext = self._fitted(bitext)
        parts = self._posteriors_by_block(bitext, threads, posterior)
        cells = self._cells(bitext)
        values = [values for _, _, values in parts]
        return cells, np.concatenate(values or [np.zeros((2, 0), np.float32)], axis=1)

    def _posteriors_by_block(
        self,
        bitext: Bitext,
        threads: int,
        posterior: NDArray[np.float64] | None,
        evidence: WeighedEvidence | None = None,
    ) -> Iterator[tuple[int, Cells, NDArray[np.float32]]]:
        """First pair, cells and link posteriors of one block after the other."""
        if self.options.hmm_iterations == 0:
            raise UsageError("link posteriors need a model with HMM iterations")
        bitext = self._fitted(bitext)
        if posterior is None:
            posterior = self.domain_posteriors(bitext, threads)
        jumps = self.parameters.jumps(self.options)
        lexical = self.parameters.lexical_tables(self.options.lexical_floor)

        def compute(
            rows: NDArray[np.int64], block: Bitext, known: Cells | None
        ) -> tuple[int, Cells, NDArray[np.float32]]:
            cells = known or self.index.cells(block)
            result = np.zeros((2, len(cells.pair_ids)), np.float32)
            text = paired_text(block, cells, evidence=_part(evidence, rows))
            weights = np.ascontiguousarray(posterior[rows])
            hmm.link_posteriors(text, lexical, jumps, weights, result)
            return int(rows[0]), cells, learned(result)

        return run_tasks((partial(compute, *block) for block in self._blocks(bitext)), threads)

    def align_posterior(
        self,
        bitext: Bitext,
        threshold: float | None = None,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        evidence: WeighedEvidence | None = None,
    ) -> Links:
        """Links whose posterior, averaged over both directions, reaches the threshold.

        A higher threshold (default: the model's) gives fewer and better links. Their probability
        is how often links of such posteriors are right, see :class:`LinkCalibration`.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.
        evidence: of the text, as :meth:`weigh` gives it

        Raises UsageError for a threshold outside (0, 1] and as :meth:`link_posteriors` does.
        """
        threshold = self.options.posterior_threshold if threshold is None else threshold
        if not 0.0 < threshold <= 1.0:
            raise UsageError(f"threshold {threshold}; expected above 0, at most 1")
        parts, scores = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.float32)]
        parts_of_text = self._posteriors_by_block(bitext, threads, posterior, evidence)
        for first, cells, values in parts_of_text:
            mean = values.mean(0)
            chosen = np.flatnonzero(mean >= threshold)
            pair = np.searchsorted(cells.offsets, chosen, side="right") - 1
            width = bitext.target.lengths[first + pair]
            source, target = np.divmod(chosen - cells.offsets[pair], width)
            parts.append(np.stack([first + pair, source, target], 1))
            scores.append(self._calibration.confidence(*values[:, chosen]))
        rows = np.concatenate(parts)
        offsets = np.searchsorted(rows[:, 0], np.arange(len(bitext) + 1)).astype(np.int64)
        source, target = rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32)
        return Links(source, target, offsets, np.concatenate(scores))

    def with_confidence(
        self,
        bitext: Bitext,
        links: Links,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        evidence: WeighedEvidence | None = None,
    ) -> Links:
        """The same links with the chance that each is right, see :class:`LinkCalibration`.

        posterior: float64[num_pairs, D], P(D | f, e), found here where it isn't given
        evidence: of the text, as :meth:`weigh` gives it

        Raises what :meth:`link_posteriors` does, and DataError for links out of range.
        """
        links.check_range(bitext.source.lengths, bitext.target.lengths)
        scores = [np.zeros(0, np.float32)]
        parts = self._posteriors_by_block(bitext, threads, posterior, evidence)
        for first, cells, values in parts:
            count = len(cells.offsets) - 1
            part = links.part(first, count)
            pair = row_numbers(part.offsets)
            cell = cells.offsets[pair] + part.source * bitext.target.lengths[first + pair]
            scores.append(self._calibration.confidence(*values[:, cell + part.target]))
        return Links(links.source, links.target, links.offsets, np.concatenate(scores))

    def align(
        self,
        bitext: Bitext,
        combination: str | None = None,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        evidence: WeighedEvidence | LinkEvidence | Links | None = None,
    ) -> Links:
        """Links of each pair; a pair with an empty side gets none.

        bitext: over the model's vocabularies or any others: words are found by what they are
        combination: "posterior" (see :meth:`align_posterior`) or a heuristic on the best paths of
        both directions; default: the model's own.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.
        evidence: links of the text by other aligners, weighed by :meth:`weigh` here if not yet

        Raises UsageError for an unknown combination, and as :meth:`weigh` does.
        """
        bitext = self._fitted(bitext)
        if evidence is not None and not isinstance(evidence, WeighedEvidence):
            evidence = self.weigh(bitext, evidence, threads, posterior)
        combination = self.options.combination if combination is None else combination
        if combination == POSTERIOR and self.options.hmm_iterations:
            return self.align_posterior(bitext, None, threads, posterior, evidence)
        if combination == POSTERIOR:
            combination = "grow-diag-final-and"  # Model 1 alone has no jumps to sum over
        forward, reverse = self.align_directions(bitext, threads, posterior, evidence)
        return symmetrize(forward, reverse, combination)

    def align_pair(
        self,
        source: str | Sequence[str],
        target: str | Sequence[str],
        combination: str | None = None,
    ) -> AlignedPair:
        """One sentence pair with its links, their words and probabilities, and its domains.

        source, target: words, or a text whose words blanks set apart
        combination: as for :meth:`align`

        Raises UsageError for an unknown combination, and WrongTypeError for what is no text.
        """
        sides = [words_of_side(side) for side in (source, target)]
        bitext = self.encode(Bitext.unlabelled(*(Corpus.from_sentences([s]) for s in sides)))
        posterior = self.domain_posteriors(bitext)
        links = self.align(bitext, combination, posterior=posterior)
        if links.probability is None and self.options.hmm_iterations:
            links = self.with_confidence(bitext, links, posterior=posterior)
        domains = dict(zip(self.domains, posterior[0].tolist(), strict=True))
        return AlignedPair.of(sides[0], sides[1], links, domains)


def _part(evidence: WeighedEvidence | None, rows: NDArray[np.int64]) -> WeighedEvidence | None:
    """The evidence of pairs that follow each other. rows: int64[n], their numbers"""
    return None if evidence is None else evidence.part(int(rows[0]), len(rows))


def _links_of_path(path: NDArray[np.int32], offsets: NDArray[np.int64]) -> Links:
    """Links (generated, state) of a best state per generated word."""
    linked = path >= 0
    counts = np.bincount(row_numbers(offsets)[linked], minlength=len(offsets) - 1)
    position = positions_within(offsets)[linked].astype(np.int32)
    return Links(position, path[linked], offsets_of(counts))
