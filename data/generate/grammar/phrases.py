"""Noun phrases, with the clauses that may stand inside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..english import english_plural
from ..fragments import (
    EMPTY,
    Fragment,
    Link,
    arrange,
    join,
    marked_phrase,
    only_english,
    spanish,
    unit,
)
from ..lexicon import UNITED, Choice, Compound, Entry
from ..spanish import PREPOSITIONS, spanish_adjective, spanish_plural
from ..speaker import Nominal, Speaker
from .determiners import determine, pick_determiner
from .tenses import tense_of
from .verbs import Group, finite, participle


def adjective(sp: Speaker, entry: Entry, gender: str, plural: bool, before: bool) -> Fragment:
    """An adjective in agreement."""
    choice = sp.choose(entry)
    head, *rest = choice.text.split()
    if head == "no":  # "no válido"
        inflected = "no " + spanish_adjective(rest[0], gender, plural)
    else:
        inflected = spanish_adjective(choice.text, gender, plural, before)
    return unit(entry.en, inflected, choice.links)


@dataclass(frozen=True)
class Head:
    """A noun in its number, or a compound, with its gender."""

    words: Fragment
    gender: str


def noun(sp: Speaker, entry: Entry, plural: bool) -> Head:
    """A noun without anything around it."""
    choice = sp.choose(entry)
    if plural:
        en, es = english_plural(entry.en), spanish_plural(choice.text)
    else:
        en, es = entry.en, choice.text
    return Head(unit(en, es, choice.links), choice.gender)


def compound(sp: Speaker, item: Compound, entry: Entry, plural: bool) -> Head:
    """Two English nouns: "court order" becomes "orden del tribunal" or "orden judicial"."""
    first = sp.lexicon.noun(item.modifier)
    if item.choices and (item.connector == UNITED or sp.style.chance(0.6)):
        choice = sp.style.pick(item.choices)
        en = f"{item.modifier} {english_plural(item.head) if plural else item.head}"
        es = spanish_plural(choice.text) if plural else choice.text
        return Head(unit(en, es, choice.links), choice.gender)
    second, modifier = noun(sp, entry, plural), noun(sp, first, plural=False)
    connector = item.connector.split()
    if connector[-1] in ("el", "la", "del"):
        preposition = "de" if connector[-1] == "del" else connector[0]
        connector = [preposition, "la" if modifier.gender == "f" else "el"]
    joint = spanish(" ".join(connector), modifier.words.en)
    parts = arrange(
        en=[modifier.words, second.words, joint], es=[second.words, joint, modifier.words]
    )
    return Head(parts, second.gender)


def noun_phrase(
    sp: Speaker,
    classes: str,
    depth: int = 1,
    only: str = "",
    number: str = "",
    subject: bool = True,
) -> Nominal:
    """A noun phrase of one of the classes, the more modified the greater `depth` is.

    `only` restricts the determiners, `number` ("s", "p") the number.  A bare plural gets an
    article in Spanish where it is a subject.
    """
    counted = number == "p" or only.startswith("a ")
    entry = sp.entry("nouns", classes, without="name mass" if counted else "")
    if "name" in entry.flags:
        choice = entry.choices[0]
        name = marked_phrase(unit(entry.en, choice.text, choice.links), "name")
        return Nominal(name, choice.gender, classes=entry.uses)
    mass = "mass" in entry.flags
    plural = number == "p" or (number != "s" and not mass and sp.meaning.chance(0.27))
    det = pick_determiner(sp, plural, mass, only)
    describing = _adjective_for(sp, entry, det.singular) if sp.wordy(0.32) else None
    head = _head(sp, entry, plural, bool(describing))
    core, gender = head.words, head.gender
    if describing:
        before = "pre" in describing.flags
        word = adjective(sp, describing, gender, plural, before)
        core = arrange(en=[word, core], es=[word, core] if before else [core, word])
    phrase = join(determine(det, core, gender, plural), core)
    bare = not (det.plural if plural else det.singular)
    if bare and subject:
        phrase = join(spanish("las" if gender == "f" else "los"), phrase)
    phrase = marked_phrase(phrase, "noun-phrase")
    nominal = Nominal(phrase, gender, plural, classes=entry.uses, bare=bare)
    return extend(sp, nominal, det.singular == "the", depth)


def _adjective_for(sp: Speaker, entry: Entry, determiner: str) -> Entry | None:
    options = [
        a
        for a in sp.lexicon["adjectives"]
        if a.suits(entry.uses)
        and "pred" not in a.flags
        and ("the" not in a.flags or determiner == "the")
    ]
    return sp.draw(options) if options else None


def _head(sp: Speaker, entry: Entry, plural: bool, described: bool) -> Head:
    """The noun, sometimes as a compound (after an adjective that could be ambiguous)."""
    compounds = sp.lexicon.compounds.get(entry.en)
    if compounds and not described and sp.wordy(0.45):
        return compound(sp, sp.meaning.pick(compounds), entry, plural)
    return noun(sp, entry, plural)


def extend(sp: Speaker, nominal: Nominal, definite: bool, depth: int) -> Nominal:
    """Maybe put an owner, a complement or a clause to a noun phrase."""
    if depth <= 0 or nominal.bare or not sp.wordy(0.5):
        return nominal
    kind = sp.meaning.weighted(
        ["attachment", "subject clause", "object clause", "participle"],
        lambda k: {"attachment": 7, "subject clause": 1.6, "object clause": 0.8, "participle": 1.2}[
            k
        ],
    )
    if kind == "attachment":
        return attach(sp, nominal, definite, depth)
    return replace(nominal, words=join(nominal.words, relative_clause(sp, nominal, kind)))


def attach(sp: Speaker, nominal: Nominal, definite: bool, depth: int) -> Nominal:
    """Put a prepositional phrase or an owner to a noun phrase."""
    options = [a for a in sp.lexicon["attachments"] if a.suits(nominal.classes)]
    if not definite or nominal.plural:
        options = [a for a in options if a.en != "'s"]
    if not options:
        return nominal
    item = sp.meaning.pick(options)
    if item.en == "'s":
        return owned(sp, nominal, item)
    only = "the" if sp.meaning.chance(0.6) else ""
    other = (
        noun_phrase(sp, item.objects[1:], 0, only="the", number="p")
        if item.objects.startswith("+")
        else noun_phrase(sp, item.objects, depth - 1, subject=False, only=only)
    )
    preposition = unit(item.en, sp.choose(item).text)
    return replace(nominal, words=join(nominal.words, preposition, other.words))


def owned(sp: Speaker, nominal: Nominal, item: Entry) -> Nominal:
    """English owners come first and stand for the article: "the judge 's decision"."""
    owner = noun_phrase(sp, item.objects, 0, number="s", only="the my his her this")
    mark = unit("'s", "de")
    the, rest = nominal.words.en[0], nominal.words.en[1:]
    thing = Fragment(
        rest, nominal.words.es, tuple(x for x in nominal.words.links if x.en is not the)
    )
    article_link = Fragment(links=(Link(mark.en[0], nominal.words.es[0], False),))
    phrase = arrange(en=[owner.words, mark, thing, article_link], es=[thing, mark, owner.words])
    return replace(nominal, words=phrase)


PRONOUNS = {  # English subject, object; Spanish subject, object; person, plural, gender
    "i": ("me", "yo", "me", "1", False, "m"),
    "you": ("you", "tú", "te", "2", False, "m"),
    "he": ("him", "él", "lo", "3", False, "m"),
    "she": ("her", "ella", "la", "3", False, "f"),
    "we": ("us", "nosotros", "nos", "1", True, "m"),
    "they": ("them", "ellos", "los", "3", True, "m"),
}


EVERYDAY_PRONOUNS = (
    ("i", 5.0),
    ("you", 2.5),
    ("he", 3.0),
    ("she", 3.0),
    ("we", 2.0),
    ("they", 1.5),
)


def subject_pronoun(sp: Speaker, names: str = "i you he she we they") -> Nominal:
    """A subject pronoun, which Spanish mostly leaves out."""
    options = [p for p in EVERYDAY_PRONOUNS if p[0] in names.split()]
    name = sp.meaning.weighted(options, lambda p: p[1])[0]
    _, said, _, person, plural, gender = PRONOUNS[name]
    phrase = unit(name, said)
    if sp.style.chance(0.85):
        phrase = only_english(phrase)
    return Nominal(phrase, gender, plural, person, classes="P", pronoun=True)


def number_in(sp: Speaker, en: str, es: str) -> tuple[str, str]:
    """Replace placeholders on both sides: # a count, % a number of a section, ~ an hour."""
    while match := re.search(r"[#%~]", en):
        low, high = {"#": (2, 30), "%": (2, 420), "~": (2, 12)}[match[0]]
        value = str(low + sp.meaning.below(high - low + 1))
        en, es = en.replace(match[0], value, 1), es.replace(match[0], value, 1)
    return en, es


