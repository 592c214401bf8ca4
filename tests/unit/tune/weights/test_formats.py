"""Weights of other programs, in and out; moses.ini keeps every other byte."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.features.space import is_sparse
from isogloss.tune.weights.formats import (
    WEIGHT_FORMATS,
    format_weights,
    update_moses_ini,
    write_weights_as,
)
from isogloss.tune.weights.lines import grouped
from isogloss.tune.weights.moses_ini import is_moses_ini, read_moses_ini
from isogloss.tune.weights.weights import Weights

INI = """\
# made by hand

[input-factors]
0
[feature]
UnknownWordPenalty
WordPenalty
PhraseDictionaryMemory name=TM0 num-features=4 path=table.gz input-factor=0
KENLM name=LM0 factor=0 path=lm.arpa order=3
TargetWordInsertionFeature name=twi factor=0

[weight]
UnknownWordPenalty0= 1
  TM0= 0.2 0.2 0.2 0.2   # four of them
LM0= 0.5
WordPenalty0= -1
[distortion-limit]
6
"""


def write(folder: Path, content: str, name: str = "w") -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


# reading


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("LM0= 0.5\nTM0= 1 2\n", {"LM0": 0.5, "TM0.0": 1.0, "TM0.1": 2.0}),
        ("TM0= 1\nTM0= 2\n\n#\nTM0= 3\nLM0= 4\n",
         {"TM0.0": 1.0, "TM0.1": 2.0, "TM0.2": 3.0, "LM0": 4.0}),
        ("twi_fish -0.5\nLM0 2\n", {"twi_fish": -0.5, "LM0": 2.0}),
        ("twi_fish=-5e-1\na=b=2\n", {"twi_fish": -0.5, "a=b": 2.0}),
        ("LM0= 1\ntwi_a=2\ntwi_b 3\n", {"LM0": 1.0, "twi_a": 2.0, "twi_b": 3.0}),
        ("\t LM0 \t 1  \n", {"LM0": 1.0}),
        ('\n{"weights": {"LM0": 1, "a b": 2.5}}', {"LM0": 1.0, "a b": 2.5}),
        ("", {}),
    ],
)  # fmt: skip
def test_forms_are_told_apart(tmp_path: Path, content: str, expected: dict[str, float]) -> None:
    dense_first = sorted(expected.items(), key=lambda item: is_sparse(item[0]))
    assert dense_first == list(Weights.load(write(tmp_path, content)).items())


@pytest.mark.parametrize(
    ("content", "line", "seen"),
    [
        (
            "a 1\na 2\n",
            2,
            r"the weight of a occurs again \(first: line 1\); expected each name once. Remove one",
        ),
        ("a=1\n\na= 2\n", 3, r"the weight of a occurs again \(first: line 1\)"),
        ("TM0= 1\nLM0= 1\nTM0= 2\n", 3, r"the weight of TM0 occurs again \(first: line 1\)"),
        ("TM0= 1 2\nTM0= 3\n", 2, r"the weight of TM0 occurs again \(first: line 1\)"),
        ("TM0= 1\nTM0= 2 3\n", 2, r"the weight of TM0 occurs again \(first: line 1\)"),
        ("TM0= 1\nTM0 2\n", 2, r"the weight of TM0 occurs again \(first: line 1\)"),
        ("TM0= 1 2\nTM0.1 3\n", 2, r"the weight of TM0\.1 occurs again \(first: line 1\)"),
        (
            "a 1\nb\n",
            2,
            r"the line 'b' is malformed; expected NAME value, or NAME= value value \.\.\., or",
        ),
        ("a=\n", 1, "the line 'a=' is malformed; expected NAME value"),
        ("=1\n", 1, "the line '=1' is malformed; expected NAME value"),
        ("= 1\n", 1, "the line '= 1' is malformed; expected NAME value"),
        ("a 1 2\n", 1, "the line 'a 1 2' is malformed; expected NAME value"),
        ("a=nan\n", 1, "the line 'a=nan' is malformed; expected .*; values must be finite"),
        ("a\x1b[31m 1\n", 1, "the line 'a.x1b.31m 1' is malformed; expected .*names printable"),
        ("a= 1 -inf\n", 1, "the line 'a= 1 -inf' is malformed; expected NAME value"),
        ("0.3 0.5 1\n0 0 0\n", 1, r"the line '0\.3 0\.5 1' is malformed; expected NAME value"),
    ],
)
def test_bad_lines(tmp_path: Path, content: str, line: int, seen: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(DataError, match=f"^{path}, line {line}: {seen}"):
        Weights.load(path)


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (
            '{"weights":\n {"a": }}',
            r", line 2: the JSON has no valid weights \(invalid JSON",
        ),
        (
            '{"weights": {"a": 1, "a": 2}}',
            r": the JSON has no valid weights \(the key 'a' occurs twice in an object\);",
        ),
        ('{"weights": {"": 1}}', r": the JSON has no valid weights \(a key of weights is invalid;"),
        ('{"weights": {"\\u001b[31m": 1}}', r": the JSON .* \(a key of weights is invalid; exp"),
        ('{"weights": {}, "space": 5}', r": the JSON .* \(space is 5; expected an object"),
        ('{"a": "1"}', r": the JSON has no valid weights \('a' is '1'; expected a number\)"),
        ('{"weights": {"a": "1"}}', r": the JSON has no valid weights \('a' is"),
        ('{"weights": {"a": true}}', r": the JSON .* \('a' is True; expected a number\)"),
        ('{"weights": {"a": NaN}}', r": the JSON .* \('a' is nan; expected a finite number\)"),
        ('{"weights": {"a": 1' + "0" * 400 + "}}", ": the JSON has no valid weights"),
        (
            '{"weights": {"\\ud800": 1}}',
            ": the JSON .*a key of weights is invalid; expected a printable name",
        ),
    ],
)
def test_bad_json(tmp_path: Path, content: str, seen: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(DataError, match=f"^{path}{seen}"):
        Weights.load(path)


# writing

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters=[*map(chr, range(33)), "\x7f"]),
    min_size=1,
    max_size=6,
) | st.from_regex(r"[ab]_?(\.[0-3]){0,2}", fullmatch=True)
WEIGHTS = st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False), max_size=12)


@given(weights=WEIGHTS, form=st.sampled_from(WEIGHT_FORMATS))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, weights: dict[str, float], form: str
) -> None:
    """What a form can't hold is refused; what it leaves out is what its name says."""
    path = tmp_path_factory.mktemp("weights") / "w"
    try:
        write_weights_as(Weights.from_dict(weights), path, form)
    except DataError as error:
        assert (
            "a name without whitespace, without # or { at its beginning, and without = at its end"
            in str(error)
        )
        assert any(name[0] in "#{\ufeff" or name[-1] == "=" for name in weights)
        return
    if form.startswith("moses"):
        weights = {n: v for n, v in weights.items() if is_sparse(n) == (form != "moses")}
    assert weights == Weights.load(path).as_dict(keep_zeros=True)


