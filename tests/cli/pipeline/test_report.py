"""`isogloss report`: pages about a run and a model; what is told where it can't."""

import gzip
import json
import re
import shutil
import warnings
from pathlib import Path

import pytest

import isogloss as ig
from isogloss import program
from isogloss.align.errors import DataError, UsageError
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_bitext, read_gold, read_links
from tests.cli.first_pairs import write_first_pairs
from tests.cli.pipeline.report_pages import sections_of, text_of

DATA = Path(__file__).parents[3] / "data"
CONFIG = f"""
[run]
root = "ROOT"
out = "out"
[[train]]
source = "train.en.gz"
target = "train.es.gz"
labels = "train.labels.gz"
[[evaluate]]
name = "bundled"
gold = "train.en-es.gold.gz"
[align]
hmm_iterations = 1
[decoder]
stack_size = 10
[tune]
source = "{DATA}/tune.en"
references = ["{DATA}/tune.es.ref0", "{DATA}/tune.es.ref1"]
limit = 10
epochs = 2
nbest_size = 10
[test]
source = "test.en"
references = ["{DATA}/test.es.ref0"]
domains = "{DATA}/test.domains"
limit = 20
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_first_pairs(folder)
    shutil.copy(DATA / "test.en", folder / "test.en")
    text = CONFIG.replace("ROOT", str(folder))
    (folder / "run.toml").write_text(text, encoding="utf-8")
    assert program.main(["run", str(folder / "run.toml"), "-q"]) == 0
    return folder / "out"


def test_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["report", str(run)]) == 0
    page = run / "report.html"
    assert f"open {page} in a browser" in capsys.readouterr().err
    assert sections_of(page) == [
        "Input", "Findings, train.en.gz, train.es.gz", "Time and memory", "Alignment",
        "Model, single-domain", "Model, latent-domain", "Domains", "Tuning, dense", "Tuning, full",
        "Translation",
    ]  # fmt: skip
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    figures = {name: stage["figures"] for name, stage in manifest["stages"].items()}
    shown = text_of(page)
    assert f"{figures['text']['pairs']:,}" in shown
    gold = read_gold(run.parent / "train.en-es.gold.gz")
    for kind in ("flat", "latent"):
        score = ig.evaluate(read_links(run / f"{kind}.links.gz"), gold)
        assert f"{100 * score.aer:.2f} [" in shown
    assert f"{figures['translate']['test_bleu']['full']:.2f}" in shown
    assert '<a href="../train.en-es.gold.gz">train.en-es.gold.gz</a>' in page.read_text(
        encoding="utf-8"
    )
    for name in ("links.gz", "model/model.json"):
        assert f'href="latent.{name}"' in page.read_text(encoding="utf-8")
    changed = [line for line in shown.split("\n") if line.startswith("Words translated ")]
    assert changed[0] == "Words translated differently in everyday"
    domains = {"all", *(DATA / "test.domains").read_text(encoding="utf-8").split()[:20]}
    table = shown[shown.index("bleu by domain") :]
    assert domains <= {line for line in table.split("\n") if line}


def test_the_same_bytes_each_time(run: Path, tmp_path: Path) -> None:
    pages = [tmp_path / name for name in ("a.html", "b.html")]
    for page, threads in zip(pages, ("1", "2"), strict=True):
        assert program.main(["report", str(run), "-o", str(page), "--threads", threads]) == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_a_run_whose_keys_had_other_names(run: Path, tmp_path: Path) -> None:
    pages, manifest = [tmp_path / name for name in ("now.html", "then.html")], run / "manifest.json"
    kept = manifest.read_text(encoding="utf-8")
    assert '"nbest_size": 10' in kept
    older = kept.replace('"nbest_size": 10', '"nbest": 10')
    older = older.replace('"hmm_iterations": 1', '"hmm_iterations": 1, "window": 5')
    newer = kept.replace('"hmm_iterations": 1', '"hmm_iterations": 1, "jump_window": 5')
    try:
        for page, text in zip(pages, (newer, older), strict=True):
            manifest.write_text(text, encoding="utf-8")
            assert program.main(["report", str(run), "-o", str(page)]) == 0
    finally:
        manifest.write_text(kept, encoding="utf-8")
    assert sections_of(pages[0]) == sections_of(pages[1])
    assert len(sections_of(pages[0])) > 9


def test_a_run_whose_input_has_changed(run: Path, tmp_path: Path) -> None:
    page, source = tmp_path / "page.html", run.parent / "test.en"
    kept = source.read_bytes()
    try:
        source.write_text("another text\n", encoding="utf-8")
        assert program.main(["report", str(run), "-o", str(page)]) == 0
        assert re.search(r"test\.en\n+[0-9a-f]{12}\n+changed", re.sub(r"\n+", "\n", text_of(page)))
        source.unlink()
        assert program.main(["report", str(run), "-o", str(page)]) == 0
    finally:
        source.write_bytes(kept)
    shown = text_of(page)
    assert "missing" in shown
    assert "Sections that read the input again are left out, because it has changed." in shown
    assert "Findings" not in shown
    assert "Log-likelihood by iteration, HMM" in shown


def test_a_run_of_an_earlier_version(run: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(run, older)
    manifest = json.loads((older / "manifest.json").read_text(encoding="utf-8"))
    del manifest["configuration"]
    manifest["version"] = [1, 0]
    (older / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert program.main(["report", str(older), "-q"]) == 0
    assert "Sections that read the input again" in text_of(older / "report.html")


def test_shares_are_those_of_the_file(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert program.main(["report", str(run), "-o", str(page), "-q"]) == 0
    found = ig.DomainPosteriors.load(run / "domains.tsv.gz")
    shown = re.sub(r"\n+", "\n", text_of(page))
    for name, share in zip(found.domains, found.posterior.mean(0).tolist(), strict=True):
        assert f"\n{name}\n{100 * share:.1f}\n" in shown


def test_an_unfinished_run(run: Path, tmp_path: Path) -> None:
    part = tmp_path / "part"
    shutil.copytree(run, part)
    manifest = json.loads((part / "manifest.json").read_text(encoding="utf-8"))
    for name in ("tune-full", "translate"):
        del manifest["stages"][name]
    (part / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert program.main(["report", str(part), "-q"]) == 0
    told = "The run is unfinished. It lacks tune-full, translate; pass --resume to run."
    assert told in text_of(part / "report.html")
    assert "Translation" not in sections_of(part / "report.html")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    write_first_pairs(folder)
    texts = folder / "train.en.gz", folder / "train.es.gz"
    bitext = read_bitext(*texts, labels=folder / "train.labels.gz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ig.DataWarning)  # of few seed pairs
        model = ig.train(bitext, hmm_iterations=1, threads=2)
    model.save(folder / "m")
    model.align(bitext).save(folder / "links")
    read_gold(folder / "train.en-es.gold.gz").save(folder / "gold")
    for name, side in (("src", bitext.source), ("tgt", bitext.target)):
        lines = [" ".join(side.words(row)) for row in range(len(side))]
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


def test_a_model_alone(model: Path) -> None:
    assert program.main(["report", str(model / "m"), "-q"]) == 0
    assert sections_of(model / "m.html") == ["Model", "Domains"]
    assert not (model / "m" / "report.html").exists()  # a model folder holds a model


def test_a_model_with_its_text(model: Path) -> None:
    text = [str(model / name) for name in ("src", "tgt")]
    page = model / "page.html"
    command = ["report", str(model / "m"), *text, "-o", str(page), "-q"]
    assert program.main(command) == 0
    sections = ["Model", "Findings, src, tgt", "Domains", "Alignment"]
    assert sections_of(page) == sections
    own = re.sub(r"\n+", "\n", text_of(page))
    links = read_links(model / "links")
    assert f"model\n{len(links.source):,}\n" in own
    score = ig.evaluate(links, read_gold(model / "gold"))
    for name in ("links", "gold"):
        talp = str(model / f"{name}.talp")
        assert program.main(["convert", str(model / name), "--to", "talp", "-o", talp, "-q"]) == 0
    for suffix in ("", ".talp"):
        given = [f"--{name}={model / name}{suffix}" for name in ("links", "gold")]
        assert program.main([*command, *given]) == 0
        shown = re.sub(r"\n+", "\n", text_of(page))
        assert f"gold{suffix}\nlinks{suffix}\n{100 * score.aer:.2f} [" in shown
    rates = [float(rate) for rate in re.findall(r"Line \d+: AER ([\d.]+)", shown)]
    assert rates[:5] == sorted(rates[:5], reverse=True)  # the worst ones
    assert rates[5:] == sorted(rates[5:])  # the best ones
    assert max(rates[5:]) <= min(rates[:5])


def test_no_advice_that_was_followed(model: Path) -> None:
    lines = (model / "src").read_text(encoding="utf-8").splitlines()
    mixed = [line.upper() if number % 2 else line for number, line in enumerate(lines)]
    (model / "mixed").write_text("\n".join([*mixed, ""]), encoding="utf-8")
    page = model / "mixed.html"
    command = ["report", str(model / "m"), str(model / "mixed"), str(model / "tgt")]
    for more, advised in ([], True), (["--lowercase"], False):
        assert program.main([*command, "-o", str(page), "-q", *more]) == 0
        assert ("Pass --lowercase" in text_of(page)) == advised


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (["nowhere"], DataError, "the folder nowhere does not exist; expected a folder of `run`"),
        (["empty"], DataError, "the folder empty has no manifest.json and no model.json"),
        (["m", "--gold", "gold"], UsageError, "--links and --gold need the texts SRC and TGT"),
        (["m", "src", "tgt", "--links", "short"], DataError, "the links have 1 line"),
        (["m", "src", "tgt", "--gold", "short"], DataError, "short: the links have 1 line"),
        (["short"], DataError, "short is a file; expected a folder of `run`"),
    ],
)
def test_what_is_no_run(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    kind: type[Exception],
    message: str,
) -> None:
    monkeypatch.chdir(model)
    (model / "empty").mkdir(exist_ok=True)
    (model / "short").write_text("0-0\n", encoding="utf-8")
    assert program.main(["report", *arguments, "-o", "x.html"]) == (2 if kind is UsageError else 1)
    assert message in capsys.readouterr().err
    assert not (model / "x.html").exists()


def test_another_programs_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text('{"kind": "other"}', encoding="utf-8")
    assert program.main(["report", str(tmp_path)]) == 1
    assert "is of kind 'other'; expected 'isogloss pipeline run'" in capsys.readouterr().err


def shortened(file: Path, lines: int) -> None:
    """Keep the first lines of a compressed file."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        kept = stream.readlines()[:lines]
    with gzip.open(file, "wt", encoding="utf-8") as stream:
        stream.writelines(kept)


