"""Sections of TOML files: values of their types, paths, keys that are not known."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.records import Count, Name
from isogloss.runs.decoder_config import ModelFile, read_decoder_config
from isogloss.runs.toml_section import Section, read_toml, resolve_path, tables
from isogloss.tune.decoder.model import DecoderSettings
from isogloss.tune.decoder.stored_models import MODELS_FORMAT

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
    with pytest.raises(DataError, match=r"run\.toml: \[tune\] epochs is 'x'; expected an integer"):
        section(epochs="x").take("epochs", 8)


def test_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUS", "law")
    monkeypatch.delenv("MISSING", raising=False)
    named = section(source="${CORPUS}/a.en", refs=["b", "/c"], other="${MISSING:-d}/e")
    assert named.path("source") == Path("/data/law/a.en")
    assert named.paths("refs") == (Path("/data/b"), Path("/c"))
    assert named.path("other") == Path("/data/d/e")
    assert named.path("none") is None
    with pytest.raises(
        DataError, match=r"run\.toml: \[tune\] has no none; expected the name of a file"
    ):
        named.path("none", required=True)
    with pytest.raises(UsageError, match="the environment variable MISSING is not set"):
        resolve_path("${MISSING}/x", Path("/data"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (5, r"\[tune\] source is 5; expected a string"),
        ("a\0b", r"\[tune\] source is 'a\\x00b'; expected a string without NUL or unpaired"),
        (
            "~nobody-here/a",
            r"\[tune\] source = '~nobody-here/a': the value is not the name of a file: ",
        ),
        ("${MISSING}/a", r"\[tune\] source = .*: the environment variable MISSING is not set"),
        (
            "${a:-" * 10**6,
            r"\[tune\] source = "
            r"'\${a:-.{54}\.\.\.: the name has 5,000,000 characters; at most 4,096",
        ),
    ],
    ids=range(5),
)
def test_what_names_no_file(name: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MISSING", raising=False)
    with pytest.raises(DataError, match=rf"^run\.toml: {message}"):
        section(source=name).path("source")
    with pytest.raises(DataError, match=r"^run\.toml: \[tune\] source"):
        section(source=[name]).paths("source")


@pytest.mark.parametrize(
    ("value", "default", "kind", "expected"),
    [
        (True, 1, None, "an integer"),
        (1 << 60, 1, None, "an integer of at most 2147483647"),
        (-1, 1, Count, "an integer of at least 0"),
        (float("inf"), 0.5, None, "a finite number"),
        ("a b", "-", Name, "a printable name without spaces"),
        (1, True, None, "true or false"),
        ([1], (), None, "a string"),
        ("ab", (), None, "a list"),
    ],
)
def test_values_out_of_range(value: object, default: object, kind: object, expected: str) -> None:
    with pytest.raises(DataError, match=rf"run\.toml: \[tune\] key.* is .*; expected {expected}$"):
        section(key=value).take("key", default, kind)


def test_what_is_no_table() -> None:
    with pytest.raises(DataError, match=r"run\.toml: run = 5; expected a table \[run\]"):
        Section(5, "run", FILE, Path("/data"))
    assert tables({"train": [1]}, "train", FILE) == [1]
    assert tables({}, "train", FILE) == []
    with pytest.raises(DataError, match=r"\[train\]; expected tables \[\[train\]\]"):
        tables({"train": {"source": "a"}}, "train", FILE)
    with pytest.raises(DataError, match=r"run\.toml: train = 5; expected tables \[\[train\]\]"):
        tables({"train": 5}, "train", FILE)


def test_a_table_within_tables_without_end_in_place_of_a_list() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(DataError, match=r"run = a list of 1; expected a table \[run\]$"):
        Section([deep], "run", FILE, Path("/data"))
    with pytest.raises(DataError, match=r"run\.toml: \[train\]; expected tables \[\[train\]\]"):
        tables({"train": {"a": deep}}, "train", FILE)
    with pytest.raises(DataError, match=r"\[tune\] epochs is an object; expected an integer$"):
        section(epochs=deep).take("epochs", 1)
    while isinstance(deep, dict):  # or it is taken apart by recursion
        deep = deep.popitem()[1]


def test_options_of_a_dataclass() -> None:
    base = DecoderSettings(distortion_limit=3)
    settings = section(stack_size=7).options(DecoderSettings, base)
    assert settings == DecoderSettings(stack_size=7, distortion_limit=3)
    with pytest.raises(DataError, match=r"run\.toml: \[tune\] table_limit must be between 1 and"):
        section(table_limit=0).options(DecoderSettings, base)


def test_keys_that_are_not_known() -> None:
    message = r"run\.toml: \[tune\] has an unknown key 'epoch'; expected a key of docs/re"
    with pytest.raises(DataError, match=message):
        section(epoch=3).done()
    for key, known, near in (("epoch", "epochs", "epochs"), ("decay", "document_decay", "docu")):
        table = section(**{key: 3})
        table.take(known, 1)
        with pytest.raises(DataError, match=rf"unknown key '{key}'; did you mean {near}"):
            table.done()
    table = section(stack=3)
    table.options(DecoderSettings, DecoderSettings())
    with pytest.raises(DataError, match=r"unknown key 'stack'; did you mean stack_size\?"):
        table.done()


WBE = "wbe-msd-bidirectional-fe"


def test_the_decoder(tmp_path: Path) -> None:
    file = tmp_path / "decoder.toml"
    file.write_text('[decoder]\nphrase_table = "t"\nlanguage_model = "/lm"\nstack_size = 9\n')
    config = read_decoder_config(file)
    assert config.phrase_table == tmp_path / "t"
    assert config.language_models == (ModelFile(Path("/lm")),)
    assert config.weights is None
    assert config.settings == DecoderSettings(stack_size=9)
    text = '[decoder]\nphrase_table = "t"\nlanguage_model = "/lm"\nstate_templates = '
    file.write_text(f'{text}["lo"]\n')
    assert [template.spec for template in read_decoder_config(file).templates] == ["lo"]
    file.write_text(f'{text}["lo", "pt"]\n')
    with pytest.raises(
        DataError, match="template 'pt' is a rule template; expected a state template"
    ):
        read_decoder_config(file)
    file.write_text('[decoder]\nphrase_table = "t"\nlanguage_models = ["/lm", "other"]\n')
    both = (ModelFile(Path("/lm")), ModelFile((tmp_path / "other").resolve()))
    assert read_decoder_config(file).language_models == both
    file.write_text(
        '[decoder]\nphrase_table = "t"\nlanguage_model = "a"\nlanguage_models = ["b"]\n'
    )
    with pytest.raises(
        DataError, match="has both language_model and language_models; expected one of"
    ):
        read_decoder_config(file)
    file.write_text('[decoder]\nphrase_table = "t"\n')
    with pytest.raises(
        DataError, match=r"\[decoder\] has no language_model; expected the name of a file"
    ):
        read_decoder_config(file)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / MODELS_FORMAT.header).write_text("{}")
    assert read_decoder_config(file).is_saved
    for more in ('language_model = "a"', 'language_models = ["a"]', f'reordering = ["{WBE}=b"]'):
        file.write_text(f'[decoder]\nphrase_table = "t"\n{more}\n')
        with pytest.raises(DataError, match="is a folder that contains all models; expected n"):
            read_decoder_config(file)


def test_a_language_model_with_an_ngram_twice(tmp_path: Path) -> None:
    unigrams = "-1\t<unk>\t0\n-99\t<s>\t0\n-1\t</s>\t0\n-1\ta\t0\n"
    counts = "\\data\\\nngram 1=4\nngram 2=2\n\n"
    text = f"{counts}\\1-grams:\n{unigrams}\n\\2-grams:\n-1\ta a\n-1\ta a\n\n\\end\\\n"
    (tmp_path / "lm").write_text(text)
    with pytest.raises(
        DataError, match="lm: a 2-gram occurs twice in the language model; expected"
    ):
        ModelFile(tmp_path / "lm").read()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a\n", r"run\.toml: the file is not valid TOML: "),
        (None, r"run\.toml cannot be read: No such file"),
        (
            "a = " + "9" * 5000,
            r"run\.toml: the file is not valid TOML: a number has thousands of digits$",
        ),
        (
            "a = " + "[" * 8000,
            r"run\.toml: the file is not valid TOML: lists or tables are nested too deeply",
        ),
        (
            "\n" + "a." * 50_000 + "b = 1",
            r"run\.toml, line 2: the line has 100,005 characters; expected at most 8,192",
        ),
        ("#\n" * (1 << 19) + "#", r"run.toml: the file has more than 1,048,576 bytes"),
    ],
    ids=range(6),
)
def test_files_that_are_no_toml(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "run.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(DataError, match=message):
        read_toml(file)
