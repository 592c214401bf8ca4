"""Moses's FEATSTAT and SCORESTAT in and out."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.metrics.error_rates import Wer
from isogloss.tune.nbest.moses_statistics import read_moses_statistics, write_moses_statistics
from tests.naive.lists import build_nbest

# Moses writes a blank behind every number
FEATURES = """\
FEATURES_TXT_BEGIN_0 0 2 3 LM0_0 TM0_0 TM0_1$
-1.5 -1 -2 x_y=1 x_=~=-2$
-2.5 -3 -4$
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 2 1 3 LM0_0 TM0_0 TM0_1$
0 0 0 PT_z=0.5$
FEATURES_TXT_END_0
""".replace("$", " ")
SCORES = """\
SCORES_TXT_BEGIN_0 0 2 9 BLEU
6 14 1 13 0 12 0 11 18$
4 13 0 12 0 11 0 10 18$
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 2 1 9 BLEU
1 1 0 0 0 0 0 0 1$
SCORES_TXT_END_0
""".replace("$", " ")


def written(folder: Path, features: str, scores: str, name: str = "") -> tuple[Path, Path]:
    paths = folder / f"{name}FEATSTAT", folder / f"{name}SCORESTAT"
    paths[0].write_text(features)
    paths[1].write_text(scores)
    return paths


def test_by_hand(tmp_path: Path) -> None:
    one, other = written(tmp_path, FEATURES, SCORES)
    lists, statistics = read_moses_statistics([one], [other])
    assert ("LM0", "TM0.0", "TM0.1", "x_y", "x_=~", "PT_z") == lists.space.names
    assert [0, 2, 2, 3] == lists.sentence_offsets.tolist()
    assert [0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 2, 5] == lists.rows.ids.tolist()
    expected = [-1.5, -1, -2, 1, -2, -2.5, -3, -4, 0, 0, 0, 0.5]
    assert expected == lists.rows.values.tolist()
    assert [[6, 14, 1, 13, 0, 12, 0, 11, 18], [4, 13, 0, 12, 0, 11, 0, 10, 18],
            [1, 1, 0, 0, 0, 0, 0, 0, 1]] == statistics.tolist()  # fmt: skip
    examples = Examples.from_statistics(lists, statistics, Bleu())
    assert [0, 2] == examples.sentences.tolist()


def test_round_trip_by_hand(tmp_path: Path) -> None:
    one, other = written(tmp_path, FEATURES, SCORES)
    lists, statistics = read_moses_statistics([one], [other])
    write_moses_statistics(lists, statistics, tmp_path / "f", tmp_path / "s")
    assert (tmp_path / "f").read_text() == FEATURES
    assert (tmp_path / "s").read_text() == SCORES


def test_round_trip_of_a_real_file(shared_data: Path, tmp_path: Path) -> None:
    paths = [shared_data / "nbest" / f"pro-example.{kind}.gz" for kind in ("FEATSTAT", "SCORESTAT")]
    lists, statistics = read_moses_statistics([paths[0]], [paths[1]])
    assert ("lm", "tm.0", "w") == tuple(lists.space.names[k] for k in (7, 8, 13))
    write_moses_statistics(lists, statistics, tmp_path / "f", tmp_path / "s")
    assert (tmp_path / "f").read_bytes() == gzip.decompress(paths[0].read_bytes())
    assert (tmp_path / "s").read_bytes() == gzip.decompress(paths[1].read_bytes())
    examples = Examples.from_statistics(lists, statistics, Bleu())
    weights = lists.space.vector({"lm": 0.1, "tm.0": 0.05, "w": -0.1})
    np.testing.assert_allclose(
        examples.score(examples.best(weights)),
        Bleu().score(statistics[examples.best(weights)].sum(0)),
        rtol=1e-12,
    )


def test_iterations_are_merged(tmp_path: Path) -> None:
    paths = [written(tmp_path, FEATURES, SCORES, name) for name in ("1.", "2.")]
    changed = SCORES.replace("1 1 0", "0 1 0")  # the same features with other statistics
    paths.append(written(tmp_path, FEATURES, changed, "3."))
    lists, statistics = read_moses_statistics(*map(list, zip(*paths, strict=True)))
    assert [0, 2, 2, 4] == lists.sentence_offsets.tolist()
    assert [6, 4, 1, 0] == statistics[:, 0].tolist()


def test_missing_dense_values_and_repeated_sparse_ones(tmp_path: Path) -> None:
    lists = build_nbest([[("a", [("L", 1.0), ("s_", 1.0), ("s_", 2.0)]), ("b", [("W", 2.0)])]])
    write_moses_statistics(lists, np.array([[0.5], [1.0]]), tmp_path / "f", tmp_path / "s")
    assert (tmp_path / "f").read_text() == (
        "FEATURES_TXT_BEGIN_0 0 2 2 L_0 W_0 \n1 0 s_=3 \n0 2 \nFEATURES_TXT_END_0\n"
    )
    assert (tmp_path / "s").read_text() == (
        "SCORES_TXT_BEGIN_0 0 2 1 BLEU\n0.5 \n1 \nSCORES_TXT_END_0\n"
    )


@pytest.mark.parametrize(
    ("features", "scores", "message"),
    [
        (("_TXT_BEGIN_0 0", "_BIN_BEGIN_0 0"), ("", ""), "FEATSTAT, line 1: the file is"),
        (("FEATURES_TXT_BEGIN_0 0", "X 0"), ("", ""), "FEATSTAT, line 1: .*FEATURES_TXT"),
        (("0 2 3", "x 2 3"), ("", ""), "FEATSTAT, line 1: .*expected FEATURES_TXT_BEGIN_0"),
        (("0 2 3", "0 3 3"), ("", ""), "FEATSTAT, line 5: .*FEATURES_TXT_END_0 after 3 hypothes"),
        (("0 2 3 L", "0 2 4 L"), ("", ""), "line 1: the block has 4 values of the features"),
        (("2 1 3 LM0_0", "2 1 3 LM"), ("", ""), "line 5: the block has 3 values of the features"),
        (("3 LM0_0", "3 TM0_1"), ("", ""), "line 1: the block has 3 values of .*3 distinct names"),
        (("-1.5", "x"), ("", ""), "FEATSTAT, line 2: 'x' is not a number; expected 3 values .fini"),
        (("-1.5", "1_0"), ("", ""), "FEATSTAT, line 2: '1_0' is not a number; expected 3 val"),
        (("-1.5", "nan"), ("", ""), "FEATSTAT, line 2: the line 'nan -1.*expected 3 values"),
        (("-1.5", "1e300"), ("", ""), "FEATSTAT, line 2: the value of .* is not finite"),
        (("x_y=1", "xy=1"), ("", ""), "FEATSTAT, line 2: the sparse feature 'xy=1' is malformed;"),
        (("x_y=1", "x_y=z"), ("", ""), "FEATSTAT, line 2: 'z' is not a number; expected the dense"),
        (("-2.5 -3 -4", "-2.5 -3"), ("", ""), "FEATSTAT, line 3: the line '-2.5 -3' is malformed;"),
        (("", ""), ("BEGIN_0 2", "BEGIN_0 1"), "SCORESTAT, line 5: the number of the sentence is"),
        (("", ""), ("0 2 9", "0 1 9"), "SCORESTAT, line 3: .*SCORES_TXT_END_0 after 1 hypothesis"),
        (
            ("-2.5 -3 -4 \n", ""), ("", ""),
            "FEATSTAT, line 4: .*FEATURES_TXT_END_0 after 2 hypotheses",
        ),
        (
            ("", ""), ("0 2 9 BLEU", "0 2 9 TER"),
            "line 1: the metric of the statistics is 'TER'; expected BLEU. Run the extractor with",
        ),
        (
            ("", ""), ("0 2 9 BLEU", "0 2 9 WER"),
            "line 1: the metric of the statistics is 'WER'; expected BLEU. Pass the metric of the"
            r" statistics \(`metric='wer'`\)",
        ),
        (("", ""), ("2 1 9 BLEU", "2 1 9"), "line 5: the metric of the statistics is '';"),
        (("", ""), ("2 1 9", "2 1 8"), "SCORESTAT, line 5: the block has 8 statistics; expected"),
        (("", ""), ("6 14", "6 x"), "SCORESTAT, line 2: 'x' is not a number; expected 9 values"),
        (("", ""), ("6 14", "-6 14"), "SCORESTAT, line 2: .*-6 14.*; expected 9 values .counts: n"),
        (("", ""), ("6 14", "6.5 14"), "SCORESTAT, line 2: .*6.5 14.*; expected 9 values .counts:"),
        (("", ""), ("6 14", "15 14"), "SCORESTAT, line 2: .*15 14.*no more matches than n-grams"),
        (("", ""), ("6 14", "1_6 14"), "SCORESTAT, line 2: '1_6' is not a number"),
        (("0 2 3", "0 999999999999 3"), ("", ""), "FEATSTAT, line .*END_0 after 999999999999 hyp"),
        (("", ""), ("0 2 9", "0 2 999999999999"), "SCORESTAT, line 2: .* numbers; expected 99999"),
        (
            ("BEGIN_0 2", "BEGIN_0 99999"), ("BEGIN_0 2", "BEGIN_0 99999"),
            "the sentence id 99999 is too large for 3 hypotheses",
        ),
    ],
)  # fmt: skip
def test_bad_files(
    tmp_path: Path, features: tuple[str, str], scores: tuple[str, str], message: str
) -> None:
    paths = written(
        tmp_path, FEATURES.replace(*features) if features[0] else FEATURES,
        SCORES.replace(*scores) if scores[0] else SCORES,
    )  # fmt: skip
    with pytest.raises(DataError, match=f"(?s){message}"):
        read_moses_statistics([paths[0]], [paths[1]])


def test_word_error_rate(tmp_path: Path) -> None:
    """As characters are tuned for: edits and length of the reference."""
    scores = SCORES.replace("9 BLEU", "2 WER").replace("1 1 0 0 0 0 0 0 1", "3 6")
    scores = scores.replace("6 14 1 13 0 12 0 11 18", "4 5").replace(
        "4 13 0 12 0 11 0 10 18", "2 5"
    )
    one, other = written(tmp_path, FEATURES, scores)
    lists, statistics = read_moses_statistics([one], [other], metric="WER")
    assert statistics.tolist() == [[4, 5], [2, 5], [3, 6]]
    examples = Examples.from_statistics(lists, statistics, Wer())
    assert examples.best_score(lists.space.vector({"LM0": 1.0})) == pytest.approx(700 / 11)
    assert examples.best_score(lists.space.vector({"LM0": -1.0})) == pytest.approx(500 / 11)


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    one, other = written(tmp_path, FEATURES, SCORES)
    with pytest.raises(
        DataError, match="2 score files are given; expected 1, one per feature file"
    ):
        read_moses_statistics([one], [other, other])
    other.write_text(SCORES[: SCORES.index("SCORES_TXT_BEGIN_0 2")])
    with pytest.raises(DataError, match="SCORESTAT: the number of sentences differs from that in"):
        read_moses_statistics([one], [other])
    other.write_text(SCORES.replace("0 2 9", "0 1 9").replace("4 13 0 12 0 11 0 10 18 \n", ""))
    with pytest.raises(DataError, match="line 1: the number of hypotheses is 1; expected 2"):
        read_moses_statistics([one], [other])
    for path in (one, other):
        path.write_text("")
    with pytest.raises(
        DataError, match="FEATSTAT: the files have no hypothesis; expected blocks written by"
    ):
        read_moses_statistics([one], [other])


def test_statistics_of_another_metric() -> None:
    lists = build_nbest([[("a", [("x", 1.0)])]])
    with pytest.raises(
        DataError, match=r"the statistics have the shape \(1, 3\); expected \(1, 9\)"
    ):
        Examples.from_statistics(lists, np.ones((1, 3)), Bleu())
