"""isogloss domains from outside."""

import csv
import json
import re

import numpy as np
import pytest

from isogloss.align import AlignmentModel, read_bitext
from isogloss.align.model.domain_posterior import format_posteriors
from isogloss.program import main
from tests.cli.models.labeled_text import DOMAINS, LINES, pair, run, tsv


def likely(text):
    """The likely domain of each pair."""
    return [max(row, key=lambda name: float(row[name])) for row in tsv(text)]


def test_posteriors_are_those_of_the_model(labeled, tmp_path, capsys):
    run("domains", "predict", labeled / "m", *pair(labeled), "-o", tmp_path / "p.tsv")
    model, bitext = AlignmentModel.load(labeled / "m"), read_bitext(*pair(labeled))
    expected = format_posteriors(model.domains, model.domain_posteriors(bitext))
    assert (tmp_path / "p.tsv").read_text().splitlines() == list(expected)
    # align's are by language models of the other half of the text: mostly of one mind
    found, trained = (
        likely(file.read_text()) for file in (tmp_path / "p.tsv", labeled / "posteriors")
    )
    assert np.mean([one == other for one, other in zip(found, trained, strict=True)]) > 0.8
    text = capsys.readouterr().err
    assert f"{LINES} pairs, mean entropy" in text
    counts = [int(line.split()[-1]) for line in text.splitlines() if line.split()[0] in DOMAINS]
    assert len(counts) == len(DOMAINS)
    assert sum(counts) == LINES


def test_words_that_the_model_does_not_know(labeled, tmp_path, capsys):
    (tmp_path / "a").write_text("zzz qqq\nthe driver paid\n\n")
    (tmp_path / "b").write_text("yyy\nel conductor pagó\nsin\n")
    run("domains", "predict", labeled / "m", tmp_path / "a", tmp_path / "b")
    captured = capsys.readouterr()
    rows = [list(map(float, row.values())) for row in tsv(captured.out)]
    assert [sum(row) for row in rows] == pytest.approx([1.0] * 3, abs=1e-5)
    assert "2 pairs, mean entropy" in captured.err
    assert "1 with an empty side left out" in captured.err


@pytest.mark.parametrize("command", [["domains", "predict"], ["dictionary"]])
def test_an_address_where_no_cluster_answers(labeled, command, capsys):
    pytest.importorskip("ray", reason="Ray isn't installed; pip install isogloss[distributed]")
    text = [str(file) for file in (labeled / "m", *pair(labeled))]
    assert main([*command, *text, "--cluster", "localhost:1"]) == 2
    assert "no Ray cluster is reachable at localhost:1" in capsys.readouterr().err


def test_summary(labeled, capsys, monkeypatch):
    run("domains", "summary", labeled / "m", *pair(labeled))
    rows = tsv(capsys.readouterr().out)
    assert [row["domain"] for row in rows] == DOMAINS
    assert sum(int(row["pairs"]) for row in rows) == LINES
    run("domains", "summary", labeled / "m", *pair(labeled), "--json")
    value = json.loads(capsys.readouterr().out)
    assert list(value["domains"]) == DOMAINS
    assert sum(domain["share"] for domain in value["domains"].values()) == pytest.approx(
        1, abs=1e-4
    )
    assert sum(domain["pairs"] for domain in value["domains"].values()) == value["pairs"] == LINES
    assert [row["share"] for row in rows] == [str(d["share"]) for d in value["domains"].values()]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    run("domains", "summary", labeled / "m", *pair(labeled))
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.split() == ["domain", "expected", "share", "pairs"]
    assert lines[-1].startswith(f"{LINES} pairs, mean entropy")


def test_instance_weights(labeled, tmp_path):
    run("domains", "predict", labeled / "m", *pair(labeled), "--instance-weights-of", "legal",
        "-o", tmp_path / "weights")  # fmt: skip
    run("domains", "predict", labeled / "m", *pair(labeled), "-o", tmp_path / "p.tsv")
    weights = (tmp_path / "weights").read_text().splitlines()
    column = [row["legal"] for row in tsv((tmp_path / "p.tsv").read_text())]
    assert weights == [max(value, "0.000001") for value in column]


