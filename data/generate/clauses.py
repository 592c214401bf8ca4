"""Clauses and sentences: the rules that put noun phrases and verbs together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from .fragments import EMPTY, Fragment, Link, arrange, english, join, spanish, unit
from .lexicon import Choice, Entry
from .listing import listed
from .morphology import conjugate, english_verb, with_pronoun
from .phrases import (
    _verbs,
    adjective,
    adverbs,
    assemble,
    marked,
    noun_phrase,
    number_in,
    object_of,
    subject_of,
    subject_pronoun,
    tense_of,
    usable,
)
from .speaker import Nominal, Speaker
from .verbs import Group, english_finite, finite, lexical, participle, with_object_pronoun

TIME_OF = {"past": "past", "perfect": "any", "will": "future", "shall": "future"}


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


def command(sp: Speaker, tense: str = "", depth: int = 1) -> Fragment:
    """An order to the reader ("usted"), among friends to "tú"."""
    familiar = sp.domain == "everyday"
    who = {"medical": "S", "software": "P", "legal": "P", "everyday": "P"}[sp.domain]
    entries = _verbs(
        sp,
        lambda v: (
            v.suits(who)
            and "state" not in v.flags
            and not v.suits("X")
            and v.objects != "X"
            and v.objects != "A"
        ),
    )
    entry = sp.draw(entries)
    choice = sp.choose(entry)
    negated = sp.meaning.chance(0.18)
    subject = Nominal(EMPTY, person="2" if familiar and negated else "3")
    _, main = lexical(choice, entry.en, "sub" if negated or not familiar else "tu", subject)
    group = Group(EMPTY, main)
    if negated:
        do = english("do", main.es[:1])
        group = Group(do, main, unit("not", "no"))
    please = unit("please", "por favor", "0-0?,0-1") if sp.meaning.chance(0.12) else EMPTY
    if entry.plain and sp.meaning.chance(0.13) and entry.objects != "P":
        group, rest = _command_pronoun(sp, group)
    else:
        rest = object_of(sp, entry, choice, depth)
    order = assemble(Nominal(EMPTY), group, (EMPTY,) * 3, rest)
    if sp.style.chance(0.5):
        return join(please, order)
    return arrange(en=[please, order], es=[order, please])


def _command_pronoun(sp: Speaker, group: Group) -> tuple[Group, Fragment]:
    """ "ábralo", but "no lo abra" """
    name, feminine = sp.meaning.pick(["it", "it", "them"]), sp.meaning.chance(0.4)
    if group.negation.en:
        return with_object_pronoun(sp, group, name, feminine)
    es = ("la" if feminine else "lo") + ("s" if name == "them" else "")
    attached = with_pronoun(group.main.es[0].text, es)
    return Group(EMPTY, unit(f"{group.main.en[0].text} {name}", attached, "0-0,1-0")), EMPTY


def purpose(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """To do one thing, do another."""
    entries = _verbs(sp, lambda v: v.suits("P") and "state" not in v.flags and v.objects != "A")
    entry = sp.draw(entries)
    main, thing = infinitive(sp, entry)
    goal = join(unit("to", "para"), main, thing)
    order = command(sp, depth=depth)
    if sp.meaning.chance(0.7):
        return join(goal, unit(",", ","), order)
    return join(order, goal)


def two_commands(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Do one thing and then the other."""
    link = sp.meaning.pick(["and", "and then"])
    conjunction = unit(
        link, {"and": "y", "and then": "y después"}[link], "0-0,1-1" if link != "and" else ""
    )
    return join(command(sp, depth=0), conjunction, command(sp, depth=0))


