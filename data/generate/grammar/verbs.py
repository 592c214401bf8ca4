"""Verb groups: tenses, auxiliaries, negation and clitics in both languages at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..english import english_verb
from ..fragments import EMPTY, Fragment, Link, Word, english, spanish, unit, words
from ..lexicon import Choice, Entry
from ..spanish import spanish_adjective
from ..spanish_verbs import conjugate, with_pronoun
from ..speaker import Nominal, Speaker


@dataclass(frozen=True)
class Group:
    """The parts of a verb: English puts the subject or "not" between `helper` and `main`."""

    helper: Fragment
    main: Fragment
    negation: Fragment = EMPTY
    # What Spanish puts between helper and verb or, where there is none, before the verb.
    clitic: Fragment = EMPTY
    attached: bool = False

    def spanish_order(self) -> list[Fragment]:
        """The parts as Spanish orders them."""
        return [self.negation, self.clitic, self.helper, self.main]


def english_finite(verb: str, tense: str, key: str) -> str:
    """An English verb in the present or past, "be" included."""
    base, *particles = verb.split()
    if base == "be":
        past, present = ("was", "is") if key in ("1s", "3s") else ("were", "are")
        form = past if tense == "past" else "am" if key == "1s" else present
        return " ".join([form, *particles])
    return english_verb(verb, "past" if tense == "past" else "s" if key == "3s" else "base")


REFLEXIVE = {"1s": "me", "2s": "te", "3s": "se", "1p": "nos", "3p": "se"}


# Verbs of state describe the past with the imperfect.
PAST = {True: "imperf", False: "pret"}


def spanish_phrase(choice: Choice, form: str, subject: Nominal) -> tuple[str, str]:
    """The clitic and the words of a Spanish verb with what belongs to it ("se", "niega a")."""
    first, *rest = choice.text.split()
    if first == "no":
        clitic, phrase = spanish_phrase(replace(choice, text=" ".join(rest)), form, subject)
        return clitic, f"no {phrase}"
    clitic = ""
    if first.endswith("se"):
        pronoun, first = REFLEXIVE[subject.key], first[:-2]
        if form == "inf":
            return "", " ".join([first + pronoun, *rest])
        clitic = pronoun
    if first in ("ser", "estar") and rest:
        rest[0] = spanish_adjective(rest[0], subject.gender, subject.plural)
    return clitic, " ".join([conjugate(first, form, subject.key), *rest])


def lexical(choice: Choice, en: str, form: str, subject: Nominal) -> tuple[Fragment, Fragment]:
    """The clitic and the verb, English and Spanish already inflected as asked."""
    clitic, es = spanish_phrase(choice, form, subject)
    main = unit(en, es, choice.links)
    return spanish(clitic, main.en[:1]), main


def finite(
    sp: Speaker,
    entry: Entry,
    subject: Nominal,
    tense: str,
    negated: bool = False,
    question: bool = False,
    choice: Choice | None = None,
) -> Group:
    """A verb in a tense, which may need an auxiliary in either language."""
    choice = choice or sp.choose(entry)
    is_be = entry.en.startswith("be ") or entry.en == "be"
    if tense in ("present", "past") and (not (negated or question) or is_be):
        form = "pres" if tense == "present" else PAST["state" in entry.flags]
        clitic, main = lexical(choice, english_finite(entry.en, tense, subject.key), form, subject)
        return _negate(Group(EMPTY, main, clitic=clitic), negated)
    if tense in ("present", "past"):
        form = "pres" if tense == "present" else PAST["state" in entry.flags]
        clitic, main = lexical(choice, entry.en, form, subject)
        helper = english(english_finite("do", tense, subject.key), main.es[:1])
        return _negate(Group(helper, main, clitic=clitic), negated)
    if tense in ("will", "shall"):
        return _negate(_future(sp, entry, choice, subject, tense), negated)
    if tense in ("perfect", "progressive"):
        auxiliary, es, part, form = {
            "perfect": ("have", "haber", "part", "part"),
            "progressive": ("be", "estar", "ger", "ger"),
        }[tense]
        clitic, main = lexical(choice, english_verb(entry.en, part), form, subject)
        helper = unit(
            english_finite(auxiliary, "present", subject.key), conjugate(es, "pres", subject.key)
        )
        return _negate(Group(helper, main, clitic=clitic), negated)
    return _modal(sp, entry, choice, subject, tense, negated)


def _negate(group: Group, negated: bool) -> Group:
    return replace(group, negation=unit("not", "no")) if negated else group


def _future(sp: Speaker, entry: Entry, choice: Choice, subject: Nominal, tense: str) -> Group:
    """The future: one Spanish word, or "va a" (spoken), or "deberá" (for a legal "shall")."""
    modal, spec = {"will": ("ir", "0-0,0-1?"), "shall": ("deber", "0-0")}[tense]
    periphrastic = sp.style.chance(0.35) and (tense == "shall" or sp.domain == "everyday")
    if not periphrastic:
        clitic, main = lexical(choice, entry.en, "fut", subject)
        return Group(english(tense, _verb_word(main), sure=True), main, clitic=clitic)
    _, main = lexical(choice, entry.en, "inf", subject)
    form = "pres" if tense == "will" else "fut"
    es = conjugate(modal, form, subject.key) + (" a" if tense == "will" else "")
    return Group(unit(tense, es, spec), main)


def _verb_word(main: Fragment) -> tuple[Word, ...]:
    """The Spanish word that carries the inflection."""
    return main.es[1:2] if main.es[0].text == "no" else main.es[:1]


MODALS = {
    "must": (("deber", ""), ("tener", "que")),
    "can": (("poder", ""),),
    "may": (("poder", ""),),
    "should": (("deber", ""),),
}


def _modal(
    sp: Speaker, entry: Entry, choice: Choice, subject: Nominal, tense: str, negated: bool
) -> Group:
    """A modal verb with an infinitive."""
    options = MODALS[tense][:1] if negated else MODALS[tense]
    verb, tail = options[0] if sp.style.chance(0.7) else options[-1]
    es = conjugate(verb, "pres", subject.key)
    _, main = lexical(choice, entry.en, "inf", subject)
    if negated and tense == "can":
        helper = unit("cannot", es)
        return Group(helper, main, spanish("no", helper.en, sure=True))
    spec = "0-0,0-1?" if tail else ""
    return _negate(Group(unit(tense, f"{es} {tail}", spec), main), negated)


def with_object_pronoun(
    sp: Speaker, group: Group, name: str, feminine: bool
) -> tuple[Group, Fragment]:
    """Put an object pronoun to a verb: before it, or at the end of an infinitive.

    Returns the new group and the English pronoun, which stands after the English verb.
    """
    singular = name in ("it", "him", "her")
    en = words(name)
    es = {"me": "me", "you": "te", "us": "nos"}.get(name) or (
        ("la" if feminine else "lo") + ("" if singular else "s")
    )
    infinitive = group.main.es[0].text.endswith("r") and group.helper.es
    if infinitive and sp.style.chance(0.7):
        old = group.main.es[0]
        new = Word(with_pronoun(old.text, es))
        links = tuple(replace(x, es=new) if x.es is old else x for x in group.main.links)
        main = Fragment(group.main.en, (new, *group.main.es[1:]), links)
        return replace(group, main=main), Fragment(en, (), (Link(en[0], new),))
    pronoun = spanish(es, en, sure=True)
    return replace(group, clitic=pronoun), Fragment(en)


def participle(entry: Entry, choice: Choice, subject: Nominal) -> Fragment:
    """A past participle that agrees with the subject."""
    form = spanish_adjective(conjugate(choice.text, "part"), subject.gender, subject.plural)
    return unit(english_verb(entry.en, "part"), form)
