"""Translations of a word domain by domain: by hand, and as a model has them."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align import (
    AlignerOptions,
    AlignmentModel,
    Bitext,
    Links,
    Translations,
    UsageError,
    train,
)
from isogloss.align.errors import WrongTypeError
from isogloss.align.lexicon.translations import Translation, count_translations

TABLE = Translations(
    "charge",
    "s2t",
    ("law", "software"),
    ("carga", "cargo"),
    np.array([[0.125, 0.75], [0.5, 0.0]], np.float32),
    np.array([[0.25, 12.0], [3.0, 0.0]]),
)
HINT = " (links: pass bitext=...)"
UNKNOWN = Translations("charge", "s2t", ("law",), ("cargo",), np.ones((1, 1), np.float32))


def test_rows_are_translations_by_domain() -> None:
    assert list(TABLE) == [
        Translation("carga", "law", 0.125, 0.25),
        Translation("carga", "software", 0.75, 12.0),
        Translation("cargo", "law", 0.5, 3.0),
        Translation("cargo", "software", 0.0, 0.0),
    ]
    assert (len(TABLE), TABLE[-1], TABLE[1].links) == (4, list(TABLE)[3], 12.0)
    assert list(UNKNOWN) == [Translation("cargo", "law", 1.0, None)]
    with pytest.raises(IndexError, match="translation 4 is out of range: there are 4"):
        TABLE[4]
    with pytest.raises(WrongTypeError, match=r"must be an integer, not 'law'; use \[row for"):
        TABLE["law"]  # type: ignore[index]


def test_as_a_table() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    table = TABLE.to_pandas()
    assert list(table) == ["word", "domain", "probability", "links"]
    assert table["word"].tolist() == ["carga", "carga", "cargo", "cargo"]
    assert table["domain"].tolist() == ["law", "software"] * 2
    assert table["probability"].tolist() == [0.125, 0.75, 0.5, 0.0]
    assert table["links"].tolist() == [0.25, 12.0, 3.0, 0.0]
    assert UNKNOWN.to_pandas()["links"].isna().tolist() == [True]


def test_printed() -> None:
    assert str(TABLE).splitlines() == [
        "Translations of the source word 'charge': 2, with probability and expected links",
        "                law     software",
        "  carga  0.12 (0.2)  0.75 (12.0)",
        "  cargo  0.50 (3.0)   0.00 (0.0)",
    ]
    assert repr(TABLE) == str(TABLE)
    assert str(UNKNOWN).splitlines()[0].endswith(": 1, with probability (links: pass bitext=...)")
    assert str(UNKNOWN).splitlines()[2] == "  cargo  1.00"
    none = Translations("x", "t2s", ("law",), (), np.zeros((0, 1), np.float32))
    assert str(none) == "Translations of the target word 'x': 0, with probability" + HINT


def test_representations_have_five_lines() -> None:
    words, domains = tuple(f"w{k}" for k in range(50)), tuple(f"domain{k}" for k in range(40))
    many = Translations("x", "t2s", domains, words, np.full((50, 40), 0.5, np.float32))
    lines = repr(many).splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= 100
    assert lines[0] == "Translations of the target word 'x': 3 of 50, with probability" + HINT
    assert all(line.endswith("  ...") for line in lines[1:])
    assert len(str(many).splitlines()) == 52
    assert "domain39" in str(many)


def test_equal_by_content() -> None:
    copies: list[Callable[[Any], Any]] = [
        copy.copy, copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table)),
    ]  # fmt: skip
    for made in copies:
        assert made(TABLE) == TABLE
    assert TABLE != UNKNOWN


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2,)])
def test_tables_have_a_row_per_word_and_a_column_per_domain(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="translations must have one row per word and one column"):
        Translations("x", "s2t", ("a", "b"), ("u", "v"), np.zeros(shape, np.float32))
    with pytest.raises(ValueError, match="translations must have one row per word and one column"):
        Translations("x", "s2t", ("a", "b"), ("u", "v"), TABLE.probability, np.zeros(shape))


def test_expected_links_by_hand() -> None:
    """casa is linked to house in the first pair and twice in the third, to home in the second."""
    bitext = Bitext.from_sentences(
        ["la casa", "casa", "casa casa", "mesa"], ["the house", "home", "house", "house"]
    )
    links = Links.from_pairs([[(0, 0), (1, 1)], [(0, 0)], [(0, 0), (1, 0)], [(0, 0)]])
    posterior = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    casa, mesa = map(bitext.source.vocabulary.get, ("casa", "mesa"))
    others = np.array([bitext.target.vocabulary.get(w) for w in ("house", "the", "home")], np.int32)
    found = count_translations(links, bitext, posterior, casa, others, "s2t")
    assert found.tolist() == [[1.25, 1.75], [0.0, 0.0], [1.0, 0.0]]
    given = np.array([casa, mesa], np.int32)
    found = count_translations(links, bitext, posterior, int(others[0]), given, "t2s")
    assert found.tolist() == [[1.25, 1.75], [0.0, 1.0]]
    assert count_translations(links, bitext, posterior, casa, given[:0], "s2t").shape == (0, 2)


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    """In law `carga` is charge, in games it is load."""
    law = [("la carga", "the charge"), ("una carga", "a charge"), ("la ley", "the law")]
    games = [("la carga", "the load"), ("una carga", "a load"), ("la casa", "the house")]
    pairs = [*law * 20, *games * 20]
    bitext = Bitext.from_sentences(
        [one for one, _ in pairs],
        [other for _, other in pairs],
        labels=["law"] * 60 + ["game"] * 60,
    )
    with pytest.warns(UserWarning, match="every pair has a domain label"):
        return train(bitext, options=AlignerOptions(domain_smoothing=0.0))


def test_a_word_means_something_else_in_each_domain(model: AlignmentModel) -> None:
    table = model.translations("carga")
    assert (table.word, table.direction, table.domains) == ("carga", "s2t", model.domains)
    assert set(table.words[:2]) == {"charge", "load"}
    by_name = {(row.word, row.domain): row for row in table}
    assert by_name["charge", "law"].probability > 0.9 > 0.1 > by_name["load", "law"].probability
    assert by_name["load", "game"].probability > 0.9 > 0.1 > by_name["charge", "game"].probability
    assert by_name["charge", "law"].links == pytest.approx(40.0, abs=0.5)
    assert by_name["charge", "game"].links == pytest.approx(0.0, abs=0.5)
    for row in table:
        assert row.probability == pytest.approx(
            model.lexicon("s2t", row.domain)["carga"].get(row.word, 0.0), rel=1e-6
        )


def test_the_best_of_any_domain_come_first(model: AlignmentModel) -> None:
    table = model.translations("carga", top=2)
    assert set(table.words) == {"charge", "load"}
    most = table.probability.max(1).tolist()
    assert most == sorted(most, reverse=True)
    assert len(model.translations("carga", top=1).words) == 1


def test_words_of_the_other_side(model: AlignmentModel) -> None:
    table = model.translations("load", direction="t2s")
    assert table.words[0] == "carga"
    assert table.direction == "t2s"
    game = model.domains.index("game")
    assert table.links is not None
    assert table.links[0, game] == pytest.approx(40.0, abs=0.5)
    assert table.probability[0, game] == pytest.approx(
        model.lexicon("t2s", "game")["load"]["carga"]
    )


def test_a_model_that_was_loaded_counts_links_in_the_text_it_is_given(
    model: AlignmentModel, tmp_path: Path
) -> None:
    assert model.trained_on is not None
    model.save(tmp_path / "model")
    loaded = AlignmentModel.load(tmp_path / "model")
    bitext = model.trained_on.bitext
    table = loaded.translations("carga", bitext=bitext[:40])
    assert table == model.translations("carga", bitext=bitext[:40])
    whole, trained = (one.translations("carga", bitext=bitext) for one in (loaded, model))
    assert whole == trained == model.translations("carga")
    assert table.links is not None
    assert whole.links is not None
    assert 0.0 < table.links.sum() < whole.links.sum()
    with pytest.raises(WrongTypeError, match="bitext must be a Bitext, not 'x'"):
        loaded.translations("carga", bitext="x")  # type: ignore[arg-type]
    table = loaded.translations("carga")
    trained = model.translations("carga")
    assert table.links is None
    assert table.words == trained.words
    np.testing.assert_array_equal(table.probability, trained.probability)


def test_a_model_of_lower_case_finds_any_case(model: AlignmentModel) -> None:
    assert model.source_form.lowercase
    assert model.translations("Carga").words == model.translations("carga").words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("crga",), r"'crga' is not among the 5 source words of the model; did you mean carga"),
        (("xyz",), r"'xyz' is not among the 5 source words of the model$"),
        (
            ("laod", "t2s"),
            r"'laod' is not among the 6 target words of the model; did you mean",
        ),
        (("load",), r"^'load' is a target word; use direction='t2s'$"),
        (("carga", "t2s"), r"^'carga' is a source word; use direction='s2t'$"),
        (("la carga",), "'la carga' contains several words; pass one of"),
        (("carga", "f2e"), "direction must be s2t or t2s, got 'f2e'"),
        (("carga", "s2t", 0), "top must be an integer of at least 1, got 0"),
        (("carga", "s2t", "all"), "top must be an integer of at least 1, got 'all'"),
    ],
)
def test_what_has_no_translations(model: AlignmentModel, arguments: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        model.translations(*arguments)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"n": 3}, r"translations has no argument 'n'; did you mean top\?"),
        ({"best": 3}, r"translations has no argument 'best'; did you mean top\?"),
        ({"bitxt": None}, r"translations has no argument 'bitxt'; did you mean bitext\?"),
        (
            {"domain": "law"},
            "translations has no argument 'domain'; expected one of word, direction, top, thread",
        ),
    ],
)
def test_keywords_that_it_lacks(model: AlignmentModel, named: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        model.translations("carga", **named)


def test_what_is_no_word(model: AlignmentModel) -> None:
    wrong: Any
    for wrong in (None, 3, ["carga"]):
        with pytest.raises(WrongTypeError, match="word"):
            model.translations(wrong)
