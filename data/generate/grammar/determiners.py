"""Determiners of both languages, and what agrees with a noun."""

from __future__ import annotations

from dataclasses import dataclass

from ..english import article
from ..fragments import EMPTY, Fragment, unit
from ..speaker import Speaker


@dataclass(frozen=True)
class Determiner:
    """English singular and plural ("" where there is none), Spanish ms fs mp fp."""

    singular: str
    plural: str
    es: tuple[str, ...]
    weight: float
    domains: str = "legal medical software everyday"


def _determiner(line: str) -> Determiner:
    en, es, weight, *domains = line.split(" | ")
    singular, _, plural = en.partition("/")
    forms = tuple(form.replace("_", " ") for form in es.split())
    if len(forms) == 1:
        forms *= 4
    return Determiner(singular.strip(), plural.strip(), forms, float(weight), *domains)


DETERMINERS = tuple(
    _determiner(line)
    for line in """
the/the | el la los las | 11
a/ | un una x x | 4
this/these | este esta estos estas | 1.6
that/those | ese esa esos esas | 0.4
each/ | cada cada x x | 0.4
another/ | otro otra x x | 0.4
any/ | cualquier cualquier x x | 0.2
/some | x x algunos algunas | 1
/several | x x varios varias | 0.8
/many | x x muchos muchas | 0.5
/all the | x x todos_los todas_las | 0.6
/both | x x ambos ambas | 0.3
/two | x x dos dos | 0.9
/three | x x tres tres | 0.5
/four | x x cuatro cuatro | 0.3
/five | x x cinco cinco | 0.2
/twenty | x x veinte veinte | 0.05
/other | x x otros otras | 0.4
such/ | dicho dicha x x | 0.8 | legal
his/his | su su sus sus | 0.3
her/her | su su sus sus | 0.3
its/its | su su sus sus | 0.15 | legal software
their/their | su su sus sus | 0.2
my/my | mi mi mis mis | 3.0 | everyday
your/your | tu tu tus tus | 0.8 | everyday
your/your | su su sus sus | 0.7 | software
our/our | nuestro nuestra nuestros nuestras | 0.5 | everyday
/ | x x x x | 1.4
""".strip().splitlines()
)


def pick_determiner(sp: Speaker, plural: bool, mass: bool, only: str = "") -> Determiner:
    """A determiner that goes with the number, or with a noun that cannot be counted."""
    options = [
        d
        for d in DETERMINERS
        if (sp.domain in d.domains and (d.plural if plural else d.singular))
        or (plural and not d.singular and not d.plural)
    ]
    if mass:
        options = [d for d in options if d.singular in ("the", "this", "my", "his", "her")]
        only = only and "the"
    if only:
        options = [d for d in options if (d.plural if plural else d.singular) in only.split()]
    return sp.meaning.weighted(options, lambda d: d.weight)


def _agree(plural: bool, gender: str) -> int:
    return 2 * plural + (gender == "f")


def determine(det: Determiner, after: Fragment, gender: str, plural: bool) -> Fragment:
    """The determiner before a phrase; English "a" looks at the next word."""
    en = det.plural if plural else det.singular
    es = det.es[_agree(plural, gender)]
    if not en:
        return EMPTY
    if en == "a":
        en = article(after.en[0].text)
    return unit(en, es, {"all the": "0-0,1-1"}.get(en, ""))
