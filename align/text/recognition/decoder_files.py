"""Lists, weights, lattices and links of other programs that no command reads."""

import re
from collections.abc import Iterator

from .kinds import Form
from .sample import TextSample

__all__ = ["forms_of_decoder_files"]

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
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
    ("joshua-config", re.compile(r"^(?:feature-function|tm|lm) *= *[A-Za-z]\w* ", re.M)),
    ("marian-config", re.compile(r"^(?:models|weights|vocabs|beam-size|relative-paths):", re.M)),
    ("zmert", re.compile(rf"^\S+ +\|\|\| +{_NUMBER} +(?:Opt|Fix)", re.M)),
    ("mert-log", re.compile(r"^Best point: ", re.M)),
    ("wa-xml", re.compile(r"<(?:sure|possible)>[\d -]*</")),
)
_LINES = (  # what most lines are
    ("score-first", re.compile(rf"^{_NUMBER} \|\|\| (?!.*\|\|\|)")),
    ("unnamed-scores",
     re.compile(rf"^\d+ \|\|\| [^|]*\|\|\| {_NUMBER}(?: {_NUMBER})*(?: \|\|\||$)")),
    ("colon-names", re.compile(rf"^\d+ \|\|\| [^|]*\|\|\| [A-Za-z]\w*: {_NUMBER} ")),
    ("srilm-scores", re.compile(rf"^-\d+\.?\d* {_NUMBER} \d+ [^\d\s]\S*(?: |$)")),
    ("fst", re.compile(r"^\d+\t\d+\t[^\d\s]\S*\t\S+(?:\t\S+)?$")),
    ("ctm", re.compile(r"^\S+ (?:\d|[AB]) +\d+\.\d+ +\d+\.\d+ +\S+")),
    ("blinker", re.compile(r"^\d+ \d+$")),
    ("bare-numbers", re.compile(rf"^{_NUMBER}(?:\s+{_NUMBER})+$")),
)  # fmt: skip
_MOST = 0.8
_ENOUGH = 2


def forms_of_decoder_files(sample: TextSample) -> Iterator[Form]:
    """Which file of another program this is, if it is one of those that are known."""
    for kind, pattern in _BEGINS:
        if pattern.search(sample.begin):
            yield Form(kind, line=sample.place(pattern))
            return
    for kind, pattern in _LINES:
        number = sample.count(pattern)
        if number >= _ENOUGH and number > _MOST * len(sample.lines):
            yield Form(kind, line=sample.place(pattern))
            return
