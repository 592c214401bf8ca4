"""A made-up English-Spanish bitext in four domains, with its true word alignment.

The sentences come from a small synchronous grammar with real words, many of which translate
differently in legal, medical, software and everyday text.  `generate` makes the sample,
`write` stores it.
"""

from __future__ import annotations

import gzip
import io
import pathlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .dice import Dice
from .fragments import Fragment, positions, spans, spell, text
from .grammar.sentences import sentence
from .lexicon import DOMAINS
from .noise import disturb
from .speaker import Speaker

SEED = 20_111
LINES_PER_DOMAIN = 1500
HELD_OUT_PER_DOMAIN = 50
LABELLED = 0.1
LENGTHS = range(4, 31)
# How often to look for another way to say a sentence in Spanish.
REFERENCE_TRIES = 12


@dataclass(frozen=True)
class Pair:
    """A training pair: `gold` has (English index, Spanish index, sure) for each link.

    `spans` has the names and noun phrases: label, first English word and the one behind the last,
    the same in Spanish.
    """

    domain: str
    en: str
    es: str
    gold: tuple[tuple[int, int, bool], ...]
    labelled: bool
    spans: tuple[tuple[str, tuple[int, int], tuple[int, int]], ...] = ()


@dataclass(frozen=True)
class HeldOut:
    """A sentence with two reference translations."""

    domain: str
    en: str
    es: tuple[str, str]


@dataclass(frozen=True)
class SampleData:
    """The whole sample."""

    train: tuple[Pair, ...]
    tune: tuple[HeldOut, ...]
    test: tuple[HeldOut, ...]


def generate(seed: int = SEED) -> SampleData:
    """Make the sample; the same seed always makes the same."""
    dice = Dice(seed)
    said: set[str] = set()
    clean = {domain: _clean_pairs(dice, domain, said) for domain in DOMAINS}
    train = dice.shuffled([pair for domain in DOMAINS for pair in _faulty(dice, domain, clean)])
    tune, test = (_held_out(dice, clean, said) for _ in range(2))
    return SampleData(tuple(train), tune, test)


def _new_sentence(dice: Dice, domain: str, said: set[str], fits: Callable[[str], bool]) -> int:
    """The meaning of a sentence not said before, of usual length, that `fits`."""
    while True:
        meaning = dice.seed()
        en = text(_say(domain, meaning, 0).en)
        if en not in said and len(en.split()) in LENGTHS and fits(en):
            said.add(en)
            return meaning


def _say(domain: str, meaning: int, style: int) -> Fragment:
    """A sentence with its Spanish in one style."""
    return spell(sentence(Speaker(domain, meaning, style)))


def _clean_pairs(dice: Dice, domain: str, said: set[str]) -> list[Fragment]:
    """The training pairs of a domain before anything goes wrong with them."""
    return [
        _say(domain, _new_sentence(dice, domain, said, lambda en: True), dice.seed())
        for _ in range(LINES_PER_DOMAIN)
    ]


def _faulty(dice: Dice, domain: str, clean: dict[str, list[Fragment]]) -> list[Pair]:
    """The training pairs of a domain, some of them disturbed, some labelled."""
    count = len(clean[domain])
    labelled = set(dice.shuffled(range(count))[: round(LABELLED * count)])
    pairs = [disturb(dice, fragment, clean[domain]) for fragment in clean[domain]]
    return [
        Pair(
            domain,
            text(pair.en),
            text(pair.es),
            tuple(positions(pair)),
            i in labelled,
            tuple(spans(pair)),
        )
        for i, pair in enumerate(pairs)
    ]


def _held_out(dice: Dice, clean: dict[str, list[Fragment]], said: set[str]) -> tuple[HeldOut, ...]:
    """New sentences of all domains, made of words that the domain's training text has."""
    out: list[HeldOut] = []
    for domain in DOMAINS:
        known = {word.text for pair in clean[domain] for word in pair.en}

        def fits(en: str, known: set[str] = known) -> bool:
            return sum(token not in known for token in en.split()) <= 1

        for _ in range(HELD_OUT_PER_DOMAIN):
            meaning = _new_sentence(dice, domain, said, fits)
            out.append(_two_ways(dice, domain, meaning))
    return tuple(dice.shuffled(out))


def _two_ways(dice: Dice, domain: str, meaning: int) -> HeldOut:
    """A sentence with two translations, different ones if the grammar has them."""
    first = _say(domain, meaning, dice.seed())
    second = first
    for _ in range(REFERENCE_TRIES):
        second = _say(domain, meaning, dice.seed())
        if text(second.es) != text(first.es):
            break
    return HeldOut(domain, text(first.en), (text(first.es), text(second.es)))


def gold_line(gold: Iterable[tuple[int, int, bool]]) -> str:
    """Links as "i-j", where they are only possible as "ipj"."""
    return " ".join(f"{i}{'-' if sure else 'p'}{j}" for i, j, sure in gold)


def contents(sample: SampleData) -> dict[str, str]:
    """The text of each file, by file name."""
    train = sample.train
    columns: dict[str, Iterable[str]] = {
        "train.en.gz": (pair.en for pair in train),
        "train.es.gz": (pair.es for pair in train),
        "train.domains.gz": (pair.domain for pair in train),
        "train.labels.gz": (pair.domain if pair.labelled else "-" for pair in train),
        "train.en-es.gold.gz": (gold_line(pair.gold) for pair in train),
    }
    for name, lines in (("tune", sample.tune), ("test", sample.test)):
        columns[f"{name}.en"] = [line.en for line in lines]
        columns[f"{name}.es.ref0"] = [line.es[0] for line in lines]
        columns[f"{name}.es.ref1"] = [line.es[1] for line in lines]
        columns[f"{name}.domains"] = [line.domain for line in lines]
    return {name: "".join(f"{line}\n" for line in column) for name, column in columns.items()}


def write(sample: SampleData, folder: pathlib.Path) -> None:
    """Write the files of the sample; a file appears under its name when it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents(sample).items():
        data = content.encode("utf-8")
        temporary = folder / f".{name}.part"
        temporary.write_bytes(_compressed(data) if name.endswith(".gz") else data)
        temporary.replace(folder / name)


def _compressed(data: bytes) -> bytes:
    """The data in gzip format, without the name and time that would differ each time."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=9) as out:
        out.write(data)
    return buffer.getvalue()
