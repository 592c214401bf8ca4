"""Inflection of the English and Spanish words of the sample lexicon."""

from __future__ import annotations

import re

from .listing import listed

# ---------------------------------------------------------------- English

PLURALS = dict(
    pair.split(":")
    for pair in listed(
        "child:children man:men woman:women knife:knives analysis:analyses "
        "diagnosis:diagnoses biopsy:biopsies person:people mouse:mice tooth:teeth "
        "foot:feet mother-in-law:mothers-in-law leaf:leaves shelf:shelves wife:wives "
        "calf:calves thief:thieves fish:fish series:series"
    )
)
# base: past participle
STRONG = {
    base: (past, participle)
    for base, past, participle in (
        line.split()
        for line in """
        be was been|arise arose arisen|bleed bled bled|deal dealt dealt|feed fed fed
        freeze froze frozen|hurt hurt hurt|mean meant meant|overwrite overwrote overwritten
        spread spread spread|sweep swept swept
        become became become|begin began begun|break broke broken
        bring brought brought|build built built|buy bought bought|catch caught caught
        choose chose chosen|come came come|cut cut cut|do did done|draw drew drawn
        drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feel felt felt
        find found found|forget forgot forgotten|get got got|give gave given|go went gone
        have had had|hear heard heard|hide hid hidden|hold held held|keep kept kept
        know knew known|leave left left|lend lent lent|lose lost lost|make made made
        meet met met|overrule overruled overruled|pay paid paid|put put put|read read read
        ride rode ridden|ring rang rung|run ran run|say said said|see saw seen|sell sold sold
        send sent sent|set set set|show showed shown|shut shut shut|sing sang sung
        sleep slept slept|speak spoke spoken|spend spent spent|steal stole stolen
        take took taken|teach taught taught|tell told told|think thought thought
        throw threw thrown|understand understood understood|uphold upheld upheld
        wake woke woken|wear wore worn|win won won|write wrote written|withdraw withdrew withdrawn
        """.replace("\n", "|").split("|")
        if line.strip()
    )
}
DOUBLING = frozenset(
    listed(
        "stop drop submit admit permit plug log cut run commit scan plan transfer refer "
        "occur chop swim put get acquit unplug hug hum drag crop debug begin set forget "
        "shut grab wrap format ban step trim compel map"
    )
)
SINGLE = frozenset({"format"})
AN_EXCEPTIONS = re.compile(r"^(us(er|eful)|uni[tvqf]|euro|one)")


def article(following: str) -> str:
    """The English indefinite article before a word."""
    if following.startswith(("hour", "honest", "heir")):
        return "an"
    return "an" if following[0] in "aeiou" and not AN_EXCEPTIONS.match(following) else "a"


def english_plural(noun: str) -> str:
    """The plural of an English noun or compound, inflected at its end."""
    *rest, head = noun.split()
    if head in PLURALS:
        head = PLURALS[head]
    elif re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ies"
    else:
        head += "es" if re.search(r"(s|x|z|ch|sh)$", head) else "s"
    return " ".join([*rest, head])


def english_verb(verb: str, form: str) -> str:
    """A form ("base", "s", "past", "part", "ger") of a verb; particles follow unchanged."""
    base, *particles = verb.split()
    return " ".join([_english_form(base, form), *particles])


def _english_form(base: str, form: str) -> str:
    if form == "base":
        return base
    if form == "s":
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}.get(
            base, english_plural(base)
        )
    if form in ("past", "part") and base in STRONG:
        return STRONG[base][form == "part"]
    stem = base + base[-1] if base in DOUBLING - SINGLE else base
    if form == "ger":
        silent = base.endswith("e") and not base.endswith(("ee", "ye", "oe")) and base != "be"
        return (base[:-1] if silent else stem) + "ing"
    if base.endswith("e"):
        return base + "d"
    return re.sub(r"([^aeiou])y$", r"\1i", stem) + "ed"


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
