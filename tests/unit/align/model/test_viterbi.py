"""Viterbi links against the best of all alignments under eq. 5."""

import math

import numpy as np
import pytest

from isogloss.align.model.cooccurrence import PairIndex, build_pair_index
from isogloss.align.model.kernels.gather import Lexical
from isogloss.align.model.kernels.transitions import Jumps
from isogloss.align.model.kernels.viterbi import viterbi
from isogloss.align.model.parameters import AlignerOptions, paired_text
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.train import train
from tests.naive.alignment import (
    Alignment,
    JumpTable,
    Sentence,
    average_scores,
    hmm_paths,
    jump_table,
    mixture_scores,
    one_class,
    random_bitext,
    random_jumps,
    random_lexical,
    read_sentence,
)

LENGTHS = [(1, 1), (3, 5), (2, 3), (3, 0), (5, 2), (0, 2), (3, 1), (1, 4), (0, 0), (3, 4)]
FLOOR = 1e-4


class Case:
    """Random text, tables and jumps of one direction, and the paths that the kernel finds."""

    def __init__(self, seed: int, side: int, domains: int, jumps: Jumps, *, power: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.side, self.jumps, self.domains = side, jumps, domains
        self.bitext: Bitext = random_bitext(rng, LENGTHS)
        index, cells = build_pair_index(self.bitext)
        self.index: PairIndex = index
        self.text = paired_text(self.bitext, cells)
        self.lexical = random_lexical(rng, self.bitext, index, domains, FLOOR)
        for array in self.lexical[:3]:
            array **= power
        self.weights = rng.dirichlet(np.ones(domains), len(LENGTHS))
        self.weights[1] = np.eye(domains)[0]  # a weight of 0 leaves a domain out

    def paths(self) -> list[Alignment]:
        corpus = (self.bitext.source, self.bitext.target)[self.side]
        result = np.full(len(corpus.tokens), -9, np.int32)
        viterbi(self.text, self.side, self.lexical, self.jumps, self.weights, result)
        return [
            tuple(None if state < 0 else state for state in own.tolist())
            for own in np.split(result, corpus.offsets[1:-1])
        ]

    def naive(self, number: int) -> tuple[list[Sentence], list[JumpTable]]:
        """The sentence pair under each domain."""
        every = range(self.domains)
        return [
            read_sentence(self.bitext, self.index, self.side, number, self.lexical, domain)
            for domain in every
        ], [jump_table(self.jumps, self.side, domain) for domain in every]


@pytest.fixture(params=[False, True], ids=["free end", "final jump"])
def final(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.mark.parametrize("domains", [1, 3])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("window", "smoothing"), [(1, 0.0), (1, 0.3), (2, 0.1), (5, 0.0), (1, 1.0)]
)
def test_score_is_the_best_of_all(
    window: int, smoothing: float, side: int, domains: int, final: bool
) -> None:
    seed = 10 * window + side
    tables = domains if window < 5 else 1
    jumps = random_jumps(
        np.random.default_rng(seed), window, smoothing, tables=tables, null_probability=0.2,
        final=final,
    )  # fmt: skip
    jumps.jump[:] **= 2
    jumps.start[:] **= 2
    case = Case(seed, side, domains, jumps)
    for number, path in enumerate(case.paths()):
        assert LENGTHS[number][side] == len(path)
        if 0 in LENGTHS[number]:
            assert {None} >= set(path)
            continue
        scores = average_scores(*case.naive(number), case.weights[number])
        assert math.isclose(max(scores.values()), scores[path], rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("certain", [0, 2])
def test_one_certain_domain_has_its_own_best_path(certain: int, side: int, final: bool) -> None:
    """The average, the exact mixture and the domain's own scores are one and the same."""
    jumps = random_jumps(np.random.default_rng(side), 2, 0.1, tables=3, final=final)
    case = Case(certain, side, 3, jumps)
    case.weights[:] = np.eye(3)[certain]
    paths = case.paths()
    for number in range(len(LENGTHS)):
        if 0 in LENGTHS[number]:
            continue
        sentences, tables = case.naive(number)
        own = {
            path.alignment: math.log(path.probability)
            for path in hmm_paths(sentences[certain], tables[certain])
        }
        average = average_scores(sentences, tables, case.weights[number])
        mixture = mixture_scores(
            [sentences[certain]], [tables[certain]], [case.weights[number, certain]]
        )
        for alignment, value in own.items():
            assert value == pytest.approx(average[alignment], rel=1e-9)
            assert value == pytest.approx(mixture[alignment], rel=1e-9)
        assert own[paths[number]] == pytest.approx(max(own.values()), rel=1e-6)
    alone = Case(certain, side, 3, jumps)
    alone.lexical = Lexical(
        *(np.ascontiguousarray(own) for own in (
            alone.lexical.table[:, certain : certain + 1],
            alone.lexical.null_source[certain : certain + 1],
            alone.lexical.null_target[certain : certain + 1],
        )),
        FLOOR,
    )  # fmt: skip
    alone.jumps = jumps._replace(
        jump=np.ascontiguousarray(jumps.jump[:, certain : certain + 1]),
        start=np.ascontiguousarray(jumps.start[:, certain : certain + 1]),
    )
    alone.weights = np.ones((len(LENGTHS), 1))
    assert alone.paths() == paths


def test_eq_5_is_a_lower_bound_of_the_mixture(final: bool) -> None:
    """Of every alignment, by Jensen's inequality; so the best mixture is no worse than the path."""
    jumps = random_jumps(np.random.default_rng(5), 1, 0.2, tables=2, final=final)
    case = Case(6, 0, 2, jumps, power=1)
    for number, path in enumerate(case.paths()):
        if 0 in LENGTHS[number]:
            continue
        parts = case.naive(number)
        average, mixture = (
            score(*parts, case.weights[number]) for score in (average_scores, mixture_scores)
        )
        assert all(average[one] <= mixture[one] + 1e-9 for one in average)
        assert max(average.values()) <= mixture[path] + 1e-6
        assert mixture[path] <= max(mixture.values())


def test_links_follow_the_better_word() -> None:
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, [(3, 3)], num_types=1)
    index, cells = build_pair_index(bitext)
    lexical = Lexical(
        np.ones((len(index) + 1, 1, 2), np.float32), np.full((1, 3), 1e-4, np.float32),
        np.full((1, 3), 1e-4, np.float32), 1e-9,
    )  # fmt: skip
    only_next = np.full((2, 1, 1, 5), 1e-9)
    only_next[..., 3] = 1.0  # +1
    for side in (0, 1):
        result = np.empty(3, np.int32)
        jumps = Jumps(only_next, only_next[:, 0].copy(), 0.2, 0.0, False, *one_class(4, 4))
        viterbi(paired_text(bitext, cells), side, lexical, jumps, np.ones((1, 1)), result)
        assert result.tolist() == [0, 1, 2]


def test_a_final_jump_draws_the_last_word_to_the_end() -> None:
    """One word and three equal states: the end is one position behind the last of them."""
    bitext = random_bitext(np.random.default_rng(0), [(1, 3)], num_types=1)
    index, cells = build_pair_index(bitext)
    lexical = Lexical(
        np.ones((len(index) + 1, 1, 2), np.float32), np.zeros((1, 3), np.float32),
        np.zeros((1, 3), np.float32), 1e-9,
    )  # fmt: skip
    next_best, flat = np.full((2, 1, 1, 9), 0.01), np.ones((2, 1, 9))
    next_best[..., 5] = 1.0
    for final, expected in ((False, 0), (True, 2)):
        result = np.empty(1, np.int32)
        jumps = Jumps(next_best, flat, 0.2, 0.0, final, *one_class(4, 4))
        viterbi(paired_text(bitext, cells), 0, lexical, jumps, np.ones((1, 1)), result)
        assert [expected] == result.tolist()


@pytest.mark.parametrize("final", [False, True])
def test_without_hmm_iterations_links_are_those_of_model_1(final: bool) -> None:
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, rng.integers(1, 12, (80, 2)).tolist(), num_types=40)
    options = AlignerOptions(hmm_iterations=0, final_jumps=final)
    model = train(bitext, options=options)
    directions = model.align_directions(bitext)
    cells, own = model.index.cells(bitext), model.parameters
    for number in range(len(bitext)):
        words = bitext.source.sentence(number), bitext.target.sentence(number)
        begin, end = cells.offsets[number : number + 2]
        both = own.lexical[cells.pair_ids[begin:end], 0].reshape(*map(len, words), 2)
        for side, null in enumerate((own.null_source[0], own.null_target[0])):
            table = np.maximum(both[:, :, side] if side == 0 else both[:, :, 1].T, 1e-7)
            linked = [
                j for j, word in enumerate(words[side]) if table[j].max() > max(null[word], 1e-7)
            ]
            assert linked == sorted(link[side] for link in directions[side][number])
            for link in directions[side][number]:
                generated, state = link[side], link[1 - side]
                assert table[generated, state] == table[generated].max()