def test_forms_by_hand() -> None:
    given = Weights.from_dict(
        {"TM0.1": 2.0, "LM0": -0.5, "TM0.0": 1.0, "twi_a=b": 3e-20, "X.1": 4.0}
    )
    expected = {
        "moses": ["TM0= 1.0 2.0", "LM0= -0.5", "X.1= 4.0"],
        "moses-sparse": ["twi_a=b 3e-20"],
        "cdec": ["TM0.1 2.0", "LM0 -0.5", "TM0.0 1.0", "X.1 4.0", "twi_a=b 3e-20"],
        "travatar": ["TM0.1=2.0", "LM0=-0.5", "TM0.0=1.0", "X.1=4.0", "twi_a=b=3e-20"],
    }
    assert expected == {form: list(format_weights(given, form)) for form in expected}


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("a b", ("moses", "moses-sparse", "cdec", "travatar")),
        ("", WEIGHT_FORMATS),
        ("a\x1b", WEIGHT_FORMATS),
        ("#a", ("moses", "moses-sparse", "cdec", "travatar")),
        ("{", ("moses", "moses-sparse", "cdec", "travatar")),
        ("a=", ("moses-sparse", "cdec")),
    ],
)
def test_names_that_a_form_cannot_hold(tmp_path: Path, name: str, forms: tuple[str, ...]) -> None:
    for form in WEIGHT_FORMATS:
        if form in forms:
            with pytest.raises(
                DataError, match=f"name '.*' (cannot be written in {form} wei|is not prin)"
            ):
                write_weights_as(Weights.from_dict({"b": 1.0, name: 1.0}), tmp_path / "w", form)
            assert [] == list(tmp_path.iterdir())
        else:
            assert list(format_weights(Weights.from_dict({name: 1.0}), form))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.0", "a.1"], {"a": [0.0, 1.0]}),
        (["a.1", "b", "a.0"], {"a": [2.0, 0.0], "b": [1.0]}),
        (["a.0"], {"a.0": [0.0]}),
        (["a.0", "a.2"], {"a.0": [0.0], "a.2": [1.0]}),
        (["a.1", "a.2"], {"a.1": [0.0], "a.2": [1.0]}),
        (["a", "a.0", "a.1"], {"a": [0.0], "a.0": [1.0], "a.1": [2.0]}),
        (["a.00", "a.01", ".0", "a.x", "a."], {n: [float(k)] for k, n in enumerate(
            ["a.00", "a.01", ".0", "a.x", "a."])}),
    ],
)  # fmt: skip
def test_values_of_a_name(names: list[str], expected: dict[str, list[float]]) -> None:
    assert expected == grouped({name: float(k) for k, name in enumerate(names)})


