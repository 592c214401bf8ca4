"""Natural mistakes of Python users: each works, or raises the project's error with what to type."""

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.errors import UnknownAttributeError, WrongTypeError
from isogloss.align.text.readers import as_bitext
from isogloss.plot import pictures
from isogloss.tune.nbest.types import parse_nbest

ROOT = Path(__file__).parents[2]
EXPLAINED_BY_PYTHON = {"Vocabulary", "Span"}  # looked up once per word; a tuple


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the lines of users use."""
    bitext = ig.read_bitext(*(ROOT / f"data/train.{side}.gz" for side in ("en", "es")))[:300]
    model = ig.train(bitext)
    links = model.align(bitext)
    table = ig.extract(bitext, links)
    language_model = ig.estimate_language_model(bitext.target, order=2)
    nbest = parse_nbest("0 ||| bad ||| LM0= -2 ||| 0\n0 ||| good ||| LM0= -9 ||| 0", "lists")
    return {
        "ig": ig,
        "nbest": nbest,
        "dictionary": ig.extract_dictionary(model, bitext),
        "examples": ig.Examples.from_nbest(nbest, ig.References.from_sentences(["good"]), "ter"),
        "bitext": bitext,
        "model": model,
        "links": links,
        "gold": ig.GoldLinks.from_pairs([links[k] for k in range(len(links))]),
        "table": table,
        "language_model": language_model,
        "decoder": ig.Decoder(table, language_model),
        "weights": ig.Weights.from_dict({"LM0": 0.5}),
    }


MISTAKES = {
    "ig.align(bitext)": r"isogloss\.align is a package, not a function; use train\(source, ta",
    'ig.align(combination="union")': r"is a package, not a function; use train\(",
    'ig.align(symmetrization="union")': r"is a package, not a function; use train\(",
    "ig.features(bitext, links)": r"not a function; use extract\(bitext, links\) or add_templates",
    "ig.tune(1)": r"not a function; use tune_nbest\(examples\) or tune_decoder",
    'model.align(bitext, combination="union")': r"no argument 'combination'; did you mean heur",
    'model.align(bitext, symmetrization="x")': "no argument 'symmetrization'; did you mean heuris",
    'model.align(bitext, heuristic="gdfa")': "heuristic must be one of .*grow-diag-final-and",
    'model.align_pair("a", "b", domain="law")': "has no argument 'domain'; did you mean domains?",
    'model.align_pair("a", "b", domains="law")': r"domains must be a list of names.*use \[name\]",
    'model.align_pair("a", "b", domains=True)': r"domains must be a list of names, not True",
    'ig.symmetrize(links, links, combination="union")': "symmetrize has no argument 'combination'",
    'ig.Bitext(["a"], ["b"])': r"Bitext needs 'label_ids'; use Bitext\.from_pairs, Bitext\.from_s",
    'ig.Bitext(["a"], ["b"], [0])': r"source must be a Corpus.*; use Bitext\.from_sentences\(sou",
    "ig.Bitext(1, 2, 3, 4, 5)": "Bitext takes at most 4 arguments without a name, got 5; use",
    'ig.Corpus(["a b"])': r"Corpus needs 'offsets'; use Corpus\.from_sentences or Corpus\.load",
    "ig.Links([[(0, 0)]])": r"Links needs 'target'; use Links\.from_pairs or Links\.load",
    "ig.Links([[(0, 0)]], [], [])": r"source must be an array.*; use Links\.from_pairs\(lists\)",
    'ig.AlignmentModel("m")': r"AlignmentModel needs '.*'; use AlignmentModel\.load",
    "ig.Score()": r"Score needs 'metric'; use Score\(metric, value, signature\)",
    "ig.evaluate(links)": r"evaluate needs 'gold'; use evaluate\(links, gold\)",
    "ig.evaluate(links, links=links)": "evaluate got 'links' twice; use evaluate",
    "ig.AlignerOptions(iterations=3)": "no argument 'iterations'; did you mean hmm_iterations",
    'ig.score(["a"], ["a"], metrics="wer")': r"score has no argument 'metrics'; did you mean metr",
    'ig.Bitext.from_sentences(["a"], ["b"], label=["x"])': "'label'; did you mean labels",
    'bitext.with_labels(["x"], ["x"])': r"at most 1 argument without a name, got 2; use .*\(labels",
    "ig.train()": r"train needs 'source'; use train\(source, \[target\], \[labels=\]",
    "ig.view(bitext, links)": r"view needs 'output'; use view\(bitext, links, output, \[other=\]",
    "ig.plot.weights(weights)": r"weights needs 'binning'; use weights\(weights, binning, \[sco",
    "ig.plot.weight(weights)": r"'isogloss\.plot' has no attribute 'weight'; did you mean weights",
    'links.write("x")': "'Links' object has no attribute 'write'; use save",
    'weights.write("x")': "'Weights' object has no attribute 'write'; use save",
    'table.read("x")': "'PhraseTable' object has no attribute 'read'; use load",
    'decoder.decode("the house")': "'Decoder' object has no attribute 'decode'; use translate",
    "model.predict(bitext)": "'AlignmentModel' object has no attribute 'predict'; use align",
    "model.predict_domains(bitext)": "no attribute 'predict_domains'; use domain_posteriors",
    "weights.sparse": "'Weights' object has no attribute 'sparse'; use top",
    "weights.to_panda()": "no attribute 'to_panda'; did you mean to_pandas",
    "bitext.sources": "'Bitext' object has no attribute 'sources'; use source$",
    'ig.write_links(links, "x")': r"no attribute 'write_links'; use x\.save\(path\) of Links",
    'ig.write_links_to("x")': "no attribute 'write_links_to'; did you mean read_links",
    'ig.load_model("m")': r"no attribute 'load_model'; use AlignmentModel\.load\(path\)",
    'ig.read_weights("x")': r"no attribute 'read_weights'; use Weights\.load\(path\)",
    'ig.read_phrase_table("x")': r"use PhraseTable\.load\(path\)",
    'ig.load("x")': r"no attribute 'load'; use T\.load\(path\) of its type T",
    "ig.bleu([], [])": r"no attribute 'bleu'; use score\(translations, references, metric\)",
    "ig.Aligner()": r"no attribute 'Aligner'; use train\(bitext\)",
    "ig.read_bitexts": "no attribute 'read_bitexts'; did you mean read_bitext",
    # the lines of the report
    'ig.train("data/nothing")': "cannot be read",
    'ig.train(bitext, "paper")': "target must be omitted if source is a Bitext.*options by name",
    'ig.train(bitext, options={"hmm_iterations": 1})': "options must be AlignerOptions, not.*keyw",
    "ig.extract(links, bitext)": r"bitext and links are swapped; use extract\(bitext, links\)",
    'ig.extract(bitext, "x.links")': r"links must be Links, not 'x\.links'; use read_links\(file\)",
    "ig.evaluate(gold, links)": r"pass the links first: evaluate\(links, gold\)",
    "ig.evaluate(links, links)": "gold must be GoldLinks, not Links",
    'ig.read_bitext(["a b"], ["x y"])': r"use Bitext\.from_sentences\(source, target\)",
    'ig.read_bitext(iter(["a b"]), "x")': r"use Bitext\.from_sentences\(source, target\)",
    'model.align_pair(None, "a")': r"source is missing \(None\)",
    'model.align("the house", "la casa")': r"source must be a list of sentences.*use \[text\]",
    'ig.Weights({"LM0": 1})': r"space must be a FeatureSpace.*use Weights\.from_dict",
    "ig.Decoder(language_model, table)": "table and language_model are swapped",
    "ig.estimate_language_model(bitext)": r"must be one side.*use bitext\.source",
    'ig.tune_decoder(decoder, [["a"]], [["b"]], epoch=1)': "option 'epoch'; did you mean epochs",
    'ig.train(["a b"], ["x y"], labels="no/file")': "no/file cannot be read: No such file",
    'ig.train(["a b"], ["x y"], labels=3)': "labels must be a list of names or the path of a file",
    'bitext.with_labels("x")': r"labels must be a list of names, not.*use read_bitext\(source, tar",
    'ig.read_bitext("data/train.en.gz", "data/train.es.gz", labels=["a"])': "1 label was passed",
    'model.align_pair("the driver")': r"target is missing; use align_pair\(source, target\)",
    'ig.tune_nbest(examples, weights={"LM0": 1})': "'weights'; did you mean initial_weights",
    'ig.tune_nbest(examples, optimiser="mert")': "'optimiser'; did you mean optimizer",
    'ig.tune_nbest(nbest, None, optimizer="mert")': r"not NBest.*use Examples\.from_nbest\(li",
    'model.restricted(["genral"])': r"unknown domain 'genral'; .*\(did you mean general\?\)",
    'dictionary["nothing"]': r"no source phrase 'nothing'; use dictionary\.entries\(\)",
    "dictionary[0]": r"phrase must be a string, not 0; use dictionary\.entries\(\)\[number\]",
    'language_model["nothing"]': "the language model has no n-gram 'nothing'",
    'language_model["a b c"]': "an n-gram must have 1 to 2 words, got 3",
    "nbest[::2]": r"must have no step, got 2; use \[nbest\[number\] for number in numbers\]",
    'nbest.rerank({"LM0": 1}, size=2)': "has no argument 'size'; did you mean nbest_size",
    'ig.add_templates(table, specs=["pt"])': "has no argument 'specs'; expected one of table",
    "ig.prune(table, bitext)": "options must be Pruning, not a Bitext; use text=bitext",
    'ig.prune(table, ranking="p(e|f)")': "unknown option 'ranking'",
    "ig.symmetrize(links)": r"symmetrize needs 's2t'; use symmetrize\(t2s, s2t, \[heuristic\]\)",
    'ig.symmetrize(links, links, "grow_diag_final")': "did you mean grow-diag-final",
    "dictionary.entries(order='count')": "has no argument 'order'",
    "language_model[0]": "ngram must be a string or a list of words, not 0",
    'examples["a"]': "sentences must be selected by a number, a slice, a list of numbers or a mask",
    'ig.References.from_sentences([["a", "b"], ["c", "d"]])': r"from_texts",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_what_to_type_instead(
    line: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(ig.IsoglossError, match=MISTAKES[line]):
        eval(line, names)


WORKS = """\
ig.train([("a b", "x y")])
ig.train(bitext, hmm_iterations=1)
decoder.translate(["the"], {"LM0": 1})
decoder.translate("the house")
decoder.nbest(["the"], weights)[0]
list(decoder.nbest(["the"], weights))
bitext.source[0]
list(bitext.source)
bitext.select([1, 2])
bitext.select([True] * len(bitext))
[words for words, other, label in bitext]
("the house", "la casa") in bitext
model.align(bitext) == links
bitext == bitext[:]
model.align_pair("the house", "la casa").to_pandas()
model.align_pair(iter(["the", "house"]), (word for word in ["la", "casa"]))
model.align_pair("the house", "la casa", domains=list(model.domains))
model.translations(bitext[0].source[0])
model.lexicon("s2t")[bitext[0].source[0]]
table[table[0].source]
dict(weights)
weights.top(1)
weights["LM0"]
ig.add_templates(table)
ig.read_references("data/tune.es.ref0")
ig.References.from_sentences(ig.read_sentences("data/tune.es.ref0"))
ig.Bitext.from_sentences(iter(["a b"]), ["x y"])
bitext.with_labels(["law"] * len(bitext))
nbest.to_pandas()
dictionary.entries().to_pandas()"""


@pytest.mark.parametrize("line", WORKS.splitlines())
@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # of small texts
def test_what_one_would_type(
    line: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    if "pandas" in line:
        pytest.importorskip("pandas")
    eval(line, names)


def test_a_generator_is_read_once(names: dict[str, Any]) -> None:
    model = names["model"]
    sides = ["the", "driver"], ["el", "conductor"]
    assert model.align_pair(iter(sides[0]), (w for w in sides[1])) == model.align_pair(*sides)


def test_labels_are_names_or_a_file(tmp_path: Path) -> None:
    sides, labels = ["a b", "c", "d e"], ["law", "-", "law"]
    file = tmp_path / "labels"
    file.write_text("law\n-\nlaw\n")
    for name in ("en", "es"):
        (tmp_path / name).write_text("\n".join(sides) + "\n")
    expected = ig.Bitext.from_sentences(sides, sides, labels)
    paths = tmp_path / "en", tmp_path / "es"
    assert ig.read_bitext(*paths, labels=labels) == expected
    assert ig.read_bitext(*paths, labels=file) == expected
    for source in (paths, (sides, sides), (expected.with_labels([None] * 3),)):
        for given in (file, str(file), labels, iter(labels)):
            assert as_bitext(*source, labels=given) == expected


def test_some_examples(names: dict[str, Any]) -> None:
    nbest = parse_nbest("".join(f"{k} ||| w{k} ||| LM0= -{k} ||| 0\n" for k in range(5)), "lists")
    references = ig.References.from_sentences([f"w{k}" for k in range(5)])
    examples = ig.Examples.from_nbest(nbest, references, "wer")
    assert examples[1:3] == examples[[1, 2]] == examples.select(np.array([1, 2]))
    assert examples[np.arange(5) == 4] == examples[-1] == examples[[4]]
    assert [one.sentences.tolist() for one in examples] == [[k] for k in range(5)]
    assert len(examples[:200]) == 5
    with pytest.raises(IndexError, match="sentence 5 is out of range: there are 5"):
        examples[5]


def test_a_dictionary_is_looked_up(names: dict[str, Any]) -> None:
    dictionary = names["dictionary"]
    entries = list(dictionary)
    assert entries == list(dictionary.entries())
    word = entries[3].source
    assert word in dictionary
    assert "nothing" not in dictionary
    assert [word] not in dictionary
    assert list(dictionary[word]) == [entry for entry in entries if entry.source == word]


def test_probabilities_of_ngrams(names: dict[str, Any]) -> None:
    model = names["language_model"]
    for ids, value in zip(model.ngrams[1][:9], model.log_probability[1], strict=False):
        words = [model.words[k] for k in ids]
        assert model[words] == model[" ".join(words)] == float(value)


def test_saved_lists_are_equal(names: dict[str, Any], tmp_path: Path) -> None:
    nbest = names["nbest"]
    for name in ("lists.jsonl", "lists.txt", "lists"):
        nbest.save(tmp_path / name)
        assert ig.NBest.load(tmp_path / name) == nbest
    record = '{"id": "%s", "hyps": [{"text": "x", "features": {}}]}\n'
    named, again = (parse_nbest(record % name, "lists") for name in ("a", "b"))
    assert named != again


def test_options_show_what_was_changed() -> None:
    assert repr(ig.AlignerOptions()) == "AlignerOptions()"
    changed = ig.AlignerOptions(hmm_iterations=3, heuristic="union")
    assert repr(changed) == "AlignerOptions(hmm_iterations=3, heuristic='union')"
    assert eval(repr(changed), {"AlignerOptions": ig.AlignerOptions}) == changed


def test_domains_of_a_pair(names: dict[str, Any]) -> None:
    words = [("statute", "ley"), ("driver", "controlador"), ("cup", "taza")]
    pairs = [(f"the {a} {k % 7}", f"el {b} {k % 7}") for k in range(60) for a, b in words]
    model = ig.train(ig.Bitext.from_pairs(pairs, ["law", "it", None] * 60))
    pair = model.align_pair("the house", "la casa", domains=["law"])
    assert list(pair.domains) == ["law"]
    some = names["bitext"][:9]
    expected = model.restricted(["it"]).align(some, heuristic="union")
    assert model.align(some, domains=["it"], heuristic="union") == expected


# --- all public names


def public_calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, and constructors and methods of classes."""
    for name in ig.__all__:
        item = getattr(ig, name)
        if inspect.isfunction(item):
            yield name, item
        elif inspect.isclass(item) and not issubclass(item, Exception):
            if name in EXPLAINED_BY_PYTHON:
                continue
            yield name, item
            for below in dir(item):
                method = inspect.getattr_static(item, below)
                function = getattr(method, "__func__", method)
                ours = str(getattr(function, "__module__", "")).startswith("isogloss.")
                if inspect.isfunction(function) and ours and not below.startswith("_"):
                    is_bound = isinstance(method, classmethod | staticmethod)
                    bound = getattr(item, below) if is_bound else partial(function, None)
                    yield f"{name}.{below}", bound
    for name in ig.plot.__all__:
        yield f"plot.{name}", getattr(pictures, name)


