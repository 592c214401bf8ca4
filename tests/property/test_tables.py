"""Any table comes out as it went in: by block, by form, in part, with features more."""

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.features.table.formats import TableFormat
from isogloss.features.table.grammars import Cdec, Joshua
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rule_texts import format_rules
from isogloss.features.table.rules import select_rules
from isogloss.features.table.stream import read_blocks
from isogloss.features.table.write_blocks import write_blocks
from tests.tiers import examples

# any token but the field separator: bars inside and at the ends of words are parts of them
words = st.text(
    st.one_of(
        st.sampled_from("ab|-~é=;{}"),
        st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]),
        st.sampled_from("\u00a0\u2028\x85"),
    ),
    min_size=1,
    max_size=5,
).filter(lambda word: word != "|||" and not word.startswith("\ufeff"))
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)
numbers = st.one_of(
    st.floats(1e-40, 1.0, allow_subnormal=False).map(repr),
    st.floats(1e-40, 1.0, allow_subnormal=False).map("{:.6g}".format),
    st.sampled_from(["1", "2.718", "0.50", "1e-3", "3E-2", ".5", "+1"]),
)
names = st.text(st.sampled_from("ABxy1%|(,)"), min_size=1, max_size=4).map("T_{}".format)


@st.composite
def rule_tails(draw: st.DrawFn, num_scores: int, lengths: tuple[int, int]) -> str:
    """What follows the phrases of a rule, with more or fewer fields."""
    scores = " ".join(draw(numbers) for _ in range(num_scores))
    pairs = st.tuples(st.integers(0, lengths[0] - 1), st.integers(0, lengths[1] - 1))
    links = " ".join(f"{j}-{i}" for j, i in draw(st.lists(pairs, max_size=3)))
    counts = " ".join(map(str, draw(st.lists(st.integers(1, 10**7), max_size=3))))
    entries = draw(st.lists(st.tuples(names, numbers), max_size=3))
    sparse = " ".join(f"{name} {value}" for name, value in entries)
    properties = draw(st.sampled_from(["", "{{Tree [X [a]  b]}}", "{{x}} {{y |}}"]))
    fields = [scores, links, counts, sparse, properties]
    fields = fields[: draw(st.integers(1, 5))]
    closing = draw(st.sampled_from(["", " |||", " ||| |||"])) if len(fields) < 4 else ""
    return "".join(f" |||{' ' if field else ''}{field}" for field in fields) + closing


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A sorted table."""
    rules = draw(st.lists(st.tuples(phrases, phrases), min_size=1, max_size=8, unique=True))
    num_scores = draw(st.integers(1, 4))
    lines = []
    for source, target in rules:
        lengths = (source.count(" ") + 1, target.count(" ") + 1)
        tail = draw(rule_tails(num_scores, lengths))
        lines.append((f"{source} |||", f"{source} ||| {target}{tail}\n"))
    return "".join(line for _, line in sorted(lines))


def blocks_of(text: str, folder: str, rules: int, form: TableFormat | None = None):
    (Path(folder) / "table").write_bytes(text.encode())
    options = {} if form is None else {"form": form}
    return list(read_blocks(Path(folder) / "table", rules=rules, **options))


def shown(blocks: list[PhraseTable]) -> str:
    return "".join(f"{line}\n" for block in blocks for line in format_rules(block))


@examples(100)
@given(tables(), st.integers(1, 9))
def test_round_trip(text: str, rules: int) -> None:
    with TemporaryDirectory() as folder:
        blocks = blocks_of(text, folder, rules)
        write_blocks(blocks, f"{folder}/out.gz")
        assert text == gzip.decompress((Path(folder) / "out.gz").read_bytes()).decode()
        whole = PhraseTable.load(Path(folder) / "table")
    assert text == shown([whole])
    assert sum(map(len, blocks)) == len(whole)
    np.testing.assert_array_equal(np.concatenate([block.scores for block in blocks]), whole.scores)
    np.testing.assert_array_equal(np.concatenate([block.counts for block in blocks]), whole.counts)


@settings(max_examples=50)
@given(tables(), st.data())
def test_some_rules_and_features_more(text: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        (table,) = blocks_of(text, folder, 100)
    lines = text.removesuffix("\n").split("\n")
    keep = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1), min_size=1)))
    part = select_rules(table, np.array(keep))
    assert [lines[k] for k in keep] == list(format_rules(part))
    rows = Ragged.from_rows([[(0, 1.0)]] * len(keep))
    more = part.with_scores(["x"], np.full((len(keep), 1), 0.5)).with_sparse(["Z_z"], rows)
    for line, k in zip(format_rules(more), keep, strict=True):
        # the fields of the rule keep their text, whatever their digits
        before, after = lines[k], line
        scores = before.removesuffix(" |||").split(" ||| ")[2].removesuffix(" |||").strip()
        assert f" ||| {scores} 0.5 |||" in after
        assert "Z_z 1 |||" in after
    assert more.sparse_names[-1] == "Z_z"


@settings(max_examples=50)
@given(tables(), st.sampled_from([Cdec(), Joshua()]))
def test_as_a_grammar_and_back(text: str, form: TableFormat) -> None:
    with TemporaryDirectory() as folder:
        blocks = blocks_of(text, folder, 3)
        write_blocks(blocks, f"{folder}/grammar", format=form)
        (table,) = blocks_of(text, folder, 100)
        again = PhraseTable.load(Path(folder) / "grammar", format=form)
    assert phrase_texts(table.source) == phrase_texts(again.source)
    assert phrase_texts(table.target) == phrase_texts(again.target)
    assert table.score_names == again.score_names
    np.testing.assert_allclose(again.scores, table.scores, rtol=2e-6)
    assert table.links == again.links
    assert set(table.sparse_names) == set(again.sparse_names)
