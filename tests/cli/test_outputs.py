"""Outputs of every command: checked before the work, by one process at a time, whole or not."""

from dataclasses import fields, is_dataclass

import pytest

from isogloss import program
from isogloss.align.files.outputs import sole_writer
from isogloss.command_line.parsers import COMMANDS, load_command
from isogloss.commands.named_files import _READ
from isogloss.options import argument_of, output_file, output_folder, without_none

FAST = ("--model1-iterations", "1", "--hmm-iterations", "1", "--threads", "1", "-q")
MOSES_INI = """[feature]
PhraseDictionaryMemory name=TM path=b num-features=4
KENLM name=LM path=a order=2
[weight]
TM= 1 1 1 1
LM= 1
"""
RUN = """[run]
out = "out"
[[train]]
source = "a"
target = "b"
[[evaluate]]
gold = "out/gold"
"""
NONE = ("no", "no")  # inputs that are missing, which shows that they were not looked at


# what is shown in place of values that name no file, and of outputs that named_outputs lists
NO_FILES = {
    "en-es", "K/N", "NAME=SIZE", "domains", "domain", "smoothing", "metric", "DOMAIN", "A,B",
    "NAME", "NAME,NAME", "N,N", "SPEC,...", "NAME:BITS", "T", "NAME:X", "SPEC", "NAME,...",
    "CMD", "LOW:HIGH", "TEXT", "WIDTHxHEIGHT", "ADDRESS", "ADDRESS|local", "KEY=NAME", "WORD",
    "N[-N]", "en,fr", "AIM",
}  # fmt: skip
WRITTEN = {
    "DIR", "PREFIX", "MODEL[=FILE]", "FILE:SIZE", "FILE SIZE", "true gz DIR", "LINKS",
    "GRAPH", "INI",
}  # fmt: skip


@pytest.fixture
def work(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("x y z\nx\ny z\n" * 4)
    (tmp_path / "b").write_text("X Y Z\nX\nY Z\n" * 4)
    (tmp_path / "run.toml").write_text(RUN)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (("align", *NONE, "-o"), "folder"),
        (("align", *NONE, "--t2s"), "folder"),
        (("align", *NONE, "--s2t"), "folder"),
        (("align", *NONE, "--posteriors"), "folder"),
        (("align", *NONE, "--pair-scores"), "folder"),
        (("align", *NONE, "--model"), "a/m"),
        (("align", *NONE, "--checkpoint"), "a"),
        (("apply", "no", *NONE, "-o"), "folder"),
        (("apply", "no", *NONE, "--pair-scores"), "folder"),
        (("classes", "no", "-o"), "folder"),
        (("compare", "no", "no", "--refs", "no", "-o"), "folder"),
        (("decode", "no", "--phrase-table", "no", "--lm", "no", "-o"), "folder"),
        (("decode", "a", "--phrase-table", "no", "--lm", "no", "--n-best"), "folder:1"),
        (("doctor", *NONE, "--report"), "folder"),
        (("domains", "predict", "no", *NONE, "-o"), "folder"),
        (("domains", "contrast", "no", "a,b", *NONE, "-o"), "folder"),
        (("extract", *NONE, "no", "-o"), "folder"),
        (("extract", *NONE, "no", "-o", "t", "--lexical"), "a/x"),
        (("extract", *NONE, "no", "-o", "t", "--reordering"), "msd-bidirectional-fe=folder"),
        (("features", "no", "-o"), "folder"),
        (("features", "no", "-o", "t", "--export"), "a"),
        (("lexicon", "no", "-o"), "folder"),
        (("lm", "no", "-o"), "folder"),
        (("eflomal-priors", *NONE, "no", "-o"), "folder"),
        (("project", "no", "no", "--target", "no", "-o"), "folder"),
        (("project", "no", "no", "--target", "no", "--report"), "folder"),
        (("prune", "no", "-o"), "folder"),
        (("rerank", "no", "-w", "no", "-o"), "folder"),
        (("retokenize", "no", "--source", "no,no", "-o"), "folder"),
        (("convert", "no", "--to", "naacl", "-o"), "folder"),
        (("split", *NONE, "--sets", "a=1", "--out"), "a/parts"),
        (("symmetrize", *NONE, "-o"), "folder"),
        (("tune", "no", "--refs", "no", "-o"), "folder"),
        (("tune", "no", "--refs", "no", "--out"), "a/run"),
    ],
)
def test_a_place_that_can_not_be_written_is_found_before_the_work(work, capsys, command, named):
    before = sorted(work.rglob("*"))
    assert program.main([*command, named]) == 1
    said = capsys.readouterr().err
    place = named.removesuffix(":1").rpartition("=")[2]
    name = " ".join(command[:2] if command[0] == "domains" else command[:1])
    assert f"isogloss {name}: {place}" in said
    assert "cannot be written: " in said
    assert "Choose another name or folder" in said
    assert before == sorted(work.rglob("*"))


