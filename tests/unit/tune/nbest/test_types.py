"""N-best lists: Moses and cdec text in, Moses text out."""

import gzip
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.string_array import Texts
from isogloss.tune.nbest.lines import parse_features
from isogloss.tune.nbest.rows import HypothesisRows
from isogloss.tune.nbest.types import NBest, read_nbest
from isogloss.tune.nbest.writer import format_hypothesis
from tests.naive import nbest as naive
from tests.naive.lists import build_nbest, lists_of


def written(folder: Path, text: str, name: str = "list") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def hypotheses(lists: NBest) -> list[list[tuple[str, dict[str, float]]]]:
    rows = lists.rows
    return [
        [
            (
                lists.texts[k],
                {
                    lists.space.names[rows.ids[n]]: float(rows.values[n])
                    for n in range(rows.offsets[k], rows.offsets[k + 1])
                },
            )
            for k in lists.hypotheses(sentence)
        ]
        for sentence in range(len(lists))
    ]


MOSES = """\
0 ||| the house ||| LM0= -1.5 TM0= -1 -2 PT_a~b_c= 1 ||| -3.5
0 ||| a house ||| LM0= -2.5 TM0= -1 -4 ||| -4
1 |||  ||| LM0= 0 TM0= 0 0 AL_x_= 2 ||| 0
"""
CDEC = """\
0 ||| the house ||| LM0=-1.5 TM0.0=-1 TM0.1=-2 PT_a~b_c=1 ||| -3.5
0 ||| a house ||| LM0=-2.5 TM0.0=-1 TM0.1=-4 ||| -4
1 |||  ||| LM0=0 TM0.0=0 TM0.1=0 AL_x_=2
"""
NAMES = ("LM0", "TM0.0", "TM0.1", "PT_a~b_c", "AL_x_")
FOUND = [
    [
        ("the house", {"LM0": -1.5, "TM0.0": -1.0, "TM0.1": -2.0, "PT_a~b_c": 1.0}),
        ("a house", {"LM0": -2.5, "TM0.0": -1.0, "TM0.1": -4.0}),
    ],
    [("", {"LM0": 0.0, "TM0.0": 0.0, "TM0.1": 0.0, "AL_x_": 2.0})],
]


@pytest.mark.parametrize("text", [MOSES, CDEC], ids=["moses", "cdec"])
def test_dialects(tmp_path: Path, text: str) -> None:
    lists = read_nbest([written(tmp_path, text)])
    assert NAMES == lists.space.names
    assert FOUND == hypotheses(lists)


def test_dense_features_come_first(tmp_path: Path) -> None:
    lists = read_nbest([written(tmp_path, "0 ||| a ||| x_y= 1 LM0= 2 z_= 3 W= 4 ||| 0\n")])
    assert ("LM0", "W", "x_y", "z_") == lists.space.names
    assert [[("a", {"x_y": 1.0, "LM0": 2.0, "z_": 3.0, "W": 4.0})]] == hypotheses(lists)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a= 1", [("a", 1.0)]),
        ("a= 1 -2e3 b=3 c_d= 4", [("a.0", 1.0), ("a.1", -2000.0), ("b", 3.0), ("c_d", 4.0)]),
        ("WT_=~== 1", [("WT_=~=", 1.0)]),
        ("WT_=~x=1", [("WT_=~x", 1.0)]),
        ("WT_x~==1", [("WT_x~=", 1.0)]),
        ("a\u00a0b=1", [("a\u00a0b", 1.0)]),
        ("s_=1 s_=2", [("s_", 1.0), ("s_", 2.0)]),
    ],
)
def test_parse_features(text: str, expected: list[tuple[str, float]]) -> None:
    assert expected == list(parse_features(text))


def test_repeated_hypotheses_are_merged(tmp_path: Path) -> None:
    one = written(tmp_path, "0 ||| a ||| x= 1 ||| 9\n0 ||| b ||| x= 1 ||| 0\n", "one")
    two = written(tmp_path, "0 ||| a ||| x= 1 ||| 0\n0 ||| a ||| x= 2 ||| 0\n", "two")
    expected = [[("a", {"x": 1.0}), ("b", {"x": 1.0}), ("a", {"x": 2.0})]]
    assert expected == hypotheses(read_nbest([one, two]))