@pytest.mark.parametrize(
    ("name", "call"), list(public_calls()), ids=lambda item: item if isinstance(item, str) else ""
)
def test_every_public_call_knows_its_keywords(name: str, call: Callable[..., Any]) -> None:
    parameters = inspect.signature(call).parameters.values()
    placed = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    required = [one for one in placed if one.default is one.empty]
    kinds = {one.kind for one in parameters}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        assert required or name in ("AlignerOptions.replace", "Weights")  # has a __new__
        if required:
            with pytest.raises(WrongTypeError, match=f"{name} needs"):
                call()
        return
    with pytest.raises(ig.UsageError, match=r"has no argument 'no_such'; (did you mean|expected)"):
        call(*[None] * len(required), no_such=1)
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        with pytest.raises(WrongTypeError, match=r"takes at most \d+ arguments? without a name"):
            call(*[None] * (len(placed) + 1))
    if required and name != "view":
        with pytest.raises(WrongTypeError, match=f"needs '{required[0].name}'; use "):
            call()


def test_python_itself_asks_for_names_in_vain(names: dict[str, Any]) -> None:
    assert not hasattr(ig, "__wrapped__")
    assert not hasattr(names["links"], "__array_interface__")
    assert not hasattr(names["links"], "nothing")
    assert getattr(names["links"], "write", None) is None
    for name in ("model", "links", "bitext", "weights"):
        assert pickle.loads(pickle.dumps(names[name])) == names[name]
    assert copy.deepcopy(names["links"]) == copy.copy(names["links"]) == names["links"]
    assert pickle.loads(pickle.dumps(ig.train)) is ig.train
    with pytest.raises(UnknownAttributeError, match=r"'Links' object has no attribute '_own'$"):
        names["links"]._own  # noqa: B018


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (ig.Weights, "read", r"'Weights' has no attribute 'read'; use Weights\.load$"),
        (ig.Links, "lod", r"'Links' has no attribute 'lod'; did you mean load\?$"),
        (ig.Bitext, "zzzz", r"'Bitext' has no attribute 'zzzz'$"),
    ],
)
def test_a_class_lacks_an_attribute(kind: type, name: str, message: str) -> None:
    assert not hasattr(kind, name)
    with pytest.raises(UnknownAttributeError, match=message):
        getattr(kind, name)


def test_errors_inside_are_as_they_are(names: dict[str, Any]) -> None:
    """A TypeError of a function that is called is not one of its call."""

    def report(iteration: object) -> None:
        raise TypeError("of the user")

    with pytest.raises(TypeError, match=r"^of the user$"):
        ig.train(names["bitext"][:20], report=report)


def test_warnings_name_the_line_of_the_user() -> None:
    with pytest.warns(ig.DataWarning) as seen:
        ig.estimate_language_model(["a b", "a"])
        ig.train([("a .", "x.")] * 3)
        assert np.array(seen).size
    assert {Path(warning.filename).name for warning in seen} == {Path(__file__).name}
