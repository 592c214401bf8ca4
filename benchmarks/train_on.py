"""Samples of a corpus: alignment error and cost of `align --train-on N` against training on all.

    python benchmarks/train_on.py [SIZE ...] [--times K] [--own N] [--no-peers] [--data FOLDER]

The corpus is all English-French text, nine domains, with both gold sets at its end, lowercased; it
is written K times one after the other. Each further copy has rare words of its own: of those that
occur at most N times in the corpus, the names end with the copy's number. So the vocabulary grows
with the text, as it does in larger corpora. Printed for each sample: AER on both gold sets, user
seconds on one thread of the whole command, of the last pass alone (its links made once more by
`apply`), and peak memory; eflomal in the same run.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from mixtures import DATA
from peers import PEERS, run_peer
from processes import isogloss, run_measured

from isogloss.align import (
    Bitext,
    Links,
    Vocabulary,
    evaluate,
    read_bitext,
    read_gold,
    read_links,
    symmetrize,
)
from isogloss.align.files.writers import write_lines
from isogloss.align.text.corpus import Corpus

FOLDER = "en-fr-multidomain"
DOMAINS = (
    "law", "captions", "parliament", "software", "newslc", "bible", "fiction", "news", "medical",
)  # fmt: skip
GOLD = {"Hansards": "en-fr-hansards/test", "fiction": "en-fr-fiction-gold/test"}
SIZES = (10_000, 20_000, 50_000, 100_000)
HEAD = "{:>9}  {:>8}  {:>7}  {:>8}  {:>9}  {:>6}"
ROW = "{:>9}  {:8.2f}  {:7.2f}  {:8.1f}  {:9.1f}  {:6.0f}"


def read_corpus(data: Path) -> tuple[Bitext, dict[str, int]]:
    """The text, and the first pair of each gold set."""
    names = [f"{FOLDER}/train.{domain}" for domain in DOMAINS]
    names += ["en-fr-hansards/train.parliament", *GOLD.values()]
    parts = [
        read_bitext(*(data / f"{name}.{code}.gz" for code in ("en", "fr")), lowercase=True)
        for name in names
    ]
    sides = [[getattr(part, side) for part in parts] for side in ("source", "target")]
    whole = Bitext.unlabeled(*map(Corpus.joined, sides))
    first = len(whole)
    starts = {}
    for name, part in reversed([*zip(GOLD, parts[-len(GOLD) :], strict=True)]):
        first -= len(part)
        starts[name] = first
    return whole, starts


def copies(corpus: Corpus, times: int, own: int) -> Iterator[str]:
    """The lines of all copies; words that occur at most ``own`` times differ between them."""
    words = corpus.vocabulary.words
    rare = np.bincount(corpus.tokens, minlength=len(words)) <= own
    yield from corpus.texts()
    for copy in range(1, times):
        named = (
            f"{word}§{copy}" if is_rare else word
            for word, is_rare in zip(words[1:], rare[1:], strict=True)
        )
        yield from Corpus(corpus.tokens, corpus.offsets, Vocabulary(named)).texts()


def errors(links: Links, starts: dict[str, int], data: Path) -> list[float]:
    """AER of each gold set in percent."""
    result = []
    for name, file in GOLD.items():
        gold = read_gold(data / f"{file}.en-fr.gold.gz")
        result.append(100 * evaluate(links.part(starts[name], len(gold)), gold).aer)
    return result


def measured(sizes: Sequence[int], options: argparse.Namespace, folder: Path) -> None:
    """Print a row for each sample."""
    whole, starts = read_corpus(options.data)
    for side in ("source", "target"):
        write_lines(copies(getattr(whole, side), options.times, options.own), folder / side)
    text, number = [folder / "source", folder / "target"], options.times * len(whole)
    print(f"{number:,} pairs")
    print(HEAD.format("train on", *GOLD, "user s", "linking s", "MB"))
    for size in (*(size for size in sizes if size < number), number):
        model, links = folder / f"model{size}", folder / "links"
        one = ["--threads", 1, "-q"]
        cost = run_measured(
            isogloss("align", *text, "--train-on", size, "--model", model, "-o", links, *one)
        )
        aers = errors(read_links(links), starts, options.data)
        linking = run_measured(isogloss("apply", model, *text, "-o", links, *one))
        shown = f"{size:,}" if size < number else "all"
        row = ROW.format(shown, *aers, cost.user, linking.user, cost.megabytes)
        print(row, flush=True)
    if not options.no_peers:
        peer = run_peer("eflomal", whole)
        links = symmetrize(peer.forward, peer.reverse, "grow-diag-final-and")
        cost = peer.cost
        print(
            ROW.format(
                "eflomal", *errors(links, starts, options.data), cost.user, 0, cost.megabytes
            )
        )
        print(f"eflomal: the corpus once, {len(whole):,} pairs; {PEERS['eflomal'].remark}")


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES, metavar="SIZE")
    parser.add_argument("--times", type=int, default=1, metavar="K", help="copies of the corpus")
    parser.add_argument("--own", type=int, default=5, metavar="N", help="occurrences of rare words")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        measured(options.sizes, options, Path(folder))


if __name__ == "__main__":
    main()