def test_unsorted_ids(tmp_path: Path) -> None:
    text = "1 ||| a ||| x= 1 ||| 0\n0 ||| b ||| x= 2 ||| 0\n1 ||| c ||| x= 3 ||| 0\n"
    with pytest.warns(DataWarning, match="list: sentence ids are not sorted"):
        lists = read_nbest([written(tmp_path, text)])
    assert [[("b", {"x": 2.0})], [("a", {"x": 1.0}), ("c", {"x": 3.0})]] == hypotheses(lists)


def test_sentences_without_hypotheses(tmp_path: Path) -> None:
    path = written(tmp_path, "1 ||| a ||| x= 1 ||| 0\n3 ||| b ||| x= 2 ||| 0\n")
    with pytest.warns(DataWarning, match=r"3 sentences have no hypothesis \(first: 0\)"):
        lists = read_nbest([path], 5)
    assert [[], [("a", {"x": 1.0})], [], [("b", {"x": 2.0})], []] == hypotheses(lists)
    assert [-1, 0, -1, 1, -1] == lists.best(np.ones(1)).tolist()


def test_best_under_weights(tmp_path: Path) -> None:
    lists = read_nbest([written(tmp_path, MOSES)])
    vector = lists.space.vector
    assert [0, 2] == lists.best(vector({"LM0": 1.0})).tolist()
    assert [1, 2] == lists.best(vector({"LM0": -1.0, "TM0.1": 0.1})).tolist()
    assert [0, 2] == lists.best(vector({"TM0.0": 1.0})).tolist()  # ties: the first
    assert [1, 2] == lists.best(vector({"PT_a~b_c": -1.0})).tolist()


def test_rows_of_a_sentence(tmp_path: Path) -> None:
    lists = read_nbest([written(tmp_path, MOSES)])
    weights = lists.space.vector({"LM0": 1.0, "TM0.1": 0.5, "AL_x_": 10.0})
    assert [-2.5, -4.5] == lists.sentence_rows(0).scores(weights).tolist()
    assert [20.0] == lists.sentence_rows(1).scores(weights).tolist()
    assert [-2.5, -4.5, 20.0] == lists.rows.scores(weights).tolist()


FORM = r"expected id \|\|\| hypothesis \|\|\| NAME= value"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 ||| a", "the line has 2 fields"),
        ("", "the line has 1 field"),
        ("0 ||| a ||| x= 1 ||| 0 ||| 0-0 ||| 0 ||| b", "the line has 7 fields"),
        ("0||| a ||| LM0= 1 ||| 0 ||| 0", r"the sentence id '0\|\|\| a'"),
        ("x ||| a ||| LM0= 1 ||| 0", "the sentence id 'x'"),
        ("١ ||| a ||| LM0= 1 ||| 0", "the sentence id '١'"),
        ("3 ||| a ||| LM0= 1 ||| 0", "the sentence id 3 is too large for 3 sentences"),
        ("-1 ||| a ||| LM0= 1 ||| 0", "the sentence id '-1'"),
        ("0 ||| a ||| LM0= nan ||| 0", "the value of .* is not finite"),
        ("0 ||| a ||| LM0=inf ||| 0", "the value of .* is not finite"),
        ("0 ||| a ||| LM0= x ||| 0", "'x' is not a number"),
        ("0 ||| a ||| LM0= 1_0 ||| 0", "'1_0' is not a number"),
        ("0 ||| a ||| LM0= 1e ||| 0", "'1e' is not a number"),
        ("0 ||| a ||| LM0= 1 LM0= 2 ||| 0", "the dense feature 'LM0' is repeated"),
        ("0 ||| a ||| T= 1 2 T.1=3 ||| 0", "the dense feature 'T.1' is repeated"),
        ("0 ||| a ||| a= =1 ||| 0", "'=1' is not a number"),
        ("0 ||| a ||| 1 2 ||| 0", "'1' has no name before it"),
        ("0 ||| a ||| a=1 2 ||| 0", "'2' has no name before it"),
        ("0 ||| a ||| LM0= TM0= 1 ||| 0", "'LM0' has no value"),
        ("0 ||| a ||| NEW= NEWER= 1 ||| 0", "'NEW' has no value"),
        ("0 ||| a ||| NEW= OLD=1 ||| 0", "'NEW' has no value"),
        ("0 ||| a ||| NEW= ||| 0", "'NEW' has no value"),
        ("FEATURES_TXT_BEGIN_0 0 1 2", "the file is a feature file of the Moses extractor"),
        ("0 ||| a ||| TM0= 1 LM0= ||| 0", "'LM0' has no value"),
    ],
)
def test_bad_line(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path, f"0 ||| a ||| LM0= 1 ||| 0\n{line}\n")
    with pytest.raises(DataError, match=rf"^{path}, line 2: {message}.*{FORM}"):
        read_nbest([path], 3)


