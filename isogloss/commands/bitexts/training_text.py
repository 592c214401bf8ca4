"""What `isogloss align` learns from: a bitext, its labels and links, and words known before."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.lexicon.eflomal_priors import read_priors
from isogloss.align.lexicon.formats import read_dictionary
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.links.formats.gold_formats import IdFiles
from isogloss.align.links.known_links import KnownLinks
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.labels import (
    check_seed_size,
    domains_of,
    match_labels,
    read_labels,
    read_seed_sample,
)
from isogloss.align.text.pair_collector import PairSettings
from isogloss.align.text.readers import read_linked_bitext
from isogloss.align.text.samples.streamed_bitext import StreamedBitext

from ...console import Console
from ...options import Bounds, group, option, positive, seed
from ..shared import BitextOptions, LengthLimitOptions, check_regular

__all__ = ["KnownWordOptions", "TrainingText", "TrainingTextOptions", "WholeText"]

COLUMN = "column"  # in place of a file of known links: the third column of the bitext


class WholeText(NamedTuple):
    """A text of which a sample was drawn.

    num_pairs: that it has; drawn: int64[n], numbers of those that were drawn, increasing
    """

    stream: StreamedBitext
    num_pairs: int
    drawn: NDArray[np.int64]


@dataclass(frozen=True)
class TrainingText:
    """A bitext to learn from.

    bitext: its pairs, then those of the seed samples
    num_pairs: how many come before the seed samples
    known_links: links known to be right, if any are
    whole: the text that the pairs before the seed samples are drawn from; None = they are all of it
    """

    bitext: Bitext
    num_pairs: int
    known_links: KnownLinks | None
    whole: WholeText | None = None


@dataclass(frozen=True)
class TrainingTextOptions:
    """Files to learn from.

    labels: domain labels, one name or - per line; for a single-file bitext also `column` (third TSV
        column) or `prop:NAME` (TMX property or JSON key)
    seed_sample: in-domain sample: NAME=SRC,TGT, or NAME=FILE with a single-file bitext; repeatable
    label_names: domain names that the labels may contain
    known_links: known links for training, kept in the output: one line per sentence pair, empty if
        unknown; `column` = third TSV column
    known_confidence: probability that a known link is correct
    train_on: train on N sentence pairs: all with a label or gold links, and others drawn at random
        (default: all)
    seed: random seed
    """

    bitext: BitextOptions = group(BitextOptions)
    limit: LengthLimitOptions = group(LengthLimitOptions)
    labels: str | None = option(default=None, metavar="FILE")
    seed_sample: tuple[str, ...] = option(default=(), append=True, metavar="NAME=SRC,TGT")
    label_names: str | None = option(default=None, metavar="NAME,...")
    known_links: str | None = option(default=None, metavar="FILE")
    known_confidence: float = option(default=KnownLinks.confidence, metavar="PROB")
    train_on: int | None = option(default=None, parse=positive, metavar="N")
    seed: int = option(default=1, parse=seed, metavar="N")

    def read(
        self, ids: IdFiles | None = None, required: NDArray[np.int64] | None = None
    ) -> TrainingText:
        """The bitext with its labels, or a sample of it, the seed samples behind it.

        ids: files of token ids, for known links that name words by these
        required: int64[n], numbers of pairs that are in each sample
        """
        if self.train_on is None:
            if self.seed != 1:
                raise UsageError("--seed has no effect without --train-on; pass that as well")
        else:
            stream = self._whole()
            rows, size = stream.draw(self.train_on, self.seed, required)
            if size > max(len(rows), self.train_on):
                bitext, names = stream.select(rows, size)
                domains_of(names, stream.labels or stream.source, rows)
                self._check_names(set(names) - {"-"})
                return self._with_samples(bitext, names, whole=WholeText(stream, size, rows))
        bitext, links = self._bitext_and_links(ids)
        return self._with_samples(bitext, self._label_names(bitext), links)

    def _with_samples(
        self,
        bitext: Bitext,
        names: list[str],
        links: Links | None = None,
        whole: WholeText | None = None,
    ) -> TrainingText:
        """Pairs and the domain of each, the seed samples behind them. links: known ones"""
        parts, names = [bitext], list(names) or ["-"] * len(bitext)
        for sample in self.seed_sample:
            domain, part = self._seed_sample(sample)
            parts.append(part)
            names += [domain] * len(part)
        domains = tuple(sorted(set(names) - {"-"}))
        joined = Bitext(
            Corpus.joined([part.source for part in parts]),
            Corpus.joined([part.target for part in parts]),
            match_labels(names, domains),
            domains,
        )
        known_links = None
        if links is not None:  # none in the seed samples
            known_links = KnownLinks(
                Links.from_keys(links.keys(), len(joined)), self.known_confidence
            )
        return TrainingText(joined, len(bitext), known_links, whole)

    def _whole(self) -> StreamedBitext:
        """The bitext in its files, of which a sample is drawn."""
        if self.known_links is not None:
            raise UsageError(
                "--train-on cannot be used with --known-links, which would have to name the links "
                "of the sample; omit one of them"
            )
        labels = self.labels
        check_regular(self.bitext.source, self.bitext.target, None if labels == COLUMN else labels)
        inside = labels if PairSettings.are_inside(labels) else None
        if inside and self.bitext.target is not None:
            raise UsageError(
                f"--labels {inside} needs a bitext in one file that contains labels; for a bitext "
                "in two files, pass a file of labels"
            )
        form = self.bitext.form
        settings = PairSettings(
            form.format, form.languages, form.lowercase, max_length=self.limit.max_length,
            labels=inside, columns=form.named_columns,
        )  # fmt: skip
        outside = None if inside else labels
        return StreamedBitext(self.bitext.source, self.bitext.target, settings, outside)

    def _bitext_and_links(self, ids: IdFiles | None) -> tuple[Bitext, Links | None]:
        max_length = self.limit.max_length
        if self.known_links is None:
            inside = {"labels": self.labels} if PairSettings.are_inside(self.labels) else {}
            return self.bitext.read(max_length=max_length, **inside), None
        if PairSettings.are_inside(self.labels):
            raise UsageError(
                f"--labels {self.labels} cannot be used with --known-links; pass a file of labels"
            )
        bitext, links = read_linked_bitext(
            self.bitext.source,
            self.bitext.target,
            links=None if self.known_links == COLUMN else self.known_links,
            max_length=max_length,
            ids=ids,
            **self.bitext.form.arguments,
        )
        if links is None:
            raise UsageError(
                f"--known-links {COLUMN} needs links in the third column, but {self.bitext.source} "
                f"has none; pass such a TSV, or a file of links (./{COLUMN} for a file of that "
                "name)"
            )
        return bitext, links

    def _label_names(self, bitext: Bitext) -> list[str]:
        """The domain of each pair, ``-`` where it is not known."""
        if not self.labels:
            return ["-"] * len(bitext)
        labels, names = bitext.label_ids, bitext.domains
        if not PairSettings.are_inside(self.labels):
            labels, names = read_labels(self.labels, len(bitext), self._allowed)
        self._check_names(set(names))
        return ["-" if label < 0 else names[label] for label in labels.tolist()]

    @property
    def _allowed(self) -> list[str] | None:
        return self.label_names.split(",") if self.label_names else None

    def _check_names(self, names: set[str]) -> None:
        """Raise DataError for a domain that is none of those that labels may contain."""
        allowed = self._allowed
        unknown = sorted(names - set(allowed or names))
        if unknown:
            raise DataError(
                f"the domain {unknown[0]!r} is unknown",
                f"one of {', '.join(allowed or ())}, or -",
                file=self.bitext.source,
                remedy="Correct the label, or add the name to --label-names",
            )

    def _seed_sample(self, sample: str) -> tuple[str, Bitext]:
        """Domain and pairs of NAME=SRC,TGT or NAME=FILE."""
        domain, source, target = read_seed_sample(sample)
        form = self.bitext.form
        if target is not None:  # two files, whatever form the bitext is in
            form = replace(form, format=None)
        paths = str(source), None if target is None else str(target)
        part = BitextOptions(*paths, form).read(max_length=self.limit.max_length)
        check_seed_size(len(part), domain, source)
        return domain, part


@dataclass(frozen=True)
class KnownWordOptions:
    """Pairs of words known before training.

    dictionary: bilingual dictionary: source word, target word and optional weight per line
    dictionary_weight: number of observed links that a dictionary entry of weight 1 counts as
    priors: eflomal priors; only their LEX entries are used
    """

    dictionary: str | None = option(default=None, metavar="TSV")
    dictionary_weight: float = option(default=10.0, parse=Bounds(0.0, 1e9), metavar="W")
    priors: str | None = option("-p", default=None, metavar="FILE")

    def read(self, bitext: Bitext, lowercase: bool, console: Console) -> LexicalEntries | None:
        """What both files say of the words of a bitext; None where neither is given."""
        words = bitext.source.vocabulary, bitext.target.vocabulary
        parts = []
        if self.dictionary:
            entries = read_dictionary(self.dictionary, *words, lowercase=lowercase)
            parts.append((entries, self.dictionary_weight))
        if self.priors:
            priors = read_priors(self.priors, *words, lowercase=lowercase)
            parts.append((priors.lexical, 1.0))
        if not parts:
            return None
        for entries, _ in parts:
            console.info(
                f"{pluralize(len(entries), 'known word pair')}, {entries.num_unknown} not in the "
                "bitext"
            )
        return LexicalEntries.collect(
            np.concatenate([entries.source for entries, _ in parts]),
            np.concatenate([entries.target for entries, _ in parts]),
            np.concatenate([entries.weight * weight for entries, weight in parts]),
        )
