"""Pages of reports: every part is shown, no text is obeyed, links start at the page."""

import re
from pathlib import Path

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.files.tables.drawing import DrawnLink
from isogloss.align.links.evaluate import error_rates, evaluate, link_counts
from isogloss.align.text.bitext import Bitext
from isogloss.pages.charts import Chart, Line
from isogloss.pages.report import (
    Drawing,
    Example,
    Examples,
    Note,
    Section,
    Table,
    report_page,
)
from isogloss.pages.sections.alignments import (
    JudgedText,
    best_pairs,
    error_rate_tables,
    link_tables,
    worst_pairs,
)
from isogloss.pages.sections.epochs import learning_curves
from isogloss.pages.sections.inputs import InputFiles, usage_table
from isogloss.pages.sections.translations import TranslatedText, changed_sentences, score_tables
from isogloss.pages.sections.weights import weight_tables
from isogloss.runs.epoch_log import TrainingCurve, TuningLog
from isogloss.runs.run_folder import digest_of_file
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.metrics.scoring import text_statistics
from isogloss.tune.references import References
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights

HOSTILE = "</td><script>alert(1)</script>\u202e"


def html_of(*parts: object, files: tuple[Path, ...] = ()) -> str:
    sections = [Section("One", parts, files), Section("Empty", [])]
    return report_page("run <1>", sections, Path("/tmp/pages/report.html")).html()


def test_every_part_as_text() -> None:
    html = html_of(
        Note(HOSTILE),
        Table(HOSTILE, (HOSTILE, "b"), [(HOSTILE, 7)]),
        Table("folded", ("", ""), [(HOSTILE, 7)], folded=True),
        Chart(HOSTILE, HOSTILE, HOSTILE, [Line(HOSTILE, [(0, 1.0), (1, 2.0)], marked=1)]),
        Examples(HOSTILE, [Example(HOSTILE, [(HOSTILE, HOSTILE)])]),
        Drawing(HOSTILE, [HOSTILE, "a"], ["b"], [DrawnLink(0, 0)]),
    )
    assert "<script" not in html
    assert "\u202e" not in html
    assert "style=" not in html  # the policy allows none
    assert html.count("alert(1)") >= 15
    assert "Empty" not in html


def test_columns_without_names_have_no_head() -> None:
    assert "<thead" not in html_of(Table("size", ("", ""), [("pairs", 7)]))
    assert "<thead" in html_of(Table("size", ("", "count"), [("pairs", 7)]))


@pytest.mark.parametrize(
    ("file", "address"),
    [
        ("/tmp/pages/run/links.gz", "run/links.gz"),
        ("/tmp/other/a b#1", "../other/a%20b%231"),
        ('/tmp/pages/"x"<', "%22x%22%3C"),
    ],
)
def test_files_are_linked_from_the_page(file: str, address: str) -> None:
    assert f'href="{address}"' in html_of(Note("a"), files=(Path(file),))


@pytest.fixture
def judged() -> JudgedText:
    rng = np.random.default_rng(7)
    pairs = [(" ".join(map(str, range(6))), " ".join(map(str, range(6))))] * 40
    good = [[(i, i) for i in range(6)] for _ in pairs]
    noisy = [[(0, 0), *((i, int(rng.integers(6))) for i in range(1, 6))] for _ in pairs]
    noisy[3] = [(0, 5), (1, 4)]
    gold = ig.GoldLinks.from_pairs(good)
    links = {"good": ig.Links.from_pairs(good), "noisy": ig.Links.from_pairs(noisy)}
    return JudgedText("news", Bitext.from_pairs(pairs), gold, links, np.arange(101, 141))


def test_error_rates_are_those_of_evaluate(judged: JudgedText) -> None:
    (table,) = error_rate_tables([judged], 1)
    assert isinstance(table, Table)
    for row, (name, links) in zip(table.rows, judged.links.items(), strict=True):
        score = evaluate(links, judged.gold)
        assert row[:2] == ["news", name]
        assert str(row[2]).startswith(f"{100 * score.aer:.2f} [")
        assert row[3:5] == [f"{100 * score.precision:.2f}", f"{100 * score.recall:.2f}"]
    low, high = map(float, re.findall(r"[\d.]+", str(table.rows[1][2]))[1:])
    assert low < 100 * evaluate(judged.links["noisy"], judged.gold).aer < high
    assert table.rows[1][5] == table.rows[1][5].replace("-", "")  # worse than the first
    assert list(error_rate_tables([], 1)) == []


def test_the_worst_pair_comes_first(judged: JudgedText) -> None:
    note, *drawings = worst_pairs(judged, judged.links["noisy"], limit=4)
    assert isinstance(note, Note)
    rates = 100 * error_rates(link_counts(judged.links["noisy"], judged.gold))
    shown = [float(re.search(r"AER ([\d.]+)", one.title)[1]) for one in drawings]
    assert shown == pytest.approx(sorted(rates.tolist())[::-1][:4], abs=0.05)
    assert drawings[0].title == "Line 104: AER 100.0, 2 wrong and 6 missed"
    missed = [link[:2] for link in drawings[0].links if link.dashed]
    assert missed == [(i, i) for i in range(6)]
    assert list(worst_pairs(judged, judged.links["good"])) == []


