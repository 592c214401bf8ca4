"""Golden files of our own making: the program's results, byte for byte, and those of slow twins."""

import re
from math import exp, log, log10
from pathlib import Path

import pytest

from tests.golden.ours import make
from tests.naive import language_model, orientation, phrase_pairs, significance
from tests.naive.bleu import statistics
from tests.naive.symmetrization import symmetrize

Links = list[list[tuple[int, int]]]
MAX_BYTES = 200_000


def golden(name: str) -> list[str]:
    return (make.FOLDER / name).read_text(encoding="utf-8").splitlines()


def read_links(name: str) -> Links:
    return [
        [tuple(map(int, re.split("[-p]", link))) for link in line.split()]  # type: ignore[misc]
        for line in golden(name)
    ]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    folder = tmp_path_factory.mktemp("inputs")
    make.write_inputs(folder)
    names = ("c.en", "c.es", "dev.es")
    return {
        name: [line.split() for line in (folder / name).read_text("utf-8").splitlines()]
        for name in names
    }


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    make.run(folder, threads=3)
    return folder


@pytest.mark.parametrize("name", make.KEPT)
def test_the_program_writes_the_golden_file(results: Path, name: str) -> None:
    """By three threads; the golden files were made by one."""
    expected = (make.FOLDER / make.golden_name(name)).read_text(encoding="utf-8")
    assert make.readable(results / name) == expected


def test_golden_files_are_those_that_are_made_and_small() -> None:
    files = {path.name: path.stat().st_size for path in make.FOLDER.iterdir()}
    assert set(files) == set(map(make.golden_name, make.KEPT))
    assert sum(files.values()) < MAX_BYTES


def test_numbers_of_many_digits_are_cut(tmp_path: Path) -> None:
    text = (
        "b 0.0123456789 -1.23456789e-05 0.9622021 12.345678 1.000000\na 0.0060490 v1.23456789.2\n"
    )
    (tmp_path / "text").write_text(text)
    (tmp_path / "lexicon.x").write_text(text)
    cut = "b 0.012346 -1.2346e-05 0.9622021 12.346 1.000000\na 0.0060490 v1.23456789.2\n"
    assert make.readable(tmp_path / "text") == cut
    cut = "a 0.006049 v1.23456789.2\nb 0.01235 -1.235e-05 0.9622 12.35 1\n"
    assert make.readable(tmp_path / "lexicon.x") == cut


# --- what slow twins say


def test_symmetrized_links() -> None:
    directions = (read_links("forward"), read_links("reverse"))
    expected = [
        sorted(symmetrize(set(forward), set(reverse), "grow-diag-final-and"))
        for forward, reverse in zip(*directions, strict=True)
    ]
    assert read_links("links.symmetrized") == expected


@pytest.fixture(scope="module")
def pairs(inputs: dict[str, list[list[str]]]) -> list[phrase_pairs.Pair]:
    sides = (inputs["c.en"], inputs["c.es"], read_links("links.symmetrized"))
    return list(zip(*sides, strict=True))


def test_phrase_table(pairs: list[phrase_pairs.Pair]) -> None:
    rows = [line.split(" ||| ") for line in golden("table")]
    expected = phrase_pairs.phrase_table(pairs, 2)
    assert [tuple(row[:2]) for row in rows] == [
        (" ".join(rule.source), " ".join(rule.target)) for rule in expected
    ]
    for row, rule in zip(rows, expected, strict=True):
        scores = list(map(float, row[2].split()))
        if not rule.tied:
            assert row[3].split() == [f"{j}-{i}" for j, i in rule.links]
            assert scores == pytest.approx(rule.scores, rel=1e-5)
        assert scores[::2] == pytest.approx(rule.scores[::2], rel=1e-5)
        assert tuple(map(int, row[4].split())) == rule.counts


