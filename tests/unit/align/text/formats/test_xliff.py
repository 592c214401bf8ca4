"""XLIFF as tools deliver it: versions, segments, languages, codes, damage."""

import gzip
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.readers import iter_pairs, read_bitext

OLD = (
    '<?xml version="1.0" encoding="{encoding}"?>\n<!-- made by <hand> -->\n'
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
    '<file original="a.txt" source-language="en-US" target-language="fr" datatype="plaintext">\n'
    "<header/><body>\n{body}\n</body></file></xliff>\n"
)
NEW = (
    '<xliff version="2.1" srcLang="en" trgLang="fr" xmlns="urn:oasis:names:tc:xliff:document:2.0">'
    '<file id="f"><group id="g">\n{body}\n</group></file></xliff>'
)


def old(source: str, target: str, more: str = "") -> str:
    return (
        f"<trans-unit id='1'><source>{source}</source>{more}<target>{target}</target><alt-trans>"
        "<source>no</source><target>non</target></alt-trans></trans-unit>"
    )


def new(*segments: tuple[str, str]) -> str:
    texts = "<ignorable><source> </source></ignorable>".join(
        f"<segment><source>{source}</source><target>{target}</target></segment>"
        for source, target in segments
    )
    matches = "<m:matches xmlns:m='m'><m:match><source>no</source><target>non</target></m:match>"
    return f"<unit id='1'>{matches}</m:matches>{texts}</unit>"


def put(folder: Path, body: str, form: str = OLD, encoding: str = "UTF-8") -> Path:
    path = folder / "x.xlf"
    path.write_bytes(form.format(body=body, encoding=encoding).encode(encoding))
    return path


def texts(path: Path, languages: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in iter_pairs(path, languages=languages)]


def test_units_of_version_1(tmp_path: Path) -> None:
    body = f"<group><group>{old('a &amp; b', 'à')}</group>{old('c', 'd')}</group>{old('e', 'f')}"
    path = put(tmp_path, body)
    assert texts(path) == [("a & b", "à"), ("c", "d"), ("e", "f")]
    assert [pair.number for pair in iter_pairs(path)] == [1, 2, 3]
    assert len(read_bitext(path)) == 3


def test_segments_of_version_2(tmp_path: Path) -> None:
    path = put(tmp_path, new(("a", "à"), ("b", "c")) + new(("d", "e")), NEW)
    assert texts(path) == [("a", "à"), ("b", "c"), ("d", "e")]


def test_segments_within_a_unit_of_version_1(tmp_path: Path) -> None:
    def mark(number: int, text: str) -> str:
        return f'<mrk mtype="seg" mid="{number}">{text}</mrk>'

    parts = f"<seg-source>{mark(0, 'One.')} {mark(1, 'Two <g>now</g>.')}</seg-source>"
    two = old("One. Two now.", f"{mark(1, 'Deux.')} {mark(0, 'Un.')}", parts)
    plain = old("One. Two.", "Un. Deux.", parts)
    assert texts(put(tmp_path, two + plain)) == [
        ("One.", "Un."), ("Two now.", "Deux."), ("One. Two.", "Un. Deux."),
    ]  # fmt: skip
    with pytest.warns(DataWarning, match=r"missing in 1 of 2 segments \(first: segment 2\)"):
        assert texts(put(tmp_path, old("x", mark(0, "Un."), parts))) == [("One.", "Un.")]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-8-SIG", "UTF-16", "ISO-8859-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    assert texts(put(tmp_path, old("é", "ñ"), encoding=encoding)) == [("é", "ñ")]


def test_one_long_line_and_compression(tmp_path: Path) -> None:
    path = tmp_path / "x.xlf.gz"
    with gzip.open(path, "wt") as file:
        file.write(NEW.format(body=new(("a", "b")) * 20_000).replace("\n", ""))
    assert texts(path) == [("a", "b")] * 20_000


@pytest.mark.filterwarnings("ignore:.*joins two words")
@pytest.mark.parametrize(
    ("form", "segment", "text"),
    [
        (OLD, "a<g id='1'>b</g>c <g>d</g>", "abc d"),
        (OLD, "a<bpt id='1'>&lt;b></bpt>b<ept id='1'>&lt;/b></ept> c", "ab c"),
        (OLD, "the<x id='1' ctype='lb'/>house<x id='2'/> and <x id='3'/>me", "the house and me"),
        (OLD, "the<ph id='1'>&lt;br/></ph>house<it pos='open'>y</it>!", "the house !"),
        (OLD, "a<bx id='1'/>b<ex id='2'/>c", "abc"),
        (OLD, "a<g ctype='x-html-br'/>b<g ctype='image'>c</g>d", "a b cd"),
        (OLD, "a<sub>b</sub> <mrk mtype='term'>c</mrk><![CDATA[ < ]]>", "a c < "),
        (NEW, "a<pc id='1'>b</pc>c<sc id='2'/>d<ec startRef='2'/>e", "abcde"),
        (NEW, "the<ph id='1' subType='xlf:lb'/>house<sm id='2'/>s<em/>", "the houses"),
        (NEW, "a<pc id='1' type='fmt' subType='xlf:lb'>b</pc><cp hex='0008'/>c", "a b c"),
        (NEW, "<ph id='1'/><ph id='2'/>a<ph id='3'/> <ph id='4'/>b<ph id='5'/>", "a b"),
    ],
)
def test_the_text_of_a_segment(tmp_path: Path, form: str, segment: str, text: str) -> None:
    body = old(segment, "z") if form == OLD else new((segment, "z"))
    assert texts(put(tmp_path, body, form)) == [(text, "z")]


