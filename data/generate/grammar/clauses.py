"""Clauses: the rules that put noun phrases and verbs together."""

from __future__ import annotations

from dataclasses import replace

from ..english import english_verb
from ..fragments import EMPTY, Fragment, arrange, english, join, spanish, unit
from ..lexicon import Choice, Entry
from ..spanish_verbs import conjugate
from ..speaker import Nominal, Speaker
from ..tables.listing import listed
from .phrases import adjective, adverbs, assemble, marked, noun_phrase, object_of, subject_of
from .tenses import tense_of, usable
from .verbs import Group, english_finite, finite, lexical, participle, with_object_pronoun


def transitive(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody does something (to a person or thing, perhaps a pronoun)."""
    entry = sp.entry("verbs")
    choice = sp.choose(entry)
    tense = usable(entry, tense)
    subject = subject_of(sp, entry, depth)
    negated = sp.meaning.chance(0.1)
    adverb = adverbs(sp, 0 if negated or "state" in entry.flags else 0.13, entry.objects)
    group = finite(sp, entry, subject, tense, negated, choice=choice)
    if entry.plain and sp.domain == "everyday" and sp.meaning.chance(0.2):
        names = ["him", "her"] if entry.objects == "P" else ["it", "it", "them"]
        name = sp.meaning.pick(names)
        feminine = name == "her" or (name != "him" and sp.meaning.chance(0.4))
        group, rest = with_object_pronoun(sp, group, name, feminine)
    else:
        rest = object_of(sp, entry, choice, depth)
    return assemble(subject, group, adverb, rest)


def intransitive(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Something happens; Spanish likes such a verb before its subject."""
    entry = sp.entry("intransitives")
    subject = subject_of(sp, entry, depth)
    adverb = adverbs(sp, 0.1)
    group = finite(sp, entry, subject, usable(entry, tense))
    inverted = not subject.pronoun and sp.style.chance(0.45)
    return assemble(subject, group, adverb, inverted=inverted)


def copular(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Something has a quality, with "ser" or "estar" as the adjective demands."""
    entry = sp.entry("adjectives", without="attr")
    subject = noun_phrase(sp, entry.uses, depth)
    verb = "estar" if "estar" in entry.flags else "ser"
    negated = sp.meaning.chance(0.15)
    be = Entry("be", (Choice(verb),), flags=frozenset({"state"}))
    group = finite(sp, be, subject, "past" if tense == "past" else "present", negated)
    quality = adjective(sp, entry, subject.gender, subject.plural, before=False)
    degree = sp.meaning.chance(0.2) and not negated and sp.domain != "legal"
    very = unit("very", "muy") if degree and " " not in entry.en else EMPTY
    # "be" stands before "not", like an auxiliary.
    copula = replace(group, helper=group.main, main=EMPTY)
    if " " in entry.choices[0].text or entry.choices[0].text in NO_DEGREE:
        very = EMPTY
    return assemble(subject, copula, (EMPTY,) * 3, join(very, quality))


NO_DEGREE = frozenset(
    listed(
        "nulo válido culpable inocente presente libre roto impagado negativo positivo "
        "riquísimo delicioso embarazada precoz predeterminado irrelevante actual obsoleto"
    )
)


PASSIVES = {  # tense: English before the participle, Spanish tense of "ser" and of the "se" verb
    "past": ("", "pret"),
    "present": ("", "pres"),
    "perfect": ("been", "pret"),
    "shall": ("shall be", "fut"),
    "will": ("will be", "fut"),
    "must": ("must be", "deber"),
    "can": ("can be", "poder"),
    "may": ("may be", "poder"),
    "should": ("should be", "deber"),
}


def passive(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Something is done: "fue presentado", "se presentó" or (of people) "lo presentaron"."""
    entries = [v for v in sp.lexicon["verbs"] if v.plain and not v.flags & {"state", "nopassive"}]
    entry = sp.draw(entries)
    tense = tense if tense in PASSIVES else "present"
    patient = noun_phrase(sp, entry.objects, depth)
    agent = None
    if sp.meaning.chance(0.33):
        agent = noun_phrase(sp, entry.uses, depth - 1)
    choice = sp.choose(entry)
    late = adverbs(sp, 0.12, entry.objects)[2]
    helper = passive_english(tense, patient)
    if agent or (patient.human and sp.style.chance(0.6)) or sp.style.chance(0.3):
        return ser_passive(entry, choice, tense, patient, helper, agent, late)
    if patient.human:
        return they_passive(entry, choice, tense, patient, helper, late)
    return se_passive(sp, entry, choice, tense, patient, helper, late)


def passive_english(tense: str, patient: Nominal) -> str:
    """The English words before the participle."""
    if tense == "perfect":
        return f"{english_finite('have', 'present', patient.key)} been"
    return PASSIVES[tense][0] or english_finite("be", tense, patient.key)


def ser_passive(
    entry: Entry,
    choice: Choice,
    tense: str,
    patient: Nominal,
    helper: str,
    agent: Nominal | None,
    late: Fragment,
) -> Fragment:
    """The passive with "ser" and a participle."""
    form = PASSIVES[tense][1]
    if form in ("deber", "poder"):
        be = unit(helper, f"{conjugate(form, 'pres', patient.key)} ser", "0-0,1-1")
    elif tense == "perfect":
        be = unit(helper, f"{conjugate('haber', 'pres', patient.key)} sido", "0-0,1-1")
    elif " " in helper:
        be = unit(helper, conjugate("ser", form, patient.key), "0-0,1-0")
    else:
        be = unit(helper, conjugate("ser", form, patient.key))
    parts = [patient.words, be, participle(entry, choice, patient)]
    if agent:
        parts += [unit("by", "por"), agent.words]
    return join(*parts, late)


def _active(
    entry: Entry, choice: Choice, tense: str, key: str, helper: str
) -> tuple[Fragment, Fragment]:
    """The English passive as an active Spanish verb in this person (auxiliaries, verb)."""
    form = PASSIVES[tense][1]
    part = english_verb(entry.en, "part")
    if form in ("deber", "poder"):
        main = unit(part, choice.text)
        first, be = helper.split()
        modal = unit(first, conjugate(form, "pres", key))
        return join(modal, english(be, main.es)), main
    if tense == "perfect":
        main = unit(part, conjugate(choice.text, "part"))
        first, been = helper.split()
        have = unit(first, conjugate("haber", "pres", key))
        return join(have, english(been, main.es)), main
    main = unit(part, conjugate(choice.text, form, key))
    return english(helper, main.es), main


def se_passive(
    sp: Speaker,
    entry: Entry,
    choice: Choice,
    tense: str,
    patient: Nominal,
    helper: str,
    late: Fragment,
) -> Fragment:
    """The passive with "se"; Spanish often puts what it is about after the verb."""
    auxiliary, main = _active(entry, choice, tense, "3p" if patient.plural else "3s", helper)
    se = spanish("se", auxiliary.en[:1])
    verb = [se, auxiliary, main]
    after = sp.style.chance(0.8)
    es = [*verb, patient.words] if after else [patient.words, *verb]
    return arrange(en=[patient.words, auxiliary, main, late, se], es=[*es, late])


def they_passive(
    entry: Entry, choice: Choice, tense: str, patient: Nominal, helper: str, late: Fragment
) -> Fragment:
    """What is done to people, as something that unnamed others do."""
    auxiliary, main = _active(entry, choice, tense, "3p", helper)
    return arrange(
        en=[patient.words, auxiliary, main, late],
        es=[auxiliary, main, marked(patient, choice), late],
    )


def infinitive(sp: Speaker, entry: Entry, depth: int = 0) -> tuple[Fragment, Fragment]:
    """A bare infinitive and its object."""
    choice = sp.choose(entry)
    _, main = lexical(choice, entry.en, "inf", Nominal(EMPTY))
    return main, object_of(sp, entry, choice, depth)


def control(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody wants, tries or refuses to do something."""
    verb = sp.entry("controls")
    doing = [v for v in sp.lexicon["verbs"] if v.suits(verb.uses) and "state" not in v.flags]
    entry = sp.draw(doing)
    classes = "".join(c for c in entry.uses if c in verb.uses)
    subject = subject_of(sp, replace(entry, uses=classes), depth)
    choice = sp.choose(verb)
    bare = replace(verb, en=verb.en.removesuffix(" to"))
    tense = "past" if tense == "past" and "be" not in verb.en.split() else "present"
    group = _control_group(bare, choice, subject, tense)
    main, thing = infinitive(sp, entry, depth)
    to = EMPTY if _links_to(verb, choice) else english("to", main.es[:1])
    return join(assemble(subject, group, (EMPTY,) * 3), to, main, thing)


def _links_to(verb: Entry, choice: Choice) -> bool:
    return bool(choice.links) or choice.governs


def _control_group(bare: Entry, choice: Choice, subject: Nominal, tense: str) -> Group:
    """The finite part, with "to" where Spanish has a word for it."""
    en = english_finite(bare.en, tense, subject.key)
    if _links_to(bare, choice):
        en += " to"
    form = "pres" if tense == "present" else "imperf" if "state" in bare.flags else "pret"
    clitic, main = lexical(choice, en, form, subject)
    return Group(EMPTY, main, clitic=clitic)


def report(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody says that something is so."""
    entry = sp.entry("reports")
    subject = subject_of(sp, entry, depth)
    tense = "past" if tense in ("past", "perfect") else "present"
    if sp.domain == "everyday" and "state" in entry.flags:
        tense = "present"
    group = finite(sp, entry, subject, tense)
    inner = tense_of(sp, "past", "present", "perfect") if tense == "present" else "past"
    rule = sp.meaning.pick([transitive, passive, copular, intransitive])
    return join(assemble(subject, group, (EMPTY,) * 3), unit("that", "que"), rule(sp, inner, 0))


def existential(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """There is something (somewhere)."""
    past = tense == "past"
    classes = {"legal": "ZEDR", "medical": "XEB", "software": "EFUM", "everyday": "TFBDP"}
    thing = noun_phrase(
        sp, classes[sp.domain] + "A", depth, only="a another some several many two three"
    )
    en = "there " + english_finite("be", "past" if past else "present", thing.key)
    negated = sp.meaning.chance(0.12)
    verb = unit(en, "había" if past else "hay")
    no = unit("not", "no") if negated else EMPTY
    where = place(sp) if sp.meaning.chance(0.5) else EMPTY
    return arrange(en=[verb, no, thing.words, where], es=[no, verb, thing.words, where])


def place(sp: Speaker) -> Fragment:
    """ "in the court" """
    entry = sp.entry("places")
    where = noun_phrase(sp, entry.uses, 0, number="s", only="the this")
    choice = sp.choose(entry)
    return join(unit(entry.en, choice.text, choice.links), where.words)
