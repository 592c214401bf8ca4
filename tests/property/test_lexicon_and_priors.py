"""Any table, any links: sorted columns, eflomal's priors, contrasts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.domains.contrast import contrast
from isogloss.align.lexicon.eflomal_priors import count_priors, format_priors, read_priors
from isogloss.align.lexicon.formats import FORMATS, format_lexicon
from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from tests.naive.priors import prior_lines

TYPES = 5
WORDS = st.sampled_from(["a", "b", "é", "Z", "ß", "<x>", "\u2028"])
SHARE = st.sampled_from([0.0, 1e-8, 1e-5, 0.1, 0.25, 1.0])


@st.composite
def tables(draw, count=1):
    """Tables over one set of pairs of types, rows normalized where they have an entry."""
    pairs = draw(st.lists(st.tuples(*[st.integers(1, TYPES)] * 2), unique=True, min_size=1))
    ids = np.array(pairs, np.int32).T
    vocabularies = [Vocabulary([f"{side}{k}" for k in range(TYPES)]) for side in "ge"]
    made = []
    for _ in range(count):
        value = np.array(draw(st.lists(SHARE, min_size=len(pairs), max_size=len(pairs))))
        total = np.bincount(ids[0], value, minlength=TYPES + 1)
        value = value / np.where(total == 0.0, 1.0, total)[ids[0]]
        null = np.array(draw(st.lists(SHARE, min_size=TYPES + 1, max_size=TYPES + 1)), np.float32)
        made.append(
            LexicalTable(
                ids[1], ids[0], value.astype(np.float32), null,
                vocabularies[1], vocabularies[0], "s2t",
            )
        )  # fmt: skip
    return made


@given(tables(), st.sampled_from(sorted(FORMATS)), st.sampled_from([0.0, 1e-4, 0.2]))
def test_a_format_holds_the_entries_that_its_rules_keep(made, style, minimum):
    (table,), form = made, FORMATS[style]
    entries = {
        (table.given_vocabulary[int(g)], table.generated_vocabulary[int(e)]): float(p)
        for g, e, p in zip(table.given, table.generated, table.probability, strict=True)
    }
    if form.null:
        entries |= {
            ("NULL", table.generated_vocabulary[e]): float(p)
            for e, p in enumerate(table.null) if e
        }  # fmt: skip
    best = {}
    for (word, _), p in entries.items():
        best[word] = max(p, best.get(word, 0.0))
    kept = {
        key: p for key, p in entries.items()
        if p > np.float32(max(minimum, 5e-8))
        and p >= np.float32(form.ratio) * np.float32(best[key[0]])
    }  # fmt: skip
    lines = [line.split(form.separator) for line in format_lexicon(table, style, minimum)]
    order = (0, 1) if form.given_first else (1, 0)
    written = {(line[order[0]], line[order[1]]): line[2] for line in lines}
    assert len(written) == len(lines)
    assert written == {key: f"{p:.7f}" for key, p in kept.items()}
    words = [key[0] for key in written]
    assert words == sorted(words, key=lambda word: (word != "NULL", word))
    for word in set(words):
        chances = [float(p) for key, p in written.items() if key[0] == word]
        assert chances == sorted(chances, reverse=True)


@st.composite
def linked_pairs(draw):
    sides = [draw(st.lists(WORDS, max_size=5)) for _ in range(2)]
    cells = [(i, j) for i in range(len(sides[0])) for j in range(len(sides[1]))]
    links = st.lists(st.sampled_from(cells), unique=True) if cells else st.just([])
    return (*sides, draw(links), draw(links))


@pytest.mark.filterwarnings("ignore:the t2s links have one link per target word")
@given(st.lists(linked_pairs(), min_size=1, max_size=6))
def test_priors_are_the_naive_counts_and_can_be_read_again(tmp_path_factory, pairs):
    bitext = Bitext.unlabeled(*(Corpus.from_sentences([p[k] for p in pairs]) for k in (0, 1)))
    forward, reverse = (Links.from_pairs([p[k] for p in pairs]) for k in (2, 3))
    words = (bitext.source.vocabulary, bitext.target.vocabulary)
    lines = list(format_priors(count_priors(bitext, forward, reverse), *words))
    assert lines == prior_lines(pairs)
    path = tmp_path_factory.mktemp("priors") / "priors"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    assert list(format_priors(read_priors(path, *words), *words)) == lines


@given(
    tables(count=2),
    st.lists(st.sampled_from([0.0, 0.5, 3.0, 500.0]), min_size=2 * TYPES + 2,
             max_size=2 * TYPES + 2),
    st.sampled_from([0.0, 4.0, 10.0]),
)  # fmt: skip
def test_a_contrast_is_symmetric_bounded_and_ranked(made, counts, smoothing):
    occurrences = np.array(counts).reshape(2, -1)
    contrasted = contrast(*made, occurrences, smoothing=smoothing, limit=99)
    again = contrast(*made[::-1], occurrences[::-1], smoothing=smoothing, limit=99)
    assert sorted(contrasted.words.tolist()) == sorted(again.words.tolist())
    order, other = np.argsort(contrasted.words), np.argsort(again.words)
    np.testing.assert_allclose(contrasted.score[order], again.score[other], rtol=1e-9)
    assert (contrasted.score <= contrasted.divergence + 1e-12).all()
    assert ((contrasted.score > 0.0) & (contrasted.divergence <= 1.0 + 1e-12)).all()
    assert (np.diff(contrasted.score) <= 0.0).all()
    same = contrast(made[0], made[0], occurrences, smoothing=smoothing)
    assert same.score.tolist() == [] or same.score.max() < 1e-12