# moses.ini


def test_ini_is_told_by_its_first_section() -> None:
    assert is_moses_ini(INI.splitlines())
    assert is_moses_ini(["\ufeff[weight] # of all"])
    assert not is_moses_ini(["LM0= 1", "[weight]"])
    assert not is_moses_ini(["[X]_a 1"])
    assert not is_moses_ini([])


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.filterwarnings("ignore:.*carriage return")
def test_weights_of_an_ini(tmp_path: Path, ends: str) -> None:
    ini = INI + "[weight-file]\nsparse # beside\n"
    write(tmp_path, "twi_fish -0.5\nTM0_dom_a 0.25\n", "sparse")
    assert [
        ("UnknownWordPenalty0", 1.0),
        *((f"TM0.{k}", 0.2) for k in range(4)),
        ("LM0", 0.5),
        ("WordPenalty0", -1.0),
        ("twi_fish", -0.5),
        ("TM0_dom_a", 0.25),
    ] == list(Weights.load(write(tmp_path, ini.replace("\n", ends))).items())


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b"])
def test_weight_file_that_can_have_no_such_name(tmp_path: Path, name: str) -> None:
    ini = write(tmp_path, f"[weight]\nLM0= 1\n[weight-file]\n{name}\n")
    with pytest.raises(DataError, match=r"line 4: the weight file .* does not exist"):
        Weights.load(ini)


