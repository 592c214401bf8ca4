"""The program from outside: options, exit codes, files in and out."""

import gzip
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss import __version__, program
from isogloss.align.execution import processors, usual_threads
from isogloss.align.kernel_cache import KernelCacheError
from isogloss.command_line.parsers import COMMANDS, load_command
from isogloss.commands import shared
from isogloss.commands.links import evaluate

DATA = Path(__file__).parents[2] / "data"
LINES = 400


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The first lines of the bundled training text, as plain files."""
    folder = tmp_path_factory.mktemp("small")
    for name in ("train.en", "train.es", "train.labels", "train.en-es.gold"):
        lines = gzip.decompress((DATA / f"{name}.gz").read_bytes()).decode().splitlines()
        (folder / name).write_text("\n".join(lines[:LINES]) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def aligned(small):
    """A flat model and its links."""
    assert program.main(["align", *pair(small), "--model", str(small / "m"), "-q",
                     "--heuristic", "grow-diag-final-and",
                     "-o", str(small / "links"), "--t2s", str(small / "fwd"),
                     "--s2t", str(small / "rev")]) == 0  # fmt: skip
    return small


@pytest.fixture(scope="module")
def system(aligned):
    """A phrase table, a language model and a few lines to translate."""
    table = str(aligned / "table.gz")
    assert program.main(["extract", *pair(aligned), str(aligned / "links"), "-o", table, "-q"]) == 0
    assert program.main(["lm", str(aligned / "train.es"), "-o", str(aligned / "lm.gz"), "-q"]) == 0
    for side in ("en", "es"):
        lines = (aligned / f"train.{side}").read_text(encoding="utf-8").splitlines()[:12]
        (aligned / f"dev.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return aligned


def pair(folder):
    return [str(folder / "train.en"), str(folder / "train.es")]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_shows_two_examples(command, capsys):
    assert program.main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert len(re.findall(rf"^  isogloss {command}(?: |$)", text, re.MULTILINE)) == 2


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_examples_parse(command):
    for example in load_command(command).examples:
        words = re.split(" [<>] ", example)[0].replace("'", "").split()
        assert words[:2] == ["isogloss", command]
        chosen, options = program.parse(command, words[2:])
        assert isinstance(options, chosen.options)


def test_version(capsys):
    assert program.main(["--version"]) == 0
    assert capsys.readouterr().out == f"isogloss {__version__}\n"


def test_usage_errors_exit_2(capsys, aligned):
    assert program.main([]) == 2
    assert program.main(["align"]) == 2
    assert program.main(["align", "a", "b", "--threads", "-1"]) == 2
    assert program.main(["align", "a", "b", "--threads", "1025"]) == 2
    assert "--threads must be between 0 and 1024, got 1025" in capsys.readouterr().err
    assert program.main(["align", *pair(aligned), "--null-probability", "1"]) == 2
    assert "--null-probability must be above 0 and below 1, got 1.0" in capsys.readouterr().err


def test_threads(capsys, monkeypatch):
    """0 is one for each processor; without a number there are not more than eight."""
    monkeypatch.setattr(shared, "processors", lambda: 64)
    assert [shared.thread_count(text) for text in ("0", "1", "1024")] == [64, 1, 1024]
    assert min(processors(), 8) == usual_threads() == shared.CommonOptions().threads
    assert program.main(["align", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "number of threads; 0 = all processors (default: all, at most 8)" in told


def test_threads_of_a_configuration(tmp_path):
    config = tmp_path / "run.toml"
    config.write_text("[run]\nthreads = 2\n[[train]]\nsource = 'a'\ntarget = 'b'\n")
    for more, threads in (([], 2), (["--threads", "3"], 3)):
        assert program.parse("run", [str(config), *more])[1].settings.threads == threads


def test_data_errors_exit_1(capsys):
    assert program.main(["evaluate", "nowhere.links", "nowhere.gold"]) == 1
    assert "nowhere.links cannot be read: No such file or directory" in capsys.readouterr().err


def test_interrupt_exits_130(monkeypatch, capsys):
    def stop(options, console):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "COMMAND", replace(evaluate.COMMAND, run=stop))
    assert program.main(["evaluate", "a", "b"]) == 130
    assert capsys.readouterr().err == "isogloss evaluate: interrupted\n"


def test_no_place_for_compiled_kernels_exits_1(monkeypatch, capsys):
    def refuse(options, console):
        raise KernelCacheError("neither here nor there; set NUMBA_CACHE_DIR")

    monkeypatch.setattr(evaluate, "COMMAND", replace(evaluate.COMMAND, run=refuse))
    assert program.main(["evaluate", "a", "b"]) == 1
    told = capsys.readouterr().err
    assert told == "isogloss evaluate: neither here nor there; set NUMBA_CACHE_DIR\n"


def test_results_to_stdout_messages_to_stderr(aligned, capsys):
    links, gold = str(aligned / "links"), str(aligned / "train.en-es.gold")
    assert program.main(["evaluate", links, gold, "--json"]) == 0
    captured = capsys.readouterr()
    score = json.loads(captured.out)
    assert captured.err == ""
    assert score["sentence_pairs"] == LINES
    assert 5 < score["AER"] < 40
    assert program.main(["evaluate", links, gold]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == [
        "AER", "precision", "recall", "F1",
    ]  # fmt: skip


def test_apply_repeats_the_training_links(aligned, tmp_path):
    out = tmp_path / "again"
    assert program.main(["apply", str(aligned / "m"), *pair(aligned), "-o", str(out)]) == 0
    assert out.read_bytes() == (aligned / "links").read_bytes()


def test_links_by_posterior(aligned, tmp_path):
    model, first, again = str(tmp_path / "m"), tmp_path / "first", tmp_path / "again"
    threshold = ["--posterior-threshold", "0.5"]
    command = ["align", *pair(aligned), "--agreement", *threshold, "--model", model, "-q"]
    assert program.main([*command, "-o", str(first)]) == 0
    assert program.main(["apply", model, *pair(aligned), *threshold, "-o", str(again)]) == 0
    assert first.read_bytes() == again.read_bytes()
    assert len(first.read_text().splitlines()) == LINES


def test_threads_do_not_change_the_links(aligned, tmp_path):
    out = tmp_path / "one"
    labels = ["--labels", str(aligned / "train.labels")]
    for threads in ("1", "2"):
        files = ["-o", f"{out}{threads}", "--posteriors", f"{out}p{threads}"]
        command = ["align", *pair(aligned), *labels, "-q", "--threads", threads, *files]
        assert program.main(command) == 0
    assert Path(f"{out}1").read_bytes() == Path(f"{out}2").read_bytes()
    assert Path(f"{out}p1").read_bytes() == Path(f"{out}p2").read_bytes()


def test_symmetrize_equals_align(aligned, tmp_path):
    out = tmp_path / "sym"
    assert (
        program.main(["symmetrize", str(aligned / "fwd"), str(aligned / "rev"), "-o", str(out)])
        == 0
    )
    assert out.read_bytes() == (aligned / "links").read_bytes()


def test_seed_sample_adds_no_lines(small, tmp_path, capsys):
    out = tmp_path / "links"
    seeds = []
    for name, first in (("legal", 0), ("software", 60)):
        for side in ("en", "es"):
            lines = (small / f"train.{side}").read_text(encoding="utf-8").splitlines()
            (tmp_path / f"{name}.{side}").write_text("\n".join(lines[first : first + 55]) + "\n")
        seeds += ["--seed-sample", f"{name}={tmp_path / name}.en,{tmp_path / name}.es"]
    posteriors = tmp_path / "posteriors.tsv"
    command = ["align", *pair(small), *seeds, "-o", str(out), "--posteriors", str(posteriors)]
    assert program.main([*command, "-q"]) == 0
    assert len(out.read_text().splitlines()) == LINES
    rows = posteriors.read_text().splitlines()
    assert rows[0] == "legal\tsoftware\tout"
    assert len(rows) == LINES + 1
    assert all(abs(sum(map(float, row.split("\t"))) - 1) < 1e-5 for row in rows[1:])


def test_model_folder_in_use(aligned, capsys):
    assert program.main(["align", *pair(aligned), "--model", str(aligned / "m"), "-q"]) == 1
    assert "exists; choose another folder or pass --overwrite" in capsys.readouterr().err


def test_lexicon(aligned, capsys):
    assert program.main(["lexicon", str(aligned / "m"), "--min-prob", "0.2"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    best = {given: generated for given, generated, _ in reversed(rows)}
    assert (best["."], best["and"], best["but"]) == (".", "y", "pero")
    assert program.main(["lexicon", str(aligned / "m"), "--domain", "nautical"]) == 2
    assert "unknown domain 'nautical'; the model has general" in capsys.readouterr().err


def test_unknown_domain_in_labels(small, capsys):
    command = ["align", *pair(small), "--labels", str(small / "train.labels")]
    assert program.main([*command, "--label-names", "legal,medical"]) == 1
    message = r"train.labels, line \d+: unknown domain '\w+'; expected one of legal, medical"
    assert re.search(message, capsys.readouterr().err)


def test_features_and_decode(system, tmp_path, capsys):
    rich = str(tmp_path / "rich.gz")
    command = ["features", str(system / "table.gz"), "-o", rich, "--add", "pt,al", "--model",
               str(system / "m"), "--filter-for", str(system / "dev.en"),
               "--discretize", "p(e|f):3", "--keep"]  # fmt: skip
    assert program.main(command) == 0
    names = json.loads((tmp_path / "rich.columns.json").read_text())["scores"]
    assert names == ["p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)"]
    assert (
        f"{system}/m has one domain, so no domain scores are added; pass "
        "--domain-features general to add DomainLex.general\n"
    ) in capsys.readouterr().err
    assert program.main([*command, "--domain-features", "general"]) == 0
    assert "one domain" not in capsys.readouterr().err
    names = json.loads((tmp_path / "rich.columns.json").read_text())["scores"]
    assert names == ["p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)", "DomainLex.general"]
    first = gzip.decompress(Path(rich).read_bytes()).decode().splitlines()[0]
    assert "PT_" in first
    assert "p(e|f)_bin" in first
    out, nbest = tmp_path / "out", tmp_path / "nbest"
    decode = ["decode", str(system / "dev.en"), "--phrase-table", rich, "--lm",
              str(system / "lm.gz"), "-q", "-o", str(out)]  # fmt: skip
    assert program.main([*decode, "--n-best", f"{nbest}:5"]) == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 12
    rows = [line.split(" ||| ") for line in nbest.read_text(encoding="utf-8").splitlines()]
    assert next(row[1] for row in rows if row[0] == "3") == out.read_text().splitlines()[3]
    again = tmp_path / "again"
    by_moses = ["decode", "-i", decode[1], *decode[2:-1], str(again), "-search-algorithm", "1"]
    assert program.main(by_moses) == 0
    assert again.read_text(encoding="utf-8") == out.read_text(encoding="utf-8")
    assert program.main([*decode, "-input-file", "other"]) == 2
    assert "dev.en and -input-file other exclude each other" in capsys.readouterr().err
    assert program.main([*decode, "--n-best", "nosize"]) == 2
    assert (
        "--n-best must be FILE:SIZE with SIZE between 1 and 100000, got 'nosize'"
    ) in capsys.readouterr().err


def test_tune_and_rerank_nbest_lists(system, tmp_path, capsys):
    nbest, weights = tmp_path / "list.gz", tmp_path / "weights.json"
    decode = ["decode", str(system / "dev.en"), "--phrase-table", str(system / "table.gz"), "--lm",
              str(system / "lm.gz"), "-q", "-o", str(tmp_path / "out")]  # fmt: skip
    assert program.main([*decode, "--n-best", f"{nbest}:30"]) == 0
    tune = ["tune", str(nbest), "--refs", str(system / "dev.es"), "-q", "--epochs", "3"]
    assert program.main([*tune, "-o", str(weights)]) == 0
    assert "LM0" in json.loads(weights.read_text())["weights"]
    assert program.main(["rerank", str(nbest), "--weights", str(weights)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 12
    assert program.main([*tune[:2], "--decoder", "x.toml", "--refs", "y"]) == 2


def test_tune_with_the_decoder(system, tmp_path, capsys):
    config, weights = tmp_path / "decoder.toml", tmp_path / "weights.txt"
    config.write_text(
        f'[decoder]\nphrase_table = "{system / "table.gz"}"\n'
        f'language_model = "{system / "lm.gz"}"\nstack_size = 20\n'
    )
    tune = ["tune", "--decoder", str(config), "--dev", str(system / "dev.en"), "--refs",
            str(system / "dev.es"), "--epochs", "2", "--nbest-size", "20"]  # fmt: skip
    for threads in ("1", "2"):
        assert program.main([*tune, "-o", f"{weights}{threads}", "--threads", threads]) == 0
    assert Path(f"{weights}1").read_bytes() == Path(f"{weights}2").read_bytes()
    assert "epoch 2: loss" in capsys.readouterr().err
    config.write_text("[decoder]\nphrase_tabel = 'x'\n")
    assert program.main(tune) == 1
    assert "[decoder] has no phrase_table" in capsys.readouterr().err


def test_phrases_and_links_of_translations(system, tmp_path, capsys):
    out, links, nbest = (tmp_path / name for name in ("out", "links", "list"))
    decode = ["decode", str(system / "dev.en"), "--phrase-table", str(system / "table.gz"), "--lm",
              str(system / "lm.gz"), "-q", "-o", str(out)]  # fmt: skip
    assert program.main([*decode, "--alignment", str(links), "--n-best", f"{nbest}:20"]) == 0
    plain = out.read_text(encoding="utf-8").splitlines()
    assert program.main(["check", str(links), str(system / "dev.en"), str(out)]) == 0
    assert sum(len(line.split()) for line in links.read_text().splitlines()) > len(plain)
    distinct = len(nbest.read_text(encoding="utf-8").splitlines())
    command = [*decode, "--segmentation", "--all-derivations", "--n-best", f"{nbest}:20"]
    assert program.main(command) == 0
    shown = out.read_text(encoding="utf-8").splitlines()
    assert [re.sub(r" \|\d+-\d+\|", "", line) for line in shown] == plain
    source = (system / "dev.en").read_text(encoding="utf-8").splitlines()
    for line, text in zip(shown, source, strict=True):
        spans = [tuple(map(int, span)) for span in re.findall(r"\|(\d+)-(\d+)\|", line)]
        covered = sorted(k for begin, end in spans for k in range(begin, end + 1))
        assert covered == list(range(len(text.split())))
    texts = [line.split(" ||| ")[:2] for line in nbest.read_text(encoding="utf-8").splitlines()]
    assert len(texts) >= distinct > len({tuple(text) for text in texts})


def test_reordering_tables_when_decoding_and_tuning(system, tmp_path, capsys):
    table, links = str(system / "r.gz"), str(system / "links")
    model, one = "wbe-msd-bidirectional-fe", "phrase-monotonicity-backward-f"
    extract = ["extract", str(system / "train.en"), str(system / "train.es"), links, "-o", table,
               "--reordering", model, "--reordering", one, "-q"]  # fmt: skip
    assert program.main(extract) == 0
    files = [f"{name}={system / f'r.reordering.{name}.gz'}" for name in (model, one)]
    nbest, out = tmp_path / "list", str(tmp_path / "out")
    decode = ["decode", str(system / "dev.en"), "--phrase-table", table, "--lm",
              str(system / "lm.gz"), "-q", "-o", out]  # fmt: skip
    chosen = [option for file in files for option in ("--reordering", file)]
    assert program.main([*decode, *chosen, "--n-best", f"{nbest}:5"]) == 0
    first = nbest.read_text(encoding="utf-8").splitlines()[0]
    for name in ("LexR.wbe.swap.next=", "LexR1.phrase.monotone.previous="):
        assert name in first
    config, weights = tmp_path / "decoder.toml", tmp_path / "weights.json"
    config.write_text(
        f'[decoder]\nphrase_table = "{table}"\nlanguage_model = "{system / "lm.gz"}"\n'
        f"stack_size = 10\nreordering = {json.dumps(files)}\n"
    )
    tune = ["tune", "--decoder", str(config), "--dev", str(system / "dev.en"), "--refs",
            str(system / "dev.es"), "--epochs", "1", "--nbest-size", "10", "-q"]  # fmt: skip
    assert program.main([*tune, "-o", str(weights)]) == 0
    assert "LexR.wbe.discontinuous.previous" in json.loads(weights.read_text())["weights"]
    assert program.main([*decode, *chosen, "--weights", str(weights)]) == 0
    capsys.readouterr()
    assert program.main([*decode, "--reordering", model]) == 2
    assert "--reordering must be MODEL=FILE, such as" in capsys.readouterr().err
    config.write_text(config.read_text().replace(f"{model}=", ""))
    assert program.main(tune) == 1
    assert "[decoder] reordering must be MODEL=FILE" in capsys.readouterr().err


def test_options_that_do_not_fit(system, tmp_path, capsys):
    assert program.main(["tune", "--decoder", "x.toml", "--refs", str(system / "dev.es")]) == 2
    assert "--decoder needs --dev SRC" in capsys.readouterr().err
    table, out = str(system / "table.gz"), str(tmp_path / "t")
    assert program.main(["features", table, "-o", out, "--discretize", "lex"]) == 2
    assert "--discretize must be NAME:BITS" in capsys.readouterr().err
    assert program.main(["features", table, "-o", out, "--table-limit", "-1"]) == 2
    assert "--table-limit must be at least 0, got -1" in capsys.readouterr().err


def test_rerank_without_a_weight(tmp_path, capsys):
    (tmp_path / "list").write_text("0 ||| a ||| x= 1 y= 2 ||| 0\n0 ||| b ||| x= 2 y= 1 ||| 0\n")
    (tmp_path / "w").write_text("y 1\n")
    assert program.main(["rerank", str(tmp_path / "list"), "--weights", str(tmp_path / "w")]) == 0
    captured = capsys.readouterr()
    assert captured.out == "a\n"
    assert "w has no weight for x; it counts as 0" in captured.err


def test_rerank_with_weights_of_0(tmp_path, capsys):
    (tmp_path / "list").write_text("0 ||| a ||| x= 1 ||| 0\n0 ||| b ||| x= 2 ||| 0\n")
    (tmp_path / "w").write_text("x 0\nz 1\n")
    assert program.main(["rerank", str(tmp_path / "list"), "--weights", str(tmp_path / "w")]) == 0
    told = "w: all weights of the lists' features are 0; the first hypothesis of each"
    assert told in capsys.readouterr().err


def test_reader_of_the_output_goes_away(aligned):
    command = f"{sys.executable} -m isogloss lexicon {aligned / 'm'} --min-prob 0 -q | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("NULL\t")
    assert done.stderr == ""


def test_empty_line_to_translate(system, tmp_path):
    text = tmp_path / "text"
    text.write_text("the judge .\n\nzzz\n")
    out = tmp_path / "out"
    command = ["decode", str(text), "--phrase-table", str(system / "table.gz"), "--lm",
               str(system / "lm.gz"), "-q", "-o", str(out)]  # fmt: skip
    assert program.main(command) == 0
    lines = out.read_text(encoding="utf-8").split("\n")
    assert (len(lines), lines[1], lines[2]) == (4, "", "zzz")


def test_an_option_that_there_is_not_is_told_before_a_missing_file(capsys):
    for command, told in (
        (["align", "--foo"], "unrecognized arguments: --foo (did you mean --to or --format?)"),
        (["align", "--lower"], "the following arguments are required: SRC"),
        (["split", "text", "text"], "the following arguments are required: --sets"),
        (["evaluate", "links", "--xyzzy=3"], "unrecognized arguments: --xyzzy=3;"),
    ):
        assert program.main(command) == 2
        assert told in capsys.readouterr().err
