"""Tables 1 to 3 of Cuong & Sima'an (2015) in small, on the mixtures with hand links.

Recipes: paper, as printed; smoothed, with domain tables that lean towards the general one, one
jump table and weights P(D|f,e). Labels: those of one domain, as in the paper's binary case, or all,
each also dealt out anew among the labelled pairs, the control; and of each domain two and four
times as many pairs, and all that are known, to see what the size of the seeds does, where a gold
text has a domain of its own also for that domain alone. Links are those of grow-diag-final.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from scores import Difference, bootstrap, score, sentence_counts

from align import AlignmentModel, Bitext, Links, read_links
from align.lexicon.tables import LexicalTable, word_entropies
from align.text.corpus import Corpus

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
DEALT = ", dealt out anew"  # the control of one domain: law, dealt out anew
LARGER = {"x2": 2.0, "x4": 4.0, KNOWN: np.inf}  # seeds, as many times as large: all-x2
HEURISTIC = "grow-diag-final"
DRAWS = 1000  # of sentence pairs, for the intervals of Table 2
WEIGHTS = ("side", "pair", "hard")
TRAINED, ENTROPY, SUBSETS = ("A", "B", "C"), "B", "B"  # set-ups of Tables 1, 2 and 3
SEEDS = {"paper": (ALL, f"{ALL}-x4", f"{ALL}-{KNOWN}"), "smoothed": (ALL,)}  # of Table 3
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
        single = [*domains, *(f"{name}-{KNOWN}" for name in sorted(own))]
        controls = [f"{CONTROL}-{KNOWN}", *(f"{label}{DEALT}" for label in single)]
        return [*domains, ALL, CONTROL, *larger, *controls]

    def _labelled(self, label: str) -> Bitext:
        name, _, size = label.removesuffix(DEALT).partition("-")
        bitext = revealed(self.mixture, LARGER[size]) if size else self.mixture.bitext
        if name == CONTROL or label.endswith(DEALT):
            bitext = shuffled(bitext)
        return bitext if name in (ALL, CONTROL) else only(bitext, name)

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


def _less(counts: Counts, others: Counts) -> Difference:
    """How the mean AER of the texts differs from others'."""
    return bootstrap([(counts[name], others[name]) for name in counts])


def _row(label: str, counts: Counts, baseline: Counts | None) -> tuple[list[str], dict[str, Any]]:
    """A line of a table, and its figures: AER, and the difference of the mean from a baseline."""
    errors = _errors(counts)
    figures: dict[str, Any] = {"aer": dict(zip([*counts, "mean"], errors, strict=True))}
    shown = ""
    if baseline is not None:
        difference = _less(counts, baseline)
        figures["difference"], shown = vars(difference), str(difference)
    return [label, *(f"{error:.2f}" for error in errors), shown], figures


def _print(
    texts: Iterable[str], rows: Sequence[tuple[list[str], dict[str, Any]]]
) -> dict[str, Any]:
    print_rows(["", *texts, "mean", "difference (95 %)"], [row for row, _ in rows])
    return {row[0]: figures for row, figures in rows}


def _print_texts(found: Mapping[str, Counts], baseline: Counts) -> dict[str, Any]:
    """Print and return precision and recall of each text in percent, and how its AER differs.

    From a baseline's, and from that with as many labels dealt out anew, where this was tried.
    """
    rows, record = [], {}
    for label, counts in found.items():
        cells, record[label] = [label], dict[str, Any]()
        for name, own in counts.items():
            shares = [100.0 * share for share in (score(own).precision, score(own).recall)]
            difference = bootstrap([(own, baseline[name])])
            record[label][name] = {"shares": shares, "difference": vars(difference)}
            shown = ""
            if f"{label}{DEALT}" in found:
                control = bootstrap([(own, found[f"{label}{DEALT}"][name])])
                record[label][name]["control"], shown = vars(control), str(control)
            cells += [*(f"{share:.1f}" for share in shares), str(difference), shown]
        rows.append(cells)
    columns = ("P", "R", "AER less flat", "less dealt out anew")
    titles = [f"{name}: {title}" for name in baseline for title in columns]
    print_rows(["", *titles], rows)
    return record


