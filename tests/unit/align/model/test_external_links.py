"""External links in the kernels against all alignments; what is learned of its reliability."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isogloss.align import AlignerOptions, DataError, Links, UsageError, train
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.links.reliability import KINDS, WeightedLinks
from isogloss.align.model.kernels import external_links as kernels
from isogloss.align.model.parameters import paired_text
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage
from tests.naive.alignment import enumerated, jump_table, read_sentence, weighed
from tests.unit.align.model.test_known_links import LENGTHS, Case

SAID = [
    Links.from_pairs([[(0, 1), (2, 1)], [], [(1, 2)], [], [(0, 0), (3, 0)],
                      [(0, 0), (1, 0)], [], [(2, 2)], [], [(1, 1)]]),
    Links.from_pairs([[(0, 1), (1, 3)], [(0, 0)], [], [], [(0, 0), (1, 2)],
                      [], [(0, 3)], [], [], [(0, 1)]]),
]  # fmt: skip
SURE = np.linspace(0.005, 0.9995, len(SAID[0].source)).astype(np.float32)
EVIDENCE = ExternalLinks((replace(SAID[0], probability=SURE), SAID[1]), 1.0)
TARGETS = np.array([size for _, size in LENGTHS])


def some_factors(seed: int = 3) -> WeightedLinks:
    given = WeightedLinks.of(EVIDENCE, TARGETS)
    given.factors[:] = np.random.default_rng(seed).uniform(0.2, 5.0, given.factors.shape)
    return given


def case_of(given: WeightedLinks | None, domains: int = 1) -> Case:
    case = Case(domains, None)
    sides = case.bitext.source.lengths, case.bitext.target.lengths
    assert [*zip(*map(np.ndarray.tolist, sides), strict=True)] == LENGTHS
    case.text = paired_text(case.bitext, _cells(case), None, given)
    return case


def _cells(case: Case):
    return case.index.cells(case.bitext)


def factors_of(given: WeightedLinks, number: int, side: int):
    """Factors of the cells of a pair as the twin takes them, file by file, and that of NULL."""
    cells: dict[tuple[int, int], float] = {}
    of_null = 1.0
    for k, links in enumerate(EVIDENCE.files):
        table = given.factors[KINDS * k : KINDS * (k + 1), side].astype(float)
        if not links[number]:
            continue
        of_null *= table[0]
        begin = links.offsets[number]
        for place, (source, target) in enumerate(links[number]):
            p = 1.0 if links.probability is None else float(links.probability[begin + place])
            edges = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999]
            kind = 1 + sum(p >= np.float32(edge) for edge in edges)
            key = (source, target) if side == 0 else (target, source)
            cells[key] = cells.get(key, 1.0) * table[kind]
    return cells, of_null


def test_an_e_step_is_that_of_all_alignments_with_factors() -> None:
    given = some_factors()
    case = case_of(given)
    found = case.log_likelihoods("hmm")
    case.run("hmm")
    for number in np.flatnonzero(case.bitext.usable):
        entries = slice(*given.offsets[number : number + 2])
        for side in (0, 1):
            table = jump_table(case.jumps, side, 0)
            cells, of_null = factors_of(given, number, side)
            sentence = read_sentence(case.bitext, case.index, side, number, case.lexical, 0)
            wanted = enumerated(weighed(sentence, cells, of_null), table)
            assert found[side, number, 0] == pytest.approx(wanted.log_likelihood, rel=1e-5)
            for cell, kind, value in zip(
                given.cells[entries].tolist(), given.kinds[entries].tolist(),
                given.expected[entries, side].tolist(), strict=True,
            ):  # fmt: skip
                j, i = divmod(cell, LENGTHS[number][1])
                link = wanted.links
                expected = link.sum()
                if kind % KINDS:
                    expected = link[j, i] if side == 0 else link[i, j]
                assert value == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_model_1_has_nothing_to_do_with_external_links() -> None:
    plain, other = (case_of(given, 2) for given in (None, some_factors()))
    assert plain.run("model1").counts.links.tobytes() == other.run("model1").counts.links.tobytes()
    found = other.log_likelihoods("model1")
    assert plain.log_likelihoods("model1").tobytes() == found.tobytes()


@pytest.mark.parametrize("stage", ["model1", "hmm"])
def test_external_links_that_says_nothing_changes_no_byte(stage: str) -> None:
    neutral = WeightedLinks.of(EVIDENCE, TARGETS)
    plain, other = (case_of(given, 2).run(stage) for given in (None, neutral))
    for mine, its in zip(
        (plain.posterior, plain.objective, *plain.counts.arrays()),
        (other.posterior, other.objective, *other.counts.arrays()),
        strict=True,
    ):
        assert mine.tobytes() == its.tobytes()


def test_kinds_are_those_of_the_kernels() -> None:
    assert KINDS == kernels.KINDS


def test_rates_are_shares_of_expected_links() -> None:
    """By hand: 20 cells, one file, of whose 3 links 2.5 are expected, of 4 that there are."""
    links = Links.from_pairs([[(0, 0), (1, 1), (2, 2)], []])
    given = WeightedLinks.of(ExternalLinks((links,), 1.0), np.array([5, 5]))
    given.expected[:] = [[4.0, 4.0], [1.0, 1.0], [0.9, 0.9], [0.6, 0.6]]
    given.learn(np.array([20, 20]), np.array([True, True]))
    hits, alarms = (2.5 + 1.5) / 14, (0.5 + 1.5) / 26
    absent = ((1.5 + 8.5) / 14) / ((15.5 + 8.5) / 26)
    np.testing.assert_allclose(given.factors[KINDS - 1], hits / alarms / absent, rtol=1e-6)
    np.testing.assert_allclose(given.factors[0], 1 / absent, rtol=1e-6)
    np.testing.assert_allclose(given.factors[1 : KINDS - 1], 1 / absent, rtol=1e-6)
    own = given.log_baseline(np.array([4, 4]), np.array([5, 5]))
    np.testing.assert_allclose(own, np.log(absent) * np.array([[4, 0], [5, 0]]), rtol=1e-6)
    given.learn(np.array([20, 20]), np.array([False, False]))
    np.testing.assert_array_equal(given.factors, 1.0)


OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_classes=0)


def loose_text(size: int) -> tuple[Bitext, Links]:
    """Sentences whose words are translated in any order, and often by others; and its links."""
    rng = np.random.default_rng(4)
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    truth = []
    for _ in range(size):
        words = (80 * rng.random(rng.integers(4, 9)) ** 2).astype(int)
        order = rng.permutation(len(words))
        odd = np.where(rng.random(len(words)) < 0.15, rng.integers(0, 80, len(words)), words)
        sides[0].append([f"f{word}" for word in words])
        sides[1].append([f"e{odd[place]}" for place in order])
        truth.append([(int(place), position) for position, place in enumerate(order)])
    return Bitext.unlabeled(*map(Corpus.from_sentences, sides)), Links.from_pairs(truth)


@pytest.fixture(scope="module")
def text():
    """A text whose right links are known, and its model."""
    bitext, truth = loose_text(300)
    return bitext, truth, train(bitext, options=OPTIONS)


def errors(links: Links, truth: Links) -> float:
    found, right = set(links.keys().tolist()), set(truth.keys().tolist())
    return len(found ^ right) / len(right)


def test_right_links_are_trusted_and_chance_is_not(text) -> None:
    bitext, truth, model = text
    plain = errors(model.align(bitext), truth)
    given = [ExternalLinks((truth,), weight) for weight in (0.25, 0.5, 1.0)]
    found = [errors(model.align(bitext, external_links=one), truth) for one in given]
    assert plain > found[0] > found[1] > found[2]
    assert found[2] < 0.5 * plain
    moved = np.roll(np.arange(len(truth)), 7)
    lengths = bitext.source.lengths, bitext.target.lengths
    garbage = Links.from_pairs(
        [(i % lengths[0][k], j % lengths[1][k]) for i, j in truth[int(moved[k])]]
        for k in range(len(truth))
    )
    assert errors(model.align(bitext, external_links=garbage), truth) < plain + 0.02
    both = model.align(bitext, external_links=ExternalLinks((garbage, truth), 1.0))
    assert errors(both, truth) < 0.6 * plain
    taught = train(bitext, options=OPTIONS, external_links=truth)
    assert errors(taught.align(bitext), truth) < plain


def test_threads_and_a_weight_of_0_change_nothing(text) -> None:
    bitext, truth, model = text
    one, two = (model.align(bitext, external_links=truth, threads=threads) for threads in (1, 2))
    assert one.keys().tobytes() == two.keys().tobytes()
    nothing = model.align(bitext, external_links=ExternalLinks((truth,), 0.0))
    assert nothing.keys().tobytes() == model.align(bitext).keys().tobytes()
    heuristic = model.align(bitext, heuristic="grow-diag-final", external_links=truth)
    assert errors(heuristic, truth) < errors(
        model.align(bitext, heuristic="grow-diag-final"), truth
    )


@pytest.mark.parametrize("agreement", [True, False])
def test_training_with_domains_and_threads(text, agreement: bool) -> None:
    """Labels, external links of some pairs, and any number of threads."""
    bitext, truth, _ = text
    labels = np.where(np.arange(300) < 120, np.arange(300) % 2, -1).astype(np.int16)
    labeled = bitext.with_numbered_labels(labels, ("even", "odd"))
    given = ExternalLinks((Links.from_pairs(truth[k] if k % 3 else [] for k in range(300)),))
    options = OPTIONS.replace(agreement=agreement, language_model_order=0, shared_iterations=2)
    one, two = (
        train(labeled, options=options, external_links=given, threads=threads) for threads in (1, 2)
    )
    assert one.parameters.lexical.tobytes() == two.parameters.lexical.tobytes()
    assert np.isfinite([entry.log_likelihood for entry in one.trace]).all()
    assert errors(one.align(labeled, external_links=given), truth) < errors(
        train(labeled, options=options).align(labeled), truth
    )


def test_the_likelihood_rises_once_rates_are_known(text) -> None:
    """The plain model, whose bound holds; external links count from the second HMM iteration on."""
    bitext, truth, _ = text
    options = OPTIONS.replace(
        agreement=False, stem_length=0, prune=0.0, hmm_iterations=6, jump_smoothing=0.0
    )
    trace = train(bitext, options=options, external_links=ExternalLinks((truth,), 1.0)).trace
    values = np.array([entry.log_likelihood for entry in trace if entry.stage == "hmm"])[1:]
    assert (np.diff(values, axis=0) > -1e-3).all()


def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(text, tmp_path) -> None:
    bitext, truth, _ = text
    given = ExternalLinks((truth,))
    own = fingerprint(bitext, OPTIONS, external_links=given)
    assert own != fingerprint(bitext, OPTIONS)
    assert own != fingerprint(bitext, OPTIONS, external_links=ExternalLinks((truth,), 0.25))
    assert own != fingerprint(bitext, OPTIONS, external_links=given, external_links_in="decoding")
    assert own != fingerprint(bitext, OPTIONS, external_links=ExternalLinks((truth.reversed(),)))
    whole = train(bitext, options=OPTIONS, external_links=given)
    state = Checkpoint(tmp_path / "state", own)

    def stop(message: str) -> None:
        if message.startswith("hmm iteration 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(
            bitext,
            options=OPTIONS,
            external_links=given,
            storage=TrainingStorage(state),
            report=stop,
        )
    again = train(
        bitext, options=OPTIONS, external_links=given, storage=TrainingStorage(state, resume=True)
    )
    assert whole.parameters.lexical.tobytes() == again.parameters.lexical.tobytes()


def test_what_is_no_external_links(text) -> None:
    bitext, truth, model = text
    with pytest.raises(UsageError, match="weight must be between 0 and 10, got 11"):
        ExternalLinks((truth,), 11)
    with pytest.raises(UsageError, match="weight must be between 0 and 10, got nan"):
        ExternalLinks((truth,), float("nan"))
    with pytest.raises(
        UsageError, match="the number of external alignments must be between 1 and 15, got 0"
    ):
        ExternalLinks(())
    with pytest.raises(DataError, match="the links have 2 lines; expected 300, one per sentence"):
        train(bitext, options=OPTIONS, external_links=truth.part(0, 2))
    odd = replace(truth, probability=np.full(len(truth.source), np.nan, np.float32))
    with pytest.raises(
        DataError, match="the probabilities of external alignments must be between 0 and 1"
    ):
        model.align(bitext, external_links=odd)
    with pytest.raises(TypeError, match="external_links must be Links or ExternalLinks, not"):
        model.align(bitext, external_links=[truth])
    far = Links.from_pairs([[(90, 0)], *([] for _ in range(299))])
    with pytest.raises(
        DataError, match="link 90-0 is out of range: the sentence pair has 7 source"
    ):
        model.align(bitext, external_links=far)
    with pytest.raises(
        UsageError, match=r"external alignments need the HMM; set `hmm_iterations=...` above 0"
    ):
        train(bitext, options=OPTIONS.replace(hmm_iterations=0), external_links=truth)


def test_external_links_prints_its_sizes() -> None:
    given = WeightedLinks.of(ExternalLinks((SAID[0], SAID[1]), 0.5), np.full(len(SAID[0]), 100))
    assert repr(given).endswith(" of 2 aligners; weight 0.5)")
    assert repr(given).startswith(f"WeightedLinks({len(SAID[0])} sentence pairs, ")
    wrong: Any
    for wrong in (SAID[0], None, "x.links"):
        with pytest.raises(TypeError, match=r"a list of Links; use ExternalLinks\(\[links\]\)"):
            ExternalLinks(wrong)
    wrong = [[[(0, 0)]]]
    with pytest.raises(TypeError, match="external_links must be Links, not "):
        ExternalLinks(wrong)
