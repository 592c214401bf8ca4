"""JSON lines whose sides are named by their languages."""

import json
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_bitext


def put(folder: Path, text: str) -> Path:
    (folder / "x").write_text(text)
    return folder / "x"


def sides(bitext: Bitext) -> list[tuple[str, ...]]:
    return [
        (" ".join(bitext.source.words(k)), " ".join(bitext.target.words(k)))
        for k in range(len(bitext))
    ]


def test_json_translations(tmp_path: Path) -> None:
    lines = [
        {"id": 1, "translation": {"en-GB": "a", "es": "x", "fr": "p"}},
        {"translation": {"ES_mx": "y", "en": "b"}},
        {"source": "c", "target": "z"},
    ]
    path = put(tmp_path, "\n".join(map(json.dumps, lines)))
    assert sides(read_bitext(path, languages=("en", "es"))) == [("a", "x"), ("b", "y"), ("c", "z")]
    with pytest.raises(
        DataError,
        match=r"x, line 1: the translation has en-GB, es, fr; expected the two languages to read\. "
        r'Pass them, source first: `languages=\("en", "es"\)`',
    ):
        read_bitext(path)
    with pytest.raises(
        DataError, match="x, line 2: the translation has ES_mx, en; expected en and fr"
    ):
        read_bitext(path, languages=("en", "fr"))


def test_json_keys_that_are_languages(tmp_path: Path) -> None:
    lines = [{"id": 1, "en-GB": "a", "es": "x", "fr": "p"}, {"es_MX": "y", "en": "b"}]
    path = put(tmp_path, "\n".join(map(json.dumps, lines)))
    assert sides(read_bitext(path, languages=("en", "es"))) == [("a", "x"), ("b", "y")]
    assert sides(read_bitext(path, languages=("es", "en"))) == [("x", "a"), ("y", "b")]
    with pytest.raises(
        DataError, match=r"x, line 1: the record has the keys id, en-GB, es, fr; .*, or languages"
    ):
        read_bitext(path)
    with pytest.raises(DataError, match="x, line 2: the record has the keys es_MX, en; expected"):
        read_bitext(path, languages=("en", "fr"))
