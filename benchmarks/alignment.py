"""Alignment error of our models and of other aligners on the real mixtures.

    python benchmarks/alignment.py A B C [--only NAME ...] [--peers eflomal,thot,thot-model4]
                                         [--no-peers] [--threads N] [--json FILE] [--data FOLDER]
    python benchmarks/alignment.py --settings

Set-ups: see mixtures.py. Systems (--only): paper-flat; paper-one, latent with one seed domain;
paper-all, latent with all of them; smoothed-all, the same but for domain tables that lean towards
the general one, shared jumps and weights P(D|f,e); shuffled-all, smoothed-all with the labels dealt
out anew, the control; best-flat; best-latent. Printed for each gold text: AER, precision, recall of
three heuristics and of "ours", the links of mean posterior 0.5 or more; intervals of the claimed
differences; how many hidden labels are found; how reliable confidences are; the paper's Tables 2
and 3 on set-up B. Settings were chosen on the texts marked * only (--settings); no mean holds them.
"""

import argparse
import resource
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mixtures import DATA, SET_UPS, Mixture, flat, only, read_set_up, shuffled
from model_reports import print_domains, print_entropy, print_reliability, print_subsets
from numpy.typing import NDArray
from peers import PEERS, parse_peers, run_peer
from program import parse_common, run_program
from recorded import RECORDED
from results import COLUMNS, HEURISTICS, OURS, Results, print_claims, print_means
from settings import print_settings
from synthetic import synthetic_bitext

from isogloss.align import (
    AlignerOptions,
    AlignmentModel,
    Bitext,
    Links,
    UsageError,
    symmetrize,
    train,
)
from isogloss.align.model.parameters import PRESETS
from isogloss.align.training.train import last_posteriors, training_posteriors

PAPER, BEST = PRESETS["paper"], PRESETS["best"]
SMOOTHED = PAPER.replace(domain_smoothing=10.0, shared_jumps=True, domain_weighting="joint")

# system: labels that are shown, options
SYSTEMS: dict[str, tuple[str, AlignerOptions]] = {
    "paper-flat": ("none", PAPER),
    "paper-one": ("one", PAPER),
    "paper-all": ("all", PAPER),
    "smoothed-all": ("all", SMOOTHED),
    "shuffled-all": ("shuffled", SMOOTHED),
    "best-flat": ("none", BEST),
    "best-latent": ("all", BEST),
}
MATRIX = ("best-latent",)  # systems whose confusion matrix is shown
TABLES = ("paper-all", "best-latent")  # and whose tables and subsets are


def warm_up() -> None:
    """Compile, so that no time counts it."""
    bitext = synthetic_bitext(2000, 2)
    for options in (PAPER, BEST):
        for text in (flat(bitext), bitext):
            model = train(text, options=options)
            our_links(model, text, last_posteriors(model))


def shown_labels(kind: str, mixture: Mixture, nearest: str) -> Bitext:
    """The text of a system."""
    texts: dict[str, Callable[[], Bitext]] = {
        "none": lambda: flat(mixture.bitext),
        "one": lambda: only(mixture.bitext, nearest),
        "all": lambda: mixture.bitext,
        "shuffled": lambda: shuffled(mixture.bitext),
    }
    return texts[kind]()


def our_links(
    model: AlignmentModel, bitext: Bitext, posterior: NDArray[np.float64], threads: int = 1
) -> dict[str, Links]:
    """Links of each column, as `isogloss align` finds them.

    posterior: float64[num_pairs, D], P(D | f, e)
    """
    directions = model.align_directions(bitext, threads, posterior)
    links = {heuristic: symmetrize(*directions, heuristic) for heuristic in HEURISTICS}
    return links | {OURS: model.align_posterior(bitext, 0.5, threads, posterior)}


