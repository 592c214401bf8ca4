"""TMX as clients deliver it: codes, varieties, encodings, damage."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.formats.languages import is_language
from isogloss.align.text.readers import iter_pairs

HEAD = (
    '<?xml version="1.0" encoding="{encoding}"?>\n'
    '<!DOCTYPE tmx SYSTEM "http://nowhere.invalid/tmx14.dtd">\n'
    '<tmx version="1.4">\n<header srclang="en"/>\n<body>\n'
)
TAIL = "</body>\n</tmx>\n"
LANGUAGES = ("en", "es")


def variant(language: str, text: str, attribute: str = "xml:lang") -> str:
    return f'<tuv {attribute}="{language}"><prop type="x">p</prop><seg>{text}</seg></tuv>'


def unit(source: str, target: str) -> str:
    return f"<tu>\n{variant('en', source)}\n{variant('es', target)}\n</tu>\n"


def put(tmp_path: Path, body: str, encoding: str = "UTF-8") -> Path:
    path = tmp_path / "x.tmx"
    path.write_bytes((HEAD.format(encoding=encoding) + body + TAIL).encode(encoding))
    return path


def texts(path: Path, languages: tuple[str, str] = LANGUAGES) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in iter_pairs(path, languages=languages)]


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("a &amp; b &lt;c> &#233;", "a & b <c> é"),
        ("a <bpt i='1'>&lt;b></bpt>b<ept i='1'>&lt;/b></ept> c", "a b c"),
        ("<ph x='1'>{1}</ph>a<it pos='begin'>x</it> <ut>y</ut>b", "a b"),
        ("a <hi type='b'>b <ph>x</ph>c <hi>d</hi></hi> e", "a b c d e"),
        ("a<ph>x<sub>footnote</sub>y</ph> b", "a b"),
        ("a <sub>s</sub>b <!-- note -->c<?x y?> d", "a b c d"),
        ("<g id='1'>a</g> <x id='2'/>b", "a b"),
        ("\n  a\n  b\r\n", "   a   b "),
        ("<![CDATA[a < b]]>", "a < b"),
        ("", ""),
    ],
)
def test_the_text_of_a_segment(tmp_path: Path, segment: str, text: str) -> None:
    assert [(text, "x")] == texts(put(tmp_path, unit(segment, "x")))


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-8-SIG", "UTF-16", "ISO-8859-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path, unit("é", "ñ") * 3, encoding)
    assert texts(path) == [("é", "ñ")] * 3


@pytest.mark.parametrize("space", ["", ' xmlns="http://www.lisa.org/tmx14"'])
def test_namespaces_and_one_long_line(tmp_path: Path, space: str) -> None:
    path = put(tmp_path, "")
    body = unit("a", "b").replace("\n", "") * 3000
    path.write_text(f"<tmx{space}><body>{body}</body></tmx>")
    assert texts(path) == [("a", "b")] * 3000


@pytest.mark.parametrize(
    ("code", "wanted", "same"),
    [
        ("en", "en", True), ("EN-gb", "en", True), ("en_US", "EN", True), ("en", "en-GB", False),
        ("en-GB", "en_gb", True), ("eng", "en", False), ("es", "en", False), ("", "en", False),
    ],
)  # fmt: skip
def test_varieties(code: str, wanted: str, same: bool) -> None:
    assert same == is_language(code, wanted)


def test_either_order_and_the_old_attribute(tmp_path: Path) -> None:
    body = f"<tu>{variant('ES-MX', 'x', 'lang')}{variant('de', 'y')}{variant('en_US', 'a')}</tu>"
    assert texts(put(tmp_path, body)) == [("a", "x")]
    assert texts(tmp_path / "x.tmx", ("es", "de")) == [("x", "y")]


def test_units_without_a_side_are_left_out(tmp_path: Path) -> None:
    half = f"<tu>{variant('en', 'a')}</tu>"
    bare = f"<tu>{variant('en', 'a')}<tuv xml:lang='es'/></tu>"
    path = put(tmp_path, unit("a", "b") + half + bare + "<tu/>" + unit("c", "d"))
    with pytest.warns(
        DataWarning,
        match=r"x\.tmx: en or es is missing in 3 of 5 units \(first: unit 2\); such units",
    ):
        pairs = list(iter_pairs(path, languages=LANGUAGES))
    assert [(pair.source, pair.number) for pair in pairs] == [("a", 1), ("c", 5)]


def test_the_first_of_several_variants_is_taken(tmp_path: Path) -> None:
    several = "".join(
        variant(*v) for v in (("es", "x"), ("en-GB", "a"), ("en-US", "b"), ("es", "y"))
    )
    path = put(tmp_path, unit("c", "z") + f"<tu>{several}</tu>")
    with pytest.warns(
        DataWarning,
        match=r"x\.tmx: there are several variants of en or es in 1 of 2 units \(first: unit 2\); "
        "the first variant is used",
    ):
        assert texts(path) == [("c", "z"), ("a", "x")]
    with (
        pytest.warns(DataWarning, match="en-US or es is missing in 1 of 2 units"),
        pytest.warns(DataWarning, match="several variants"),
    ):
        assert texts(path, ("en-US", "es")) == [("b", "x")]


def test_languages_are_asked_for(tmp_path: Path) -> None:
    path = put(tmp_path, unit("a", "b"))
    with pytest.raises(
        DataError,
        match=r"x\.tmx: the languages of the units are en, es; expected the two languages to "
        r'read. Pass them, source first: `languages=\("en", "es"\)`',
    ):
        list(iter_pairs(path))
    with pytest.raises(
        DataError,
        match=r"x\.tmx: no unit contains both en and fr; the languages are en, es\. Choose",
    ):
        texts(path, ("en", "fr"))


def test_a_memory_without_units(tmp_path: Path) -> None:
    assert texts(put(tmp_path, "")) == []


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("<tu>\n<tuv>\n</tu>\n", 8, "Opening and ending tag mismatch: tuv"),
        (unit("a & b", "c"), 7, "xmlParseEntityRef: no name"),
        (unit("a", "b") + "</body></tmx>x", 10, "Extra content"),
    ],
)
def test_malformed_xml(tmp_path: Path, body: str, line: int, message: str) -> None:
    with pytest.raises(
        DataError,
        match=rf"x\.tmx, line {line}: the XML is malformed \(.*({message}).*\); expected "
        r"well-formed TMX\. Export it again, or set `format",
    ):
        texts(put(tmp_path, body))


def test_an_unfinished_file(tmp_path: Path) -> None:
    path = put(tmp_path, unit("a", "b"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"the XML is malformed \(StartTag: invalid element"):
        texts(path)
    path.write_text("")
    with pytest.raises(DataError, match=r"x.tmx, line 1: the XML is malformed \(Document is"):
        list(iter_pairs(path, format="tmx", languages=LANGUAGES))


@pytest.mark.parametrize(("units", "line"), [(0, 6), (3, 18), (2000, 8006)])
def test_a_damaged_archive(tmp_path: Path, units: int, line: int) -> None:
    """All lines before are counted: five before the units, and four of each."""
    path = tmp_path / "x.tmx.gz"
    whole = (HEAD.format(encoding="UTF-8") + unit("a", "b") * units).encode()
    path.write_bytes(gzip.compress(whole) + gzip.compress(TAIL.encode())[:12])
    read = []
    with pytest.raises(
        DataError,
        match=rf"x\.tmx\.gz, line {line}: the compressed file is truncated or damaged in or after",
    ):
        for pair in iter_pairs(path, languages=LANGUAGES):
            read.append(pair.source)
    assert read == ["a"] * units


def test_bytes_of_another_encoding(tmp_path: Path) -> None:
    path = put(tmp_path, unit("a", "b"))
    path.write_bytes(path.read_bytes().replace(b">a<", b">\xe9<"))
    with pytest.raises(DataError, match=r"x.tmx, line 7: the XML is malformed \(Invalid bytes in"):
        texts(path)


def test_other_xml(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_text('<?xml version="1.0"?>\n<resx><file/></resx>\n')
    with pytest.raises(
        DataError,
        match=r"x\.tmx: the root element is <resx>; expected TMX\. Convert the file to TMX,",
    ):
        texts(path)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    """Neither a file of this machine nor a bomb gets into the text."""
    (tmp_path / "secret").write_text("secret")
    head = f'<!DOCTYPE tmx [<!ENTITY a SYSTEM "file://{tmp_path}/secret"><!ENTITY b "ha&a;">]>'
    for name in "ab":
        path = put(tmp_path, "")
        path.write_text(
            f"<?xml version='1.0'?>{head}<tmx><body>{unit('x', f'&{name};')}</body></tmx>"
        )
        with pytest.raises(
            DataError,
            match=rf"x\.tmx: unit 1 contains the entity &{name};; expected text without DTD "
            r"entities\. Replace entities by their characters, for example with `xmllint --noent`",
        ):
            texts(path)


def test_an_entity_of_a_dtd_that_is_not_loaded(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="unit 2 contains the entity &nbsp;; expected text"):
        texts(put(tmp_path, unit("a", "b") + unit("a&nbsp;b", "c")))


@pytest.mark.parametrize("before", [0, 2000])
def test_an_unknown_entity_without_dtd(tmp_path: Path, before: int) -> None:
    """The parser's error must not get lost where it falls inside a block."""
    path = tmp_path / "x.tmx"
    rest = unit("a", "b") * 2000
    path.write_text(
        f"<tmx>\n<body>\n{unit('a', 'b') * before}{unit('&nbsp;', 'b')}{rest}</body></tmx>"
    )
    with pytest.raises(
        DataError, match=rf"line {4 * before + 4}: the XML is malformed \(Entity 'nbsp' not"
    ):
        texts(path)


def test_memory_is_bounded(tmp_path: Path) -> None:
    """Units are dropped when read: measured in a process of its own."""
    path = tmp_path / "x.tmx"
    with path.open("w") as file:
        file.write(HEAD.format(encoding="UTF-8"))
        for number in range(100):
            file.write(unit(f"a {number} " + "w " * 50, "b " * 50) * 200)
        file.write(TAIL)
    assert path.stat().st_size > 5_000_000
    code = (
        "import resource, sys\n"
        "from isogloss.align.text.formats.opening import iter_pairs\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "pairs = iter_pairs(sys.argv[1], languages=('en', 'es'))\n"
        "next(pairs)\n"
        "before = peak()\n"
        "print(1 + sum(1 for _ in pairs), peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[4],
    )  # fmt: skip
    count, kilobytes = map(int, done.stdout.split())
    assert count == 20_000
    assert kilobytes < 4_000
