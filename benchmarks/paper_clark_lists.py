"""Tables 2 and 3 of Clark, Dyer & Lavie (2014) on fixed lists: the same hypotheses for all rows.

The systems of paper_clark.py translate with Moses's weights and log P, once for all: 200-best lists
that say which phrase each word is from. What a row's phrase table says of these phrases stands in
place of the four scores. PRO learns on the first sentences of the tuning set, the last ones choose
the strength of L2 or of the ties, the lists of the test set are reranked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from paper_clark import (
    BASELINES_2,
    BASELINES_3,
    BITS,
    JUDGED,
    LOG_P,
    TABLE_2,
    TABLE_3,
    TOWARD,
    Learned,
    Row,
    Rows,
    System,
    Ties,
    print_tables,
    strengths,
    system_files,
)
from paper_runs import SystemFiles, Text, Workshop, best_epoch, epochs_of

from isogloss.align.files.text_io import read_lines
from isogloss.features.bins.binning import Binning, bins_file
from isogloss.features.table.phrase_table import LOWEST_LOG, PhraseTable, RuleEntry
from isogloss.features.table.sidecar import MOSES_SCORES
from isogloss.tune.nbest.writer import format_hypothesis
from isogloss.tune.weights.weights import Weights

__all__ = ["by_text", "rescored", "table_2", "table_3"]

SIZE = 200  # hypotheses of a sentence
TIES = Ties(tuple(10.0**power for power in range(0, 13, 2)), (0.05, 0.5, 5.0))
# ties where bins are rare, as those of 4 bits are not
TIED = {
    f"{name} P, {bits} bits": Row(f"bins-{bits}", tied)
    for bits in BITS[1:]
    for name, tied in (("LNR", "linear"), ("MNR", "monotone"))
}
Span = tuple[int, int]  # first and last word


def _spans(segmentation: str) -> Iterator[tuple[Span, Span]]:
    """Source and target words of each phrase in ``0-1=0-2 2=3``."""
    for phrase in segmentation.split():
        source, target = phrase.split("=")
        yield _span(source), _span(target)


def _span(words: str) -> Span:
    first, _, last = words.partition("-")
    return int(first), int(last or first)


def _values(rule: RuleEntry) -> dict[str, float]:
    """A rule's features as decoders count them: logarithms of scores, and sparse ones."""
    scores = {
        name: float(np.log(score)) if score > 0 else LOWEST_LOG
        for name, score in rule.scores.items()
    }
    return scores | rule.features


def rescored(
    lines: Iterable[str], sources: Sequence[str], table: Mapping[tuple[str, str], RuleEntry]
) -> Iterator[str]:
    """Lines of an n-best list with what a table says of their phrases in place of Moses's scores.

    table: rules by source and target; words that no rule translates, which stay as they are, have
    none of its features
    """
    known: dict[tuple[str, str], dict[str, float]] = {}
    for line in lines:
        number, text, features, score, segmentation = line.split(" ||| ")
        source, target, sums = sources[int(number)].split(), text.split(), dict[str, float]()
        for (begin, end), (first, last) in _spans(segmentation):
            phrases = " ".join(source[begin : end + 1]), " ".join(target[first : last + 1])
            if phrases not in known:
                known[phrases] = _values(table[phrases]) if phrases in table else {}
            for name, value in known[phrases].items():
                sums[name] = sums.get(name, 0.0) + value
        names, values = features.split()[::2], features.split()[1::2]
        old = [(name.removesuffix("="), float(x)) for name, x in zip(names, values, strict=True)]
        others = [(name, value) for name, value in old if name not in MOSES_SCORES]
        yield format_hypothesis(int(number), text, [*others, *sorted(sums.items())], float(score))


def by_text(lines: Iterable[str]) -> list[str]:
    """The hypotheses of each sentence in the order of their texts.

    A list in its decoder's order says by this alone what log P would: weights of 0 take the first.
    """
    return sorted(lines, key=lambda line: (int(line.split(" ||| ")[0]), line.split(" ||| ")[1]))


