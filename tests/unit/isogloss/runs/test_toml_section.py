"""Sections of TOML files: values of their types, paths, keys that are not known."""

from pathlib import Path

import pytest

from align.errors import DataError, UsageError
from isogloss.runs.decoder_config import read_decoder_config
from isogloss.runs.toml_section import Section, read_toml, resolve_path
from tune.decoder.model import DecoderSettings

FILE = Path("run.toml")


def section(**values: object) -> Section:
    return Section(values, "tune", FILE, Path("/data"))


def test_values_have_the_types_of_their_defaults() -> None:
    taken = section(epochs=3, rate=1, names=["a"])
    assert taken.take("epochs", 8) == 3
    assert taken.take("nbest", 100) == 100
    assert isinstance(taken.take("rate", 0.5), float)
    assert taken.take("names", ()) == ("a",)
    taken.done()
    with pytest.raises(DataError, match=r"run\.toml: \[tune\] epochs = 'x'; expected a int"):
        section(epochs="x").take("epochs", 8)


def test_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUS", "law")
    monkeypatch.delenv("MISSING", raising=False)
    named = section(source="${CORPUS}/a.en", refs=["b", "/c"], other="${MISSING:-d}/e")
    assert named.path("source") == Path("/data/law/a.en")
    assert named.paths("refs") == (Path("/data/b"), Path("/c"))
    assert named.path("other") == Path("/data/d/e")
    assert named.path("none") is None
    with pytest.raises(DataError, match=r"run\.toml: \[tune\] has no none; expected a file"):
        named.path("none", required=True)
    with pytest.raises(UsageError, match="the environment variable MISSING is not set"):
        resolve_path("${MISSING}/x", Path("/data"))


def test_options_of_a_dataclass() -> None:
    base = DecoderSettings(distortion_limit=3)
    settings = section(stack_size=7).options(DecoderSettings, base)
    assert settings == DecoderSettings(stack_size=7, distortion_limit=3)
    with pytest.raises(DataError, match=r"run\.toml: \[tune\] table limit 0; expected at least 1"):
        section(table_limit=0).options(DecoderSettings, base)


def test_keys_that_are_not_known() -> None:
    message = r"run\.toml: \[tune\] has an unknown key 'epoch'; expected the keys that docs/pi"
    with pytest.raises(DataError, match=message):
        section(epoch=3).done()


def test_the_decoder(tmp_path: Path) -> None:
    file = tmp_path / "decoder.toml"
    file.write_text('[decoder]\nphrase_table = "t"\nlanguage_model = "/lm"\nstack_size = 9\n')
    config = read_decoder_config(file)
    assert (config.phrase_table, config.language_model) == (tmp_path / "t", Path("/lm"))
    assert config.weights is None
    assert config.settings == DecoderSettings(stack_size=9)
    file.write_text('[decoder]\nphrase_table = "t"\n')
    with pytest.raises(DataError, match=r"\[decoder\] has no language_model; expected a file"):
        read_decoder_config(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [("[a\n", r"run\.toml: not TOML: "), (None, r"run\.toml: No such file.*; expected a readable")],
)
def test_files_that_are_no_toml(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "run.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(DataError, match=message):
        read_toml(file)
