"""Samples of a corpus: alignment error and cost of `align --train-on N` against training on all.

    python benchmarks/train_on.py [SIZE ...] [--times K] [--no-peers] [--data FOLDER]

The corpus is all English-French text, nine domains, with both gold sets at its end, lowercased; it
is written K times one after the other, which makes it longer but holds no more to learn. Printed
for each sample: AER on both gold sets, user seconds on one thread of the whole command, of the last
pass alone (its links made once more by `apply`), and peak memory; eflomal in the same run.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mixtures import DATA
from peers import PEERS, run_peer
from processes import isogloss, run_measured

from isogloss.align import Bitext, Links, evaluate, read_bitext, read_gold, read_links, symmetrize
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
        lines = list(getattr(whole, side).texts())
        write_lines((line for _ in range(options.times) for line in lines), folder / side)
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
    parser.add_argument("--times", type=int, default=1, metavar="K")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        measured(options.sizes, options, Path(folder))


if __name__ == "__main__":
    main()
