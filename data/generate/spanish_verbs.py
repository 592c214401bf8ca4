"""Spanish verbs: conjugation, regular and not, and pronouns behind them."""

from __future__ import annotations

import re

from .spanish import ACCENTS

# ---------------------------------------------------------------- Spanish verbs

PERSONS = ("1s", "2s", "3s", "1p", "3p")


ENDINGS = {
    "pres": {"ar": "o as a amos an", "er": "o es e emos en", "ir": "o es e imos en"},
    "pret": {
        "ar": "é aste ó amos aron",
        "er": "í iste ió imos ieron",
        "ir": "í iste ió imos ieron",
    },
    "imperf": {
        "ar": "aba abas aba ábamos aban",
        "er": "ía ías ía íamos ían",
        "ir": "ía ías ía íamos ían",
    },
    "sub": {"ar": "e es e emos en", "er": "a as a amos an", "ir": "a as a amos an"},
    "fut": dict.fromkeys(("ar", "er", "ir"), "é ás á emos án"),
}


STRESSED = frozenset({"1s", "2s", "3s", "3p"})


# Stem vowels that change under stress.
CHANGES = {
    verb: change
    for change, verbs in {
        "e>ie": "cerrar empezar comenzar pensar recomendar encender entender perder querer "
        "sentir mentir preferir convertir invertir referir despertar despertarse ascender "
        "defender extender atender sugerir transferir ingerir calentar tropezar advertir "
        "requerir negar",
        "o>ue": "probar mostrar contar recordar encontrar mover resolver volver devolver doler "
        "dormir morir acordar demostrar costar soltar comprobar almorzar rogar revolver renovar "
        "acostarse aprobar colgar",
        "e>i": "pedir servir seguir repetir medir vestir corregir elegir impedir despedir "
        "conseguir perseguir",
    }.items()
    for verb in verbs.split()
}


