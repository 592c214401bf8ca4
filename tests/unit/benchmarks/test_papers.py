"""What the tables of the papers are made with."""

import importlib
import json

import numpy as np
import pytest

from align import Bitext, IsoglossError
from align.text.corpus import Corpus
from features.bins.specs import parse_bin_spec
from isogloss.runs.decoder_config import read_decoder_config

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


def test_gaps_are_of_the_searches_that_finished(paper_runs, tmp_path) -> None:
    galley = importlib.import_module("paper_galley")
    gaps = [(50.0, 50.0, True), (53.0, 50.0, True), (10.0, 50.0, False), (51.0, 50.0, True)]
    trials = [{"lp": lp, "mert": mert, "exact": exact, "seconds": 0.5} for lp, mert, exact in gaps]
    shown = ["3", "0", "1", "2", "1.33", "1.00", "2.60", "3.00", "0.50"]
    assert galley._gap_row("4", trials) == ["4", *shown]
    workshop = paper_runs.Workshop(tmp_path, 1, 1)
    assert galley.kept(workshop, "f/one", lambda: trials) == trials
    assert galley.kept(workshop, "f/one", list) == trials


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
    assert {table for table, _ in rows.values()} == set(clark.TABLES)
    specs = [word for words in clark.TABLES.values() for word in words if ":" in word]
    assert {parse_bin_spec(spec).bits for spec in specs} == {3, 4, 8, 12}


def test_errors_of_links_by_text_and_their_difference(monkeypatch) -> None:
    """AER by hand: 1 - (|A and S| + |A and P|) / (|A| + |S|)."""
    monkeypatch.syspath_prepend(str(FOLDER))
    cuong = importlib.import_module("paper_cuong_links")
    found = {"a": np.array([[4, 4, 2, 3], [2, 1, 1, 2]]), "b": np.array([[1, 1, 1, 1]])}
    perfect = {"a": np.array([[4, 4, 4, 4], [1, 1, 1, 1]]), "b": np.array([[1, 1, 1, 1]])}
    row, figures = cuong._row("new", found, perfect)
    error = 100 * (1 - 8 / 11)
    assert row[:4] == ["new", f"{error:.2f}", "0.00", f"{error / 2:.2f}"]
    assert figures["difference"]["value"] == pytest.approx(error / 2)
    assert cuong._row("flat", found, None)[0] == ["flat", *row[1:4], ""]


def test_seeds_may_be_made_larger(monkeypatch) -> None:
    """By pairs whose domain is known and hidden, of each domain as many times as it has."""
    monkeypatch.syspath_prepend(str(FOLDER))
    mixtures = importlib.import_module("mixtures")
    shown = ["law", "law", "news", "-", "-", "-", "-", "-", "-"]
    truth = ("", "", "", "law", "law", "law", "news", "sport", "")
    text = Corpus.from_sentences([["a"]] * len(shown))
    bitext = mixtures._relabelled(Bitext.unlabelled(text, text), shown)
    mixture = mixtures.Mixture(bitext, truth, {}, {})
    assert mixtures.label_names(mixtures.revealed(mixture, 1.0)) == shown
    twice = mixtures.label_names(mixtures.revealed(mixture, 2.0))
    assert sorted(twice[3:]) == ["-", "-", "-", "law", "law", "news"]
    assert all(name in ("-", true) for name, true in zip(twice[3:], truth[3:], strict=True))
    known = mixtures.label_names(mixtures.revealed(mixture, np.inf))
    assert known[3:] == ["law", "law", "law", "news", "-", "-"]
