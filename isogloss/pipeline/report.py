"""The report of a run: alignment error, phrase pairs, features, BLEU, time and memory."""

from collections.abc import Mapping
from typing import Any

from ..report import format_table
from ..runs.measure import USAGE_COLUMNS, usage_rows

__all__ = ["format_report"]


def format_report(manifest: Mapping[str, Any]) -> str:
    """All figures of a run as text."""
    stages: Mapping[str, Any] = manifest["stages"]
    figures = {name: stage["figures"] for name, stage in stages.items()}
    parts = [_corpus(figures), _alignment(figures), _model(figures), _bleu(figures)]
    parts.append(_usage({name: stage["usage"] for name, stage in stages.items()}))
    return "\n".join(part for part in parts if part)


def _usage(usages: Mapping[str, Any]) -> str:
    """Time and memory of each stage, and of all."""
    return format_table("Time and memory", USAGE_COLUMNS, usage_rows(usages))


def _corpus(figures: Mapping[str, Any]) -> str:
    text = figures["text"]
    rows = [
        ("sentence pairs", text["pairs"]),
        ("source / target tokens", f"{text['source_tokens']} / {text['target_tokens']}"),
        *((f"seed pairs, {name}", count) for name, count in text["seeds"].items()),
    ]
    return format_table("Training text", ("", ""), rows)


def _alignment(figures: Mapping[str, Any]) -> str:
    flat = figures.get("align-flat", {}).get("aer", {})
    latent = figures.get("align-latent", {}).get("aer", {})
    rows = [
        (
            f"{name}, {heuristic}",
            f"{error:.2f}",
            f"{latent[name][heuristic]:.2f}" if name in latent else "-",
        )
        for name, errors in flat.items()
        for heuristic, error in errors.items()
    ]
    table = format_table(
        "Alignment error rate (%)", ("gold alignments", "single-domain", "latent-domain"), rows
    )
    domains = figures.get("align-latent", {})
    if domains.get("domain_accuracy") is not None:
        table += f"accuracy on hidden domain labels: {domains['domain_accuracy']:.2f}%\n"
    return table if rows else ""


def _model(figures: Mapping[str, Any]) -> str:
    rows: list[tuple[str, object]] = []
    if "extract" in figures:
        rows.append(("phrase pairs", figures["extract"]["phrase_pairs"]))
        rows.append(("rules for tuning and test", figures["features"]["rules"]))
    for kind in ("dense", "full"):
        tuned = figures.get(f"tune-{kind}")
        if tuned:
            counts = f"{tuned['active']} / {tuned['features']}"
            rows.append((f"active / all features, {kind}", counts))
    return format_table("Phrase model", ("", ""), rows) if rows else ""


def _bleu(figures: Mapping[str, Any]) -> str:
    test = figures.get("translate", {}).get("test_bleu", {})
    tuned = {kind: figures.get(f"tune-{kind}") for kind in ("dense", "full")}

    def on_tuning(kind: str, last: bool) -> str:
        stage = tuned[kind]
        return f"{stage['tuning_bleu'][stage['best_epoch'] if last else 0]:.2f}" if stage else "-"

    rows = [
        ("before tuning", on_tuning("dense", last=False), test.get("untuned", "-")),
        ("dense", on_tuning("dense", last=True), test.get("dense", "-")),
        ("dense + domain + sparse", on_tuning("full", last=True), test.get("full", "-")),
    ]
    if not test and not tuned["dense"]:
        return ""
    table = format_table("BLEU", ("weights", "tuning set", "test set"), rows)
    return table + (f"test set: sacrebleu {test['signature']}\n" if test else "")
