"""An option has one meaning: every command that has it describes it in the same words."""

import argparse
import re

import pytest

from .test_help import BY_NAME

# What texts about the same thing say of it, for each option whose texts differ by command: it is
# looked for in all of them. An option of another meaning needs another name.
MEANINGS = {
    "--cluster": "Ray cluster: HOST:PORT, auto, or local",
    "--decoder-command": "decoder.*command|command.*decoder",
    "--direction": "s2t = .*, t2s = ",
    "--domain": "^domain to list",
    "--domain-posteriors": r"^P\(domain\) of each sentence pair, written by ",
    "--domain-smoothing": "^pseudo-counts",
    "--domain-weighting": "^domain weights for the best paths of a heuristic",
    "--forest-density": "^prune each hypergraph to . edges per edge of its best",
    "--forests": "hypergraphs",
    "--format": "^(annotation |input table )?format( of a single-file bitext:)?",
    "--gold": "^gold alignments",
    "--gold-format": "^format of (--gold|GOLD); talp",
    "--help": "^show (this help|the main options) and exit$",
    "--help-all": f"^show all options and exit$|{argparse.SUPPRESS}",
    "--heuristic": "^symmetrization (method|heuristic)",
    "--iterations": "^maximum number of iterations",
    "--json": "^(print|write) .*JSON",
    "--labels": "^domain labels.*, one name or - per line",
    "--limit": "^maximum number of (problems|lines) to print",
    "--links": "alignments|links",
    "--lm": "^language models?",
    "--lowercase": "^lowercase ",
    "--max-length": r"^(maximum number of words|treat sentence pairs with more than N words)",
    "--max-memory": "memory",
    "--max-phrase-length": "^maximum (source )?phrase length",
    "--metric": "^metrics?: bleu, ter, ",
    "--min-confidence": "^minimum (confidence|probability that a pair is a translation)",
    "--min-count": "^minimum (number of linked occurrences|count)",
    "--model": "model",
    "--nbest-size": "^(n-best list size|number of hypotheses) per sentence",
    "--out": "folder",
    "--output": ".",
    "--overwrite": "^replace (an existing|existing|the output of an earlier)",
    "--plugin": "^(Python )?file or entry point",
    "--refs": "^reference translations, one file per reference",
    "--reordering": "^(lexicalized )?reordering (model|table)",
    "--report": "^table (of|with a row for each)",
    "--resume": "^resume an interrupted (training )?run",
    "--source": "tokenized.* LINKS",
    "--state-templates": "^state feature templates, such as lo",
    "--stopwords": "^words .*, one per line; case is ignored",
    "--target": "tokenized.* LINKS",
    "--template": "only these templates, such as pt,al",
    "--title": "^title of the (page|figure)",
    "--to": "^(output (table )?format|format of the links)",
    "--top": "^number of (most|words that differ most|best|largest) ?",
    "--trials": "^number of resamples",
    "--weights": "weights",
}


def texts() -> dict[str, dict[str, list[str]]]:
    """Help texts of each option without defaults, and the commands that have them."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, parser in BY_NAME.items():
        for action in parser._actions:
            text = re.sub(r" ?\(default: .*\)$", "", action.help or "")
            for option in action.option_strings:
                if option.startswith("--"):
                    found.setdefault(option, {}).setdefault(text, []).append(name)
    return found


TEXTS = texts()
DIFFERING = {option for option, found in TEXTS.items() if len(found) > 1}


def test_other_options_have_one_text() -> None:
    assert DIFFERING == MEANINGS.keys()


@pytest.mark.parametrize("option", sorted(DIFFERING & MEANINGS.keys()))
def test_texts_that_differ_are_about_the_same(option: str) -> None:
    for text, commands in TEXTS[option].items():
        assert re.search(MEANINGS[option], text), (text, commands)


def test_a_letter_has_one_meaning() -> None:
    """Except that Moses's letters are those of its decoder; -w is weights to use or to tune."""
    found: dict[str, set[str]] = {}
    for name, parser in BY_NAME.items():
        if name in ("isogloss decode", "isogloss serve"):
            continue
        for action in parser._actions:
            for letter in action.option_strings:
                if len(letter) == 2:
                    found.setdefault(letter, set()).add(action.option_strings[-1])
    assert found.pop("-w") == {"--weights", "--initial-weights"}
    assert all(len(names) == 1 for names in found.values()), found


def test_an_option_has_one_name() -> None:
    """Besides that of one letter, and that of Moses's decoder; yes and no are two."""
    for name, parser in BY_NAME.items():
        for action in parser._actions:
            names = [one for one in action.option_strings if one.startswith("--")]
            is_pair = isinstance(action, argparse.BooleanOptionalAction)
            is_of_moses = name in ("isogloss decode", "isogloss serve")
            assert len(names) <= 1 + (is_pair or is_of_moses), (name, names)
