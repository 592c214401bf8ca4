"""Viterbi links against the best of all alignments under eq. 5."""

import math

import numpy as np
import pytest

from align.cooccurrence import build_pair_index
from align.kernels.text import JumpColumns, LexicalColumns
from align.kernels.viterbi import viterbi
from align.model import train
from align.parameters import AlignerOptions, directed_texts
from tests.naive.alignment import average_scores, random_bitext, read_sentence

LENGTHS = [(1, 1), (3, 5), (2, 3), (3, 0), (5, 2), (0, 2), (3, 1), (1, 4), (3, 4)]
NULL = 0.2


@pytest.mark.parametrize("domains", [1, 3])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("window", "smoothing"), [(1, 0.0), (1, 0.3), (2, 0.1), (5, 0.0), (1, 1.0)]
)
def test_score_is_the_best_of_all(window: int, smoothing: float, side: int, domains: int) -> None:
    rng = np.random.default_rng(10 * window + side)
    bitext = random_bitext(rng, LENGTHS)
    index, cells = build_pair_index(bitext)
    text = directed_texts(bitext, cells)[side]
    types = len((bitext.source, bitext.target)[side].vocabulary)
    log_lexical = np.log(rng.random((domains, len(index) + 1), np.float32) ** 3 + 1e-4)
    log_null = np.log(rng.random((domains, types + 1), np.float32) ** 3 + 1e-4)
    jump, start = rng.random((2, domains, 2 * window + 3)) ** 2 + 0.01
    weights = rng.dirichlet(np.ones(domains), len(bitext))
    weights[1] = np.eye(domains)[0]  # a weight of 0 leaves a domain out
    result = np.full(len(text.generated_tokens), -9, np.int32)
    viterbi(text, log_lexical, log_null, jump, start, (NULL, smoothing), weights, result)
    for number, lengths in enumerate(LENGTHS):
        begin, end = text.generated_offsets[number : number + 2]
        path = tuple(None if state < 0 else state for state in result[begin:end].tolist())
        if 0 in lengths:
            assert (None,) * (end - begin) == path
            continue
        sentences = [
            read_sentence(
                bitext,
                index,
                side,
                number,
                LexicalColumns(
                    np.exp(log_lexical[d].astype(float)), np.exp(log_null[d].astype(float)), 0.0
                ),
            )
            for d in range(domains)
        ]
        jumps = [JumpColumns(jump[d], start[d], NULL, smoothing) for d in range(domains)]
        scores = average_scores(sentences, jumps, weights[number])
        assert math.isclose(max(scores.values()), scores[path], rel_tol=1e-9, abs_tol=1e-9)


def test_links_follow_the_better_word() -> None:
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, [(3, 3)], num_types=1)
    index, cells = build_pair_index(bitext)
    jump = np.array([[1e-9, 1e-9, 1e-9, 1.0, 1e-9]])  # only +1
    start = np.array([[1e-9, 1e-9, 1e-9, 1.0, 1e-9]])
    result = np.empty(3, np.int32)
    viterbi(
        directed_texts(bitext, cells)[0],
        np.zeros((1, len(index) + 1), np.float32),
        np.full((1, 3), -9.0, np.float32),
        jump,
        start,
        (NULL, 0.0),
        np.ones((1, 1)),
        result,
    )
    assert result.tolist() == [0, 1, 2]


def test_without_hmm_iterations_links_are_those_of_model_1() -> None:
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, rng.integers(1, 12, (80, 2)).tolist(), num_types=40)
    model = train(bitext, AlignerOptions(hmm_iterations=0))
    forward, _ = model.align_directions(bitext)
    cells, own = model.index.cells(bitext), model.directions[0]
    for number in range(len(bitext)):
        words = bitext.source.sentence(number)
        begin, end = cells.offsets[number : number + 2]
        table = own.lexical[0][cells.pair_ids[begin:end]].reshape(len(words), -1)
        linked = [j for j, word in enumerate(words) if table[j].max() > own.null[0, word]]
        assert linked == [j for j, _ in forward[number]]
