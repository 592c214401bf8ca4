"""Scores conditioned on domains straight from their formulas, with dictionaries."""

from collections.abc import Sequence

from .phrase_pairs import Pair, Rule, lexical_weight, rule_counts, side_counts, swap
from .phrase_pairs import word_probabilities as words

Five = tuple[float, float, float, float, float]
FLOOR = 1e-6


def domain_scores(
    rules: Sequence[Rule],
    pairs: Sequence[Pair],
    max_length: int,
    weights: Sequence[Sequence[float]],
    smoothing: float,
) -> list[list[Five]]:
    """p(f|e,D), lex(f|e,D), p(e|f,D), lex(e|f,D), P(D|f,e) of each rule and domain.

    rules: with their general scores; weights: of each pair, by domain
    """
    columns = list(zip(*weights, strict=True))
    counted = [rule_counts(pairs, max_length, column) for column in columns]
    general = words(pairs), words([swap(pair) for pair in pairs])
    return [
        [
            _scores(rule, counted, number, general, pairs, column, smoothing)
            for number, column in enumerate(columns)
        ]
        for rule in rules
    ]


def _scores(rule, counted, number, general, pairs, weights, smoothing) -> Five:  # type: ignore[no-untyped-def]
    of_domain = counted[number]
    key = rule.source, rule.target
    of_source, of_target = (side_counts(of_domain, side) for side in (0, 1))
    forward = words(pairs, weights, general[0], smoothing)
    backward = words([swap(pair) for pair in pairs], weights, general[1], smoothing)
    inverse = (of_domain[key] + smoothing * rule.scores[0]) / (of_target[rule.target] + smoothing)
    direct = (of_domain[key] + smoothing * rule.scores[2]) / (of_source[rule.source] + smoothing)
    total = sum(counts[key] for counts in counted)
    return (
        inverse,
        lexical_weight(rule.source, rule.target, rule.links, forward),
        direct,
        lexical_weight(rule.target, rule.source, [(i, j) for j, i in rule.links], backward),
        max(of_domain[key] / total, FLOOR) if total else FLOOR,
    )
