"""Steps of a batch loop: their weights, how far they moved, and their files."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.nbest.types import NBest
from isogloss.tune.online.decoder_loop import TuningText
from isogloss.tune.references import References
from isogloss.tune.results import Advance, Epoch, TuningResult
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.inputs import ListReading
from isogloss.tuning.loops.batch_loop import BatchLoop, BatchOptions, beginning, best_translations
from isogloss.tuning.loops.iterations import IterationFiles, Step


def step(**weights: float) -> Step:
    return Step(Weights.from_dict(weights))


def test_features_that_no_list_has_keep_their_weights() -> None:
    before = step(LM0=1.0, Unknown0=2.0, PT_a=3.0)
    after = before.followed_by(Weights.from_dict({"LM0": 0.0, "WT_b": 0.5}), 7.0, 9)
    assert after.weights.as_dict(keep_zeros=True) == {
        "LM0": 0.0, "Unknown0": 2.0, "PT_a": 3.0, "WT_b": 0.5
    }  # fmt: skip
    assert (after.loss, after.hypotheses) == (7.0, 9)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({"a": 1.0, "b": -4.0}, {"a": 2.0, "b": -4.0}, 0.25),
        ({"a": 8.0}, {"a": 4.0}, 0.5),
        ({"a": 1.0}, {"a": 1.0, "b_": 1.0}, 1.0),
        ({"a": 0.0}, {"a": 0.0}, 0.0),
        ({"a": 3.0}, {"a": 3.0}, 0.0),
    ],
)
def test_how_far_weights_moved(
    before: dict[str, float], after: dict[str, float], change: float
) -> None:
    assert step(**after).change(step(**before)) == pytest.approx(change, rel=1e-12)


def test_steps_come_back_as_they_were(tmp_path: Path) -> None:
    files = IterationFiles(tmp_path, "run1.final")
    assert files.read_step(1) is None
    written = Step(Weights.from_dict({"LM0": 0.1, "PT_é~\u2028": 1 / 3, "b": 0.0}), -1e-3, 12)
    files.write_step(1, written)
    assert [path.name for path in tmp_path.iterdir()] == ["run1.final.iteration1.json"]
    read = files.read_step(1)
    assert read is not None
    assert read.weights == written.weights
    assert (read.loss, read.hypotheses) == (-1e-3, 12)
    assert read.change(written) == 0.0


@pytest.mark.parametrize(
    "text", ["", "{}", '{"loss": 1, "hypotheses": 1, "weights": {"a": "b"}}',
             '{"loss": NaN, "hypotheses": 1, "weights": {}}']
)  # fmt: skip
def test_a_damaged_step(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.iteration3.json").write_text(text)
    with pytest.raises(DataError, match="Delete it and pass --resume, which trains these"):
        IterationFiles(tmp_path, "x").read_step(3)


def test_the_best_translations_of_all_sentences() -> None:
    rows = Ragged(np.zeros(3, np.int32), np.ones(3, np.float32), np.arange(4))
    lists = NBest(
        offsets_of([2, 0, 1]), Texts.from_strings(["a", "b", "c"]), rows, FeatureSpace(["x"])
    )
    assert list(best_translations(lists, 3).texts) == ["a", "", "c"]
    lists = NBest(offsets_of([2, 1]), lists.texts, rows, lists.space, {"comet": np.arange(3.0)})
    best = best_translations(lists, 2)
    assert list(best.texts) == ["a", "c"]
    assert best.columns["comet"].tolist() == [0.0, 2.0]


@pytest.mark.parametrize("name", ["nbest_size", "iterations"])
def test_options_out_of_range(name: str) -> None:
    with pytest.raises(Exception, match=f"{name} must be between 1 and 100000, got 0"):
        BatchOptions(**{name: 0})


class Fixed:
    """A source whose translations are good or bad by the weights, and how often it was asked."""

    asked = 0

    def write_list(
        self, weights: Weights, text: TuningText, size: int, path: Path, advance: Advance
    ) -> None:
        values = weights.as_dict(keep_zeros=True)
        good = ["a b c d e ||| good= 1 bad= 0 ||| 1", "a b c x y ||| good= 0.5 bad= 0 ||| 1"]
        bad = ["z z z z z ||| good= 0 bad= 1 ||| 1"]
        lines = good if values["good"] > values["bad"] else bad
        with gzip.open(path, "wt") as stream:
            stream.writelines(f"0 ||| {line}\n" for line in lines)
        self.asked += 1


def test_weights_that_were_translated_with_before_end_the_loop(tmp_path: Path) -> None:
    """The first ones learned run away; the next begin with the start, than which none is better."""
    begun = list[Weights]()

    def learner(examples: Examples, start: Weights, rng: object, *, threads: int) -> TuningResult:
        begun.append(start)
        found = start if len(begun) > 1 else Weights.from_dict({"good": 0.0, "bad": 1.0})
        return TuningResult(found.to_space(examples.space), 0, (Epoch(0, 0.0, 1.0, 1),))

    source, start = Fixed(), Weights.from_dict({"good": 1.0, "bad": 0.5})
    text = TuningText([["x"]], References.from_texts([["a b c d e"]]))
    loop = BatchLoop(
        source, text, None, metric_named("bleu"), learner, BatchOptions(), ListReading()
    )
    files = IterationFiles(tmp_path, "run1")
    result = loop.run(start, files, [1], lambda epoch: None, lambda count: None)
    assert [own.as_dict() for own in begun] == [start.as_dict()] * 2
    assert source.asked == 2
    assert (result.best, len(result.epochs)) == (0, 2)
    assert result.note == "no weight moved by more than 1e-05 of the largest"


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_learning_begins_again_where_weights_run_away(metric: str) -> None:
    """The last ones, or, where they are worse than the first ones, the best on all lists."""
    texts = ["a b c d e", "a b c x y", "z z z z z"]  # good, some, bad
    rows = Ragged.from_rows([[(0, 1.0)], [(1, 1.0)], [(2, 1.0)]])
    lists = NBest(
        np.array([0, 3]), Texts.from_strings(texts), rows, FeatureSpace(["good", "some", "bad"]), {}
    )
    measure = metric_named(metric)
    examples = Examples.from_nbest(lists, References.from_texts([["a b c d e"]]), measure)
    good, some, bad = (Weights.from_dict({name: 1.0}) for name in ("good", "some", "bad"))
    for weights, begun in (
        ([some], some),
        ([some, good], good),
        ([some, some], some),
        ([some, bad], some),
        ([some, good, bad], good),
        ([some, good, some], some),  # no better than the start, which is not to run away
        ([bad, good, some], some),
    ):
        assert beginning(examples, weights, measure.sign) is begun
