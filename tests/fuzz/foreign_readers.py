"""Readers of what other programs write: test sets, XLIFF, n-best lists."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from isogloss.align.text.readers import read_bitext, read_sentences
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.references import read_references
from tests.fuzz.reader import Reader

__all__ = ["FOREIGN_FILES", "FOREIGN_READERS"]

_XLIFF = (
    '<?xml version="1.0"?>\n<xliff version="1.2"><file source-language="en" target-language="es">'
    "<body>\n<group><trans-unit id='1'><source>a <g id='1'>b</g><x id='2'/>c</source>"
    "<target>x y</target></trans-unit></group>\n<trans-unit id='2'><source>d. e.</source>"
    "<seg-source><mrk mtype='seg' mid='1'>d.</mrk> <mrk mtype='seg' mid='2'>e.</mrk></seg-source>"
    "<target><mrk mtype='seg' mid='1'>z.</mrk></target></trans-unit>\n</body></file></xliff>\n"
)
_XLIFF_2 = (
    '<xliff version="2.1" srcLang="en" trgLang="es"><file id="f"><unit id="1"><segment>\n'
    "<source>a <pc id='1'>b</pc><ph id='2'/>c<cp hex='0001'/></source><target>x</target>\n"
    "</segment></unit></file></xliff>\n"
)
_SET = '<srcset setid="a">\n<doc docid="d">\n<seg id="1">a &amp; b</seg>\n<seg id="2">c\nd</seg>\n'
FOREIGN_FILES = {
    "xliff": _XLIFF,
    "xliff.2": _XLIFF_2,
    "set.xml": "<dataset><doc><src lang='en'><p>\n<seg id='1'>a b</seg><seg id='2'/></p></src>\n"
    "<ref lang='es'><seg id='1'>x</seg><seg id='2'>y</seg></ref></doc></dataset>\n",
    "set.sgm": f"{_SET}</doc>\n</srcset>\n",
    "set.lines": "x\ny\n",
    "verses": "a b\n<range>\nc\n",
    "verses.es": "x\ny\nz\n",
    "list.items": "a b\t-1.5\nc\t-2\n\t-3\nd\t-4e-1\n",
    "list.items.jsonl": '{"generated_text": "a", "score": -1}\n' * 4,
    "list.marian": "0 ||| a b ||| 0-0 1-1 ||| F0= -1 WordScores= -0.5 -0.25 ||| -1\n"
    "0 ||| a ||| 0-0 ||| F0= -2 WordScores= -1 ||| -2\n",
    "list.fairseq.old": "S\ta b\nO\ta b\nH\t-0.5\tx y\nP\t-0.25 -0.25\n" * 3,
}


def _list(name: str, per_item: int = 0, *fields: str) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        return read_nbest([folder / name], fields=RecordFields.parse(fields, per_item))

    return call


def _pairs(name: str, other: str | None = None, **more: Any) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        return read_bitext(folder / name, None if other is None else folder / other, **more)

    return call


FOREIGN_READERS: dict[str, Reader] = {
    "TMX": Reader("tmx", _pairs("tmx", languages=("en", "es"))),
    "XLIFF 1": Reader("xliff", _pairs("xliff")),
    "XLIFF 2": Reader("xliff.2", _pairs("xliff.2", languages=("es", "en"))),
    "test set in XML": Reader("set.xml", _pairs("set.xml")),
    "test set": Reader("set.sgm", _pairs("set.sgm", "set.lines")),
    "sentences of a test set": Reader("set.sgm", lambda folder: read_sentences(folder / "set.sgm")),
    "references of a test set": Reader(
        "set.sgm", lambda folder: read_references([folder / "set.sgm"])
    ),
    "verses": Reader("verses", _pairs("verses", "verses.es", format="vref")),
    "n-best list, cdec": Reader("list.cdec", _list("list.cdec")),
    "n-best list, one array": Reader("list.array", _list("list.array")),
    "n-best list, fairseq": Reader("list.fairseq", _list("list.fairseq")),
    "n-best list, fairseq of 2018": Reader("list.fairseq.old", _list("list.fairseq.old")),
    "n-best list, Marian": Reader("list.marian", _list("list.marian")),
    "n-best list, lines per item": Reader("list.items", _list("list.items", 2)),
    "n-best list, records per item": Reader(
        "list.items.jsonl", _list("list.items.jsonl", 2, "features=score")
    ),
}
