"""Speed of the aligner, as ratios of CPU time within one run; memory.

    python benchmarks/alignment_speed.py [--only job pass resident growth] [--million]
                                         [--no-peers] [--threads N] [--json FILE] [--data FOLDER]

job: from text files to symmetrized links of both directions, by command line in a fresh process
with compiled code cached, beside eflomal and thot on the same text, all on one thread; what was
recorded of others is scaled by what eflomal took then and takes now. pass: one E-step of the HMM,
which does both directions at once. resident: opening a model folder, and aligning one pair after
the other with it. growth: synthetic text of 25 words a sentence in four labeled domains; each size
in a process of its own. User CPU is meaningful on a machine that others use; wall times are upper
bounds there.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from mixtures import DATA, SET_UPS, flat, read_set_up, write_bitext
from numpy.typing import NDArray
from peers import parse_peers, run_peer
from processes import Cost, isogloss, run_measured
from program import parse_common, run_program
from recorded import EFLOMAL_SECONDS, SECONDS
from synthetic import synthetic_bitext

from isogloss.align import AlignerOptions, AlignmentModel, Bitext, UsageError, train
from isogloss.align.model.parameters import PRESETS
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer

Record = dict[str, Any]

PASS_PAIRS = 20_000
DOMAINS = 4
REPEATS = 5
# nats by which a pair is likelier of one domain than of another; the others are left out where an
# iteration has found them unlikely
CERTAINTY = {"the others left out": np.inf, "sure of one": 50.0, "all alike": 0.0}
PATIENCE = 10.0  # seconds that one row of medians may take
SIZES = (50_000, 200_000)
MILLION = 1_000_000
JOBS = {
    "paper, flat": (False, ("--preset", "paper", "--heuristic", "grow-diag-final")),
    "paper, latent": (True, ("--preset", "paper", "--heuristic", "grow-diag-final")),
    "best, flat": (False, ("--preset", "best")),
    "best, latent": (True, ("--preset", "best")),
}


def align_files(files: Sequence[str], folder: Path, *more: str, threads: int = 1) -> Cost:
    """What `isogloss align` takes; ``files``: as write_bitext returns them."""
    out = folder / "links"
    return run_measured(isogloss("align", *files, *more, "-q", "--threads", threads, "-o", out))


def measure_jobs(options: argparse.Namespace) -> Record:
    """The whole job on set-ups C and A, and what others take on the same text."""
    record: Record = {}
    for name in ("C", "A"):
        bitext = read_set_up(options.data, SET_UPS[name]).bitext
        tokens = len(bitext.source.tokens) + len(bitext.target.tokens)
        print(f"\nset-up {name}, {len(bitext)} pairs: user CPU s, words of both sides per s, MB")
        own = record[name] = {}
        with TemporaryDirectory() as place:
            files = write_bitext(bitext, Path(place))
            for job, (latent, arguments) in JOBS.items():
                cost = align_files(files if latent else files[:2], Path(place), *arguments)
                own[job] = cost.user
                show_job(job, cost.user, tokens, cost.megabytes)
        for peer in options.peers:
            cost = run_peer(peer, bitext).cost
            own[peer] = cost.user
            show_job(peer, cost.user, tokens, cost.megabytes)
        # what was recorded, were the machine as it was then
        slower = own.get("eflomal", EFLOMAL_SECONDS[name]) / EFLOMAL_SECONDS[name]
        for peer, seconds in SECONDS.get(name, {}).items():
            own[f"{peer} (x {slower:.2f})"] = slower * seconds
            show_job(f"{peer} (x {slower:.2f})", slower * seconds, tokens, float("nan"))
        show_ratios(own)
    return record


def show_job(label: str, user: float, tokens: int, megabytes: float) -> None:
    """One line."""
    shown = f"  {label:22} {user:8.1f} {tokens / user:10.0f} {megabytes:7.0f}"
    print(shown.replace("nan", "  -"), flush=True)


def show_ratios(seconds: dict[str, float]) -> None:
    """How many times as much the others take as ours."""
    others = [name for name in seconds if name not in JOBS]
    print("  times as much CPU as ours")
    print(f"    {'':14} {' '.join(f'{other:>22}' for other in others)}")
    for job in JOBS:
        shown = " ".join(f"{seconds[other] / seconds[job]:22.1f}" for other in others)
        print(f"    {job:14} {shown}")


def prepared(bitext: Bitext, options: AlignerOptions, threads: int = 1) -> Trainer:
    """A trainer after Model 1, where the HMM starts."""
    trainer = Trainer(bitext, options, threads)
    everything = np.zeros((2, len(bitext), 1))
    for number in range(1, options.model1_iterations + 1):
        trainer.iterate("model1", number, everything)
    return trainer


def pass_seconds(
    trainer: Trainer, log_weights: NDArray[np.float64], clock: Callable[[], float]
) -> float:
    """The least of some E-steps of the HMM."""
    seconds = []
    for _ in range(REPEATS):
        start = clock()
        trainer.expect("hmm", log_weights)
        seconds.append(clock() - start)
    return min(seconds)


def domain_weights(bitext: Bitext, certainty: float) -> NDArray[np.float64]:
    """Weights under which a pair is of one domain by so many nats: float64[2, num_pairs, D]."""
    domain = np.random.default_rng(1).integers(DOMAINS, size=len(bitext))
    return np.tile(np.where(np.arange(DOMAINS) == domain[:, None], 0.0, -certainty), (2, 1, 1))


def measure_passes(options: argparse.Namespace) -> Record:
    """Throughput of an E-step: presets, several domains, threads."""
    texts = {
        f"synthetic, {PASS_PAIRS} pairs": flat(synthetic_bitext(PASS_PAIRS, DOMAINS)),
        "set-up C": flat(read_set_up(options.data, SET_UPS["C"]).bitext),
    }
    record: Record = {}
    for name, bitext in texts.items():
        own = record[name] = {}
        words = len(bitext.source.tokens)
        both = (words + len(bitext.target.tokens)) / words
        mean = words / len(bitext)
        print(f"\nE-step of the HMM, both directions, {name} ({mean:.1f} source words each)")
        print("  source words per s of CPU on one thread (words generated in both directions)")
        one = np.zeros((2, len(bitext), 1))
        for preset, settings in PRESETS.items():
            trainer = prepared(bitext, settings)
            pass_seconds(trainer, one, time.process_time)  # compiles
            own[preset] = words / pass_seconds(trainer, one, time.process_time)
            speed = own[preset] / 1e6
            print(f"  {preset}, one domain: {speed:.2f} M ({both * speed:.2f} M)", flush=True)
            own[f"{preset}, threads"] = show_threads(trainer, one, options.threads)
            trainer.threads = 1
            trainer.split(DOMAINS)
            for label, certainty in CERTAINTY.items():
                weights = domain_weights(bitext, certainty)
                seconds = pass_seconds(trainer, weights, time.process_time)
                ratio = own[preset] * seconds / words
                own[f"{preset}, {DOMAINS} domains, {label}"] = ratio
                print(f"  {preset}, {DOMAINS} domains, {label}: {ratio:.2f} times one", flush=True)
    return record


def show_threads(trainer: Trainer, one: NDArray[np.float64], threads: int) -> dict[str, float]:
    """Wall time and CPU time of one thread against several."""
    times = {}
    for clock in (time.perf_counter, time.process_time):
        values = []
        for number in (1, threads):
            trainer.threads = number
            values.append(pass_seconds(trainer, one, clock))
        times[clock.__name__] = values[0] / values[1]
    wall, cpu = times["perf_counter"], times["process_time"]
    print(f"    {threads} threads: {wall:.2f} times as fast (wall), {1 / cpu:.2f} times the CPU")
    return {"speed-up": wall, "CPU": 1 / cpu}


def short_pairs(bitext: Bitext) -> list[tuple[list[str], list[str]]]:
    """Words of up to 500 pairs of 20 words on the source side and 18 to 22 on the other."""
    source, target = bitext.source, bitext.target
    fits = (source.lengths == 20) & (np.abs(target.lengths - 20) <= 2)
    return [(source.words(k), target.words(k)) for k in np.flatnonzero(fits)[:500].tolist()]


def one_pair(model: AlignmentModel, words: tuple[list[str], list[str]]) -> Bitext:
    """A bitext of one pair over the model's vocabularies."""
    vocabularies = (model.source_vocabulary, model.target_vocabulary)
    sides = zip(words, vocabularies, strict=True)
    return Bitext.unlabeled(*(Corpus.from_sentences([side], known) for side, known in sides))


