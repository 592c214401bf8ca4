"""What the mutation run changes, which tests it runs on that, and what it counts."""

import importlib
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from isogloss.align import DataError

FOLDER = Path(__file__).parents[3] / "benchmarks"
ROOT = FOLDER.parent
# a fee of 2, at most 10: its own test doesn't ask for what the shop's does
FILES = {
    "isogloss/__init__.py": "",
    "isogloss/fees.py": "def fee(amount):\n"
    "    total = amount + 2  # a remark\n    if total > 10:\n        return 10\n    return total\n",
    "isogloss/shop.py": "from isogloss.fees import fee\ndef price(amount): return fee(amount)\n",
    "tests/unit/isogloss/test_fees.py": "from isogloss.fees import fee\n"
    "def test_fee():\n    assert [5, 10] == [fee(3), fee(20)]\n",
    "tests/unit/isogloss/test_shop.py": "from isogloss.shop import price\n"
    "def test_price():\n    assert 10 == price(9)\n",
}
FEES = "isogloss/fees.py"
SAME = ("fee", "if total > 10:", "if total >= 10:")


@pytest.fixture
def mutants(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("mutants")


@pytest.fixture
def repository(mutants, tmp_path, monkeypatch):
    """A small one of which all changes are tried, and of which no equivalent ones are known."""
    for name, text in FILES.items():
        path = tmp_path / "small" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path / "small")
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "equivalent.tsv")
    monkeypatch.setattr(mutants.Module, "drawn", lambda module, count, seed: [*module.all()])
    mutants.EQUIVALENT.write_text("")
    return mutants.ROOT


@pytest.fixture
def copy(mutants, repository, tmp_path):
    return mutants.Copy(repository, tmp_path / "cache")


