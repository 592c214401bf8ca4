"""``save`` and ``load`` have one form and one behavior in all public types."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isogloss as ig
from isogloss.align import LexicalTable, NgramModel
from isogloss.align.files.outputs import PathExistsError
from isogloss.features.bins.specs import parse_bin_spec
from isogloss.tune.forest.hypergraph import Edge
from isogloss.tune.nbest.types import parse_nbest
from isogloss.tune.results import Epoch

Make = Callable[[], Any]
PAIRS = [("the house", "la casa"), ("a house", "una casa"), ("the book", "el libro")]
HYPOTHESES = """0 ||| the house ||| LM0= -4.1 PT= -0.3 ||| 0
0 ||| a house ||| LM0= -5.3 PT= -0.1 ||| 0
1 ||| a book ||| LM0= -1.7 PT= -2.9 ||| 0"""


def bitext() -> ig.Bitext:
    return ig.Bitext.from_pairs(PAIRS * 9, labels=["law", "everyday", None] * 9)


def model() -> ig.AlignmentModel:
    return ig.train(ig.Bitext.from_pairs(PAIRS * 9))


def ngrams() -> NgramModel:
    return ig.estimate_language_model(bitext().target, 3)


def lexicon() -> LexicalTable:
    return model().lexicon("s2t")


def links() -> ig.Links:
    return model().align(bitext())


def table() -> ig.PhraseTable:
    return ig.extract(bitext(), links())


def binning() -> ig.Binning:
    return ig.Binning.fit(table(), [parse_bin_spec("p(e|f):1")])


def hypergraph() -> ig.Hypergraph:
    return ig.Hypergraph.from_edges([[Edge([], [0], [(0, 0.5)], 1)]], ("house",), ["LM0"])


def result() -> ig.TuningResult:
    epochs = (Epoch(0, 0.0, 18.3, 1), Epoch(1, 7.5, 23.4, 1))
    weights = ig.Weights.from_dict({"LM0": 0.1, "PT_a_b": -1e-9})
    return ig.TuningResult(weights, 1, epochs, metric="bleu", scale=0.3)


STORED: dict[str, tuple[Make, str]] = {
    "AlignmentModel": (model, "m"),
    "Binning": (binning, "bins.json"),
    "Bitext": (bitext, "pairs.tsv.gz"),
    "Corpus": (lambda: bitext().source, "text.zst"),
    "Dictionary": (lambda: ig.extract_dictionary(model(), bitext()), "d"),
    "DomainPosteriors": (lambda: ig.DomainPosteriors.of(model(), bitext()), "domains.tsv"),
    "GoldLinks": (lambda: ig.GoldLinks.from_pairs([[(0, 0)], []], [[(1, 2)], []]), "gold"),
    "Hypergraph": (hypergraph, "h"),
    "LexicalTable": (lexicon, "lexicon"),
    "Links": (links, "links.gz"),
    "NBest": (lambda: parse_nbest(HYPOTHESES, "lists"), "lists"),
    "NgramModel": (ngrams, "lm.arpa.gz"),
    "PhraseTable": (table, "table.gz"),
    "References": (lambda: ig.References.from_texts([["yes", "yeah", ""], ["no"]]), "references"),
    "TuningResult": (result, "result.json"),
    "Weights": (lambda: result().weights, "weights"),
    "WordClasses": (
        lambda: ig.WordClasses(ig.Vocabulary(["b", "a", "z"]), np.array([3, 2, 0, 3], np.int32)),
        "classes",
    ),
}
"""Types that are stored in files: what makes an object of each, and a name to save it under."""

NEVER_STORED = {
    "Decoder": "made of a phrase table and language models, which are stored",
    "Examples": "measured on n-best lists and references, which are stored",
    "FeatureSpace": "part of weights and lists",
    "Vocabulary": "part of a corpus, a model and a table",
    "Spans": "part of files of annotations, beside the words",
    "Pruning": "options",
    "AlignedPair": "a result to be looked at",
    "Projection": "a result to be looked at: links.spans.Spans and why spans are lost",
    "Score": "a result: a name, a number and a signature",
    "Span": "part of Spans",
    "Translations": "a result to be looked at: to_pandas() has what files hold",
    "Workers": "where training runs: an argument",
}


def classes() -> Iterator[tuple[str, type]]:
    for name in ig.__all__:
        item = getattr(ig, name)
        if inspect.isclass(item) and not issubclass(item, Exception):
            yield name, item


def test_every_public_type_is_stored_or_not_on_purpose() -> None:
    named = {name for name, _ in classes() if not name.endswith(("Options", "Settings"))}
    assert named == STORED.keys() | NEVER_STORED.keys()
    both = {name for name, kind in classes() if hasattr(kind, "save") and hasattr(kind, "load")}
    assert both == STORED.keys() == {name for name, kind in classes() if hasattr(kind, "save")}


@pytest.mark.parametrize("name", STORED)
def test_the_form_is_the_same(name: str) -> None:
    save = inspect.signature(getattr(ig, name).save).parameters
    load = inspect.signature(getattr(ig, name).load).parameters
    assert [*save][:2] == ["self", "path"]
    assert next(iter(load)) == "path"
    assert (save["overwrite"].kind, save["overwrite"].default) == (
        inspect.Parameter.KEYWORD_ONLY, None,
    )  # fmt: skip
    every = [*list(save.values())[2:], *list(load.values())[1:]]
    assert all(parameter.default is not inspect.Parameter.empty for parameter in every)
    section = inspect.getdoc(getattr(ig, name).save) or ""
    assert (
        "overwrite : bool, optional\n    Whether an existing file or folder is replaced" in section
    )


@pytest.mark.parametrize("name", STORED)
@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # of small texts
def test_what_is_loaded_equals_what_was_saved(name: str, tmp_path: Path) -> None:
    make, file = STORED[name]
    given, path = make(), tmp_path / "new folder" / file
    assert given.save(path) is None
    loaded = type(given).load(str(path))
    if name == "PhraseTable":  # has six significant digits, as those of Moses
        assert len(loaded) == len(given)
        np.testing.assert_allclose(loaded.scores, given.scores, 1e-5)
        given, path = loaded, tmp_path / "again.gz"
        given.save(path)
        loaded = type(given).load(path)
    assert loaded == given
    assert type(loaded) is type(given)


@pytest.mark.parametrize("name", STORED)
@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # of small texts
def test_what_is_there_already(name: str, tmp_path: Path) -> None:
    make, file = STORED[name]
    given, path = make(), tmp_path / file
    given.save(path, overwrite=False)
    with pytest.raises(PathExistsError, match=r"exists; .* or pass `overwrite=True`"):
        given.save(path, overwrite=False)
    given.save(path, overwrite=True)
    if path.is_dir():
        with pytest.raises(PathExistsError, match=r"exists; choose another folder or pass"):
            given.save(path)
    else:
        given.save(path)
    type(given).load(path)
    for call in (given.save, type(given).load):
        with pytest.raises(ig.UsageError, match=r"must be a path(?: or a list of paths)?, not 3"):
            call(3)


def test_overwrite_is_a_truth_value(tmp_path: Path) -> None:
    with pytest.raises(ig.UsageError, match="overwrite must be True, False or None, not 'yes'"):
        bitext().save(tmp_path / "x", overwrite="yes")  # type: ignore[arg-type]


def test_streams_are_never_in_the_way(capsys: pytest.CaptureFixture[str]) -> None:
    ig.References.from_texts([["yes", "yeah"]]).save("-", overwrite=False)
    bitext().source[:1].save(None, overwrite=False)
    ig.Weights.from_dict({"LM0": 0.5}).save("/dev/null", overwrite=False)
    assert capsys.readouterr().out == "yes\tyeah\nthe house\n"
