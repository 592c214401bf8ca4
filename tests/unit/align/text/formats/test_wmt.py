"""Test sets of WMT since 2021."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.readers import iter_pairs


def side(element: str, texts: dict[int, str], attributes: str) -> str:
    segments = "\n".join(f'<seg id="{number}">{text}</seg>' for number, text in texts.items())
    return f"<{element} {attributes}>\n<p>{segments}</p>\n</{element}>"


def doc(source: dict[int, str], *others: str, lang: str = "en") -> str:
    sides = "".join((side("src", source, f'lang="{lang}"'), *others))
    return f'<doc id="d" origlang="en">{sides}</doc>'


def ref(texts: dict[int, str], lang: str = "de", translator: str = "A") -> str:
    return side("ref", texts, f'lang="{lang}" translator="{translator}"')


def put(folder: Path, *docs: str) -> Path:
    path = folder / "x.xml"
    path.write_text(
        "<?xml version='1.0' encoding='utf-8'?>\n<dataset id='newstest'>\n<collection id='general'>"
        f"{''.join(docs)}</collection></dataset>\n",
        encoding="utf-8",
    )
    return path


def pairs(path: Path, languages: tuple[str, str] | None = None) -> list[tuple[int, str, str]]:
    found = iter_pairs(path, languages=languages)
    return [(pair.number, pair.source, pair.target) for pair in found]


def test_documents(tmp_path: Path) -> None:
    hyp = side("hyp", {1: "no", 2: "no"}, 'lang="de" system="S"')
    path = put(
        tmp_path,
        doc({1: "a &amp; b", 2: "c\nd"}, ref({2: "z", 1: "ä"}), hyp),
        doc({1: "e"}, ref({1: ""})),
    )
    assert pairs(path) == [(1, "a & b", "ä"), (2, "c d", "z"), (3, "e", "")]
    assert pairs(path, ("de", "en"))[0] == (1, "ä", "a & b")
    assert pairs(path, ("en", "de")) == pairs(path)


def test_the_first_of_several_references(tmp_path: Path) -> None:
    several = ref({1: "x"}), ref({1: "y"}, translator="B")
    path = put(tmp_path, doc({1: "a"}, *several), doc({1: "b"}, ref({1: "z"})))
    with pytest.warns(DataWarning, match="1 document has several references; the first one is"):
        assert pairs(path) == [(1, "a", "x"), (2, "b", "z")]


def test_references_in_several_languages(tmp_path: Path) -> None:
    path = put(tmp_path, doc({1: "a"}, ref({1: "x"}), ref({1: "y"}, "cs")))
    assert pairs(path, ("en", "cs")) == [(1, "a", "y")]
    with pytest.raises(DataError, match="no segment is in the languages en-fr; the languages are"):
        pairs(path, ("en", "fr"))
    path = put(tmp_path, doc({1: "a"}, ref({1: "x"})), doc({1: "b"}, ref({1: "y"}, "cs")))
    with pytest.raises(DataError, match="the languages are en-de, en-cs; expected one pair of lan"):
        pairs(path)
    with pytest.warns(DataWarning, match="1 of 2 segments are not in en-cs and are skipped"):
        assert pairs(path, ("en", "cs")) == [(2, "b", "y")]


def test_segments_without_a_reference(tmp_path: Path) -> None:
    path = put(tmp_path, doc({1: "a", 2: "b"}, ref({2: "x"})), doc({1: "c"}))
    with pytest.warns(DataWarning, match=r"missing in 2 of 3 segments \(first: segment 1\); such"):
        assert pairs(path) == [(2, "b", "x")]
    with pytest.raises(DataError, match=r"x.xml: no segment has a translation; expected segments"):
        pairs(put(tmp_path, doc({1: "a"})))


def test_what_cannot_be_read(tmp_path: Path) -> None:
    path = put(tmp_path, doc({1: "a"}, ref({1: "x"})))
    path.write_text(path.read_text().replace("</collection>", ""))
    with pytest.raises(
        DataError, match=r"x.xml, line .*: the XML is malformed .*; expected well-f"
    ):
        pairs(path)
    path.write_text("<tmx/>")
    with pytest.raises(
        DataError, match="the root element is <tmx>; expected <dataset>, as WMT has"
    ):
        list(iter_pairs(path, format="wmt"))
