"""Texts and documents in other forms: what each is called, and what to do."""

from .kind import Kind

__all__ = ["TEXT_KINDS"]

_RETOKENIZE = (
    "Align them as they are; `isogloss retokenize` makes links of words from links of pieces"
)
_UNMARKED = (
    "`isogloss retokenize` knows the marks of SentencePiece, subword-nmt and WordPiece, so write "
    "these, or let the tokenizer put words together before you align"
)
_TAGS = "Take the sentences out of the markup, one per line, in both files"
_UNESCAPE = (  # a line break that was escaped stays inside its line
    'python -c \'import html, sys; sys.stdout.writelines(" ".join(html.unescape(s).split()) + '
    '"\\n" for s in sys.stdin)\''
)
_SEGMENTS = (
    "python -c 'import html, re, sys; [print(*html.unescape(s).split()) for s in "
    're.findall(r"(?is)<seg\\b[^>]*>(.*?)</seg>", sys.stdin.read())]\''
)
_DROP = "python -c 'import re, sys; sys.stdout.writelines(re.sub"
_COUNTS = "else links count other positions than the text has"

TEXT_KINDS = {
    # bytes
    "binary": Kind("error", "the file is no text", "Export it as plain UTF-8 text"),
    "table": Kind(
        "error", "the file is a Parquet or Arrow table",
        "Pass it alone, with --columns SOURCE,TARGET", is_read=True,
    ),
    "wide": Kind("error", "the file is in UTF-16 or UTF-32", "Convert it to UTF-8 with `iconv`"),
    "utf-7": Kind(
        "error", "the file is in UTF-7", "Convert it with `iconv -f UTF-7 -t UTF-8 FILE`"
    ),
    "iso-2022": Kind(
        "error", "the file is in an encoding with escape sequences, such as ISO-2022-JP",
        "Convert it with `iconv -f ISO-2022-JP -t UTF-8 FILE`",
    ),
    "hz": Kind(
        "error", "the file is in HZ, an encoding of Chinese with ~{ and ~}",
        "Convert it with `python -c 'import sys; sys.stdout.buffer.write("
        'sys.stdin.buffer.read().decode("hz").encode())\' < FILE`',
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
        f"Take them out: `{_SEGMENTS} < FILE`",
    ),
    "html": Kind(
        "error", "the file is HTML", "Extract its text, for example with trafilatura or `lynx "
        "-dump`, and split it into sentences",
    ),
    "usx": Kind(
        "error", "the file is a Bible in USX, OSIS or Zefania XML",
        "Write one verse per line, as docs/howto/bibles.md shows",
    ),
    "xml": Kind(
        "error", "the file is XML", _TAGS, elsewhere="Write lines in the form that is expected",
    ),
    "markup": Kind("warning", "lines contain markup", f"{_TAGS}: tags are read as words"),
    "sentence-tags": Kind(
        "warning", "the lines stand in tags", "Remove the tags, which are read as words: "
        "`sed 's/<[^>]*>//g' FILE`",
    ),
    "subtitles": Kind(
        "error", "the file holds subtitles, with numbers and times",
        "Write one subtitle per line without them; pair those of two languages by their times",
    ),
    "subtitle-tags": Kind(
        "warning", r"lines contain tags of subtitles, such as {\an8} or {\i1}",
        r"Remove them: `sed -E 's/\{\\[^{}]*\}//g' FILE`",
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
        "warning", "the lines are keys with values, as in YAML or resource files",
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
        elsewhere="Write lines in the form that is expected, or JSON Lines where these are read",
    ),
    "quoted": Kind(
        "warning", "the lines stand in quotes, as those of a spreadsheet",
        "Export them without; the quotes are read as part of words",
    ),
    "header": Kind(
        "warning", "line 1 is a header, which is read as a sentence pair",
        "Remove it with `tail -n +2 FILE`",
    ),
    "numbered-tab": Kind(
        "warning", "the lines begin with a number and a tab, and the number is read as word 0",
        f"Remove it with `cut -f2- FILE`; {_COUNTS}",
        elsewhere="Remove the number: `cut -f2- FILE`",
    ),
    "numbered-sides": Kind(
        "warning", "the columns 1 and 3 are numbers, and the sentences are in columns 2 and 4",
        "Take the sentences with `cut -f2,4 FILE`",
    ),
    "numbered-language": Kind(
        "warning", "the columns 1 and 2 are numbers and a language, and the sentences are in "
        "column 3", "Take the sentences with `cut -f3 FILE`",
    ),
    "numbered-languages": Kind(
        "warning", "the columns 1, 2, 4 and 5 are numbers and languages, and the sentences are in "
        "columns 3 and 6", "Take the sentences with `cut -f3,6 FILE`",
    ),
    "numbered-word": Kind(
        "warning", "the lines begin with a word and their number, which are read as words",
        "Remove them with `sed -E 's/^[^0-9]*[0-9]+ ?[^[:alnum:][:space:]]+[[:space:]]*//' "
        f"FILE`; {_COUNTS}",
    ),
    "times": Kind(
        "warning", "the lines begin with a time, which is read as word 0",
        f"Remove it with `sed -E 's/^[^[:space:]]+[[:space:]]+//' FILE`; {_COUNTS}",
    ),
    "numbered": Kind(
        "warning", "the lines are numbered, and the number is read as a word",
        "Remove it with `sed -E 's/^[^0-9]{0,4}[0-9]+[^[:space:]]*[[:space:]]+"
        f"([].):|=>–-]+[[:space:]]+)?//' FILE`; {_COUNTS}",
    ),
    "numbered-mark": Kind(
        "warning", "the lines begin with their number, which is read as part of the first word",
        f"Remove it with `{_DROP}"
        r'(r"^\W?\d+[^\w\s]{1,2}", "", s) '
        "for s in sys.stdin)' < FILE`",
    ),
    "verses": Kind(
        "warning", "the lines begin with book, chapter and verse, which are read as words",
        f"Remove them with `{_DROP}"
        r'(r"^(\d\.? ?)?([^\W\d_]+\.?[ _]+){0,6}\S*\d\S*( ?[:.,] ?\d+\S*)?[ \t]+", "", s) '
        f"for s in sys.stdin)' < FILE`; {_COUNTS}",
    ),
    "identifiers": Kind(
        "warning", "the lines begin with an identifier, which is read as word 0",
        f"Remove it with `sed -E 's/^[^[:space:]]+[[:space:]]+//' FILE`; {_COUNTS}",
    ),
    "trn": Kind(
        "warning", "the lines end with an identifier in parentheses, which is read as a word",
        "Remove it with `sed -E 's/[[:space:]]*\\([^()]*\\)$//' FILE`",
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
    "scores": Kind(
        "warning", "the lines are numbers, such as scores", "Pass the text that they belong to"
    ),
    "labels": Kind(
        "warning", "the lines are labels, such as names of domains",
        "Pass the text that they belong to; `--labels` takes the names of domains",
    ),
    "trees": Kind(
        "warning", "the lines are parse trees", "Pass the words alone; brackets are read as words"
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
        f"Unescape them on both sides: {_UNESCAPE} < FILE",
    ),
    "split-entities": Kind(
        "warning", "lines contain entities that a tokenizer has split, such as & amp ;",
        f"Join and unescape them on both sides: "
        f"sed -E 's/& (#?) ?([a-z0-9]+) ;/\\&\\1\\2;/g' FILE | "
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
        "sys.stdout.writelines(\" \".join(u.unquote(s).split()) + \"\\n\" for s in sys.stdin)' "
        "< FILE",
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
