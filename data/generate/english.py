"""English words: articles, plurals, forms of verbs."""

from __future__ import annotations

import re

from .tables.listing import listed

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