def test_no_hypothesis(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    with pytest.raises(
        DataError, match=rf"^{path}: the list has no hypothesis; expected an n-best list"
    ):
        read_nbest([path])


def test_value_beyond_single_precision(tmp_path: Path) -> None:
    path = written(tmp_path, "0 ||| a ||| LM0= 1e300 ||| 0\n")
    with pytest.raises(DataError, match=rf"^{path}, line 1: "):
        read_nbest([path])


@pytest.mark.parametrize("word", ["\u00a0", "1\u00a0000", "\u3000", "x|||y"])
def test_words_with_other_blanks(tmp_path: Path, word: str) -> None:
    line = format_hypothesis(0, f"a {word}", [(f"WT_{word}_x", 1.0)], 0.0)
    lists = read_nbest([written(tmp_path, line + "\n")])
    assert [[(f"a {word}", {f"WT_{word}_x": 1.0})]] == hypotheses(lists)


def test_format_by_hand() -> None:
    line = format_hypothesis(3, "the house", [("LM0", -1.5), ("PT_a_b", 1.0)], -0.123456789)
    assert line == "3 ||| the house ||| LM0= -1.5 PT_a_b= 1 ||| -0.123457"


def read_shared(path: Path) -> NBest:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # sentences that a list leaves out
        return read_nbest([path])


def dense_names(groups: dict[str, int]) -> set[str]:
    return {
        name if size == 1 else f"{name}.{k}" for name, size in groups.items() for k in range(size)
    }


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("europarl-into-en.100best", {"d": 7, "lm": 2, "tm": 5, "w": 1}),
        ("europarl-10sent.iter1.nbest", {"d": 7, "lm": 1, "tm": 5, "w": 1}),
        ("europarl-10sent.iter5.nbest", {"d": 7, "lm": 1, "tm": 5, "w": 1}),
        ("weather-it-en.iter01.nbest", {"d": 7, "lm": 1, "tm": 5, "w": 1}),
        ("weather-it-en.iter14.nbest", {"d": 7, "lm": 1, "tm": 5, "w": 1}),
    ],
)
def test_real_lists(shared_data: Path, name: str, groups: dict[str, int]) -> None:
    path = shared_data / "nbest" / f"{name}.gz"
    lists = read_shared(path)
    assert dense_names(groups) == set(lists.space.names)
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        lines = [line.split(" ||| ") for line in stream]
    seen = dict.fromkeys((int(row[0]), row[1].strip(), row[2].strip()) for row in lines)
    expected = sorted(seen, key=lambda row: row[0])
    assert [text for _, text, _ in expected] == list(lists.texts)
    assert len(lists.space) * len(expected) == len(lists.rows.ids)
    values = [[float(x) for x in row[2].split() if not x.endswith("=")] for row in expected]
    np.testing.assert_array_equal(np.array(values, np.float32).ravel(), lists.rows.values)