def run_system(system: str, name: str, mixture: Mixture, threads: int, results: Results) -> None:
    """Train one of ours; print its scores and what else it has to show."""
    kind, options = SYSTEMS[system]
    bitext = shown_labels(kind, mixture, SET_UPS[name].nearest)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = train(bitext, options=options, threads=threads)
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - start
    posterior, rows = last_posteriors(model, threads), mixture.gold_rows
    results.add(system, mixture, our_links(model, bitext.select(rows), posterior[rows], threads))
    print(f"  {system:13} training {seconds:.1f} s user CPU", flush=True)
    for warning in said:
        print(f"  {system:13} warning: {warning.message}")
    results.note(round(seconds, 2), "training, user seconds", system)
    if kind == "all":
        found = training_posteriors(model, threads)
        print_domains(system, mixture, model, found, results, matrix=system in MATRIX)
    if system.startswith("best"):
        print_reliability(system, mixture, model, posterior, results)
    if name == "B" and system in TABLES:
        print_entropy(system, mixture, model, results)
        print_subsets(system, mixture, model, threads, results)


def run_other(peer: str, mixture: Mixture, results: Results) -> None:
    """Run another aligner on the same text and print its scores."""
    found = run_peer(peer, mixture.bitext)
    first = int(mixture.gold_rows[0])
    directions = found.forward.part(first), found.reverse.part(first)
    results.add(peer, mixture, {column: symmetrize(*directions, column) for column in HEURISTICS})
    user = found.cost.user
    print(f"  {peer:13} whole job {user:.1f} s user CPU; {PEERS[peer].remark}", flush=True)
    results.note(round(user, 2), "whole job, user seconds", peer)


def print_recorded(name: str) -> None:
    """Figures of aligners that are not run."""
    print("  recorded AER; last column: the aligner's own combination, or its best")
    for row in RECORDED[name]:
        print(f"  {row.system}: whole job {row.seconds:.0f} s user CPU")
        for text, values in row.aer.items():
            shown = " | ".join(f"{value:6.2f}{'':12}" for value in values).replace("nan", "  -")
            print(f"  {'':13} {text.removesuffix('/test'):24} {shown}".rstrip())


def run_set_up(name: str, options: argparse.Namespace) -> Results:
    """Everything about one set-up."""
    mixture, results = read_set_up(options.data, SET_UPS[name]), Results()
    results.tests = [gold.text.name for gold in mixture.gold.values() if not gold.text.dev]
    print(f"\nset-up {name}: {len(mixture.bitext)} pairs; AER, precision, recall of")
    print(f"  {'':13} {'':24} {' | '.join(f'{column:18}' for column in COLUMNS)}")
    for system in options.only:
        if mixture.bitext.domains or SYSTEMS[system][0] == "none":
            run_system(system, name, mixture, options.threads, results)
    for peer in options.peers:
        run_other(peer, mixture, results)
    print_recorded(name)
    print_claims(results)
    return results


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set_ups", nargs="*", metavar="SET-UP", help=", ".join(SET_UPS))
    parser.add_argument("--only", nargs="+", choices=tuple(SYSTEMS), default=tuple(SYSTEMS))
    parser.add_argument("--peers", default="eflomal,thot", help=", ".join(PEERS))
    parser.add_argument("--no-peers", action="store_true", help="run none of them")
    parser.add_argument("--settings", action="store_true", help="choose settings on the dev texts")
    options = parse_common(parser, arguments, DATA)
    if bad := [name for name in options.set_ups if name not in SET_UPS]:
        parser.error(f"set-up {bad[0]!r}; expected some of {', '.join(SET_UPS)}")
    if bool(options.set_ups) == options.settings:
        parser.error("give set-ups, or --settings alone")
    try:
        options.peers = () if options.no_peers or options.settings else parse_peers(options.peers)
    except UsageError as error:
        parser.error(str(error))
    return options


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the tables; returns all figures."""
    if options.settings:
        return print_settings(options.data, options.threads)
    warm_up()
    found = {name: run_set_up(name, options) for name in dict.fromkeys(options.set_ups)}
    # P is part of A, and one domain alone
    whole = Results.merged(results for name, results in found.items() if name != "P")
    record = {name: results.record for name, results in found.items()}
    if len(found) > 1 and whole.tests:
        print(f"\nset-ups {', '.join(name for name in found if name != 'P')}")
        print_claims(whole)
        print_means(whole)
        record["all"] = whole.record
    return record


def main() -> None:
    """Print the tables."""
    run_program("alignment.py", parse(), run)


if __name__ == "__main__":
    main()
