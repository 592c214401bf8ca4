"""isogloss concordance from outside."""

import csv
import io
import json
from collections import Counter

import pytest

from isogloss.align import read_links
from isogloss.align.model.model import AlignmentModel
from tests.cli.models.labeled_text import pair, run


def command(labeled, *more):
    return ["concordance", labeled / "m", *pair(labeled), labeled / "links", *more]


def tsv(text):
    return list(csv.DictReader(io.StringIO(text), dialect="excel-tab", quoting=csv.QUOTE_NONE))


def test_lines_of_a_word(labeled, capsys):
    run(*command(labeled, "the", "--limit", "3"))
    rows = tsv(capsys.readouterr().out)
    assert {row["word"] for row in rows} == {"the"}
    assert all("[the]" in row["source"].split() for row in rows)
    for row in rows:
        marked = [word[1:-1] for word in row["target"].split() if word.startswith("[")]
        assert " ".join(marked) == row["translation"] or row["translation"] == "(no link)"
    run(*command(labeled, "the", "--json", "--limit", "3"))
    (found,) = json.loads(capsys.readouterr().out)
    assert found["word"] == "the"
    assert sum(len(one["lines"]) for one in found["translations"]) == len(rows)
    assert sum(one["occurrences"] for one in found["translations"]) == found["occurrences"]
    assert sum(sum(one["domains"].values()) for one in found["translations"]) == pytest.approx(
        found["occurrences"], abs=0.01 * len(found["translations"]) * 5
    )


def test_lines_of_a_phrase(labeled, capsys):
    sides = [file.read_text(encoding="utf-8").splitlines() for file in pair(labeled)]
    phrases = Counter(
        two for line in sides[0] for two in zip(line.split(), line.split()[1:], strict=False)
    )
    phrase = " ".join(next(two for two, _ in phrases.most_common() if two[0] != two[1]))
    count = sum(f" {line} ".count(f" {phrase} ") for line in sides[0])
    run(*command(labeled, phrase, "--json", "--limit", "10000"))
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["word"], found["occurrences"]) == (phrase, count)
    links = read_links(labeled / "links")
    marked = " ".join(f"[{word}]" for word in phrase.split())
    for one in found["translations"]:
        for line in one["lines"]:
            number = line["line"] - 1
            begin = len(line["source"].partition(marked)[0].split())
            partners = {j for i, j in links[number] if begin <= i < begin + 2}
            words = sides[1][number].split()
            assert " ".join(words[j] for j in sorted(partners)) in (one["translation"], "")
            assert line["target"] == " ".join(
                f"[{word}]" if j in partners else word for j, word in enumerate(words)
            )


def test_links_in_another_format(labeled, tmp_path, capsys):
    run(*command(labeled, "the", "--limit", "3"))
    told = capsys.readouterr().out
    run("convert", labeled / "links", *pair(labeled), "--to", "xl-wa", "-o", tmp_path / "x.tsv")
    words = command(labeled, "the", "--limit", "3")
    run(*(tmp_path / "x.tsv" if word == labeled / "links" else word for word in words))
    assert capsys.readouterr().out == told
    run("convert", labeled / "links", "--to", "talp", "-o", tmp_path / "x.talp")
    run(*(tmp_path / "x.talp" if word == labeled / "links" else word for word in words))
    assert capsys.readouterr().out == told
    (tmp_path / "short").write_text("0-0\n")
    run(*(tmp_path / "short" if word == labeled / "links" else word for word in words), status=1)
    assert "short: the links have 1 line; expected" in capsys.readouterr().err


def test_a_page_and_a_sheet(labeled, tmp_path, capsys):
    run(*command(labeled, "the", "a", "-o", tmp_path / "x.html"))
    assert f" occurrences in {tmp_path / 'x.html'}\n" in capsys.readouterr().err
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert text.count('<section id="word-') == 2
    run(*command(labeled, "the", "--bom", "-o", tmp_path / "x.csv"))
    assert (tmp_path / "x.csv").read_bytes().startswith(b"\xef\xbb\xbfword,translation,line,")


