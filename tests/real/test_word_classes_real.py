"""Word classes of real English: words of a kind come together."""

from itertools import islice

import numpy as np
import pytest

from isogloss.align.files.text_io import iter_lines, split_tokens
from isogloss.align.lexicon.word_classes import class_log_likelihood, learn_word_classes
from isogloss.align.text.corpus import Corpus

LINES = 4000
KINDS = [
    "will can may should must would could shall",
    "seven ten three",
    "of between",
    "is was has",
    "the your his their my its our",
    "into from through",
    "lord people land king",
    "david moses israel",
    "objects methods files",
    "returns gives",
]


@pytest.fixture(scope="module")
def learned(shared_data):
    """Lines of manuals and of the Bible, 50 classes, and the reports of the sweeps."""
    sentences = []
    for name in ("software", "bible"):
        file = shared_data / "en-es-multidomain" / f"train.{name}.en.gz"
        sentences += [split_tokens(line.lower()) for line in islice(iter_lines(file), LINES)]
    corpus = Corpus.from_sentences(sentences)
    trace = []
    return corpus, learn_word_classes(corpus, 50, report=trace.append), trace


def test_the_likelihood_is_that_counted_from_scratch(learned):
    corpus, classes, trace = learned
    value = class_log_likelihood(corpus, classes)
    assert trace[-1].log_likelihood == pytest.approx(value, rel=1e-12)
    values = [sweep.log_likelihood for sweep in trace]
    assert values == sorted(values)
    assert trace[-1].moved == 0 or len(trace) == 30
    dealt = np.append(50, np.arange(len(corpus.vocabulary) - 1) % 50).astype(np.int32)
    start = class_log_likelihood(corpus, type(classes)(corpus.vocabulary, dealt))
    assert (value - start) / len(corpus.tokens) > 0.6  # nats per word


def test_words_of_a_kind_share_a_class(learned):
    corpus, classes, _ = learned
    of = classes.of(corpus.vocabulary.encode([word for kind in KINDS for word in kind.split()]))
    assert of.max() < 50  # all are in the text
    begin, best, purity = 0, [], []
    for kind in KINDS:
        members = of[begin : begin + len(kind.split())]
        begin += len(members)
        counts = np.bincount(members, minlength=50)
        best.append(int(counts.argmax()))
        purity.append(counts.max() / len(members))
    assert np.mean(purity) > 0.75
    assert len(set(best)) > 7
