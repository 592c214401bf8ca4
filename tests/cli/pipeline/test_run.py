"""`isogloss run`: stages, resumption, configuration errors."""

import json
import math
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.errors import DataError, ModelError, OutputError
from isogloss.console import Console
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.protocol import table_rules
from isogloss.pipeline import pipeline
from isogloss.pipeline.config import read_config
from isogloss.pipeline.pipeline import run_pipeline
from isogloss.pipeline.report import format_report
from isogloss.tune.weights.weights import Weights
from tests.cli.first_pairs import few, write_first_pairs

DATA = Path(__file__).parents[3] / "data"
CONFIG = f"""
[run]
root = "{DATA}"
out = "OUT"
[[train]]
source = "train.en.gz"
target = "train.es.gz"
labels = "train.labels.gz"
[[evaluate]]
name = "bundled"
gold = "train.en-es.gold.gz"
[align]
hmm_iterations = 1
[features]
count_features = ["SourceCount", "TargetWords"]
raw = ["lex(e|f)"]
discretize = ["p(e|f):3", "SourceCount:2:keep", "TargetWords:1"]
[decoder]
stack_size = 10
[tune]
source = "tune.en"
references = ["tune.es.ref0", "tune.es.ref1"]
limit = 10
epochs = 1
nbest_size = 10
bin_regularizer = "linear"
[test]
source = "test.en"
references = ["test.es.ref0"]
limit = 5
"""


def configured(folder, text=CONFIG, out="out"):
    path = folder / "config.toml"
    path.write_text(text.replace("OUT", str(folder / out)))
    return path


def artefacts(folder):
    """Contents of all files but those that hold times."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("manifest.json", "report.txt")
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    write_first_pairs(folder)
    assert program.main(["run", str(configured(folder, few(folder, CONFIG))), "-q"]) == 0
    return folder


def test_every_artefact(finished):
    names = {str(name) for name in artefacts(finished / "out")}
    assert {
        "flat.links.gz", "latent.links.gz", "domains.tsv.gz", "lm.arpa.gz", "phrase-table.gz",
        "phrase-table.features.gz", "weights.dense.json", "weights.full.json", "test.untuned.txt",
        "test.dense.txt", "test.full.txt", "lexicon/latent.legal.s2t.tsv.gz",
        "lexicon/latent.out.t2s.tsv.gz", "latent.model/model.json",
    } <= names  # fmt: skip


@pytest.mark.thorough
def test_domain_scores_are_those_of_features_with_the_model(finished, tmp_path):
    """Of all domains, the out-domain among them: the four of Cuong & Sima'an (2015)."""
    own = PhraseTable.load(finished / "out/phrase-table.features.gz")
    domains = [f"DomainLex.{name}" for name in ("everyday", "legal", "medical", "software", "out")]
    assert own.score_names[-5:] == tuple(domains)
    table, model = (str(finished / "out" / name) for name in ("phrase-table.gz", "latent.model"))
    rich = str(tmp_path / "rich")
    assert program.main(["features", table, "-o", rich, "--model", model, "-q"]) == 0
    other = PhraseTable.load(rich)
    assert other.score_names[4:] == tuple(domains)
    scores = dict(zip(rule_names(other), other.scores[:, 4:].tolist(), strict=True))
    assert [scores[rule] for rule in rule_names(own)] == own.scores[:, -5:].tolist()


def test_scores_by_value_by_bins_and_counted(finished):
    """What Table 3 of Clark et al. (2014) compares: P, bins in place of scores, c(s)."""
    plain = PhraseTable.load(finished / "out/phrase-table.gz")
    rich = PhraseTable.load(finished / "out/phrase-table.features.gz")
    assert rich.score_names[:4] == ("p(f|e)", "lex(f|e)", "Raw.lex(e|f)", "SourceCount")
    assert "TargetWords" not in rich.score_names
    known = dict(zip(rule_names(plain), range(len(plain)), strict=True))
    bins = {name: set() for name in ("p(e|f)", "SourceCount", "TargetWords")}
    for rule in rich:
        row = plain[known[rule.source, rule.target]]
        assert math.log(rule.scores["Raw.lex(e|f)"]) == pytest.approx(
            row.scores["lex(e|f)"], abs=1e-5
        )
        assert rule.scores["SourceCount"] == pytest.approx(row.counts[1], rel=1e-5)
        for name, found in bins.items():
            (bin,) = (feature for feature in rule.features if feature.startswith(f"{name}_bin"))
            value = {"p(e|f)": row.scores["p(e|f)"], "SourceCount": row.counts[1]}
            found.add((value.get(name, len(rule.target.split())), bin))
    for found in bins.values():  # bins rise with the values, and each value is in one
        assert len(dict(found)) == len(found)
        assert [bin for _, bin in sorted(found)] == sorted(bin for _, bin in found)
    dense, full = (
        Weights.load(finished / f"out/weights.{kind}.json") for kind in ("dense", "full")
    )
    assert "p(e|f)" in dense
    assert "p(e|f)" not in full
    assert "Raw.lex(e|f)" in full


