"""Tenses that the domains like, and those that a verb has in everyday use."""

from __future__ import annotations

from ..lexicon import Entry
from ..speaker import Speaker

TENSES = {
    "legal": {
        "past": 5,
        "present": 2.5,
        "shall": 2.2,
        "perfect": 2.2,
        "may": 1,
        "will": 0.7,
        "must": 1,
    },
    "medical": {
        "past": 4,
        "present": 3,
        "perfect": 2,
        "should": 0.8,
        "can": 1,
        "may": 1,
        "will": 0.8,
        "must": 0.5,
    },
    "software": {
        "present": 5,
        "can": 1.8,
        "must": 1,
        "will": 1.4,
        "past": 1,
        "perfect": 1,
        "progressive": 0.8,
        "should": 0.6,
        "may": 0.5,
    },
    "everyday": {
        "past": 5,
        "present": 2.5,
        "will": 1.6,
        "perfect": 1,
        "progressive": 1.2,
        "can": 1,
        "must": 0.6,
        "should": 0.5,
    },
}


def tense_of(sp: Speaker, *allowed: str) -> str:
    """A tense the domain likes, one of those allowed if any are named."""
    weights = {t: w for t, w in TENSES[sp.domain].items() if not allowed or t in allowed}
    return sp.meaning.weighted(list(weights), weights.__getitem__) if weights else allowed[0]


def usable(entry: Entry, tense: str) -> str:
    """The tense, or the present where the verb has no such form in everyday use."""
    if "state" in entry.flags and tense not in ("past", "present"):
        return "present"
    reflexive = any(c.text.split()[0].endswith("se") for c in entry.choices)
    if tense == "progressive" and ("sudden" in entry.flags or reflexive):
        return "present"
    return tense
