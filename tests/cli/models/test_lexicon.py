"""isogloss lexicon from outside."""

import gzip
import json

import pytest

from tests.cli.models.labeled_text import run


@pytest.mark.parametrize("style", ["tsv", "moses", "marian", "bicleaner"])
def test_lexicon_formats(labeled, tmp_path, style):
    out = tmp_path / "lexicon.gz"
    command = ["lexicon", labeled / "m", "--to", style, "--domain", "legal"]
    run(*command, "--direction", "t2s", "-o", out)
    lines = gzip.decompress(out.read_bytes()).decode().splitlines()
    about = json.loads((tmp_path / "lexicon.gz.json").read_text())
    assert len(lines) == about["entries"] > 100
    assert (about["format"], about["direction"]) == (style, "t2s")
    assert (about["model"], about["domain"]) == ("m", "legal")
    assert about["columns"][2] == "t(source | target)"
    assert any(line.split()[:2] in (["y", "and"], ["and", "y"]) for line in lines)


def test_lexicon_usage(labeled, tmp_path, capsys):
    run("lexicon", labeled / "m", "--to", "bicleaner", "-o", tmp_path / "plain", status=2)
    run("lexicon", labeled / "m", "--min-prob", "1.5", status=2)
    run("lexicon", labeled / "m", "--to", "eflomal", status=2)
    text = capsys.readouterr().err
    assert "bicleaner reads only gzip files" in text
    assert "--min-prob must be at least 0 and below 1, got 1.5" in text
    assert list(tmp_path.iterdir()) == []