@pytest.mark.parametrize(
    ("command", "held"),
    [
        (("align", *NONE, "-o", "links"), "links"),
        (("align", *NONE, "--model", "m"), "m"),
        (("align", *NONE, "--model", "m", "--checkpoint", "state", "--resume"), "state"),
        (("apply", "no", *NONE, "-o", "links"), "links"),
        (("tune", "no", "--refs", "no", "--out", "run"), "run"),
        (("demo", "--out", "run", "--overwrite"), "run"),
        (("run", "run.toml", "--out", "run", "--overwrite"), "run"),
        (("lexicon", "no", "-o", "t"), "t.json"),
        (("prune", "no", "-o", "t.gz"), "t.columns.json"),
        (("features", "no", "-o", "t.zst"), "t.columns.json"),
        (("features", "no", "-o", "t", "--discretize", "p(e|f):2"), "t.bins.json"),
        (("features", "no", "-o", "-", "--export", "e"), "e/moses.ini"),
        (("extract", *NONE, "no", "-o", "t", "--export", "e"), "e/weights.txt"),
        (("weights", "convert", "no", "--ini", "no", "-o", "t"), "t.sparse-weights"),
    ],
)
def test_a_second_process_is_told_at_once(work, capsys, command, held):
    before = sorted(work.rglob("*"))
    with sole_writer(held):
        assert program.main(command) == 1
    message = f"{held} cannot be written: another process is writing it. Wait until it has"
    assert message in capsys.readouterr().err
    assert before == sorted(work.rglob("*"))


@pytest.mark.parametrize("model", ["m/", "m/.", "./m//"])
def test_a_folder_with_a_slash_at_its_end(work, model):
    command = ["align", "a", "b", "--model", model, "-o", "links", *FAST]
    assert program.main(command) == 0
    assert program.main([*command, "--overwrite"]) == 0
    assert sorted(path.name for path in work.iterdir()) == [
        "a", "b", "folder", "links", "m", "run.toml",
    ]  # fmt: skip
    assert program.main(["check", "m", "-q"]) == 0


def test_outputs_without_a_name(work, capsys):
    for option, kind in (("--model", "folder"), ("-o", "file")):
        assert program.main(["align", "a", "b", option, ""]) == 2
        assert f"must be the name of a {kind}, got ''" in capsys.readouterr().err


def test_the_state_of_training_is_an_output(work, capsys):
    assert program.main(["align", *NONE, "--model", "m", "-o", "m.checkpoint"]) == 2
    assert "m.checkpoint is used for two outputs" in capsys.readouterr().err
    assert program.main(["align", *NONE, "--model", "m", "--checkpoint", "m/state"]) == 2
    message = "--checkpoint m/state is inside the folder of --model; choose another folder"
    assert message in capsys.readouterr().err
    with sole_writer("m.checkpoint"):
        assert program.main(["align", *NONE, "--model", "m"]) == 1
    assert "m.checkpoint cannot be written: another process is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("score loop --refs a", "loop cannot be read: Too many levels of symbolic links. Check"),
        ("apply loop a b", "loop"), ("run loop", "loop cannot be read: Too many levels"),
        ("reproduce loop --out x", "loop: Too many levels of symbolic links"),
        ("decode a -f loop -o x", "loop cannot be read: Too many levels of symbolic links"),
        ("lm a -o loop", "loop cannot be written: Too many levels of symbolic links. Choose anot"),
        ("align a b --model loop", "loop cannot be written: Too many levels of symbolic links"),
        ("tune a --refs a --out loop", "loop cannot be written: Too many levels of symbolic"),
        ("demo --out loop/x", "loop/x cannot be written: Too many levels of symbolic links"),
    ],
)  # fmt: skip
def test_links_that_lead_in_a_circle(work, capsys, command, message):
    (work / "loop").symlink_to("loop")
    assert program.main(command.split()) == 1
    assert message in capsys.readouterr().err
    assert (work / "loop").is_symlink()


def test_an_output_in_the_folder_of_a_run(work, capsys):
    (work / "list").write_text("0 ||| a ||| x= 1 ||| 0\n0 ||| b ||| x= 0 ||| 0\n")
    (work / "ref").write_text("a\n")
    tune = ["tune", "list", "--refs", "ref", "--folds", "0", "--epochs", "1", "-q"]
    assert program.main([*tune, "--out", "run", "-o", "run/mine.json"]) == 0
    assert (work / "run/mine.json").read_bytes() == (work / "run/weights.json").read_bytes()
    assert program.main(["reproduce", "run", "--out", "ref", "--overwrite"]) == 2
    assert "ref is an input of this command" in capsys.readouterr().err


