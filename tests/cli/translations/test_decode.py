"""`isogloss decode` from outside: as a filter, with a moses.ini, and with bad input."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from isogloss import program
from isogloss.align.files.text_io import read_lines
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.decoder.rule_options import Translations

RULES = """\
a ||| x ||| 0.5 0.5 0.5 0.5 ||| 0-0
a b ||| y z ||| 0.25 0.5 0.25 0.5 ||| 0-1 1-0
b ||| w ||| 0.5 0.5 0.5 0.5 ||| 0-0
b ||| v ||| 0.25 0.25 0.25 0.5 ||| 0-0
"""
ARPA = """\
\\data\\
ngram 1=7
ngram 2=2

\\1-grams:
-2\t<unk>
-9\t<s>\t-0.5
-1\t</s>
-1\tx\t-0.25
-1\ty\t-0.25
-1.5\tz
-1\tw

\\2-grams:
-0.25\t<s> x
-0.5\tx w

\\end\\
"""
ORDER = "a ||| x ||| 0.5 0.25 0.25\nb ||| w ||| 0.25 0.5 0.25\n"
INI = """\
[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TM path=table num-features=4
LexicalReordering name=Order path=order type=wbe-msd-backward-fe-allff
Distortion
KENLM name=LM path=lm order=2

[weight]
WordPenalty0= -1
PhrasePenalty0= 0.5
TM= 1 0.5 0.25 0.125
Order= 0.5 0.25 0.125
Distortion0= 0.25
LM= 0.75

[verbose]
0
"""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with models and a moses.ini."""
    return write_system(tmp_path, monkeypatch)


def write_system(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, a language model, a reordering table, weights, a moses.ini; work goes on there."""
    files = {"table": RULES, "lm": ARPA, "order": ORDER, "moses.ini": INI, "w": "LM0 1\n"}
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


MODELS = ("--phrase-table", "table", "--lm", "lm")


def decoded(text: str, *options: str) -> tuple[int, list[str]]:
    """The exit status, and the translations of some lines."""
    Path("in").write_text(text)
    status = program.main(["decode", "in", "-o", "out", *options])
    return status, Path("out").read_text().split("\n") if status == 0 else []


@dataclass
class Pipes:
    """The other ends of the program's standard input and output."""

    to: IO[bytes]
    back: IO[bytes]

    def talk(self, questions: list[bytes], heard: list[bytes]) -> None:
        for question in questions:
            self.to.write(question)
            heard += [self.back.readline() for _ in range(question.count(b"\n"))]
        self.to.close()


@contextmanager
def pipes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipes]:
    (given, to), (back, out) = os.pipe(), os.pipe()
    with (
        os.fdopen(to, "wb", buffering=0) as question,
        os.fdopen(back, "rb") as answer,
        os.fdopen(out, "w") as stdout,
        monkeypatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", os.fdopen(given))
        patch.setattr(sys, "stdout", stdout)
        yield Pipes(question, answer)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_lines_are_answered_as_they_come(
    system: Path, monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    heard: list[bytes] = []
    questions = [b"a\n", b"b a\n\nodd\n", "a \u00e9\n".encode(), b"a b\n" * 40]
    with pipes(monkeypatch) as ends:
        other = threading.Thread(target=ends.talk, args=(questions, heard), daemon=True)
        other.start()
        assert program.main(["decode", *MODELS, "-q", "-th", threads]) == 0
        other.join()
    assert heard[:5] == [b"x\n", b"x w\n", b"\n", b"odd\n", "x \u00e9\n".encode()]
    assert heard[5:] == [b"x w\n"] * 40


def test_a_bad_line_ends_a_pipe(
    system: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pipes(monkeypatch) as ends:
        ends.to.write(b"a\n\xff\n")
        ends.to.close()
        assert program.main(["decode", *MODELS, "-q"]) == 1
        assert ends.back.readline() == b"x\n"
    assert "standard input, line 2: byte 0xff at column 1 is not UTF-8" in capsys.readouterr().err


def test_a_moses_ini(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ini = ["-f", "moses.ini", "-n-best-list", "list", "2", "--n-best-alignment"]
    status, lines = decoded("a b\nodd\n", *ini, "--n-best-segmentation")
    assert (status, lines) == (0, ["x w", "odd", ""])
    assert (
        "moses.ini: the section [verbose] is ignored, because it does not"
        in capsys.readouterr().err
    )
    first, *_, last = Path("list").read_text().splitlines()
    assert first.startswith(
        "0 ||| x w ||| WordPenalty0= -2 PhrasePenalty0= 2 TM= -1.38629 -1.38629 -1.38629 -1.38629 "
        "Order= -2.07944 0 0 Distortion0= 0 LM= "
    )
    assert first.endswith(" ||| 0=0 1=1 ||| 0-0 1-1")
    assert last.split(" ||| ")[1] == "odd"
    assert "UnknownWordPenalty" not in last
    # what is given wins, and stands for the same weights
    weights = "LM0 0.75\nTranslationModel0= 1 0.5 0.25 0.125\nLexicalReordering0= 0.5 0.25 0.125\n"
    Path("given").write_text(f"{weights}WordPenalty0 -1\nPhrasePenalty0 0.5\nDistortion0 0.25\n")
    chosen = ["--reordering", "wbe-msd-backward-fe=order", "--weights", "given", "-stack", "200"]
    limits = ["-beam-threshold", "1e-5", "-threads", "2", "-distortion-limit", "6"]
    assert decoded("a b\n", *MODELS, *chosen, *limits, "--n-best", "ours:2")[0] == 0
    ours = Path("ours").read_text().splitlines()[0].split(" ||| ")
    assert ours[3] == first.split(" ||| ")[3]
    assert "LexR.wbe.monotone.previous= -2.07944" in ours[2]


def test_two_language_models(system: Path) -> None:
    lm = MODELS[MODELS.index("--lm") + 1]
    for file, shares in (("one", [0.5]), ("two", [0.125, 0.375])):
        models = "".join(f"LM{k} {share}\n" for k, share in enumerate(shares))
        others = (
            "WordPenalty0 -1\nPhrasePenalty0 0.5\nDistortion0 0.25\nTranslationModel0= 1 1 1 1\n"
        )
        Path("weights").write_text(models + others)
        chosen = [*MODELS, *["--lm", lm] * (len(shares) - 1), "--weights", "weights"]
        assert decoded("a b\nodd\n", *chosen, "--n-best", f"{file}:5")[0] == 0
    one, two = (
        [line.split(" ||| ") for line in Path(file).read_text().splitlines()]
        for file in ("one", "two")
    )
    assert [line[1::2] for line in one] == [line[1::2] for line in two]  # texts and scores
    assert "LM0= " in two[0][2]
    assert "LM1= " in two[0][2]


def test_saved_models(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "a b\n\nodd b a b\n" * 3
    plain = decoded(text, "-f", "moses.ini", "--n-best", "list:3", "-q")
    expected = plain, Path("list").read_bytes()
    assert program.main(["decode", "-f", "moses.ini", "--save", "models", "-q"]) == 0
    ini = ["-f", "moses.ini", "--phrase-table", "models", "--n-best", "list:3"]
    assert expected == (decoded(text, *ini, "-q", "--threads", "2"), Path("list").read_bytes())
    assert decoded(text, "--phrase-table", "models")[0] == 0
    capsys.readouterr()
    assert program.main(["check", "models", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["rules"], figures["language_models"], figures["checksums"]) == (4, 1, True)
    assert decoded(text, "--phrase-table", "models", "--lm", "lm")[0] == 2
    assert "--phrase-table models is a folder that contains all models" in capsys.readouterr().err
    assert program.main(["decode", *MODELS, "--save", "models"]) == 1
    assert "models exists; choose another folder or pass --overwrite" in capsys.readouterr().err
    assert decoded(text, *MODELS, "--save", "models", "--overwrite")[0] == 0
    assert decoded(text, "--phrase-table", "table")[0] == 2
    assert (
        "the decoder has no language model; pass --lm, or a --phrase-table"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("text", ["zzz qqq\n", "\n", ""])
def test_a_text_without_a_known_word(system: Path, text: str) -> None:
    Path("in").write_text(text)
    assert program.main(["decode", "in", *MODELS, "-o", "out.zst", "-q"]) == 0
    assert list(read_lines("out.zst")) == text.splitlines()


def test_search_graphs(system: Path) -> None:
    assert decoded("a b\n\n", *MODELS, "-osg", "graph")[0] == 0
    lines = Path("graph").read_text().splitlines()
    assert lines[0].startswith("0 hyp=0 stack=0 forward=")
    assert " covered=0-0 out=" in lines[1]
    assert lines[-1] == "1 hyp=0 stack=0 forward=-1 fscore=0"


def test_what_is_required(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "a b\na b\nodd\n"
    whole = decoded(text, *MODELS, "-q")[1][0]
    Path("references").write_text(f"{whole}\nnothing of it\nodd\n")
    status, lines = decoded(
        text, *MODELS, "--constraint", "references", "-t", "--alignment", "links"
    )
    assert (status, lines[1:]) == (0, ["", "odd |0-0|", ""])
    assert "|" in lines[0]
    assert Path("links").read_text().splitlines()[1:] == ["", "0-0"]
    assert (
        "1 of 3 sentences has no translation that meets the requirements" in capsys.readouterr().err
    )
    Path("fixed").write_text("1=new words\n0-1=both\n\n")
    Path("prefixes").write_text("new\n\n\n")
    status, lines = decoded(text, *MODELS, "--fixed-translations", "fixed", "--prefix", "prefixes")
    assert status == 0
    assert lines[0].startswith("new words ")
    assert lines[1:] == ["both", "odd", ""]


FIXED = "--fixed-translations"


@pytest.mark.parametrize(
    ("files", "options", "status", "message"),
    [
        ({"f": "\n"}, [FIXED, "f"], 1, "line 2 has no counterpart in the files of --prefix"),
        ({"f": "\n" * 3}, [FIXED, "f"], 1,
            "the text has 2 lines, fewer than the files of --prefix"
        ),
        (
            {"f": "\n\n", "p": "\n"}, [FIXED, "f", "--prefix", "p"], 1,
            "p: the file has 1 line, fewer than f; both must have",
        ),
        ({"f": "0-x=y\n\n"}, [FIXED, "f"], 1,
            "f, line 1: the entry '0-x=y' is malformed; expected FIRST-LAST=WORDS"
        ),
        ({"f": "\n7=y\n"}, [FIXED, "f"], 1, "f, line 2: the fixed translation of words 7-7 "),
        ({"f": "0=x ||| 0=y\n\n"}, [FIXED, "f"], 1, "f, line 1: the fixed translation of"),
        ({"f": "\n"}, ["--constraint", "f", "--prefix", "f"], 2, "exclude each other"),
    ],
)  # fmt: skip
def test_required_files_that_do_not_fit(
    system: Path,
    capsys: pytest.CaptureFixture[str],
    files: dict[str, str],
    options: list[str],
    status: int,
    message: str,
) -> None:
    for name, text in files.items():
        Path(name).write_text(text)
    assert decoded("a\nb\n", *MODELS, *options)[0] == status
    assert message in capsys.readouterr().err


def test_state_templates(system: Path) -> None:
    Path("mine.py").write_text(
        "class First:\n    of_orientation = True\n\n"
        "    def state_features(self, application, previous):\n"
        "        yield application.rule, f'First_{application.rule.name}'\n"
    )
    chosen = ["--state-templates", "lo:previous", "--state-templates", "First"]
    chosen += ["--plugin", "mine.py", "--n-best", "list:1"]
    assert decoded("a b\n", *MODELS, *chosen)[0] == 0
    line = Path("list").read_text()
    assert (
        line.count("First_")
        == line.count("-previous_")
        == int(line.split("PhrasePenalty0= ")[1][0])
    )


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ([], 2, "the decoder has no models; pass --phrase-table and --lm"),
        ([*MODELS, "-n-best-list", "x"], 2, "-n-best-list must be FILE SIZE or FILE SIZE"),
        (
            [*MODELS, "-n-best-list", "x", "5", "distant"],
            2,
            "-n-best-list must be FILE SIZE or FILE SIZE",
        ),
        ([*MODELS, "--n-best", "x:5", "-n-best-list", "x", "5"], 2, "exclude each other"),
        ([*MODELS, "--n-best", "./out:5"], 2, "./out is used for two outputs"),
        ([*MODELS, "--stack", "0"], 2, "--stack must be between 1 and"),
        ([*MODELS, "-b", "2"], 2, "-b must be between 0 and 0.999, got 2.0"),
        ([*MODELS, "-cbp", "-1"], 2, "-cbp must be between 1 and"),
    ],
)
def test_options_that_do_not_fit(
    system: Path, capsys: pytest.CaptureFixture[str], options: list[str], status: int, message: str
) -> None:
    assert decoded("a\n", *options)[0] == status
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_more_lines_than_a_table_is_read_for(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a b\nodd\nb a\n" * 40
    few = decoded(text, *MODELS)
    monkeypatch.setattr("isogloss.commands.translations.decode.MAX_FILTERED", 7)
    assert few == decoded(text, *MODELS) == (0, [*["x w", "odd", "x w"] * 40, ""])


def test_odd_lines(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"{'a ' * 300}\n\n{'odd ' * 300}\n \n"
    for threads in ("1", "2"):
        status, lines = decoded(text, *MODELS, "-q", "-th", threads, "--n-best", "list:3")
        assert (status, lines) == (0, [" ".join("x" * 300), "", " ".join(["odd"] * 300), "", ""])
    ids = [line.split(" ||| ")[0] for line in Path("list").read_text().splitlines()]
    assert ids == ["0", "1", "2", "3"]
    assert decoded(text, *MODELS, "-dl", "-1")[0] == 1
    assert (
        "in, line 1: without a distortion limit, a sentence must have at most"
        in capsys.readouterr().err
    )


def test_a_search_that_is_too_large(
    system: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    search, errors = Decoder.search, iter([MemoryError(), RuntimeError("a thread that dies")])

    def fails(self: Decoder, words: list[str], *arguments: Any) -> Translations:
        if len(words) > 2:
            raise next(errors)
        return search(self, words, *arguments)

    monkeypatch.setattr(Decoder, "search", fails)
    assert decoded("a\na b b\n", *MODELS, "--n-best", "list:3")[0] == 1
    error = capsys.readouterr().err
    assert "in, line 2: the search for this sentence of 3 words needs more memory than" in error
    assert "or lower --stack-size, --table-limit, --threads or the size of the n-best list" in error
    with pytest.raises(RuntimeError, match="a thread that dies"):  # a fault of the program's own
        decoded("a\na b b\n", *MODELS, "--n-best", "list:3", "-th", "2")
    assert not (Path("out").exists() or Path("list").exists())


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("w", "LM0 1", "LM0 nan", "w, line 1: the line 'LM0 nan' is malformed; expected NAME"),
        ("w", "LM0 1", "DomainLex 1", "w: the file has a weight for DomainLex, which the decoder"),
        ("lm", "ngram 2=2", "ngram 2=3", "lm, line 17: the section ends after 2 2-grams; exp"),
        (
            "lm", "ngram 2=2", "ngram 2=1",
            r"lm, line 16: the line '-0.5\tx w' is malformed; expected \end",
        ),
        ("lm", "\\data", "mmap lm http://kh", "lm: the file begins with 'mmap lm"),
        ("order", ORDER, "q ||| q ||| 0.5 0.25 0.25\n", "order: the table has no row for any rule"),
        ("order", " 0.25\n", "\n", "order, line 1: the line has 2 scores; expected source |||"),
    ],
)  # fmt: skip
def test_models_that_do_not_fit(
    system: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, new: str, message: str
) -> None:
    Path(name).write_text(Path(name).read_text().replace(old, new, 1))
    more = ("--weights", "w", "--reordering", "wbe-msd-backward-fe=order")
    assert decoded("a b\n", *MODELS, *more)[0] == 1
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_a_model_without_back_offs(system: Path) -> None:
    Path("lm").write_text(ARPA.replace("\t-0.25\n", "\n"))
    assert decoded("a b\n", *MODELS)[1] == ["x w", ""]
