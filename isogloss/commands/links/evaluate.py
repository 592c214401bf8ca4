"""isogloss evaluate: links against gold alignments."""

import json as json_text
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError, pluralize, warn
from isogloss.align.links.evaluate import AlignmentScore, ErrorRate, link_counts
from isogloss.align.links.gold_links import GoldLinks, gold_hint
from isogloss.align.links.links import Links
from isogloss.align.text.labels import read_label_names
from isogloss.align.text.readers import read_gold, read_links

from ...console import Console, write_stdout
from ...options import Command, natural, option, positional
from ...report import table_lines, write_rows
from ..link_formats import TokenIdOptions, token_id_options
from ..shared import CommonOptions, common_options, gold_format_option

if TYPE_CHECKING:
    from isogloss.tune.metrics.protocol import Metric

__all__ = ["COMMAND", "EvaluateOptions", "run"]


TRIALS = 1000  # resamples of the sentence pairs


@dataclass(frozen=True)
class EvaluateOptions:
    """Options of `isogloss evaluate`.

    links: alignments in Pharaoh format, with or without scores; several files get a row each, with
        the difference in AER from the first one, its 95% interval and its p-value by paired
        bootstrap resampling of the sentence pairs
    gold: gold alignments; Pharaoh is 0-based, i-j = sure, ipj = possible
    gold_format: format of GOLD; talp = Pharaoh counted from 1 (default: recognized, talp by name)
    skip: number of lines to skip at the start of LINKS; as many lines as GOLD has are evaluated
        (default: LINKS and GOLD must have the same number of lines)
    labels: domain labels of the gold alignments, one name or - per line: adds a row for each domain
    json: print scores and counts as JSON
    """

    links: tuple[str, ...] = positional("LINKS")
    gold: str = positional("GOLD")
    skip: int | None = option(default=None, parse=natural, metavar="N")
    gold_format: str | None = gold_format_option()
    labels: str | None = option(default=None, metavar="FILE")
    json: bool = False
    ids: TokenIdOptions = token_id_options()
    common: CommonOptions = common_options()


def run(options: EvaluateOptions, console: Console) -> None:
    """Score links against gold alignments."""
    ids = options.ids.files
    given = [read_links(file, scored=False, ids=ids) for file in options.links]
    num_pairs = len(given[0]) if options.skip is None else None
    gold = read_gold(options.gold, format=options.gold_format, num_pairs=num_pairs, ids=ids)
    systems = [
        _evaluated(links, file, gold, options, console)
        for links, file in zip(given, options.links, strict=True)
    ]
    given_counts = [link_counts(links, gold) for links in systems]
    scores = [AlignmentScore.of_counts(counts) for counts in given_counts]
    rows, score = [_percent(one) for one in scores], scores[0]
    if len(systems) > 1 or options.labels:
        _write_table(options, given_counts)
    elif options.json:
        counts = {"links": score.num_links, "sure": score.num_sure, "sentence_pairs": len(gold)}
        write_stdout(json_text.dumps(rows[0] | counts) + "\n")
    else:
        write_stdout("".join(f"{name}\t{value:.2f}\n" for name, value in rows[0].items()))


def _evaluated(
    links: Links, file: str, gold: GoldLinks, options: EvaluateOptions, console: Console
) -> Links:
    """The evaluated lines of a file. Raises an error where they don't fit the gold alignments."""
    skip = options.skip or 0
    if skip > len(links):
        raise UsageError(
            f"--skip must be at most {len(links)}, the number of lines of {file}, got {skip}"
        )
    links = links.part(skip)
    if options.skip is not None and len(links) > len(gold):
        links = links.part(0, len(gold))
        console.info(f"evaluating lines {skip + 1} to {skip + len(gold)} of {file}")
    if len(links) != len(gold):
        raise DataError(
            f"{file} has {pluralize(len(links))} of links",
            f"{len(gold)}, the number of gold alignments",
            remedy="Skip the lines before the evaluated text with --skip N",
        )
    if hint := gold_hint(links, gold):
        warn(f"{options.gold}: {hint}")
    return links


def _percent(score: AlignmentScore) -> dict[str, float]:
    values = {"AER": score.aer, "precision": score.precision, "recall": score.recall}
    return {name: round(100 * value, 2) for name, value in (values | {"F1": score.f1}).items()}


def _write_table(options: EvaluateOptions, counts: Sequence[NDArray[np.float64]]) -> None:
    """A row per file, or per domain and file, with intervals."""
    # counts: float64[num_pairs, 4] of each file
    parts: list[tuple[str, NDArray[np.bool_]]] = [("", np.ones(len(counts[0]), np.bool_))]
    if options.labels:
        names = np.array(read_label_names(options.labels, len(counts[0])), np.object_)
        order = sorted(set(names.tolist()), key=lambda name: (name == "-", name))
        parts = [("all", parts[0][1]), *((name, names == name) for name in order)]
    rows = list[dict[str, Any]]()
    for domain, chosen in parts:
        own = [one[chosen] for one in counts]
        about = {"domain": domain, "sentence_pairs": len(own[0])} if domain else {}
        rows += [about | row for row in _rows(options, own)]
    write_rows(rows, rows, lambda: _lines(rows), None, "json" if options.json else None)


def _rows(
    options: EvaluateOptions, counts: Sequence[NDArray[np.float64]]
) -> Iterator[dict[str, Any]]:
    """A row per file, and how its AER differs from the first one's; of one file its interval."""
    from isogloss.tune.significance import paired_bootstrap, score_system  # not for a single score

    threads, rate = options.common.threads, cast("Metric", ErrorRate())
    for number, (file, own) in enumerate(zip(options.links, counts, strict=True)):
        row: dict[str, Any] = {"links": file, **_percent(AlignmentScore.of_counts(own))}
        if len(counts) == 1:
            interval = score_system(own, rate, trials=TRIALS, threads=threads).interval
            yield row | dict(zip(("low", "high"), map(_rounded, interval), strict=True))
            continue
        row |= dict.fromkeys(("difference", "low", "high", "p"))
        if number:
            test = paired_bootstrap(counts[0], own, rate, trials=TRIALS, threads=threads)
            bounds = (test.difference, *test.interval)
            row |= dict(zip(("difference", "low", "high"), map(_rounded, bounds), strict=True))
            row["p"] = round(test.p_value, 4)
        yield row


def _rounded(value: float) -> float:
    return round(value, 2)


def _lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    first, scores = rows[0], ("AER", "precision", "recall", "F1")
    about = [name for name in ("domain", "sentence_pairs", "links") if name in first]
    compares = "p" in first
    columns = [*about, *scores, *(["AER - first [95% CI]", "p"] if compares else ["95% CI of AER"])]
    cells = []
    for row in rows:
        shown = [str(row[name]) for name in about] + [f"{row[name]:.2f}" for name in scores]
        if not compares:
            shown.append(f"[{row['low']:.2f}, {row['high']:.2f}]")
        elif row["p"] is None:
            shown += ["", ""]
        else:
            interval = f"[{row['low']:+.2f}, {row['high']:+.2f}]"
            shown += [f"{row['difference']:+.2f} {interval}", f"{row['p']:.3f}"]
        cells.append(shown)
    return table_lines(columns, cells)


COMMAND = Command(
    EvaluateOptions,
    run,
    (
        "isogloss evaluate links gold --skip 20000 --json",
        "isogloss evaluate baseline.links new.links gold --labels domains",
    ),
    first={
        "input": ("gold_format", "skip", "labels"),
        "output": ("json",),
        "running": ("threads", "quiet"),
    },
)