def test_report(finished):
    manifest = json.loads((finished / "out/manifest.json").read_text())
    report = format_report(manifest)
    flat = manifest["stages"]["align-flat"]["figures"]["aer"]["bundled"]
    assert f"{flat['grow-diag-final-and']:.2f}" in report
    for text in ("phrase pairs", "active / all features", "before tuning", "peak MB", "nrefs:1"):
        assert text in report


@pytest.mark.thorough
def test_stopped_run_resumes_to_the_same_bytes(finished, tmp_path, monkeypatch, capsys):
    config = configured(tmp_path, few(finished, CONFIG))

    def stop(run):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "add_features", stop)
        assert program.main(["run", str(config), "-q"]) == 130
    assert program.main(["run", str(config), "-q"]) == 1
    assert "Resume the run with --resume, replace it with --overwrite" in capsys.readouterr().err
    assert program.main(["run", str(config), "--resume"]) == 0
    assert "extract: already done" in capsys.readouterr().err
    assert artefacts(tmp_path / "out") == artefacts(finished / "out")


def test_resume_with_another_configuration(finished, tmp_path, capsys):
    text = CONFIG.replace("epochs = 1", "epochs = 2")
    path = configured(tmp_path, few(finished, text))
    options = ["--out", str(finished / "out"), "--resume"]
    assert program.main(["run", str(path), *options]) == 1
    assert "belongs to a run with a different configuration" in capsys.readouterr().err


def rule_names(table):
    return [(" ".join(rule.source), " ".join(rule.target)) for rule in table_rules(table)]


def finished_alignment(folder):
    """The configuration of a run that has aligned three pairs, a and b."""
    for name in ("a", "b"):
        (folder / name).write_text("x y\nx\ny\n")
    text = '[run]\nout = "OUT"\n[[train]]\nsource = "a"\ntarget = "b"\n[extract]\nenabled = false\n'
    config = configured(folder, text)
    assert program.main(["run", str(config), "-q"]) == 0
    return config


def test_resume_with_changed_input(tmp_path, capsys):
    config = finished_alignment(tmp_path)
    (tmp_path / "b").write_text("x y\nx\nz\n")
    assert program.main(["run", str(config), "-q", "--resume"]) == 1
    assert "belongs to a run with a different input" in capsys.readouterr().err


def test_what_is_not_replaced_is_told_first(tmp_path, capsys):
    config = finished_alignment(tmp_path)
    (model,) = tmp_path.glob("*/*.model")
    (model / "note").write_text("mine")
    before = artefacts(model.parent)
    assert program.main(["run", str(config), "--overwrite"]) == 1
    assert f"{model} contains files that model.json does not list (note)" in capsys.readouterr().err
    assert artefacts(model.parent) == before


def test_folder_without_manifest(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes").write_text("mine")
    assert program.main(["run", str(configured(tmp_path)), "--resume"]) == 1
    told = capsys.readouterr().err
    assert "out contains no manifest.json; expected the folder of an earlier run. Choose an" in told


_STAGES = {"python": "", "seed": 1, "digest": "", "inputs": {}, "stages": {}, "files": []}


def _manifest(version, **values):
    return json.dumps({"kind": "isogloss pipeline run", "version": version, **values})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"out/manifest.json: invalid JSON \(Expecting.*\)\. Choose another folder, or"),
        ("[]", "out/manifest.json: the value is a list of 0; expected an object"),
        ('{"version": "1"}', r"manifest\.json: the key 'kind' is missing\. Choose"),
        (_manifest([1, 0]), r"manifest\.json: the key 'program' is missing\. Choose"),
        (_manifest([1, 0], program=""), r"manifest\.json: the key 'digest' is missing\."),
        (_manifest(1, program="", **_STAGES), r"version is 1; expected a list\. Start again"),
        (_manifest([0, 9], program="", **_STAGES), r"reads 1\. Start again with --overwrite, or"),
        (_manifest([2, 0], program="9", **_STAGES), r"reads 1\. Update isogloss to 9 or later"),
        ('{"kind": "isogloss tuning run"}', "kind 'isogloss tuning run'; expected 'isogloss pip"),
    ],
)
def test_folder_with_a_damaged_manifest(tmp_path, content, message):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/manifest.json").write_text(content)
    with pytest.raises((DataError, ModelError), match=message):
        run_pipeline(read_config(configured(tmp_path)), Console(-1), resume=True)


