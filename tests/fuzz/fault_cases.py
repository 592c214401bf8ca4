"""Commands that something happens to: those of all tests, and such as find files of an earlier one.

How each goes on again, and what it may leave.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.commands import COMMANDS, OUTPUT

__all__ = ["CASES", "Case"]

_TRAINED = "--model1-iterations 1 --hmm-iterations 2 --jump-window 2 --language-model-order 2"
_ALIGN = f"align en es --labels labels --model out/m -o out/links --t2s out/fwd {_TRAINED}"
_EXTRACT = "extract few.en few.es few.links -o out/table.gz --lexical out/lex"
_FEATURES = "features table -o out/rich --export out/export"
_TUNE = "tune list --refs ref --optimizer mira --runs 1 --folds 0 -o out/weights.json"
_DECODE = "decode few.en --phrase-table table --lm lm.arpa"
LATER: dict[str, tuple[str, str]] = {
    "align, over another": (f"{_ALIGN} --null-probability 0.3", f"{_ALIGN} --overwrite"),
    "align, to resume": ("", "align en es --model out/m --checkpoint out/state --resume "
                             f"-o out/links --t2s out/fwd {_TRAINED}"),
    "align, to stdout": ("", f"align en es --model out/m --t2s out/fwd {_TRAINED}"),
    "apply, over others": (
        "apply trained few.en few.es -o out/links --pair-scores out/scores --heuristic union",
        "apply trained few.en few.es -o out/links --pair-scores out/scores",
    ),
    "apply, to stdout": ("", "apply trained few.en few.es --pair-scores out/scores"),
    "extract, over others": (
        f"{_EXTRACT} --max-phrase-length 1",
        f"{_EXTRACT} --max-phrase-length 3",
    ),
    "extract, to stdout": ("", "extract few.en few.es few.links -o -"),
    "features, over others": (f"{_FEATURES} --add pt", f"{_FEATURES} --add al"),
    "lexicon, to stdout": ("", "lexicon trained --min-prob 0"),
    "decode, 1-best": ("", f"{_DECODE} -o out/best"),
    "decode, over others": ("decode few.es --phrase-table table --lm lm.arpa "
                            "--n-best out/list:2 -o out/best",
                            f"{_DECODE} --n-best out/list:5 -o out/best"),
    "decode, to stdout": ("", f"{_DECODE}"),
    "score, to stdout": ("", "score few.es --refs few.es --metric bleu,chrf,ter"),
    "tune, over another": (f"{_TUNE} --out out/run --epochs 1",
                           f"{_TUNE} --out out/run --epochs 2 --overwrite"),
    "run, over another": ("run run.toml --out out/run", "run again.toml --out out/run --overwrite"),
}  # fmt: skip
CASES = {name: ("", line) for name, line in COMMANDS.items()} | LATER


@dataclass(frozen=True)
class Case:
    """A command, and the folder of seeds.

    name: of :data:`CASES`; varying: files that hold times or memory and are compared by name only
    """

    name: str
    seeds: Path
    varying: frozenset[str] = frozenset({"run/usage.json", "run/manifest.json", "run/report.txt"})

    @property
    def before(self) -> list[str]:
        """The words of the command that wrote what it finds; none where it finds nothing."""
        return CASES[self.name][0].split()

    @property
    def words(self) -> list[str]:
        """Its command line."""
        return CASES[self.name][1].split()

    def again(self, folder: Path) -> list[str]:
        """Options with which it goes on from what was left."""
        out = folder / OUTPUT
        if self.words[0] == "align" and "--resume" not in self.words:
            options = ["--overwrite"] if (out / "m").exists() else []
            return [*options, "--resume"] if (out / "m.checkpoint").exists() else options
        if any((out / name).exists() for name in ("forests", "texts")):
            return ["--overwrite"]
        if self.words[0] == "split" and (out / "parts").exists():
            return ["--overwrite"]
        if "out/run" in self.words and (out / "run").exists():
            return ["--resume"]
        return []

    def may_leave(self, name: str, expected: dict[str, bytes]) -> bool:
        """Whether it may leave a file when it has failed: a state, or one that is whole."""
        return name in expected or name.startswith(("run/", "m.checkpoint/", "state/"))

    def is_mixed(self, left: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> str:
        """Names of old and new files that stand side by side, "" for none.

        Those of a model and of a run are not looked at: they come before what they are of.
        """
        names = [
            name for name in left
            if "/" not in name.removeprefix("export/") and old.get(name) != new.get(name)
        ]  # fmt: skip
        older = [name for name in names if left[name] == old.get(name)]
        newer = [name for name in names if left[name] == new.get(name)]
        return f"old: {older}, new: {newer}" if older and newer else ""