# Full paradigms "pres", "pret", stems "fut" and "sub" (its third person), single forms.
IRREGULAR: dict[str, dict[str, str]] = {
    "ser": {
        "pres": "soy eres es somos son",
        "pret": "fui fuiste fue fuimos fueron",
        "imperf": "era eras era éramos eran",
        "sub": "sea",
        "tu": "sé",
    },
    "estar": {
        "pres": "estoy estás está estamos están",
        "sub": "esté",
        "pret": "estuve estuviste estuvo estuvimos estuvieron",
    },
    "haber": {
        "pres": "he has ha hemos han",
        "fut": "habr",
        "sub": "haya",
        "pret": "hube hubiste hubo hubimos hubieron",
    },
    "tener": {
        "pres": "tengo tienes tiene tenemos tienen",
        "fut": "tendr",
        "sub": "tenga",
        "pret": "tuve tuviste tuvo tuvimos tuvieron",
        "tu": "ten",
    },
    "hacer": {
        "pres": "hago haces hace hacemos hacen",
        "fut": "har",
        "sub": "haga",
        "pret": "hice hiciste hizo hicimos hicieron",
        "part": "hecho",
        "tu": "haz",
    },
    "poner": {
        "pres": "pongo pones pone ponemos ponen",
        "fut": "pondr",
        "sub": "ponga",
        "pret": "puse pusiste puso pusimos pusieron",
        "part": "puesto",
        "tu": "pon",
    },
    "poder": {
        "pres": "puedo puedes puede podemos pueden",
        "fut": "podr",
        "sub": "pueda",
        "pret": "pude pudiste pudo pudimos pudieron",
        "ger": "pudiendo",
    },
    "venir": {
        "pres": "vengo vienes viene venimos vienen",
        "fut": "vendr",
        "sub": "venga",
        "pret": "vine viniste vino vinimos vinieron",
        "ger": "viniendo",
        "tu": "ven",
    },
    "decir": {
        "pres": "digo dices dice decimos dicen",
        "fut": "dir",
        "sub": "diga",
        "pret": "dije dijiste dijo dijimos dijeron",
        "part": "dicho",
        "ger": "diciendo",
        "tu": "di",
    },
    "querer": {"fut": "querr", "pret": "quise quisiste quiso quisimos quisieron"},
    "saber": {
        "pres": "sé sabes sabe sabemos saben",
        "fut": "sabr",
        "sub": "sepa",
        "pret": "supe supiste supo supimos supieron",
    },
    "ver": {
        "pres": "veo ves ve vemos ven",
        "pret": "vi viste vio vimos vieron",
        "sub": "vea",
        "imperf": "veía veías veía veíamos veían",
        "part": "visto",
    },
    "dar": {"pres": "doy das da damos dan", "pret": "di diste dio dimos dieron", "sub": "dé"},
    "ir": {
        "pres": "voy vas va vamos van",
        "pret": "fui fuiste fue fuimos fueron",
        "sub": "vaya",
        "imperf": "iba ibas iba íbamos iban",
        "ger": "yendo",
        "tu": "ve",
    },
    "traer": {
        "pres": "traigo traes trae traemos traen",
        "sub": "traiga",
        "ger": "trayendo",
        "pret": "traje trajiste trajo trajimos trajeron",
        "part": "traído",
    },
    "caer": {
        "pres": "caigo caes cae caemos caen",
        "sub": "caiga",
        "ger": "cayendo",
        "pret": "caí caíste cayó caímos cayeron",
        "part": "caído",
    },
    "oír": {
        "pres": "oigo oyes oye oímos oyen",
        "sub": "oiga",
        "ger": "oyendo",
        "fut": "oir",
        "pret": "oí oíste oyó oímos oyeron",
        "part": "oído",
        "imperf": "oía oías oía oíamos oían",
    },
    "leer": {"pret": "leí leíste leyó leímos leyeron", "part": "leído", "ger": "leyendo"},
    "creer": {"pret": "creí creíste creyó creímos creyeron", "part": "creído", "ger": "creyendo"},
    "salir": {
        "pres": "salgo sales sale salimos salen",
        "fut": "saldr",
        "sub": "salga",
        "tu": "sal",
    },
    "reducir": {"pret": "reduje redujiste redujo redujimos redujeron"},
    "producir": {"pret": "produje produjiste produjo produjimos produjeron"},
    "introducir": {"pret": "introduje introdujiste introdujo introdujimos introdujeron"},
    "traducir": {"pret": "traduje tradujiste tradujo tradujimos tradujeron"},
    "conducir": {"pret": "conduje condujiste condujo condujimos condujeron"},
    "abrir": {"part": "abierto"},
    "escribir": {"part": "escrito"},
    "cubrir": {"part": "cubierto"},
    "prescribir": {"part": "prescrito"},
    "suscribir": {"part": "suscrito"},
    "describir": {"part": "descrito"},
    "romper": {"part": "roto"},
    "imprimir": {"part": "impreso"},
    "resolver": {"part": "resuelto"},
    "volver": {"part": "vuelto"},
    "devolver": {"part": "devuelto"},
    "morir": {"part": "muerto"},
    "inscribir": {"part": "inscrito"},
    "descubrir": {"part": "descubierto"},
    "revolver": {"part": "revuelto"},
    "freír": {"part": "frito"},
    "enviar": {"pres": "envío envías envía enviamos envían", "sub": "envíe"},
    "vaciar": {"pres": "vacío vacías vacía vaciamos vacían", "sub": "vacíe"},
    "criar": {"pres": "crío crías cría criamos crían", "sub": "críe"},
    "evaluar": {"pres": "evalúo evalúas evalúa evaluamos evalúan", "sub": "evalúe"},
    "actuar": {"pres": "actúo actúas actúa actuamos actúan", "sub": "actúe"},
    "esquiar": {"pres": "esquío esquías esquía esquiamos esquían", "sub": "esquíe"},
    "reunir": {"pres": "reúno reúnes reúne reunimos reúnen", "sub": "reúna"},
    "prohibir": {"pres": "prohíbo prohíbes prohíbe prohibimos prohíben", "sub": "prohíba"},
}


COMPOUNDS = {
    prefix + base: (prefix, base)
    for base, prefixes in {
        "tener": "ob man con re de sos",
        "poner": "im ex dis inter com pro su",
        "hacer": "des",
        "venir": "inter con",
        "traer": "con ex dis a",
        "decir": "contra",
    }.items()
    for prefix in prefixes.split()
}


VOWELS = "aeiouáéíóú"