def test_the_best_pair_comes_first(judged: JudgedText) -> None:
    note, *drawings = best_pairs(judged, judged.links["noisy"], limit=4)
    assert isinstance(note, Note)
    rates = 100 * error_rates(link_counts(judged.links["noisy"], judged.gold))
    shown = [float(re.search(r"AER ([\d.]+)", one.title)[1]) for one in drawings]
    expected = [rate for rate in sorted(rates.tolist()) if rate < 50][:4]
    assert shown == pytest.approx(expected, abs=0.05)
    none = ig.Links.from_pairs([[]] * 40)
    assert list(best_pairs(judged, none)) == []
    longer = ig.Links.from_pairs([[(i, i) for i in range(6 if k == 8 else 5)] for k in range(40)])
    gold = ig.GoldLinks.from_pairs([[] for _ in range(40)], longer)
    text = JudgedText("news", judged.bitext, gold, {}, judged.lines)
    _, first, *_ = best_pairs(text, longer)
    assert first.title == "Line 109: AER 0.0, 0 wrong and 0 missed"


def test_words_without_links(judged: JudgedText) -> None:
    links = {"half": ig.Links.from_pairs([[(0, 0), (0, 1), (1, 1)]] * 40)}
    (table,) = link_tables(judged.bitext, links)
    assert table.rows == [("half", "120", "66.7", "66.7", "")]


TEXTS = ["the cat sat on the mat", "a dog ran home today", "it rains a lot here now"]


@pytest.fixture
def translated() -> TranslatedText:
    translations = {
        "before": ["the cat sat on the mat", "a cat ran there today", "it rains a lot here now"],
        "after": ["the cat sat on a hat", "a dog ran home today", "it rains a lot here now"],
    }
    references = References.from_sentences(TEXTS)
    metric = metric_named("bleu")
    statistics = {
        name: text_statistics(texts, references, metric, name)
        for name, texts in translations.items()
    }
    return TranslatedText(
        metric, translations, statistics, [[text] for text in TEXTS], [11, 12, 13],
        domains=["x", "y", "x"],
    )  # fmt: skip


def test_scores_of_each_domain(translated: TranslatedText) -> None:
    (table,) = score_tables(translated, 1)
    assert isinstance(table, Table)
    assert [row[:3] for row in table.rows] == [
        [domain, size, system]
        for domain, size in (("all", "3"), ("x", "2"), ("y", "1"))
        for system in ("before", "after")
    ]
    references = References.from_sentences(TEXTS[1:2])
    score = ig.score([translated.translations["after"][1]], references, "bleu").value
    assert str(table.rows[5][3]).startswith(f"{score:.2f} [")
    assert float(str(table.rows[3][4]).split()[0]) < 0 < float(str(table.rows[5][4]).split()[0])


def test_sentences_that_changed(translated: TranslatedText) -> None:
    improved, worsened = changed_sentences(translated, "before", "after")
    assert isinstance(improved, Examples)
    assert isinstance(worsened, Examples)
    assert [one.title.split(":")[0] for one in improved.examples] == ["Line 12, y"]
    assert [one.title.split(":")[0] for one in worsened.examples] == ["Line 11, x"]
    assert improved.examples[0].rows == [
        ("reference", TEXTS[1]),
        ("before", "a cat ran there today"),
        ("after", "a dog ran home today"),
    ]


def test_curves_of_runs_with_held_out_scores() -> None:
    epochs = tuple(Epoch(k, 0.0, 20.0 + k, 10 * k, 19.0 + k) for k in range(4))
    curves = (TrainingCurve(1, None, epochs), TrainingCurve(1, 0, epochs[:2]))
    score, active = learning_curves(TuningLog(curves, "bleu", (1, 2)))
    assert isinstance(score, Chart)
    assert isinstance(active, Chart)
    assert [(line.name, line.marked) for line in score.lines] == [
        ("training", 2), ("training, held out", 2)
    ]  # fmt: skip
    assert score.lines[1].points == [(k, 19.0 + k) for k in range(4)]
    assert active.lines[0].points == [(k, 10.0 * k) for k in range(4)]


def test_weights_by_template() -> None:
    weights = Weights.from_dict({"LM0": 0.5, "PT_a_b": -0.25, "PT_c_d": 0.75, "PT_e_f": 0.0})
    templates, largest = weight_tables(weights, "Weights")
    assert isinstance(templates, Table)
    assert isinstance(largest, Table)
    assert ("PT", "3", "2", "1.000", "0.750", "-0.250") in templates.rows
    assert largest.rows == [("PT_c_d", "+0.7500"), ("LM0", "+0.5000"), ("PT_a_b", "-0.2500")]


@pytest.mark.parametrize("names", [(), ("LM0", "PT_a_b")])
def test_weights_that_are_all_zero(names: tuple[str, ...]) -> None:
    *_, note = parts = list(weight_tables(Weights.from_dict(dict.fromkeys(names, 0.0)), "Weights"))
    assert note == Note("Weights: all are 0, so that each hypothesis has the same score.")
    assert all(part.rows for part in parts if isinstance(part, Table))


def test_inputs_that_changed(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("same", "changed", "missing")]
    for name in names:
        Path(name).write_text("a\n", encoding="utf-8")
    inputs = {name: digest_of_file(name) for name in names}
    assert InputFiles(inputs).are_unchanged
    Path(names[1]).write_text("b\n", encoding="utf-8")
    Path(names[2]).unlink()
    files = InputFiles(inputs)
    assert not files.are_unchanged
    assert [row[2] for row in files.table().rows] == ["unchanged", "changed", "missing"]


def test_usage_of_all_stages() -> None:
    usages = {
        name: {"seconds": 1.25, "cpu_seconds": 2.5, "megabytes": size}
        for name, size in (("a", 100), ("b", 300))
    }
    assert usage_table(usages).rows[-1] == ("total / peak", "2.5", "5.0", "300")
    assert len(usage_table({"a": usages["a"]}).rows) == 1
