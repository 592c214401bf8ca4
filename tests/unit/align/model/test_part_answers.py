"""What a model says of a text part by part."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align.model import part_answers
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.part_answers import posteriors_of, sure_links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.readers import read_bitext
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.align.training.train import train

DATA = Path(__file__).resolve().parents[4] / "data"
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")


@pytest.fixture(scope="module")
def text() -> Bitext:
    files = DATA / "train.en.gz", DATA / "train.es.gz"
    return read_bitext(*files, labels=DATA / "train.labels.gz")[:600]


@pytest.fixture(scope="module")
def model(text: Bitext) -> AlignmentModel:
    return train(text, model1_iterations=1, hmm_iterations=1)


def test_a_part_has_its_own_words() -> None:
    corpus = Corpus.from_sentences(["the house", "a garden", "the tree"])
    whole = Bitext.unlabeled(corpus, corpus)
    part = part_answers._by_itself(whole[[0, 2]])
    assert part.source.vocabulary.words == ("NULL", "the", "house", "tree")
    assert list(part.target) == [["the", "house"], ["the", "tree"]]
    unknown = Corpus.from_sentences(["the red house"], Vocabulary(["the", "house"]))
    alone = part_answers._by_itself(Bitext.unlabeled(unknown, unknown))
    assert alone.source.tokens.tolist() == [1, -1, 2]


def test_parts_alone_are_answered_as_the_whole(model: AlignmentModel, text: Bitext) -> None:
    """As on a cluster, where each part is sent with its own words."""
    answers = part_answers.PairAnswers.of(model, 1)
    whole = posteriors_of(model, text, 1)
    parts = [part_answers._by_itself(text[begin : begin + 200]) for begin in (0, 200, 400)]
    assert np.concatenate(list(map(answers.posterior, parts))).tobytes() == whole.tobytes()
    for begin, part in zip((0, 200, 400), parts, strict=True):
        links, posterior = answers.sure_links((part, None))
        ((expected, weights),) = sure_links(model, text[begin : begin + 200], None, 1)
        assert links == expected
        assert posterior.tobytes() == weights.tobytes()


def test_known_links_get_probabilities(model: AlignmentModel, text: Bitext) -> None:
    known = model.align(text, heuristic="intersection")
    ((links, _),) = sure_links(model, text, known, 1)
    assert links == model.with_confidence(text, known)
