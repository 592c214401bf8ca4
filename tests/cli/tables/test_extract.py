"""extract from outside."""

import gzip
import json
import re
from collections import Counter

import numpy as np
import pytest

from isogloss import program
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.known_words.text_form import UNKNOWN
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.features.extraction.extraction_options import DENSE_FEATURES
from isogloss.features.extraction.reordering import (
    ADAGRAD_PRO,
    ReorderingModel,
    read_reordering_table,
)
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.sidecar import MOSES_SCORES
from tests.cli.tables.small_text import (
    TARGET,
    contents,
    lines_of,
    run,
    write,
)


def test_a_table_and_its_sidecar(folder, capsys):
    run(folder, "--max-phrase-length", "2")
    assert lines_of(folder / "table") == [
        "casa verde ||| green house ||| 1 1 1 1 ||| 1-0 0-1 ||| 1 1 1 ||| |||",
        "casa ||| house ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||",
        "la casa ||| the house ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
        "la ||| the ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||",
        "mesa verde ||| green table ||| 1 1 1 1 ||| 1-0 0-1 ||| 1 1 1 ||| |||",
        "mesa ||| table ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
        "una casa ||| a house ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
        "una ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
        "verde ||| green ||| 1 1 1 1 ||| 0-0 ||| 2 2 2 ||| |||",
    ]
    names = json.loads((folder / "table.columns.json").read_text())
    assert names == {"scores": list(MOSES_SCORES)}
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "phrase pairs" in captured.err


def test_standard_output(folder, capsysbinary):
    run(folder, output="-")
    run(folder)
    assert capsysbinary.readouterr().out == (folder / "table").read_bytes()
    assert not (folder / "-").exists()


def test_compressed_by_the_name(folder):
    run(folder)
    run(folder, "--reordering", ADAGRAD_PRO, output="table.gz")
    assert gzip.decompress((folder / "table.gz").read_bytes()) == (folder / "table").read_bytes()
    names = sorted(path.name for path in folder.iterdir())
    assert f"table.reordering.{ADAGRAD_PRO}.gz" in names
    assert names.count("table.columns.json") == 1


def test_count_bins(folder):
    run(folder, "--count-bins", "1,2", "--sparse-count-bins", "2", "--max-phrase-length", "1")
    assert [line.split(" ||| ")[0::2] for line in lines_of(folder / "table")][:2] == [
        ["casa", "1 1 1 1 1 1 2.71828", "3 3 3"],
        ["la", "1 1 1 1 1 1 2.71828", "3 3 3"],
    ]
    sparse = {line.split(" ||| ")[0]: line.split(" ||| ")[5] for line in lines_of(folder / "table")}
    assert sparse == {
        "casa": "cb_max 1 |||", "la": "cb_max 1 |||", "mesa": "cb_1_2 1 |||",
        "una": "cb_1_2 1 |||", "verde": "cb_1_2 1 |||",
    }  # fmt: skip
    names = json.loads((folder / "table.columns.json").read_text("utf-8"))["scores"]
    assert names[4:] == ["CountBin.1", "CountBin.2", "CountBin.max"]


def test_features_in_one_go(folder, capsys):
    run(folder, "--add", "al", "--discretize", "p(e|f):1", "--keep", "--export", str(folder / "x"))
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "phrase pair" in line or "rules" in line] == [
        "11 phrase pairs, 6 sparse features"
    ]
    first = run(folder, output="plain")
    assert first is None
    more = ["--add", "al", "--discretize", "p(e|f):1", "--keep"]
    plain, two = str(folder / "plain"), str(folder / "two")
    assert program.main(["features", plain, "-o", two, *more]) == 0
    assert lines_of(folder / "two") == lines_of(folder / "table")
    assert "AL_casa_house 1" in lines_of(folder / "table")[0]
    at_once, in_two = (folder / f"{name}.bins.json" for name in ("table", "two"))
    assert at_once.read_bytes() == in_two.read_bytes()
    assert sorted(path.name for path in (folder / "x").iterdir()) == [
        "features.tsv", "moses.ini", "sparse-weights.txt", "weights.txt",
    ]  # fmt: skip


