"""Confidences of links: a map from posteriors, fitted on the trial texts, held against the tests.

    python benchmarks/calibration.py [--preset best|paper] [--models FOLDER] [--threads N]
                                     [--json FILE] [--data FOLDER]

Trains the flat model of a preset on the set-ups A, B and C (see mixtures.py), or loads it from
where it was kept. Printed: some maps, cross-validated on the trial texts, and on the tests; the
chosen one with intervals of its parameters; the expected calibration error (ECE) of each text
before and after; reliability tables. A link is right where it is possible by the hand links; maps
are fitted to every link that some combination of the directions gives.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import DATA, SET_UPS, Gold, flat, read_set_up
from numpy.typing import NDArray
from program import parse_common, run_program
from results import name_of
from scipy.special import expit
from scores import Bin, binned, calibration_error

from isogloss.align import AlignmentModel, Bitext, Links, UsageError, symmetrize, train
from isogloss.align.arrays.ragged import positions_within, row_numbers
from isogloss.align.links.calibration import AGREED, APART, LinkCalibration, log_odds
from isogloss.align.model.cooccurrence import Cells
from isogloss.align.model.parameters import PRESETS

Values = NDArray[np.float64]

BINS = np.linspace(0.0, 1.0, 11)  # of the expected calibration error
ROWS = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0])  # of tables
FOLDS = 10
RESAMPLES = 200
SEED = 1
CHOSEN = "geometric mean"


@dataclass(frozen=True)
class Sample:
    """Links of a text that some combination gives, and what is known of each.

    posteriors: float64[2, n], of both directions; given: bool[n], whether their mean is 0.5 or more
    possible, sure: bool[n], what the hand links say; alone: bool[n], they link neither word at all
    sentence: int64[n]; words: float64[n], sqrt(J I); score: float64[n] of the sentence pair
    rivals: float64[n], expected other links of its source or its target word, what is more
    """

    gold: Gold
    posteriors: Values
    given: NDArray[np.bool_]
    possible: NDArray[np.bool_]
    sure: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    sentence: NDArray[np.int64]
    words: Values
    score: Values
    rivals: Values

    @property
    def mean(self) -> Values:
        """float64[n], what is thresholded."""
        return self.posteriors.mean(0)

    @property
    def geometric(self) -> Values:
        """float64[n]."""
        return np.sqrt(self.posteriors[0] * self.posteriors[1])


# features of each map's log odds
MAPS: dict[str, Callable[[Sample], list[Values]]] = {
    "mean, slope only": lambda one: [log_odds(one.mean)],
    "mean": lambda one: [log_odds(one.mean), np.ones(len(one.mean))],
    "mean, two slopes": lambda one: [
        np.log(one.mean), np.log1p(-np.minimum(one.mean, 1 - 1e-6)), np.ones(len(one.mean))
    ],
    CHOSEN: lambda one: [log_odds(one.geometric), np.ones(len(one.mean))],
    "each direction": lambda one: [*log_odds(one.posteriors), np.ones(len(one.mean))],
    "least and most": lambda one: [
        log_odds(one.posteriors.min(0)), log_odds(one.posteriors.max(0)), np.ones(len(one.mean))
    ],
    "geometric, words": lambda one: [
        log_odds(one.geometric), np.log(one.words), np.ones(len(one.mean))
    ],
    "geometric, score": lambda one: [log_odds(one.geometric), one.score, np.ones(len(one.mean))],
    "geometric, rivals": lambda one: [
        log_odds(one.geometric), np.log(one.rivals + 1e-3), np.ones(len(one.mean))
    ],
}  # fmt: skip


def _marked(links: Links, cells: Cells, widths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[num_cells], those of the links."""
    pair = row_numbers(links.offsets)
    result = np.zeros(len(cells.pair_ids), np.bool_)
    result[cells.offsets[pair] + links.source * widths[pair] + links.target] = True
    return result