def test_real_list_with_sparse_features(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "nbest-es-en" / "sparse-default.best100.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        head = [next(stream) for _ in range(2000)]
    lists = read_shared(written(tmp_path, "".join(head)))
    assert lists.space.num_dense == 14
    kinds = {name.partition("_")[0] for name in lists.space.names[14:]}
    assert {"WT", "PP", "TWI", "SWD", "PL"} == kinds


def test_formatted_hypotheses_read_as_they_were(shared_data: Path, tmp_path: Path) -> None:
    lists = read_shared(shared_data / "nbest" / "weather-it-en.iter01.nbest.gz")
    lines = [
        format_hypothesis(sentence, text, features.items(), 0.0)
        for sentence, own in enumerate(hypotheses(lists))
        for text, features in own
    ]
    again = read_shared(written(tmp_path, "".join(line + "\n" for line in lines)))
    assert lists.space.names == again.space.names
    assert lists.texts == again.texts
    np.testing.assert_array_equal(lists.rows.ids, again.rows.ids)
    np.testing.assert_allclose(lists.rows.values, again.rows.values, rtol=1e-5)


def test_an_id_far_beyond_the_others(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("999999 ||| a ||| f= 1 ||| 0\n")
    with pytest.raises(DataError, match="the sentence id 999999 is too large for 1 sentence"):
        read_nbest([tmp_path / "x"])


def test_same_features_in_another_order(tmp_path: Path) -> None:
    text = "0 ||| a ||| x_= 1 y_= 2 LM= 0 ||| 0\n0 ||| a ||| LM= -0 y_= 2 x_= 1 ||| 0\n"
    expected = [[("a", {"x_": 1.0, "y_": 2.0, "LM": 0.0})]]
    assert expected == hypotheses(read_nbest([written(tmp_path, text)]))


def test_equal_hashes_do_not_make_equal_hypotheses() -> None:
    texts = Texts.from_strings(["a", "b", "a"])
    rows = Ragged.from_rows([[(0, 1.0)], [(0, 1.0)], [(0, 2.0)]])
    one = HypothesisRows.of(np.zeros(3, np.int64), texts, rows)
    one.hashes[:] = 7
    assert [0, 1, 2] == one.distinct(np.arange(3))[0].tolist()
    two = HypothesisRows.joined([one, one])
    assert [0, 1, 2] == two.distinct(np.arange(6))[0].tolist()


def test_a_sparse_feature_twice_adds_up(tmp_path: Path) -> None:
    lists = read_nbest([written(tmp_path, "0 ||| a ||| s_= 1 L= 5 s_= 2 ||| 0\n")])
    assert [3.0] == lists.rows.scores(lists.space.vector({"s_": 1.0})).tolist()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("T= 1 2", "T= 1 2 3", r"'T' has 3 values, but 2 in {}, line 1"),
        ("T= 1", "T= 1 2", r"'T' has 2 values, but 1 in {}, line 1"),
        ("T= 1 2", "T=1", r"'T' has 1 value, but 2 in {}, line 1"),
        ("T= 1 2", "T.0= 1 2", r"'T.0' has 2 values, but 1 in {}, line 1"),
        ("T.1= 1 2", "T= 1 2", r"'T.1' has 1 value, but 2 in {}, line 1"),
    ],
)
def test_a_name_with_another_number_of_values(
    tmp_path: Path, first: str, second: str, message: str
) -> None:
    one = written(tmp_path, f"0 ||| a ||| {first} ||| 0\n", "one")
    two = written(tmp_path, f"0 ||| b ||| {first} ||| 0\n0 ||| a ||| {second} ||| 0\n", "two")
    expected = "expected the same number of values in all lines"
    with pytest.raises(DataError, match=rf"^{two}, line 2: {message.format(one)}; {expected}"):
        read_nbest([one, two])


def test_groups_and_their_elements_merge(tmp_path: Path) -> None:
    one = written(tmp_path, "0 ||| a ||| T= 1 2 ||| 0\n", "one")
    two = written(tmp_path, "0 ||| b ||| T.1=4 T.0=3 ||| 0\n", "two")
    expected = [[("a", {"T.0": 1.0, "T.1": 2.0}), ("b", {"T.1": 4.0, "T.0": 3.0})]]
    assert expected == hypotheses(read_nbest([one, two]))


def test_a_missing_dense_feature(tmp_path: Path) -> None:
    one = written(tmp_path, "0 ||| a ||| L= 1 W= 1 ||| 0\n", "one")
    two = written(tmp_path, "0 ||| b ||| L= 1 x_= 1 ||| 0\n0 ||| c ||| L= 1 ||| 0\n", "two")
    message = f"{two}: the dense feature 'W' is missing in 2 of 3 hypotheses, first at line 1"
    with pytest.warns(DataWarning, match=f"^{message}; missing values count as 0"):
        lists = read_nbest([one, two])
    assert [1.0, 0.0, 0.0] == lists.rows.scores(lists.space.vector({"W": 1.0})).tolist()