USAGE = {"seconds": 1, "cpu_seconds": 1, "megabytes": 1}
TUNED = {"active": 1, "features": 2, "best_epoch": 1, "tuning_bleu": [20.5]}


@pytest.mark.parametrize(
    ("name", "figures", "usage", "message"),
    [
        ("text", {}, USAGE, "the key 'pairs' is missing in stages.text.figures"),
        ("text", [], USAGE, "stages.text.figures is a list of 0; expected an object"),
        (
            "align-flat",
            {"aer": {"a": {"b": "c"}}},
            USAGE,
            "a value of stages.align-flat.figures.aer is invalid; expected a number",
        ),
        ("extract", {"phrase_pairs": -1}, USAGE, "phrase_pairs is -1; expected an integer of at"),
        ("extract", {"phrase_pairs": 1}, {}, "the key 'seconds' is missing in"),
        ("extract", {"phrase_pairs": 1}, USAGE | {"megabytes": math.nan}, "megabytes is nan; exp"),
        ("tune-full", TUNED, USAGE, "best_epoch is 1, but the last epoch is 0"),
        ("translate", {"test_bleu": 3}, USAGE, "test_bleu is 3; expected an object"),
    ],
)
def test_manifest_with_other_figures(tmp_path, name, figures, usage, message):
    """What the report and later stages take from the manifest is there, and is what they need."""
    stages = {name: {"figures": figures, "usage": usage}}
    (tmp_path / "out").mkdir()
    text = _manifest([1, 0], program="", **_STAGES | {"stages": stages})
    (tmp_path / "out/manifest.json").write_text(text)
    with pytest.raises(DataError, match=rf"manifest\.json: .*{message}.*\. Start again"):
        run_pipeline(read_config(configured(tmp_path)), Console(-1), resume=True)


def test_folder_that_is_none(tmp_path):
    (tmp_path / "out").write_text("mine")
    for options in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(DataError, match=r"out is a file\. Choose ano"):
            run_pipeline(read_config(configured(tmp_path)), Console(-1), **options)
    assert "mine" == (tmp_path / "out").read_text()
    config = read_config(configured(tmp_path)).with_out(Path("/proc/new"))
    with pytest.raises(OutputError, match=r"^/proc/new cannot be written: .*Choose another name o"):
        run_pipeline(config, Console(-1))


def test_missing_input(tmp_path, capsys):
    text = CONFIG.replace('source = "tune.en"', 'source = "nowhere"')
    assert program.main(["run", str(configured(tmp_path, text))]) == 1
    assert "nowhere cannot be read: No such file or directory" in capsys.readouterr().err


def test_discretize_of_another_form(finished, tmp_path, capsys):
    text = CONFIG.replace('"p(e|f):3"', '"p(e|f)"')
    assert program.main(["run", str(configured(tmp_path, text)), "-q"]) == 1
    assert "[features] discretize must be NAME:BITS, " in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:the domain:isogloss.align.errors.DataWarning")
def test_alignment_only(finished, tmp_path):
    text = CONFIG[: CONFIG.index("[features]")] + "[extract]\nenabled = false\n"
    manifest = run_pipeline(read_config(configured(tmp_path, few(finished, text))), Console(-1))
    assert list(manifest["stages"]) == ["text", "align-flat", "align-latent"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("stack_size = 10", "stack_sise = 10", r"\[decoder\] has an unknown key 'stack_sise'"),
        ("stack_size = 10", "stack_size = 0", r"\[decoder\] stack_size must be"),
        ("epochs = 1", "epochs = 'x'", r"\[tune\] epochs is 'x'; expected an integer"),
        ("hmm_iterations = 1", "jump_window = 0", r"\[align\] jump_window must be between 1"),
        ("hmm_iterations = 1", "preset = 'b'", r"\[align\] preset = 'b'; expected one of paper"),
        ("hmm_iterations = 1", "heuristic = 'b'", r"\[align\] heuristic must be one of .*'b'"),
        ('"p(e|f):3"', '"p(e|f):3", "p(e|f):x"', r"\[features\] discretize must .* 'p\(e\|f\):x'"),
        ('source = "train.en.gz"\n', "", r"\[\[train\]\] does not name its files; expected either"),
        ('gold = "train.en-es.gold.gz"', "", r"\[evaluate\] has no gold"),
        ("[features]", "[feature]", r"the table \[feature\] is unknown"),
        ("[features]", "[features]\ntemplates = ['xx']", r"template 'xx'; expected one of pt, al"),
        ('"p(e|f):3"', "'x:99'", r"\[features\] x: bits must be between 1 and 16"),
        ("[[evaluate]]", "[[evaluate]", "not valid TOML"),
        ("[[train]]", "[train]", r"\[train\]; expected tables \[\[train\]\]"),
        ("[run]", "[run]\nseed = -1", r"\[run\] seed is -1; expected an integer of at least 0"),
        ("[run]", "[run]\nthreads = -1", r"\[run\] threads is -1; expected an integer of at"),
        ("[run]", "[run]\nlanguages = ['en']", r"\[run\] languages is a list of 1; expected a li"),
        ("[features]", "[features]\ntemplates = [1]", r"templates\[0\] is 1; expected a string"),
        ("epochs = 1", "epochs = 0", r"\[tune\] epochs is 0; expected an integer of at least 1"),
        ("epochs = 1", "rate = inf", r"\[tune\] rate is inf; expected a finite number"),
        ('name = "bundled"', r'name = "a\u001b[31m"', "one line of printable text"),
        ('source = "tune.en"\n', "", r"\[tune\] has no source; expected the name of a file"),
        (
            'references = ["test.es.ref0"]',
            "",
            r"\[test\] has no references; expected the names of files",
        ),
        (
            '"p(e|f):3"',
            '"' + "x" * 9000 + '"',
            r", line 17: the line has 9,\d+ characters; expected at most 8,192",
        ),
        ("hmm_iterations = 1", "sparse_prior = inf", r"\[align\] sparse_prior is inf; expected "),
    ],
)
def test_configuration_errors(tmp_path, old, new, message):
    assert old in CONFIG
    with pytest.raises(DataError, match=message):
        read_config(configured(tmp_path, CONFIG.replace(old, new)))


