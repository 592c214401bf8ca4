"""Training with latent domains, on dicts of words: every alignment of a pair is written out.

Cuong & Sima'an 2015, Figure 2, with the choices of docs/explanation/alignment-model.md; nothing of
align is called. Side 0 generates source words from target words, side 1 the other way round. A
domain is a number, the out-domain the last one.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from tests.naive import language_model
from tests.naive.latent_tables import (
    START,
    Alignments,
    Counts,
    Settings,
    Tables,
    WordPair,
    Words,
    jump_row,
    new_jumps,
    smoothed_rows,
)
from tests.naive.unlikely_domains import hopeless, unlikely

NEGLIGIBLE = 1e-6  # P(D | f, e) below this is not counted
SURE = 0.9  # P(D | f, e) from which a pair is one of its domain's language model


@dataclass
class LatentTraining:
    """Pairs of sentences, the number of each pair's seed domain (-1 = none), and what is learned.

    prior: P(D); posterior: P(D | f, e) of each pair, 0 for pairs without words on both sides
    language: [side][pair][D], natural log of P(sentence | D), None before there are models
    unlikely: domains that each pair is no longer trained under
    trace: per iteration the log-likelihood of both directions, weighted by the posteriors
    """

    source: Sequence[Words]
    target: Sequence[Words]
    labels: Sequence[int]
    num_seed_domains: int
    settings: Settings
    tables: list[Tables] = field(init=False)
    prior: list[float] = field(init=False)
    posterior: list[list[float]] = field(init=False)
    language: list[list[list[float]]] | None = field(init=False, default=None)
    unlikely: list[set[int]] = field(init=False, default_factory=list)
    models: list[list[language_model.Model]] = field(init=False, default_factory=list)
    samples: list[list[int]] = field(init=False, default_factory=list)
    trace: list[tuple[float, float]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        sides = (self.source, self.target)
        self.types = [sorted({word for words in side for word in words}) for side in sides]
        self.usable = [n for n, pair in enumerate(zip(*sides, strict=True)) if all(pair)]
        pairs = {pair for n in self.usable for pair in product(self.source[n], self.target[n])}
        self.pairs = [pairs, {(e, f) for f, e in pairs}]  # of each side, as WordPair
        self.num_domains = self.num_seed_domains + 1
        self.prior = [1.0 / self.num_domains] * self.num_domains
        self.tables = [self._uniform(side) for side in (0, 1)]
        self.unlikely = [set() for _ in self.source]

    def _uniform(self, side: int) -> Tables:
        """All words alike, the empty word among them; near distances are likelier jumps."""
        chance = 1.0 / (len(self.types[side]) + 1)
        reach = range(-self.settings.jump_window - 1, self.settings.jump_window + 2)
        jump = {distance: 1.0 / (1.0 + abs(distance - 1)) ** 2 for distance in reach}
        start = {distance: value if distance > 0 else 1e-9 for distance, value in jump.items()}
        return Tables(
            [dict.fromkeys(self.pairs[side], chance)],
            [dict.fromkeys(self.types[side], chance)],
            [{d: value / sum(jump.values()) for d, value in jump.items()}],
            [{d: value / sum(start.values()) for d, value in start.items()}],
        )

    def run(self) -> None:
        schedule = ["model1"] * self.settings.model1_iterations
        schedule += ["hmm"] * self.settings.hmm_iterations
        flat = min(self.settings.shared_iterations, len(schedule) - 1)
        last_model1 = min(flat, self.settings.model1_iterations)
        for number, stage in enumerate(schedule):
            if number < flat:
                counts = self.iterate(stage, [[[0.0]] * len(self.source)] * 2)
                if number + 1 == last_model1 and self.settings.prune > 0:
                    self.drop_rare_pairs(counts)
                continue
            if number == flat:
                self.part(stage)
            self.iterate(stage, self.log_weights())
            if self.language is not None and number - flat < self.settings.language_model_refits:
                self.refit_language()
            totals = [sum(column) for column in zip(*self.posterior, strict=True)]
            self.prior = [total / sum(totals) for total in totals]
            for left_out, shares in zip(self.unlikely, self.posterior, strict=True):
                left_out |= unlikely(self.settings, shares)

    def drop_rare_pairs(self, counts: Sequence[Counts]) -> None:
        kept = {
            (f, e)
            for f, e in self.pairs[0]
            if max(counts[0].links[0][f, e], counts[1].links[0][e, f]) >= self.settings.prune
        }
        self.pairs = [kept, {(e, f) for f, e in kept}]
        for tables, pairs in zip(self.tables, self.pairs, strict=True):
            tables.lexical = [{pair: tables.lexical[0][pair] for pair in pairs}]

    # --- the domains part

    def part(self, stage: str) -> None:
        """One iteration of each domain on its sample alone, then the language models."""
        tables = 1 if self.settings.shared_jumps else self.num_domains
        self.tables = [
            Tables(
                tables_of_side.lexical * self.num_domains, tables_of_side.null * self.num_domains,
                tables_of_side.jump * tables, tables_of_side.start * tables,
            )
            for tables_of_side in self.tables
        ]  # fmt: skip
        out = self.num_seed_domains
        samples = [
            [0.0 if domain == (label if label >= 0 else out) else -math.inf
             for domain in range(self.num_domains)]
            for label in self.labels
        ]  # fmt: skip
        self.iterate(stage, [samples, samples])
        self.trace.pop()  # not one of the schedule
        if self.settings.language_model_order:
            self._choose_out_sample(stage)
            self.models = self._language_models(self.samples)
            self.language = self._language_scores(self.models, range(len(self.source)))
            for n in (n for n, label in enumerate(self.labels) if label < 0):
                self.unlikely[n] = hopeless(self.settings, [side[n] for side in self.language])

    def _choose_out_sample(self, stage: str) -> None:
        seeds = [
            [n for n in self.usable if self.labels[n] == d] for d in range(self.num_seed_domains)
        ]
        size = self.settings.out_domain_size or sum(map(len, seeds)) // len(seeds)
        pool = [n for n in self.usable if self.labels[n] < 0] or list(self.usable)
        if self.settings.out_domain_selection == "burn-in":
            weights = [math.log(p) for p in self.prior]
            likeness = {
                n: 1.0 - self._weigh([weights, weights], self._align_all(stage, n))[-1]
                for n in pool
            }
        else:
            language = self._language_scores(self._language_models(seeds), pool)
            likeness = {
                n: max(map(sum, zip(*(side[n] for side in language), strict=True)))
                / (len(self.source[n]) + len(self.target[n]))
                for n in pool
            }
        out = sorted(pool, key=lambda n: (likeness[n], n))[: max(size, 2)]
        self.samples = [*seeds, sorted(out)]

    def _language_models(
        self, samples: Sequence[Sequence[int]]
    ) -> list[list[language_model.Model]]:
        """Per side one model of each sample, over the words of the whole text and three marks."""
        order = self.settings.language_model_order
        return [
            [
                language_model.estimate([text[n] for n in sample], order, len(types) + 3)
                for sample in samples
            ]
            for text, types in zip((self.source, self.target), self.types, strict=True)
        ]

    def _language_scores(
        self, models: Sequence[Sequence[language_model.Model]], numbers: Sequence[int]
    ) -> list[list[list[float]]]:
        chosen = set(numbers)
        return [
            [[m.score(words) for m in models[side]] if n in chosen else []
             for n, words in enumerate(text)]
            for side, text in enumerate((self.source, self.target))
        ]  # fmt: skip

    def refit_language(self) -> None:
        """From the pairs found; a pair is scored by models of the other half of the text."""
        samples_found = [
            sorted({*sample, *(n for n in self.usable if self.posterior[n][domain] >= SURE)})
            for domain, sample in enumerate(self.samples)
        ]
        halves = []
        for half in (0, 1):
            samples = [
                sorted({*sample, *(n for n in rows if n % 2 != half)})
                for sample, rows in zip(self.samples, samples_found, strict=True)
            ]
            numbers = range(half, len(self.source), 2)
            halves.append(self._language_scores(self._language_models(samples), numbers))
        self.language = [
            [halves[n % 2][side][n] for n in range(len(self.source))] for side in (0, 1)
        ]
        self.models = self._language_models(samples_found)

    def log_weights(self) -> list[list[list[float]]]:
        """[side][pair][D]: log of P(D) P(e | D) for side 0, of P(D) P(f | D) for side 1."""
        result: list[list[list[float]]] = [[], []]
        confidence = self.settings.seed_confidence
        for number, label in enumerate(self.labels):
            prior = self.prior
            if label >= 0:
                prior = [
                    confidence * (domain == label) + (1.0 - confidence) * p
                    for domain, p in enumerate(self.prior)
                ]
            for side, alone in enumerate(("target", "source")):
                row = [math.log(p) if p > 0 else -math.inf for p in prior]
                if self.language is not None:
                    values = self.language[1 - side][number]
                    row = [a + b for a, b in zip(row, values, strict=True)]
                row = [-math.inf if d in self.unlikely[number] else p for d, p in enumerate(row)]
                if self.settings.language_model_sides not in ("both", alone):
                    row = [-math.inf] * len(row)
                result[side].append(row)
        return result

    # --- EM

    def iterate(self, stage: str, log_weights: list[list[list[float]]]) -> list[Counts]:
        """E-step and M-step of both directions and all domains."""
        domains, jump_tables = len(self.tables[0].lexical), len(self.tables[0].jump)
        counts = [
            Counts(*([Counter() for _ in range(size)] for size in (
                domains, domains, jump_tables, jump_tables, jump_tables, jump_tables
            )))
            for _ in (0, 1)
        ]  # fmt: skip
        self.posterior = [[0.0] * domains for _ in self.source]
        objective = [0.0, 0.0]
        for n in self.usable:
            expected = self._align_all(stage, n)
            weights = [log_weights[side][n] for side in (0, 1)]
            self.posterior[n] = self._weigh(weights, expected)
            for domain, share in enumerate(self.posterior[n]):
                if share >= NEGLIGIBLE:
                    both = [expected[side][domain] for side in (0, 1)]
                    self._count(stage, counts, n, domain, share, both)
                    for side in (0, 1):
                        objective[side] += share * both[side].log_likelihood
        self.trace.append((objective[0], objective[1]))
        for side in (0, 1):
            self._estimate_lexical(side, counts[side])
            if stage == "hmm":
                tables, seen = self.tables[side], counts[side]
                tables.jump = list(map(new_jumps, tables.jump, seen.jump, seen.jump_offers))
                tables.start = list(map(new_jumps, tables.start, seen.start, seen.start_offers))
        return counts

    def _align_all(self, stage: str, number: int) -> list[list[Alignments]]:
        """[side][D]."""
        result = []
        for side in (0, 1):
            texts = self.source[number], self.target[number]
            generated, states = texts[side], texts[1 - side]
            domains = range(len(self.tables[side].lexical))
            result.append([self._align(stage, side, d, generated, states) for d in domains])
        return result

    def _weigh(
        self, log_weights: Sequence[Sequence[float]], expected: Sequence[Sequence[Alignments]]
    ) -> list[float]:
        """P(D | f, e), from the sum of both products of section 3.1."""
        scores = []
        for domain in range(len(expected[0])):
            terms = [log_weights[s][domain] + expected[s][domain].log_likelihood for s in (0, 1)]
            top = max(terms)
            total = sum(math.exp(term - top) for term in terms) if top > -math.inf else 0.0
            scores.append(top + math.log(total) if total else -math.inf)
        top = max(scores)
        chances = [math.exp((score - top) / self.settings.domain_temperature) for score in scores]
        return [chance / sum(chances) for chance in chances]

    def _align(
        self, stage: str, side: int, domain: int, generated: Words, states: Words
    ) -> Alignments:
        """By all alignments; None is the empty word, and the word before it is remembered."""
        tables, floor = self.tables[side], self.settings.lexical_floor
        stay = self.settings.null_probability
        if stage == "hmm":
            table = domain if len(tables.jump) > 1 else 0
            rows = {
                origin: jump_row(
                    tables.start[table] if origin == START else tables.jump[table],
                    origin, len(states), self.settings.jump_smoothing,
                )
                for origin in range(START, len(states))
            }  # fmt: skip
        paths = []
        for alignment in product((None, *range(len(states))), repeat=len(generated)):
            chance, origin, jumps = 1.0, START, []
            for word, state in zip(generated, alignment, strict=True):
                if state is None:
                    chance *= max(tables.null[domain][word], floor)
                else:
                    chance *= max(tables.lexical[domain].get((word, states[state]), 0.0), floor)
                if stage == "model1":
                    chance /= len(states) + 1
                elif state is None:
                    chance *= stay
                else:
                    by_table, by_smoothing = rows[origin][state]
                    chance *= (1.0 - stay) * (by_table + by_smoothing)
                    jumps.append((origin, state, by_table / (by_table + by_smoothing)))
                    origin = state
            paths.append((alignment, chance, jumps))
        total = math.fsum(chance for _, chance, _ in paths)
        result = Alignments(
            math.log(total), defaultdict(float), [0.0] * len(generated), defaultdict(float)
        )
        for alignment, chance, jumps in paths:
            for j, state in enumerate(alignment):
                if state is None:
                    result.null[j] += chance / total
                else:
                    result.links[j, state] += chance / total
            for origin, position, explained in jumps:
                result.jumps[origin, position] += chance / total * explained
        return result

    def _count(
        self, stage: str, counts: list[Counts], number: int, domain: int, share: float,
        expected: list[Alignments],
    ) -> None:  # fmt: skip
        texts = self.source[number], self.target[number]
        for side in (0, 1):
            counts_of_side, generated, states = counts[side], texts[side], texts[1 - side]
            for (j, i), chance in expected[side].links.items():
                if stage == "hmm" and self.settings.agreement:
                    chance *= expected[1 - side].links[i, j]
                counts_of_side.links[domain][generated[j], states[i]] += share * chance
            for word, chance in zip(generated, expected[side].null, strict=True):
                counts_of_side.null[domain][word] += share * chance
            table = domain if len(counts_of_side.jump) > 1 else 0
            for (origin, position), expectation in expected[side].jumps.items():
                jumps, offers = counts_of_side.jump[table], counts_of_side.jump_offers[table]
                if origin == START:
                    jumps, offers = counts_of_side.start[table], counts_of_side.start_offers[table]
                jumps[self._clip(position - origin)] += share * expectation
                offers[tuple(sorted({self._clip(k - origin) for k in range(len(states))}))] += (
                    share * expectation
                )

    def _clip(self, distance: int) -> int:
        tail = self.settings.jump_window + 1
        return max(-tail, min(tail, distance))

    def _estimate_lexical(self, side: int, counts: Counts) -> None:
        """c(f | e) over its sum; the general table leans on stems, domains lean on that one."""
        tables, pairs = self.tables[side], self.pairs[side]
        together: Counter[WordPair] = Counter()
        for links in counts.links:
            together.update({pair: links[pair] for pair in pairs})
        general = self._general(side, together)
        several = len(counts.links) > 1
        strength = self.settings.domain_smoothing if several else 0.0
        tables.lexical = [general]
        if several:
            tables.lexical = [
                smoothed_rows({pair: links[pair] for pair in pairs}, general, strength)
                for links in counts.links
            ]
        null: Counter[str] = Counter()
        for counts_of_domain in counts.null:
            null.update(counts_of_domain)
        tables.null = [
            {
                word: (counts_of_domain[word] + strength * null[word] / null.total())
                / (counts_of_domain.total() + strength)
                for word in self.types[side]
            }
            for counts_of_domain in counts.null
        ]

    def _general(self, side: int, counts: Counter[WordPair]) -> dict[WordPair, float]:
        length = self.settings.stem_length
        if not length or not self.settings.stem_smoothing:
            return smoothed_rows(counts, {}, 0.0)
        words = Counter(word for text in (self.source, self.target)[side] for word in text)
        stems: Counter[str] = Counter()
        for word, count in words.items():
            stems[word[:length]] += count
        by_stem: Counter[WordPair] = Counter()
        below: Counter[str] = Counter()
        for (word, state), count in counts.items():
            by_stem[word[:length], state[:length]] += count
            below[state[:length]] += count
        prior = {
            (word, state): by_stem[word[:length], state[:length]] / below[state[:length]]
            * words[word] / stems[word[:length]]
            for word, state in counts
        }  # fmt: skip
        return smoothed_rows(counts, prior, self.settings.stem_smoothing)