def test_rare_words_are_those_of_the_text(folder, capsys):
    """Chiang (2012), section 7: not rules are counted, nor what a filter has left of them."""
    often = Counter(" ".join(TARGET).split())
    known = {word for word, count in often.items() if count >= 3}
    assert known == {"the", "house"}

    def expected(row):
        words = Counter(word if word in known else "UNK" for word in row.split(" ||| ")[1].split())
        return {f"LexE_{word}": count for word, count in words.items()}

    def found(name):
        rows = lines_of(folder / name)
        named = [re.findall(r"(LexE_\S+) (\d+)", row) for row in rows]
        assert [{name: int(count) for name, count in row} for row in named] == [
            expected(row) for row in rows
        ]
        return len(rows)

    run(folder, output="plain")
    run(folder, "--add", "lex(e):unk=3")
    everything = found("table")
    filtered = [str(folder / "plain"), "-o", str(folder / "few"), "--add", "lex(e):unk=3",
                "--filter-for", str(write(folder / "wanted", ["mesa verde", "la"]))]  # fmt: skip
    write(folder / "counts", [f"{word.upper()}\t{count}" for word, count in often.items()])
    texts = ["--source-words", str(folder / "f"), "--target-words", str(folder / "e")]
    assert program.main(["features", *filtered, *texts]) == 0
    assert 0 < found("few") < everything
    texts[-1] = str(folder / "counts")
    assert program.main(["features", *filtered, *texts, "--lowercase"]) == 0
    assert 0 < found("few") < everything
    assert program.main(["features", *filtered, *texts[:2]]) == 2
    assert "needs target word frequencies for unk=" in capsys.readouterr().err


def test_orientations_by_definition(folder):
    name = "hier-msd-forward-fe"
    run(folder, "--reordering", f"{name}={folder / 'moses'}")
    run(folder, "--reordering", f"{name}={folder / 'own'}", "--orientations", "definition")
    rows = [
        {
            tuple(line.split(" ||| ")[:2]): line.split(" ||| ")[2]
            for line in lines_of(folder / output)
        }
        for output in ("moses", "own")
    ]
    assert rows[0].keys() == rows[1].keys()
    # "the" is followed by the block "green house", which lies right behind "la"
    assert rows[1]["la", "the"] == "0.777778 0.111111 0.111111"
    assert rows[0]["la", "the"] != rows[1]["la", "the"]


def test_dense_features_of_green_et_al(folder):
    run(folder, "--dense", "--count-features", "RuleCount,LowCount")
    table = PhraseTable.load(folder / "table")
    assert table.score_names == (*MOSES_SCORES, "RuleCount", "LowCount", "UniqueRule")
    assert set(DENSE_FEATURES) <= set(table.score_names)
    counts = table.counts[:, 2]
    np.testing.assert_allclose(table.scores[:, 4], counts)
    unique = np.where(counts <= 1, -1.0, 0.0)
    np.testing.assert_allclose(np.log(table.scores[:, 6]), unique, atol=1e-5)
    model = ReorderingModel.parse(ADAGRAD_PRO)
    path = folder / f"table.reordering.{ADAGRAD_PRO}"
    (rows,) = read_reordering_table(path, model)
    assert rows.scores.shape == (len(table), 8)
    phrases = [line.split(" ||| ")[:2] for line in lines_of(folder / "table")]
    assert phrases == [list(pair) for pair in zip(rows.source, rows.target, strict=True)]


def test_reordering_tables_under_other_names(folder):
    other = folder / "orientation.gz"
    models = [f"msd-bidirectional-f={other}", "wbe-msd-backward-fe"]
    run(folder, "--reordering", models[0], "--reordering", models[1], "--dense")
    lines = gzip.decompress(other.read_bytes()).decode().splitlines()
    sources = [line.split(" ||| ")[0] for line in lines]
    rules = lines_of(folder / "table")
    assert sources == list(dict.fromkeys(rule.split(" ||| ")[0] for rule in rules))
    assert all(len(line.split(" ||| ")[1].split()) == 6 for line in lines)
    assert (folder / "table.reordering.wbe-msd-backward-fe").exists()
    assert (folder / f"table.reordering.{ADAGRAD_PRO}").exists()


def test_reordering_smoothing(folder):
    run(folder, "--reordering", "wbe-msd-backward-fe", "--reordering-smoothing", "0.25")
    table = folder / "table.reordering.wbe-msd-backward-fe"
    # two of three times "la" and "una" before "casa" are linked to what is before "house"; once
    # "green" is there, whose "verde" is behind "casa"
    assert "casa ||| house ||| 0.6 0.333333 0.0666667" in lines_of(table)
    plain = table.read_bytes()
    run(folder, "--reordering", "wbe-msd-backward-fe", "--reordering-smoothing", "0.25",
        "--smooth-with-counts")  # fmt: skip
    assert table.read_bytes() != plain