def test_typical_pairs(labeled, capsys):
    run("domains", "typical", labeled / "m", *pair(labeled), "--top", "3")
    rows = tsv(capsys.readouterr().out)
    assert [row["domain"] for row in rows][:6] == ["everyday"] * 3 + ["legal"] * 3
    source, target = (file.read_text(encoding="utf-8").splitlines() for file in pair(labeled))
    for row in rows:
        assert row["source"] == source[int(row["line"]) - 1]
        assert row["target"] == target[int(row["line"]) - 1]
        assert float(row["probability"]) > 0.5
    run(
        "domains",
        "typical",
        labeled / "m",
        *pair(labeled),
        "--top",
        "3",
        "--domain",
        "legal",
        "--json",
    )
    pairs = json.loads(capsys.readouterr().out)
    assert [row["line"] for row in pairs] == [int(row["line"]) for row in rows[3:6]]
    names = ("--domain", "medical", "--domain", "legal")
    run("domains", "typical", labeled / "m", *pair(labeled), "--top", "3", *names, "--json")
    again = json.loads(capsys.readouterr().out)
    assert [row["domain"] for row in again] == ["medical"] * 3 + ["legal"] * 3
    assert again[3:] == pairs


def test_contrast(labeled, capsys):
    run("domains", "contrast", labeled / "m", "legal,software", *pair(labeled), "--top", "12")
    rows = tsv(capsys.readouterr().out)
    assert len(rows) == 12
    assert list(rows[0]) == [
        "word", "score", "divergence", "occurrences.legal", "occurrences.software",
        "translations.legal", "translations.software", "links.legal", "links.software",
    ]  # fmt: skip
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    best = [
        [row[f"translations.{name}"].split()[0] for name in ("legal", "software")] for row in rows
    ]
    assert any(legal != software for legal, software in best)


def test_one_domain_against_all_others(labeled, tmp_path, capsys):
    command = ["domains", "contrast", labeled / "m", "legal", *pair(labeled), "--top", "12"]
    run(*command, "--show-examples")
    rows = tsv(capsys.readouterr().out)
    assert len(rows) == 12
    assert list(rows[0])[3:9] == [
        "occurrences.legal", "occurrences.others", "translations.legal", "translations.others",
        "links.legal", "links.others",
    ]  # fmt: skip
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    first = rows[0]["word"]
    lines = pair(labeled)[0].read_text(encoding="utf-8").splitlines()
    counted = sum(line.split().count(first) for line in lines)
    occurrences = float(rows[0]["occurrences.legal"]) + float(rows[0]["occurrences.others"])
    assert occurrences == pytest.approx(counted, abs=0.2)
    (tmp_path / "stop").write_text(f"{first.upper()}\n\n")
    run(*command, "--stopwords", tmp_path / "stop")
    left = [row["word"] for row in tsv(capsys.readouterr().out)]
    assert left[:11] == [row["word"] for row in rows[1:]]
    (tmp_path / "stop").write_text("of the\n")
    run(*command, "--stopwords", tmp_path / "stop", status=1)
    assert "stop, line 1: the line has 2 words; expected one word per line" in (
        capsys.readouterr().err
    )


def test_contrast_with_examples(labeled, tmp_path, capsys):
    command = ["domains", "contrast", labeled / "m", "legal,medical"]
    details = ["--show-examples", "--top", "5"]
    run(*command, *pair(labeled), *details, "--direction", "t2s", "-o", tmp_path / "out")
    rows = tsv((tmp_path / "out").read_text(encoding="utf-8"))
    assert len(rows) == 5
    lines = pair(labeled)[1].read_text(encoding="utf-8").splitlines()
    for row in rows:
        for name in ("legal", "medical"):
            assert row["word"] in row[f"target.{name}"].split()
            assert row[f"target.{name}"] == lines[int(row[f"line.{name}"]) - 1]
    run(*command, *pair(labeled), *details, "--json")
    value = json.loads(capsys.readouterr().out)
    assert (value["domains"], value["direction"]) == (["legal", "medical"], "s2t")
    legal = value["words"][0]["domains"]["legal"]
    assert list(legal) == ["occurrences", "translations", "links", "example"]
    assert legal["links"].keys() == legal["translations"].keys()
    assert min(legal["links"].values()) >= 0.5
    assert list(legal["example"]) == ["line", "probability", "source", "target"]