def test_two_outputs_of_one_name(work, capsys):
    assert program.main(["align", *NONE, "-o", "x", "--t2s", "./x"]) == 2
    assert "x is used for two outputs" in capsys.readouterr().err
    assert program.main(["align", "a", "b", "-o", "/dev/null", "--t2s", "/dev/null", *FAST]) == 0


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        ("align a b -o ./b", "./b"), ("align a b --t2s a -o x", "a"), ("lm a -o a", "a"),
        ("decode a --phrase-table t --lm l -o a", "a"),
        ("decode a --phrase-table t --lm l --n-best a:5", "a"), ("tune a --refs b -o b", "b"),
        ("decode a --phrase-table t --lm l --alignment l", "l"),
        ("apply m a b -o folder/../b", "folder/../b"),
        ("decode a --phrase-table t --lm l --reordering wbe-msd-bidirectional-fe=b -o b", "b"),
        ("decode a -f ini --plugin t.py --state-templates X -o t.py", "t.py"),
        ("decode a -f ini -o b", "b"),
        ("decode a --phrase-table t --lm l -o t.columns.json", "t.columns.json"),
        ("tune --decoder toml --dev a --refs t -o b", "b"),
        ("tune --decoder toml --dev a --refs t -o b.columns.json", "b.columns.json"),
        ("align t t --seed-sample x=a,b -o b", "b"), ("compare x=t,b --refs a -o b", "b"),
        ("retokenize t --source characters:,a -o a", "a"),
        ("retokenize t --target wordpiece:a,b -o a", "a"),
        ("convert t --to burrito --source-ids a --target-ids b -o b", "b"),
        ("project t b --target a -o a", "a"),
        ("project t b --target a --source-text t.py -o t.py", "t.py"),
        ("project x.ann b --target a -o x.txt", "x.txt"),
        ("features t.gz -o t.zst", "t.columns.json"), ("prune t -o t.xz", "t.columns.json"),
        ("features t/weights.txt --export t -o -", "t/weights.txt"), ("run run.toml --out a", "a"),
    ],
)  # fmt: skip
def test_no_input_is_written_over(work, capsys, command, seen):
    (work / "ini").write_text(MOSES_INI)
    (work / "t.py").write_text("class X:\n    def state_features(self, *_): ...\n")
    (work / "toml").write_text('[decoder]\nphrase_table = "b"\nlanguage_model = "l"\n')
    for table in ("b", "t"):
        (work / f"{table}.columns.json").write_text('{"scores": ["x"]}')
    before = (work / "a").read_bytes(), (work / "b").read_bytes()
    assert program.main(command.split()) == 2
    message = f"{seen} is an input of this command"
    assert message in capsys.readouterr().err
    assert before == ((work / "a").read_bytes(), (work / "b").read_bytes())


def test_no_file_of_a_folder_that_is_read_is_written_over(work, capsys):
    (work / "m").mkdir()
    (work / "m/model.json").write_text("{}")
    assert program.main(["apply", "m", "a", "b", "-o", "m/model.json"]) == 2
    message = f"m/model.json is in {(work / 'm').resolve()}, an input of this command"
    assert message in capsys.readouterr().err
    assert (work / "m/model.json").read_text() == "{}"


def test_no_folder_is_written_that_holds_what_is_read(work, capsys):
    (work / "run").mkdir()
    (work / "run/weights.json").write_text("{}")
    command = "tune a --refs b -w run/weights.json --out run --overwrite"
    assert program.main(command.split()) == 2
    inner = (work / "run/weights.json").resolve()
    message = f"run contains {inner}, an input of this command"
    assert message in capsys.readouterr().err
    assert (work / "run/weights.json").read_text() == "{}"


def test_no_folder_of_a_pipeline_is_written_that_holds_what_is_read(work, capsys):
    (work / "out").mkdir()
    (work / "out/gold").write_text("1 1 1 S\n")
    assert program.main(["run", "run.toml", "--overwrite"]) == 2
    inner = (work / "out/gold").resolve()
    message = f"{work / 'out'} contains {inner}, an input of this command"
    assert message in capsys.readouterr().err
    assert (work / "out/gold").read_text() == "1 1 1 S\n"


