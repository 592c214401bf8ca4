"""How the defaults were chosen: AER on the two dev texts, one option changed at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import SET_UPS, Mixture, flat, read_set_up

from isogloss.align import AlignerOptions, evaluate, train
from isogloss.align.model.parameters import PRESETS
from isogloss.align.training.train import last_posteriors

__all__ = ["FLAT_CHOICES", "LATENT_CHOICES", "print_settings"]

# tried one by one, the others at the defaults
FLAT_CHOICES: dict[str, tuple[Any, ...]] = {
    "stem_length": (0, 3, 4, 5, 6),
    "stem_smoothing": (10.0, 30.0, 100.0, 300.0),
    "null_probability": (0.05, 0.1, 0.2),
    "hmm_iterations": (4, 5, 8),
    "agreement": (True, False),
    "prune": (0.0, 0.01),
}
LATENT_CHOICES: dict[str, tuple[Any, ...]] = {"domain_smoothing": (10.0, 30.0, 100.0)}


def _changes(choices: dict[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """The defaults, then each value that is not the default."""
    best = PRESETS["best"]
    yield {}
    for name, values in choices.items():
        yield from ({name: value} for value in values if value != getattr(best, name))


def _errors(mixture: Mixture, latent: bool, options: AlignerOptions, threads: int) -> list[float]:
    """AER in percent of the links of posterior 0.5, on the dev texts of a mixture."""
    bitext = mixture.bitext if latent else flat(mixture.bitext)
    model = train(bitext, options=options, threads=threads)
    rows, posterior = mixture.gold_rows, last_posteriors(model, threads)
    links = model.align_posterior(bitext.select(rows), 0.5, threads, posterior[rows])
    parts = [(own, gold) for gold, own in mixture.by_gold(links) if gold.text.dev]
    return [100 * evaluate(own, gold.links).aer for own, gold in parts]


def print_settings(data: Path, threads: int) -> dict[str, list[float]]:
    """Print and return the AER of each choice on the dev texts; no test text is looked at."""
    set_ups = [one for one in SET_UPS.values() if any(text.dev for text in one.gold)]
    mixtures = [read_set_up(data, set_up) for set_up in set_ups]
    names = [text.name for set_up in set_ups for text in set_up.gold if text.dev]
    print(f"AER of the links of posterior 0.5 or more: {', '.join(names)}, mean")
    table: dict[str, list[float]] = {}
    for kind, choices in (("flat", FLAT_CHOICES), ("latent", LATENT_CHOICES)):
        for change in _changes(choices):
            options = PRESETS["best"].replace(**change)
            values = [
                error
                for mixture in mixtures
                for error in _errors(mixture, kind == "latent", options, threads)
            ]
            values.append(float(np.mean(values)))
            label = ", ".join(f"{name} {value}" for name, value in change.items()) or "defaults"
            table[f"{kind}, {label}"] = values
            shown = " ".join(f"{value:6.2f}" for value in values)
            print(f"  {kind}, {label:28} {shown}", flush=True)
    return table
