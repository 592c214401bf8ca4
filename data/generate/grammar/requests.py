"""Commands and questions."""

from __future__ import annotations

from ..fragments import EMPTY, Fragment, arrange, english, join, unit
from ..spanish_verbs import conjugate, with_pronoun
from ..speaker import Nominal, Speaker
from .clauses import infinitive
from .constructions import TIME_OF, timed
from .phrases import _verbs, assemble, noun_phrase, object_of, subject_pronoun
from .tenses import tense_of, usable
from .verbs import Group, english_finite, finite, lexical, with_object_pronoun


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