def test_tables_for_spreadsheets(labeled, tmp_path, capsys):
    command = ["domains", "contrast", labeled / "m", "legal,medical", *pair(labeled)]
    command += ["--top", "3", "--show-examples"]
    run(*command)
    rows = tsv(capsys.readouterr().out)
    run(*command, "--bom", "-o", tmp_path / "x.csv")
    text = (tmp_path / "x.csv").read_bytes().decode("utf-8-sig")
    assert text.count("\r\n") == 4
    assert list(csv.DictReader(text.splitlines(keepends=True))) == rows
    run(*command, "--json", "-o", tmp_path / "x.csv", status=2)
    told = "x.csv has a suffix that this command does not write; use "
    assert told in capsys.readouterr().err
    run(*command, "--bom", status=2)
    assert (
        "--bom needs CSV output, got text; pass -o with a name in .csv" in capsys.readouterr().err
    )
    run("domains", "entropy", labeled / "m", "-o", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text(encoding="utf-8").startswith("domain,direction,bits,")


def test_entropy(labeled, capsys):
    run("domains", "entropy", labeled / "m")
    rows = tsv(capsys.readouterr().out)
    assert [(row["domain"], row["direction"]) for row in rows] == [
        (name, direction) for direction in ("s2t", "t2s") for name in DOMAINS
    ]
    assert all(row["bits"] == row["bits_all_words"] for row in rows)
    run("domains", "entropy", labeled / "m", *pair(labeled), "--json")
    values = json.loads(capsys.readouterr().out)
    assert {value["weights"] for value in values} == {"text"}
    assert all(value["covered"] == 1.0 and 0 < value["bits"] < 4 for value in values)


def test_aligned_text_on_a_terminal(labeled, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    run("domains", "contrast", labeled / "m", "legal,medical", *pair(labeled), "--top", "2",
        "--show-examples")  # fmt: skip
    header, first, *rest = capsys.readouterr().out.splitlines()
    assert header.split() == ["word", "score", "occurrences", "legal", "medical"]
    assert first.index(" / ") < header.index("legal")
    assert sum(line.startswith("    legal: ") for line in rest) == 2
    run("domains", "typical", labeled / "m", *pair(labeled), "--top", "1", "--domain", "legal")
    assert re.match(r"legal, line \d+, log-odds per word [\d.]+\n  \S", capsys.readouterr().out)
    run("domains", "entropy", labeled / "m")
    lines = capsys.readouterr().out.splitlines()
    assert len({len(line) for line in lines}) == 1


def test_one_word_in_all_domains(labeled, capsys, monkeypatch):
    text, model = pair(labeled), AlignmentModel.load(labeled / "m")
    expected = model.translations("driver", top=2)
    run("domains", "translations", labeled / "m", "driver", *text, "--top", "2")
    rows = tsv(capsys.readouterr().out)
    assert [row["translation"] for row in rows] == list(expected.words)
    for row, probabilities in zip(rows, expected.probability.tolist(), strict=True):
        assert list(row) == [
            "translation", *(f"probability.{name}" for name in DOMAINS),
            *(f"links.{name}" for name in DOMAINS),
        ]  # fmt: skip
        found = [float(row[f"probability.{name}"]) for name in DOMAINS]
        assert found == pytest.approx(probabilities, abs=1e-4)
    bitext = model.encode(read_bitext(*text))
    links = model.align(bitext)
    linked = sum(
        bitext.target.words(pair)[target] == rows[0]["translation"]
        for pair, row in enumerate(links)
        for source, target in row
        if bitext.source.words(pair)[source] == "driver"
    )
    total = sum(float(rows[0][f"links.{name}"]) for name in DOMAINS)
    assert total == pytest.approx(linked, abs=0.3)
    run("domains", "translations", labeled / "m", "conductor", "--direction", "t2s", "--json")
    value = json.loads(capsys.readouterr().out)
    assert (value["word"], value["direction"], value["domains"]) == ("conductor", "t2s", DOMAINS)
    rows = {row["translation"]: row["domains"] for row in value["translations"]}
    assert tuple(rows) == model.translations("conductor", "t2s").words
    assert all(row["everyday"].keys() == {"probability"} for row in rows.values())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    run("domains", "translations", labeled / "m", "driver", *text, "--top", "1")
    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["driver", *DOMAINS]
    assert re.fullmatch(rf"{expected.words[0]}(\s+0\.\d\d \(\d+\)){{5}}", row)


def test_translations_without_links_in_the_text_are_left_out(labeled, tmp_path, capsys):
    sides = [file.read_text(encoding="utf-8").splitlines() for file in pair(labeled)]
    first = next(number for number, line in enumerate(sides[0]) if "the" in line.split())
    for lines, name in zip(sides, "ab", strict=True):
        (tmp_path / name).write_text(lines[first] + "\n", encoding="utf-8")
    command = ["domains", "translations", labeled / "m", "the"]
    run(*command)
    every = {row["translation"] for row in tsv(capsys.readouterr().out)}
    run(*command, tmp_path / "a", tmp_path / "b")
    rows = tsv(capsys.readouterr().out)
    linked = [[float(row[f"links.{name}"]) for name in DOMAINS] for row in rows]
    assert min(map(max, linked)) >= 0.5
    assert 0 < len(rows) < len(every)
    command[-1] = "driver"
    (tmp_path / "a").write_text("the house\n")
    run(*command, tmp_path / "a", tmp_path / "a")
    told = (
        "warning: no translation of 'driver' has an expected link count of 0.5 or more in the text"
    )
    assert told in capsys.readouterr().err


def test_contrast_without_occurrences(labeled, tmp_path, capsys):
    (tmp_path / "a").write_text("zzz\n")
    run("domains", "contrast", labeled / "m", "legal,software", tmp_path / "a", tmp_path / "a")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "warning: no word occurs in both legal and software" in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "MODEL"], "the following arguments are required: SRC"),
        (["contrast", "MODEL", "legal,medical"], "the following arguments are required: SRC"),
        (
            ["contrast", "MODEL", "legal,medical,software", "TEXT"],
            "A[,B] must be one domain, or two different domains, got 'legal,medical,software'",
        ),
        (
            ["contrast", "MODEL", "legal,legal", "TEXT"],
            "A[,B] must be one domain, or two different domains, got 'legal,legal'",
        ),
        (
            ["contrast", "MODEL", "legal,naval", "TEXT"],
            "unknown domain 'naval'; the model has everyday, legal",
        ),
        (
            ["entropy", "MODEL", "TEXT", "--show-examples"],
            "unrecognized arguments: --show-examples",
        ),
        (["predict", "MODEL", "TEXT", "--instance-weights-of", "naval"], "unknown domain 'naval'"),
        (["typical", "MODEL", "TEXT", "--domain", "naval"], "unknown domain 'naval'"),
        (
            ["translations", "MODEL", "driverz"],
            "'driverz' is not among the 1,057 source words of the model",
        ),
    ],
)
def test_domains_usage(labeled, capsys, arguments, message):
    words = {"TEXT": pair(labeled), "MODEL": [labeled / "m"]}
    given = [word for argument in arguments for word in words.get(argument, [argument])]
    run("domains", *given, status=2)
    assert message in capsys.readouterr().err


def test_contrast_of_a_model_of_one_domain(labeled, tmp_path, capsys):
    run("align", *pair(labeled), "--model", tmp_path / "m", "-q", "-o", tmp_path / "links")
    run("domains", "contrast", tmp_path / "m", "general", *pair(labeled), status=2)
    told = "the model must have at least two domains, got one"
    assert told in capsys.readouterr().err


def test_contrast_of_a_model_without_language_models(labeled, tmp_path, capsys):
    run("align", *pair(labeled), "--labels", labeled / "train.labels", "--model", tmp_path / "m",
        "--language-model-order", "0", "--preset", "paper", "-q",
        "-o", tmp_path / "links")  # fmt: skip
    run("domains", "contrast", tmp_path / "m", "legal,software", *pair(labeled))
    assert len(tsv(capsys.readouterr().out)) > 5