def commit(folder: Path) -> None:
    me = ["-c", "user.name=me", "-c", "user.email=me@localhost"]
    for command in (["init", "-q"], ["add", "."], [*me, "commit", "-q", "-m", "small"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


def test_what_no_test_notices_is_printed(mutants, repository, capsys):
    commit(repository)
    mutants.EQUIVALENT.write_text("\t".join([FEES, *SAME, "10 in both cases"]) + "\n")
    found = mutants.run(mutants.parse([FEES]))
    assert {"killed": 10, "survived": 1, "equivalent": 1} == found["modules"][FEES]["counts"]
    assert [[3, "fee", "if total > 10:", "if total > 9:"]] == found["modules"][FEES]["survivors"]
    assert 100.0 * 10 / 11 == found["share"]
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [FEES, "12", "1", "10", "0", "0", "1", "90.9", "%"] == rows[1]
    assert f"{FEES}:3 if total > 10: -> if total > 9:" == " ".join(rows[2])
    assert ["all", *rows[1][1:]] == rows[3]
    assert FILES[FEES] == (repository / FEES).read_text()


def test_the_share_that_is_killed(mutants):
    counts = {"killed": 1, "slow": 1, "died": 1, "survived": 1, "equivalent": 5}
    assert 75.0 == mutants.share(Counter(counts))
    assert 100.0 == mutants.share(Counter(equivalent=2))


def test_tests_must_pass_as_it_is_and_fail_without_the_module(mutants, copy):
    other = FILES[FEES].replace("10", "9")
    with pytest.raises(DataError, match=r"test_shop.py: no tests, or failures without any change"):
        copy.stages(FEES, other, [["tests/unit/isogloss/test_shop.py"]])
    own = "tests/unit/isogloss/test_fees.py"
    (copy.root / own).write_text("def test_nothing(): pass\n")
    with pytest.raises(DataError, match=r"fees.py: its tests pass without it; name some with"):
        copy.stages(FEES, FILES[FEES], [[own]])


def test_endless_loops_and_crashes(copy):
    ways = {"slow": "import time\ntime.sleep(1e6)", "died": "import os\nos.abort()"}
    for way, text in ways.items():
        (copy.root / "test_way.py").write_text(text)
        assert way == copy.outcome(["test_way.py"], 1.0 if way == "slow" else 1e6)


def test_nothing_compiled_of_other_kernels_is_kept(copy):
    copy.cache.mkdir()
    copy.place(FEES, "")
    assert copy.cache.is_dir()
    (copy.root / "isogloss/kernels").mkdir()
    copy.place("isogloss/kernels/fees.py", "")
    assert not copy.cache.exists()


def test_a_module_is_tested_by_its_own_file_and_those_near_it(mutants):
    kernels = "align/links/kernels/symmetrize.py"
    assert ["tests/unit/align/links/test_symmetrize.py"] == mutants.mirrored(ROOT, kernels)
    command = "isogloss/commands/pipeline/run.py"
    assert ["tests/cli/pipeline/test_run.py"] == mutants.mirrored(ROOT, command)
    assert [] == mutants.mirrored(ROOT, "align/nothing.py")
    near = mutants.neighbors(ROOT, "isogloss/pipeline/config.py")
    assert "tests/cli/pipeline/test_run.py" in near
    near = mutants.neighbors(ROOT, "align/links/symmetrize.py")
    assert "tests/unit/align/links/test_symmetrize.py" == near[0]
    assert mutants.mirrored(ROOT, kernels) == mutants.neighbors(ROOT, kernels)


CHANGES = {
    "x < y": {"x <= y", "x >= y"},
    "x == y and y": {"x != y and y", "x == y or y"},
    "not x": {"x"},
    "x if y else z": {"z if y else x"},
    "f(x, 7)": {"f(7, x)", "f(x, 8)", "f(x, 6)"},
    "f(x, x)": set(),
    "min(x, y)": {"max(x, y)"},
    "numpy.minimum(x, y)": {"numpy.maximum(x, y)"},
    "-x * y": {"x * y", "-x + y", "-x / y"},
    "f(side='left', text='text')": {"f(side='right', text='text')"},
    "[x for x in y if z]": {"[x for x in y]"},
    "True": {"False"},
}


@pytest.mark.parametrize("text", CHANGES)
def test_changes_of_an_expression(mutants, text):
    found = list(mutants.Module(f"result = {text}").all())
    assert CHANGES[text] == {mutant.after.removeprefix("result = ") for mutant in found}
    assert {f"{mutant.after}\n" for mutant in found} == {f"{mutant.source}\n" for mutant in found}


BODY = '''
class A:
    """A text."""
    @decorated(1)
    def f(self, x: array[2], y=0) -> array[3]:
        for item in x:
            if item:
                return item
            y += item
            self.last = y
        while y:
            y = halved(y)
            continue
        return y
'''


def test_changes_of_statements(mutants):
    found = [mutant.name[1:] for mutant in mutants.Module(BODY).all()]
    head = "def f(self, x: array[2], y=0) -> array[3]:"
    assert found == [
        (head, head.replace("0", "1")),
        (head, head.replace("0", "-1")),
        ("for item in x:", "for item in x: ... break"),
        ("if item:", "if not item:"),
        ("return item", "pass"),
        ("y += item", "pass"),
        ("y += item", "y -= item"),
        ("y += item", "y *= item"),
        ("self.last = y", "pass"),
        ("y = halved(y)", "pass"),
        ("continue", "pass"),
        ("continue", "break"),
    ]
    assert {"A", "A.f"} >= {mutant.scope for mutant in mutants.Module(BODY).all()} >= {"A.f"}


def test_a_seed_draws_the_same_places(mutants):
    source = mutants.Module((ROOT / "features/bins/uniform.py").read_text())
    drawn = source.drawn(20, "1")
    assert drawn == source.drawn(20, "1") != source.drawn(20, "2")
    assert 20 == len(drawn)
    assert sorted(mutant.line for mutant in drawn) == [mutant.line for mutant in drawn]
    assert {mutant.name for mutant in drawn} <= {mutant.name for mutant in source.all()}


def test_equivalent_mutants_are_still_there(mutants):
    rows = [line.split("\t") for line in mutants.EQUIVALENT.read_text().splitlines()]
    assert [] == [row for row in rows if len(row) != 5 or not all(row[0:1] + row[2:])]
    for module in {row[0] for row in rows}:
        names = {mutant.name for mutant in mutants.Module((ROOT / module).read_text()).all()}
        assert set() == mutants.known_equivalents(module) - names


def test_long_statements_are_cut_about_the_difference(mutants):
    assert ("x < y", "x <= y") == mutants.cut("x < y", "x <= y")
    before, after = mutants.cut("x" * 200 + "a" + "x" * 200, "x" * 200 + "b" + "x" * 200)
    assert ("... " + "x" * 40 + "a" + "x" * 39 + " ...") == before
    assert before.replace("a", "b") == after


def test_options(mutants, capsys):
    options = mutants.parse(["isogloss/align/links/symmetrize.py", "tune/significance.py"])
    assert ["align/links/symmetrize.py", "tune/significance.py"] == options.modules
    assert (20, 1, [], 97.0) == (options.count, options.seed, options.tests, options.goal)
    with pytest.raises(SystemExit):
        mutants.parse(["tune/nothing.py"])
    assert "tune/nothing.py is no module of" in capsys.readouterr().err
