"""Texts with something beside their sentences, documents that hold none, and good text."""

from collections.abc import Callable
from itertools import count

__all__ = [
    "DOCUMENTS",
    "FINE",
    "NOTED",
    "OTHER_DOCUMENTS",
    "PLAIN",
    "READ_AMISS",
    "TEXT",
    "VALUES",
    "each",
    "now_and_then",
    "numbered",
    "replaced",
]

WORDS = [
    "the",
    "old",
    "house",
    "sees",
    "a",
    "small",
    "dog",
    ",",
    "but",
    "the",
    "red",
    "garden",
    "likes",
    "rivers",
    ".",
]
TEXT = [" ".join(WORDS[k % 5 : 6 + k % 8]) for k in range(40)]
PLAIN = "\n".join(TEXT) + "\n"


def numbered(form: str, first: int = 0) -> str:
    """The text with a number before each line."""
    return "".join(form.format(k) + line + "\n" for k, line in enumerate(TEXT, start=first))


def each(form: str) -> str:
    """The text with something around each line; * is a number."""
    numbers = count(1)
    return "".join(
        form.replace("*", str(next(numbers))).replace("TEXT", line) + "\n" for line in TEXT
    )


def now_and_then(word: str) -> str:
    """The text with a word in every fifth line."""
    return "".join(f"{line} {word}\n" if k % 5 == 0 else f"{line}\n" for k, line in enumerate(TEXT))


def with_gaps(form: str) -> str:
    """The text with numbers before its lines that rise, as where other lines were dropped."""
    return "".join(form.format(k * 4 + k % 4) + line + "\n" for k, line in enumerate(TEXT, start=2))


def arabic_indic(number: int) -> str:
    """A number in digits of Arabic."""
    return "".join(chr(0x660 + int(digit)) for digit in f"{number}")


def each_word(separator: str) -> str:
    """A word per line with one of two tags."""
    tagged = [[f"{word}{separator}{'NX'[len(word) % 2]}" for word in line.split()] for line in TEXT]
    return "\n\n".join(map("\n".join, tagged)) + "\n"


def replaced(line: str, step: int) -> str:
    """The text with a line in place of every few."""
    return "".join(f"{line}\n" if k % step == 0 else f"{old}\n" for k, old in enumerate(TEXT))


def pieces(mark: Callable[[str], str]) -> str:
    return "".join(" ".join(map(mark, line.split())) + "\n" for line in TEXT)


