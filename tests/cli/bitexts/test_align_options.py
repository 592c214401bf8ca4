"""Options of `align` and `apply`: scores, subsets of domains, memory, interruption."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from isogloss import program
from isogloss.align import AlignerOptions, AlignmentModel, read_bitext, train
from isogloss.align.links.links import format_links
from isogloss.align.model.domain_posterior import format_posteriors
from isogloss.align.training.checkpoint import Checkpoint, last_checkpoint
from isogloss.align.training.train import last_posteriors, training_posteriors
from isogloss.commands.bitexts import align

DATA = Path(__file__).resolve().parents[3] / "data"
FAST = ["--model1-iterations", "2", "--hmm-iterations", "2", "-q"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("align")
    for name in ("en", "es", "labels"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            lines = stream.read().splitlines()[:400]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def run(folder, command, *more):
    return program.main([*command, str(folder / "en"), str(folder / "es"), *more])


@pytest.fixture(scope="module")
def model(small):
    labels = ["--labels", str(small / "labels")]
    assert run(small, ["align"], *labels, "--model", str(small / "m"), "-o", str(small / "links"),
               *FAST) == 0  # fmt: skip
    return small / "m"


def read(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_apply_on_the_training_text_gives_its_links(small):
    """Of a model without domains, and of one whose links aren't weighed by the last posteriors."""
    labels = ["--labels", str(small / "labels"), "--preset", "paper"]
    for number, more in enumerate(([], labels)):
        model, own, found = (str(small / f"{name}{number}") for name in ("m", "own", "found"))
        assert run(small, ["align"], *more, *FAST, "--model", model, "-o", own) == 0
        assert run(small, ["apply", model], "-o", found) == 0
        assert Path(own).read_bytes() == Path(found).read_bytes()


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # few seeds
def test_links_go_by_the_last_iteration_and_posteriors_by_models_that_had_not_seen_a_pair(small):
    out = small / "posteriors"
    labels = ["--labels", str(small / "labels"), "--posteriors", str(out)]
    assert run(small, ["align"], *labels, *FAST, "-o", str(small / "again")) == 0
    bitext = read_bitext(small / "en", small / "es", labels=small / "labels")
    trained = train(bitext, options=AlignerOptions(model1_iterations=2, hmm_iterations=2))
    assert read(out) == list(format_posteriors(trained.domains, training_posteriors(trained)))
    links = trained.align(bitext, posterior=last_posteriors(trained)).unscored()
    assert read(small / "again") == list(format_links(links))


def test_apply_writes_scores_on_request(small, model):
    plain, scored = small / "plain", small / "scored"
    assert run(small, ["apply", str(model)], "-o", str(plain)) == 0
    pairs = small / "pair-scores"
    more = ["--scores", "--pair-scores", str(pairs)]
    assert run(small, ["apply", str(model)], *more, "-o", str(scored)) == 0
    for line, with_scores in zip(read(plain), read(scored), strict=True):
        links = [link.split(":") for link in with_scores.split()]
        assert " ".join(link for link, _ in links) == line
        assert all(0.1 < float(value) < 1.0 for _, value in links)
    values = [float(value) for value in read(pairs)]
    assert len(values) == len(read(plain))
    assert all(value < 0.0 for value in values)


def test_links_of_a_heuristic_are_scored_by_their_posterior(small, model):
    out = small / "union"
    more = ["--heuristic", "union", "--scores", "-o", str(out)]
    assert run(small, ["apply", str(model)], *more) == 0
    values = [float(link.split(":")[1]) for line in read(out) for link in line.split()]
    assert min(values) < 0.5 < max(values)


def test_a_higher_threshold_gives_fewer_links(small, model):
    sizes = []
    for threshold in ("0.3", "0.9"):
        out = small / "threshold"
        more = ["--posterior-threshold", threshold, "-o", str(out)]
        assert run(small, ["apply", str(model)], *more) == 0
        sizes.append(sum(len(line.split()) for line in read(out)))
    assert sizes[0] > sizes[1] > 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--posterior-threshold", "3"], "--posterior-threshold must be above 0 and at most 1"),
        (["--posterior-threshold", "0"], "--posterior-threshold must be above 0 and at most 1"),
        (["--posterior-threshold", ".3", "--heuristic", "union"],
         "--posterior-threshold has no effect with --heuristic union; omit one of them"),
    ],
)  # fmt: skip
def test_thresholds_that_are_refused(small, model, capsys, more, said):
    assert run(small, ["apply", str(model)], *more) == 2
    assert said in capsys.readouterr().err
    assert run(small, ["align"], *more) == 2
    assert said in capsys.readouterr().err


def test_some_domains_only(small, model, capsys):
    out = small / "subset"
    assert run(small, ["apply", str(model)], "--domains", "out", "-o", str(out)) == 0
    assert len(read(out)) == 400
    assert run(small, ["apply", str(model)], "--domains", "nosuch", "-o", str(out)) == 2
    assert "unknown domain 'nosuch'; the model has " in capsys.readouterr().err


