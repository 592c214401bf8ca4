"""Packages that say what to use where they are called like functions, or lack a name."""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

__all__ = ["refuse_calls", "refuse_name"]

_LOAD, _SAVE = "T.load(path) of its type T, such as Links.load(path)", "x.save(path)"
_PAIR = "train(bitext).align_pair(source, target)"
_MODEL, _SCORE = "AlignmentModel.load(path)", "score(translations, references, metric)"
_INSTEAD = {  # of names that users of other tools try
    **dict.fromkeys(("load_model", "read_model", "open_model", "Model"), _MODEL),
    **dict.fromkeys(("load", "read", "open"), _LOAD),
    **dict.fromkeys(("save", "write", "dump"), _SAVE),
    **dict.fromkeys(
        ("align_pair", "align_pairs", "viterbi"), "train(bitext).align_pair(source, target)"
    ),
    **dict.fromkeys(
        ("Aligner", "fit", "fast_align", "eflomal", "giza", "ibm1", "ibm2", "hmm"), "train(bitext)"
    ),
    **dict.fromkeys(("bleu", "chrf", "ter", "wer", "cer", "corpus_bleu"), _SCORE),
    **dict.fromkeys(("aer", "AER", "alignment_error_rate"), "evaluate(links, gold)"),
    **dict.fromkeys(("lexicon", "Lexicon", "lex"), 'model.lexicon("s2t"), a LexicalTable'),
    **dict.fromkeys(("translate", "decode"), "Decoder(table, language_model).translate(sentence)"),
    **dict.fromkeys(("tokenize", "tokenise"), "text.split(), or a tokenizer such as sacremoses"),
    **dict.fromkeys(("lm", "LanguageModel"), "estimate_language_model(text)"),
    **dict.fromkeys(("mert", "pro", "mira"), "tune_nbest(examples, optimizer)"),
    **dict.fromkeys(("read_table", "read_phrase_table", "load_table"), "PhraseTable.load(path)"),
    **dict.fromkeys(("from_pandas", "from_lists"), "Bitext.from_sentences(source, target)"),
}
_TO_FILE, _FROM_FILE = ("write_", "save_", "dump_"), ("read_", "load_", "open_")


def refuse_calls(package: str, remedy: str) -> None:
    """Have a package raise WrongTypeError if it is called, with what to use instead."""

    class Package(ModuleType):
        def __call__(self, *arguments: object, **options: object) -> NoReturn:
            from .errors import WrongTypeError  # takes longer to load than the package

            raise WrongTypeError(f"{package} is a package, not a function; use {remedy}")

    sys.modules[package].__class__ = Package


def refuse_name(package: str, name: str, known: Sequence[str]) -> NoReturn:
    """Raise UnknownAttributeError for a name that a package lacks, with what to use instead."""
    text = f"module {package!r} has no attribute {name!r}"
    if name.startswith("_"):  # Python itself asks for these
        raise AttributeError(text)
    from .errors import UnknownAttributeError, did_you_mean  # take longer to load than the package

    near = _instead(name, known) or did_you_mean(name, known)
    raise UnknownAttributeError(text + (f"; {near}" if near else ""))


def _instead(name: str, known: Sequence[str]) -> str:
    """What to use in place of a name of other tools; empty if that isn't known."""
    if name in _INSTEAD:
        return f"use {_INSTEAD[name]}"
    noun = name.partition("_")[2].replace("_", "").lower()
    kind = next((other for other in known if other.lower() in (noun, f"{noun}s")), "")
    if kind and name.startswith(_TO_FILE):
        return f"use {_SAVE} of {kind}"
    return f"use {kind}.load(path)" if kind and name.startswith(_FROM_FILE) else ""