def read_sample(model: AlignmentModel, bitext: Bitext, gold: Gold, threads: int) -> Sample:
    """The links of a text that either direction's best path or the mean posterior gives."""
    cells, values = model.link_posteriors(bitext, threads)
    mean, widths = values.mean(0, dtype=np.float64), bitext.target.lengths
    paths = symmetrize(*model.align_directions(bitext, threads), "union")
    possible = _marked(gold.links.possible, cells, widths)
    pair = row_numbers(cells.offsets)
    source, target = np.divmod(positions_within(cells.offsets), widths[pair])
    sides = bitext.source.offsets[pair] + source, bitext.target.offsets[pair] + target
    expected, linked = ([np.bincount(side, own) for side in sides] for own in (mean, possible))
    kept = np.flatnonzero((mean >= 0.5) | _marked(paths, cells, widths))
    words, others = [side[kept] for side in sides], mean[kept]
    pair, sure = pair[kept], _marked(gold.links.sure, cells, widths)
    return Sample(
        gold=gold,
        posteriors=values[:, kept].astype(np.float64),
        given=others >= 0.5,
        possible=possible[kept],
        sure=sure[kept],
        alone=(linked[0][words[0]] == 0) & (linked[1][words[1]] == 0),
        sentence=pair,
        words=np.sqrt(bitext.source.lengths[pair] * widths[pair]),
        score=model.scores(bitext, threads)[pair],
        rivals=np.maximum(expected[0][words[0]], expected[1][words[1]]) - others,
    )


def read_samples(options: argparse.Namespace) -> list[Sample]:
    """Of all gold texts of the set-ups; trains models that are not there yet."""
    samples = []
    for name in "ABC":
        mixture = read_set_up(options.data, SET_UPS[name])
        bitext, folder = flat(mixture.bitext), options.models and options.models / name
        if folder and folder.exists():
            model = AlignmentModel.load(folder)
            if model.options != PRESETS[options.preset]:
                raise UsageError(f"{folder} was trained with other options; remove it")
        else:
            model = train(bitext, options=PRESETS[options.preset], threads=options.threads)
            if folder:
                model.save(folder)
        for text, (first, count) in mixture.spans.items():
            part = bitext.select(np.arange(first, first + count))
            samples.append(read_sample(model, part, mixture.gold[text], options.threads))
    return samples


def fit(features: Values, right: NDArray[np.bool_], weights: Values | None = None) -> Values:
    """Weights float64[k] of a logistic model of most likelihood, by Newton's method.

    features: float64[n, k]; right: bool[n]; weights: float64[n], how often each row counts.
    """
    result, counts = np.zeros(features.shape[1]), np.ones(len(right))
    counts = counts if weights is None else weights
    for _ in range(100):
        chance = expit(features @ result)
        slope = features.T @ (counts * (right - chance))
        curvature = (features.T * (counts * chance * (1.0 - chance))) @ features
        step = np.linalg.solve(curvature, slope)
        result += step
        if np.abs(step).max() < 1e-10:
            break
    return result


def log_loss(chance: Values, right: NDArray[np.bool_]) -> float:
    """Mean -log P of what is so, in nats."""
    values = np.clip(np.where(right, chance, 1.0 - chance), 1e-6, 1.0)
    return float(-np.log(values).mean())


def expected_error(chance: Values, right: NDArray[np.bool_]) -> float:
    """ECE in percent."""
    return 100 * calibration_error(binned(chance, right, right, BINS))