def text_options(kind):
    """Options that take text, by what is shown in place of it: no choices, no outputs."""
    for option_field in fields(kind):
        argument, value = argument_of(option_field), without_none(option_field.type)
        if is_dataclass(option_field.type):
            yield from text_options(option_field.type)
            continue
        is_told = argument.collect or argument.choices or argument.positional
        is_output = argument.parse in (output_file, output_folder)
        if value in (str, tuple[str, ...]) and not (is_told or is_output):
            yield argument.metavar or option_field.name


def commands(command):
    yield command
    for action in command.actions.values():
        yield from commands(action)


def test_every_option_is_known_to_name_a_file_or_not():
    every = [below for name in COMMANDS for below in commands(load_command(name))]
    known = _READ | NO_FILES | WRITTEN
    shown = {text for command in every if command.options for text in text_options(command.options)}
    assert shown - known == set()


@pytest.mark.parametrize(
    "option",
    [
        "--n-best=x:2", "--search-graph=x", "--alignment=x", "--forests=x",
        "--hypergraphs true gz x",
    ],
)  # fmt: skip
def test_other_outputs_have_locks(work, capsys, option):
    with sole_writer("x"):
        command = ["decode", "a", "--phrase-table", "t", "--lm", "l", *option.split()]
        assert program.main(command) == 1
    assert "x cannot be written: another process is writing it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "name", "others"),
    [
        ("align a b -o", "links.xlsx", "links.tsv, which spreadsheets also open"),
        ("align a b -o", "Links.CSV", "Links.tsv, which spreadsheets also open"),
        ("dictionary m a b -o", "pairs.ods", "pairs.tsv, pairs.csv or pairs.xlsx"),
        ("dictionary m a b --to tsv -o", "pairs.csv", "pairs.tsv, because the output is TSV"),
        ("domains summary m a b --json -o", "s.csv", "s.json, because the output is JSON"),
        (
            "classes a --num-classes 2 -o",
            "classes.xls",
            "classes.tsv, which spreadsheets also open",
        ),
        ("dictionary m a b -o", "pairs.json", "pairs.tsv, pairs.csv or pairs.xlsx"),
        ("dictionary m a b -o", "pairs.parquet", "pairs.tsv, pairs.csv or pairs.xlsx"),
        ("align a b --to talp -o", "links.json", "links.txt, because the output is text"),
        ("align a b --posteriors", "p.jsonl", "p.txt, because the output is text"),
        ("symmetrize a b --to naacl -o", "x.jsonl", "x.txt, because the output is text"),
        ("align a b -o", "links.csv.gz", "links.tsv, which spreadsheets also open"),
        ("classes a --num-classes 2 -o", "c.html", "c.txt, because the output is text"),
        ("tune a --refs b -o", "w.jsonl", "w.json"),
        ("weights show w -o", "w.html", "w.txt, because the output is text"),
        ("weights convert w --to moses -o", "w.json", "w.txt, because the output is text"),
        ("convert a --to naacl -o", "x.json", "x.txt, because the output is text"),
        ("project a b --target c -o", "x.json", "x.jsonl"),
        ("project a b --target c --to tags -o", "x.jsonl", "x.txt, because the output is text"),
        ("compare a b --refs c --to text -o", "x.json", "x.txt, because the output is text"),
        ("rerank a -w w -o", "x.jsonl", "x.txt, because the output is text"),
        ("rerank a -w w --sorted -o", "x.csv", "x.jsonl or x.json"),
        ("view a b c -o", "x.json", "x.html"),
        ("concordance m a b c w -o y.html --counts", "x.html", "x.tsv, x.csv or x.xlsx"),
        (
            "concordance m a b c w --json --counts y.csv -o",
            "x.csv",
            "x.json, because the output is JSON",
        ),
        ("concordance m a b c w --json -o", "x.tsv", "x.json, because the output is JSON"),
        ("weights show w --to json -o", "x.tsv", "x.json, because the output is JSON"),
        ("compare a b --refs c --to json -o", "x.csv", "x.json, because the output is JSON"),
    ],
)
def test_no_suffix_promises_another_format(work, capsys, command, name, others):
    assert program.main([*command.split(), name]) == 2
    told = f"{name} has a suffix that this command does not write; use {others}"
    assert told in capsys.readouterr().err
    assert not (work / name).exists()


@pytest.mark.parametrize("option", ["-o", "--model", "--checkpoint", "--t2s"])
def test_addresses_can_only_be_read(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["align", *NONE, option, "memory://a/b"]) == 2
    kind = "folder" if option in ("--model", "--checkpoint") else "file"
    expected = f"must be the name of a {kind}, since addresses can only be read, got 'memory://a/b'"
    assert expected in capsys.readouterr().err
