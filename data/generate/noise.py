"""The faults that real bitexts have."""

from __future__ import annotations

from collections.abc import Sequence

from .dice import Dice
from .fragments import Fragment, Link, Word, replace_spanish

# The share of pairs with each fault, and with none.
FAULTS = (
    ("drop", 0.015),
    ("insert", 0.01),
    ("wrong", 0.01),
    ("typo", 0.015),
    ("mismatch", 0.01),
    ("", 0.94),
)


def disturb(dice: Dice, pair: Fragment, others: Sequence[Fragment]) -> Fragment:
    """The pair, a few times in a hundred with a fault; `others` lend words and sentences.

    The final punctuation is spared, so that each pair keeps a link.
    """
    name = dice.weighted(FAULTS, lambda fault: fault[1])[0]
    if not name:
        return pair
    other = dice.pick(others)
    if name == "mismatch":
        return Fragment(pair.en, other.es, (Link(pair.en[-1], other.es[-1]),))
    at = dice.below(len(pair.es) - 1)
    es = list(pair.es)
    stranger = Word(dice.pick(other.es[:-1]).text)
    if name == "drop":
        del es[at]
    elif name == "insert":
        es.insert(at, stranger)
    elif name == "wrong":
        es[at] = stranger
    else:
        # A typo changes no meaning: the links go to the misspelt word.
        old = es[at]
        es[at] = Word(misspell(dice, old.text))
        return replace_spanish(pair, es, {old: es[at]})
    return replace_spanish(pair, es, {})


def misspell(dice: Dice, text: str) -> str:
    """Swap, drop or double a letter."""
    if len(text) < 3:
        return text
    at = 1 + dice.below(len(text) - 2)
    return dice.pick(
        (
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
        )
    )