def test_a_run_with_files_that_are_missing_or_damaged(run: Path, tmp_path: Path) -> None:
    """Each section says what is wrong with its file, and the rest is drawn."""
    part, page = tmp_path / "part", tmp_path / "page.html"
    shutil.copytree(run, part)
    assert program.main(["report", str(part), "-o", str(page), "-q"]) == 0
    sections = sections_of(page)
    (part / "weights.full.json").unlink()
    (part / "test.dense.txt").unlink()
    (part / "flat.model" / "model.json").write_text("{", encoding="utf-8")
    (part / "latent.links.gz").write_bytes(b"junk\n")
    shortened(part / "flat.links.gz", 10)
    shortened(part / "domains.tsv.gz", 20)
    assert program.main(["report", str(part), "-o", str(page), "-q"]) == 0
    assert sections_of(page) == sections
    lines = text_of(page).split("\n")
    told = [line for line in lines if line.startswith("This is left out: ")]
    names = [
        "flat.links.gz: the links have 10 lines; expected 1200, one per sentence pair",
        "latent.links.gz, line 1: 'junk' is malformed; expected links such as 0-0",
        "flat.model/model.json is damaged (invalid JSON",
        "domains.tsv.gz: the file has 19 sentence pairs and 5 domains; expected the 1200 and 5",
        "weights.full.json cannot be read: No such file or directory",
        "test.dense.txt cannot be read: No such file or directory",
    ]
    for line, name in zip(told, names, strict=True):
        assert line.startswith(f"This is left out: {part}/{name}")
    for title in (
        "AER (%) by symmetrization",
        "Weights, dense by template",
        "BLEU of the test set",
    ):
        assert title in lines
    assert "BLEU by epoch; a dot marks the epoch that was kept" in lines
    assert 'href="part/weights.full.json"' not in page.read_text(encoding="utf-8")


