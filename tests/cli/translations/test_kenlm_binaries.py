"""`isogloss decode` with KenLM's binaries: what it does with the ARPA text they are made from."""

from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.language_model.ngrams import NgramModel
from tests.cli.translations.test_decode import MODELS, decoded, system
from tests.naive.kenlm_binary import probing_file, trie_file

__all__ = ["system"]

TEXT = "a b\n\nodd b a b\n" * 3
CHOSEN = ["--weights", "w", "-q", "--threads", "2"]


@pytest.mark.parametrize(
    "binary",
    [lambda model: probing_file(model, words=[model.words[0], *model.words[:0:-1]]), trie_file],
)
def test_decoding_is_that_of_the_text(
    system: Path, capsys: pytest.CaptureFixture[str], binary: Callable[..., bytes]
) -> None:
    Path("lm.binlm").write_bytes(binary(NgramModel.load("lm")))
    Path("bin.ini").write_text(Path("moses.ini").read_text().replace("path=lm ", "path=lm.binlm "))
    Path("d.toml").write_text('[decoder]\nphrase_table = "table"\nlanguage_model = "lm.binlm"\n')
    found = {}
    for name, options in {
        "ARPA, moses.ini": ["-f", "moses.ini"],
        "moses.ini": ["-f", "bin.ini"],
        "ARPA": MODELS,
        "options": ["--phrase-table", "table", "--lm", "lm.binlm"],
        "saved": ["--phrase-table", "models"],
        "ARPA, two": [*MODELS, "--lm", "lm"],
        "one of each": [*MODELS, "--lm", "lm.binlm"],
        "one of each, turned": ["--phrase-table", "table", "--lm", "lm.binlm", "--lm", "lm"],
    }.items():
        if name == "saved":
            saved = ["decode", "--phrase-table", "table", "--lm", "lm.binlm", "--save", "models"]
            assert program.main([*saved, "-q"]) == 0
        weights = [] if "-f" in options else CHOSEN
        found[name] = decoded(TEXT, *options, *weights, "--n-best", f"{len(found)}:5", "-q")
        assert found[name][0] == 0, capsys.readouterr().err
    lists = {name: Path(f"{k}").read_bytes() for k, name in enumerate(found)}
    for group in (["moses.ini"], ["options", "saved"], ["one of each", "one of each, turned"]):
        text = {"moses.ini": "ARPA, moses.ini", "options": "ARPA"}.get(group[0], "ARPA, two")
        for name in group:
            assert (found[name], lists[name]) == (found[text], lists[text]), name
    assert program.main(["check", "models", "-q"]) == 0


def test_a_damaged_binary(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lm").write_bytes(probing_file(NgramModel.load("lm"))[:-3])
    assert decoded("a b\n", *MODELS)[0] == 1
    assert "lm: the vocabulary at byte 356 begins with" in capsys.readouterr().err


def test_another_order_than_the_moses_ini_says(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("lm").write_bytes(trie_file(NgramModel.load("lm")))
    Path("moses.ini").write_text(Path("moses.ini").read_text().replace("order=2", "order=3"))
    assert decoded("a b\n", "-f", "moses.ini")[0] == 1
    assert "lm: the language model has order 2; expected order 3, as" in capsys.readouterr().err
