"""AlignmentModel: what training leaves, and what it can be asked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import row_numbers
from ..errors import OptionError, check_word
from ..execution import run_tasks
from ..execution.calls import ExplainedClass, public
from ..files.tables.html import html_table
from ..lexicon.translations import Translations, count_translations
from ..links.aligned_pair import AlignedPair
from ..links.external_links import ExternalLinks
from ..links.links import Links
from ..links.reliability import WeightedLinks
from ..links.symmetrize import links_of_paths, symmetrize
from ..text.bitext import Bitext, SentencePair
from ..text.corpus import CorpusBuilder
from ..text.known_words.given_pairs import pair_sides
from ..text.sentences import Sentences, Table
from .cooccurrence import Cells
from .domain_posterior import log_domain_weights
from .kernels.viterbi import viterbi
from .likelihoods import log_sum
from .link_learning import ModelLinkLearning
from .parameters import MODEL_HEURISTICS, POSTERIOR, paired_text
from .posteriors import external_part
from .store import read_model, write_model

__all__ = ["FLAT", "AlignmentModel"]

FLAT = "general"  # name of the only domain of a model without domains
_LEAST = 1e-4  # probability of a translation in some domain
_SHOWN = 8  # domains that a representation names


@public
@dataclass(frozen=True, eq=False, repr=False)
class AlignmentModel(ModelLinkLearning, metaclass=ExplainedClass):
    """A trained word aligner: an HMM (or Model 1) of each domain in both directions.

    Make one with :func:`~isogloss.align.train` or :meth:`load`.

    Parameters
    ----------
    source_vocabulary, target_vocabulary : Vocabulary
        Words of the training text.
    index : PairIndex
        Word pairs with a translation probability.
    parameters : Parameters
        Tables of P(source | target) and P(target | source).
    domains : tuple of str
        Names, the out-domain last; ``("general",)`` for a single-domain model.
    log_prior : ndarray of float64, shape (n_domains,)
        log P(D).
    options : AlignerOptions
    language_models : DomainLanguageModels, optional
        A model of each domain and side.
    trace : tuple of Iteration, optional
        Likelihoods of each EM iteration.
    source_form, target_form : TextForm, optional
        Casing and tokenization of the training text.
    classifier : LinkClassifier, optional
        Chooses links; made by :meth:`learn_links`.
    trained_on : TrainedText, optional
        The training text; None in a model that was loaded.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.read_bitext(
    ...     "data/train.en.gz", "data/train.es.gz", labels="data/train.labels.gz"
    ... )
    >>> model = ig.train(bitext)
    >>> print(model.align_pair("the driver paid the fine .", "el conductor pagó la multa ."))
    0-0 1-1 2-2 3-3 4-4 5-5
    >>> model.translations("driver", top=2)
    Translations of the source word 'driver': 2, with probability and expected links
                      everyday       legal     medical      software         out
      controlador   0.32 (1.0)  0.75 (1.0)  0.74 (0.0)  0.95 (133.0)  0.74 (0.0)
      conductor    0.45 (24.0)  0.12 (0.0)  0.12 (0.0)    0.03 (1.0)  0.13 (0.0)
    """

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = False) -> "AlignmentModel":
        """Open a model folder; large arrays are memory-mapped.

        Parameters
        ----------
        path : str or Path
            A folder written by :meth:`save` or ``isogloss align --model``.
        verify : bool, default False
            Verify the checksums of the tables of word pairs, too. Otherwise only their size, type
            and shape are checked: damage inside them gives wrong results. Folders before format
            2.1 have no checksums; their word pairs must be in order, and their probabilities be
            numbers.

        Returns
        -------
        AlignmentModel

        Raises
        ------
        ModelError
            If the folder is missing, unfinished, damaged or of another version.
        """
        return cls(**vars(read_model(path, verify=verify)))

    def save(
        self, path: str | Path, *, overwrite: bool | None = None, fingerprint: str = ""
    ) -> None:
        """Write a model folder, which appears under its name only when complete.

        Parameters
        ----------
        path : str or Path
            A folder.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error. An older model is kept until the new one is complete.
        fingerprint : str, default ""
            Fingerprint of the training run, stored in the header.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If it can't be written, such as on a full disk.
        """
        write_model(self, path, overwrite=overwrite, fingerprint=fingerprint)

    def _repr_html_(self) -> str:
        rows = list(zip(self.domains, np.exp(self.log_prior).tolist(), strict=True))
        title = repr(self).removeprefix("AlignmentModel(").rstrip(")")
        return html_table(f"AlignmentModel: {title}", ("domain", "P(domain)"), rows)

    def __repr__(self) -> str:
        kind = "HMM" if self.options.hmm_iterations else "Model 1"
        names = [*self.domains[:_SHOWN], *["..."] * (len(self.domains) > _SHOWN)]
        domains = f"domains: {', '.join(names)}" if len(self.domains) > 1 else "no domains"
        return (
            f"AlignmentModel({kind}; {domains}; {len(self.source_vocabulary) - 1:,} source and "
            f"{len(self.target_vocabulary) - 1:,} target word types, {len(self.index):,} word "
            f"pairs; {len(self.trace)} iterations)"
        )

    def _decoding_weights(
        self, bitext: Bitext, threads: int, posterior: NDArray[np.float64] | None = None
    ) -> list[NDArray[np.float64]]:
        """Weights of the domains in eq. 5, for each direction: float64[num_pairs, D]."""
        if self.options.domain_weighting == "joint" or len(self.domains) == 1:
            if posterior is None:
                posterior = self.domain_posteriors(bitext, threads)
            return [posterior] * 2
        terms = log_domain_weights(self._log_language(bitext), self.log_prior, len(bitext))
        weights = [np.exp(term - log_sum(term, axis=1)[:, None]) for term in terms]
        if self.options.domain_weighting == "argmax":
            weights = [np.eye(len(self.domains))[row.argmax(1)] for row in weights]
        return weights

    def align_directions(
        self,
        bitext: Bitext,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        external_links: WeightedLinks | None = None,
    ) -> tuple[Links, Links]:
        """Compute the Viterbi links of both directions (eq. 5).

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threads : int, default 1
            Does not affect the result.
        posterior : ndarray of float64, shape (n_pairs, n_domains), default None
            Result of :meth:`domain_posteriors`, to save time.
        external_links : WeightedLinks, default None
            External alignments of this text, as :meth:`weigh` returns them.

        Returns
        -------
        forward, reverse : Links
            Both as (source, target) positions. The first has at most one link per source word,
            the second at most one per target word.
        """
        bitext = self._fitted(bitext)
        weights = self._decoding_weights(bitext, threads, posterior)
        tasks = (
            partial(
                self._viterbi,
                block,
                cells,
                [side_weights[rows] for side_weights in weights],
                external_part(external_links, rows),
            )
            for rows, block, cells in self._blocks(bitext)
        )
        parts = list(run_tasks(tasks, threads))
        forward, reverse = (
            np.concatenate([part[side] for part in parts] or [np.zeros(0, np.int32)])
            for side in (0, 1)
        )
        return (
            links_of_paths(forward, bitext.source.offsets),
            links_of_paths(reverse, bitext.target.offsets).reversed(),
        )

    def _viterbi(
        self,
        bitext: Bitext,
        cells: Cells | None,
        weights: list[NDArray[np.float64]],
        external_links: WeightedLinks | None,
    ) -> list[NDArray[np.int32]]:
        text = paired_text(bitext, cells or self.index.cells(bitext), external_links=external_links)
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

    def align(
        self,
        source: Bitext | Sentences | Table | str | Path,
        target: Sentences | str | Path | None = None,
        *,
        heuristic: str | None = None,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        external_links: WeightedLinks | ExternalLinks | Links | None = None,
        domains: Sequence[str] | None = None,
    ) -> Links:
        """Align the words of each sentence pair.

        Parameters
        ----------
        source : Bitext, iterable of sentences, table, or path
            A bitext over any vocabularies, or what :func:`~isogloss.align.train` takes.
        target : iterable of sentences or path, optional
            The target side, if ``source`` doesn't hold both.
        heuristic : str, default None
            How the links of both directions become one: "posterior" (see
            :meth:`align_posterior`), or a heuristic of :func:`~isogloss.align.symmetrize`. None is
            the model's.
        threads : int, default 1
            Does not affect the result.
        posterior : ndarray of float64, shape (n_pairs, n_domains), default None
            Result of :meth:`domain_posteriors`, to save time.
        external_links : WeightedLinks, ExternalLinks or Links, default None
            External alignments of the same sentence pairs.
        domains : list of str, default None
            Domains to align with, as ``isogloss apply --domains``. None is all.

        Returns
        -------
        Links
            A row per sentence pair; it is empty if one side is.

        Raises
        ------
        UsageError
            If the heuristic is unknown, or the model can't weigh external links.
        WrongTypeError
            If the sides are neither a bitext nor sentences.

        Examples
        --------
        >>> model.align(["the driver", "the house"], ["el conductor", "la casa"])
        Links(2 sentence pairs, 4 links with probabilities; first: 0-0 1-1)
        """
        if domains is not None:
            return self.restricted(domains).align(
                source, target, heuristic=heuristic, threads=threads, posterior=posterior,
                external_links=external_links,
            )  # fmt: skip
        texts = self._given(source, target)
        return self._aligned(texts, heuristic, threads, posterior, external_links)

    def _aligned(
        self,
        texts: tuple[Bitext, Bitext],
        heuristic: str | None,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        external_links: WeightedLinks | ExternalLinks | Links | None = None,
    ) -> Links:
        """The links of a text. texts: as it is given, and over the model's vocabularies"""
        if heuristic not in (None, *MODEL_HEURISTICS):
            raise OptionError("heuristic", f"one of {', '.join(MODEL_HEURISTICS)}", heuristic)
        text, bitext = texts
        if external_links is not None and not isinstance(external_links, WeightedLinks):
            external_links = self.weigh(bitext, external_links, threads, posterior)
        heuristic = self.options.heuristic if heuristic is None else heuristic
        if heuristic == POSTERIOR and self.options.hmm_iterations:
            links = self._likely_links(bitext, self.threshold, threads, posterior, external_links)
            return self.with_identical_words(links, text, heuristic)
        if heuristic == POSTERIOR:
            heuristic = "grow-diag-final-and"  # Model 1 alone has no jumps to sum over
        forward, reverse = self.align_directions(bitext, threads, posterior, external_links)
        return symmetrize(forward, reverse, heuristic)

    def align_pair(
        self,
        source: str | Iterable[str] | SentencePair,
        target: str | Iterable[str] | None = None,
        heuristic: str | None = None,
        domains: Sequence[str] | None = None,
    ) -> AlignedPair:
        """Align one sentence pair, and return it with its words and domains.

        Parameters
        ----------
        source, target : str or iterable of str
            Words, or text that is split at whitespace; or a SentencePair, ``bitext[0]``, as both.
        heuristic : str, default None
            See :meth:`align`.
        domains : list of str, default None
            See :meth:`align`.

        Returns
        -------
        AlignedPair

        Raises
        ------
        UsageError
            If the heuristic is unknown.
        WrongTypeError
            If a side is something else.

        Examples
        --------
        >>> pair = model.align_pair("the driver paid", ["el", "conductor", "pagó"])
        >>> print(pair)
        0-0 1-1 2-2
        """
        if domains is not None:
            return self.restricted(domains).align_pair(source, target, heuristic)
        sides = pair_sides(source, target)
        pair = Bitext.unlabeled(*(CorpusBuilder.filled([list(side)]) for side in sides))
        text, bitext = self._given(pair)
        posterior = self.domain_posteriors(bitext)
        links = self._aligned((text, bitext), heuristic, posterior=posterior)
        if links.probability is None and self.options.hmm_iterations:
            links = self.with_confidence(bitext, links, posterior=posterior)
        shares = dict(zip(self.domains, posterior[0].tolist(), strict=True))
        return AlignedPair.of(sides[0], sides[1], links, shares)

    def translations(
        self,
        word: str,
        direction: str = "s2t",
        top: int = 10,
        threads: int = 1,
        *,
        bitext: Bitext | None = None,
    ) -> Translations:
        """Compare the translations of a word between domains.

        Parameters
        ----------
        word : str
            A word of the source side, or of the target side if ``direction`` is "t2s".
        direction : str, default "s2t"
            "s2t" for P(target | source), "t2s" for P(source | target).
        top : int, default 10
            Maximum number of translations; those that are most probable in some domain come first,
            and those below 0.0001 in all are left out.
        threads : int, default 1
            To align the sentence pairs with the word.
        bitext : Bitext, optional
            Text whose links are counted; its labels are not used. Default: the text that the model
            was trained on, which a loaded model doesn't have and gives equal counts if passed.

        Returns
        -------
        Translations
            Without expected links if there is no text to count them in.

        Raises
        ------
        UsageError
            If the model lacks the word, or ``direction`` or ``top`` is out of range.
        WrongTypeError
            If ``word`` isn't a string.

        Examples
        --------
        >>> model.translations("driver").words[:2]
        ('controlador', 'conductor')
        >>> model.translations("conductor", direction="t2s").words[0]
        'driver'
        """
        check_word(word)
        if not isinstance(top, int) or top < 1:
            raise OptionError("top", "an integer of at least 1", top)
        number, others, probability = self._translation_rows(word, direction)
        most = probability.max(1, initial=0.0)
        order = np.lexsort((others, -most))[:top]
        order = order[most[order] >= _LEAST]
        others, probability = others[order], probability[order]
        if bitext is None and self.trained_on is not None:
            bitext = self.trained_on.bitext
        counts = None
        if bitext is not None:
            counts = self._translation_counts(bitext, number, others, direction, threads)
        generated = self._sides(direction)[1]
        names = tuple(map(generated.words.__getitem__, others.tolist()))
        return Translations(word, direction, self.domains, names, probability, counts)

    def _translation_counts(
        self,
        bitext: Bitext,
        word: int,
        others: NDArray[np.int32],
        direction: str,
        threads: int,
    ) -> NDArray[np.float64]:
        """Links expected in each domain of a text: float64[n, D]."""
        bitext = self._fitted(bitext)
        given = bitext.source if direction == "s2t" else bitext.target
        rows = np.unique(row_numbers(given.offsets)[given.tokens == word])
        part = bitext.select(rows)
        posterior = self.domain_posteriors(part, threads)
        links = self.align(part, threads=threads, posterior=posterior)
        return count_translations(links, part, posterior, word, others, direction)
