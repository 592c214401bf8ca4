"""Elements inside segments of TMX: what stands for something of its own parts words."""

import warnings
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.formats.opening import iter_pairs

HEAD = '<?xml version="1.0"?>\n<tmx version="1.4"><header/><body>\n'
TAIL = "</body></tmx>\n"


def unit(source: str, target: str = "x") -> str:
    sides = (("en", source), ("es", target))
    return "".join(
        ["<tu>", *(f"<tuv lang='{code}'><seg>{text}</seg></tuv>" for code, text in sides), "</tu>"]
    )


def put(folder: Path, *units: str) -> Path:
    path = folder / "x.tmx"
    path.write_text(HEAD + "\n".join(units) + TAIL)
    return path


def sources(path: Path) -> list[str]:
    return [pair.source for pair in iter_pairs(path, languages=("en", "es"))]


@pytest.mark.parametrize(
    "element",
    [
        "<ph>&lt;br/&gt;</ph>", '<ph x="1"/>', "<ph>\n</ph>", '<x id="2"/>', "<it pos='end'>b</it>",
        "<ut>{1}</ut>", "<br/>", "<unknown/>", "<bpt i='1' type='lb'>b</bpt>", '<g type="image"/>',
        "<hi type='br'/>", "<ph/><ph/>", "<bpt i='1'/><ph/><ept i='1'/>", "<t:ph xmlns:t='x'/>",
    ],
)  # fmt: skip
def test_what_parts_words(tmp_path: Path, element: str) -> None:
    path = put(tmp_path, unit("a house"), unit(f"the{element}house"))
    with pytest.warns(
        DataWarning,
        match=r"x\.tmx: elements \(.*\) stand inside words, which are parted there, in 1 of 2 "
        r"units \(first: unit 2\)",
    ):
        assert sources(path) == ["a house", "the house"]


@pytest.mark.parametrize(
    "segment",
    [
        "t<bpt i='1'>&lt;b></bpt>h<ept i='1'>&lt;/b></ept>e", "t<g id='1'>h</g>e",
        "t<hi type='bold'>h</hi>e", "t<mrk>h</mrk>e", "t<b>h</b>e", "t<bx id='1'/>h<ex id='1'/>e",
    ],
)  # fmt: skip
def test_a_change_of_format_leaves_words_whole(tmp_path: Path, segment: str) -> None:
    path = put(tmp_path, unit(segment))
    with pytest.warns(
        DataWarning,
        match=r"stand inside words, which stay whole, as after a change of format, in 1 of 1 unit ",
    ):
        assert sources(path) == ["the"]


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("the <ph/>house", "the house"),
        ("the<ph/> house", "the house"),
        ("<ph/>the house<x/>", "the house"),
        ("the <hi>red</hi> house", "the red house"),
        ("the house.<ph/>A dog", "the house. A dog"),
        ("a <bpt i='1'>b<sub>c</sub></bpt>d", "a d"),
    ],
)
def test_elements_between_words_need_no_word(tmp_path: Path, segment: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sources(put(tmp_path, unit(segment))) == [text]


def test_units_are_counted_once_and_kinds_apart(tmp_path: Path) -> None:
    path = put(tmp_path, unit("a<ph/>b<x/>c<g>d</g>e"), unit("f<ph/>g", "h<ut/>i"), unit("j"))
    with pytest.warns(DataWarning) as caught:
        assert sources(path) == ["a b cde", "f g", "j"]
    assert [str(warning.message).partition("x.tmx: ")[2] for warning in caught] == [
        "elements (ph, x, ut) stand inside words, which are parted there, in 2 of 3 units "
        "(first: unit 1)",
        "elements (g) stand inside words, which stay whole, as after a change of format, in 1 of 3 "
        "units (first: unit 1)",
    ]


BARE = "<tu><tuv lang='en'><note>a</note></tuv><tuv lang='es'/></tu>"


def test_units_without_text(tmp_path: Path) -> None:
    with pytest.raises(
        DataError,
        match=r"x\.tmx: no unit has a <seg> in both en and es; it is missing in <tuv> of 2 units; "
        "expected the text of each <tuv> in a <seg>. Export",
    ):
        sources(put(tmp_path, BARE, BARE))
    with pytest.warns(
        DataWarning,
        match=r"en or es is missing in 1 of 2 units .*skipped; 1 of them has a <tuv> without <seg>",
    ):
        assert sources(put(tmp_path, unit("a"), BARE)) == ["a"]