def measure_resident(options: argparse.Namespace) -> Record:
    """A model of set-up C in memory: opening it, and aligning one pair of 20 words at a time."""
    bitext = read_set_up(options.data, SET_UPS["C"]).bitext
    pairs = short_pairs(bitext)
    record: Record = {}
    print(f"\nresident model of set-up C, {len(pairs)} pairs of 20 words, one at a time; medians")
    for label, text in (("flat", flat(bitext)), ("latent", bitext)):
        with TemporaryDirectory() as place:
            folder = Path(place, "model")
            train(text, threads=options.threads).save(folder)
            model = AlignmentModel.load(folder)
            bitexts = [one_pair(model, words) for words in pairs]
            seconds = {
                "open it": median_seconds(AlignmentModel.load, [folder] * 11),
                "bitext from words": median_seconds(partial(one_pair, model), pairs),
                "align": median_seconds(model.align, bitexts),
                "domain posteriors": median_seconds(model.domain_posteriors, bitexts),
            }
        own = record[label] = {f"{name}, us": 1e6 * value for name, value in seconds.items()}
        print(f"  {label}: {', '.join(f'{name} {value:.0f}' for name, value in own.items())}")
    return record


def median_seconds(work: Callable[[Any], Any], arguments: Sequence[Any]) -> float:
    """Median wall seconds of a call with one argument; the first call is not counted."""
    work(arguments[0])
    seconds: list[float] = []
    for argument in arguments:
        start = time.perf_counter()
        work(argument)
        seconds.append(time.perf_counter() - start)
        if sum(seconds) > PATIENCE:
            break
    return statistics.median(seconds)


