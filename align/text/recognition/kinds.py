"""The kinds of files that are recognized: what each is called, and what to do about it."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

__all__ = ["KINDS", "PIECES", "Form", "Kind"]


class Kind(NamedTuple):
    """A kind of file.

    level: "error" = no sentences can be read from it; "warning" = they are read, but mean something
        else; "note" = they are read as they are meant
    what: behind "the file is" or "the lines are"; remedy: what to do
    is_read: whether some command reads it, so that an error in such a file needs no explanation
    """

    level: str
    what: str
    remedy: str
    is_read: bool = False


class Form(NamedTuple):
    """What a file was recognized as.

    kind: a key of KINDS; seen: how it shows, or empty; line: number of the first line that shows it
    what: in place of that of the kind, where it says more
    encoding: that the file is in, where that is what it was recognized as
    """

    kind: str
    seen: str = ""
    line: int | None = None
    what: str = ""
    encoding: str = ""

    @property
    def level(self) -> str:
        """That of the kind."""
        return KINDS[self.kind].level

    @property
    def name(self) -> str:
        """What the file is, in words, and how that shows."""
        return f"{self.text} ({self.seen})" if self.seen else self.text

    @property
    def text(self) -> str:
        """The same without what shows it."""
        return self.what or KINDS[self.kind].what

    @property
    def remedy(self) -> str:
        """What to do."""
        if self.encoding:
            return f"Convert it with `iconv -f {self.encoding} -t UTF-8`"
        return KINDS[self.kind].remedy

    def remedy_for(self, path: str | Path) -> str:
        """What to do with a file: the commands name it."""
        named = shlex.quote(str(path))
        return _FILE_WORD.sub(lambda _: named, self.remedy)


PIECES = ("sentencepiece", "bpe", "wordpiece", "byte-pieces", "joiners", "end-pieces")
_RETOKENIZE = (
    "Align them as they are; `isogloss retokenize` makes links of words from links of pieces"
)
_UNMARKED = (
    "`isogloss retokenize` knows the marks of SentencePiece, subword-nmt and WordPiece, so write "
    "these, or let the tokenizer put words together before you align"
)
_FILE_WORD = re.compile(r"\bFILE\b")  # in a remedy, the file
_TAGS = "Take the sentences out of the markup, one per line, in both files"
_UNESCAPE = (  # a line break that was escaped stays inside its line
    'python -c \'import html, sys; sys.stdout.writelines(" ".join(html.unescape(s).split()) + '
    '"\\n" for s in sys.stdin)\''
)

KINDS = {
    # bytes
    "binary": Kind("error", "the file is no text", "Export it as plain UTF-8 text"),
    "table": Kind(
        "error", "the file is a Parquet or Arrow table",
        "Pass it alone, with --columns SOURCE,TARGET", is_read=True,
    ),
    "wide": Kind("error", "the file is in UTF-16 or UTF-32", "Convert it to UTF-8 with `iconv`"),
    "iso-2022": Kind(
        "error", "the file is in an encoding with escape sequences, such as ISO-2022-JP",
        "Convert it with `iconv -f ISO-2022-JP -t UTF-8`",
    ),
    "carriage-returns": Kind(
        "error", "the lines end with a carriage return alone, as on old Macs",
        r"Convert them with `tr '\r' '\n' < FILE`",
    ),
    # documents
    "tmx": Kind(
        "error", "the file is a translation memory in TMX",
        "Pass it alone, with --langs such as en-fr: it holds both sides", is_read=True,
    ),
    "xliff": Kind(
        "error", "the file is XLIFF", "Pass it alone: it holds both sides", is_read=True,
    ),
    "wmt": Kind(
        "error", "the file is a test set of WMT in XML",
        "Pass it alone, with --langs such as en-de: it holds both sides", is_read=True,
    ),
    "sgml": Kind(
        "error", "the file is a test set in SGML or XML, with sentences in <seg>",
        r"Take them out: `sed -nE 's/.*<seg[^>]*> *(.*[^ ]) *<\/seg>.*/\1/p' FILE`, then "
        "unescape &amp; and the like",
    ),
    "html": Kind(
        "error", "the file is HTML", "Extract its text, for example with trafilatura or `lynx "
        "-dump`, and split it into sentences",
    ),
    "usx": Kind(
        "error", "the file is a Bible in USX, OSIS or Zefania XML",
        "Write one verse per line, as docs/howto/bibles.md shows",
    ),
    "xml": Kind("error", "the file is XML", _TAGS),
    "markup": Kind("warning", "lines contain markup", f"{_TAGS}: tags are read as words"),
    "sentence-tags": Kind(
        "warning", "the lines stand in tags", "Remove the tags, which are read as words: "
        "`sed 's/<[^>]*>//g'`",
    ),
    "subtitles": Kind(
        "error", "the file holds subtitles, with numbers and times",
        "Write one subtitle per line without them; pair those of two languages by their times",
    ),
    "usfm": Kind(
        "error", "the file is a Bible in USFM",
        "Write one verse per line, as docs/howto/bibles.md shows",
    ),
    "vref": Kind("warning", "the lines are names of verses", "Pass the text of the verses"),
    "po": Kind(
        "error", "the file is a gettext catalog (PO)",
        "Convert it to TMX with `po2tmx`, and pass that alone with --langs",
    ),
    "properties": Kind(
        "warning", "the lines are keys with values, such as those of resource files",
        "Pass the values alone, in the same order on both sides",
    ),
    "rtf": Kind("error", "the file is RTF", "Save it as plain UTF-8 text"),
    "latex": Kind("error", "the file is LaTeX", "Extract its sentences, for example with `detex`"),
    "json": Kind(
        "error", "the file is JSON", "Write one object per line with both sides (JSON Lines), and "
        "pass the file alone", is_read=True,
    ),
    "conll": Kind(
        "error", "the file has a word per line, as CoNLL-U",
        "Write one sentence per line; `isogloss project` reads CoNLL-U beside such text",
        is_read=True,
    ),
    "word-per-line": Kind(
        "warning", "the file seems to have a word per line, with a blank line after each sentence",
        "Write one sentence per line",
    ),
    "arpa": Kind(
        "error", "the file is a language model in ARPA format", "Pass the text", is_read=True
    ),
    # columns
    "csv": Kind(
        "error", "the file is CSV",
        "Export both columns as plain text, or as tab-separated text without quotes",
    ),
    "quoted": Kind(
        "warning", "the lines stand in quotes, as those of a spreadsheet",
        "Export them without; the quotes are read as part of words",
    ),
    "header": Kind(
        "warning", "line 1 is a header, which is read as a sentence pair",
        "Remove it with `tail -n +2`",
    ),
    "numbered-tab": Kind(
        "warning", "the lines begin with a number and a tab, and the number is read as word 0",
        "Remove it with `cut -f2-`; else links count other positions than the text has",
    ),
    "numbered": Kind(
        "warning", "the lines are numbered, and the number is read as a word",
        "Remove it with `sed -E 's/^[^0-9]{0,3}[0-9]+[^[:space:]]*[[:space:]]+"
        "([].):–-]+[[:space:]]+)?//'`; else links count other positions than the text has",
    ),
    "numbered-mark": Kind(
        "warning", "the lines begin with their number, which is read as part of the first word",
        "Remove it with `cut -d: -f2-`, or with the mark that follows it in place of the colon",
    ),
    "verses": Kind(
        "warning", "the lines begin with book, chapter and verse, which are read as words",
        "Remove them with `sed -E 's/^(([0-9] )?[^[:space:]0-9]+ )?[^[:space:]]*[0-9]"
        "[^[:space:]]*[[:space:]]+//'`; else links count other positions than the text has",
    ),
    "identifiers": Kind(
        "warning", "the lines begin with an identifier, which is read as word 0",
        "Remove it with `sed -E 's/^[^[:space:]]+[[:space:]]+//'`; else links count other "
        "positions than the text has",
    ),
    "trn": Kind(
        "warning", "the lines end with an identifier in parentheses, which is read as a word",
        "Remove it with `sed -E 's/[[:space:]]*\\([^()]*\\)$//'`",
    ),
    "columns": Kind(
        "warning", "the lines have several columns, which are read as one sentence",
        "Pass a file of both sides alone (source, tab, target), or cut the column with `cut -f`",
    ),
    # other files
    "bars": Kind(
        "error", "the lines have fields separated by |||",
        "Pass `source ||| target` lines alone, without a second file; lists and tables are for "
        "other commands", is_read=True,
    ),
    "links": Kind("error", "the lines are links, not sentences", "Pass the text", is_read=True),
    "gold-links": Kind(
        "error", "the lines are gold links, not sentences", "Pass the text", is_read=True
    ),
    "trees": Kind(
        "warning", "the lines are parse trees", "Pass the words alone; brackets are read as words"
    ),
    # files of other programs
    "giza": Kind(
        "error", "the file holds alignments of GIZA++ (A3.final)",
        "Convert both directions to Pharaoh links with Moses's giza2bal.pl and symal",
    ),
    "wa-xml": Kind(
        "error", "the file holds gold links in XML (.wa)",
        "Write a line of links per sentence pair: sure ones as 0-0, possible ones as 0p0, counted "
        "from 0",
    ),
    "blinker": Kind(
        "error", "the lines are pairs of positions, as in gold links of the Blinker project",
        "Join the files of all sentences to NAACL lines: `awk '{print FNR == 1 ? ++n : n, $0}' "
        "FILES`, with the sides in the order of the text",
    ),
    "srilm-list": Kind(
        "error", "the file is an n-best list of SRILM",
        "Write `id ||| words ||| NAME= value` lines, as docs/howto/asr.md shows",
    ),
    "srilm-scores": Kind(
        "error", "the file is an n-best list of SRILM (acoustic score, LM score, number of words)",
        "Write `awk '{a = $1; l = $2; n = $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, \"\"); print \"0 ||| \" "
        "$0 \" ||| am= \" a \" lm= \" l \" n= \" n}' FILE`, with another number for each utterance",
    ),
    "htk-lattice": Kind(
        "error", "the file is an HTK lattice (SLF)",
        "Take an n-best list out of it, for example with SRILM's lattice-tool -nbest-decode",
    ),
    "plf": Kind(
        "error", "the lines are lattices or confusion networks in Python's notation (PLF)",
        "Take n-best lists out of them",
    ),
    "fst": Kind(
        "error", "the lines are arcs of a transducer in the text format of OpenFst",
        "Take an n-best list out of it with fstshortestpath --nshortest",
    ),
    "ctm": Kind(
        "error", "the lines are words with times (CTM)",
        "Join the words of each utterance to a line",
    ),
    "opennmt-log": Kind(
        "error", "the file is a log of OpenNMT",
        "Translate with --n_best N and --with_score to a file, and write `id ||| hypothesis ||| "
        "score= value` lines",
    ),
    "fairseq-log": Kind(
        "error", "the file is of an early fairseq, whose H lines have no number",
        r"Number them: `awk -F'\t' -v OFS='\t' '"
        r'''$1 == "S" {n++} $1 == "H" {print "H-" n - 1, $2, $3}'''
        "' FILE`",
    ),
    "score-first": Kind(
        "error", "the lines are scores and hypotheses, as of OpenNMT-tf, without sentence ids",
        "With N hypotheses per sentence: `awk -F ' [|][|][|] ' -v N=5 '{print int((NR - 1) / N) "
        "\" ||| \" $2 \" ||| score= \" $1}' FILE`",
    ),
    "colon-names": Kind(
        "error", "the lines are an n-best list with colons behind the names, as Moses wrote before "
        "2012", "Write equals signs in place of them: `awk -F ' [|][|][|] ' -v OFS=' ||| ' "
        "'{ gsub(/: /, \"= \", $3); print }' FILE`",
    ),
    "unnamed-scores": Kind(
        "error", "the list has scores without names, as of Nematus, Lua OpenNMT or HiFST",
        r"Name them: `sed -E 's/^([0-9]+ \|\|\| [^|]*\|\|\|) /\1 score= /' FILE`",
    ),
    "zmert": Kind(
        "error", "the file is a list of parameters of Z-MERT",
        r"Keep names and values: `grep -E '(Opt|Fix)' FILE | sed -E 's/ *\|\|\| *([^ ]+).*/ \1/'`",
    ),
    "joshua-config": Kind(
        "error", "the file is a configuration of Joshua",
        "Keep the lines of weights (name and value): `grep -E '^[a-z]+[a-z_0-9]* -?[0-9.]+$' FILE`",
    ),
    "canoe-ini": Kind(
        "error", "the file is a configuration of Portage (canoe.ini)",
        "Write a line `NAME value` for each weight",
    ),
    "marian-config": Kind(
        "error", "the file is a configuration of Marian",
        "Write its weights as lines such as `F0 1`, `F1 0.5`, in the order of the models",
    ),
    "mert-log": Kind(
        "error", "the file is a log of Moses's mert",
        "Pass the moses.ini or the weights that the run wrote",
    ),
    "bare-numbers": Kind(
        "error", "the lines are numbers without names, such as Moses's init.opt and weights.txt",
        "Write a line `NAME value` for each weight, with the names that the n-best list has",
    ),
    # words
    "factors": Kind(
        "note", "the words have factors or tags", "Pass the words alone, or the factor that is to "
        "be aligned",
    ),
    "moses-entities": Kind(
        "note", "lines contain escapes of Moses, such as &apos;",
        "If other text has none, unescape it with Moses's deescape-special-chars.perl",
    ),
    "html-entities": Kind(
        "warning", "lines contain HTML entities, such as &nbsp; or &#233;",
        f"Unescape them on both sides: {_UNESCAPE}",
    ),
    "split-entities": Kind(
        "warning", "lines contain entities that a tokenizer has split, such as & amp ;",
        f"Join and unescape them on both sides: sed -E 's/& (#?) ?([a-z0-9]+) ;/\\&\\1\\2;/g' | "
        f"{_UNESCAPE}",
    ),
    "wrong-conversion": Kind(
        "warning", "lines contain control characters, as after a conversion from a wrong encoding",
        "Convert the original again: `isogloss doctor` on it names the likely encoding",
    ),
    "mojibake": Kind(
        "warning", "lines look like UTF-8 that was read as Windows-1252, such as Ã© for é",
        "Convert the original again, or repair the text with ftfy",
    ),
    "unicode-escapes": Kind(
        "warning", r"lines contain characters written as \u00e9 or \xe9",
        "Decode them where the text was exported: each is read as these letters",
    ),
    "percent-escapes": Kind(
        "warning", "lines contain characters written as %20 or %C3%A9",
        "Decode them: python -c 'import sys, urllib.parse as u; "
        "sys.stdout.writelines(\" \".join(u.unquote(s).split()) + \"\\n\" for s in sys.stdin)'",
    ),
    "quoted-printable": Kind(
        "warning", "lines contain characters written as =C3=A9 (quoted-printable)",
        "Decode them: python -m quopri -d FILE",
    ),
    "backslashes": Kind(
        "note", r"lines contain backslash escapes, such as \' or \n",
        r"Undo the escapes of an export: \' is another word than '",
    ),
    "sentencepiece": Kind("note", "the words are SentencePiece pieces", _RETOKENIZE),
    "bpe": Kind("note", "the words are BPE pieces of subword-nmt", _RETOKENIZE),
    "wordpiece": Kind("note", "the words are WordPiece pieces", _RETOKENIZE),
    "byte-pieces": Kind("note", "the words are byte-level BPE pieces, as of GPT-2", _UNMARKED),
    "joiners": Kind("note", "the words are pieces with joiners, as of OpenNMT", _UNMARKED),
    "end-pieces": Kind("note", "the words are BPE pieces with </w>", _UNMARKED),
    "placeholders": Kind(
        "warning", "lines hold a placeholder in place of a sentence",
        "Drop these pairs, or make both lines blank: a placeholder is aligned as a word",
    ),
    "verse-ranges": Kind(
        "warning", "lines are <range>: the verse is part of the line above",
        "Pass --format vref, which joins such verses: <range> is aligned as a word",
    ),
}  # fmt: skip
