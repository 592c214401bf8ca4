"""Training by a group: the same bytes as by one trainer, for any number of members."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pytest

from isogloss.align.execution.groups import LocalGroup
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.links.known_links import KnownLinks
from isogloss.align.links.links import Links
from isogloss.align.model.parameters import AlignerOptions, Parameters
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer
from isogloss.align.training.latent_domain import LatentDomains
from isogloss.align.training.member import Member
from isogloss.align.training.sharded import ShardedTrainer, shard_edges

PER_SHARD = 8  # pairs that a shard has a multiple of
MEMBERS = [1, 2, 3, 7]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("model.likelihoods", "training.sharded"):
        monkeypatch.setattr(f"isogloss.align.{module}.PAIRS", PER_SHARD)


def random_text(seed: int, pairs: int = 61, labels: bool = False) -> Bitext:
    """Words that share beginnings, some that stand in one pair only, empty sentences."""
    rng = np.random.default_rng(seed)
    stems = ["haus", "baum", "des", "a", "geh"]

    def sentence(number: int) -> list[str]:
        size = rng.integers(0, 9)
        words = [stems[k] + "xyz"[: rng.integers(0, 4)] for k in rng.integers(0, 5, size)]
        return [*words, f"rare{number}"] if number % 5 == 0 else words

    sides = [Corpus.from_sentences([sentence(k) for k in range(pairs)]) for _ in range(2)]
    text = Bitext.unlabeled(*sides)
    if labels:
        names = ("news", "law")
        text = text.with_labels([names[k % 2] if k % 3 == 0 else None for k in range(pairs)])
    return text


def grouped(text: Bitext, options: AlignerOptions, members: int, **known: object) -> ShardedTrainer:
    group = LocalGroup([Member(1 + k % 2) for k in range(members)])
    return ShardedTrainer(text, options, group=group, **known)


def assert_same(one: Trainer, other: Trainer) -> None:
    (mine, my_index), (its, its_index) = one.state(), other.state()
    np.testing.assert_array_equal(my_index.row_offsets, its_index.row_offsets)
    np.testing.assert_array_equal(my_index.columns, its_index.columns)
    for name in (field.name for field in fields(Parameters)):
        np.testing.assert_array_equal(getattr(mine, name), getattr(its, name), name)
    assert one.trace == other.trace


def run(trainer: Trainer, latent: LatentDomains | None = None) -> Sequence[np.ndarray]:
    """All iterations, as ``train`` runs them; posteriors of each."""
    found, everything = [], np.zeros((2, len(trainer.bitext), 1))
    flat = len(trainer.options.schedule)
    if latent is not None:
        flat = min(trainer.options.shared_iterations, flat - 1)
    for number, (stage, iteration) in enumerate(trainer.options.schedule):
        if latent is None or number < flat:
            found.append(trainer.iterate(stage, iteration, everything))
            continue
        if not latent.started:
            latent.initialize(stage)
        found.append(trainer.iterate(stage, iteration, latent.log_weights()))
        latent.update(found[-1])
    return found


OPTIONS = {
    "default": AlignerOptions(jump_classes=3, model1_iterations=2, hmm_iterations=2, prune=0.05),
    "paper": AlignerOptions(
        model1_iterations=2, hmm_iterations=2, prune=0.0, agreement=False, stem_length=0,
        domain_smoothing=0.0, jump_classes=0, shared_jumps=False, shared_iterations=0,
    ),
    "sparse": AlignerOptions(sparse_prior=0.1, model1_iterations=1, hmm_iterations=2, prune=0.2,
                             heldout_every=4, stem_length=2),
}  # fmt: skip


@pytest.mark.parametrize("members", MEMBERS)
@pytest.mark.parametrize("name", OPTIONS)
def test_a_group_does_what_one_trainer_does(name: str, members: int) -> None:
    text = random_text(len(name))
    one, other = Trainer(text, OPTIONS[name]), grouped(text, OPTIONS[name], members)
    assert_same(one, other)  # before the first iteration, too
    for mine, its in zip(run(one), run(other), strict=True):
        np.testing.assert_array_equal(mine, its)
    assert_same(one, other)
    np.testing.assert_array_equal(one.log_likelihoods("hmm"), other.log_likelihoods("hmm"))


@pytest.mark.parametrize("members", MEMBERS)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
def test_with_domains(name: str, members: int) -> None:
    text = random_text(5, labels=True)
    trainers = Trainer(text, OPTIONS[name]), grouped(text, OPTIONS[name], members)
    posteriors = [run(trainer, LatentDomains(trainer)) for trainer in trainers]
    for mine, its in zip(*posteriors, strict=True):
        np.testing.assert_array_equal(mine, its)
    assert posteriors[0][-1].shape == (len(text), 3)
    assert_same(*trainers)


@pytest.mark.parametrize("members", [1, 3])
def test_with_a_dictionary_and_known_links(members: int) -> None:
    text = random_text(8)
    vocabularies = text.source.vocabulary, text.target.vocabulary
    source = vocabularies[0].encode(["haus", "baumx", "rare5", "neverseen"])
    target = vocabularies[1].encode(["haus", "des", "rare5", "des"])
    weights = np.array([2.5, 1.0, 7.0, 1.0])
    usable = np.flatnonzero(text.usable)
    links = Links.from_pairs([[(0, 0)] if k in usable[::3] else [] for k in range(len(text))])
    known = {
        "dictionary": LexicalEntries(source, target, weights),
        "known_links": KnownLinks(links, 0.9),
    }
    options = OPTIONS["default"]
    plain, one = Trainer(text, options), Trainer(text, options, **known)
    other = grouped(text, options, members, **known)
    for trainer in (plain, one, other):
        run(trainer)
    assert_same(one, other)
    assert plain.trace != one.trace


@pytest.mark.parametrize("done", [0, 1, 2, 3])
def test_a_group_goes_on_from_the_state_of_another(done: int) -> None:
    """Whatever the number of members; what had been pruned is dropped from shards and rows."""
    text, options = random_text(13), OPTIONS["default"]
    one, stopped, resumed = Trainer(text, options), grouped(text, options, 2), None
    everything = np.zeros((2, len(text), 1))
    for number, step in enumerate(options.schedule):
        one.iterate(*step, everything)
        if number < done:
            stopped.iterate(*step, everything)
            continue
        if resumed is None:
            resumed = grouped(text, options, 3)
            resumed.restore(*stopped.state(), list(stopped.trace))
        resumed.iterate(*step, everything)
    assert_same(one, resumed)


@pytest.mark.parametrize("members", [1, 2, 5, 40])
def test_shards_begin_where_blocks_begin(members: int) -> None:
    text = random_text(3, pairs=101)
    edges = shard_edges(text, members)
    assert len(edges) == members
    assert [k for part in edges for k in range(*part)] == list(range(101))
    assert all(first % PER_SHARD == 0 or first == 101 for first, _ in edges)