def test_weight_file_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "twi_fish -0.5\n", "sparse")
    (tmp_path / "sub").mkdir()
    ini = write(tmp_path / "sub", "[weight]\nLM0= 1\n[weight-file]\nsparse\n")
    with pytest.raises(DataError, match="line 4: the weight file sparse does not exist; ex"):
        Weights.load(ini)
    monkeypatch.chdir(tmp_path)
    assert {"LM0": 1.0, "twi_fish": -0.5} == Weights.load(ini).as_dict()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "TM0= 0.2 ",
            "TM0= ",
            "line 14: TM0 has 3 weights; expected 4, as its num-features in line 8",
        ),
        (
            "[weight]",
            "[weight-t]",
            r": the file has no weights; expected a section \[weight\] .*old sections",
        ),
        ("LM0= 0.5", "LM0= x", "line 15: the line 'LM0= x' is malformed; expected NAME value"),
        (
            "LM0= 0.5",
            "LM0= 1\nLM0= 2",
            r"line 16: the weight of LM0 occurs again \(first: line 15\)",
        ),
    ],
)
def test_bad_ini(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Weights.load(write(tmp_path, INI.replace(old, new)))


def test_weight_that_the_ini_has_already(tmp_path: Path) -> None:
    ini = write(tmp_path, INI + "[weight-file]\nsparse\n", "ini")
    sparse = write(tmp_path, "twi_a 1\nLM0 1\n", "sparse")
    with pytest.raises(DataError, match=f"{sparse}, line 2: LM0 already has a weight in {ini}"):
        Weights.load(ini)


TUNED = {"LM0": 0.25, "WordPenalty0": -1.0} | {f"TM0.{k}": k / 8 for k in range(4)}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_ini_with_other_weights(tmp_path: Path, ends: str) -> None:
    """Lines that change do so between their indent and their comment."""
    text = ("\ufeff" + INI).replace("\n", ends)
    ini = write(tmp_path, text, "moses.ini")
    kept, sparse = update_moses_ini(ini, Weights.from_dict(TUNED), tmp_path / "out.ini")
    assert (["UnknownWordPenalty0"], None) == (kept, sparse)
    expected = text.replace("0.2 0.2 0.2 0.2   #", "0.0 0.125 0.25 0.375   #")
    expected = expected.replace("LM0= 0.5", "LM0= 0.25")
    assert expected.encode() == (tmp_path / "out.ini").read_bytes()
    assert {"moses.ini", "out.ini"} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("end", ["", "\n"])
def test_sparse_weights_go_beside(tmp_path: Path, end: str) -> None:
    text = INI.rstrip("\n") + end
    ini = write(tmp_path, text, "moses.ini")
    beside = (tmp_path / "moses.ini.sparse-weights").resolve()
    weights = TUNED | {"twi_fish": -0.5, "TM0_A_x": 0.25}
    assert beside == update_moses_ini(ini, Weights.from_dict(weights), ini)[1]
    assert "twi_fish -0.5\nTM0_A_x 0.25\n" == beside.read_text()
    assert ini.read_text().endswith(f"[distortion-limit]\n6\n\n[weight-file]\n{beside}\n")
    assert weights | {"UnknownWordPenalty0": 1.0} == Weights.load(ini).as_dict()
    # and again, with fewer
    before = ini.read_bytes()
    assert beside == update_moses_ini(ini, Weights.from_dict(TUNED), ini)[1]
    assert "" == beside.read_text()
    assert before == ini.read_bytes()


def test_pointers_become_one(tmp_path: Path) -> None:
    text = "[weight-file]\nold.1 # tuned\nold.2\n[weight]\nLM0= 1\n"
    ini, out = write(tmp_path, text, "ini"), tmp_path / "out"
    beside = update_moses_ini(ini, Weights.from_dict({"LM0": 1.0, "a_b": 2.0}), out)[1]
    assert f"[weight-file]\n{beside} # tuned\n[weight]\nLM0= 1\n" == out.read_text()


def test_feature_without_weight_gets_a_line(tmp_path: Path) -> None:
    ini = write(tmp_path, "[feature]\nKENLM name=LM1\nWordPenalty\n[weight]\nLM0= 1\n[x]\n")
    update_moses_ini(ini, Weights.from_dict({"LM1.0": 2.0, "LM1.1": 3.0, "WordPenalty0": 4.0}), ini)
    expected = ["LM0= 1", "LM1= 2.0 3.0", "WordPenalty0= 4.0", "[x]"]
    assert expected == ini.read_text().splitlines()[4:]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"TM0.0": 1.0, "TM0.1": 1.0}, "line 14: TM0 has 4 weights; expected 2, as in the new"),
        (
            {"LM7": 1.0},
            "the file has no feature LM7; expected a feature for each new dense weight.*this",
        ),
    ],
)
def test_weights_of_another_system(tmp_path: Path, weights: dict[str, float], message: str) -> None:
    ini = write(tmp_path, INI)
    with pytest.raises(DataError, match=message):
        update_moses_ini(ini, Weights.from_dict(weights | {"a_b": 1.0}), ini)
    assert INI == ini.read_text()
    assert [ini] == list(tmp_path.iterdir())


def test_ini_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "ini"
    path.write_bytes(b"[weight]\r\nLM0= \xff\r\n")
    with pytest.raises(DataError, match=r"ini, line 2: byte 0xff at column 6 is not UTF-8"):
        read_moses_ini(path)


LINES = st.lists(
    st.sampled_from(
        ["", "# c", "[weight]", "[x] # c", "LM0= 1", " TM0=  1 2 # c", "a_b 1", "Z0= 3\r", "\f é"]
    ),
    max_size=12,
)


@given(lines=LINES, names=st.sets(st.sampled_from(["LM0", "TM0.0", "TM0.1", "Z0"])))
def test_every_other_byte_stays(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], names: set[str]
) -> None:
    ini = write(tmp_path_factory.mktemp("ini"), "\n".join(lines), "ini")
    out = ini.with_name("out")
    weights = dict.fromkeys(sorted(names), 7.0)
    try:
        update_moses_ini(ini, Weights.from_dict(weights), out)
    except DataError:
        return
    before, after = ini.read_bytes().split(b"\n"), out.read_bytes().split(b"\n")
    assert len(before) == len(after)
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert all(a.split(b"=")[0] == b.split(b"=")[0] for a, b in changed)
    assert all(b.partition(b"#")[2] == a.partition(b"#")[2] for a, b in changed)
    assert weights.items() <= read_moses_ini(out).weights().items()
