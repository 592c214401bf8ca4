"""isogloss eflomal-priors from outside."""

from tests.cli.models.labeled_text import LINES, pair, run


def test_priors(labeled, tmp_path, capsys):
    text, links = pair(labeled), (labeled / "fwd", labeled / "rev")
    run("eflomal-priors", *text, *links, "-o", tmp_path / "priors")
    lines = (tmp_path / "priors").read_text(encoding="utf-8").splitlines()
    assert list(dict.fromkeys(line.split("\t")[0] for line in lines)) == [
        "LEX", "FERF", "FERR", "HMMF", "HMMR",
    ]  # fmt: skip
    links_counted = (labeled / "rev").read_text().count("-")
    assert sum(float(line.split("\t")[3]) for line in lines if line[:4] == "LEX\t") == links_counted
    run("eflomal-priors", *text, "-o", tmp_path / "again", *links)  # the option stands between
    assert (tmp_path / "again").read_bytes() == (tmp_path / "priors").read_bytes()
    run("eflomal-priors", *text, *links[::-1], "-o", tmp_path / "swapped")
    assert "so they look swapped" in capsys.readouterr().err
    rows = [file.read_text(encoding="utf-8").splitlines() for file in text]
    (tmp_path / "both.tsv").write_text(
        "".join(f"{a}\t{b}\n" for a, b in zip(*rows, strict=True)), encoding="utf-8"
    )
    run("eflomal-priors", tmp_path / "both.tsv", *links, "-o", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "priors").read_bytes()


def test_priors_usage(labeled, capsys):
    run("eflomal-priors", *pair(labeled), status=2)
    assert "T2S or S2T is missing" in capsys.readouterr().err
    (labeled / "bad").write_text("0-0\n" * (LINES - 1) + "0-99\n")
    run("eflomal-priors", *pair(labeled), labeled / "fwd", labeled / "bad", status=1)
    assert f"bad, line {LINES}: link 0-99 is out of range" in capsys.readouterr().err
