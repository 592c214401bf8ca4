"""The same pairs, whatever file they stand in."""

import importlib
import json
import re
import tempfile
import warnings
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align import Bitext, read_bitext
from isogloss.align.files.tables.reading import TABLES
from isogloss.align.files.writers import atomic_file, write_lines
from isogloss.align.text.formats.detection import BITEXT_FORMATS
from isogloss.align.text.readers import iter_pairs, split_fields, split_tokens

# all that XML can hold, but no line feed (it ends a line), tab (a TSV's own) or bar
letters = st.characters(
    codec="utf-8",
    exclude_categories=["Cc", "Cs"],
    exclude_characters="|\ufffe\uffff\ufeff",
)
sentences = st.text(letters | st.just(" "), max_size=12)
pairs = st.lists(st.tuples(sentences, sentences), max_size=6)
SUFFIXES = ["", ".gz", ".bz2", ".xz", ".zst"]


bars = st.lists(st.sampled_from(["a", "|", "||", "|||", " ", "  ", "\t"]), max_size=12).map("".join)


@given(bars)
def test_fields_are_told_by_bars_between_blanks(line: str) -> None:
    fields = re.split(r"(?:^| )\|\|\|(?= |$)|\t\|\|\|(?=\t)", line)
    assert [field.strip(" \t\r") for field in fields] == split_fields(line)


def write(form: str, pairs: list[tuple[str, str]], path: Path) -> None:
    if form == "tmx":
        units = (
            f'<tu><tuv xml:lang="en"><seg>{escape(source)}</seg></tuv>'
            f'<tuv lang="ES-mx"><seg>{escape(target)}</seg></tuv></tu>'
            for source, target in pairs
        )
        write_lines(["<tmx>", *units, "</tmx>"], path)
    elif form == "xliff":
        units = (
            f"<trans-unit><source>{escape(source)}</source><target>{escape(target)}</target>"
            "</trans-unit>"
            for source, target in pairs
        )
        languages = 'source-language="en-GB" target-language="es"'
        write_lines([f"<xliff><file {languages}><body>", *units, "</body></file></xliff>"], path)
    elif form == "wmt":
        sides = [
            [f'<seg id="{number}">{escape(pair[side])}</seg>' for number, pair in enumerate(pairs)]
            for side in (0, 1)
        ]
        source, target = ["<src lang='en'><p>", *sides[0], "</p></src>"], ["<p>", *sides[1], "</p>"]
        write_lines(
            ["<dataset><doc>", *source, "<ref lang='es'>", *target, "</ref></doc></dataset>"], path
        )
    elif form == "jsonl":
        write_lines((json.dumps({"src": source, "tgt": target}) for source, target in pairs), path)
    elif form in TABLES:
        arrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")
        sides = [[pair[side] for pair in pairs] for side in (0, 1)]
        table = arrow.table([arrow.array(side, arrow.string()) for side in sides], ["src", "tgt"])
        if form == "parquet":
            importlib.import_module("pyarrow.parquet").write_table(table, path)
            return
        with atomic_file(path) as stream, arrow.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
    else:
        separator = "\t" if form == "tsv" else " ||| "
        write_lines((separator.join(pair) for pair in pairs), path)


def words(bitext: Bitext) -> list[tuple[list[str], list[str]]]:
    return [(bitext.source.words(k), bitext.target.words(k)) for k in range(len(bitext))]


@pytest.mark.parametrize("form", BITEXT_FORMATS)
@given(pairs=pairs, suffix=st.sampled_from(SUFFIXES))
def test_every_form_reads_as_two_files(
    form: str, pairs: list[tuple[str, str]], suffix: str
) -> None:
    if form == "xliff":  # a source with an empty target isn't translated
        pairs = [(source, target) for source, target in pairs if target.strip(" \t")]
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty sides and odd spaces
        folder = Path(name)
        write(form, pairs, folder / f"one{suffix}")
        for side, file in enumerate(("en", "es")):
            write_lines((pair[side] for pair in pairs), folder / f"{file}{suffix}")
        joined = read_bitext(folder / f"one{suffix}", format=form, languages=("en", "es"))
        two = read_bitext(folder / f"en{suffix}", folder / f"es{suffix}")
        assert words(joined) == words(two)
        assert words(two) == [tuple(map(split_tokens, pair)) for pair in pairs]
        assert joined.source.vocabulary == two.source.vocabulary
        numbers = [
            pair.number for pair in iter_pairs(folder / f"en{suffix}", folder / f"es{suffix}")
        ]
        assert numbers == list(range(1, len(pairs) + 1))
