"""What an alignment model is made of, and what its folder holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..errors import OptionError, UsageError, check_argument, check_listed, did_you_mean
from ..execution import row_dots
from ..language_model.domain_models import DomainLanguageModels
from ..lexicon.tables import LexicalTable, unknown_word
from ..links.calibration import AGREED, APART, LinkCalibration
from ..links.classifier.classifier import LinkClassifier
from ..text.bitext import Bitext
from ..text.known_words.given_pairs import known_shares, warn_of_exchanged, warn_of_single_words
from ..text.known_words.text_form import UNKNOWN, TextForm
from ..text.readers import as_bitext
from ..text.sentences import Sentences, Table
from ..text.vocabulary import Vocabulary
from .cooccurrence import PairIndex
from .likelihoods import log_sum
from .parameters import AlignerOptions, Parameters, learned, probabilities
from .trained_text import Iteration

__all__ = ["ModelParts"]


@dataclass(frozen=True, eq=False, repr=False)
class ModelParts(ComparedByContent):
    """The parts of an alignment model.

    index: the pairs of words that it knows; parameters: the tables of P(source | target) and of
        P(target | source)
    domains: their names, the out-domain last; ``("general",)`` for a flat model
    log_prior: float64[D], log P(D)
    language_models: of the domains on both sides, where they weigh domains
    trace: one entry per EM iteration
    source_form, target_form: how the text was written that it was trained on
    classifier: chooses links, if gold links have taught it
    """

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    index: PairIndex
    parameters: Parameters
    domains: tuple[str, ...]
    log_prior: NDArray[np.float64]
    options: AlignerOptions
    language_models: DomainLanguageModels | None = None
    trace: tuple[Iteration, ...] = ()
    source_form: TextForm = UNKNOWN
    target_form: TextForm = UNKNOWN
    classifier: LinkClassifier | None = None

    def encode(self, bitext: Bitext) -> Bitext:
        """Return a bitext over the model's vocabularies; words that they lack become -1.

        A side is lowercased if all words of the model are in lower case.

        Parameters
        ----------
        bitext : Bitext

        Returns
        -------
        Bitext
        """
        return Bitext(
            bitext.source.to_vocabulary(
                self.source_vocabulary, lowercase=self.source_form.lowercase
            ),
            bitext.target.to_vocabulary(
                self.target_vocabulary, lowercase=self.target_form.lowercase
            ),
            bitext.label_ids,
            bitext.domains,
        )

    @property
    def _calibration(self) -> LinkCalibration:
        return AGREED if self.options.agreement else APART

    @property
    def _stage(self) -> str:
        return "hmm" if self.options.hmm_iterations else "model1"

    def _fitted(self, bitext: Bitext) -> Bitext:
        """The bitext over the model's vocabularies. Raises WrongTypeError for another thing."""
        check_argument(
            bitext, Bitext, "bitext", "a Bitext", "Bitext.from_sentences(source, target)"
        )
        known = (self.source_vocabulary, self.target_vocabulary)
        given = (bitext.source.vocabulary, bitext.target.vocabulary)
        is_over = all(one is other or one == other for one, other in zip(given, known, strict=True))
        return bitext if is_over else self.encode(bitext)

    def _given(
        self, source: Bitext | Sentences | Table | str | Path,
        target: Sentences | str | Path | None = None,
    ) -> tuple[Bitext, Bitext]:  # fmt: skip
        """The text that a program gives, as it is and over the model's vocabularies."""
        # Warns of exchanged sides, and of words in place of sentences.
        text = as_bitext(source, target)
        warn_of_single_words(source, text)
        encoded = self._fitted(text)
        if encoded is not text and max(known_shares(encoded)) < 0.5:
            warn_of_exchanged(encoded, self.encode(text.reversed()).reversed())
        return text, encoded

    def domain_number(self, name: str) -> int:
        """Return the number of a domain.

        Parameters
        ----------
        name : str

        Returns
        -------
        int
            Index into ``domains``.

        Raises
        ------
        UsageError
            If there is no such domain.
        """
        if name not in self.domains:
            near = did_you_mean(name, self.domains)
            known = f"the model has {', '.join(self.domains)}"
            raise UsageError(f"unknown domain {name!r}; {known}{near and f' ({near})'}")
        return self.domains.index(name)

    def lexicon(self, direction: str = "s2t", domain: str | None = None) -> LexicalTable:
        """Return the lexical table of one domain, or of all.

        Parameters
        ----------
        direction : str, default "s2t"
            "s2t" for t(target | source), "t2s" for t(source | target).
        domain : str, default None
            None averages the domains by P(D).

        Returns
        -------
        LexicalTable
            Over the word pairs of the model; the translations of each word sum to 1.

        Raises
        ------
        UsageError
            If the direction or the domain is unknown.
        ModelError
            If the model's tables are damaged.
        """
        side = _side(direction, self.domains)
        if domain is None:
            weights = np.exp(self.log_prior)
        else:
            weights = np.zeros(len(self.domains))
            weights[self.domain_number(domain)] = 1.0
        words = (self.source_vocabulary, self.target_vocabulary)
        ids = (self.index.rows, self.index.columns)
        probability = learned(row_dots(self.parameters.lexical[:-1, :, side], weights), 1.01)
        null = (self.parameters.null_source, self.parameters.null_target)[side]
        # smoothing by stems leaves a share for pairs that never met, pruning one for rare ones; a
        # domain that lacks a given word adds nothing to its row
        total = np.bincount(ids[1 - side], probability, minlength=len(words[1 - side]))
        probability = probability / np.maximum(total, 1e-300)[ids[1 - side]]
        return LexicalTable(
            generated=ids[side],
            given=ids[1 - side],
            probability=probability.astype(np.float32),
            null=row_dots(null[:, :-1].T, weights).astype(np.float32),
            generated_vocabulary=words[side],
            given_vocabulary=words[1 - side],
            direction=direction,
        )

    def _sides(self, direction: str) -> tuple[Vocabulary, Vocabulary]:
        """The vocabularies of the words that are given and of those that are generated."""
        both = (self.source_vocabulary, self.target_vocabulary)
        return both if _side(direction, self.domains) else both[::-1]

    def _translation_rows(
        self, word: str, direction: str
    ) -> tuple[int, NDArray[np.int32], NDArray[np.float32]]:
        """Number of a word, its translations, and their probabilities by domain."""
        # The translations are int32[n], the probabilities float32[n, D]; these sum to 1 in each
        # domain that has the word.
        # Raises UsageError for a word that the model lacks, and for another direction.
        side, vocabulary = _side(direction, self.domains), self._sides(direction)[0]
        form = self.source_form if side else self.target_form
        number = vocabulary.get(word.lower() if form.lowercase else word)
        if number < 0:
            names = ("source", "target") if side else ("target", "source")
            message = unknown_word(word, vocabulary.words[1:], f"{names[0]} words of the model")
            if word in self._sides(direction)[1]:
                other = "t2s" if side else "s2t"
                message = f"{word!r} is a {names[1]} word; use direction={other!r}"
            raise UsageError(message)
        if side:
            ids = np.arange(*self.index.row_offsets[number : number + 2])
            others = self.index.columns[ids]
        else:
            ids = np.flatnonzero(self.index.columns == number)
            rows = np.searchsorted(self.index.row_offsets, ids, side="right") - 1
            others = rows.astype(np.int32)
        probability = learned(self.parameters.lexical[ids, :, side], 1.01)
        totals = probability.sum(axis=0, dtype=np.float64)
        shares = probability / np.maximum(totals, 1e-300)
        return number, others, shares.astype(np.float32)

    def restricted(self, domains: Sequence[str]) -> Self:
        """Return the same model with some of its domains only, as for Table 3.

        Parameters
        ----------
        domains : list of str
            Names.

        Returns
        -------
        ModelParts

        Raises
        ------
        UsageError
            If a name is unknown, or there is none.
        WrongTypeError
            If it is a name instead of a list of them.
        """
        check_listed(domains, "domains", "a list of names", "[name]")
        check_argument(domains, Iterable, "domains", "a list of names", "[name]")
        if not domains:
            raise UsageError("the list of domains is empty; pass at least one name")
        kept = sorted({self.domain_number(name) for name in domains})
        tables, jumps = self.parameters, slice(None)
        if tables.jump.shape[1] > 1:
            jumps = kept  # type: ignore[assignment]
        parameters = Parameters(
            probabilities(np.ascontiguousarray(tables.lexical[:, kept])),
            tables.null_source[kept],
            tables.null_target[kept],
            np.ascontiguousarray(tables.jump[:, jumps]),
            np.ascontiguousarray(tables.start[:, jumps]),
            tables.source_class,
            tables.target_class,
        )
        models = self.language_models and self.language_models.select(kept)
        log_prior = self.log_prior[kept]
        if (log_prior == -np.inf).all():  # none of them has a pair of its own
            log_prior = np.zeros(len(kept))
        log_prior = log_prior - log_sum(log_prior, axis=0)
        return replace(
            self,
            parameters=parameters,
            domains=tuple(self.domains[k] for k in kept),
            log_prior=log_prior,
            language_models=models,
        )


def _side(direction: str, domains: Sequence[str]) -> int:
    """The place of a direction in the tables. Raises UsageError for another one."""
    if direction in domains:
        raise UsageError(
            f"direction must be s2t or t2s, not the domain {direction!r}; use "
            f"lexicon(domain={direction!r}), or select rows of translations(word) by their domain"
        )
    if direction not in ("s2t", "t2s"):
        raise OptionError("direction", "s2t or t2s", direction)
    return ("t2s", "s2t").index(direction)