def _joined(parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(list(parts))


def _features(name: str, samples: Sequence[Sample]) -> Values:
    return np.asarray(_joined(np.stack(MAPS[name](one), 1) for one in samples))


def _possible(samples: Sequence[Sample]) -> NDArray[np.bool_]:
    return np.asarray(_joined(one.possible for one in samples))


def held_out_loss(name: str, trial: Sequence[Sample]) -> float:
    """Log-loss of each tenth of the sentences under the fit to the others."""
    features, right = _features(name, trial), _possible(trial)
    fold = _joined(one.sentence % FOLDS for one in trial)
    chance = np.empty(len(right))
    for number in range(FOLDS):
        own = fold == number
        chance[own] = expit(features[own] @ fit(features[~own], right[~own]))
    return log_loss(chance, right)


def confidence(calibration: LinkCalibration, one: Sample) -> Values:
    """float64[n] of all links of a text."""
    return calibration.confidence(*one.posteriors).astype(np.float64)


def figures(found: Sequence[Values], tests: Sequence[Sample]) -> list[float]:
    """Log-loss of confidences; ECE of all links and mean of texts, the same of the given links."""
    result = [log_loss(_joined(found), _possible(tests))]
    for given in (False, True):
        masks = [one.given | (not given) for one in tests]
        own = [values[mask] for values, mask in zip(found, masks, strict=True)]
        right = [one.possible[mask] for one, mask in zip(tests, masks, strict=True)]
        each = [expected_error(*pair) for pair in zip(own, right, strict=True)]
        result += [expected_error(_joined(own), _joined(right)), float(np.mean(each))]
    return result


def print_maps(
    in_use: LinkCalibration,
    trial: Sequence[Sample],
    tests: Sequence[Sample],
    record: dict[str, Any],
) -> None:
    """What each map does, fitted on the trial texts alone."""
    print("log-loss on the trial texts by cross-validation, on the tests; ECE of the tests pooled,")
    print("mean of the tests; the same two for links of mean posterior 0.5 or more; parameters")
    fixed = {
        "none": ([one.mean for one in samples] for samples in (trial, tests)),
        "in use": ([confidence(in_use, one) for one in samples] for samples in (trial, tests)),
    }
    rows, parameters = {}, {name: list[float]() for name in fixed}
    for name, (on_trial, on_tests) in fixed.items():
        loss = log_loss(_joined(on_trial), _possible(trial))
        rows[name] = [loss, *figures(on_tests, tests)]
    for name in MAPS:
        weights = fit(_features(name, trial), _possible(trial))
        found = [np.asarray(expit(_features(name, [one]) @ weights)) for one in tests]
        rows[name] = [held_out_loss(name, trial), *figures(found, tests)]
        parameters[name] = weights.tolist()
    for name, row in rows.items():
        shown = "{:.4f} {:.4f}  {:5.2f} {:5.2f}  {:5.2f} {:5.2f}".format(*row)
        values = " ".join(f"{value:.3f}" for value in parameters[name])
        print(f"  {name:18} {shown} {values}".rstrip())
    record["maps"] = {name: [row, parameters[name]] for name, row in rows.items()}


def fit_chosen(trial: Sequence[Sample], record: dict[str, Any]) -> LinkCalibration:
    """The map that the aligner uses; its parameters are printed with their intervals."""
    features, right = _features(CHOSEN, trial), _possible(trial)
    generator, drawn = np.random.default_rng(SEED), []
    for _ in range(RESAMPLES):
        counts = []
        for one in trial:
            size = len(one.gold.links)
            counts.append(generator.multinomial(size, np.full(size, 1 / size))[one.sentence])
        drawn.append(fit(features, right, _joined(counts).astype(np.float64)))
    slope, offset = fit(features, right).tolist()
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    print(f"\nfitted: slope {slope:.3f} [{low[0]:.3f}, {high[0]:.3f}], "
          f"offset {offset:.3f} [{low[1]:.3f}, {high[1]:.3f}]")  # fmt: skip
    for one in trial:
        own = fit(_features(CHOSEN, [one]), one.possible)
        print(f"  of {name_of(one.gold)} alone: {own[0]:.3f}, {own[1]:.3f}")
    record["fitted"] = [[slope, offset], low.tolist(), high.tolist()]
    return LinkCalibration(slope, offset)


def text_row(
    calibration: LinkCalibration, one: Sample, generator: np.random.Generator
) -> list[float]:
    """What :func:`print_texts` prints of a text."""
    given, right, sure = one.given, one.possible[one.given], one.sure[one.given]
    before, after = one.mean[given], confidence(calibration, one)[given]
    features = _features(CHOSEN, [one])[given]
    fitted = expit(features @ fit(features, right))
    chance = [expected_error(after, generator.random(len(after)) < after) for _ in range(20)]
    return [
        float(len(right)), 100 * float(right.mean()),
        expected_error(before, right), expected_error(after, right),
        expected_error(fitted, right), float(np.mean(chance)),
        expected_error(before, sure), expected_error(after, sure),
        100 * float(one.alone[given][~right].mean()),
    ]  # fmt: skip


def print_texts(
    calibration: LinkCalibration, samples: Sequence[Sample], record: dict[str, Any]
) -> None:
    """ECE of each text before and after, and what is left to be gained."""
    print("\nlinks of mean posterior 0.5 or more: how many, % of them in P; ECE before and after;")
    print("of a map fitted to the text itself; of true confidences, by chance; before and after")
    print("against S; % of the wrong links that join two words without any hand link")
    generator, rows = np.random.default_rng(SEED), {}
    for one in samples:
        rows[name_of(one.gold)] = text_row(calibration, one, generator)
    tests = [rows[name_of(one.gold)] for one in samples if not one.gold.text.dev]
    rows[f"mean of {len(tests)} tests"] = np.mean(tests, 0).tolist()
    for name, row in rows.items():
        print("  {:30} {:6.0f} {:5.1f}  {:5.2f} {:5.2f}  {:5.2f} {:5.2f}  {:5.2f} {:5.2f}  {:3.0f}"
              .format(name, *row))  # fmt: skip
    record["texts"] = rows


def print_reliability(
    title: str, calibration: LinkCalibration, samples: Sequence[Sample], every: bool
) -> list[list[dict[str, Any]]]:
    """Shares of right links by confidence, before beside after; ``every``: below 0.5, too."""
    masks = [one.given | every for one in samples]
    possible, sure, before, after = (
        _joined(own[mask] for own, mask in zip(parts, masks, strict=True))
        for parts in (
            [one.possible for one in samples],
            [one.sure for one in samples],
            [one.mean for one in samples],
            [confidence(calibration, one) for one in samples],
        )
    )
    errors = [expected_error(own, possible) for own in (before, after)]
    print(f"\n{title}: ECE {errors[0]:.2f} before, {errors[1]:.2f} after")
    print(f"  {'range':10} {'before: links, mean, % in P, % in S':37} after")
    tables = [binned(own, possible, sure, ROWS) for own in (before, after)]
    by_range = [{one.low: one for one in table} for table in tables]
    for low, high in zip(ROWS[:-1].tolist(), ROWS[1:].tolist(), strict=True):
        shown = [_bin(table.get(low)) for table in by_range]
        if any(text.strip() for text in shown):
            print(f"  {low:.2f}-{high:.2f}  {shown[0]:37} {shown[1]}".rstrip())
    return [[vars(one) for one in table] for table in tables]


def _bin(one: Bin | None) -> str:
    if one is None:
        return ""
    shares = [100 * share for share in (one.confidence, one.possible, one.sure)]
    return "{:8} {:7.1f} {:7.1f} {:7.1f}".format(one.count, *shares)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print everything; returns all figures."""
    record: dict[str, Any] = {}
    samples = read_samples(options)
    trial = [one for one in samples if one.gold.text.dev]
    tests = [one for one in samples if not one.gold.text.dev]
    print_maps(AGREED if PRESETS[options.preset].agreement else APART, trial, tests, record)
    calibration = fit_chosen(trial, record)
    print_texts(calibration, [*trial, *tests], record)
    tables = record.setdefault("reliability", {})
    for one in tests:
        name = name_of(one.gold)
        tables[name] = print_reliability(name, calibration, [one], every=False)
    for title, every in (("all tests", False), ("all tests, links of any combination", True)):
        tables[title] = print_reliability(title, calibration, tests, every)
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--preset", choices=tuple(PRESETS), default="best")
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="keep trained models there")
    return parse_common(parser, arguments, DATA)


def main() -> None:
    """Print the tables."""
    run_program("calibration.py", parse(), run)


if __name__ == "__main__":
    main()
