"""Templates as text: ``pt``, ``al:deleted``, ``lex:unk=10000``, ``pt:classes=both:min=3``.

A specification is NAME[:OPTION]...; NAME is built in, or one of the user's own templates, which
:mod:`isogloss.features.templates.plugins` loads. docs/reference/templates.md has the grammar.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.files.numerals import parse_number
from isogloss.align.lexicon.word_classes import WordClasses

from .likeliest_domain import DOMAIN_SCORES
from .protocol import RuleTemplate, StateTemplate, Template
from .rule import InnerAlignment, Lexical, RuleIndicator, RuleLength, RuleShape
from .state import DiscriminativeReordering
from .variants import RuleVariant, StateVariant
from .word_maps import ClassNumbers, Frequencies, WordMaps

__all__ = ["TEMPLATES", "parse_templates", "split_specs"]

TEMPLATES: Mapping[str, Callable[..., Template]] = {
    "pt": RuleIndicator,
    "al": InnerAlignment,
    "lo": DiscriminativeReordering,
    "lex": Lexical,
    "lex(e)": lambda: Lexical("e"),
    "lex(f,e)": lambda: Lexical("fe"),
    "lex(NULL,e)": lambda: Lexical("null"),
    "shape": RuleShape,
    "length": RuleLength,
}
SIDES = {"source": ("source",), "target": ("target",), "both": ("source", "target")}
COMMON = ("min", "classes", "unk", "domain")


def split_specs(text: str) -> list[str]:
    """Take ``pt,lex(f,e):unk=100`` apart at commas outside of parentheses."""
    specs: list[str] = []
    pieces: list[str] = []  # of a specification that may have commas within parentheses
    within = False
    for piece in text.split(","):
        pieces.append(piece)
        opened, closed = piece.rfind("("), piece.rfind(")")
        within = opened > closed or (within and closed < 0)
        if not within:
            specs.append(",".join(pieces).strip())
            pieces = []
    return [*specs, ",".join(pieces).strip()] if pieces else specs


@dataclass(frozen=True)
class _Spec:
    """A specification taken apart: the template's maker, its own options, those of all."""

    text: str
    make: Callable[..., Template]
    words: tuple[str, ...]
    values: Mapping[str, str]
    common: Mapping[str, str]

    def template(self) -> Template:
        """The template itself."""
        self._check_options()
        try:
            made = self.make(*self.words, **self.values)
        except (TypeError, ValueError, UsageError) as error:
            raise UsageError(f"template {self.text!r}: {error}") from error
        if not isinstance(made, RuleTemplate | StateTemplate):
            raise UsageError(
                f"template {self.text!r} is a {type(made).__name__}; it must have a method "
                "rule_features or state_features"
            )
        return made

    def _check_options(self) -> None:
        """Raise UsageError for options that what makes the template does not take."""
        try:
            signature = inspect.signature(self.make)
        except ValueError:  # of a class that is not written in Python
            return
        try:
            signature.bind(*self.words, **self.values)
        except TypeError:
            taken = [_option(parameter) for parameter in signature.parameters.values()]
            raise UsageError(
                f"template {self.text!r} has invalid options; expected "
                + ", ".join([*taken, *(f"{key}=" for key in COMMON)])
            ) from None

    def number(self, key: str) -> float:
        """A positive option, 0 where it isn't given."""
        if key not in self.common:
            return 0.0
        try:
            value = parse_number(self.common[key])
        except ValueError:
            value = 0.0
        if value <= 0.0:
            raise UsageError(f"template {self.text!r}: {key} must be a number above 0")
        return value

    def class_sides(self) -> tuple[str, ...]:
        """The sides whose words become classes."""
        if "classes" not in self.common:
            return ()
        if self.common["classes"] not in SIDES:
            raise UsageError(f"template {self.text!r}: classes must be one of {', '.join(SIDES)}")
        return SIDES[self.common["classes"]]

    def domain_scores(self) -> str:
        """The columns to take domains from; a prefix means PREFIX.DOMAIN."""
        value = self.common.get("domain")
        if not value:
            return "" if value is None else DOMAIN_SCORES
        return value if "*" in value else f"{value}.*"


