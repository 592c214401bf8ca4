"""Tables 1 to 3 of Cuong & Sima'an (2015) in small, on the mixtures with hand links.

Recipes: paper, as printed; smoothed, with domain tables that lean towards the general one, one
jump table and weights P(D|f,e). Labels: those of one domain, as in the paper's binary case, all,
or all dealt out anew among the labelled pairs, the control; and of each domain two and four times
as many pairs, and all that are known, to see what the size of the seeds does, where a gold text has
a domain of its own also for that domain alone. Links are those of grow-diag-final.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import SET_UPS, Mixture, label_names, only, read_set_up, revealed, shuffled
from model_reports import subsets
from paper_runs import Workshop, print_rows
from results import name_of
from scores import bootstrap, score, sentence_counts

from align import AlignmentModel, Bitext, Links, read_links
from align.lexicon.tables import conditional_entropy, coverage

__all__ = ["table_1", "table_2", "table_3"]

RECIPES: Mapping[str, tuple[str, ...]] = {
    "paper": ("--preset", "paper"),
    "smoothed": (
        "--preset", "paper", "--domain-smoothing", "10", "--shared-jumps",
        "--decoding-weights", "pair",
    ),
}  # fmt: skip
FLAT, ALL, CONTROL = "flat", "all", "shuffled"
KNOWN = "known"
LARGER = {"x2": 2.0, "x4": 4.0, KNOWN: np.inf}  # seeds, as many times as large: all-x2
HEURISTIC = "grow-diag-final"
WEIGHTS = ("side", "pair", "hard")
TRAINED, ENTROPY, SUBSETS = ("A", "B", "C"), "B", "B"  # set-ups of Tables 1, 2 and 3
Counts = dict[str, np.ndarray]  # of the pairs of each gold text, see scores.py


@dataclass(frozen=True)
class _Corpus:
    """A mixture, and the folder of all that is made of it."""

    workshop: Workshop
    mixture: Mixture

    @classmethod
    def of(cls, workshop: Workshop, data: Path, name: str) -> "_Corpus":
        """Write the text of a set-up, its labels, and the pairs with hand links alone."""
        folder = workshop.path(f"links-{name}/source").parent
        own = cls(Workshop(folder, workshop.threads, 1), read_set_up(data, SET_UPS[name]))
        bitext = own.mixture.bitext
        for rows, prefix in ((range(len(bitext)), ""), (own.mixture.gold_rows.tolist(), "gold.")):
            for side, corpus in (("source", bitext.source), ("target", bitext.target)):
                own.workshop.write(f"{prefix}{side}", (" ".join(corpus.words(k)) for k in rows))
        for label in own.labels:
            own.workshop.write(f"labels.{label}", label_names(own._labelled(label)))
        return own

    @property
    def labels(self) -> list[str]:
        """What may be shown of them: those of one domain, all, all dealt out anew; larger seeds."""
        own = {gold.text.domain for gold in self.mixture.gold.values()} - {""}
        larger = [f"{label}-{size}" for label in (ALL, *sorted(own)) for size in LARGER]
        domains = self.mixture.bitext.domains
        return [*domains, ALL, CONTROL, *larger, f"{CONTROL}-{KNOWN}"]

    def _labelled(self, label: str) -> Bitext:
        name, _, size = label.partition("-")
        bitext = revealed(self.mixture, LARGER[size]) if size else self.mixture.bitext
        if name == ALL:
            return bitext
        return shuffled(bitext) if name == CONTROL else only(bitext, name)

    def trained(self, recipe: str, label: str) -> tuple[Path, Path]:
        """The model and the links of a recipe and labels, FLAT for none."""
        name = FLAT if label == FLAT else f"{recipe}.{label}"
        shown = [] if label == FLAT else ["--labels", f"labels.{label}"]
        links = self.workshop.make(
            f"{name}.links", "align", "source", "target", *shown, *RECIPES[recipe],
            "--heuristic", HEURISTIC, "--model", f"{name}.model", "--overwrite",
            "-o", f"{name}.links",
        )  # fmt: skip
        return links.with_name(f"{name}.model"), links

    def counts(self, links: Links) -> Counts:
        """What is right of links, by gold text that no setting was chosen on."""
        return {
            name_of(gold): sentence_counts(own, gold.links)
            for gold, own in self.mixture.by_gold(links)
            if not gold.text.dev
        }

    @cached_property
    def flat(self) -> Counts:
        """Those of the links without domains."""
        return self.counts(read_links(self.trained("paper", FLAT)[1]))


def _errors(counts: Counts) -> list[float]:
    """AER of each text in percent, and their mean."""
    errors = [100.0 * score(own).aer for own in counts.values()]
    return [*errors, float(np.mean(errors))]


def _row(label: str, counts: Counts, baseline: Counts | None) -> tuple[list[str], dict[str, Any]]:
    """A line of a table, and its figures: AER, and the difference of the mean from a baseline."""
    errors = _errors(counts)
    figures: dict[str, Any] = {"aer": dict(zip([*counts, "mean"], errors, strict=True))}
    shown = ""
    if baseline is not None:
        difference = bootstrap([(counts[name], baseline[name]) for name in counts])
        figures["difference"], shown = vars(difference), str(difference)
    return [label, *(f"{error:.2f}" for error in errors), shown], figures


def _print(
    texts: Iterable[str], rows: Sequence[tuple[list[str], dict[str, Any]]]
) -> dict[str, Any]:
    print_rows(["", *texts, "mean", "difference (95 %)"], [row for row, _ in rows])
    return {row[0]: figures for row, figures in rows}


def table_1(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 1: AER by the labels that are shown; differences are from flat."""
    record, flat, pooled = dict[str, Any](), Counts(), dict[str, Counts]()
    for name in TRAINED:
        corpus = _Corpus.of(workshop, data, name)
        flat |= corpus.flat
        rows = [_row(FLAT, corpus.flat, None)]
        for recipe, label in product(RECIPES, corpus.labels):
            counts = corpus.counts(read_links(corpus.trained(recipe, label)[1]))
            rows.append(_row(f"{recipe}, {label}", counts, corpus.flat))
            if label.partition("-")[0] in (ALL, CONTROL):
                pooled.setdefault(f"{recipe}, {label}", {}).update(counts)
        print(f"set-up {name}: AER of {HEURISTIC}")
        record[name] = _print(corpus.flat, rows)
    print("all texts")
    everywhere = [_row(label, counts, flat) for label, counts in pooled.items()]
    record["all"] = _print(flat, [_row(FLAT, flat, None), *everywhere])
    return record


