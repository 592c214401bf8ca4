"""What the benchmarks compute of links, and what they say of wrong input."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import Bitext, DataError, IsoglossError, Links, UsageError, evaluate
from isogloss.align.links.gold_links import GoldLinks, parse_gold
from isogloss.align.links.links import parse_links
from isogloss.align.text.corpus import Corpus

FOLDER = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def module(monkeypatch):
    """Import of a script's module, as it imports its neighbors."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.fixture
def bitext():
    sides = ([["a", "b", "c"], ["a"], ["b"]], [["x", "y"], ["x"], ["y"]])
    labels = np.array([0, 1, -1], np.int16)
    return Bitext(*(Corpus.from_sentences(side) for side in sides), labels, ("law", "news"))


def scored(text: list[str], probabilities: list[float]) -> Links:
    links = parse_links(text)
    sure = np.array(probabilities, np.float32)
    return Links(links.source, links.target, links.offsets, sure)


LINKS = parse_links(["0-0 1-1 2-1", "", "0-0 0-1"])
GOLD = parse_gold(["0-0 1p1", "0-0", "0-0"])


def test_counts_of_sentences_add_up_to_the_score_of_the_text(module):
    scores = module("scores")
    counts = scores.sentence_counts(LINKS, GOLD)
    assert counts.tolist() == [[3, 1, 1, 2], [0, 1, 0, 0], [2, 1, 1, 1]]
    assert scores.score(counts) == evaluate(LINKS, GOLD)


def test_bootstrap_of_a_constant_difference_has_no_width(module):
    """Every sentence alike: AER 0 against 1 - 2 / 3, whatever is drawn."""
    one, other = (np.tile(row, (30, 1)) for row in ([1, 1, 1, 1], [2, 1, 1, 1]))
    found = module("scores").bootstrap([(one, other)], resamples=50)
    assert (found.value, found.low, found.high) == pytest.approx((-100 / 3,) * 3, rel=1e-12)


def test_bootstrap_of_several_texts_is_of_the_mean(module):
    bootstrap = module("scores").bootstrap
    generator = np.random.default_rng(3)
    texts = []
    for size in (40, 400):
        hits = generator.integers(0, 2, (2, size))
        texts.append(tuple(np.stack([hits[0] * 0 + 1] * 2 + [own] * 2, 1) for own in hits))
    found = [bootstrap(part) for part in ([texts[0]], [texts[1]], texts)]
    assert found[2].value == pytest.approx((found[0].value + found[1].value) / 2, rel=1e-12)
    for one in found:
        assert one.low < one.value < one.high
    assert found[1].high - found[1].low < found[0].high - found[0].low
    assert bootstrap(texts) == found[2]  # the same seed, the same interval


def test_the_same_system_differs_from_itself_by_nothing(module):
    scores = module("scores")
    counts = scores.sentence_counts(LINKS, GOLD)
    assert str(scores.bootstrap([(counts, counts)])) == " +0.00 [ +0.00,  +0.00]"


def test_reliability_by_hand(module):
    scores = module("scores")
    links = scored(["0-0 1-1 2-1", "", "0-0 0-1"], [0.9, 0.8, 0.6, 1.0, 0.5])
    bins = scores.reliability([(links, GOLD)], np.array([0.5, 0.75, 1.0]))
    assert [(one.count, one.possible, one.sure) for one in bins] == [
        (2, 0.0, 0.0), (3, 1.0, pytest.approx(2 / 3, rel=1e-12)),
    ]  # fmt: skip
    assert [one.confidence for one in bins] == pytest.approx([0.55, 0.9], rel=1e-6)
    error = scores.calibration_error(bins)
    assert error == pytest.approx((2 * 0.55 + 3 * 0.1) / 5, rel=1e-6)
    assert scores.calibration_error([]) == 0.0


