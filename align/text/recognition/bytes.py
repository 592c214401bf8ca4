"""Files told by their bytes: no text at all, UTF-16, line ends of old Macs."""

from collections.abc import Iterator, Sequence

from ...errors import counted
from ...files.encodings import wide_encoding
from .kinds import Form
from .sample import TextSample
from .text_kinds import TEXT_KINDS

__all__ = ["forms_of_bytes"]

_MAGIC = {
    b"PK\x03\x04": "a Zip archive, such as docx, xlsx, odt or epub",
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "a document of old Office",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"\x1f\x9d": "compressed with `compress`",
    b"\x1f\x8b": "a damaged gzip file",
    b"\x04\x22\x4d\x18": "compressed with lz4",
    b"LZIP": "compressed with lzip",
    b"SQLite format 3\0": "an SQLite database",
    b"\x93NUMPY": "a NumPy array",
    b"\x89HDF": "an HDF5 file",
    b"mmap lm http://kheafield.com/code": "a language model of KenLM",
    b"\x80\x02": "a Python pickle", b"\x80\x03": "a Python pickle", b"\x80\x04": "a Python pickle",
    b"\x89PNG": "an image", b"\xff\xd8\xff": "an image", b"GIF8": "an image",
    b"RIFF": "audio or video", b"\xac\xed\x00\x05": "a Java object",
}  # fmt: skip
_WORDS = (b"Rar!", b"LZIP", b"GIF8", b"RIFF")  # which a text may begin with
_TABLES = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_TAR = 257, b"ustar"
_NULS = 0.01  # share of NUL bytes from which on bytes are no text
_FEW = 3  # carriage returns, lines with shifted text
_ESCAPED = (  # sequences of ISO-2022 and the encoding that has them
    (b"\x1b$)C", "ISO-2022-KR"), (b"\x1b$)A", "ISO-2022-CN"), (b"\x1b$)G", "ISO-2022-CN"),
    (b"\x1b$(D", "ISO-2022-JP-2"), (b"\x1b$B", "ISO-2022-JP"), (b"\x1b$@", "ISO-2022-JP"),
)  # fmt: skip
_SHIFTED = 0.02  # share of the lines with shifted text


def forms_of_bytes(sample: TextSample) -> Iterator[Form]:
    """What the bytes say of a file that can't be read as lines of UTF-8."""
    head = sample.head
    if head.startswith(_TABLES):
        yield Form("table")
        yield Form("binary", what=TEXT_KINDS["table"].what)  # where no table is read
        return
    for magic, name in _MAGIC.items():
        if head.startswith(magic) and (b"\0" in head or magic not in _WORDS):
            yield Form("binary", what=f"the file is {name}")
    if head[_TAR[0] :].startswith(_TAR[1]):
        yield Form("binary", what="the file is a tar archive")
    if encoding := wide_encoding(head):
        yield Form("wide", what=f"the file is in {encoding}", encoding=encoding)
    elif head.count(0) > _NULS * max(len(head), 1):
        yield Form("binary", f"{counted(head.count(0), 'NUL byte')} near its beginning")
    for sequence, name in _ESCAPED:
        if sequence in head:
            yield Form("iso-2022", what=f"the file is in {name}", encoding=name)
            break
    if head.isascii():
        yield from _shifted(head.split(b"\n"))
    alone, feeds = head.count(b"\r") - head.count(b"\r\n"), head.count(b"\n")
    if alone >= _FEW and alone > feeds:
        yield Form(
            "carriage-returns",
            f"{counted(alone, 'carriage return')} and {counted(feeds, 'line feed')}"
            + ("" if sample.is_whole else " near its beginning"),
        )


def _shifted(lines: Sequence[bytes]) -> Iterator[Form]:
    """Encodings that write other letters with those of ASCII."""
    least = max(_FEW, _SHIFTED * len(lines))
    if sum(b"~{" in line and b"~}" in line for line in lines) >= least:
        yield Form("hz")
    if sum(b"+" in line for line in lines) < least:
        return
    try:
        read = [line.decode("utf-7") for line in lines[:-1] if b"+" in line]
    except UnicodeDecodeError:  # a plus sign that begins no shifted text
        return
    others = [[mark for mark in line if not mark.isascii()] for line in read]
    are_letters = all(mark.isprintable() for marks in others for mark in marks)
    if are_letters and sum(map(bool, others)) >= least:
        yield Form("utf-7")
