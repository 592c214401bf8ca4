"""Links of words that are the same on both sides: alignment error of new text with and without.

    python benchmarks/identical_words.py [--threads N] [--data FOLDER]

A model of at most 20,000 pairs aligns texts with gold alignments: as new text (apply), and as a
part of what it learns from (align). Printed: identical words that stand once on both sides, how
many of their links are in the gold alignments, AER without and with these links where a side is
free, and how many of those that are added are right.
"""

import argparse
from pathlib import Path

import numpy as np
from mixtures import DATA

import isogloss as ig
from isogloss.align.text.known_words.identical_words import identical_words, with_identical_words

MOST = 20_000
TEXTS = {
    "es": (
        ["en-es-multidomain/train.parliament"],
        ["parliament", "parliament-graca100", "wikipedia-test", "wikipedia-dev"],
        "en-es-gold",
    ),
    "fr": (
        ["en-fr-hansards/train.parliament", "en-fr-multidomain/train.parliament"],
        ["en-fr-hansards/test", "en-fr-fiction-gold/test"],
        "",
    ),
    "cs": (
        ["en-cs-multidomain/train.mixed", "en-cs-multidomain/train.software"],
        ["commentary", "stories", "law", "newswire"],
        "en-cs-gold",
    ),
    "ja": (["en-ja-kftt-gold/train.conversation"], ["dev"], "en-ja-kftt-gold"),
}


def read(folder: Path, name: str, language: str) -> ig.Bitext:
    """A bitext of English and another language, in lower case."""
    files = [folder / f"{name}.{code}.gz" for code in ("en", language)]
    return ig.read_bitext(*files, lowercase=True)


def pairs_of(bitext: ig.Bitext) -> list[tuple[list[str], list[str]]]:
    """The words of each pair."""
    return [(bitext.source.words(row), bitext.target.words(row)) for row in range(len(bitext))]


def trained(pairs: list[tuple[list[str], list[str]]], threads: int) -> ig.AlignmentModel:
    """A model without the links that are measured."""
    bitext = ig.Bitext.from_sentences(*zip(*pairs, strict=True))
    return ig.train(bitext, identical_words=False, threads=threads)


def main() -> None:
    """Print a row for each text and way of learning."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    print(f"{'text':34} {'model':6} same  in gold  without   with  added  right")
    for language, (training, names, folder) in TEXTS.items():
        pairs = [p for name in training for p in pairs_of(read(options.data, name, language))]
        texts = {name: read(options.data, str(Path(folder, name)), language) for name in names}
        together = [*pairs[:MOST], *(p for text in texts.values() for p in pairs_of(text))]
        models = {
            "apply": trained(pairs[:MOST], options.threads),
            "align": trained(together, options.threads),
        }
        for name, text in texts.items():
            gold = ig.read_gold(options.data / folder / f"{name}.en-{language}.gold.gz")
            same = identical_words(text)
            share = np.isin(same.keys(), gold.possible.keys()).mean()
            for kind, model in models.items():
                links = model.align(text, threads=options.threads)
                whole = with_identical_words(links, text)
                added = np.setdiff1d(whole.keys(), links.keys())
                right = int(np.isin(added, gold.possible.keys()).sum())
                errors = [100 * ig.evaluate(given, gold).aer for given in (links, whole)]
                print(
                    f"{f'{language} {name}':34} {kind:6} {len(same.source):4}  {share:7.3f}  "
                    f"{errors[0]:7.2f} {errors[1]:6.2f}  {len(added):5}  {right:5}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
