"""Constructions that the two languages put in ways of their own: giving, liking, hurting, ages."""

from __future__ import annotations

from dataclasses import replace

from ..fragments import EMPTY, Fragment, arrange, english, join, spanish, unit
from ..lexicon import Choice, Entry
from ..spanish_verbs import conjugate
from ..speaker import Speaker
from ..tables.listing import listed
from .phrases import assemble, noun_phrase, number_in, subject_of
from .tenses import usable
from .verbs import finite, with_object_pronoun

TIME_OF = {"past": "past", "perfect": "any", "will": "future", "shall": "future"}


def dative(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody gives somebody something: "dio el libro a ana", "me dio el libro"."""
    things, people = {
        "legal": ("WE", "PI"),
        "medical": ("D", "S"),
        "software": ("FM", "P"),
        "everyday": ("TFB", "P"),
    }[sp.domain]
    entry = sp.meaning.pick(GIVING[sp.domain])
    subject = subject_of(sp, replace(entry, uses="PK"), depth)
    group = finite(sp, entry, subject, usable(entry, tense))
    thing = noun_phrase(sp, things, depth, subject=False)
    if sp.domain == "everyday" and sp.meaning.chance(0.55) and subject.person == "3":
        group, receiver = with_object_pronoun(sp, group, sp.meaning.pick(["me", "us"]), False)
        en = [subject.words, group.helper, group.main, receiver, thing.words]
        return arrange(en=en, es=[subject.words, *group.spanish_order(), receiver, thing.words])
    person = noun_phrase(sp, people, 0, subject=True)
    to = spanish("a")
    le = spanish("les" if person.plural else "le", person.words.en[-1:])
    doubled = sp.style.chance(0.5)
    clitic = replace(group, clitic=le if doubled else EMPTY)
    en = [subject.words, group.helper, group.main, person.words, thing.words, to, clitic.clitic]
    first = sp.style.chance(0.4) or len(thing.words.es) > 5
    tail = [to, person.words, thing.words] if first else [thing.words, to, person.words]
    return arrange(en=en, es=[subject.words, *clitic.spanish_order(), *tail])


GIVING = {
    "legal": (
        Entry("send", (Choice("enviar"), Choice("remitir"))),
        Entry("show", (Choice("mostrar"),)),
        Entry("give", (Choice("entregar"),)),
    ),
    "medical": (Entry("give", (Choice("administrar"), Choice("dar"))),),
    "software": (
        Entry("send", (Choice("enviar"), Choice("mandar"))),
        Entry("show", (Choice("mostrar"),)),
    ),
    "everyday": (
        Entry("give", (Choice("dar"), Choice("regalar"))),
        Entry("lend", (Choice("prestar"), Choice("dejar"))),
        Entry("show", (Choice("enseñar"), Choice("mostrar"))),
        Entry("sell", (Choice("vender"),)),
    ),
}


def like(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody likes something: Spanish makes the thing the subject."""
    thing = noun_phrase(sp, "TFSWCLB", depth, only="the this my your our that")
    negated = sp.meaning.chance(0.25)
    verb = "gustar" if negated or not sp.style.chance(0.2) else "encantar"
    who = sp.meaning.pick(["i", "i", "you", "he", "she", "we", "they", "", ""])
    es_verb = conjugate("gustar", "pres", thing.key)
    if verb == "encantar" and who:
        es_verb = conjugate("gustar", "pres", thing.key)
    if who:
        key = {"i": "1s", "you": "2s", "we": "1p", "they": "3p"}.get(who, "3s")
        clitic = {"i": "me", "you": "te", "we": "nos", "they": "les"}.get(who, "le")
        person = unit(who, clitic)
    else:
        key, named = "3s", noun_phrase(sp, "P", 0, number="s")
        person = join(spanish("a"), named.words)
    main = unit("like" if negated or key != "3s" else "likes", es_verb)
    helper = english("does" if key == "3s" else "do", main.es) if negated else EMPTY
    no = unit("not", "no") if negated else EMPTY
    le = EMPTY if who else spanish("le", main.en)
    en = [person, helper, no, main, thing.words, le]
    if who:
        return arrange(en=en, es=[no, person, helper, main, thing.words, le])
    if sp.style.chance(0.3):
        return arrange(en=en, es=[thing.words, no, le, helper, main, person])
    return arrange(en=en, es=[person, no, le, helper, main, thing.words])


def hurt(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """A part of the body hurts: "le duele el pecho al paciente"."""
    parts = listed("chest stomach calf joint muscle temple palm nail heart wrist skin")
    entries = [e for e in sp.lexicon["nouns"] if e.en in parts]
    entry = sp.draw(entries)
    choice = sp.choose(entry)
    sick = noun_phrase(sp, "S", 0, number="s", only="the this")
    past = tense == "past"
    main = unit("hurt" if past else "hurts", "dolía" if past else "duele")
    mark = english("'s")
    body = unit(entry.en, choice.text)
    the = spanish("la" if choice.gender == "f" else "el", mark.en)
    le, to = spanish("le", main.en), spanish("a")
    late = sp.style.chance(0.5)
    es = [le, main, the, body]
    es = [*es, to, sick.words] if late else [to, sick.words, *es]
    return arrange(en=[sick.words, mark, body, main, the, le, to], es=es)


def age(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """How old somebody is."""
    who = noun_phrase(
        sp, "S" if sp.domain == "medical" else "P", 0, number="s", only="the my your his her"
    )
    years = str(2 + sp.meaning.below(96))
    past = tense == "past"
    be = unit("was" if past else "is", "tenía" if past else "tiene")
    number, noun = unit(years, years), unit("years", "años")
    return join(who.words, be, number, noun, english("old", noun.es))


def dosage(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """ "take 2 tablets every 8 hours" or "give the patient 250 mg of the drug" """
    if sp.meaning.chance(0.5):
        take = unit("take", sp.style.pick(["tome", "tome", "tómese"]))
        count, hours = str(2 + sp.meaning.below(3)), str(4 + 2 * sp.meaning.below(5))
        entry = next(e for e in sp.lexicon["nouns"] if e.en == "tablet")
        choice = sp.choose(entry)
        tablets = unit("tablets", choice.text + "s")
        how = join(unit("every", "cada"), unit(hours, hours), unit("hours", "horas"))
        return join(take, unit(count, count), tablets, how)
    receiver = noun_phrase(sp, "S", 0, number="s", only="the this")
    drug = noun_phrase(sp, "D", 0, number="s", only="the this")
    amount = 25 * (1 + sp.meaning.below(60))
    got = unit("received", "recibió")
    mg = join(unit(str(amount), str(amount)), unit("mg", "mg"))
    when = timed(sp, "past")
    return join(receiver.words, got, mg, unit("of", "de"), drug.words, when)


def payment(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody has to pay a sum."""
    who = noun_phrase(sp, "P", depth, number="s")
    verb = Entry("pay", (Choice("pagar"), Choice("abonar")))
    tense = sp.meaning.pick(["shall", "must", "past", "will"])
    group = finite(sp, verb, who, tense)
    sum_ = 50 * (1 + sp.meaning.below(180))
    en, es = (f"{sum_:,}", f"{sum_:,}".replace(",", ".")) if sum_ > 999 else (str(sum_),) * 2
    money = join(unit(en, es), unit("euros", "euros"))
    items = {"legal": "mortgage fine bond debt suit breach damage", "everyday": "bill trip suit"}
    wanted = [e for e in sp.lexicon["nouns"] if e.en in items[sp.domain].split()]
    entry = sp.draw(wanted)
    choice = sp.choose(entry)
    item = join(unit("the", "la" if choice.gender == "f" else "el"), unit(entry.en, choice.text))
    return join(assemble(who, group, (EMPTY,) * 3), money, unit("for", "por"), item)


def timed(sp: Speaker, time: str) -> Fragment:
    """A time or a circumstance that goes with the tense."""
    entries = [t for t in sp.lexicon["times"] if t.uses in (time, "any")]
    entry = sp.draw(entries)
    choice = sp.choose(entry)
    en, es = number_in(sp, entry.en, choice.text)
    return unit(en, es, choice.links)


def with_time(sp: Speaker, clause: Fragment, time: str) -> Fragment:
    """Add a circumstance; English and Spanish may put it at different ends."""
    when = timed(sp, time)
    first_en = sp.meaning.chance(0.35)
    first_es = sp.style.chance(0.75 if first_en else 0.3)
    if first_en:
        comma_en = unit(",", ",") if first_es else english(",")
    else:
        comma_en = spanish(",") if first_es else EMPTY
    en = [when, comma_en, clause] if first_en else [clause, when, comma_en]
    es = [when, comma_en, clause] if first_es else [clause, when, comma_en]
    return arrange(en, es)
