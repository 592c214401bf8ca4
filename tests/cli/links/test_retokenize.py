"""isogloss retokenize from outside."""

import gzip

import pytest

from tests.cli.tokenized_text import run

WORDS = ("--source", "/w.en,/p.en", "--target", "/w.es,/b.es")


SUBWORD_LINKS = "0-0 1-1 1-2 2-1 2-2 3-3 4-4 4-5\n\n0-0 1-0 2-0 3-1 4-2\n"


def test_words_to_subwords_and_back(text, capsys):
    assert run(text, "retokenize", "/links", *WORDS, "-o", "/out") == 0
    assert (text / "out").read_text() == SUBWORD_LINKS
    assert capsys.readouterr().err.splitlines() == [
        f"{text}/w.en: read as plain", f"{text}/p.en: read as sentencepiece",
        f"{text}/w.es: read as plain", f"{text}/b.es: read as bpe",
    ]  # fmt: skip
    back = ("--source", "/p.en,/w.en", "--target", "/b.es,/w.es", "-q")
    assert run(text, "retokenize", "/out", *back) == 0
    captured = capsys.readouterr()
    assert captured.out == (text / "links").read_text()
    assert captured.err == ""


def test_characters_and_styles(text, capsys):
    # positions 0 to 2 of the third line are the words, 1 and 2 of the first are ca@@ sas
    command = ("retokenize", "/links", "--target", "bpe:/b.es,characters:", "-q")
    assert run(text, *command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "0-0 0-1 0-2 1-3 1-4 2-5 2-6 2-7 3-8 3-9 3-10"
    assert run(text, "retokenize", "/links", "--target", "plain:/w.es,characters:", "-q") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "0-0 0-1 1-0 1-1 2-2 2-3 3-4 3-5 3-6"


def test_scores_from_a_compressed_file(text, capsys):
    (text / "links.gz").write_bytes(gzip.compress(b"0-0:0.5 1-1:0.25\n\n0-0:1e-3\n"))
    assert run(text, "retokenize", "/links.gz", *WORDS, "-q") == 0
    assert capsys.readouterr().out == ("0-0:0.5 1-1:0.25 1-2:0.25 2-1:0.25 2-2:0.25\n\n0-0:1e-3\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "pass --source FROM,TO, --target FROM,TO or both"),
        (["--source", "/w.en"], "must be FROM,TO, each FILE, STYLE:FILE or characters:"),
        (["--source", "/w.en,"], "must be FROM,TO, each FILE, STYLE:FILE or characters:"),
        (["--target", "/w.es,bpe:"], "--target 'bpe:' has no file name"),
        (["--target", "characters:,characters:"], "at least one side needs a file"),
    ],
)
def test_options_that_do_not_fit(text, capsys, options, message):
    assert run(text, "retokenize", "/links", *options) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_written_where_texts_differ(text, capsys):
    (text / "p.en").write_text("▁the ▁house s ▁are ▁red\n\n▁it ▁' s ▁an ▁end\n", encoding="utf-8")
    assert run(text, "retokenize", "/links", *WORDS, "-o", "/out") == 1
    assert (
        "p.en, line 3: the texts differ at character 5 (not counting spaces)"
        in capsys.readouterr().err
    )
    assert not (text / "out").exists()