def test_parted_words_are_counted(tmp_path: Path) -> None:
    body = old("a b", "c") + old("a<x/>b", "c<x/>d<x/>e") + old("a<x/> b", "<x/>c")
    with pytest.warns(DataWarning, match=r"x.xlf: a placeholder joins two words in 1 of 3 segments"
                      r" \(first: segment 2\); it is read as a space"):  # fmt: skip
        assert texts(put(tmp_path, body))[1] == ("a b", "c d e")


def test_segments_without_a_translation(tmp_path: Path) -> None:
    lacking = "<trans-unit id='2'><source>x</source></trans-unit>"
    state = old("y", "y").replace("<target>", "<target state='needs-translation'>", 1)
    path = put(tmp_path, old("a", "b") + lacking + old("c", "") + state + old("", ""))
    with pytest.warns(DataWarning, match=r"x.xlf: the translation is missing in 3 of 5 segments"
                      r" \(first: segment 2\); such segments are skipped"):  # fmt: skip
        assert [(pair.number, pair.source) for pair in iter_pairs(path)] == [(1, "a"), (5, "")]
    with pytest.raises(
        DataError, match=r"x.xlf: no segment has a translation; expected segments in"
    ):
        texts(put(tmp_path, lacking))


def test_what_is_not_to_be_translated(tmp_path: Path) -> None:
    """Documents' structure, of which tools make units."""
    kept = "<trans-unit id='2' translate='no'><source>1.5</source></trans-unit>"
    assert texts(put(tmp_path, kept + old("a", "b"))) == [("a", "b")]


def test_languages(tmp_path: Path) -> None:
    path = put(tmp_path, old("a", "b"))
    assert texts(path, ("en", "fr")) == [("a", "b")]
    assert texts(path, ("fr", "en")) == [("b", "a")]
    with pytest.raises(DataError, match=r"no segment is in the languages en-es; the languages are"
                       " en-US-fr. Choose one of these pairs"):  # fmt: skip
        texts(path, ("en", "es"))
    unknown = OLD.replace(' target-language="fr"', "")
    assert texts(put(tmp_path, old("a", "b"), unknown), ("en", "es")) == [("a", "b")]
    told = old("a", "b").replace("<target>", "<target xml:lang='de'>", 1)
    assert texts(put(tmp_path, told, unknown), ("de", "en")) == [("b", "a")]


@pytest.mark.filterwarnings("ignore:.*translation is missing")
def test_languages_that_some_units_alone_tell(tmp_path: Path) -> None:
    unknown = OLD.replace(' target-language="fr"', "")
    told = old("a", "b").replace("<target>", "<target xml:lang='de'>", 1)
    lacking = "<trans-unit id='2'><source>x</source></trans-unit>"
    path = put(tmp_path, told + lacking + old("c", "d") + told, unknown)
    assert texts(path) == [("a", "b"), ("c", "d"), ("a", "b")]


def test_files_of_several_languages(tmp_path: Path) -> None:
    begin = OLD[OLD.index("<file") : OLD.index("{body}")]
    other = begin.replace('"fr"', '"es"')
    path = put(tmp_path, f"{old('a', 'b')}</body></file>{other}{old('c', 'd')}")
    with pytest.raises(DataError, match="the languages are en-US-fr, en-US-es; expected one pair"):
        texts(path)
    with pytest.warns(DataWarning, match="x.xlf: 1 of 2 segments are not in en-es and are skipped"):
        assert texts(path, ("en", "es")) == [("c", "d")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<xliff><file>", r"line 1: the XML is malformed .*; expected well-formed XLIFF\. Export"),
        ("<xliff><file></x></file></xliff>", "the XML is malformed"),
        ("<xliff><file><trans-unit><source>&lang;</source><target>b</target></trans-unit></file>"
         "</xliff>", "malformed .Entity 'lang' not defined|segment 1 contains the entity &lang;"),
        ("<?xml version='1.0'?><html/>", "the root element is <html>; expected TMX"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.xlf").write_text(text)
    with pytest.raises(DataError, match=message):
        texts(tmp_path / "x.xlf", ("en", "fr"))


def test_another_format_than_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x.tmx").write_text("<tmx><body/></tmx>")
    with pytest.raises(DataError, match=r"x.tmx: the root element is <tmx>; expected XLIFF"):
        list(iter_pairs(tmp_path / "x.tmx", format="xliff"))
