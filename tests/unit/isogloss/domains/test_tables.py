"""Rows that tell the domains of a model apart, on a model of a few pairs."""

import math
import warnings
from pathlib import Path

import pytest

from isogloss.align.errors import DataWarning, UsageError
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_bitext
from isogloss.align.training.train import train
from isogloss.domains.contrast import contrast_domains
from isogloss.domains.domain_text import DomainText
from isogloss.domains.tables import entropy_rows, typical_pair_rows

PAIRS = [("law", "the act binds", "la ley obliga"), ("play", "the act ends", "el acto acaba")] * 6


@pytest.fixture(scope="module")
def bitext(tmp_path_factory: pytest.TempPathFactory) -> Bitext:
    folder: Path = tmp_path_factory.mktemp("domains")
    columns = zip(*PAIRS, strict=True)
    for name, lines in zip(("labels", "en", "es"), columns, strict=True):
        (folder / name).write_text("\n".join(lines) + "\n")
    return read_bitext(folder / "en", folder / "es", labels=folder / "labels")


@pytest.fixture(scope="module")
def model(bitext: Bitext) -> AlignmentModel:
    options = AlignerOptions(shared_iterations=2, model1_iterations=2, hmm_iterations=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # so few pairs
        return train(bitext, options=options)


def test_a_text_in_words_of_the_model(bitext: Bitext, model: AlignmentModel) -> None:
    text = DomainText.of(bitext, model, 1)
    assert text.words(1) == {"source": "the act ends", "target": "el acto acaba"}
    assert text.posterior.shape == (12, 3)
    assert text.posterior[0].argmax() == 0
    assert text.posterior[1].argmax() == 1


def test_words_that_domains_translate_differently(bitext: Bitext, model: AlignmentModel) -> None:
    text = DomainText.of(bitext, model, 1)
    table = contrast_domains(model, ("law", "play"), "s2t", text, limit=1, examples=True)
    assert table.values()["domains"] == ["law", "play"]
    ((word, row),) = ((row["word"], row["domains"]) for row in table.rows)
    assert word in ("the", "act")
    assert row["law"]["example"]["target"] == "la ley obliga"
    assert row["play"]["example"]["target"] == "el acto acaba"
    assert list(table.flat_rows()[0])[:4] == ["word", "score", "divergence", "occurrences.law"]
    assert next(table.lines()).split() == ["word", "score", "occurrences", "law", "play"]
    with pytest.raises(UsageError, match="unknown domain 'x'"):
        contrast_domains(model, ("law", "x"), "s2t", text, limit=1)


def test_typical_pairs_and_entropies(bitext: Bitext, model: AlignmentModel) -> None:
    text = DomainText.of(bitext, model, 1)
    rows = typical_pair_rows(text, {"law": 0, "play": 1}, 2)
    assert [(row["domain"], row["line"]) for row in rows] == [("law", 1), ("play", 2)]  # no copies
    by_type, by_text = entropy_rows(model, None), entropy_rows(model, text)
    assert [row["weights"] for row in by_type] == ["types"] * 6
    assert all(math.isfinite(row["bits"]) and row["weights"] == "text" for row in by_text)
