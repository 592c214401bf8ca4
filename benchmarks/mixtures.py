"""The mixtures with hand links that the benchmarks train on, and their labels shown or hidden.

A en-fr, 8 domains (Hansards, fiction); B en-cs (four gold domains with seeds of their own); C
en-es, 4 domains (parliament, Wikipedia); P en-fr parliament alone, where others were measured, too.
All text is lowercased; the gold texts are part of it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align import Bitext, Links, read_gold
from isogloss.align.files.writers import write_lines
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.text.bitext import UNLABELED
from isogloss.align.text.labels import match_labels
from isogloss.pipeline.config import EvaluationPart, RunConfig, TrainingPart
from isogloss.pipeline.mixture import read_mixture

__all__ = [
    "DATA", "SET_UPS", "Gold", "GoldText", "Mixture", "SetUp", "flat", "label_names", "only",
    "read_set_up", "revealed", "shuffled", "write_bitext",
]  # fmt: skip

DATA = Path(os.environ.get("ISOGLOSS_DATA") or Path(__file__).parents[2] / "shared" / "data")
# no sample of one domain: it is a mixture itself
UNNAMED = ("mixed",)
SHUFFLE_SEED = 1


@dataclass(frozen=True)
class GoldText:
    """A text with hand links.

    name: file without endings; domain: of its pairs, the first tenth of which are a seed sample;
    dev: settings may be chosen on it.
    """

    name: str
    domain: str = ""
    dev: bool = False


@dataclass(frozen=True)
class SetUp:
    """A mixture: its folder, other language, gold texts, and the seed domain nearest to them.

    training: file of plain text instead of an index, of which pairs of 1 to 80 words on each side
    and a length ratio of 9 at most are kept.
    """

    folder: str
    language: str
    gold: tuple[GoldText, ...]
    nearest: str = ""
    training: str = ""


SET_UPS = {
    "A": SetUp(
        "en-fr-multidomain", "fr",
        (GoldText("en-fr-hansards/test"), GoldText("en-fr-fiction-gold/test"),
         GoldText("en-fr-hansards/trial", dev=True)),
        nearest="parliament",
    ),
    "B": SetUp(
        "en-cs-multidomain", "cs",
        tuple(GoldText(f"en-cs-gold/{domain}", domain)
              for domain in ("commentary", "stories", "law", "newswire")),
        nearest="commentary",
    ),
    "C": SetUp(
        "en-es-multidomain", "es",
        (GoldText("en-es-gold/parliament"), GoldText("en-es-gold/parliament-graca100"),
         GoldText("en-es-gold/wikipedia-test"), GoldText("en-es-gold/wikipedia-dev", dev=True)),
        nearest="parliament",
    ),
    "P": SetUp(
        "en-fr-multidomain", "fr", (GoldText("en-fr-hansards/test"),), training="train.parliament"
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Gold:
    """A text and its hand links."""

    text: GoldText
    links: GoldLinks


@dataclass(frozen=True)
class Mixture:
    """A set-up in memory.

    bitext: seeds are labeled; truth: domain of each pair whose label is hidden, "" where it isn't
    known or is shown; gold: by name; spans: first pair of each gold text and number of its pairs
    """

    bitext: Bitext
    truth: tuple[str, ...]
    gold: dict[str, Gold]
    spans: dict[str, tuple[int, int]]

    @property
    def gold_rows(self) -> NDArray[np.int64]:
        """int64[n], the pairs of all gold texts: the last ones."""
        return np.arange(min(first for first, _ in self.spans.values()), len(self.bitext))

    def by_gold(self, links: Links) -> Iterator[tuple[Gold, Links]]:
        """Each gold text with its links, out of those of ``gold_rows`` or of all pairs."""
        missing = len(self.bitext) - len(links)
        for name, (first, count) in self.spans.items():
            yield self.gold[name], links.part(first - missing, count)


def label_names(bitext: Bitext) -> list[str]:
    """Domain name, or -, of each pair."""
    names = (*bitext.domains, "-")
    return [names[label] for label in bitext.label_ids.tolist()]


def _relabeled(bitext: Bitext, names: list[str]) -> Bitext:
    domains = tuple(sorted(set(names) - {"-"}))
    return bitext.with_numbered_labels(match_labels(names, domains), domains)


def flat(bitext: Bitext) -> Bitext:
    """The same pairs without labels."""
    return Bitext.unlabeled(bitext.source, bitext.target)


def only(bitext: Bitext, domain: str) -> Bitext:
    """The same pairs with the labels of one domain; the others are hidden."""
    return _relabeled(bitext, [name if name == domain else "-" for name in label_names(bitext)])


def shuffled(bitext: Bitext, seed: int = SHUFFLE_SEED) -> Bitext:
    """The same pairs, their labels dealt out anew among the labeled ones."""
    labels = bitext.label_ids.copy()
    known = np.flatnonzero(labels != UNLABELED)
    labels[known] = labels[np.random.default_rng(seed).permutation(known)]
    return bitext.with_numbered_labels(labels, bitext.domains)


def revealed(mixture: Mixture, times: float, seed: int = SHUFFLE_SEED) -> Bitext:
    """The same pairs, of each domain so many times as many of them labeled, or all there are."""
    names, rng = label_names(mixture.bitext), np.random.default_rng(seed)
    for domain in mixture.bitext.domains:
        hidden = [pair for pair, name in enumerate(mixture.truth) if name == domain]
        more = min(len(hidden), round(min(times - 1.0, len(hidden)) * names.count(domain)))
        for pair in rng.permutation(hidden)[:more].tolist():
            names[pair] = domain
    return _relabeled(mixture.bitext, names)


def _configuration(data: Path, set_up: SetUp) -> RunConfig:
    folder, languages = data / set_up.folder, ("en", set_up.language)
    part = TrainingPart(index=folder / "hetero.index.tsv.gz")
    if set_up.training:
        part = TrainingPart(None, *(folder / f"{set_up.training}.{x}.gz" for x in languages))
    gold = tuple(
        EvaluationPart(
            text.name,
            data / f"{text.name}.en-{set_up.language}.gold.gz",
            *(data / f"{text.name}.{x}.gz" for x in languages),
        )
        for text in set_up.gold
    )
    return RunConfig(Path(), (part,), gold, languages, lowercase=True)


def read_set_up(data: Path, set_up: SetUp) -> Mixture:
    """Build the text of a set-up. Raises DataError for files that are missing or don't fit."""
    read = read_mixture(_configuration(data, set_up))
    true = list(read.true_domains)
    shown = ["-" if name in UNNAMED else name for name in label_names(read.bitext)]
    for text, (_, _, first, count) in zip(set_up.gold, read.spans, strict=True):
        if text.domain:
            true[first : first + count] = [text.domain] * count
            shown[first : first + count // 10] = [text.domain] * (count // 10)
    kept = np.arange(len(shown))
    if set_up.training:
        kept = kept[_fits(read.bitext) | (kept >= read.spans[0][2])]
    truth = [
        name if name != "-" and label == "-" else ""
        for name, label in zip(true, shown, strict=True)
    ]
    return Mixture(
        _relabeled(read.bitext, shown).select(kept),
        tuple(truth[k] for k in kept.tolist()),
        {
            text.name: Gold(text, read_gold(file))
            for text, (_, file, _, _) in zip(set_up.gold, read.spans, strict=True)
        },
        {name: (int(np.searchsorted(kept, first)), count) for name, _, first, count in read.spans},
    )


def _fits(bitext: Bitext) -> NDArray[np.bool_]:
    lengths = np.stack([bitext.source.lengths, bitext.target.lengths])
    return (lengths.min(0) >= 1) & (lengths.max(0) <= 80) & (lengths.max(0) <= 9 * lengths.min(0))


def write_bitext(bitext: Bitext, folder: Path, times: int = 1) -> list[str]:
    """Write both sides and the labels, all of it ``times``; returns `isogloss align`'s options."""
    texts = {
        "source": [" ".join(bitext.source.words(k)) for k in range(len(bitext))],
        "target": [" ".join(bitext.target.words(k)) for k in range(len(bitext))],
        "labels": label_names(bitext),
    }
    for name, lines in texts.items():
        write_lines((line for _ in range(times) for line in lines), folder / name)
    return [str(folder / "source"), str(folder / "target"), "--labels", str(folder / "labels")]