def test_confusion_leaves_out_what_is_not_known(module):
    guesses = ["law", "news", "law", "out", "news"]
    truth = ["law", "law", "", "mixed", "news"]
    rows, matrix, share = module("scores").confusion(guesses, truth, ("law", "news", "out"))
    assert rows == ["law", "mixed", "news"]
    assert matrix.tolist() == [[1, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert share == pytest.approx(2 / 3, rel=1e-12)


def test_labels_shown_and_hidden(module, bitext):
    mixtures = module("mixtures")
    assert mixtures.label_names(bitext) == ["law", "news", "-"]
    assert mixtures.label_names(mixtures.only(bitext, "news")) == ["-", "news", "-"]
    assert mixtures.only(bitext, "news").domains == ("news",)
    assert mixtures.flat(bitext).domains == ()
    many = bitext.select(np.tile(np.arange(3), 50))
    dealt = mixtures.shuffled(many)
    assert sorted(dealt.label_ids.tolist()) == sorted(many.label_ids.tolist())
    assert (dealt.label_ids != many.label_ids).any()
    assert ((dealt.label_ids < 0) == (many.label_ids < 0)).all()  # the same pairs are labeled


def test_the_text_of_a_peer_holds_both_sides(module, bitext, tmp_path):
    files = module("mixtures").write_bitext(bitext, tmp_path, times=2)
    assert [Path(files[k]).read_text().split("\n")[:-1] for k in (0, 1, 3)] == [
        ["a b c", "a", "b"] * 2, ["x y", "x", "y"] * 2, ["law", "news", "-"] * 2,
    ]  # fmt: skip


def test_links_of_a_peer(module, bitext, tmp_path):
    file = tmp_path / "links"
    file.write_text("0-0 2-1\n\n0-0\n")
    links = module("peers").read_peer_links(file, bitext)
    assert [links[k] for k in range(3)] == [[(0, 0), (2, 1)], [], [(0, 0)]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n\n", r"the links have 2 lines; expected 3"),
        (
            "0-2\n\n\n",
            r"line 1: link 0-2 is out of range: the sentence pair has 3 source words and 2 target",
        ),
        ("0-0\nNaN\n\n", r"line 2: 'NaN'"),
    ],
)
def test_links_of_a_peer_that_do_not_fit(module, bitext, tmp_path, text, message):
    file = tmp_path / "links"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        module("peers").read_peer_links(file, bitext)


def test_a_peer_that_fails_is_named_with_what_it_said(module):
    with pytest.raises(IsoglossError, match=r"ended with 1: .*No such peer"):
        module("processes").run_measured([sys.executable, "-c", "raise SystemExit('No such peer')"])


def test_what_a_process_took(module):
    cost = module("processes").run_measured([sys.executable, "-c", "bytearray(50_000_000)"])
    assert cost.megabytes > 50
    assert min(cost.user + cost.system, cost.wall) > 0  # of few ticks all may be the system's


def test_unknown_peer(module):
    with pytest.raises(UsageError, match=r"peer 'giza'; expected some of eflomal, thot"):
        module("peers").parse_peers("eflomal,giza")


def test_peer_that_is_not_installed(module, monkeypatch):
    peers = module("peers")
    monkeypatch.setitem(peers.PEERS, "thot", peers.Peer("no_such_module", "sil-thot", ""))
    with pytest.raises(UsageError, match=r"thot is not installed: pip install sil-thot"):
        peers.parse_peers("thot")


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        ("alignment", [], "give set-ups, or --settings alone"),
        ("alignment", ["A", "--settings"], "give set-ups, or --settings alone"),
        ("alignment", ["Z"], "set-up 'Z'; expected some of A, B, C, P"),
        ("alignment", ["A", "--only", "middling"], "invalid choice: 'middling'"),
        ("alignment", ["A", "--threads", "0"], "--threads 0; expected at least 1"),
        ("alignment", ["A", "--peers", "giza"], "peer 'giza'; expected some of"),
        ("alignment_speed", ["--only", "nap"], "invalid choice: 'nap'"),
        ("alignment_speed", ["--threads", "0"], "--threads 0; expected at least 1"),
        ("alignment_speed", ["--peers", "giza"], "peer 'giza'; expected some of"),
        ("phrase_tables", ["--only", "nap"], "invalid choice: 'nap'"),
    ],
)
def test_wrong_arguments(module, capsys, script, arguments, message):
    with pytest.raises(SystemExit, match="2"):
        module(script).parse(arguments)
    assert message in capsys.readouterr().err