PRONOUN_SUBJECTS = {"legal": 0.03, "medical": 0.04, "software": 0.04, "everyday": 0.5}


def subject_of(sp: Speaker, entry: Entry, depth: int = 1) -> Nominal:
    """A subject for a verb."""
    if "P" in entry.uses and sp.meaning.chance(PRONOUN_SUBJECTS[sp.domain]):
        if sp.domain == "everyday":
            return subject_pronoun(sp)
        return subject_pronoun(sp, "he she they")
    return noun_phrase(sp, entry.uses, depth)


def object_of(sp: Speaker, entry: Entry, choice: Choice, depth: int = 1) -> Fragment:
    """An object noun phrase of a verb."""
    thing = noun_phrase(sp, entry.objects, depth, subject=choice.governs)
    return marked(thing, choice)


def marked(thing: Nominal, choice: Choice) -> Fragment:
    """An object, after the "a" that Spanish puts before people."""
    if thing.human and not choice.governs:
        return join(spanish("a"), thing.words)
    return thing.words


def adverbs(
    sp: Speaker, probability: float, objects: str = ""
) -> tuple[Fragment, Fragment, Fragment]:
    """An adverb of manner as (before the verb, after the verb in Spanish, at the end)."""
    if not sp.meaning.chance(probability):
        return EMPTY, EMPTY, EMPTY
    entry = sp.draw(
        [
            manner
            for manner in sp.lexicon["manners"]
            if not manner.uses or any(name in manner.uses for name in objects)
        ]
    )
    choice = sp.choose(entry)
    word = unit(entry.en, choice.text, choice.links)
    if "late" in entry.flags:
        return EMPTY, EMPTY, word
    if "never" in entry.flags:
        return word, EMPTY, EMPTY
    return EMPTY, word, EMPTY