@pytest.mark.parametrize("suffix", ["tsv", "csv"])
def test_counts_beside_the_lines(labeled, tmp_path, capsys, suffix):
    counts = tmp_path / f"counts.{suffix}"
    run(*command(labeled, "the", "a", "--counts", counts, "-o", tmp_path / "lines.html"))
    dialect = "excel-tab" if suffix == "tsv" else "excel"
    rows = list(csv.DictReader(io.StringIO(counts.read_text(encoding="utf-8")), dialect=dialect))
    run(*command(labeled, "the", "a", "--json"))
    told = capsys.readouterr().out
    for word, found in zip(("the", "a"), json.loads(told), strict=True):
        own = [row for row in rows if row["word"] == word]
        assert [int(row["rank"]) for row in own] == list(range(1, len(own) + 1))
        for row, one in zip(own, found["translations"], strict=True):
            assert (row["translation"], int(row["count"])) == (
                one["translation"], one["occurrences"]
            )  # fmt: skip
            assert float(row["share"]) == pytest.approx(
                one["occurrences"] / found["occurrences"], abs=1e-4
            )
            for name, value in one["domains"].items():
                assert float(row[f"occurrences.{name}"]) == pytest.approx(value, abs=0.011)
            assert float(row["p"]) == pytest.approx(one["p"], rel=1e-2)
            assert float(row["word_p"]) == pytest.approx(found["p"], rel=1e-2)


@pytest.mark.parametrize("direction", ["s2t", "t2s"])
def test_probabilities_of_the_translations(labeled, tmp_path, capsys, direction):
    model = AlignmentModel.load(labeled / "m")
    word = {"s2t": "the", "t2s": "la"}[direction]
    more = ("--direction", direction, "--counts", tmp_path / "c.tsv")
    run(*command(labeled, word, "--json", "--limit", "1", *more))
    (found,) = json.loads(capsys.readouterr().out)
    rows = tsv((tmp_path / "c.tsv").read_text(encoding="utf-8"))
    tables = {name: model.lexicon(direction, name)[word] for name in model.domains}
    general = model.lexicon(direction)[word]
    assert sum(one["probability"] is not None for one in found["translations"]) >= 1
    for one, row in zip(found["translations"], rows, strict=True):
        if " " in one["translation"]:
            assert (one["probability"], one["domain_probabilities"]) == (None, {})
            assert row["probability"] == ""
            continue
        expected = {name: table.get(one["translation"], 0.0) for name, table in tables.items()}
        assert one["domain_probabilities"] == pytest.approx(expected)
        assert one["probability"] == pytest.approx(general.get(one["translation"], 0.0))
        for name, value in expected.items():
            assert float(row[f"probability.{name}"]) == pytest.approx(value, abs=6e-5)
    page = tmp_path / "x.html"
    run(*command(labeled, word, "--direction", direction, "-o", page))
    given = {"s2t": "p(t|s)", "t2s": "p(s|t)"}[direction]
    text = page.read_text(encoding="utf-8")
    assert f'<th scope="col">{given}</th>' in text
    best = max(found["translations"], key=lambda one: one["probability"] or 0)
    assert f"<td>{best['probability']:.3f}</td>" in text


def test_a_byte_order_mark_of_either_table(labeled, tmp_path):
    files = {name: tmp_path / name for name in ("a.tsv", "a.csv", "b.tsv", "b.csv")}
    for lines, counts in (("a.tsv", "a.csv"), ("b.csv", "b.tsv")):
        run(*command(labeled, "the", "--bom", "-o", files[lines], "--counts", files[counts]))
    marked = {name: file.read_bytes().startswith(b"\xef\xbb\xbf") for name, file in files.items()}
    assert marked == {"a.tsv": False, "a.csv": True, "b.tsv": False, "b.csv": True}


def test_what_is_refused(labeled, tmp_path, capsys):
    run(*command(labeled, "xyzzy"), status=2)
    assert "the text does not contain 'xyzzy'" in capsys.readouterr().err
    run(*command(labeled, "the", "--json", "-o", tmp_path / "x.html"), status=2)
    assert "--json cannot be written to a page; pass -o with a name" in capsys.readouterr().err
    run(*command(labeled, "the", "--counts", tmp_path / "x.json"), status=2)
    assert "x.json has a suffix that this command does not write" in capsys.readouterr().err
    run(*command(labeled, "the", "-o", tmp_path / "x", "--counts", tmp_path / "x"), status=2)
    assert "is used for two outputs; give each output its own file" in capsys.readouterr().err
    run(*command(labeled, "the", "--bom"), status=2)
    assert (
        "--bom needs CSV output, got text; pass -o with a name in .csv" in capsys.readouterr().err
    )
