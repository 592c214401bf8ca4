"""What the tables of the papers are made with."""

import importlib
import json
import math

import numpy as np
import pytest

from isogloss.align import Bitext, IsoglossError
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.string_array import Texts
from isogloss.features.bins.specs import parse_bin_spec
from isogloss.features.space import FeatureSpace
from isogloss.features.table.phrase_table import RuleEntry
from isogloss.runs.decoder_config import read_decoder_config
from isogloss.tune.nbest.types import NBest
from isogloss.tune.weights.weights import Weights

from .test_start import FOLDER


@pytest.fixture
def paper_runs(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("paper_runs")


@pytest.fixture
def files(paper_runs, tmp_path):
    model = f"hier-mslr-bidirectional-fe={tmp_path / 'reordering.gz'}"
    table, ngrams = tmp_path / "rich.gz", tmp_path / "lm.arpa.gz"
    return paper_runs.SystemFiles("rich", table, ngrams, model, ("lo",))


def test_tuning_and_decoding_have_the_same_files_and_limits(paper_runs, files, tmp_path) -> None:
    (tmp_path / "rich.toml").write_text("\n".join(files.configuration()), encoding="utf-8")
    config = read_decoder_config(tmp_path / "rich.toml")
    options = files.options()
    assert options[options.index("--phrase-table") + 1] == str(config.phrase_table)
    assert options[options.index("--lm") + 1] == str(config.language_models[0].path)
    ((_, table),) = config.reordering
    assert options[options.index("--reordering") + 1] == f"hier-mslr-bidirectional-fe={table}"
    assert config.settings.stack_size == paper_runs.STACK
    assert config.settings.distortion_limit == paper_runs.DISTORTION
    assert len(config.templates) == 1 and "--state-templates" in options


def test_a_step_is_done_once(paper_runs, tmp_path) -> None:
    workshop = paper_runs.Workshop(tmp_path, 1, 1)
    text = workshop.write("text", ["a b", "b c", "a"])
    model = workshop.make("lm.arpa", "lm", text, "--order", 2, "-o", "lm.arpa")
    first = model.stat().st_mtime_ns
    assert workshop.make("lm.arpa", "lm", "no such text", "-o", "lm.arpa") == model
    assert model.stat().st_mtime_ns == first
    with pytest.raises(IsoglossError, match="no such text"):
        workshop.make("other.arpa", "lm", "no such text", "-o", "other.arpa")


def test_the_chosen_epoch_is_the_first_of_the_best(paper_runs, files, tmp_path) -> None:
    workshop = paper_runs.Workshop(tmp_path, 1, 1)
    text = paper_runs.Text("first", tmp_path / "es", (tmp_path / "en",))
    tuning = paper_runs.Tuning(files, "mert", text)
    folder = workshop.path("tuned/rich.mert.first.1/weights.json").parent
    (folder / "weights.json").write_text("{}", encoding="utf-8")
    scores = [1.0, 3.0, 3.0, 2.0]
    lines = [json.dumps({"number": k, "score": score}) for k, score in enumerate(scores)]
    (folder / "epochs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "usage.json").write_text('{"cpu_seconds": 2.5}', encoding="utf-8")
    assert workshop.chosen(tuning, 1)["number"] == 1
    assert workshop.cpu_seconds(tuning, 1) == 2.5


def test_parts_of_other_sources_are_told(paper_runs, tmp_path) -> None:
    assert paper_runs.mark_sources(tmp_path) == ""
    assert paper_runs.mark_sources(tmp_path) == ""
    (tmp_path / "sources").write_text("0123456789abcdef\n")
    for _ in range(2):
        assert "has parts that other sources of isogloss" in paper_runs.mark_sources(tmp_path)


def test_lists_are_rescored_by_another_table(paper_runs) -> None:
    """Scores of Moses's give way to the rules' own; unknown words have none."""
    lists = importlib.import_module("paper_clark_lists")
    rules = {
        ("a b", "x"): RuleEntry("a b", "x", {"q": math.e**-2, "r": 0.0}, {"A_1": 1.0}, (), ()),
        ("c", "y z"): RuleEntry("c", "y z", {"q": math.e**-1, "r": 1.0}, {"A_1": 2.0}, (), ()),
    }
    line = "0 ||| y z x d ||| LM0= -3 p(f|e)= -9 LexR.0= -1 ||| -7 ||| 2=0-1 0-1=2 3=3"
    (found,) = lists.rescored([line], ["a b c d"], rules)
    assert found == "0 ||| y z x d ||| LM0= -3 LexR.0= -1 A_1= 3 q= -3 r= -100 ||| -7"
    lines = ["1 ||| b ||| F= 1 ||| 2", "0 ||| d ||| F= 1 ||| 2", "0 ||| c ||| F= 1 ||| 1"]
    assert lists.by_text(lines) == [lines[2], lines[1], lines[0]]


def test_lists_with_fewer_and_more_features(paper_runs) -> None:
    """The score by all weights stays; numbers of words begin with a weight of 0."""
    beam = importlib.import_module("paper_galley_beam")
    rng = np.random.default_rng(3)
    names = sorted(beam.FREED)
    values = rng.normal(size=(3, len(names))).astype(np.float32)
    rows = Ragged.from_rows([enumerate(row.tolist()) for row in values])
    lists = NBest(np.array([0, 2, 3]), Texts.from_strings(["a b a", "b", "c"]), rows,
                  FeatureSpace(names))  # fmt: skip
    start = Weights.from_dict(dict(zip(names, rng.normal(size=len(names)), strict=True)))
    assert beam.with_features(lists, start, len(names)) == (lists, start)
    for count in (1, 4, len(names) + 2):
        other, weights = beam.with_features(lists, start, count)
        assert len(other.space) == count
        np.testing.assert_allclose(
            other.rows.scores(weights.to_space(other.space).values), rows.scores(start.values),
            rtol=1e-5,
        )  # fmt: skip
    counts = other.rows.values.reshape(3, -1)[:, -2:]
    assert counts.tolist() == [[2, 1], [0, 1], [0, 0]]


def test_intervals_of_few_subsets(paper_runs) -> None:
    beam = importlib.import_module("paper_galley_beam")
    assert beam.interval(np.array([1.25])) == "+1.25"
    assert beam.interval(np.array([1.0, 2.0])) == "+1.50 (-4.85, +7.85)"  # t of 12.706, one degree


def test_gaps_are_of_the_searches_that_finished(paper_runs, tmp_path) -> None:
    galley = importlib.import_module("paper_galley")
    gaps = [(50.0, 50.0, True), (53.0, 50.0, True), (10.0, 50.0, False), (51.0, 50.0, True)]
    trials = [{"lp": lp, "mert": mert, "exact": exact, "seconds": 0.5} for lp, mert, exact in gaps]
    shown = ["3", "0", "1", "2", "1.33", "1.00", "2.60", "3.00", "0.50"]
    assert galley._gap_row("4", trials) == ["4", *shown]
    workshop = paper_runs.Workshop(tmp_path, 1, 1)
    assert galley.kept(workshop, "f/one", lambda: trials) == trials
    assert galley.kept(workshop, "f/one", list) == trials


def test_trials_are_kept_one_by_one(paper_runs, tmp_path, capsys) -> None:
    galley = importlib.import_module("paper_galley")
    workshop = paper_runs.Workshop(tmp_path, 2, 1)
    workshop.write("f5/2/0-2.json", [json.dumps([10, 11])])  # as they were kept before
    workshop.write("f5/2/3.json", ["13"])
    assert galley.in_parts(workshop, "f5/2", None, abs, 5) == [10, 11, 2, 13, 4]
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(", ")[0] for line in told] == ["  f5/2: 5 of 5"]
    assert sorted(path.name for path in (tmp_path / "f5" / "2").iterdir()) == [
        "0-2.json", "2.json", "3.json", "4.json"
    ]  # fmt: skip
    assert galley.in_parts(workshop, "f5/2", None, None, 3) == [10, 11, 2]
    assert capsys.readouterr().out == ""


def test_names_and_data_of_the_papers(paper_runs, tmp_path, capsys) -> None:
    papers = importlib.import_module("papers")
    with pytest.raises(SystemExit):
        papers.parse(["--help"])
    shown = capsys.readouterr().out
    assert all(f"  {name:15}{title}\n" in shown for name, (_, title) in papers.TABLES.items())
    assert "(default: 1000)" in shown
    options = papers.parse(["galley-1", "--data", str(tmp_path / "none"), "--out", str(tmp_path)])
    with pytest.raises(IsoglossError, match=r"there is no folder .*none; .* --data or \$ISOGL"):
        papers.run(options)


def test_words_are_what_the_transcripts_have(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    green = importlib.import_module("paper_green")
    assert green._plain(["Ah , I 'm in , -- Año 2 .", "..."]) == ["ah i 'm in año 2", ""]


def test_a_table_is_aligned(paper_runs, capsys) -> None:
    paper_runs.print_rows(["name", "BLEU"], [["a", "33.10"], ["longer", "4.00"]])
    assert capsys.readouterr().out.splitlines() == [
        "name     BLEU",
        "a       33.10",
        "longer   4.00",
    ]


def test_rows_of_clark_s_tables_have_tables_of_their_own(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    clark = importlib.import_module("paper_clark")
    rows = clark.TABLE_2 | clark.TABLE_3
    assert {row.table for row in rows.values()} == set(clark.TABLES)
    nothing = {name.removesuffix(", from 0"): row for name, row in clark.FROM_NOTHING.items()}
    assert all(row == rows[name]._replace(from_nothing=True) for name, row in nothing.items())
    specs = [word for words in clark.TABLES.values() for word in words if ":" in word]
    assert {parse_bin_spec(spec).bits for spec in specs} == {3, 4, 8, 12}


def test_errors_of_links_by_text_and_their_difference(monkeypatch) -> None:
    """AER by hand: 1 - (|A and S| + |A and P|) / (|A| + |S|)."""
    monkeypatch.syspath_prepend(str(FOLDER))
    cuong = importlib.import_module("paper_cuong_links")
    found = {"a": np.array([[4, 4, 2, 3], [2, 1, 1, 2]]), "b": np.array([[1, 1, 1, 1]])}
    perfect = {"a": np.array([[4, 4, 4, 4], [1, 1, 1, 1]]), "b": np.array([[1, 1, 1, 1]])}
    row, figures = cuong._row("new", found, {"less flat": perfect, "less all": None})
    error = 100 * (1 - 8 / 11)
    assert row[:4] == ["new", f"{error:.2f}", "0.00", f"{error / 2:.2f}"]
    assert figures["less flat"]["value"] == pytest.approx(error / 2)
    assert (len(row), row[-1], "less all" in figures) == (6, "", False)


def test_labels_are_put_beside_none_all_and_as_many_dealt_out_anew(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    cuong = importlib.import_module("paper_cuong_links")
    right_links = {  # links that are right, of four that there are
        "flat": 1, "paper, all": 4, "paper, all-x2": 3, "paper, all, dealt out anew": 2
    }  # fmt: skip
    found = {label: {"a": np.array([[4, 4, right, right]])} for label, right in right_links.items()}
    record = cuong._print_labels(found)
    values = {
        label: {title: one["value"] for title, one in row.items() if title != "aer"}
        for label, row in record.items()
    }
    assert values == {
        "flat": {},
        "paper, all": {"less flat": -75.0, "less dealt out anew": -50.0},
        "paper, all-x2": {"less flat": -50.0, "less all": 25.0},
        "paper, all, dealt out anew": {"less flat": -25.0, "less all": 50.0},
    }


def test_seeds_may_be_made_larger(monkeypatch) -> None:
    """By pairs whose domain is known and hidden, of each domain as many times as it has."""
    monkeypatch.syspath_prepend(str(FOLDER))
    mixtures = importlib.import_module("mixtures")
    shown = ["law", "law", "news", "-", "-", "-", "-", "-", "-"]
    truth = ("", "", "", "law", "law", "law", "news", "sport", "")
    text = Corpus.from_sentences([["a"]] * len(shown))
    bitext = mixtures._relabeled(Bitext.unlabeled(text, text), shown)
    mixture = mixtures.Mixture(bitext, truth, {}, {})
    assert mixtures.label_names(mixtures.revealed(mixture, 1.0)) == shown
    twice = mixtures.label_names(mixtures.revealed(mixture, 2.0))
    assert sorted(twice[3:]) == ["-", "-", "-", "law", "law", "news"]
    assert all(name in ("-", true) for name, true in zip(twice[3:], truth[3:], strict=True))
    known = mixtures.label_names(mixtures.revealed(mixture, np.inf))
    assert known[3:] == ["law", "law", "law", "news", "-", "-"]
