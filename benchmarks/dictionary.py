"""Confidences of dictionary entries: fitted on the trial texts, held against the tests.

    python benchmarks/dictionary.py [--models FOLDER] [--threads N] [--json FILE] [--data FOLDER]

Trains the flat model of the set-ups A, B and C (see mixtures.py), or loads it from where it was
kept, and makes a dictionary of each text. An entry counts where it is linked in a text with hand
links; it is right where some such occurrence is: two words, where the hand links have a possible
link between them; phrases, where they are consistent with the sure or with the possible ones.
Printed: the fitted weights of both calibrations, of links with and without probabilities, and
reliability tables of what the command lists by default.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from calibration import expected_error, fit, log_loss
from mixtures import DATA, SET_UPS, Gold, Mixture, flat, read_set_up
from numpy.typing import NDArray
from program import parse_common, run_program
from results import name_of

from isogloss.align import AlignmentModel, Bitext, train
from isogloss.align.links.calibration import log_odds
from isogloss.align.links.gold_links import GoldLinks
from isogloss.features import Dictionary, DictionaryOptions
from isogloss.features.dictionary.confidence import (
    COUNTED,
    SCORED,
    PairCalibration,
    mutual_strength,
)
from isogloss.features.dictionary.extract import link_dictionary
from isogloss.features.extraction.counts import PreparedBitext, extract_range

ALL_PAIRS = DictionaryOptions(min_count=1, min_pmi=-1e9, nested=True, min_characters=1)
ROWS = np.array([0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0])
SIDES = ("certainty", "count", "source", "target")

Block = tuple[int, int, int, int, int]  # sentence pair, first words, lengths


@dataclass(frozen=True)
class Sample:
    """Entries that are linked in a text with hand links.

    columns: float64[n] each, of :meth:`PairCalibration.confidence`; words: bool[n], one on each
    side; right: bool[n]
    """

    gold: Gold
    columns: dict[str, NDArray[np.float64]]
    words: NDArray[np.bool_]
    right: NDArray[np.bool_]

    def confidence(self, calibration: PairCalibration) -> NDArray[np.float64]:
        """float64[n]."""
        return calibration.confidence(*(self.columns[name] for name in SIDES))

    @property
    def unscored(self) -> "Sample":
        """The same as if the links had no probabilities."""
        return replace(self, columns=self.columns | {"certainty": np.ones(len(self.right))})

    def features(self) -> NDArray[np.float64]:
        """float64[n, 3], of the logistic model."""
        certainty, *counts = (self.columns[name] for name in SIDES)
        share = (certainty * counts[0] + 0.5) / (counts[0] + 1.0)
        strength = log_odds(np.maximum(mutual_strength(*counts), 1e-3))
        return np.stack([log_odds(share), strength, np.ones(len(share))], 1)


def right_blocks(bitext: Bitext, gold: GoldLinks) -> set[Block]:
    """Phrase pairs of a text that its hand links allow, and the word pairs that they link."""
    links = gold.possible
    pair = np.repeat(np.arange(len(links)), np.diff(links.offsets))
    ends = zip(pair.tolist(), links.source.tolist(), links.target.tolist(), strict=True)
    result = {(k, j, i, 1, 1) for k, j, i in ends}
    for own in (gold.sure, gold.possible):
        text = PreparedBitext.of(bitext, own, 3)
        size = int(extract_range(text, 0, 1 << 30, 0)[1].sum())
        found, _ = extract_range(text, 0, 1 << 30, size)
        offsets = bitext.source.offsets[found.pairs], bitext.target.offsets[found.pairs]
        places = found.positions - np.stack(offsets, 1)
        rows = np.column_stack([found.pairs, places, found.lengths])
        result |= {tuple(row) for row in rows[found.lengths.max(1) > 1].tolist()}
    return result


def linked_blocks(dictionary: Dictionary, first: int, count: int) -> Iterator[tuple[int, Block]]:
    """Entries, by row, and where they are linked in ``count`` pairs from ``first`` on."""
    origin = dictionary.origin
    assert origin is not None
    keys = zip(origin.source_keys.tolist(), origin.target_keys.tolist(), strict=True)
    rows = {key: row for row, key in enumerate(keys)}
    source, target = origin.linked.sides
    for bounds in origin.linked.bounds(origin.max_memory):
        found = origin.linked.occurrences(*bounds)
        found = found.select(np.flatnonzero((found.pairs >= first) & (found.pairs < first + count)))
        places = [
            phrases.positions - side.corpus.offsets[found.pairs]
            for side, phrases in ((source, found.source), (target, found.target))
        ]
        blocks = np.column_stack(
            [found.pairs - first, *places, found.source.lengths, found.target.lengths]
        )
        pairs = zip(
            source.keys(found.source).tolist(), target.keys(found.target).tolist(), strict=True
        )
        for key, block in zip(pairs, blocks.tolist(), strict=True):
            if key in rows:
                yield rows[key], tuple(block)


def read_samples(mixture: Mixture, dictionary: Dictionary) -> Iterator[Sample]:
    """The entries of a dictionary that are linked in each text with hand links."""
    for name, (first, count) in mixture.spans.items():
        gold = mixture.gold[name]
        allowed = right_blocks(mixture.bitext.select(np.arange(first, first + count)), gold.links)
        right: dict[int, bool] = {}
        for row, block in linked_blocks(dictionary, first, count):
            right[row] = right.get(row, False) or block in allowed
        rows = np.array(sorted(right), np.int64)
        lengths = dictionary.source.lengths[rows], dictionary.target.lengths[rows]
        yield Sample(
            gold,
            {
                "certainty": dictionary.certainty[rows],
                "count": dictionary.counts[rows, 0],
                "source": dictionary.source_counts[rows, 0],
                "target": dictionary.target_counts[rows, 0],
            },
            (lengths[0] == 1) & (lengths[1] == 1),
            np.array([right[row] for row in rows.tolist()], np.bool_),
        )


def trained(mixture: Mixture, options: argparse.Namespace, name: str) -> AlignmentModel:
    """The flat model of a set-up, from its folder if it is there."""
    folder = options.models and options.models / name
    if folder and folder.exists():
        return AlignmentModel.load(folder)
    model = train(flat(mixture.bitext), threads=options.threads)
    if folder:
        model.save(folder)
    return model


def print_fit(trial: Sequence[Sample]) -> dict[str, list[float]]:
    """Weights of both calibrations, fitted to all pairs of the trial texts."""
    features = np.concatenate([one.features() for one in trial])
    right = np.concatenate([one.right for one in trial])
    counts = np.concatenate([one.unscored.features() for one in trial])
    scored, counted = fit(features, right), fit(counts, right)
    print(f"fitted on {len(right)} pairs of the trial texts")
    for kind, weights in (("with", scored), ("without", counted)):
        shown = "certainty {:.3f}, strength {:.3f}, offset {:.3f}".format(*weights)
        print(f"  links {kind} probabilities: {shown}")
    return {"scored": scored.tolist(), "counted": counted.tolist()}


def print_texts(tests: Sequence[Sample]) -> dict[str, list[float]]:
    """Of each text: entries, right ones, log-loss and ECE, in percent but for the log-loss."""
    print("\nentries by default: how many, % right; log-loss, ECE; ECE without probabilities")
    rows = {}
    for one in tests:
        found = one.confidence(SCORED)
        rows[name_of(one.gold)] = [
            float(len(one.right)), 100 * float(one.right.mean()), log_loss(found, one.right),
            expected_error(found, one.right),
            expected_error(one.unscored.confidence(COUNTED), one.right),
        ]  # fmt: skip
    rows["mean"] = np.mean(list(rows.values()), 0).tolist()
    for name, row in rows.items():
        print("  {:30} {:6.0f} {:5.1f}  {:.3f} {:5.2f}  {:5.2f}".format(name, *row))
    return rows


def print_reliability(title: str, found: NDArray[np.float64], right: NDArray[np.bool_]) -> Any:
    """Shares of right entries by confidence."""
    print(f"\n{title}: {len(right)}, ECE {expected_error(found, right):.2f}")
    rows = []
    for low, high in zip(ROWS[:-1].tolist(), ROWS[1:].tolist(), strict=True):
        own = (found >= low) & ((found < high) | (high == 1.0))
        if own.any():
            rows.append(
                [low, high, int(own.sum()), 100 * found[own].mean(), 100 * right[own].mean()]
            )
            print("  {:.2f}-{:.2f} {:6d}  {:5.1f}  {:5.1f}".format(*rows[-1]))
    return rows


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print all tables; returns the figures."""
    trial, tests = list[Sample](), list[Sample]()
    for name in "ABC":
        mixture = read_set_up(options.data, SET_UPS[name])
        bitext = flat(mixture.bitext)
        links = trained(mixture, options, name).align(bitext, threads=options.threads)
        every = read_samples(mixture, link_dictionary(bitext, links, ALL_PAIRS))
        trial += [one for one in every if one.gold.text.dev]
        listed = read_samples(mixture, link_dictionary(bitext, links))
        tests += [one for one in listed if not one.gold.text.dev]
    record: dict[str, Any] = {"fitted": print_fit(trial), "texts": print_texts(tests)}
    found = np.concatenate([one.confidence(SCORED) for one in tests])
    right = np.concatenate([one.right for one in tests])
    words = np.concatenate([one.words for one in tests])
    for title, own in (("words", words), ("phrases", ~words)):
        record[title] = print_reliability(title, found[own], right[own])
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="keep trained models there")
    return parse_common(parser, arguments, DATA)


def main() -> None:
    """Print the tables."""
    run_program("dictionary.py", parse(), run)


if __name__ == "__main__":
    main()
