"""Tables 1 to 3 of Cuong & Sima'an (2015) in small, on the mixtures with hand links.

Recipes: paper, as printed; smoothed, with domain tables that lean towards the general one, one
jump table and weights P(D|f,e); softened, as printed, but with P(D|f,e) at a temperature of 10 in
training. Labels: those of one domain, as in the paper's binary case, or all, each also dealt out
anew among the labeled pairs, the control; and of each domain two and four times as many pairs, and
all that are known, to see what the size of the seeds does, where a gold text has a domain of its
own also for that domain alone. Links are those of grow-diag-final.
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

from isogloss.align import AlignmentModel, Bitext, Links, read_links
from isogloss.align.lexicon.tables import LexicalTable, word_entropies
from isogloss.align.model.parameters import DOMAIN_WEIGHTINGS
from isogloss.align.text.corpus import Corpus

__all__ = ["table_1", "table_2", "table_3"]

SOFTENED = "softened"  # the recipe that is tried with all labels only
RECIPES: Mapping[str, tuple[str, ...]] = {
    "paper": ("--preset", "paper"),
    "smoothed": (
        "--preset", "paper", "--domain-smoothing", "10", "--shared-jumps",
        "--domain-weighting", "joint",
    ),
    SOFTENED: ("--preset", "paper", "--domain-temperature", "10"),
}  # fmt: skip
FLAT, ALL, KNOWN = "flat", "all", "known"
DEALT = ", dealt out anew"  # the control of labels: law, dealt out anew
LARGER = {"x2": 2.0, "x4": 4.0, KNOWN: np.inf}  # seeds, as many times as large: all-x2
HEURISTIC = "grow-diag-final"
DRAWS = 1000  # of sentence pairs, for the intervals of Table 2
# set-ups of Table 1, and the domains that gold texts of theirs are of; of Tables 2 and 3
TRAINED: Mapping[str, Sequence[str]] = {
    "A": ("fiction", "parliament"),
    "B": ("commentary", "law", "newswire", "stories"),
    "C": ("parliament",),
}
ENTROPY, SUBSETS = "B", "B"
SEEDS = {"paper": (ALL, f"{ALL}-x4", f"{ALL}-{KNOWN}"), "smoothed": (ALL,)}  # of Table 3
Counts = dict[str, np.ndarray]  # of the pairs of each gold text, see scores.py


@dataclass(frozen=True)
class _Corpus:
    """A mixture, and the folder of all that is made of it."""

    workshop: Workshop
    mixture: Mixture

    @classmethod
    def of(cls, workshop: Workshop, data: Path, name: str) -> "_Corpus":
        """Write the text of a set-up, and the pairs with hand links alone."""
        folder = workshop.path(f"links-{name}/source").parent
        own = cls(Workshop(folder, workshop.threads, 1), read_set_up(data, SET_UPS[name]))
        bitext = own.mixture.bitext
        for rows, prefix in ((range(len(bitext)), ""), (own.mixture.gold_rows.tolist(), "gold.")):
            for side, corpus in (("source", bitext.source), ("target", bitext.target)):
                own.workshop.write(f"{prefix}{side}", (" ".join(corpus.words(k)) for k in rows))
        return own

    def labels(self, domains: Iterable[str]) -> list[str]:
        """What is shown of labels: those of one domain, or all; larger seeds; the controls.

        Seeds are larger of domains that gold texts have by themselves.
        """
        own = {gold.text.domain for gold in self.mixture.gold.values()} - {""}
        names, sized = (*domains, ALL), (*sorted(own), ALL)
        larger = [f"{name}-{size}" for name in sized for size in LARGER]
        controlled = (*names, *(f"{name}-{KNOWN}" for name in sized))
        return [*names, *larger, *(f"{label}{DEALT}" for label in controlled)]

    def _labeled(self, label: str) -> Bitext:
        name, _, size = label.removesuffix(DEALT).partition("-")
        bitext = revealed(self.mixture, LARGER[size]) if size else self.mixture.bitext
        if label.endswith(DEALT):
            bitext = shuffled(bitext)
        return bitext if name == ALL else only(bitext, name)

    def trained(self, recipe: str, label: str) -> tuple[Path, Path]:
        """The model and the links of a recipe and labels, FLAT for none."""
        name = FLAT if label == FLAT else f"{recipe}.{label}"
        shown = []
        if label != FLAT:
            labels = self.workshop.write(f"labels.{label}", label_names(self._labeled(label)))
            shown = ["--labels", labels.name]
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


def _row(
    label: str, counts: Counts, others: Mapping[str, Counts | None]
) -> tuple[list[str], dict[str, Any]]:
    """A line of a table, and its figures: AER, and the difference of the mean from others'.

    others: by the titles of their columns, which are empty where there is none
    """
    errors = _errors(counts)
    figures: dict[str, Any] = {"aer": dict(zip([*counts, "mean"], errors, strict=True))}
    cells = [label, *(f"{error:.2f}" for error in errors)]
    for title, other in others.items():
        cells.append("")
        if other is not None:
            difference = _less(counts, other)
            figures[title], cells[-1] = vars(difference), str(difference)
    return cells, figures


def _print_labels(found: Mapping[str, Counts]) -> dict[str, Any]:
    """Print and return AER by the recipe and labels, and how its mean differs.

    From the flat model's, from the same recipe's with all labels, and from the control's.
    """
    rows = []
    for label, counts in found.items():
        every = f"{label.partition(', ')[0]}, {ALL}"
        others = {
            "less flat": found[FLAT] if label != FLAT else None,
            "less all": found[every] if label not in (FLAT, every) else None,
            "less dealt out anew": found.get(f"{label}{DEALT}"),
        }
        rows.append(_row(label, counts, others))
        titles = ["", *counts, "mean", *others]
    print_rows(titles, [cells for cells, _ in rows])
    return {cells[0]: figures for cells, figures in rows}


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
    """Print and return Table 1: AER by the labels that are shown."""
    record, pooled = dict[str, Any](), dict[str, Counts]()
    for name, domains in TRAINED.items():
        corpus = _Corpus.of(workshop, data, name)
        found = {FLAT: corpus.flat} | {
            f"{recipe}, {label}": corpus.counts(read_links(corpus.trained(recipe, label)[1]))
            for recipe, label in product(RECIPES, corpus.labels(domains))
            if recipe != SOFTENED or label in (ALL, f"{ALL}{DEALT}")
        }
        for label, counts in found.items():
            shown = label.removesuffix(DEALT).rpartition(", ")[2]
            if shown.partition("-")[0] in (FLAT, ALL):
                pooled.setdefault(label, {}).update(counts)
        print(f"set-up {name}: AER of {HEURISTIC}, differences (95 %)")
        record[name] = _print_labels(found)
        print(f"set-up {name}: precision, recall, and the difference of AER (95 %) of each text")
        record[f"{name}, texts"] = _print_texts(found, corpus.flat)
    print("all texts")
    record["all"] = _print_labels(pooled)
    return record


@dataclass(frozen=True)
class _Entropies:
    """H(F | E) of a table and of another over the words of a text that have rows in both.

    rows: share of the words that the table has a row for; bits, other: per word
    low, high: 95 % of the difference, by bootstrap over the sentence pairs, the tables as they are
    """

    rows: float
    bits: float
    other: float
    low: float
    high: float

    @classmethod
    def of(cls, table: LexicalTable, other: LexicalTable, given: Corpus) -> "_Entropies":
        """Of a text of given words."""
        values = np.array([word_entropies(one)[given.tokens] for one in (table, other)])
        both = ~np.isnan(values).any(axis=0)
        pairs = np.repeat(np.arange(len(given)), given.lengths)
        sums = np.array(
            [np.bincount(pairs, part, len(given)) for part in (*np.where(both, values, 0.0), both)]
        )  # bits by the table, by the other, words
        rng, drawn = np.random.default_rng(1), []
        for _ in range(DRAWS):
            own, others, words = sums[:, rng.integers(len(given), size=len(given))].sum(1)
            drawn.append((own - others) / words)
        low, high = np.percentile(drawn, [2.5, 97.5]).tolist()
        own, others, words = sums.sum(1).tolist()
        rows = float((~np.isnan(values[0])).mean())
        return cls(rows, own / words, others / words, low, high)

    def cells(self) -> list[str]:
        """As a table shows them."""
        difference = self.bits - self.other
        return [
            f"{100 * self.rows:.1f}", f"{self.bits:.2f}", f"{self.other:.2f}",
            f"{difference:+.2f} ({self.low:+.2f}, {self.high:+.2f})",
        ]  # fmt: skip


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2: the conditional entropy of each domain's two tables, beside those
    of the flat one and of labels dealt out anew, the control, over the words that both have.
    """
    corpus, rows, record = _Corpus.of(workshop, data, ENTROPY), [], {}
    bitext = corpus.mixture.bitext
    sides = {"t2s": bitext.target, "s2t": bitext.source}
    flat = AlignmentModel.load(corpus.trained("paper", FLAT)[0])
    for label in bitext.domains:
        own, control = (
            AlignmentModel.load(corpus.trained("paper", name)[0])
            for name in (label, f"{label}{DEALT}")
        )
        beside = {
            "flat": (own, flat), "dealt out anew": (own, control), "control, flat": (control, flat)
        }  # fmt: skip
        for domain, (other, (model, baseline)) in product(own.domains, beside.items()):
            values = {
                direction: _Entropies.of(
                    model.lexicon(direction, domain),
                    baseline.lexicon(direction, domain if domain in baseline.domains else None),
                    given,
                )
                for direction, given in sides.items()
            }
            name = f"{label}: {domain}, {other}"
            record[name] = {direction: vars(value) for direction, value in values.items()}
            rows.append([name, *(cell for value in values.values() for cell in value.cells())])
    print(f"set-up {ENTROPY}, as printed: % of the words with a row; bits per word of these")
    titles = [f"{what}, {side}" for side in ("F|E", "E|F") for what in ("%", "H", "other", "less")]
    print_rows(["labels: table, other", *titles], rows)
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
    soft, rows = DOMAIN_WEIGHTINGS[0], []
    every = max((names for names, _ in found), key=len)
    for (names, weights), counts in found.items():
        label = ALL if names == every else "+".join(names)
        fewer = [one for one, _ in found if set(one) < set(names)]
        others = {
            "less all, soft": found[every, soft],
            "less fewer": found[max(fewer, key=len), soft] if fewer and weights == soft else None,
            "less soft": found[names, soft] if weights != soft else None,
        }
        rows.append(_row(f"{label}, {weights}", counts, others))
    return rows


def _restricted(corpus: _Corpus, recipe: str, shown: str) -> dict[Part, Counts]:
    """What is right of a model's links, by the domains that count and how they are weighed."""
    model = corpus.trained(recipe, shown)[0]
    found = {}
    for names in subsets(corpus.mixture, AlignmentModel.load(model).domains):
        for weights in DOMAIN_WEIGHTINGS if len(names) > 1 else DOMAIN_WEIGHTINGS[:1]:
            output = f"applied/{recipe}.{shown}.{'+'.join(names)}.{weights}"
            links = corpus.workshop.make(
                output, "apply", model.name, "gold.source", "gold.target",
                "--heuristic", HEURISTIC, "--domains", ",".join(names),
                "--domain-weighting", weights, "-o", output,
            )  # fmt: skip
            found[names, weights] = corpus.counts(read_links(links))
    return found
