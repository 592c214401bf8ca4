"""isogloss weights show: counts and mass by template, the largest weights."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.weights.summary import (
    TemplateSummary,
    WeightedFeature,
    choose_templates,
    count_occurrences,
    extremes,
    never_fired,
    summarize_templates,
    template_of,
    without_weight,
)
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, natural, option, positional
from ...report import table_lines, write_rows
from ..shared import ListFields, MessageOptions, message_options
from .rows import RowsOptions, split_names

__all__ = ["SHOW", "ShowOptions", "run"]

_Occurrences = Mapping[str, int] | None  # of features in the lists that are given
_Row = dict[str, Any]


@dataclass(frozen=True)
class ShowOptions:
    """Options of `isogloss weights show`.

    weights: feature weights: JSON, text or moses.ini; - = standard input
    by_template: show the largest weights of each template
    template: show only these templates, such as pt,al; dense = dense features
    top: number of largest features of each kind; 0 = all
    list: n-best lists; shows features that never fire in them, and features without a weight
    """

    weights: str = positional("WEIGHTS")
    by_template: bool = False
    template: str | None = option(default=None, metavar="NAME,...")
    top: int = option(default=10, parse=natural, metavar="N")
    list: tuple[str, ...] = option(default=(), metavar="NBEST")
    lists: ListFields = group(ListFields)
    rows: RowsOptions = group(RowsOptions)
    common: MessageOptions = message_options()

    @property
    def output_formats(self) -> dict[str | None, str]:
        """The format of the output if it is no plain text."""
        return {self.rows.output: "json"} if self.rows.written_format == "json" else {}


class _Group(NamedTuple):
    """Features that are shown together; template: empty for those of all templates."""

    template: str
    kind: str
    features: Sequence[WeightedFeature]


def run(options: ShowOptions, console: Console) -> None:
    """Counts and mass by template, the largest weights, features that never fire."""
    weights = Weights.load(options.weights)
    occurrences: _Occurrences = None
    if options.list:
        lists = read_nbest(options.list, fields=options.lists.mapping)
        occurrences = count_occurrences(lists.rows, lists.space)
    if options.template:
        known = [*weights, *(occurrences or ())]
        chosen = set().union(*choose_templates(known, split_names(options.template)).values())
        weights = weights.select(name for name in weights if template_of(name) in chosen)
        if occurrences is not None:
            occurrences = {
                name: n for name, n in occurrences.items() if template_of(name) in chosen
            }
    summaries = summarize_templates(weights, occurrences)
    groups = list(_groups(weights, occurrences, summaries, options))
    templates = [_summary_row(summary) for summary in summaries]
    features = [_feature_row(g.kind, feature) for g in groups for feature in g.features]
    write_rows(
        {"templates": templates, "features": features},
        templates if options.by_template else features,
        lambda: _text(templates, groups),
        options.rows.output,
        options.rows.written_format,
    )


def _groups(
    weights: Weights,
    occurrences: _Occurrences,
    summaries: Sequence[TemplateSummary],
    options: ShowOptions,
) -> Iterator[_Group]:
    """The extreme features, those that never fire and those that have no weight."""
    size = options.top
    names: dict[str, list[str]] = {"": list(weights)}
    if options.by_template:
        names = {summary.template: [] for summary in summaries if summary.weights}
        for name in weights:
            names[template_of(name)].append(name)
    for template, chosen in names.items():
        positive, negative = extremes(weights.select(chosen), size, occurrences)
        yield _Group(template, "positive", positive)
        yield _Group(template, "negative", negative)
    if occurrences is not None:
        yield _Group("", "never fired", never_fired(weights, occurrences)[: size or None])
        yield _Group("", "no weight", without_weight(weights, occurrences)[: size or None])


def _summary_row(summary: TemplateSummary) -> _Row:
    row = {
        "template": summary.template, "weights": summary.weights, "active": summary.active,
        "positive": summary.positive, "negative": summary.negative, "mass": summary.mass,
        "largest": summary.largest, "smallest": summary.smallest,
    }  # fmt: skip
    if summary.never_fired is not None:
        row |= {"never_fired": summary.never_fired, "no_weight": summary.lacking}
    return row


def _feature_row(kind: str, feature: WeightedFeature) -> _Row:
    row = {
        "kind": kind, "template": template_of(feature.name), "feature": feature.name,
        "weight": feature.weight,
    }  # fmt: skip
    return row if feature.occurrences is None else row | {"occurrences": feature.occurrences}


def _text(templates: Sequence[_Row], groups: Sequence[_Group]) -> Iterator[str]:
    columns = [name.replace("_", " ") for name in templates[0]] if templates else ["template"]
    cells = [[_cell(value) for value in row.values()] for row in templates]
    yield from table_lines(columns, cells)
    for template, kind, features in groups:
        if not features:
            continue
        counted = features[0].occurrences is not None
        title = f"{kind}, {template}" if template else kind
        columns = [title, "weight", *(["hypotheses"] if counted else [])]
        yield ""
        rows = [
            (feature.name, _cell(feature.weight), feature.occurrences)[: len(columns)]
            for feature in features
        ]
        yield from table_lines(columns, rows)


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


SHOW = Command(
    ShowOptions,
    run,
    (
        "isogloss weights show weights.json --by-template --list list.gz",
        "isogloss weights show weights.json --template pt,al --top 20",
    ),
    line="show the largest weights and a summary by template",
    first={
        "features": ("template", "by_template", "top"),
        "n-best lists": ("list", "fields"),
        "output": ("output", "to"),
        "running": ("quiet",),
    },
)