def table_1(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 1: AER by the labels that are shown; differences are from flat."""
    record, flat, pooled = dict[str, Any](), Counts(), dict[str, Counts]()
    for name in TRAINED:
        corpus = _Corpus.of(workshop, data, name)
        flat |= corpus.flat
        found = {FLAT: corpus.flat} | {
            f"{recipe}, {label}": corpus.counts(read_links(corpus.trained(recipe, label)[1]))
            for recipe, label in product(RECIPES, corpus.labels)
        }
        for label, counts in found.items():
            if label.partition(", ")[2].partition("-")[0] in (ALL, CONTROL):
                pooled.setdefault(label, {}).update(counts)
        print(f"set-up {name}: AER of {HEURISTIC}")
        rows = [
            _row(label, own, corpus.flat if label != FLAT else None) for label, own in found.items()
        ]
        record[name] = _print(corpus.flat, rows)
        print(f"set-up {name}: precision, recall, and the difference of AER (95 %) of each text")
        record[f"{name}, texts"] = _print_texts(found, corpus.flat)
    print("all texts")
    everywhere = [_row(label, counts, flat) for label, counts in pooled.items()]
    record["all"] = _print(flat, [_row(FLAT, flat, None), *everywhere])
    return record


@dataclass(frozen=True)
class _Entropies:
    """H(F | E) of a table and of the flat one over the words of a text that have rows in both.

    rows: share of the words that the table has a row for; bits, flat: per word
    low, high: 95 % of the difference, by bootstrap over the sentence pairs, the tables as they are
    """

    rows: float
    bits: float
    flat: float
    low: float
    high: float

    @classmethod
    def of(cls, table: LexicalTable, flat: LexicalTable, given: Corpus) -> "_Entropies":
        """Of a text of given words."""
        values = np.array([word_entropies(one)[given.tokens] for one in (table, flat)])
        both = ~np.isnan(values).any(axis=0)
        pairs = np.repeat(np.arange(len(given)), given.lengths)
        sums = np.array(
            [np.bincount(pairs, part, len(given)) for part in (*np.where(both, values, 0.0), both)]
        )  # bits by the table, by the flat one, words
        rng, drawn = np.random.default_rng(1), []
        for _ in range(DRAWS):
            own, other, words = sums[:, rng.integers(len(given), size=len(given))].sum(1)
            drawn.append((own - other) / words)
        low, high = np.percentile(drawn, [2.5, 97.5]).tolist()
        own, other, words = sums.sum(1).tolist()
        rows = float((~np.isnan(values[0])).mean())
        return cls(rows, own / words, other / words, low, high)

    def cells(self) -> list[str]:
        """As a table shows them."""
        difference = self.bits - self.flat
        return [
            f"{100 * self.rows:.1f}", f"{self.bits:.2f}", f"{self.flat:.2f}",
            f"{difference:+.2f} ({self.low:+.2f}, {self.high:+.2f})",
        ]  # fmt: skip


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2: the conditional entropy of each domain's two tables, beside that of
    the flat one over the same words; and of tables of as many labels dealt out anew, the control.
    """
    corpus, rows, record = _Corpus.of(workshop, data, ENTROPY), [], {}
    bitext = corpus.mixture.bitext
    sides = {"t2s": bitext.target, "s2t": bitext.source}
    flat = AlignmentModel.load(corpus.trained("paper", FLAT)[0])
    for label in [label for name in bitext.domains for label in (name, f"{name}{DEALT}")]:
        model = AlignmentModel.load(corpus.trained("paper", label)[0])
        for domain in model.domains:
            values = {
                direction: _Entropies.of(
                    model.lexicon(direction, domain), flat.lexicon(direction), given
                )
                for direction, given in sides.items()
            }
            name = f"{label}: {domain}"
            record[name] = {direction: vars(value) for direction, value in values.items()}
            rows.append([name, *(cell for value in values.values() for cell in value.cells())])
    print(f"set-up {ENTROPY}, as printed: % of the words with a row; bits per word of these")
    titles = [f"{what}, {side}" for side in ("F|E", "E|F") for what in ("%", "H", "flat", "less")]
    print_rows(["labels: table", *titles], rows)
    return record


Part = tuple[tuple[str, ...], str]  # domains that count, and how they are weighed


def table_3(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 3: some domains of one model, soft and hard."""
    corpus, record = _Corpus.of(workshop, data, SUBSETS), {}
    for recipe, labels in SEEDS.items():
        for shown in labels:
            rows = _part_rows(_restricted(corpus, recipe, shown))
            print(f"set-up {SUBSETS}, {recipe}, {shown}: AER of {HEURISTIC}, differences (95 %)")
            titles = ["", *corpus.flat, "mean", "less all, soft", "less fewer", "less soft"]
            print_rows(titles, [cells for cells, _ in rows])
            record[f"{recipe}, {shown}"] = {cells[0]: figures for cells, figures in rows}
    return record


def _part_rows(found: Mapping[Part, Counts]) -> list[tuple[list[str], dict[str, Any]]]:
    """Lines of Table 3, and their figures.

    Differences are from all domains, from the most of those that are fewer, and from soft weights.
    """
    soft, rows = WEIGHTS[0], []
    every = max((names for names, _ in found), key=len)
    for (names, weights), counts in found.items():
        label = ALL if names == every else "+".join(names)
        cells, figures = _row(f"{label}, {weights}", counts, found[every, soft])
        others = {}
        fewer = [one for one, _ in found if set(one) < set(names)]
        if fewer and weights == soft:
            others["fewer"] = found[max(fewer, key=len), soft]
        if weights != soft:
            others["soft"] = found[names, soft]
        differences = {name: _less(counts, other) for name, other in others.items()}
        figures |= {name: vars(one) for name, one in differences.items()}
        cells += [str(differences.get(name, "")) for name in ("fewer", "soft")]
        rows.append((cells, figures))
    return rows


def _restricted(corpus: _Corpus, recipe: str, shown: str) -> dict[Part, Counts]:
    """What is right of a model's links, by the domains that count and how they are weighed."""
    model = corpus.trained(recipe, shown)[0]
    found = {}
    for names in subsets(corpus.mixture, AlignmentModel.load(model).domains):
        for weights in WEIGHTS if len(names) > 1 else WEIGHTS[:1]:
            output = f"applied/{recipe}.{shown}.{'+'.join(names)}.{weights}"
            links = corpus.workshop.make(
                output, "apply", model.name, "gold.source", "gold.target",
                "--heuristic", HEURISTIC, "--domains", ",".join(names),
                "--decoding-weights", weights, "-o", output,
            )  # fmt: skip
            found[names, weights] = corpus.counts(read_links(links))
    return found