def _option(parameter: inspect.Parameter) -> str:
    """An option of a template, for messages."""
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return "words without ="
    return f"{'NAME' if parameter.kind is inspect.Parameter.VAR_KEYWORD else parameter.name}="


def _find(name: str, spec: str, plugins: Mapping[str, type]) -> Callable[..., Template]:
    """What makes a template."""
    built_in = {known.lower(): make for known, make in TEMPLATES.items()}
    if name.lower() in built_in:
        return built_in[name.lower()]
    if name in plugins:
        return plugins[name]
    raise UsageError(
        f"unknown template {spec!r}; expected one of {', '.join([*TEMPLATES, *plugins])}, or a "
        "template loaded with `plugins=...`"
    )


def _take_apart(spec: str, plugins: Mapping[str, type]) -> _Spec:
    name, *options = spec.split(":")
    make = _find(name, spec, plugins)
    words: list[str] = []
    values: dict[str, str] = {}
    for option in options:
        key, mark, value = option.partition("=")
        if key == "domain" or mark:
            if key in values or not key or bool(mark) != bool(value):
                raise UsageError(
                    f"template {spec!r}: option {option!r} must be NAME=VALUE and unique"
                )
            values[key] = value
        else:
            words.append(option)
    common = {key: values.pop(key) for key in COMMON if key in values}
    return _Spec(spec, make, tuple(words), values, common)


def parse_templates(
    specs: str | Sequence[str],
    *,
    classes: Mapping[str, WordClasses] | None = None,
    frequencies: Frequencies | None = None,
    plugins: Mapping[str, type] | None = None,
) -> tuple[RuleVariant | StateVariant, ...]:
    """Make templates from specifications; a text may hold several, separated by commas.

    classes: word classes of the ``source`` and of the ``target`` side, for ``classes=``
    plugins: the user's templates by name, see
        :func:`isogloss.features.templates.plugins.load_templates`
    frequencies: how often the words of the ``source`` and of the ``target`` side occur in the
        bitext, for ``unk=``

    Raises UsageError for an unknown template or option, a value out of range, classes or
    frequencies that are missing, and a specification that comes twice.
    """
    texts = split_specs(specs if isinstance(specs, str) else ",".join(specs)) if specs else []
    once: set[str] = set()
    for text in texts:
        if text in once:
            raise UsageError(f"template {text!r} is repeated; pass each template once")
        once.add(text)
    numbers = {side: ClassNumbers(side_classes) for side, side_classes in (classes or {}).items()}
    return tuple(_variant(_take_apart(text, plugins or {}), numbers, frequencies) for text in texts)


def _variant(
    spec: _Spec, classes: Mapping[str, ClassNumbers], frequencies: Frequencies | None
) -> RuleVariant | StateVariant:
    template = spec.template()
    word_maps, least = _class_maps(spec, classes), spec.number("unk")
    if (word_maps or least) and not getattr(template, "uses_words", True):
        raise UsageError(
            f"template {spec.text!r} does not use words, so classes= and unk= do not apply"
        )
    if least and word_maps.source and word_maps.target:
        raise UsageError(f"template {spec.text!r} uses only classes, so unk= does not apply")
    if least:
        try:
            word_maps = word_maps.with_unknown(frequencies or {}, least)
        except UsageError as error:
            raise UsageError(f"template {spec.text!r} {error}") from error
    minimum, scores = spec.number("min"), spec.domain_scores()
    if isinstance(template, RuleTemplate):
        return RuleVariant(template, spec.text, word_maps, scores, minimum)
    return StateVariant(template, spec.text, word_maps, bool(scores), minimum)


def _class_maps(spec: _Spec, classes: Mapping[str, ClassNumbers]) -> WordMaps:
    sides = spec.class_sides()
    for side in sides:
        if side not in classes:
            raise UsageError(
                f"template {spec.text!r} needs word classes of the {side} side; pass "
                f"--{side}-classes FILE, as written by `isogloss classes`"
            )
    suffix = "" if not sides else ".classes" if len(sides) == 2 else f".{sides[0]}-classes"
    maps = {side: classes[side] for side in sides}
    return WordMaps(maps.get("source"), maps.get("target"), suffix)