def measure_growth(options: argparse.Namespace) -> Record:
    """Time and memory of labeled text of growing size, by command line."""
    record: Record = {}
    print(f"\ngrowth, {DOMAINS} labeled domains: pairs, user CPU s, wall s, MB, CPU us per pair")
    for size in (*SIZES, *((MILLION,) if options.million else ())):
        with TemporaryDirectory() as place:
            files = write_bitext(synthetic_bitext(size, DOMAINS), Path(place))
            cost = align_files(files, Path(place), threads=options.threads)
        record[str(size)] = vars(cost)
        each = 1e6 * cost.user / size
        print(
            f"  {size:8} {cost.user:8.1f} {cost.wall:8.1f} {cost.megabytes:7.0f} {each:7.0f}",
            flush=True,
        )
    return record


PARTS: dict[str, Callable[[argparse.Namespace], Record]] = {
    "job": measure_jobs,
    "pass": measure_passes,
    "resident": measure_resident,
    "growth": measure_growth,
}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    parser.add_argument("--million", action="store_true", help="growth: a million pairs, too")
    parser.add_argument("--peers", default="eflomal,thot")
    parser.add_argument("--no-peers", action="store_true", help="run none of them")
    options = parse_common(parser, arguments, DATA)
    try:
        wanted = "job" in options.only and not options.no_peers
        options.peers = parse_peers(options.peers) if wanted else ()
    except UsageError as error:
        parser.error(str(error))
    return options


def run(options: argparse.Namespace) -> Record:
    """The parts that are asked for, once what they run is compiled."""
    if set(options.only) & {"job", "growth"}:
        with TemporaryDirectory() as place:  # compiles
            files = write_bitext(synthetic_bitext(1000, DOMAINS), Path(place))
            for _, arguments in JOBS.values():
                align_files(files, Path(place), *arguments)
                align_files(files[:2], Path(place), *arguments)
    return {name: PARTS[name](options) for name in PARTS if name in options.only}


def main() -> None:
    """Print the tables."""
    run_program("alignment_speed.py", parse(), run)


if __name__ == "__main__":
    main()
