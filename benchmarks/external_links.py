"""Links of eflomal as external links for our aligner, on the real mixtures with hand links.

    python benchmarks/external_links.py A B C [--threads N] [--weight W ...] [--json FILE] [--data
    FOLDER]

Set-ups: see mixtures.py; labels are hidden. eflomal aligns the same text on the spot. Printed for
each gold text: AER, precision, recall of both aligners, of plain combinations of their links
(intersection, union, links that two of ours, eflomal's forward and its reverse have), of ours with
eflomal's links as external links, of each weight (default: the program's), taken in when links are
chosen, in training, or both; and of external links that is none: links of other lines, links with
source and target exchanged; and of the hand links themselves. Intervals of the differences to ours
by paired bootstrap. Nothing was chosen on texts without a * (see mixtures.py).
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from mixtures import DATA, SET_UPS, Mixture, flat, read_set_up
from peers import PeerLinks, parse_peers, run_peer
from program import parse_common, run_program
from results import Results, name_of
from scores import bootstrap

from isogloss.align import AlignmentModel, Bitext, Links, UsageError, symmetrize, train
from isogloss.align.links.external_links import ExternalLinks

__all__ = ["main", "run_set_up"]

SHUFFLE_SEED = 1
OURS = "ours"
KINDS = ("intersection", "grow-diag-final-and", "both directions")


def plain_combinations(ours: Links, found: PeerLinks) -> dict[str, Links]:
    """Links of both aligners without a model."""
    grown = symmetrize(found.forward, found.reverse, "grow-diag-final-and")
    sides = np.concatenate([links.keys() for links in (ours, found.forward, found.reverse)])
    keys, votes = np.unique(sides, return_counts=True)
    both = np.intersect1d(ours.keys(), grown.keys())
    return {
        "eflomal, intersection": symmetrize(found.forward, found.reverse, "intersection"),
        "eflomal, grow-diag-final-and": grown,
        "ours and eflomal": Links.from_keys(both, len(ours)),
        "ours or eflomal": Links.from_keys(np.union1d(ours.keys(), grown.keys()), len(ours)),
        "two of three": Links.from_keys(keys[votes > 1], len(ours)),
    }


def within(rows: Iterator[list[tuple[int, int]]], bitext: Bitext) -> Links:
    """Links that may lie outside of their pairs, brought inside."""
    sizes = zip(bitext.source.lengths.tolist(), bitext.target.lengths.tolist(), strict=True)
    return Links.from_pairs(
        [(i % size[0], j % size[1]) for i, j in row if min(size) > 0]
        for row, size in zip(rows, sizes, strict=True)
    )


def other_external_links(bitext: Bitext, mixture: Mixture, grown: Links) -> dict[str, Links]:
    """External links of no use, and of the best."""
    order = np.random.default_rng(SHUFFLE_SEED).permutation(len(grown)).tolist()
    hand: list[list[tuple[int, int]]] = [[] for _ in range(len(bitext))]
    for name, (first, count) in mixture.spans.items():
        hand[first : first + count] = list(mixture.gold[name].links.sure)
    return {
        "links of other lines": within((grown[k] for k in order), bitext),
        "sides exchanged": within(([(i, j) for j, i in row] for row in grown), bitext),
        "sure hand links": Links.from_pairs(hand),
    }


def external_systems(
    model: AlignmentModel,
    bitext: Bitext,
    mixture: Mixture,
    found: PeerLinks,
    weights: Sequence[float],
    threads: int,
) -> Iterator[tuple[str, Links]]:
    """Names and links of our systems that were given external links."""
    grown = symmetrize(found.forward, found.reverse, "grow-diag-final-and")
    inner = symmetrize(found.forward, found.reverse, "intersection")
    files = zip(KINDS, ((inner,), (grown,), (found.forward, found.reverse)), strict=True)
    for kind, links in files:
        for weight in weights:
            given = ExternalLinks(links, weight)
            name = f"{kind}, {weight:g}"
            yield f"{name}: decoding", model.align(bitext, external_links=given, threads=threads)
            if kind != KINDS[2]:
                taught = train(bitext, threads=threads, external_links=given)
                yield f"{name}: training", taught.align(bitext, threads=threads)
                yield f"{name}: both", taught.align(bitext, external_links=given, threads=threads)
    for name, links_of in other_external_links(bitext, mixture, grown).items():
        yield f"{name}: decoding", model.align(bitext, external_links=links_of, threads=threads)
        if name == "links of other lines":
            taught = train(bitext, threads=threads, external_links=links_of)
            yield f"{name}: both", taught.align(bitext, external_links=links_of, threads=threads)


def run_set_up(
    mixture: Mixture, found: PeerLinks, weights: Sequence[float], threads: int
) -> Results:
    """Print the scores of all systems on a set-up, and their differences to ours."""
    bitext, results = flat(mixture.bitext), Results()
    model = train(bitext, threads=threads)
    ours = model.align(bitext, threads=threads)
    first = len(bitext) - len(mixture.gold_rows)
    names = [OURS]
    results.add(OURS, mixture, {OURS: ours.part(first)})
    for name, links in plain_combinations(ours, found).items():
        names.append(name)
        results.add(name, mixture, {OURS: links.part(first)})
    for name, links in external_systems(model, bitext, mixture, found, weights, threads):
        names.append(name)
        results.add(name, mixture, {OURS: links.part(first)})
    print("  differences of AER to ours, 95 % intervals by paired bootstrap of sentence pairs")
    for name in names[1:]:
        shown = []
        for gold in mixture.gold.values():
            text = gold.text.name
            counts = results.counts[name, text][OURS], results.counts[OURS, text][OURS]
            difference = bootstrap([counts])
            shown.append(f"{name_of(gold)} {difference}")
            results.note(vars(difference), "differences", name, text)
        print(f"  {name:36} {' | '.join(shown)}", flush=True)
    return results


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set_ups", nargs="+", metavar="SET-UP", choices=tuple(SET_UPS))
    parser.add_argument("--weight", nargs="+", type=float, default=[ExternalLinks.weight])
    options = parse_common(parser, arguments, DATA)
    try:
        parse_peers("eflomal")
    except UsageError as error:
        parser.error(str(error))
    return options


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the tables; returns all figures."""
    record = {}
    for name in dict.fromkeys(options.set_ups):
        mixture = read_set_up(options.data, SET_UPS[name])
        print(f"\nset-up {name}: {len(mixture.bitext)} pairs; AER, precision, recall", flush=True)
        found = run_peer("eflomal", mixture.bitext)
        record[name] = run_set_up(mixture, found, options.weight, options.threads).record
    return record


def main() -> None:
    """Print the tables."""
    run_program("external links.py", parse(), run)


if __name__ == "__main__":
    main()