def test_hard_and_soft_decoding_of_some_domains(small, model, capsys):
    """Hard links of a pair are those of its likeliest domain alone, given one side."""

    def links(*more):
        command = ["apply", str(model), "--heuristic", "source-to-target", *more]
        assert run(small, command, "-o", str(small / "decoded"), "-q") == 0
        return read(small / "decoded")

    stored = AlignmentModel.load(model)
    bitext = stored.encode(read_bitext(small / "en", small / "es"))
    target_scores = stored.language_models.score(bitext)[1] + stored.log_prior
    alone = {domain: links("--domains", domain) for domain in stored.domains}
    for chosen in (stored.domains, stored.domains[::2]):
        columns = [stored.domains.index(domain) for domain in chosen]
        likeliest = [chosen[best] for best in target_scores[:, columns].argmax(1)]
        expected = [alone[domain][pair] for pair, domain in enumerate(likeliest)]
        more = ["--domains", ",".join(chosen)] if chosen != stored.domains else []
        assert links(*more, "--domain-weighting", "argmax") == expected
        assert len(set(likeliest)) > 1
        assert links(*more, "--domain-weighting", "source") != expected
    assert links("--domain-weighting", "joint") == links()
    assert run(small, ["apply", str(model)], "--domain-weighting", "argmax") == 2
    assert (
        "--domain-weighting has no effect on links that are chosen by posterior"
    ) in capsys.readouterr().err


def test_little_memory_changes_nothing(small, model, tmp_path):
    out = tmp_path / "links"
    more = ["--labels", str(small / "labels"), "--max-memory", "1K", "--tmpdir", str(tmp_path)]
    assert run(small, ["align"], *more, "-o", str(out), *FAST) == 0
    assert out.read_bytes() == (small / "links").read_bytes()


@pytest.mark.parametrize("more", [[], ["--retokenize", "characters:,"], ["--scores"]])
def test_links_of_a_part_after_the_other_are_those_of_all(small, more, tmp_path, monkeypatch):
    outputs = []
    for size in (align._PART, 150):
        monkeypatch.setattr(align, "_PART", size)
        outputs.append(tmp_path / f"links{size}")
        assert run(small, ["align"], *more, "-o", str(outputs[-1]), *FAST) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert len(outputs[0].read_text().splitlines()) == 400


@pytest.mark.parametrize("size", ["12X", "", "0", "1e999G"])
def test_a_wrong_size_is_a_usage_error(small, size, capsys):
    assert run(small, ["align"], "--max-memory", size) == 2
    assert (
        "must be a size such as 12G" in (said := capsys.readouterr().err)
        or "at least 1 byte" in said
    )


def test_a_training_that_was_stopped_goes_on(small, model, tmp_path, monkeypatch, capsys):
    save = Checkpoint.save

    def interrupted(self, trainer, latent, done):
        save(self, trainer, latent, done)
        if done == 3:
            raise KeyboardInterrupt

    command = ["--labels", str(small / "labels"), "--model", str(tmp_path / "m")]
    command += ["-o", str(tmp_path / "links"), *FAST]
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save", interrupted)
        assert run(small, ["align"], *command) == 130
    assert last_checkpoint(tmp_path / "m.checkpoint")
    assert run(small, ["align"], *command) == 2
    assert (
        "interrupted training run; pass --resume to resume it, or --overwrite"
    ) in capsys.readouterr().err
    assert run(small, ["align"], *command, "--resume") == 0
    assert (tmp_path / "links").read_bytes() == (small / "links").read_bytes()
    assert not (tmp_path / "m.checkpoint").exists()


def test_a_folder_in_use_keeps_no_state(small, tmp_path, monkeypatch, capsys):
    """The working folder, for example."""
    monkeypatch.chdir(tmp_path)
    for name in ("notes", "after-lunch"):
        (tmp_path / name).mkdir()
    (tmp_path / "notes/mine").write_text("x")
    more = ["--model", "m", "--checkpoint", ".", *FAST]
    for options in (more, [*more, "--overwrite"], [*more, "--resume"]):
        assert run(small, ["align"], *options) == 1
        assert (
            ". contains files that training does not write (after-lunch, notes)"
            in capsys.readouterr().err
        )
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["after-lunch", "mine", "notes"]


def test_resume_needs_a_place(small, capsys):
    assert run(small, ["align"], "--resume") == 2
    assert "--resume needs --model or --checkpoint" in capsys.readouterr().err


def test_every_field_of_the_options_is_an_option(small, tmp_path, capsys):
    more = ["--no-agreement", "--no-shared-jumps", "--final-jumps", "--stem-length", "0"]
    assert run(small, ["align"], *more, "-o", str(tmp_path / "links"), *FAST) == 0
    assert run(small, ["align"], "--stem-length", "-1") == 2
    assert "--stem-length must be at least 0, got -1" in capsys.readouterr().err


def test_dictionary_and_priors_steer_the_links(small, tmp_path, capsys):
    (tmp_path / "words.tsv").write_text("the\tzzz\ncourt\tcasa\t2\n", encoding="utf-8")
    (tmp_path / "priors").write_text("LEX\tcourt\tcasa\t3.5\n", encoding="utf-8")
    files = ["--dictionary", str(tmp_path / "words.tsv"), "--priors", str(tmp_path / "priors")]
    fast = [word for word in FAST if word != "-q"]
    assert run(small, ["align"], *files, "-o", str(tmp_path / "links"), *fast) == 0
    said = capsys.readouterr().err
    assert "known word pair, " in said
    assert len(read(tmp_path / "links")) == 400


def test_a_sparse_prior_leaves_fewer_word_pairs(small, tmp_path):
    """In the tables of one domain and of several."""
    for more in ([], ["--labels", str(small / "labels")]):
        kept = []
        for prior in ("0", "0.01"):
            stored = str(tmp_path / f"m{prior}{len(more)}")
            command = [*more, "--sparse-prior", prior, "--model", stored, *FAST]
            assert run(small, ["align"], *command, "-o", str(tmp_path / "links")) == 0
            tables = AlignmentModel.load(stored).parameters.lexical
            kept.append(np.count_nonzero(tables > 1e-6))
        assert kept[1] < 0.8 * kept[0]