def assemble(
    subject: Nominal,
    group: Group,
    adverb: tuple[Fragment, Fragment, Fragment],
    *rest: Fragment,
    inverted: bool = False,
) -> Fragment:
    """A statement; `inverted` puts the Spanish subject after the verb."""
    before, after, late = adverb
    en = [subject.words, group.helper, group.negation, before, after, group.main, *rest, late]
    if group.main.es and group.main.es[-1].text in PREPOSITIONS:
        # Nothing comes between "renunciar a" and its object.
        after, late = EMPTY, arrange(en=[late], es=[after, late])
    verb = [before, *group.spanish_order(), after]
    es = [*verb, subject.words] if inverted else [subject.words, *verb]
    return arrange(en=en, es=[*es, *rest, late])


def relative_clause(sp: Speaker, nominal: Nominal, kind: str) -> Fragment:
    """A relative clause or a participle phrase for a noun."""
    rule = {
        "subject clause": _subject_relative,
        "object clause": _object_relative,
        "participle": _reduced,
    }[kind]
    return rule(sp, nominal)


def _verbs(sp: Speaker, test: Callable[[Entry], bool]) -> list[Entry]:
    return [v for v in sp.lexicon["verbs"] if test(v)]


def _subject_relative(sp: Speaker, nominal: Nominal) -> Fragment:
    """ "who signed the contract" """
    entries = _verbs(sp, lambda v: v.suits(nominal.classes))
    if not entries:
        return EMPTY
    entry = sp.draw(entries)
    choice = sp.choose(entry)
    third = replace(nominal, person="3")
    group = finite(sp, entry, third, tense_of(sp, "past", "present", "perfect"), choice=choice)
    who = unit("who" if nominal.human else "that", "que")
    return assemble(replace(third, words=who), group, (EMPTY,) * 3, object_of(sp, entry, choice, 0))


def _object_relative(sp: Speaker, nominal: Nominal) -> Fragment:
    """ "that the witness signed" """
    entries = _verbs(sp, lambda v: v.plain and any(c in v.objects for c in nominal.classes))
    if not entries:
        return EMPTY
    entry = sp.draw(entries)
    subject = subject_of(sp, entry, 0)
    group = finite(sp, entry, subject, tense_of(sp, "past", "present", "perfect"))
    if nominal.human:
        that = unit("whom", f"{_to_whom(nominal)} que", "0-0?,0-1?,0-2")
    else:
        that = unit("that", "que")
    inverted = not subject.pronoun and sp.style.chance(0.5)
    clause = assemble(subject, group, (EMPTY,) * 3, inverted=inverted)
    return join(that, clause)


def _to_whom(nominal: Nominal) -> str:
    return (
        "a "
        + {(False, "m"): "el", (False, "f"): "la", (True, "m"): "los", (True, "f"): "las"}[
            nominal.plural, nominal.gender
        ]
    )


def _reduced(sp: Speaker, nominal: Nominal) -> Fragment:
    """ "signed by the witness" """
    entries = _verbs(
        sp,
        lambda v: (
            v.plain
            and not v.flags & {"state", "nopassive"}
            and any(c in v.objects for c in nominal.classes)
        ),
    )
    if not entries:
        return EMPTY
    entry = sp.draw(entries)
    agent = noun_phrase(sp, entry.uses, 0)
    word = participle(entry, sp.choose(entry), nominal)
    return join(word, unit("by", "por"), agent.words)