@dataclass(frozen=True)
class _Lists:
    """Lists of all rows, and what is learned from them.

    listed: the system whose hypotheses they are; texts: first, last and test
    """

    workshop: Workshop
    listed: SystemFiles
    texts: Mapping[str, Text]

    def hypotheses(self, text: Text) -> Path:
        """What the system's decoder finds by Moses's weights, with segmentation."""
        path = f"{text.name}.gz"
        return self.workshop.make(
            path, "decode", text.source, *self.listed.options(), "-o", f"{text.name}.best",
            "--n-best", f"{path}:{SIZE}", "--n-best-segmentation",
        )  # fmt: skip

    def of(self, files: SystemFiles) -> dict[str, Path]:
        """The lists with a row's features, by text."""
        paths = {name: self.workshop.path(f"{files.name}.{name}.gz") for name in self.texts}
        if not all(path.exists() for path in paths.values()):
            table = {(rule.source, rule.target): rule for rule in PhraseTable.load(files.table)}
            for name, text in self.texts.items():
                lines = by_text(read_lines(self.hypotheses(text)))
                sources = [*read_lines(text.source)]
                self.workshop.write(f"{files.name}.{name}.gz", rescored(lines, sources, table))
        return paths

    def start(self, files: SystemFiles) -> Path:
        """What bins weigh by the weights learned for log P, of the first run."""
        path = self.workshop.path(f"{files.name}.start.json")
        if not path.exists():
            label = self.learned(self.listed, "").label
            weights = Weights.load(self.workshop.path(f"tuned/{label}.1/weights.json"))
            binned = weights.with_bin_weights(Binning.load(bins_file(files.table))).as_dict(
                keep_zeros=True
            )
            Weights.from_dict(binned | {"TargetWords": 0.0}).save(path, keep_zeros=True)
        return path

    def tuned(self, files: SystemFiles, label: str, options: Sequence[str], run: int) -> Path:
        """The folder of a tuning run."""
        lists, folder = self.of(files), f"tuned/{files.name}.{label}.{run}"
        self.workshop.make(
            f"{folder}/weights.json",
            "tune", lists["first"], "--refs", *self.texts["first"].references,
            "--held-out", lists["last"], "--held-out-refs", *self.texts["last"].references,
            "--optimizer", "pro", *options, "--folds", 0,
            "--seed", run, "--out", folder, "--overwrite",
        )  # fmt: skip
        return self.workshop.path(folder)

    def learned(self, files: SystemFiles, tied: str) -> Learned:
        """Weights by the strength that is best on the last sentences by the first run."""
        start = ("--initial-weights", str(self.start(files))) if tied == TOWARD else ()
        tried = {label: (*options, *start) for label, options in strengths(tied, TIES).items()}
        epochs = {
            label: best_epoch(epochs_of(self.tuned(files, label, options, 1)), "held_out")
            for label, options in tried.items()
        }
        best = max(epochs, key=lambda label: epochs[label]["held_out"])
        outputs: dict[str, list[Path]] = {name: [] for name in JUDGED}
        for run in range(1, self.workshop.runs + 1):
            weights = self.tuned(files, best, tried[best], run) / "weights.json"
            for text, made in outputs.items():
                output = f"out/{files.name}.{best}.{text}.{run}"
                command = ("rerank", self.of(files)[text], "--weights", weights, "-o", output)
                made.append(self.workshop.make(output, *command))
        chosen = epochs[best]
        return Learned(f"{files.name}.{best}", outputs, chosen["held_out"], chosen["active"])


def _on_lists(
    workshop: Workshop, folder: Path, system: System, texts: Mapping[str, Text], rows: Rows
) -> dict[str, Learned]:
    lists = _Lists(workshop, system_files(workshop, folder, system, LOG_P), texts)
    return {
        name: lists.learned(system_files(workshop, folder, system, row.table), row.tied)
        for name, row in rows.items()
    }


def _apart(workshop: Workshop) -> Workshop:
    """A folder beside that of the tables with a decoder, as files have the same names."""
    return replace(workshop, folder=workshop.path("lists/en").parent)


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2 on fixed lists, with ties, too."""
    others = [f"{what}{bits} bits" for bits in BITS[1:] for what in ("", "LNR P, ")]
    baselines = (*BASELINES_2, *others, "8 bits, to log P")
    return print_tables(_apart(workshop), data, {**TABLE_2, **TIED}, baselines, _on_lists)


def table_3(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 3 on fixed lists, with ties between more bins, too."""
    return print_tables(_apart(workshop), data, {**TABLE_3, **TIED}, BASELINES_3, _on_lists)