def test_reordering_table(pairs: list[phrase_pairs.Pair]) -> None:
    """Hierarchical orientation with the previous phrase; half a jump is added to each class."""
    counts: dict[tuple[str, str], list[float]] = {}
    for source, target, links in pairs:
        kinds_of_blocks = orientation.orientations(
            orientation.SentencePair(len(source), len(target), links), 2, moses=True
        )
        for block, kinds in kinds_of_blocks.items():
            phrase = source[block.begin : block.end + 1], target[block.low : block.high + 1]
            row = counts.setdefault((" ".join(phrase[0]), " ".join(phrase[1])), [0.5] * 4)
            row[kinds[2][0]] += 1
    for line in golden("reordering"):
        source, target, scores = line.split(" ||| ")
        row = counts.pop((source, target))
        expected = [count / sum(row) for count in row]
        assert list(map(float, scores.split())) == pytest.approx(expected, rel=1e-5)
    assert not counts


def test_pruned_table(pairs: list[phrase_pairs.Pair]) -> None:
    """Rules whose -log p is above that of phrases that are once each and together, as Moses."""
    source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    kept = []
    for line in golden("table"):
        f, e = (phrase.split() for phrase in line.split(" ||| ")[:2])
        of_source, of_target, together = significance.counts(f, e, source, target)
        p = significance.tail(together, of_source, of_target, len(pairs))
        if significance.negative_log(p) >= log(len(pairs)) + 0.001:
            kept.append(line.split(" ||| ")[:2])
    assert [line.split(" ||| ")[:2] for line in golden("table.pruned")] == kept


def test_language_model(inputs: dict[str, list[list[str]]]) -> None:
    expected = language_model.estimate(inputs["c.es"], 3)
    seen = set()
    for line in golden("model.arpa"):
        fields = line.split("\t")
        if len(fields) < 2:
            continue
        ngram = tuple(fields[1].split())
        seen.add(ngram)
        if ngram != ("<s>",):
            value = log10(expected.probability[ngram])
            assert float(fields[0]) == pytest.approx(value, rel=1e-4, abs=1e-5)
        if len(fields) > 2 and ngram in expected.backoff:
            value = log10(expected.backoff[ngram])
            assert float(fields[2]) == pytest.approx(value, rel=1e-4, abs=1e-5)
    assert seen == set(expected.probability)


def test_lexicons_of_all_formats_hold_the_same_words() -> None:
    """Direction s2t: target words of a source word; chances of a word sum to 1 at most."""
    by_domain = [line.split("\t") for line in golden("lexicon.tsv")]
    totals: dict[str, float] = {}
    for given, _, chance in by_domain:
        totals[given] = totals.get(given, 0.0) + float(chance)
    assert all(0.0 < total <= 1.0 + 1e-3 for total in totals.values())
    moses, marian, bicleaner = (
        {tuple(line.split()[:2]): line.split()[2] for line in golden(f"lexicon.{name}")}
        for name in ("moses", "marian", "bicleaner")
    )
    assert marian.items() <= moses.items()
    assert bicleaner.items() <= marian.items()


def test_scores_and_the_best_of_the_lists(inputs: dict[str, list[list[str]]]) -> None:
    lists: dict[int, list[str]] = {}
    for line in golden("nbest"):
        number, text, *_ = line.split(" ||| ")
        lists.setdefault(int(number), []).append(text)
    reranked = golden("reranked")
    assert all(text in lists[number] for number, text in enumerate(reranked))
    assert golden("translations") == [texts[0] for texts in lists.values()]
    rows = [
        statistics(text.split(), [reference])
        for text, reference in zip(reranked, inputs["dev.es"], strict=True)
    ]
    sums = [sum(column) for column in zip(*rows, strict=True)]
    precision = sum(log(m / n) for m, n in zip(sums[0:8:2], sums[1:8:2], strict=True)) / 4
    brevity = min(0.0, 1.0 - sums[8] / sums[1])
    bleu = 100.0 * exp(precision + brevity)
    assert golden("scores")[0].split("\t")[1] == f"{bleu:.2f}"