def yes_no(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """A question for yes or no; the Spanish subject follows the verb."""
    entry = sp.entry("verbs")
    choice = sp.choose(entry)
    tense = usable(entry, tense_of(sp, "present", "past", "will", "can", "perfect"))
    if "P" in entry.uses and sp.meaning.chance(0.6):
        subject = subject_pronoun(
            sp, "you he she they we" if sp.domain == "everyday" else "he she they"
        )
    else:
        subject = noun_phrase(sp, entry.uses, 0)
    group = finite(sp, entry, subject, tense, question=True, choice=choice)
    rest = object_of(sp, entry, choice, depth)
    en = [group.helper, subject.words, group.main, rest]
    inverted = subject.pronoun or sp.style.chance(0.6)
    verb = group.spanish_order()
    es = [*verb, subject.words, rest] if inverted else [subject.words, *verb, rest]
    return arrange(en, es)


def where_is(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Where something is or was."""
    classes = {"everyday": "TBLRCP", "software": "FUL", "legal": "WP", "medical": "SK"}
    thing = noun_phrase(sp, classes[sp.domain], depth, only="the my your this our his her")
    past = tense == "past"
    be = unit(
        english_finite("be", "past" if past else "present", thing.key),
        conjugate("estar", "imperf" if past else "pres", thing.key),
    )
    return join(unit("where", "dónde"), be, thing.words)


def when_does(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """When something happens, or why."""
    entry = sp.entry("intransitives")
    subject = noun_phrase(sp, entry.uses, depth)
    tense = usable(entry, tense_of(sp, "present", "past", "will"))
    group = finite(sp, entry, subject, tense, question=True)
    ask = sp.meaning.pick(["when", "why"])
    word = unit(ask, {"when": "cuándo", "why": "por qué"}[ask], "" if ask == "when" else "0-0?,0-1")
    return arrange(
        en=[word, group.helper, subject.words, group.main],
        es=[word, *group.spanish_order(), subject.words],
    )


def who_did(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Who did something."""
    entries = _verbs(sp, lambda v: v.suits("P"))
    entry = sp.draw(entries)
    choice = sp.choose(entry)
    tense = usable(entry, tense_of(sp, "present", "past", "will", "perfect"))
    who = Nominal(unit("who", "quién"))
    group = finite(sp, entry, who, tense, choice=choice)
    return assemble(who, group, (EMPTY,) * 3, object_of(sp, entry, choice, depth))


def what_does(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """What somebody does something to."""
    entries = _verbs(sp, lambda v: v.plain and v.suits("P") and v.objects not in ("P", "S"))
    entry = sp.draw(entries)
    pronoun = sp.meaning.chance(0.5) and sp.domain == "everyday"
    subject = subject_pronoun(sp) if pronoun else noun_phrase(sp, entry.uses, 0)
    tense = usable(entry, tense_of(sp, "present", "past", "will", "perfect"))
    group = finite(sp, entry, subject, tense, question=True)
    what = unit("what", "qué")
    when = timed(sp, TIME_OF.get(tense, "present")) if sp.meaning.chance(0.3) else EMPTY
    return arrange(
        en=[what, group.helper, subject.words, group.main, when],
        es=[what, *group.spanish_order(), subject.words, when],
    )


Rule = Callable[[Speaker, str, int], Fragment]


def plain_clause(sp: Speaker, tense: str, depth: int) -> Fragment:
    """A clause to be part of another."""
    rules: Sequence[tuple[Rule, float]] = (
        (transitive, 4),
        (passive, 2 * (sp.domain != "everyday")),
        (intransitive, 1.5),
        (copular, 1.5),
    )
    return sp.meaning.weighted(rules, lambda r: r[1])[0](sp, tense, depth)


SUBORDINATORS = (
    ("if", "si", "", ("present",), ("will", "can", "may", "must")),
    ("when", "cuando", "", ("past",), ("past",)),
    ("because", "porque", "", ("past", "present"), ("past",)),
    ("although", "aunque", "", ("past", "present"), ("past",)),
    ("while", "mientras", "", ("present",), ("present",)),
    ("since", "ya que", "0-0,0-1?", ("present",), ("present", "must")),
)


def complex_sentence(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """A main clause and a subordinate one, in either order."""
    en, es, spec, inner, outer = sp.meaning.pick(SUBORDINATORS)
    first = sp.meaning.chance(0.5)
    # A reason that comes first is "como" in Spanish.
    word = unit(en, "como" if first and en == "because" else es, spec)
    sub = join(word, plain_clause(sp, sp.meaning.pick(inner), 0))
    if en == "if" and sp.domain in ("software", "medical") and sp.meaning.chance(0.5):
        main = command(sp, depth=0)
    else:
        main = plain_clause(sp, sp.meaning.pick(outer), 0)
    comma = unit(",", ",")
    if first:
        return join(sub, comma, main)
    if en != "because" and sp.style.chance(0.3):
        # Spanish may put the circumstance first all the same.
        return arrange(en=[main, sub], es=[sub, spanish(","), main])
    return join(main, sub)


def coordinated(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Two clauses side by side."""
    en, es = sp.meaning.pick([("and", "y"), ("but", "pero")])
    return join(
        plain_clause(sp, tense, 0),
        unit(",", ",") if en == "but" else EMPTY,
        unit(en, es),
        plain_clause(sp, tense, 0),
    )


def gerund_clause(sp: Speaker, tense: str, depth: int = 1) -> Fragment:
    """Somebody does one thing before, after or without doing another."""
    en, options = sp.meaning.pick(
        (
            ("before", ("antes de",)),
            ("after", ("después de", "tras")),
            ("without", ("sin",)),
        )
    )
    entry = sp.meaning.weighted(_verbs(sp, lambda v: "state" not in v.flags), lambda e: e.weight)
    others = _verbs(
        sp,
        lambda v: (
            any(c in v.uses for c in entry.uses) and v is not entry and "state" not in v.flags
        ),
    )
    if not others:
        return transitive(sp, tense, depth)
    verb = sp.draw(others)
    classes = "".join(c for c in verb.uses if c in entry.uses)
    subject = subject_of(sp, replace(verb, uses=classes), depth)
    choice = sp.choose(verb)
    group = finite(sp, verb, subject, usable(verb, tense), choice=choice)
    main = assemble(subject, group, (EMPTY,) * 3, object_of(sp, verb, choice, 0))
    other = sp.choose(entry)
    _, doing = lexical(other, english_verb(entry.en, "ger"), "inf", subject)
    tail = join(unit(en, sp.style.pick(options)), doing, object_of(sp, entry, other, 0))
    if sp.meaning.chance(0.6):
        return join(main, tail)
    return join(tail, unit(",", ","), main)


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


STATEMENTS: dict[str, tuple[tuple[Rule, float], ...]] = {
    "legal": (
        (transitive, 6),
        (passive, 6),
        (copular, 1.5),
        (intransitive, 1),
        (control, 1.5),
        (report, 2.2),
        (existential, 0.5),
        (dative, 0.7),
        (payment, 0.6),
        (complex_sentence, 2.5),
        (coordinated, 0.8),
        (gerund_clause, 1.2),
    ),
    "medical": (
        (transitive, 6),
        (passive, 4),
        (copular, 2),
        (intransitive, 1.8),
        (control, 1),
        (report, 1.6),
        (existential, 0.6),
        (dative, 0.6),
        (hurt, 0.5),
        (age, 0.4),
        (dosage, 0.9),
        (command, 0.6),
        (complex_sentence, 3.2),
        (coordinated, 1.4),
        (gerund_clause, 0.8),
    ),
    "software": (
        (command, 5),
        (purpose, 2.5),
        (two_commands, 1.5),
        (transitive, 4.5),
        (passive, 3),
        (copular, 2),
        (intransitive, 1.5),
        (control, 1.2),
        (report, 0.9),
        (existential, 0.6),
        (dative, 0.4),
        (complex_sentence, 3.8),
        (coordinated, 1.2),
        (gerund_clause, 1.2),
    ),
    "everyday": (
        (transitive, 6),
        (copular, 2),
        (intransitive, 1.6),
        (control, 2),
        (report, 1.6),
        (existential, 0.8),
        (dative, 1.6),
        (like, 1.6),
        (age, 0.4),
        (payment, 0.3),
        (passive, 0.5),
        (command, 1.2),
        (complex_sentence, 3.2),
        (coordinated, 2.2),
        (gerund_clause, 0.7),
    ),
}


QUESTIONS: tuple[tuple[Rule, float], ...] = (
    (yes_no, 4),
    (where_is, 1.2),
    (when_does, 1),
    (who_did, 1.3),
    (what_does, 1.3),
)


QUESTION_SHARE = {"legal": 0.02, "medical": 0.04, "software": 0.05, "everyday": 0.24}


TIMED_RULES = frozenset({transitive, passive, intransitive, dative})


UNTENSED = frozenset({command, purpose, two_commands, complex_sentence, like, existential})


def sentence(sp: Speaker) -> Fragment:
    """A sentence of the speaker's domain."""
    tense = tense_of(sp)
    if sp.meaning.chance(QUESTION_SHARE[sp.domain]):
        body = sp.meaning.weighted(QUESTIONS, lambda r: r[1])[0](sp, tense, 1)
        mark = unit("?", "?")
        opening = Fragment((), spanish("¿").es)
        opening = replace(opening, links=(Link(mark.en[0], opening.es[0], False),))
        return arrange(en=[body, mark], es=[opening, body, mark])
    rule = sp.meaning.weighted(STATEMENTS[sp.domain], lambda r: r[1])[0]
    depth = 2 if sp.domain == "legal" else 1
    body = rule(sp, tense, depth)
    if rule in TIMED_RULES and sp.meaning.chance(0.42):
        body = with_time(sp, body, TIME_OF.get(tense, "present"))
    elif rule not in UNTENSED and sp.wordy(0.13):
        connector = sp.entry("connectors")
        choice = sp.choose(connector)
        body = join(unit(connector.en, choice.text, choice.links), unit(",", ","), body)
    return join(body, unit(".", "."))
