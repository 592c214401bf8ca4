"""What a model shows besides its links: domains found, confidences, the paper's Tables 2 and 3."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from mixtures import Mixture
from numpy.typing import NDArray
from results import Results, name_of
from scores import calibration_error, confusion, reliability, score, sentence_counts

from isogloss.align import AlignmentModel, symmetrize
from isogloss.align.lexicon.tables import conditional_entropy, coverage
from isogloss.align.model.parameters import DOMAIN_WEIGHTINGS

__all__ = ["print_domains", "print_entropy", "print_reliability", "print_subsets", "subsets"]

EDGES = np.array([0.0, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0])


def print_domains(
    system: str,
    mixture: Mixture,
    model: AlignmentModel,
    posterior: NDArray[np.float64],
    results: Results,
    matrix: bool,
) -> None:
    """How many hidden labels are found, and which are taken for which.

    posterior: float64[num_pairs, D], P(D | f, e)
    """
    guesses = [model.domains[number] for number in posterior.argmax(1).tolist()]
    rows, counts, share = confusion(guesses, mixture.truth, model.domains)
    print(f"  {system:13} hidden labels found: {100 * share:.2f} %")
    results.note(round(100 * share, 2), "hidden labels found", system)
    if not matrix:
        return
    print(f"    {'% found as':12} {'pairs':>6} {' '.join(f'{d[:8]:>8}' for d in model.domains)}")
    for row, own in zip(rows, counts, strict=True):
        shares = " ".join(f"{value:8.1f}" for value in 100 * own / own.sum())
        print(f"    {row:12} {own.sum():6} {shares}")
        results.note(dict(zip(model.domains, own.tolist(), strict=True)), "confusion", system, row)


def print_reliability(
    system: str,
    mixture: Mixture,
    model: AlignmentModel,
    posterior: NDArray[np.float64],
    results: Results,
) -> None:
    """Share of right links by confidence, all test texts together.

    posterior: float64[num_pairs, D], P(D | f, e)
    """
    rows = mixture.gold_rows
    links = model.align_posterior(mixture.bitext.select(rows), posterior=posterior[rows])
    parts = [(own, gold.links) for gold, own in mixture.by_gold(links) if not gold.text.dev]
    bins = reliability(parts, EDGES)
    print(f"  {system:13} confidence: range, links, their mean, % of them in P, % in S")
    for one in bins:
        shares = [100 * share for share in (one.confidence, one.possible, one.sure)]
        print("    {:.2f}-{:.2f} {:7} {:6.1f} {:6.1f} {:6.1f}".format(
            one.low, one.high, one.count, *shares
        ))  # fmt: skip
    errors = [100 * calibration_error(bins, kind) for kind in ("possible", "sure")]
    print(f"    expected calibration error: {errors[0]:.1f} against P, {errors[1]:.1f} against S")
    results.note([vars(one) for one in bins], "reliability", system)
    results.note(errors, "calibration error", system)


def print_entropy(system: str, mixture: Mixture, model: AlignmentModel, results: Results) -> None:
    """Table 2: bits per word of each domain's table, and the share of the words with a row."""
    sides = {"s2t": mixture.bitext.source, "t2s": mixture.bitext.target}
    print(f"  {system:13} Table 2: H(F|E) in bits per word (% of the words with a row), s2t, t2s")
    for domain in (None, *model.domains):
        shown = []
        for direction, corpus in sides.items():
            counts = np.bincount(corpus.tokens, minlength=len(corpus.vocabulary))
            table = model.lexicon(direction, domain)
            bits = conditional_entropy(table, counts / counts.sum())
            rows = coverage(table, counts / counts.sum())
            shown.append(f"{bits:6.3f} ({100 * rows:5.1f})")
            results.note([bits, rows], "Table 2", system, domain or "", direction)
        print(f"    {domain or 'all, by P(D)':14} {'  '.join(shown)}")


def subsets(mixture: Mixture, domains: Sequence[str]) -> list[tuple[str, ...]]:
    """Each gold domain alone, then more and more of them; all seed domains; the out-domain; all."""
    gold = [one.text.domain for one in mixture.gold.values()]
    growing = [tuple(gold[:size]) for size in range(2, len(gold) + 1)]
    seeds = (*gold, *(one for one in domains[:-1] if one not in gold))
    return [*((one,) for one in gold), *growing, seeds, tuple(domains[-1:]), tuple(domains)]


def print_subsets(
    system: str, mixture: Mixture, model: AlignmentModel, threads: int, results: Results
) -> None:
    """Table 3: AER of grow-diag-final with some domains only; soft against hard assignment."""
    bitext = mixture.bitext.select(mixture.gold_rows)
    texts = ", ".join(name_of(gold) for gold in mixture.gold.values())
    print(f"  {system:13} Table 3: AER of grow-diag-final, {texts}, mean")
    for names in subsets(mixture, model.domains):
        for weights in DOMAIN_WEIGHTINGS if len(names) > 1 else DOMAIN_WEIGHTINGS[:1]:
            part = model.restricted(names)
            part = replace(part, options=part.options.replace(domain_weighting=weights))
            links = symmetrize(*part.align_directions(bitext, threads), "grow-diag-final")
            errors = [
                100 * score(sentence_counts(own, gold.links)).aer
                for gold, own in mixture.by_gold(links)
            ]
            errors.append(float(np.mean(errors)))
            label = "all" if len(names) == len(model.domains) else "+".join(n[:5] for n in names)
            print(f"    {label:42} {weights:4} {' '.join(f'{x:6.2f}' for x in errors)}", flush=True)
            results.note(errors, "Table 3", system, "+".join(names), weights)