def test_missing_data_are_named(module, tmp_path, capsys, monkeypatch):
    alignment = module("alignment")
    monkeypatch.setattr("sys.argv", ["alignment.py", "--settings", "--data", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"alignment\.py: .*hetero\.index\.tsv\.gz"):
        alignment.main()


def test_copies_of_a_text_share_no_word(module, bitext, tmp_path):
    tables = module("phrase_tables")
    tables.write_copies(bitext, 2, tmp_path)
    tables.write_copied_links(LINKS, 2, tmp_path / "links")
    assert (tmp_path / "source").read_text() == "a b c\na\nb\na~1 b~1 c~1\na~1\nb~1\n"
    assert (tmp_path / "target").read_text() == "x y\nx\ny\nx~1 y~1\nx~1\ny~1\n"
    assert (tmp_path / "links").read_text() == 2 * "0-0 1-1 2-1\n\n0-0 0-1\n"


def test_synthetic_text_is_the_same_each_time(module):
    build = module("synthetic").synthetic_bitext
    one, other = build(300, 4), build(300, 4)
    assert len(one) == 300
    assert one.domains == ("domain0", "domain1", "domain2", "domain3")
    assert np.array_equal(one.source.tokens, other.source.tokens)
    assert np.array_equal(one.target.tokens, other.target.tokens)
    assert set(np.unique(one.label_ids)) == {-1, 0, 1, 2, 3}
    assert 20 < one.source.lengths.mean() < 30


def test_results_are_kept_compared_and_printed(module, bitext, capsys):
    mixtures, results = module("mixtures"), module("results")
    text = mixtures.GoldText("tiny/test")
    mixture = mixtures.Mixture(
        bitext, ("", "", ""), {"tiny/test": mixtures.Gold(text, GOLD)}, {"tiny/test": (0, 3)}
    )
    found = results.Results(tests=["tiny/test"])
    perfect = parse_links(["0-0", "0-0", "0-0"])
    found.add("best-flat", mixture, {results.OURS: perfect})
    found.add("eflomal", mixture, {"intersection": parse_links(["0-0", "", ""]), "union": LINKS})
    results.print_claims(found)
    results.print_means(found)
    printed = capsys.readouterr().out
    assert "best-flat     tiny                       0.00 100.0 100.0" in printed
    assert "best-flat (ours) - eflomal (best)" in printed
    claim = found.record["differences"]["best-flat (ours) - eflomal (best)"]["tiny/test"]
    # the better one of eflomal's: 1 - (2 + 3) / (5 + 3) against 1 - (1 + 1) / (1 + 3)
    assert claim["value"] == pytest.approx(-37.5, rel=1e-12)
    assert found.record["mean AER"]["best-flat"]["ours"] == pytest.approx(0.0, abs=1e-12)
    json.dumps(found.record)
    assert results.Results.merged([found, results.Results()]).counts == found.counts


def test_gold_links_are_cut_out_of_those_of_the_end(module, bitext):
    mixtures = module("mixtures")
    names = ("one", "two")
    empty = parse_gold([""])
    gold = {name: mixtures.Gold(mixtures.GoldText(name), empty) for name in names}
    spans = {"one": (1, 1), "two": (2, 1)}
    mixture = mixtures.Mixture(bitext, ("",) * 3, gold, spans)
    assert mixture.gold_rows.tolist() == [1, 2]
    for links in (LINKS, LINKS.part(1)):
        cut = {one.text.name: own[0] for one, own in mixture.by_gold(links)}
        assert cut == {"one": [], "two": [(0, 0), (0, 1)]}
    assert isinstance(empty, GoldLinks)