def test_configuration_without_training_text(tmp_path):
    with pytest.raises(DataError, match=r"no \[\[train\]\] table"):
        read_config(configured(tmp_path, "[run]\n"))


def test_missing_configuration(tmp_path):
    with pytest.raises(DataError, match="No such file"):
        read_config(tmp_path / "none.toml")


def test_environment_variables(tmp_path, monkeypatch):
    text = '[run]\nroot = "${ISO_TEST_ROOT:-other}"\n[[train]]\nsource = "a"\ntarget = "b"\n'
    path = configured(tmp_path, text)
    assert read_config(path).training[0].source == tmp_path / "other" / "a"
    monkeypatch.setenv("ISO_TEST_ROOT", "/mine")
    assert read_config(path).training[0].source == Path("/mine/a")
    with pytest.raises(DataError, match="the environment variable ISO_TEST_NONE is not set"):
        read_config(configured(tmp_path, text.replace("ISO_TEST_ROOT:-other", "ISO_TEST_NONE")))


@pytest.mark.thorough
def test_references_of_another_length(finished, tmp_path, capsys):
    (tmp_path / "short").write_text("uno\n")
    text = CONFIG.replace('["tune.es.ref0", "tune.es.ref1"]', f'["{tmp_path / "short"}"]')
    assert program.main(["run", str(configured(tmp_path, few(finished, text))), "-q"]) == 1
    assert "short, line 2: the file has 1 line, but" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["en-es-medical", "es-en-conversation", "en-fr-hansards"])
def test_examples_are_valid(name):
    config = read_config(Path(__file__).parents[3] / "examples" / f"{name}.toml")
    assert config.out.name == name
    assert config.training


def test_a_label_that_looks_like_a_path(tmp_path, capsys):
    """It is the name of a file in the run's folder, wherever it seems to lead."""
    lines = ["x y z", "x", "y z"] * 4
    for name in ("a", "b"):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "labels").write_text("x/../../../evil\nb\n-\n" * 4)
    files = 'source = "a"\ntarget = "b"\nlabels = "labels"\n'
    text = f'[run]\nout = "OUT"\n[[train]]\n{files}[extract]\nenabled = false\n'
    before = {path.name for path in tmp_path.iterdir()} | {"config.toml", "out"}
    assert program.main(["run", str(configured(tmp_path, text)), "-q"]) == 0
    assert before == {path.name for path in tmp_path.iterdir()}
    names = {path.name for path in (tmp_path / "out/lexicon").iterdir()}
    assert "latent.x%2F..%2F..%2F..%2Fevil.s2t.tsv.gz" in names


def test_templates_of_your_own(tmp_path):
    """A file of settings may name them, but only the command says what code is run."""
    text = CONFIG.replace("[features]", '[features]\ntemplates = ["Mine"]')
    with pytest.raises(DataError, match=r"config\.toml: \[features\] unknown template 'Mine'; exp"):
        read_config(configured(tmp_path, text))
    file = tmp_path / "mine.py"
    file.write_text('class Mine:\n    def rule_features(self, rule):\n        return ["Mine_x"]\n')
    config = read_config(configured(tmp_path, text), str(file))
    assert (["Mine"], file) == (list(config.plugins), config.inputs[0])
