"""isogloss dictionary from outside."""

import csv
import gzip

import pytest
from lxml import etree

from tests.cli.models.labeled_text import LINES, pair, run, tsv

TBX = "{urn:iso:std:iso:30042:ed-2}"


def test_pairs_of_each_domain(labeled, tmp_path, capsys):
    command = ["dictionary", labeled / "m", *pair(labeled)]
    run(*command, "--top", "20", "--threads", "1", "-o", tmp_path / "one.tsv")
    captured = capsys.readouterr()
    assert "legal: 20 pairs" in captured.err
    rows = tsv((tmp_path / "one.tsv").read_text(encoding="utf-8"))
    counted = [row for row in rows if row["domain"] == "legal"]
    assert len(counted) == 20
    assert all(float(row["special"]) > 0 and float(row["llr"]) > 0 for row in counted[:5])
    assert all(float(row["count"]) >= 3 and float(row["confidence"]) >= 0.5 for row in rows)
    by_domain = {
        name: {row["source"] for row in rows if row["domain"] == name}
        for name in ("legal", "medical", "software")
    }
    assert not by_domain["legal"] & by_domain["medical"] & by_domain["software"]
    run(*command, "--top", "20", "--threads", "2", "-q", "-o", tmp_path / "two.tsv")
    assert (tmp_path / "two.tsv").read_bytes() == (tmp_path / "one.tsv").read_bytes()


def test_what_is_known_already(labeled, tmp_path, capsys):
    """Links and posteriors of files in place of the model's give the same."""
    run("apply", labeled / "m", *pair(labeled), "--scores", "-q", "-o", tmp_path / "links")
    lines = (tmp_path / "links").read_text().splitlines()
    plain = [" ".join(link.partition(":")[0] for link in line.split()) for line in lines]
    (tmp_path / "plain").write_text("\n".join([*plain, ""]))
    run("domains", "predict", labeled / "m", *pair(labeled), "-o", tmp_path / "p.tsv")
    command = ["dictionary", labeled / "m", *pair(labeled), "--domain", "legal", "-q"]
    run(*command)
    run(*command, "--links", tmp_path / "links", "--domain-posteriors", tmp_path / "p.tsv")
    run(*command, "--links", tmp_path / "plain")
    texts = capsys.readouterr().out.split("domain\t")[1:]
    pairs = [sorted(line.split("\t")[1:3] for line in text.splitlines()[1:]) for text in texts]
    assert pairs[0] == pairs[1] == pairs[2]
    assert len(pairs[0]) > 20
    run(*command, "--labels", labeled / "train.labels", "--sort", "count")
    counts = [float(row["count"]) for row in tsv(capsys.readouterr().out)]
    assert counts == sorted(map(round, counts), reverse=True)


def test_csv_and_tbx(labeled, tmp_path):
    command = ["dictionary", labeled / "m", *pair(labeled), "--domain", "all", "--top", "5", "-q"]
    run(*command, "--examples", "2", "-o", tmp_path / "all.csv.gz")
    text = gzip.decompress((tmp_path / "all.csv.gz").read_bytes()).decode()
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert text.count("\r\n") == len(rows) + 1 == 6
    lines = [file.read_text(encoding="utf-8").splitlines() for file in pair(labeled)]
    for row in rows:
        for number in (1, 2):
            line = int(row[f"example{number}.line"])
            assert row[f"example{number}.source"] == lines[0][line - 1]
            assert row[f"example{number}.target"] == lines[1][line - 1]
            assert row["source"] in lines[0][line - 1]
    run(*command, "--examples", "1", "--langs", "en-es", "-o", tmp_path / "all.tbx")
    root = etree.parse(str(tmp_path / "all.tbx")).getroot()
    terms = [term.text for term in root.iter(f"{TBX}term")]
    assert terms == [row[side] for row in rows for side in ("source", "target")]
    assert len(list(root.iter(f"{TBX}descripGrp"))) == 10


def test_stopwords(labeled, tmp_path, capsys):
    command = ["dictionary", labeled / "m", *pair(labeled), "--domain", "all", "--top", "0", "-q"]
    run(*command)
    every = {row["source"] for row in tsv(capsys.readouterr().out)}
    assert "the" in every
    (tmp_path / "stop").write_text("The\n")
    run(*command, "--stopwords", tmp_path / "stop", "--min-characters", "4")
    rows = tsv(capsys.readouterr().out)
    assert rows
    assert not any("the" in (row["source"].split()[0], row["source"].split()[-1]) for row in rows)
    assert min(len(row[side]) for row in rows for side in ("source", "target")) >= 4


def test_files_for_excel(labeled, tmp_path, capsys):
    command = ["dictionary", labeled / "m", *pair(labeled), "--domain", "all", "--top", "3", "-q"]
    run(*command, "--bom", "-o", tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_bytes().startswith(b"\xef\xbb\xbfdomain,source,")
    run(*command, "--bom", "-o", tmp_path / "all.tsv", status=2)
    assert "--bom needs CSV output, got tsv; pass -o with a name in .csv" in capsys.readouterr().err
    run(*command, "--to", "xlsx", status=2)
    told = "xlsx output must be a file; pass its name, such as -o x.xlsx"
    assert told in capsys.readouterr().err
    pytest.importorskip("xlsxwriter", reason="needs pip install isogloss[tables]")
    run(*command, "-o", tmp_path / "all.xlsx")
    assert (tmp_path / "all.xlsx").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--domain", "cooking"],
            "the model has no domain 'cooking'; --domain must be one of everyday",
        ),
        (
            ["--to", "tbx"],
            "TBX output needs the languages of its terms; pass --langs, such as en-es",
        ),
        (
            ["--labels", "x", "--domain-posteriors", "y"],
            "--domain-posteriors and --labels exclude each other",
        ),
        (
            ["--domain", "all", "--sort", "special"],
            "domain specificity is undefined for the whole text",
        ),
        (["--max-phrase-length", "9"], "--max-phrase-length must be between 1 and 8, got 9"),
        (["--min-confidence", "2"], "--min-confidence must be between 0 and 1, got 2"),
    ],
)
def test_usage(labeled, capsys, options, message):
    run("dictionary", labeled / "m", *pair(labeled), *options, status=2)
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_nothing_is_left(labeled, tmp_path, capsys):
    (tmp_path / "a").write_text("the house\n")
    (tmp_path / "b").write_text("la casa\n")
    run("dictionary", labeled / "m", tmp_path / "a", tmp_path / "b", "--domain", "legal")
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1  # the header
    assert (
        "warning: no translation pair remains. Lower --min-count or --min-confidence, pass --rarer"
        in captured.err
    )


def test_links_that_do_not_fit(labeled, tmp_path, capsys):
    (tmp_path / "links").write_text("0-0\n")
    run("dictionary", labeled / "m", *pair(labeled), "--links", tmp_path / "links", status=1)
    assert f"the links have 1 line; expected {LINES}" in capsys.readouterr().err


def test_several_domains(labeled, capsys):
    command = ["dictionary", labeled / "m", *pair(labeled), "--top", "2", "-q"]
    rows = {}
    for names in (["legal"], ["medical"], ["medical", "legal", "medical"]):
        run(*command, *(word for name in names for word in ("--domain", name)))
        rows[len(rows)] = tsv(capsys.readouterr().out)
    assert rows[2] == rows[1] + rows[0]
    run(*command, "--domain", "legal", "--domain", "law", status=2)
    assert "the model has no domain 'law'; --domain must be one of" in capsys.readouterr().err