def test_many_missing_dense_features(tmp_path: Path) -> None:
    features = " ".join(f"f{k}=1" for k in range(9))
    path = written(tmp_path, f"0 ||| b |||  ||| 0\n0 ||| a ||| {features} ||| 0\n")
    with pytest.warns(DataWarning) as found:
        read_nbest([path])
    shown = [str(one.message) for one in found]
    assert f"{path}: the dense feature 'f4' is missing" in shown[4]
    assert shown[5:] == ["4 more dense features are missing in some hypotheses"]


def test_a_truncated_archive(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"0 ||| %d ||| x= 1 ||| 0\n" % k for k in range(10**5)))
    (tmp_path / "list.gz").write_bytes(whole[: len(whole) // 2])
    message = rf"^{tmp_path}/list.gz, line \d+: the compressed file is truncated or damaged"
    with pytest.raises(DataError, match=message):
        read_nbest([tmp_path / "list.gz"])


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"0 ||| a ||| x= 1\n0 ||| \xff ||| x= 1\n")
    with pytest.raises(DataError, match="x, line 2: byte 0xff at column 7 is not UTF-8"):
        read_nbest([tmp_path / "x"])


def test_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbf0 ||| a ||| x= 1\r\n0 ||| b  c ||| x= 2\r\n")
    with pytest.warns(DataWarning) as found:
        lists = read_nbest([tmp_path / "x"])
    assert [[("a", {"x": 1.0}), ("b  c", {"x": 2.0})]] == hypotheses(lists)
    assert ["byte order mark" in str(found[0].message), "of 2 lines" in str(found[1].message)]


def test_a_bad_line_behind_many_blocks(tmp_path: Path) -> None:
    lines = ["0 ||| some words ||| LM= -1.5 TM= 1 2 3 ||| 0\n"] * 60000
    lines[54321] = "0 ||| some words ||| LM= -1.5 TM= 1 2 nan ||| 0\n"
    with pytest.raises(DataError, match=r"line 54322: the value of .* is not finite"):
        read_nbest([written(tmp_path, "".join(lines))])


def test_real_lists_as_the_slow_reader_reads_them(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "nbest-es-en" / "sparse-default.best100.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        head = [next(stream)[:-1] for _ in range(3000)]
    names, expected = naive.read(head)
    lists = read_shared(written(tmp_path, "\n".join(head) + "\n"))
    assert names == list(lists.space.names)
    found = hypotheses(lists)
    for sentence, own in expected.items():
        assert [(text, dict(features)) for text, features in own] == found[sentence]


def test_lists_as_a_person_sees_them() -> None:
    features = [("LM", -1.5), ("T.0", 0.25), ("T.1", 3.0), ("x_", 1.0), ("x_", 2.0)]
    more = [*features, ("y_", 1.0), ("z_", 1.0)]
    lists = build_nbest([[("the house", features), ("a house", [])], [], [("b " * 40, more)]])
    assert [2, 0, 1] == [len(hypotheses) for hypotheses in lists]
    first, second = lists[0]
    assert ("the house", {}) == (first.text, first.columns)
    assert {"LM": -1.5, "T.0": 0.25, "T.1": 3.0, "x_": 3.0} == first.features  # x_ adds up
    assert ("a house", {}, {}) == second
    assert (lists[-1], lists[1]) == (lists[2], [])
    assert "Hypothesis('the house', LM=-1.5, T.0=0.25, T.1=3, x_=3)" == repr(first)
    expected = f"Hypothesis('{'b ' * 30}'..., LM=-1.5, T.0=0.25, T.1=3, x_=3, y_=1, ...)"
    assert expected == repr(lists[2][0])
    assert (
        "NBest(3 sentences, 3 hypotheses, 3 dense and 3 sparse features; first: "
        "Hypothesis('the house', LM=-1.5, T.0=0.25, T.1=3, x_=3))"
    ) == repr(lists)
    assert "NBest(0 sentences, 0 hypotheses, 0 dense and 0 sparse features)" == repr(lists_of([]))
    with_metric = replace(lists, columns={"comet": np.array([0.5, 0.25, 0.125])})
    assert {"comet": 0.25} == with_metric[0][1].columns
    assert "Hypothesis('a house', comet=0.25)" == repr(with_metric[0][1])
    with pytest.raises(IndexError, match="sentence 3 is out of range for 3 sentences"):
        lists[3]
