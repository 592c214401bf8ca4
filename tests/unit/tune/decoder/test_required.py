"""Prefixes, forced decoding and fixed translations, against all translations that there are."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.derivations import FIXED, Derivations
from isogloss.tune.decoder.model import Decoder, DecoderSettings, Required
from isogloss.tune.decoder.rule_options import FixedTranslation
from tests.unit.tune.decoder.test_derivations import RULES
from tests.unit.tune.decoder.test_language_model import random_model

SENTENCE = ["c", "odd", "a", "b", "a"]
ALL = 10**6
Found = list[tuple[str, float]]


@pytest.fixture
def decoder(tmp_path: Path) -> Decoder:
    (tmp_path / "table").write_text("".join(f"{rule}\n" for rule in RULES))
    table = PhraseTable.load(tmp_path / "table")
    return Decoder(table, random_model(0, 3), DecoderSettings(ALL, 6))


def texts(decoder: Decoder, best: Derivations) -> list[str]:
    return [decoder.text(best, number) for number in range(len(best))]


def everything(decoder: Decoder, required: Required | None = None) -> Found:
    """All derivations, in an order that rounding can't change."""
    best = decoder.nbest(SENTENCE, None, ALL, distinct=False, required=required)
    scores = [round(score, 6) for score in best.score.tolist()]
    return sorted(zip(texts(decoder, best), scores, strict=True))


@pytest.mark.parametrize("length", [1, 3, 6])
def test_prefixes(decoder: Decoder, length: int) -> None:
    whole = everything(decoder)
    prefixes = sorted({tuple(text.split()[:length]) for text, _ in whole})
    assert len(prefixes) > 1
    narrow = Decoder(decoder.table, random_model(0, 3), DecoderSettings(3, 6))
    for prefix in prefixes:
        fitting = [one for one in whole if tuple(one[0].split()[:length]) == prefix]
        assert everything(decoder, Required(prefix)) == fitting
        few = narrow.nbest(SENTENCE, None, 5, required=Required(prefix))
        assert all(tuple(text.split()[:length]) == prefix for text in texts(narrow, few))


def test_forced_decoding(decoder: Decoder) -> None:
    whole = everything(decoder)
    for text in sorted({text for text, _ in whole}):
        required = Required(tuple(text.split()), whole=True)
        assert everything(decoder, required) == [one for one in whole if one[0] == text]


@pytest.mark.parametrize(
    "required",
    [
        Required(("nobody",)),
        Required(("x",), whole=True),
        Required((), whole=True),
        Required(("v", "odd", "x", "w", "v", "x", "x")),
    ],
)
def test_nothing_fits(decoder: Decoder, required: Required) -> None:
    best = decoder.nbest(SENTENCE, None, 5, required=required)
    assert len(best) == 0
    assert len(best.rows) == 0
    empty = decoder.nbest([], required=required)
    assert len(empty) == (not required.words)


def test_fixed_translations(decoder: Decoder) -> None:
    fixed = FixedTranslation(2, 4, ("new", "v")), FixedTranslation(0, 1, ())
    best = decoder.nbest(
        SENTENCE, None, ALL, distinct=False, required=Required(fixed_translations=fixed)
    )
    assert sorted(set(texts(decoder, best))) == [
        "new v odd x", "new v x odd", "odd new v x", "odd x new v", "x new v odd", "x odd new v",
    ]  # fmt: skip
    for number in range(len(best)):
        uses = {use.source_begin: use for use in best.phrases(number)}
        assert sorted(uses) == [0, 1, 2, 4]
        assert (uses[2].source_end, uses[2].rule, uses[0].rule) == (4, FIXED, FIXED)
        assert uses[0].target_begin == uses[0].target_end
        links = decoder.links(best, number)
        assert [source for source, _ in links] == [1, 4]
        row = best.rows.part(number, number + 1)
        values = dict(zip([decoder.space.names[k] for k in row.ids], row.values, strict=True))
        assert values["UnknownWordPenalty0"] == -100.0  # of "odd" alone
        assert (values["PhrasePenalty0"], values["WordPenalty0"]) == (4.0, -4.0)
        weights = decoder.weights().values
        assert best.score[number] == pytest.approx(float(row.values @ weights[row.ids]), rel=1e-5)
    assert (np.diff(best.score) <= 0).all()
    # with a prefix, and in a narrow search with jumps
    both = Required(("x", "new"), fixed_translations=fixed)
    assert texts(decoder, decoder.nbest(SENTENCE, nbest_size=5, required=both)) == ["x new v odd"]


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ([(4, 6)], "the fixed translation of words 4-5 lies outside the sentence"),
        ([(2, 2)], "the fixed translation of words 2-1 lies outside the sentence"),
        ([(0, 3), (2, 4)], "the fixed translation of words 2-3 overlaps another one"),
    ],
)
def test_fixed_translations_that_do_not_fit(
    decoder: Decoder, fixed: list[tuple[int, int]], message: str
) -> None:
    required = Required(fixed_translations=tuple(FixedTranslation(*span, ("x",)) for span in fixed))
    with pytest.raises(UsageError, match=message):
        decoder.nbest(SENTENCE, required=required)
