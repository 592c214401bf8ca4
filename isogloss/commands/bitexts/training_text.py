"""What `isogloss align` learns from: a bitext, its labels and links, and words known before."""

from dataclasses import dataclass, replace

import numpy as np

from isogloss.align.errors import DataError, UsageError
from isogloss.align.lexicon.eflomal_priors import read_priors
from isogloss.align.lexicon.formats import read_dictionary
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.links.links import Links
from isogloss.align.links.supervision import LinkSupervision
from isogloss.align.text.corpus import Bitext, Corpus
from isogloss.align.text.pair_collector import PairSettings
from isogloss.align.text.readers import (
    check_seed_size,
    match_labels,
    read_labels,
    read_linked_bitext,
    read_seed_sample,
)

from ...console import Console
from ...options import Bounds, group, option
from ..shared import BitextOptions, LengthLimitOptions

__all__ = ["KnownWordOptions", "TrainingText", "TrainingTextOptions"]

COLUMN = "column"  # in place of a file of known links: the third column of the bitext


@dataclass(frozen=True)
class TrainingText:
    """A bitext to learn from.

    bitext: its pairs, then those of the seed samples
    num_pairs: how many come before the seed samples
    supervision: links known to be right, if any are
    """

    bitext: Bitext
    num_pairs: int
    supervision: LinkSupervision | None


@dataclass(frozen=True)
class TrainingTextOptions:
    """Files to learn from.

    labels: a domain name or - per pair; of a bitext in one file also `column`, the third one of a
        TSV, or `prop:NAME`, a property of TMX units or a key of JSON lines
    seed_sample: pairs known to be of a domain, also NAME=FILE; may be given again
    domains: names that the labels may hold, with commas between
    hand_links: links known to be right, perhaps a part of them, a line per pair and empty lines
        where none are; `column` = the third column of a TSV. They are learned from and kept in
        the result
    hand_confidence: how sure they are, from 0 to 1
    """

    bitext: BitextOptions = group(BitextOptions)
    limit: LengthLimitOptions = group(LengthLimitOptions)
    labels: str | None = option(default=None, metavar="FILE")
    seed_sample: tuple[str, ...] = option(default=(), append=True, metavar="NAME=SRC,TGT")
    domains: str | None = None
    hand_links: str | None = option(default=None, metavar="FILE")
    hand_confidence: float = option(default=LinkSupervision.confidence, metavar="C")

    def read(self) -> TrainingText:
        """The bitext with its labels, the seed samples behind it."""
        bitext, links = self._bitext_and_links()
        parts, names = [bitext], self._label_names(bitext)
        for sample in self.seed_sample:
            domain, part = self._seed_sample(sample)
            parts.append(part)
            names += [domain] * len(part)
        domains = tuple(sorted(set(names) - {"-"}))
        whole = Bitext(
            Corpus.joined([part.source for part in parts]),
            Corpus.joined([part.target for part in parts]),
            match_labels(names, domains),
            domains,
        )
        supervision = None
        if links is not None:  # none in the seed samples
            supervision = LinkSupervision(
                Links.from_keys(links.keys(), len(whole)), self.hand_confidence
            )
        return TrainingText(whole, len(bitext), supervision)

    def _bitext_and_links(self) -> tuple[Bitext, Links | None]:
        max_length = self.limit.max_length
        if self.hand_links is None:
            inside = {"labels": self.labels} if PairSettings.are_inside(self.labels) else {}
            return self.bitext.read(max_length=max_length, **inside), None
        if PairSettings.are_inside(self.labels):
            raise UsageError(
                f"--labels {self.labels} can't be used with --hand-links; give a file of labels"
            )
        bitext, links = read_linked_bitext(
            self.bitext.source,
            self.bitext.target,
            links=None if self.hand_links == COLUMN else self.hand_links,
            max_length=max_length,
            **self.bitext.form.arguments,
        )
        if links is None:
            raise UsageError(
                f"--hand-links {COLUMN}, but {self.bitext.source} has no links; give a TSV with "
                f"links in its third column, or a file of links (./{COLUMN} for one of that name)"
            )
        return bitext, links

    def _label_names(self, bitext: Bitext) -> list[str]:
        """The domain of each pair, ``-`` where it is not known."""
        if not self.labels:
            return ["-"] * len(bitext)
        allowed = self.domains.split(",") if self.domains else None
        labels, names = bitext.labels, bitext.domains
        if not PairSettings.are_inside(self.labels):
            labels, names = read_labels(self.labels, len(bitext), allowed)
        unknown = sorted(set(names) - set(allowed or names))
        if unknown:
            raise DataError(
                f"unknown domain {unknown[0]!r}", f"one of {', '.join(allowed or ())}, or -",
                file=self.bitext.source, remedy="Correct the name, or add it to the domains",
            )  # fmt: skip
        return ["-" if label < 0 else names[label] for label in labels.tolist()]

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

    dictionary: source, target and perhaps a weight per line: pairs of words known to be right
    dictionary_weight: links of the text that an entry of weight 1 stands for
    priors: priors of eflomal, of which LEX is used
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
            console.info(f"{len(entries)} known pairs of words, {entries.num_unknown} unknown here")
        return LexicalEntries.collect(
            np.concatenate([entries.source for entries, _ in parts]),
            np.concatenate([entries.target for entries, _ in parts]),
            np.concatenate([entries.weight * weight for entries, weight in parts]),
        )
