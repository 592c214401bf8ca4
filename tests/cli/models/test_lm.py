"""isogloss lm from outside."""

import pytest

from isogloss import program


@pytest.mark.parametrize("name", ["lm.bin", "lm.BLM", "lm.binary"])
def test_a_name_of_a_binary_model(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("the cat sat\n")
    assert program.main(["lm", "text", "-o", name]) == 2
    assert capsys.readouterr().err == (
        f"isogloss lm: {name} has the suffix of a binary language model, but the output is ARPA "
        f"text; write lm.arpa and convert it with KenLM: build_binary lm.arpa {name}\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text"]
