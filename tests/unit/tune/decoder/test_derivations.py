"""Which phrases a translation is made of, and its links."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.align.errors import UsageError
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.derivations import PhraseUse
from isogloss.tune.decoder.model import Decoder
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
    return Decoder(PhraseTable.read(tmp_path / "table"), random_model(0, 2))


def test_phrases_of_translations(decoder: Decoder) -> None:
    sentence = ["c", "odd", "a", "b"]
    found = decoder.nbest(sentence, size=100)
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
        found = decoder.nbest(sentence, size=100)
        texts = [decoder.text(found, number) for number in range(len(found))]
        assert len(set(texts)) == len(texts)
        everything = decoder.nbest(sentence, size=100, distinct=False)
        assert {decoder.text(everything, number) for number in range(len(everything))} == {*texts}


def test_what_is_no_sentence_and_no_translation(decoder: Decoder) -> None:
    with pytest.raises(UsageError, match="the text 'a b' as a sentence; expected its words: text"):
        decoder.translate("a b")
    with pytest.raises(UsageError, match=r"a sentence of \[1, 2\]; expected words, each a text"):
        decoder.translate([1, 2])  # type: ignore[list-item]
    found = decoder.nbest(["a"])
    with pytest.raises(UsageError, match="translation 1 of 1; they count from 0"):
        decoder.text(found, 1)


def test_scores_that_are_called_as_a_feature_is(decoder: Decoder) -> None:
    names = ("LM0", *decoder.table.score_names[1:])
    with pytest.raises(
        UsageError, match=r"features \(LM0, .*\): feature names are unique; expected o"
    ):
        Decoder(replace(decoder.table, score_names=names), random_model(0, 2))
