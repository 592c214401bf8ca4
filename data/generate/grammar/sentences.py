"""Sentences: clauses alone, joined or one inside another, and which a domain likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..english import english_verb
from ..fragments import EMPTY, Fragment, Link, arrange, join, spanish, unit
from ..speaker import Speaker
from .clauses import control, copular, existential, intransitive, passive, report, transitive
from .constructions import TIME_OF, age, dative, dosage, hurt, like, payment, with_time
from .phrases import _verbs, assemble, object_of, subject_of
from .requests import (
    command,
    purpose,
    two_commands,
    what_does,
    when_does,
    where_is,
    who_did,
    yes_no,
)
from .tenses import tense_of, usable
from .verbs import finite, lexical

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