def test_a_run_whose_domains_cannot_be_told(run: Path, tmp_path: Path) -> None:
    """Without the latent model the section says so, and what is wrong with the other file."""
    part, page = tmp_path / "part", tmp_path / "page.html"
    shutil.copytree(run, part)
    (part / "latent.model" / "model.json").write_text("{", encoding="utf-8")
    told = [f"This is left out: {part}/latent.model/model.json is damaged"]
    for damage in (None, b"junk\n"):
        if damage is not None:
            (part / "domains.tsv.gz").write_bytes(damage)
            told.append(f"This is left out: {part}/domains.tsv.gz")
        assert program.main(["report", str(part), "-o", str(page), "-q"]) == 0
        assert "Domains" in sections_of(page)
        shown = text_of(page)
        section = shown[shown.rindex("\nDomains\n") : shown.rindex("\nTuning, dense\n")]
        lines = [line for line in section.split("\n") if line.startswith("This is left out: ")]
        assert [line[: len(start)] for line, start in zip(lines, told, strict=True)] == told


@pytest.mark.parametrize("key", ["python", "seed", "inputs", "stages", "files"])
def test_a_run_whose_manifest_lacks_something(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    part = tmp_path / "part"
    shutil.copytree(run, part)
    manifest = json.loads((part / "manifest.json").read_text(encoding="utf-8"))
    del manifest[key]
    (part / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert program.main(["report", str(part), "-o", str(tmp_path / "page.html"), "-q"]) == 1
    assert f"manifest.json: the key '{key}' is missing" in capsys.readouterr().err


def test_a_run_with_a_stage_of_a_later_version(run: Path, tmp_path: Path) -> None:
    """A stage that this version doesn't know is left out."""
    part, page = tmp_path / "part", tmp_path / "page.html"
    shutil.copytree(run, part)
    manifest = json.loads((part / "manifest.json").read_text(encoding="utf-8"))
    manifest["stages"]["other"] = 1
    (part / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert program.main(["report", str(part), "-o", str(page), "-q"]) == 0
    assert "other" not in text_of(page).split("\n")


def test_words_of_a_tiny_text_are_translated_alike(tmp_path: Path) -> None:
    """Rows of score 0 say nothing: where no other is left, that is said."""
    pairs = [("the house", "la casa"), ("the cat", "el gato")] * 30
    labels = ["legal", "medical", None] * 20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ig.DataWarning)
        ig.train(Bitext.from_pairs(pairs, labels), hmm_iterations=1).save(tmp_path / "m")
    for side, name in enumerate(("en", "es")):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("m", "en", "es")]
    assert program.main(["report", *files, "-q", "-o", str(tmp_path / "new" / "m.html")]) == 0
    lines = text_of(tmp_path / "new" / "m.html").split("\n")
    assert "No word is translated differently in legal." in lines
    assert not any(line.startswith("Words translated differently") for line in lines)
