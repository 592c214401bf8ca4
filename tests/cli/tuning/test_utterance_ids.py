"""References that begin with ids of utterances, as in files of Kaldi."""

import numpy as np
import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights
from tests.cli.tuning.word_lists import options, run

FAST = ("--folds", "0", "--epochs", "2")


@pytest.fixture
def named(lists):
    """The lists with names in place of numbers, and references with these ids, shuffled."""
    text = (lists / "list").read_text().splitlines()
    rows = [line.partition(" ") for line in text]
    (lists / "list").write_text("".join(f"utt-{number} {rest}\n" for number, _, rest in rows))
    (lists / "plain").write_text((lists / "ref").read_text())
    write(lists, [f"utt-{k} {line}" for k, line in enumerate(plain(lists))])
    return lists


def plain(folder):
    return (folder / "plain").read_text().splitlines()


def write(folder, lines):
    order = np.random.default_rng(1).permutation(len(lines)).tolist()
    (folder / "ref").write_text("".join(f"{lines[k]}\n" for k in order))


def test_lists_with_these_names(named, capsys):
    run(named, *options(named, *FAST, "-o", named / "joined"))
    assert (
        f"{named / 'ref'}: the utterance ids are the names in the n-best list; references are "
        "matched to sentences by id, and the ids are removed\n"
    ) in capsys.readouterr().err
    (named / "ref").write_text((named / "plain").read_text())
    run(named, *options(named, *FAST, "-o", named / "expected"))
    assert "utterance" not in capsys.readouterr().err
    assert Weights.load(named / "joined") == Weights.load(named / "expected")


def test_trn_ids(named, capsys):
    write(named, [f"{line} (utt-{k})" for k, line in enumerate(plain(named))])
    run(named, *options(named, *FAST, "-o", named / "joined"))
    assert "matched to sentences by id" in capsys.readouterr().err


def test_other_names(named, capsys):
    write(named, [f"utt-{k} {line}" for k, line in enumerate(plain(named))][1:])
    run(named, *options(named), status=1)
    assert "ref: the file has no line for the sentence 'utt-0' of the n-" in capsys.readouterr().err
    lines = [f"utt-{k} {line}" for k, line in enumerate(plain(named))]
    (named / "ref").write_text("\n".join([*lines, "utt-99 a b"]))
    run(named, *options(named), status=1)
    assert "ref, line 13: the n-best list has no sentence 'utt-99'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["tune", "plot surface"])
def test_numbered_lists(lists, capsys, command):
    lines = (lists / "ref").read_text().splitlines()
    (lists / "ref").write_text("".join(f"utt-{k} {line}\n" for k, line in enumerate(lines)))
    more = ["-o", lists / "w"]
    if command != "tune":
        more = ["--weights", lists / "start", "--feature", "good", "-o", lists / "a.png"]
    given = [*command.split(), lists / "list", "--refs", lists / "ref", *more]
    assert program.main(list(map(str, given))) == 1
    told = capsys.readouterr().err
    assert "ref, line 1: the line begins with the utterance id utt-0, as in files of Kaldi" in told
    assert f"run cut -d' ' -f2- {lists / 'ref'}\n" in told
