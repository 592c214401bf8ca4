"""moses.ini: the weights of its sections, and the same file with other weights."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.inputs.opening import open_binary, raise_damage
from isogloss.align.files.numerals import is_whole
from isogloss.align.files.records import LARGEST_FILE
from isogloss.align.files.text_io import decode_lines, read_lines, read_up_to, split_tokens

from .lines import NamedValues, joined, parse_lines

__all__ = ["MosesFeature", "MosesIni", "is_moses_ini", "read_moses_ini"]

_HEADER = re.compile(r"\ufeff?[ \t]*\[([^\[\]\s#]+)\](?:[ \t]+#.*|[ \t]*)\r?")
_WEIGHT, _WEIGHT_FILE, _FEATURE = "weight", "weight-file", "feature"


def is_moses_ini(lines: Sequence[str]) -> bool:
    """Whether the first line that is neither blank nor a comment is a ``[section]``."""
    for line in lines:
        text = line.strip(" \t\r")
        if text and not text.startswith("#"):
            return _HEADER.fullmatch(line) is not None
    return False


def _without_comment(line: str) -> str:
    return line.partition("#")[0].strip(" \t\r")


@dataclass(frozen=True)
class MosesFeature:
    """A line of [feature], ``KIND name=NAME key=value ...``.

    name: the given one, else Moses's own: the kind and a number
    options: the values of all keys
    line: its number
    """

    kind: str
    name: str
    options: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class MosesIni:
    """A moses.ini.

    lines: its lines without their line feed
    path: where it stands, for messages and for paths in it
    """

    lines: tuple[str, ...]
    path: Path

    def sections(self) -> Iterator[tuple[int, str]]:
        """1-based number of the line of each ``[section]``, and its name."""
        for number, line in enumerate(self.lines, start=1):
            if header := _HEADER.fullmatch(line):
                yield number, header[1]

    def section(self, name: str) -> Iterator[tuple[int, str]]:
        """1-based numbers and texts, without comments, of the filled lines of a section."""
        headers = dict(self.sections())
        current = ""
        for number, line in enumerate(self.lines, start=1):
            text = _without_comment(line)
            if number in headers:
                current = headers[number]
            elif text and current == name:
                yield number, text

    def dense(self) -> dict[str, NamedValues]:
        """The values of each name of [weight], in its order.

        Raises DataError where there is no such section, for a line of another form, and for as
        many weights as [feature] does not say.
        """
        named = parse_lines(self.section(_WEIGHT), self.path, repeat=False)
        if not named:
            raise DataError(
                "the file has no weights",
                "a section [weight] with lines NAME= value ...",
                file=self.path,
                remedy="Move the weights of old sections, such as [weight-l], to [weight]",
            )
        for feature in self.features():
            size = feature.options.get("num-features", "")
            weights = named.get(feature.name)
            if weights is not None and is_whole(size) and int(size) != len(weights.values):
                raise DataError(
                    f"{feature.name} has {pluralize(len(weights.values), 'weight')}",
                    f"{size}, as its num-features in line {feature.line}",
                    file=self.path,
                    line=weights.line,
                )
        return named

    def features(self) -> Iterator[MosesFeature]:
        """The lines of [feature]."""
        unnamed: dict[str, int] = {}
        for number, text in self.section(_FEATURE):
            kind, *rest = split_tokens(text)
            options = dict(token.partition("=")[::2] for token in rest)
            if "name" not in options:
                unnamed[kind] = unnamed.get(kind, -1) + 1
            yield MosesFeature(
                kind, options.get("name", f"{kind}{unnamed.get(kind)}"), options, number
            )

    def weights(self) -> dict[str, float]:
        """Weights of [weight], then those of the files of [weight-file].

        A relative path is one from the folder of the moses.ini or, as Moses has it, from the
        working folder.

        Raises DataError as :meth:`dense` does, for a file that is not there, and for a name that
        has a weight already.
        """
        weights = joined(self.dense(), self.path)
        for number, text in self.section(_WEIGHT_FILE):
            file = self._weight_file(text, number)
            named = parse_lines(enumerate(read_lines(file), start=1), file)
            for name, value in joined(named, file).items():
                if name in weights:
                    raise DataError(
                        f"{name} already has a weight in {self.path}",
                        "each name once",
                        file=file,
                        line=named[name].line if name in named else None,
                    )
                weights[name] = value
        return weights

    def _weight_file(self, text: str, line: int) -> Path:
        for file in (self.path.parent / text, Path(text)):
            with suppress(OSError, ValueError):  # too long for a name, a NUL in it
                if file.is_file():
                    return file
        raise DataError(
            f"the weight file {text} does not exist",
            "a file of sparse weights",
            file=self.path,
            line=line,
            remedy="Correct the path below [weight-file]",
        )

    @property
    def has_weight_file(self) -> bool:
        """Whether it names a file of sparse weights."""
        return any(self.section(_WEIGHT_FILE))

    def updated(
        self, groups: Mapping[str, Sequence[float]], weight_file: str | Path | None
    ) -> tuple[list[str], list[str]]:
        """Its lines with other weights, and the names of [weight] that ``groups`` lacks.

        Those keep their weights; features that have no weight yet are added to [weight], if
        [feature] has them. ``weight_file`` becomes the one of [weight-file]; None leaves that.
        All other lines, the order, and lines whose weights are the same stay as they are.

        Raises DataError as :meth:`dense` does, for another number of weights of a name, and for
        features that the file does not have.
        """
        dense = self.dense()
        lines: list[str | None] = list(self.lines)
        for name, present in dense.items():
            if name in groups:
                self._check_size(name, present, groups[name])
                if list(groups[name]) != present.values:
                    shown = f"{name}= {_shown(groups[name])}"
                    lines[present.line - 1] = _replaced(self.lines[present.line - 1], shown)
        last = max(present.line for present in dense.values())
        for name in self._new(groups, dense):
            end = "\r" if self.lines[last - 1].endswith("\r") else ""
            lines[last - 1] = f"{lines[last - 1]}\n{name}= {_shown(groups[name])}{end}"
        if weight_file is not None:
            self._point(lines, str(weight_file))
        return [line for line in lines if line is not None], [n for n in dense if n not in groups]

    def _check_size(self, name: str, present: NamedValues, given: Sequence[float]) -> None:
        if len(given) != len(present.values):
            raise DataError(
                f"{name} has {pluralize(len(present.values), 'weight')}",
                f"{len(given)}, as in the new weights",
                file=self.path,
                line=present.line,
                remedy="Check that the weights belong to this system",
            )

    def _new(self, groups: Mapping[str, object], dense: Mapping[str, object]) -> list[str]:
        new = [name for name in groups if name not in dense]
        declared = {feature.name for feature in self.features()}
        unknown = [name for name in new if name not in declared]
        if unknown:
            raise DataError(
                f"the file has no feature {', '.join(unknown[:4])}",
                "a feature for each new dense weight",
                file=self.path,
                remedy="Add it below [feature], or check that the weights belong to this system",
            )
        return new

    def _point(self, lines: list[str | None], weight_file: str) -> None:
        pointers = [number for number, _ in self.section(_WEIGHT_FILE)]
        for number in pointers[1:]:
            lines[number - 1] = None
        if pointers:
            lines[pointers[0] - 1] = _replaced(self.lines[pointers[0] - 1], weight_file)
            return
        end = "\r" if self.lines[0].endswith("\r") else ""
        if not self.lines[-1]:
            lines.pop()  # what is added ends with a line feed itself
        lines += [end, f"[{_WEIGHT_FILE}]{end}", f"{weight_file}{end}", ""]


def _replaced(line: str, text: str) -> str:
    """A line with another text; its indent and its comment stay."""
    before, comment, _ = line.partition("#")
    old = (before if comment else before.removesuffix("\r")).rstrip(" \t")
    indent = old[: len(old) - len(old.lstrip(" \t"))]
    return f"{indent}{text}{line[len(old) :]}"


def _shown(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def read_moses_ini(path: str | Path) -> MosesIni:
    """Read a moses.ini with its line ends as they are, so that it can be written again.

    Raises DataError for a file that can't be read.
    """
    with open_binary(path, until_damage=True) as stream:
        content = read_up_to(stream, LARGEST_FILE)
        raise_damage(stream, path, content.count(b"\n"))
    if len(content) > LARGEST_FILE:
        raise DataError(f"the file has more than {LARGEST_FILE} bytes", "a moses.ini", file=path)
    plain = content.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n").removesuffix(b"\r")
    for _ in decode_lines(plain.split(b"\n"), path):
        pass  # it is text, all of it
    return MosesIni(tuple(content.decode().split("\n")), Path(path))
