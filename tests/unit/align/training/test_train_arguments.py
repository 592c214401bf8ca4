"""What may be trained on, and how options are given from Python."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, train
from isogloss.align.errors import DataError, UsageError, WrongTypeError
from isogloss.align.model.parameters import PRESETS

SOURCE = ["the house", "a house", "the book", "a book"] * 3
TARGET = ["la casa", "una casa", "el libro", "un libro"] * 3
LABELS = ["law", None, "med", None] * 3
FEW = AlignerOptions(model1_iterations=2, hmm_iterations=1)


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    return Bitext.from_sentences(SOURCE, TARGET)


def test_the_model_is_the_same_however_the_text_is_given(bitext: Bitext, tmp_path: Path) -> None:
    expected = train(bitext, options=FEW).parameters
    for name, lines in (("s", SOURCE), ("t", TARGET)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    pairs = list(zip(SOURCE, TARGET, strict=True))
    (tmp_path / "pairs").write_text("".join(f"{s}\t{t}\n" for s, t in pairs))
    changes = {"model1_iterations": 2, "hmm_iterations": 1}
    for model in (
        train(SOURCE, TARGET, options=FEW),
        train(SOURCE, [text.split() for text in TARGET], **changes),
        train((text for text in SOURCE), iter(TARGET), **changes),
        train(pairs, **changes),
        train(tmp_path / "s", str(tmp_path / "t"), **changes),
        train(str(tmp_path / "pairs"), **changes),
        train(bitext, preset="best", **changes),
        train(bitext, options=AlignerOptions(hmm_iterations=1), model1_iterations=2),
    ):
        np.testing.assert_array_equal(model.parameters.lexical, expected.lexical)
        assert model.options == FEW


@pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
def test_labels_and_presets(bitext: Bitext) -> None:
    changes = {"model1_iterations": 1, "hmm_iterations": 1}
    one = train(bitext.with_labels(LABELS), preset="paper", **changes)
    other = train(SOURCE, TARGET, labels=iter(LABELS), preset="paper", **changes)
    assert one.domains == other.domains == ("law", "med", "out")
    assert other.options == PRESETS["paper"].replace(**changes)
    np.testing.assert_array_equal(one.parameters.lexical, other.parameters.lexical)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda text: train(text, "paper"), WrongTypeError,
         "target must be omitted if source is a Bitext, which has both sides; got 'paper'. "
         "Pass options by name"),
        (lambda text: train(text, FEW), WrongTypeError, "target must be omitted if source is"),
        (lambda text: train(text, options={"window": 3}), WrongTypeError,
         "options must be AlignerOptions, not {'window': 3}; use keywords, such as hmm_itera"),
        (lambda text: train(text, preset="fast"), UsageError,
         "preset must be best or paper, got 'fast'"),
        (lambda text: train(text, preset=FEW), UsageError, "preset must be best or paper, got Ali"),
        (lambda text: train(text, options="paper"), WrongTypeError,
         "options must be AlignerOptions, not 'paper'; use preset='paper'"),
        (lambda text: train(text, preset="paper", options=FEW), UsageError,
         "preset='paper' cannot be used with options=...; pass one of them"),
        (lambda text: train(text, known_links=[[(0, 0)]]), WrongTypeError,
         "known_links must be Links or KnownLinks, not [[(0, 0)]]; use read_links(file)"),
        (lambda text: train(text, hm_iterations=1), UsageError,
         "unknown option 'hm_iterations'; did you mean hmm_iterations"),
        (lambda text: train(text, label=["law"]), UsageError,
         "unknown option 'label'; did you mean labels?"),
        (lambda text: train(text, domains=["law"]), UsageError,
         "unknown option 'domains'; did you mean labels?"),
        (lambda text: train(text, y=["law"]), UsageError,
         "unknown option 'y'; did you mean labels?"),
        (lambda text: train(text, n_jobs=2), UsageError,
         "unknown option 'n_jobs'; did you mean threads?"),
        (lambda text: train(text, verbose=1), UsageError,
         "unknown option 'verbose'; did you mean report?"),
        (lambda text: train(text, zzz=1), UsageError,
         "unknown option 'zzz'; expected one of labels, preset, options, threads, report, diction"),
        (lambda text: train(text, seed=1), UsageError,
         "unknown option 'seed'; training uses no random numbers, so omit it"),
        (lambda text: train(text, hmm_iterations="3"), UsageError,
         "hmm_iterations must be an integer up to 2147483647, got '3'"),
        (lambda text: train(text, labels=["law"]), DataError, "1 label was passed for 12"),
        (lambda text: train(SOURCE), WrongTypeError,
         "pairs[0] must be (source, target), not 'the house'"),
        (lambda text: train("no-such-file"), DataError,
         "no-such-file cannot be read: No such file or directory"),
        (lambda text: train("the house", "la casa"), WrongTypeError,
         "source must be a list of sentences or the path of a file, not 'the house'; use [text]"),
        (lambda text: train("the house " * 99), WrongTypeError, "source must be a list of sentenc"),
        (lambda text: train("file", TARGET), WrongTypeError,
         "source is a path, 'file', so target must be one as well, not ['la casa'"),
        (lambda text: train(SOURCE, "file"), WrongTypeError,
         "target is a path, 'file', so source must be one as well, not ['the house'"),
        (lambda text: train(SOURCE, TARGET[:-1]), DataError,
         "the source has 12 sentences, but the target has 11"),
        (lambda text: train(3), WrongTypeError, "pairs must be a list of sentences, not 3"),
        (lambda text: train([], []), DataError, "no sentence pair has words on both sides"),
    ],
)  # fmt: skip
def test_natural_mistakes(
    bitext: Bitext, call: Callable[[Bitext], object], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=f"^{re.escape(said)}"):
        call(bitext)
