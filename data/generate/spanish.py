"""Spanish nouns and adjectives: plurals, agreement, shortened forms."""

from __future__ import annotations

import re

from .tables.listing import listed

# ---------------------------------------------------------------- Spanish nouns and adjectives

ACCENTS = str.maketrans("áéíóú", "aeiou")


SPANISH_PLURALS = dict(
    pair.split(":")
    for pair in listed(
        "orden:órdenes examen:exámenes imagen:imágenes origen:orígenes joven:jóvenes "
        "volumen:volúmenes carácter:caracteres dictamen:dictámenes margen:márgenes "
        "virus:virus dosis:dosis análisis:análisis crisis:crisis lunes:lunes ictus:ictus "
        "menú:menús café:cafés mamá:mamás sofá:sofás script:scripts chip:chips bar:bares "
        "clip:clips diagnóstico:diagnósticos paraguas:paraguas tesis:tesis "
        "imagen:imágenes régimen:regímenes club:clubes test:test resumen:resúmenes "
        "web:web pus:pus cumpleaños:cumpleaños espécimen:especímenes gratis:gratis "
        "módem:módems tórax:tórax"
    )
)


PREPOSITIONS = frozenset({"de", "del", "a", "al", "en", "con", "por", "para"})


NEUTRAL_OR = frozenset(
    listed("mayor menor mejor peor anterior posterior superior inferior exterior interior")
)


def _plural_word(word: str) -> str:
    if word in SPANISH_PLURALS:
        return SPANISH_PLURALS[word]
    if word[-1] in "aeiouáéó":
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if re.search(r"[áéíóú][ns]$", word):
        return word[:-2] + word[-2:].translate(ACCENTS) + "es"
    return word + "es"


def spanish_plural(noun: str) -> str:
    """The plural of a Spanish noun with its adjectives, up to the first preposition."""
    tokens = noun.split()
    end = next((i for i, token in enumerate(tokens) if token in PREPOSITIONS), len(tokens))
    if noun == "código fuente":
        return "códigos fuente"
    return " ".join([*(_plural_word(token) for token in tokens[:end]), *tokens[end:]])


def spanish_adjective(adjective: str, gender: str, plural: bool, before: bool = False) -> str:
    """An adjective or participle in agreement; some shorten `before` a masculine noun."""
    first, *rest = adjective.split()
    if first in PREPOSITIONS:
        return adjective
    form = first
    if gender == "f":
        if first.endswith("o"):
            form = first[:-1] + "a"
        elif (first.endswith("or") and first not in NEUTRAL_OR) or first == "español":
            form = first + "a"
        elif first.endswith("és"):
            form = first[:-2] + "esa"
    if plural:
        form = _plural_word(form)
    elif before and (form, gender) in SHORTENED:
        form = SHORTENED[form, gender]
    return " ".join([form, *rest])


SHORTENED = {
    ("bueno", "m"): "buen",
    ("malo", "m"): "mal",
    ("primero", "m"): "primer",
    ("tercero", "m"): "tercer",
    ("grande", "m"): "gran",
    ("grande", "f"): "gran",
}
