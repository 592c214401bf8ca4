"""Texts that a decoder's phrase table lacks the words of."""

import warnings
from pathlib import Path

import pytest

from isogloss.align.errors import DataWarning
from isogloss.runs.decoder_config import DecoderConfig, ModelFile
from isogloss.runs.table_words import WordCheck, check_words
from isogloss.tuning.loops.decoder_tuning import DecoderFiles
from tests.cli.translations.test_decode import ARPA

WORDS = {"el": "the", "gato": "cat", "come": "eats", "pan": "bread", "París": "Paris", ".": "."}
RULES = "".join(
    f"{source} ||| {target} ||| 0.5 0.5 0.5 0.5 ||| 0-0\n"
    for source, target in sorted(WORDS.items())
)
COPIED = "They are copied. If the table was filtered for another text, pass the"


@pytest.fixture
def config(tmp_path: Path) -> DecoderConfig:
    (tmp_path / "table").write_text(RULES)
    (tmp_path / "lm").write_text(ARPA)
    return DecoderConfig(tmp_path / "table", (ModelFile(tmp_path / "lm"),))


def said_of(config: DecoderConfig, line: str, lines: int = 30) -> str:
    """What is said of many lines of a text."""
    sentences = [line.split()] * lines
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_words(config, config.open(sentences), "new.es", sentences)
    return "\n".join(str(warning.message) for warning in told)


def test_text_whose_words_the_table_has(config: DecoderConfig) -> None:
    assert said_of(config, "el gato come pan en París .") == (
        "new.es: 14% of the words are unknown to the phrase table, such as 'en'. "
        + COPIED
        + " unfiltered table, or filter it for this text (--filter-for)"
    )
    assert said_of(config, "el gato come pan el gato come pan el gato come en París .") == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("el Gato come pan .", "20% of the words are unknown to the phrase table, 100% of them "
         "only because of letter case, such as 'Gato' for 'gato'. Lowercase it (`lowercase=True`)"),
        ("el gato come pan parís .", "100% of them only because of letter case, such as 'parís' "
         "for 'París'. Use the casing of the training text"),
        ("el gato come pan.", "25% of the words are unknown to the phrase table, 100% of them "
         "because of attached punctuation, such as 'pan.' for 'pan'. Tokenize the text"),
        ("the cat eats bread .", "new.es looks like text of the target language: the phrase table "
         "has 20% of its words as source and 100% as target. Pass the source text"),
    ],
)  # fmt: skip
def test_text_that_does_not_fit(config: DecoderConfig, line: str, said: str) -> None:
    """The decoder has the rules that the text can use only; the table is looked through."""
    assert said in said_of(config, line)


@pytest.mark.parametrize(
    ("filtered", "said"),
    [
        ("", "They are copied. The phrase table has no entry for them; a pruned table may have "
         "lost them. Extract the table from more"),
        (', "filtered": true', "The table was filtered; if it was for another text, pass the"),
    ],
)  # fmt: skip
def test_a_table_says_whether_it_was_filtered(
    config: DecoderConfig, filtered: str, said: str
) -> None:
    sidecar = config.phrase_table.with_name("table.columns.json")
    sidecar.write_text(f'{{"scores": ["p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)"]{filtered}}}')
    assert said in said_of(config, "el gato come pan en París .")


def test_capitals_are_looked_for_in_few_unknown_words(config: DecoderConfig) -> None:
    (config.phrase_table).write_text(RULES.replace("París", "parís"))
    line = " ".join(["el gato come pan ."] * 3 + ["El"])
    assert "such as 'El' for 'el'. Lowercase it" in said_of(config, line)


def test_one_line_with_capitals_for_a_table_in_lowercase(config: DecoderConfig) -> None:
    assert said_of(config, "El gato .", 1) == ""  # the table has París
    (config.phrase_table).write_text(RULES.replace("París", "parís"))
    assert said_of(config, "el gato negro .", 1) == ""
    assert said_of(config, "El gato .", 1) == (
        "new.es: 33% of the words are unknown to the phrase table, 100% of them only because of "
        "letter case, such as 'El' for 'el'. Lowercase it (`lowercase=True`)"
    )


def test_a_stream_is_judged_when_there_are_enough_words(config: DecoderConfig) -> None:
    check = WordCheck(config, config.open(), "-", is_filtered=False)
    check.add([["zebra"] * 9_999])
    with pytest.warns(DataWarning, match="standard input: 100% of the words are unknown to the p"):
        check.add([["zebra"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check.add([["zebra"] * 10_000])
        check.tell()


def test_texts_of_tuning(config: DecoderConfig, tmp_path: Path) -> None:
    (tmp_path / "toml").write_text("[decoder]\nphrase_table = 'table'\nlanguage_model = 'lm'\n")
    for name, line in (
        ("dev", "el gato come pan ."),
        ("other", "zebra amarilla"),
        ("ref", "a b"),
    ):
        (tmp_path / name).write_text(f"{line}\n" * 50)
    dev, other, ref = (str(tmp_path / name) for name in ("dev", "other", "ref"))
    files = DecoderFiles(str(tmp_path / "toml"), dev, [ref], other, [ref])
    with pytest.warns(DataWarning) as told:
        files.open_decoder(*files.texts())
    assert [str(warning.message) for warning in told] == [
        f"{other}: 100% of the words are unknown to the phrase table, such as 'amarilla', 'zebra'."
        f" {COPIED} unfiltered table, or filter it for this text (--filter-for)"
    ]
