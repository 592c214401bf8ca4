"""Weights: convert them, look at them, and hold those of several sets against each other."""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from align.errors import UsageError
from align.text.readers import read_sentences
from features.space import is_sparse
from tune.nbest.types import read_nbest
from tune.weights.formats import update_moses_ini, write_weights_as
from tune.weights.overlap import Overlap, count_tokens, count_words, feature_overlap
from tune.weights.summary import (
    DENSE,
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
from tune.weights.weights import Weights

from ..console import Console
from ..report import format_table, write_rows
from ..tuning.list_inputs import some_names

__all__ = ["overlap", "weights"]

Options = argparse.Namespace
_Row = dict[str, Any]
_RULES = ("pt", "pp")  # templates whose features are rules: ours, and Moses' PhrasePairFeature


def weights(options: Options, console: Console) -> None:
    """`weights convert` and `weights show`."""
    {"convert": _convert, "show": _show}[options.action](options, console)


def _convert(options: Options, console: Console) -> None:
    """Read weights of any form and write them in another one."""
    if options.ini and options.to not in (None, "moses"):
        raise UsageError(f"--ini writes a moses.ini; it does not go with --to {options.to}")
    if options.ini and options.output in (None, "-"):
        raise UsageError("--ini needs -o FILE: sparse weights go to a file beside it")
    values = Weights.read(options.weights)
    if options.ini:
        kept, sparse = update_moses_ini(options.ini, values, options.output)
        if kept:
            names = some_names(kept)
            console.info(f"{options.ini}: {names} kept, of which there are no new weights")
        if sparse:
            console.info(f"sparse weights: {sparse}")
    elif options.to is None:
        values.write(options.output, keep_zeros=True)
    else:
        _tell_left_out(values, options.to, console)
        write_weights_as(values, options.output, options.to)


def _tell_left_out(values: Weights, form: str, console: Console) -> None:
    sparse = sum(map(is_sparse, values))
    if form == "moses" and sparse:
        console.error(
            f"warning: {sparse} sparse weights are left out; --to moses-sparse writes them, --ini "
            "both"
        )
    if form == "moses-sparse" and sparse < len(values):
        console.error(
            f"warning: {len(values) - sparse} dense weights are left out; --to moses writes them, "
            "--ini both"
        )


def _show(options: Options, console: Console) -> None:
    """Counts and mass by template, the largest weights, features that never fire."""
    values = Weights.read(options.weights).as_dict(keep_zeros=True)
    occurrences = None
    if options.list:
        lists = read_nbest(options.list)
        occurrences = count_occurrences(lists.rows, lists.space)
    if options.template:
        known = [*values, *(occurrences or ())]
        chosen = set().union(*choose_templates(known, _split(options.template)).values())
        values = {n: value for n, value in values.items() if template_of(n) in chosen}
        if occurrences is not None:
            occurrences = {n: k for n, k in occurrences.items() if template_of(n) in chosen}
    summaries = summarize_templates(values, occurrences)
    groups = dict(_groups(values, occurrences, summaries, options))
    templates = [_summary_row(one) for one in summaries]
    features = [_feature_row(kind, one) for (_, kind), found in groups.items() for one in found]
    write_rows(
        {"templates": templates, "features": features},
        templates if options.by_template else features,
        lambda: _shown(summaries, groups),
        options.output,
        options.format,
    )


_Groups = dict[tuple[str, str], list[WeightedFeature]]


def _groups(
    values: Mapping[str, float],
    occurrences: Mapping[str, int] | None,
    summaries: Sequence[TemplateSummary],
    options: Options,
) -> Iterator[tuple[tuple[str, str], list[WeightedFeature]]]:
    """((template or empty, kind), features): the extreme ones, those that don't fire or match."""
    size = options.top
    parts: dict[str, Mapping[str, float]] = {"": values}
    if options.by_template:
        parts = {one.template: {} for one in summaries if one.weights}
        for name, value in values.items():
            parts[template_of(name)][name] = value  # type: ignore[index]
    for template, own in parts.items():
        positive, negative = extremes(own, size, occurrences)
        yield (template, "positive"), positive
        yield (template, "negative"), negative
    if occurrences is not None:
        yield ("", "never fired"), never_fired(values, occurrences)[: size or None]
        yield ("", "no weight"), without_weight(values, occurrences)[: size or None]


def _summary_row(one: TemplateSummary) -> _Row:
    row = {
        "template": one.template, "weights": one.weights, "active": one.active,
        "positive": one.positive, "negative": one.negative, "mass": one.mass,
        "largest": one.largest, "smallest": one.smallest,
    }  # fmt: skip
    if one.never_fired is not None:
        row |= {"never_fired": one.never_fired, "no_weight": one.lacking}
    return row


def _feature_row(kind: str, one: WeightedFeature) -> _Row:
    row = {
        "kind": kind, "template": template_of(one.name), "feature": one.name, "weight": one.weight
    }  # fmt: skip
    return row if one.occurrences is None else row | {"occurrences": one.occurrences}


def _shown(summaries: Sequence[TemplateSummary], groups: _Groups) -> Iterator[str]:
    rows = [_summary_row(one) for one in summaries]
    columns = [name.replace("_", " ") for name in rows[0]] if rows else ["template"]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    yield from format_table("", columns, cells).splitlines()
    for (template, kind), found in groups.items():
        if not found:
            continue
        counted = found[0].occurrences is not None
        title = f"{kind}, {template}" if template else kind
        columns = [title, "weight", *(["hypotheses"] if counted else [])]
        yield ""
        yield from format_table(
            "",
            columns,
            [(one.name, _cell(one.weight), one.occurrences)[: len(columns)] for one in found],
        ).splitlines()


def _cell(value: object) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _split(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def overlap(options: Options, console: Console) -> None:
    """Active features that sets of weights have in common, or how they spell two words."""
    files = options.weights
    if len(files) < 2:
        raise UsageError("give two files of weights or more")
    if options.text and not options.contrast:
        raise UsageError("--text goes with --contrast")
    found = [Weights.read(file).as_dict(keep_zeros=True) for file in files]
    names = [name for one in found for name in one]
    if options.contrast:
        _contrast(options, found, names)
        return
    templates: Mapping[str, Iterable[str]] = {}
    if options.template:
        templates = choose_templates(names, _split(options.template))
    else:
        every = sorted({template_of(name) for name in names})
        templates = {name: (name,) for name in every}
        templates["(sparse)"] = [name for name in every if name != DENSE]
    rows = [
        _overlap_row(files[a], files[b], one)
        for a, b in combinations(range(len(files)), 2)
        for one in feature_overlap(found[a], found[b], templates)
    ]
    columns = ("template", "|A|", "|B|", "|A and B|", "Jaccard")
    write_rows(rows, rows, lambda: _overlap_text(rows, columns), options.output, options.format)


def _overlap_row(first: str, second: str, one: Overlap) -> _Row:
    return {
        "a": first, "b": second, "template": one.template, "in_a": one.first, "in_b": one.second,
        "in_both": one.both, "jaccard": round(one.jaccard, 6),
    }  # fmt: skip


def _overlap_text(rows: Sequence[_Row], columns: Sequence[str]) -> Iterator[str]:
    pairs = dict.fromkeys((row["a"], row["b"]) for row in rows)
    for a, b in pairs:
        yield f"A = {a}, B = {b}"
        own = [list(row.values())[2:] for row in rows if (row["a"], row["b"]) == (a, b)]
        cells = [[*row[:-1], f"{row[-1]:.4f}"] for row in own]
        yield from format_table("", columns, cells).splitlines()


def _contrast(options: Options, found: Sequence[Mapping[str, float]], names: Sequence[str]) -> None:
    words = _split(options.contrast)
    if len(words) < 2:
        raise UsageError(f"--contrast {options.contrast!r}; expected two words or more, A,B")
    texts = options.text or []
    if texts and len(texts) != len(found):
        raise UsageError(f"{len(texts)} --text for {len(found)} files of weights; one for each")
    wanted = _split(options.template) if options.template else _default_rules(names)
    templates = set().union(*choose_templates(names, wanted).values())
    rows: list[_Row] = []
    for number, (file, own) in enumerate(zip(options.weights, found, strict=True)):
        tokens: list[int] | None = None
        if texts:
            sentences = (
                sentence
                for text in _split(texts[number])
                for sentence in read_sentences(text, lowercase=options.lowercase)
            )
            tokens = count_tokens(sentences, words)
        rules = count_words(own, words, templates)
        for place, word in enumerate(words):
            row: _Row = {"weights": file, "word": word}
            row |= {} if tokens is None else {"tokens": tokens[place]}
            rows.append(row | {"rules": rules[place]})
    cells = [list(row.values()) for row in rows]
    write_rows(
        rows,
        rows,
        lambda: format_table("", list(rows[0]), cells).splitlines(),
        options.output,
        options.format,
    )


def _default_rules(names: Sequence[str]) -> list[str]:
    found = {template_of(name).lower() for name in names}
    return [one for one in _RULES if one in found] or [_RULES[0]]