DOCUMENTS = {
    "tmx": f'<?xml version="1.0"?>\n<tmx version="1.4"><body>\n{PLAIN}</body></tmx>\n',
    "xliff": f'<?xml version="1.0"?>\n<xliff version="1.2"><file>\n{PLAIN}</file></xliff>\n',
    "wmt": "<?xml version='1.0'?>\n<dataset id='s'>\n" + each('<seg id="*">TEXT</seg>'),
    "sgml": '<doc docid="a">\n' + each('<seg id="*">TEXT</seg>'),
    "html": "<!DOCTYPE html>\n<html><body>\n" + each("<p>TEXT</p>"),
    "usx": "<?xml version='1.0'?>\n<usx version='3.0'>\n" + each('<para style="p">TEXT</para>'),
    "xml": "<?xml version='1.0'?>\n<corpus>\n" + each("<s>TEXT</s>"),
    "subtitles": each("*\n00:00:01,000 --> 00:00:02,000\nTEXT\n"),
    "usfm": "\\id GEN\n\\c 1\n\\p\n" + each("\\v * TEXT"),
    "po": 'msgid ""\nmsgstr ""\n\n' + each('msgid "TEXT"\nmsgstr "TEXT"\n'),
    "rtf": "{\\rtf1\\ansi\n" + PLAIN,
    "latex": "\\documentclass{article}\n\\begin{document}\n" + PLAIN,
    "json": each('{"text": "TEXT"}'),
    "conll": each("1\tTEXT\tx\tNOUN\n2\tdog\tdog\tNOUN\n3\tsees\tsee\tVERB\n"),
    "arpa": "\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s>\n",
    "csv": each('"TEXT","TEXT"'),
    "links": "".join(f"0-0 1-1 {k}-{k}\n" for k in range(2, 42)),
    "gold-links": "".join(f"{k:04} 1 {k} S\n" for k in range(1, 41)),
    "bars": each("TEXT ||| TEXT"),
}
OTHER_DOCUMENTS = [
    ("sgml", each("<seg id=*> TEXT </seg>")),
    ("subtitles", each("[00:0*.000 --> 00:02.000]  TEXT")),
    ("subtitles", "WEBVTT\n\n" + each("00:01.000 --> 00:02.000\nTEXT\n")),
    ("subtitles", each("[00:*.00]TEXT").replace("[00:", "[00:1", 9)),
    ("subtitles", each("{*}{99}TEXT")),
    ("json", each("['TEXT', 'TEXT']")),
    ("json", '[\n  {"source": "a", "target": "b"},\n  {"source": "c", "target": "d"}\n]\n'),
    ("csv", "source,target\n" + each("TEXT,TEXT")),
    ("csv", each('*;"TEXT";"TEXT, TEXT"')),
    ("bars", each("* ||| TEXT ||| F= 1 ||| 1")),
    ("sgml", each("<seg>\nTEXT\n</seg>")),
    ("stm", each("talk 1 speaker 0.5 1.25 <o,f0,male> TEXT")),
    ("colon-links", "0:0 1:1\n0:0\n" * 9),
    ("comma-links", "0-0,1-1\n0-0\n" * 9),
    ("letter-links", "0-0-S 1-1-P\n0-0-S\n" * 9),
    ("stm", ";; a comment\n" + each("talk A speaker_2 0.50 1.25 TEXT")),
    ("ctm", "talk 1 0.10 0.20 the\ntalk 1 0.30 0.40 house\n" * 9),
]
VALUES = [
    ("scores", each("-0.*")),
    ("scores", each("1.5e-*")),
    ("labels", "legal\nmedical\n" * 20),
    ("labels", "1\n" * 40),
]
READ_AMISS = [
    ("numbered-tab", numbered("{}\t")),
    ("numbered-tab", numbered("{:04}\t", 1)),
    ("numbered-tab", "0\tthe house\n1\ta garden\n"),
    ("numbered", numbered("{}. ")),
    ("numbered", numbered("{} . ")),
    ("numbered", numbered("( {} ) ", 1)),
    ("numbered", numbered("{}) ", 1)),
    ("numbered", numbered("[{}] ", 1)),
    ("numbered", numbered("{} ", 1)),
    ("numbered", numbered("{}: ", 1)),
    ("numbered", numbered("#{} ", 1)),
    ("numbered", numbered("# {} ", 1)),
    ("numbered", numbered("\u00a7 {} ", 1)),
    ("numbered", numbered("\u00a7{}. ", 1)),
    ("identifiers", numbered("s{} ", 1)),
    ("identifiers", numbered("S{}\t")),
    ("identifiers", numbered("BAC009S0002W{:04} ")),
    ("identifiers", "".join(arabic_indic(k) + f" {line}\n" for k, line in enumerate(TEXT))),
    ("numbered", numbered("No. {} ", 1)),
    ("numbered", numbered("n\u00b0 {} ", 1)),
    ("numbered", numbered("{}/ ", 1)),
    ("numbered", numbered("{} | ", 1)),
    ("numbered", numbered("<{}> ", 1)),
    ("numbered", with_gaps("{} ")),
    ("numbered", with_gaps("[{}] ")),
    ("numbered", with_gaps("{}. ")),
    ("numbered-word", numbered("Line {}: ", 1)),
    ("numbered-word", with_gaps("Satz {} . ")),
    (
        "times",
        "".join(f"[00:{k * 37 // 60:02}:{k * 37 % 60:02}] {t}\n" for k, t in enumerate(TEXT)),
    ),
    ("times", "".join(f"1:{k * 53 // 60:02}:{k * 53 % 60:02} {t}\n" for k, t in enumerate(TEXT))),
    ("numbered-mark", numbered("{}:", 1)),
    ("numbered-mark", numbered("[{}]", 1)),
    ("numbered-mark", numbered("{}.", 1)),
    ("numbered-mark", numbered("{}\u3001", 1)),
    ("numbered-mark", numbered("{}\uff0e", 1)),
    ("numbered-tab", "".join(f"{k * k % 97}\t{line}\n" for k, line in enumerate(TEXT, start=8))),
    ("verses", numbered("GEN 1:{} ", 1)),
    ("verses", numbered("1 Samuel 1:{} ", 1)),
    ("verses", numbered("[1:{}] ", 1)),
    ("verses", numbered("1 John 1:{} ", 1)),
    ("verses", numbered("1. Mose 1:{} ", 1)),
    ("verses", numbered("II Samuel 1:{} ", 1)),
    ("verses", numbered("Song of Solomon 1:{} ", 1)),
    ("verses", numbered("Acts of the Apostles 12:{}\t", 1)),
    ("verses", numbered("Mt 1,{} ", 1)),
    ("verses", numbered("1 : {} ", 1)),
    ("verses", "".join(f"\u0661:{arabic_indic(k)} {line}\n" for k, line in enumerate(TEXT, 1))),
    ("verses", numbered("\u521b\u4e16\u8bb0 1:{} ", 1)),
    ("verses", numbered("1 John 1 : {} ", 1)),
    ("verses", numbered("Genesis 1:{}\t", 1)),
    ("verses", numbered("1Kgs.2.{} ", 1)),
    ("verses", numbered("GEN_1_{}\t", 1)),
    ("verses", numbered("400010{:02}\t", 1)),
    ("identifiers", numbered("utt-{:03} ")),
    ("identifiers", numbered("b.GEN.1.{}\t")),
    ("identifiers", numbered("key{}: ")),
    ("identifiers", numbered("1089-134686-{:04} ")),
    ("trn", each("TEXT (utt-*)")),
    ("columns", each("TEXT\tTEXT")),
    ("quoted", each('"TEXT"')),
    ("header", "source\ttarget\n" + each("TEXT\tTEXT")),
    ("sentence-tags", each("<s snum=*> TEXT </s>")),
    ("markup", PLAIN + each("TEXT <b>TEXT</b>")),
    ("markup", replaced('<SPEAKER ID="1" NAME="x">', 8)),
    ("properties", each("app.title.n* = TEXT")),
    ("properties", "fr:\n" + each('  key_*: "TEXT"')),
    ("properties", each('key_*: "TEXT"')),
    ("properties", each("- source: TEXT\n  target: TEXT")),
    ("word-per-line", each_word("\t")),
    ("word-per-line", each_word(" ")),
    ("trees", each("(ROOT (S (NP (DT the) (NN n*)) (VP (VBZ is))))")),
    ("vref", each("GEN 1:*")),
    ("html-entities", now_and_then("&nbsp;")),
    ("html-entities", now_and_then("caf&#233; ")),
    ("html-entities", now_and_then("&amp;quot; x")),
    ("markup", now_and_then("<br> x")),
    ("split-entities", now_and_then("& quot ; x & quot ;")),
    ("unicode-escapes", now_and_then("caf\\u00e9")),
    ("unicode-escapes", now_and_then("caf\\xc3\\xa9")),
    ("percent-escapes", now_and_then("a%20house")),
    ("percent-escapes", now_and_then("caf%C3%A9")),
    ("quoted-printable", now_and_then("caf=C3=A9")),
    ("mojibake", now_and_then("café".encode().decode("cp1252"))),
    ("mojibake", now_and_then("кот".encode().decode("latin-1"))),
    ("wrong-conversion", now_and_then("東京".encode("shift_jis").decode("latin-1"))),
    ("subtitle-tags", now_and_then("{\\an8}")),
    ("subtitle-tags", now_and_then("{\\i1} x {\\i0}")),
    ("placeholders", replaced("[no text]", 8)),
    ("placeholders", replaced("BLANK", 8)),
    ("placeholders", replaced("( missing )", 8)),
    ("placeholders", "[inhalt]\n" * 30 + PLAIN[:200]),
    ("placeholders", replaced("#N/A", 8)),
    ("verse-ranges", replaced("<range>", 20)),
]
NOTED = [
    ("moses-entities", now_and_then("it &apos;s")),
    ("moses-entities", now_and_then("&#91; a &#93;")),
    ("backslashes", now_and_then("it\\'s")),
    ("backslashes", now_and_then("one\\ntwo")),
    ("sentencepiece", pieces(lambda word: f"\u2581{word[:2]} {word[2:]}")),
    ("bpe", pieces(lambda word: f"{word[:2]}@@ {word[2:]}" if word[2:] else word)),
    ("wordpiece", pieces(lambda word: f"{word[:2]} ##{word[2:]}" if word[2:] else word)),
    ("byte-pieces", pieces(lambda word: f"\u0120{word}")),
    ("joiners", pieces(lambda word: f"{word[:2]} \uffed{word[2:]}" if word[2:] else word)),
    ("end-pieces", pieces(lambda word: f"{word[:1]} {word[1:]}</w>" if word[1:] else word)),
    ("sentencepiece", pieces(lambda word: f"_{word}")),
    ("factors", pieces(lambda word: f"{word}|NN|{word}")),
    ("factors", pieces(lambda word: f"{word}_NN")),
]
FINE = [
    PLAIN,
    replaced("( Applause )", 8),
    replaced("[Musik]", 8),
    "ok , no\n" + PLAIN,
    "".join(f"Article {k * 4} . {line}\n" for k, line in enumerate(TEXT)),
    "".join(f"{1900 + k * 3} {line}\n" for k, line in enumerate(TEXT)),  # a chronicle with gaps
    "",
    "\n\n\n",
    "the house\na garden\n",
    now_and_then("https://example.org/a%20b"),
    now_and_then("AT&T ; R&D ;"),
    now_and_then("1 % , 20 %"),
    now_and_then('" he said , " and left'),
    now_and_then("< 3"),
    now_and_then("<unk>"),
    "".join(f"{k * 37 % 50} {line}\n" for k, line in enumerate(TEXT)),  # numbers in no order
    "".join(f"{line} ( {k} )\n" for k, line in enumerate(TEXT)),
    "\u4ed6\u4eec \u8d4b\u6709 \u7406\u6027\n" * 20,
    replaced("...", 8),
    "\n" * 5 + "the house\n" * 30,
    "".join(f"{k // 7 + 1} . {k % 7 + 1} {line}\n" for k, line in enumerate(TEXT)),
    each('" TEXT "'),
    "".join(f"{1900 + k} : {line}\n" for k, line in enumerate(TEXT)),  # a chronicle
    "".join(f"{1900 + k} {line}\n" for k, line in enumerate(TEXT)),
    "".join(f"Article {k + 1} . {line}\n" for k, line in enumerate(TEXT)),
    "".join(f"At {k % 12 + 1}:{k * 7 % 60:02} {line}\n" for k, line in enumerate(TEXT)),
    "".join(f"The score of game {k} is 2 : {k} {line}\n" for k, line in enumerate(TEXT)),
    each('John: "TEXT"'),
    each("John: TEXT"),
    now_and_then("{\\bf x} + y"),
    now_and_then("~{ + }~ 1 + 2 = +3"),
    "the\nhouse\nsees\n" * 20 + "".join(f"word{chr(97 + k % 26)}{k}\n" for k in range(60)),
    "Rar! he said\n" + PLAIN,
    "Write it in the <body> , not in <html>\n" + PLAIN,
    "the <xliff> or <tmx> element\n" + PLAIN,
    'a key such as msgid "x"\n' + PLAIN,
]