def test_lexical_tables(folder):
    run(folder, "--lexical", folder / "lex")
    assert lines_of(folder / "lex.f2e") == [
        "the la 1.0000000", "house casa 1.0000000", "green verde 1.0000000", "a una 1.0000000",
        "table mesa 1.0000000",
    ]  # fmt: skip
    assert lines_of(folder / "lex.e2f") == [
        "la the 1.0000000", "verde green 1.0000000", "casa house 1.0000000", "una a 1.0000000",
        "mesa table 1.0000000",
    ]  # fmt: skip


def test_direction_of_lexical_tables(folder):
    """As Moses': f2e holds `target source w(target | source)`."""
    write(folder / "f", ["a b", "a"])
    write(folder / "e", ["x", "y"])
    write(folder / "links", ["0-0 1-0", "0-0"])
    run(folder, "--lexical", folder / "lex")
    assert lines_of(folder / "lex.f2e") == ["x a 0.5000000", "y a 0.5000000", "x b 1.0000000"]
    assert lines_of(folder / "lex.e2f") == ["a x 0.5000000", "b x 0.5000000", "a y 1.0000000"]


def test_domains_weights_and_labels(folder):
    run(folder, "--domain-posteriors", "posteriors", "--instance-weights", "weights",
        "--labels", "labels", "--label-features", "ratio", "--label-features", "subset",
        "--domain-smoothing", "0.5")  # fmt: skip
    table = PhraseTable.load(folder / "table")
    kinds = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)", "share")
    names = [f"{kind}.{domain}" for domain in ("law", "it") for kind in kinds]
    assert table.score_names == (*MOSES_SCORES, *names, "DomainRatio.it", "DomainRatio.law")
    line = next(row for row in lines_of(folder / "table") if row.startswith("casa ||| house"))
    _, _, scores, links, counts, sparse, _ = (field.strip() for field in line.split("|||"))
    # three pairs that weigh 1, 0.5 and 0.25, of which law has 1, 0.375 and 0
    assert counts == "1.75 1.75 1.75"
    assert links == "0-0"
    assert sparse == "doms_it_law 1"
    values = list(map(float, scores.split()))
    assert values[8] == pytest.approx(1.375 / 1.75, rel=1e-5)
    assert values[13] == pytest.approx(0.375 / 1.75, rel=1e-5)
    assert np.log(values[14:]) == pytest.approx([0.25 / 1.75, 1.5 / 1.75], rel=1e-4)


def test_a_smoothing_that_there_is_not(folder, capsys):
    with_typo = ["f", "e", "links", "--smoothing", "foo", "-o", "table.gz"]
    assert program.main(["extract", *with_typo]) == 2
    said = (
        "--smoothing must be one of none, good-turing, kneser-ney, modified-kneser-ney, got 'foo'"
    )
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["good-turing", "kneser-ney", "modified-kneser-ney"])
def test_smoothing(folder, name):
    run(folder)
    plain = PhraseTable.load(folder / "table")
    run(folder, "--smoothing", name, "-q")
    table = PhraseTable.load(folder / "table")
    np.testing.assert_array_equal(table.scores[:, 1::2], plain.scores[:, 1::2])
    assert (table.scores[:, ::2] < plain.scores[:, ::2]).any()


class KnownModel:
    """Stands for an aligner's model that knows some of the words."""

    domains = ("law", "it")
    source_vocabulary = Vocabulary(["casa", "la"])
    target_vocabulary = Vocabulary(["house", "the"])
    source_form = target_form = UNKNOWN
    encode = AlignmentModel.encode

    def domain_posteriors(self, bitext, threads):
        assert [bitext.source.sentence(k).tolist() for k in range(2)] == [[2, 1, -1], [2, 1]]
        assert bitext.target.sentence(0).tolist() == [2, -1, 1]
        assert threads >= 1
        return np.array([[1.0, 0.0], [0.75, 0.25], [0.0, 1.0], [0.5, 0.5]])


def test_a_model_gives_the_posteriors(folder, monkeypatch):
    monkeypatch.setattr("isogloss.align.model.model.AlignmentModel.load", lambda path: KnownModel())
    run(folder, "--domain-posteriors", "posteriors")
    expected = contents(folder)
    run(folder, "--model", "m")
    assert contents(folder) == expected


def test_a_model_of_one_domain_adds_no_scores(folder, monkeypatch, capsys):
    """Its scores would be those of the table once more."""
    one = KnownModel()
    one.domains = ("general",)
    monkeypatch.setattr("isogloss.align.model.model.AlignmentModel.load", lambda path: one)
    run(folder)
    expected = contents(folder)
    assert "domain" not in capsys.readouterr().err
    run(folder, "--model", "m")
    assert contents(folder) == expected
    assert "m has one domain, so no domain scores are added\n" in capsys.readouterr().err
