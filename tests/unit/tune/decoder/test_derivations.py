"""Which phrases a translation is made of, and its links."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.derivations import PhraseUse
from isogloss.tune.decoder.model import Decoder, Required
from isogloss.tune.online.decoder_loop import decode_corpus
from isogloss.tune.weights.weights import Weights
from tests.unit.tune.decoder.test_language_model import random_model

RULES = [
    "a ||| x ||| 0.5 0.5 0.5 0.5 ||| 0-0",
    "a b ||| y z w ||| 0.25 0.5 0.25 0.5 ||| 0-1 0-2 1-0",
    "b ||| w v ||| 0.5 0.5 0.5 0.5 ||| 0-0 0-1",
    "c ||| v ||| 0.5 0.5 0.5 0.5 ||| 0-0",
]


@pytest.fixture
def decoder(tmp_path: Path) -> Decoder:
    (tmp_path / "table").write_text("".join(f"{rule}\n" for rule in RULES))
    return Decoder(PhraseTable.load(tmp_path / "table"), random_model(0, 2))


def test_phrases_of_translations(decoder: Decoder) -> None:
    sentence = ["c", "odd", "a", "b"]
    found = decoder.nbest(sentence, nbest_size=100)
    assert len(found) > 5
    for number in range(len(found)):
        words = decoder.text(found, number).split()
        uses = found.phrases(number)
        assert sorted(k for use in uses for k in range(use[0], use[1])) == [0, 1, 2, 3]
        assert [use.target_begin for use in uses] == [0, *(use.target_end for use in uses[:-1])]
        assert uses[-1].target_end == len(words)
        links = []
        for begin, end, first, last, rule in uses:
            source, target = " ".join(sentence[begin:end]), " ".join(words[first:last])
            if rule < 0:
                assert source == target == "odd"
                links.append((begin, first))
                continue
            entry = decoder.table[rule]
            assert (entry.source, entry.target) == (source, target)
            links += [(begin + i, first + j) for i, j in entry.links]
        assert decoder.links(found, number) == sorted(links)


def test_translations_as_a_table(decoder: Decoder) -> None:
    found = decoder.nbest(["c", "odd", "a", "b"], nbest_size=3)
    table = found.to_pandas()
    assert table["rank"].tolist() == list(range(len(found)))
    assert table["text"].tolist() == [one.text for one in found]
    assert table["score"].tolist() == found.score.tolist()
    assert table["LM0"].tolist() == [one.features.get("LM0", 0.0) for one in found]
    assert "sentence" not in table


def test_a_sentence_without_words(decoder: Decoder) -> None:
    found = decoder.nbest([])
    assert found.phrases(0) == decoder.links(found, 0) == []


def test_a_use_by_name(decoder: Decoder) -> None:
    found = decoder.nbest(["odd", "c"])
    uses = {use.source_begin: use for use in found.phrases(0)}
    assert uses[0]._replace(target_begin=0, target_end=1) == PhraseUse(0, 1, 0, 1, -1)
    assert uses[1].rule == 3


def test_a_word_is_the_same_wherever_it_comes_from(decoder: Decoder) -> None:
    """Copied twice, or copied and in a rule: what differs in them alone is one text."""
    for sentence in (["odd", "odd", "a"], ["x", "a", "x"]):
        found = decoder.nbest(sentence, nbest_size=100)
        texts = [decoder.text(found, number) for number in range(len(found))]
        assert len(set(texts)) == len(texts)
        everything = decoder.nbest(sentence, nbest_size=100, distinct=False)
        assert {decoder.text(everything, number) for number in range(len(everything))} == {*texts}


def test_what_is_no_sentence_and_no_translation(decoder: Decoder) -> None:
    assert decoder.translate("a b") == decoder.translate(["a", "b"])
    with pytest.raises(UsageError, match="sentence must be a string or a list of words, but"):
        decoder.translate([1, 2])  # type: ignore[list-item]
    for several in (["a b", "a"], ["a", ""]):
        with pytest.raises(UsageError, match=r"sentence\[.\] must be a word, not '.*'; for"):
            decoder.translate(several)
    found = decoder.nbest(["a"])
    with pytest.raises(UsageError, match="number must be at least 0 and below 1, got 1"):
        decoder.text(found, 1)


def test_scores_that_are_called_as_a_feature_is(decoder: Decoder) -> None:
    names = ("LM0", *decoder.table.score_names[1:])
    with pytest.raises(
        UsageError, match=r"the features of the decoder \(LM0, Distortion0, WordPenalty0,"
    ):
        Decoder(replace(decoder.table, score_names=names), random_model(0, 2))


def test_translations_one_by_one(decoder: Decoder) -> None:
    weights = {"LM0": 1.0, "p(f|e)": 0.5, "Distortion0": 0.25}
    found = decoder.nbest(["c", "odd", "a"], weights, 50)
    assert [one.text for one in found] == [decoder.text(found, k) for k in range(len(found))]
    assert found[0] == found[-len(found)] == next(iter(found))
    assert found[0].text == decoder.translate(["c", "odd", "a"], weights)
    assert found[1:3] == list(found)[1:3]
    for number, one in enumerate(found):
        assert one.score == found.score[number]
        assert sum(weights.get(name, 0.0) * value for name, value in one.features.items()) == (
            pytest.approx(one.score, abs=1e-4)  # features are singles
        )
        assert 0.0 not in one.features.values()
    first, *rest = repr(found).split("\n")
    assert first == f"Derivations({len(found)} translations:"
    assert rest[0] == f"  {found[0].score:.4g} {found[0].text}"
    assert repr(found[0]).startswith(f"Translation('{found[0].text}', score=")
    with pytest.raises(IndexError, match=f"translation {len(found)} is out of range"):
        found[len(found)]
    with pytest.raises(
        WrongTypeError, match="the number of a translation must be an integer, got 'a'"
    ):
        found["a"]  # type: ignore[call-overload]


def test_weights_by_a_dict(decoder: Decoder) -> None:
    given = {"LM0": 1.0, "p(f|e)": 0.5}
    sentence = ["c", "a", "b"]
    named = Weights.from_dict(given)
    assert decoder.weights(given) == decoder.weights(named)
    assert decoder.nbest(sentence, given, 5) == decoder.nbest(sentence, named, 5)
    assert [found[0].text for found in decode_corpus(decoder, [sentence], given)] == [
        decoder.translate(sentence, given)
    ]
    with pytest.raises(UsageError, match=r"there is no feature 'LM'; did you mean LM0\?"):
        decoder.translate(sentence, {"LM": 1.0})
    with pytest.raises(WrongTypeError, match=r"not 'w.json'; use Weights.load\('w.json'\)"):
        decoder.translate(sentence, "w.json")  # type: ignore[arg-type]


def test_no_translation(decoder: Decoder) -> None:
    found = decoder.nbest(["a"], required=Required(("no",)))
    assert (len(found), list(found), repr(found)) == (0, [], "Derivations(0 translations)")
