"""Lists, weights, lattices and links of other programs that no command reads."""

import re
from collections.abc import Collection, Iterator

from .kinds import Form
from .program_kinds import PROGRAM_KINDS
from .sample import TextSample

__all__ = ["forms_of_decoder_files", "forms_of_transcripts"]

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_TUPLE = r"[\[(]\d+, ?\d+[\])]"
_BEGINS = (  # what one of the first lines shows
    ("giza", re.compile(r"^# Sentence pair \(\d+\) source length \d+", re.M)),
    ("srilm-list", re.compile(r"^NBestList[12]\.0\s*$", re.M)),
    ("htk-lattice", re.compile(r"^VERSION=\d|^N=\d+\s+L=\d+", re.M)),
    ("plf", re.compile(r"^\(\(\(['\"]")),
    (
        "opennmt-log",
        re.compile(r"^(?:\[.*INFO\] *)?(?:PRED \d+:|SENT \d+:|PRED SCORE:|BEST HYP:)", re.M),
    ),
    ("fairseq-log", re.compile(rf"^H\t{_NUMBER}\t", re.M)),
    ("canoe-ini", re.compile(rf"^\[weight-[a-z]+\] +{_NUMBER}", re.M)),
    (
        "joshua-config",
        re.compile(
            r"^(?:feature-function|tm|lm) *= *[A-Za-z]\w* "
            rf"|^phrasemodel \w+ \d+ {_NUMBER}\s*$",
            re.M,
        ),
    ),
    ("marian-config", re.compile(r"^(?:models|weights|vocabs|beam-size|relative-paths):", re.M)),
    ("zmert", re.compile(rf"^\S+ +\|\|\| +{_NUMBER} +(?:Opt|Fix)", re.M)),
    ("mert-log", re.compile(r"^Best point: ", re.M)),
    ("json-links", re.compile(r"^\[\[\[\d+, ?\d+\]")),
    ("wa-xml", re.compile(r"<(?:sure|possible)>[\d -]*</")),
)
_LINES = (  # what most lines are
    ("named-links", re.compile(r"^(?!\d+ \|)[^|]+ \|\|\| [^|]+ \|\|\|(?: \d+-\d+)+ *$")),
    ("score-first", re.compile(rf"^{_NUMBER} \|\|\| (?!.*\|\|\|)")),
    ("unnamed-scores",
     re.compile(rf"^\d+ \|\|\| [^|]*\|\|\| {_NUMBER}(?: {_NUMBER})*(?: \|\|\||$)")),
    ("colon-names", re.compile(rf"^\d+ \|\|\| [^|]*\|\|\| [A-Za-z]\w*: {_NUMBER} ")),
    ("srilm-scores", re.compile(rf"^-\d+\.?\d* {_NUMBER} \d+ [^\d\s]\S*(?: |$)")),
    ("fst", re.compile(r"^\d+\t\d+\t[^\d\s]\S*\t\S+(?:\t\S+)?$")),
    ("stm",
     re.compile(r"^\S+ +\S{1,3} +\S+ +\d+\.\d+ +\d+\.\d+ +(?:<[^<>]*>(?: |$))?|^;;")),
    ("ctm", re.compile(r"^\S+ (?:\d|[AB]) +\d+\.\d+ +\d+\.\d+ +\S+")),
    ("blinker", re.compile(r"^\d+ \d+$")),
    ("number-pairs", re.compile(r"^(?:\d+ \d+(?:[ ,;]+|$))+$")),
    ("colon-links", re.compile(r"^(?:\d+:\d+(?: |$))+$")),
    ("comma-links", re.compile(r"^\d+-\d+(?:, ?\d+-\d+)*$")),
    ("tuple-links", re.compile(rf"^\[?{_TUPLE}(?:[, ] ?{_TUPLE})*\]?$")),
    ("bracket-links", re.compile(r"^(?:\d+-\d+\[[^\[\]\s]*\](?: |$))+$")),
    ("letter-links", re.compile(r"^(?:\d+-\d+[-/:]?[SPsp](?: |$))+$")),
    ("letters-first", re.compile(r"^(?:[SP]:? \d+-\d+(?: |$))+$")),
    ("bare-numbers", re.compile(rf"^{_NUMBER}(?:\s+{_NUMBER})+$")),
)  # fmt: skip
_TRANSCRIPTS = (  # which no line of text looks like
    "giza", "srilm-list", "htk-lattice", "plf", "fst", "ctm", "stm", "srilm-scores", "wa-xml",
    "colon-links", "comma-links", "tuple-links", "bracket-links", "letter-links", "letters-first",
)  # fmt: skip
_MARKS = {"comma-links": ",", "tuple-links": ","}  # without which lines look alike
_MOST = 0.8
_ENOUGH = 2


def forms_of_decoder_files(
    sample: TextSample, kinds: Collection[str] = PROGRAM_KINDS
) -> Iterator[Form]:
    """Which file of another program this is, if it is one of those that are known."""
    for kind, pattern in _BEGINS:
        if kind in kinds and pattern.search(sample.begin):
            yield Form(kind, line=sample.place(pattern))
            return
    for kind, pattern in _LINES:
        if kind not in kinds or not all(mark in sample.text for mark in _MARKS.get(kind, "")):
            continue
        number = sample.count(pattern)
        if number >= _ENOUGH and number > _MOST * len(sample.lines):
            yield Form(kind, line=sample.place(pattern))
            return


def forms_of_transcripts(sample: TextSample) -> Iterator[Form]:
    """Those of them that a line of text can't look like, where text is expected."""
    return forms_of_decoder_files(sample, _TRANSCRIPTS)