def _entropies(corpus: _Corpus, model: AlignmentModel) -> Iterator[tuple[str, dict[str, Any]]]:
    """Bits per word of each domain's table, and the share of the words with a row."""
    bitext = corpus.mixture.bitext
    sides = {"t2s": bitext.target, "s2t": bitext.source}
    for domain in model.domains:
        values = {}
        for direction, given in sides.items():
            counts = np.bincount(given.tokens, minlength=len(given.vocabulary))
            table, chances = model.lexicon(direction, domain), counts / counts.sum()
            values[direction] = [conditional_entropy(table, chances), coverage(table, chances)]
        yield domain, values


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2: conditional entropy of the flat table and of each domain's two."""
    corpus, rows, record = _Corpus.of(workshop, data, ENTROPY), [], {}
    for label in (FLAT, *corpus.mixture.bitext.domains):
        model = AlignmentModel.load(corpus.trained("paper", label)[0])
        for domain, values in _entropies(corpus, model):
            name = label if label == FLAT else f"{label}: {domain}"
            record[name] = values
            shown = [[f"{bits:.3f}", f"{100 * rows_of:.1f}"] for bits, rows_of in values.values()]
            rows.append([name, *shown[0], *shown[1]])
    print(f"set-up {ENTROPY}, as printed: bits per word, % of the words with a row")
    print_rows(["labels: table", "H(F|E)", "%", "H(E|F)", "%"], rows)
    return record


def table_3(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 3: some domains of one model, soft and hard; differences from all."""
    corpus, record = _Corpus.of(workshop, data, SUBSETS), {}
    for recipe in RECIPES:
        model = corpus.trained(recipe, ALL)[0]
        domains = AlignmentModel.load(model).domains
        found: dict[str, Counts] = {}
        for names in subsets(corpus.mixture, domains):
            label = ALL if len(names) == len(domains) else "+".join(names)
            for weights in WEIGHTS if len(names) > 1 else WEIGHTS[:1]:
                output = f"applied/{recipe}.{label}.{weights}"
                links = corpus.workshop.make(
                    output, "apply", model.name, "gold.source", "gold.target",
                    "--heuristic", HEURISTIC, "--domains", ",".join(names),
                    "--decoding-weights", weights, "-o", output,
                )  # fmt: skip
                found[f"{label}, {weights}"] = corpus.counts(read_links(links))
        whole = found[f"{ALL}, {WEIGHTS[0]}"]
        print(f"set-up {SUBSETS}, {recipe}: AER of {HEURISTIC}, differences from all, side")
        rows = [_row(label, counts, whole) for label, counts in found.items()]
        record[recipe] = _print(corpus.flat, rows)
    return record
