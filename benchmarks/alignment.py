"""Alignment error of the flat and the latent-domain aligner on the real mixtures.

    python benchmarks/alignment.py A B C [--data FOLDER] [--threads N]

Set-ups: A en-fr (Hansards, fiction), B en-cs (four gold domains), C en-es (parliament, Wikipedia).
The gold texts are appended to the mixture without labels; in B the first tenth of each serves as a
seed sample. Lowercased. AER in percent, for three heuristics and for links of mean posterior 0.5.
"""

import argparse
import gzip
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from align import (
    PRESETS,
    AlignmentModel,
    Bitext,
    Corpus,
    evaluate,
    read_gold,
    read_sentences,
    symmetrize,
    train,
)
from align.readers import match_labels

HEURISTICS = ("intersection", "grow-diag-final", "grow-diag-final-and")


@dataclass(frozen=True)
class SetUp:
    """A mixture, its other language, and the gold sets with the seed domain they stand for."""

    folder: str
    language: str
    gold: tuple[tuple[str, str], ...]


SET_UPS = {
    "A": SetUp("en-fr-multidomain", "fr",
               (("en-fr-hansards/test", ""), ("en-fr-fiction-gold/test", ""),
                ("en-fr-hansards/trial", ""))),
    "B": SetUp("en-cs-multidomain", "cs",
               tuple((f"en-cs-gold/{domain}", domain)
                     for domain in ("commentary", "stories", "law", "newswire"))),
    "C": SetUp("en-es-multidomain", "es",
               (("en-es-gold/parliament", ""), ("en-es-gold/parliament-graca100", ""),
                ("en-es-gold/wikipedia-test", ""), ("en-es-gold/wikipedia-dev", ""))),
}  # fmt: skip


@dataclass(frozen=True)
class Mixture:
    """Bitext, true domain per pair ("" = unknown), first line and length of each gold set."""

    bitext: Bitext
    truth: tuple[str, ...]
    spans: dict[str, tuple[int, int]]


def read_set_up(data: Path, set_up: SetUp) -> Mixture:
    """Build the training text of a set-up."""
    files: dict[str, list[list[str]]] = {}

    def sentences(prefix: str, language: str) -> list[list[str]]:
        name = f"{prefix}.{language}.gz"
        if name not in files:
            files[name] = read_sentences(data / name, lowercase=True)
        return files[name]

    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    shown, truth = [], []
    index = gzip.decompress((data / set_up.folder / "hetero.index.tsv.gz").read_bytes()).decode()
    for row in index.splitlines():
        prefix, domain, line, seed = row.split("\t")
        for side, language in zip(sides, ("en", set_up.language), strict=True):
            side.append(sentences(prefix, language)[int(line)])
        shown.append(domain if seed == "1" else "-")
        truth.append("" if seed == "1" else domain)
    spans = {}
    for name, domain in set_up.gold:
        count = len(sentences(name, "en"))
        spans[name] = (len(shown), count)
        for side, language in zip(sides, ("en", set_up.language), strict=True):
            side.extend(sentences(name, language))
        seeds = count // 10 if domain else 0
        shown += [domain] * seeds + ["-"] * (count - seeds)
        truth += [""] * count
    domains = tuple(sorted(set(shown) - {"-"}))
    corpora = (Corpus.from_sentences(side) for side in sides)
    return Mixture(Bitext(*corpora, match_labels(shown, domains), domains), tuple(truth), spans)


def rows(
    data: Path, set_up: SetUp, mixture: Mixture, model: AlignmentModel, threads: int
) -> Iterator[tuple[str, list[float]]]:
    """AER of each gold set, by heuristic, and of the links of mean posterior 0.5 or more."""
    directions = model.align_directions(mixture.bitext, threads)
    links = [symmetrize(*directions, heuristic) for heuristic in HEURISTICS]
    links.append(model.align_posterior(mixture.bitext, 0.5, threads))
    for name, span in mixture.spans.items():
        gold = read_gold(data / f"{name}.en-{set_up.language}.gold.gz")
        yield name, [100 * evaluate(own.part(*span), gold).aer for own in links]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set_ups", nargs="+", choices=sorted(SET_UPS))
    default = os.environ.get("ISOGLOSS_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    for name in options.set_ups:
        set_up = SET_UPS[name]
        mixture = read_set_up(options.data, set_up)
        shown = " / ".join((*HEURISTICS, "posterior >= 0.5"))
        print(f"\nset-up {name}: {len(mixture.bitext)} pairs; AER, {shown}")
        flat = Bitext.unlabelled(mixture.bitext.source, mixture.bitext.target)
        agreement = PRESETS["best"].replace(agreement=True, hmm_iterations=5)
        variants = (
            ("flat", flat, PRESETS["best"]),
            ("latent, paper", mixture.bitext, PRESETS["paper"]),
            ("latent, best", mixture.bitext, PRESETS["best"]),
            ("flat, agreement, 5 HMM iterations", flat, agreement),
        )
        for label, bitext, settings in variants:
            start = time.process_time()
            model = train(bitext, settings, threads=options.threads)
            seconds = time.process_time() - start
            for gold, errors in rows(options.data, set_up, mixture, model, options.threads):
                values = " / ".join(f"{error:5.2f}" for error in errors)
                print(f"  {label:34} {gold:34} {values}", flush=True)
            if len(model.domains) > 1:
                posterior = model.domain_posteriors(mixture.bitext, options.threads)
                pairs = zip(posterior.argmax(1).tolist(), mixture.truth, strict=True)
                hits = [model.domains[guess] == truth for guess, truth in pairs if truth]
                print(f"  {label}: hidden labels found {100 * np.mean(hits):.2f} %")
            print(f"  {label}: training {seconds:.1f} s CPU")


if __name__ == "__main__":
    main()