def conjugate(verb: str, form: str, person: str = "3s") -> str:
    """A form ("inf", "pres", "pret", "imperf", "fut", "sub", "tu", "part", "ger") of a verb."""
    if form == "inf":
        return verb
    if verb in COMPOUNDS:
        prefix, base = COMPOUNDS[verb]
        return prefix + conjugate(base, form, person)
    known = IRREGULAR.get(verb, {})
    if form == "part":
        return known.get("part") or _participle(verb)
    if form == "ger":
        return known.get("ger") or _gerund(verb)
    if form == "tu":
        return known.get("tu") or conjugate(verb, "pres", "3s")
    index = PERSONS.index(person)
    if form == "fut":
        return known.get("fut", verb.translate(ACCENTS)) + ENDINGS["fut"]["ar"].split()[index]
    if form == "sub" and "sub" in known:
        return known["sub"] + ["", "s", "", "mos", "n"][index]
    if form in known:
        return known[form].split()[index]
    return _regular(verb, form, person)


def _kind(verb: str) -> str:
    return verb[-2:].translate(ACCENTS)


def _regular(verb: str, form: str, person: str) -> str:
    """Regular endings on a stem with its vowel change and spelling."""
    ending = ENDINGS[form][_kind(verb)].split()[PERSONS.index(person)]
    stem, change = verb[:-2], CHANGES.get(verb, "")
    if form in ("pres", "sub") and person in STRESSED:
        stem = _change(stem, change)
    elif form == "pret" and verb.endswith("ir") and person in ("3s", "3p"):
        stem = _change(stem, change[:1] + ">" + {"e": "i", "o": "u"}.get(change[:1], ""))
    if _softens(verb):
        if form in ("pres", "sub") and ending[0] in "aeo" and person in STRESSED:
            stem += "y"
        elif form == "pret" and ending.startswith("i") and person in ("3s", "3p"):
            return stem + "y" + ending[1:]
    return _spell(stem, ending, verb)


def _softens(verb: str) -> bool:
    """Verbs like "incluir", which put a y before another vowel."""
    return verb.endswith("uir") and not verb.endswith(("guir", "quir"))


def _change(stem: str, change: str) -> str:
    """Replace the last `e` (or `o`) of the stem as "e>ie" says."""
    old, _, new = change.partition(">")
    if not old or not new:
        return stem
    head, _, tail = stem.rpartition(old)
    return head + new + tail


def _spell(stem: str, ending: str, verb: str) -> str:
    """Keep the sound of the last consonant before another vowel."""
    front = ending[0] in "eéií"
    if verb.endswith(("car", "gar", "zar")) and ending[0] in "eé":
        swap = {"c": "qu", "g": "gu", "z": "c"}
        stem = stem[:-1] + swap[stem[-1]]
    elif not front and verb.endswith("guir"):
        stem = stem[:-1]
    elif not front and verb.endswith(("ger", "gir")):
        stem = stem[:-1] + "j"
    elif not front and re.search(r"[aeou]c[ei]r$", verb):
        stem = stem[:-1] + "zc"
    elif not front and re.search(r"[nr]cer$", verb):
        stem = stem[:-1] + "z"
    return stem + ending


def _participle(verb: str) -> str:
    return verb[:-2] + ("ado" if _kind(verb) == "ar" else "ido")


def _gerund(verb: str) -> str:
    stem, change = verb[:-2], CHANGES.get(verb, "")
    if verb.endswith("ir"):
        stem = _change(stem, change[:1] + ">" + {"e": "i", "o": "u"}.get(change[:1], ""))
    return stem + ("ando" if verb.endswith("ar") else "yendo" if _softens(verb) else "iendo")


def with_pronoun(form: str, pronoun: str) -> str:
    """Attach an object pronoun to an infinitive or a command, with the accent that it needs."""
    if form.endswith("r") or any(letter in "áéíóú" for letter in form):
        return form + pronoun
    # Strong vowels stand alone, weak ones lean on a neighbour.
    nuclei = list(re.finditer(r"[iu]?[aeo][iu]?|[iu]+", re.sub(r"(?<=[gq])u(?=[ei])", "_", form)))
    if len(nuclei) < 2:
        at = nuclei[0].start()
        return form + pronoun if len(pronoun) < 4 else _accent(form, at) + pronoun
    nucleus = nuclei[-2]
    strong = next(
        (i for i in range(nucleus.start(), nucleus.end()) if form[i] in "aeo"), nucleus.end() - 1
    )
    return _accent(form, strong) + pronoun


def _accent(word: str, at: int) -> str:
    return word[:at] + dict(zip("aeiou", "áéíóú", strict=True))[word[at]] + word[at + 1 :]
