"""Gold links of some sentences teach `align` and `train` what a link is."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.errors import DataWarning
from isogloss.align.links.gold_sample import GoldSample, read_gold_sample
from isogloss.align.text.samples import streamed_bitext
from isogloss.program import main

pytest.importorskip("lightgbm", reason="learning links needs LightGBM")
DATA = Path(__file__).resolve().parents[3] / "data"
PAIRS = 2000
FAST = ["--model1-iterations=3", "--hmm-iterations=2"]
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, all its gold links, and a sample of them: every 30th line."""
    folder = tmp_path_factory.mktemp("work")
    for name, file in (("en", "train.en"), ("es", "train.es"), ("gold", "train.en-es.gold")):
        lines = gzip.decompress((DATA / f"{file}.gz").read_bytes()).decode().splitlines()[:PAIRS]
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    gold = (folder / "gold").read_text().splitlines()
    sample = [line if number % 30 == 0 else "-" for number, line in enumerate(gold)]
    (folder / "sample").write_text("".join(f"{line}\n" for line in sample))
    return folder


def error(work: Path, links: Path) -> float:
    return ig.evaluate(ig.read_links(links), ig.read_gold(work / "gold")).aer


def test_align_and_apply(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = [f"{work}/en", f"{work}/es"]
    assert main(["align", *text, *FAST, "-q", "-o", f"{tmp_path}/plain"]) == 0
    command = ["align", *text, *FAST, "--gold-sample", f"{work}/sample"]
    assert main([*command, "--model", f"{tmp_path}/m", "-o", f"{tmp_path}/taught"]) == 0
    assert "gold sample: AER " in capsys.readouterr().err
    assert error(work, tmp_path / "taught") < 0.8 * error(work, tmp_path / "plain")
    assert main(["apply", f"{tmp_path}/m", *text, "-q", "-o", f"{tmp_path}/applied"]) == 0
    assert (tmp_path / "applied").read_bytes() == (tmp_path / "taught").read_bytes()
    assert main(["check", f"{tmp_path}/m"]) == 0


def test_a_finished_run_with_other_gold_links_is_another(work: Path, tmp_path: Path) -> None:
    command = ["train", f"{work}/en", f"{work}/es", *FAST, "-q", "--model", f"{tmp_path}/m"]
    assert main([*command, "--gold-sample", f"{work}/sample"]) == 0
    assert main([*command, "--gold-sample", f"{work}/sample", "--resume"]) == 0
    (tmp_path / "less").write_text("".join((work / "sample").read_text().splitlines(True)[:900]))
    assert main([*command, "--gold-sample", f"{tmp_path}/less", "--resume"]) == 1
    assert main([*command, "--gold-sample", f"{tmp_path}/less", "--overwrite"]) == 0
    taught = ig.AlignmentModel.load(tmp_path / "m").classifier
    assert taught is not None
    assert taught.num_sentences == 30


def test_a_sample_of_the_text_has_all_pairs_with_gold_links(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_bitext, "PART", 300)
    text, m = [f"{work}/en", f"{work}/es"], f"{tmp_path}/m"
    lines = (work / "sample").read_text().splitlines(True)
    sample = [line if number % 60 == 30 else "-\n" for number, line in enumerate(lines)]
    (tmp_path / "sample").write_text("".join(sample[:-200]))
    command = ["align", *text, *FAST, "--train-on=500", "--gold-sample", f"{tmp_path}/sample", "-q"]
    assert main([*command, "--model", m, "-o", f"{tmp_path}/taught"]) == 0
    taught = ig.AlignmentModel.load(m)
    assert taught.classifier is not None
    assert taught.classifier.num_sentences == 30
    assert main(["apply", m, *text, "-q", "-o", f"{tmp_path}/applied"]) == 0
    assert (tmp_path / "applied").read_bytes() == (tmp_path / "taught").read_bytes()

    assert main([*command, "--keep-gold", "-o", f"{tmp_path}/kept"]) == 0
    kept, found = ((tmp_path / name).read_text().splitlines() for name in ("kept", "taught"))
    gold = [set(line.replace("p", "-").split()) for line in sample[:-200]]
    for number, (line, other) in enumerate(zip(kept, found, strict=True)):
        is_gold = number < len(gold) and gold[number] != {"-"}
        assert set(line.split()) == (gold[number] if is_gold else set(other.split()))


def test_gold_links_outside_of_a_drawn_pair_name_their_line(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = (work / "sample").read_text().splitlines(True)
    (tmp_path / "sample").write_text("".join([*sample[:700], "0-0 0-99\n", *sample[701:]]))
    command = ["align", f"{work}/en", f"{work}/es", "--train-on=500", "-q", "-o", f"{tmp_path}/x"]
    assert main([*command, "--gold-sample", f"{tmp_path}/sample"]) == 1
    assert f"{tmp_path}/sample, line 701: link 0-99 is out of" in capsys.readouterr().err
    with (tmp_path / "sample").open("a") as file:
        file.write("0-0\n")
    assert main([*command, "--gold-sample", f"{tmp_path}/sample"]) == 1
    assert "the gold links are of 2001 sentence pairs, but the text has 2000" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--heuristic=union"], "--gold-sample has no effect with --heuristic union"),
        (["--preset=paper"], "--gold-sample has no effect with --heuristic grow-diag-final"),
        (["--hmm-iterations=0"], "--gold-sample needs link probabilities"),
        (["--aim=recall"], "--aim must be aer, f1 or precision=P with P between 0 and 1"),
    ],
)
def test_options_that_do_not_fit(
    work: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["align", f"{work}/en", f"{work}/es", "-q", "--gold-sample", f"{work}/sample"]
    assert main([*command, *options]) == 2
    assert message in capsys.readouterr().err


def test_an_aim_without_gold_links(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["align", f"{work}/en", f"{work}/es", "-q", "--aim=f1"]) == 2
    assert "--aim has no effect without --gold-sample; pass that as well" in capsys.readouterr().err


def test_links_of_a_precision(work: Path, tmp_path: Path) -> None:
    command = ["align", f"{work}/en", f"{work}/es", *FAST, "-q", "--gold-sample", f"{work}/sample"]
    gold, found = ig.read_gold(work / "gold"), []
    for aim in ("precision=0.9", "precision=0.99"):
        assert main([*command, "--aim", aim, "-o", f"{tmp_path}/links"]) == 0
        found.append(ig.evaluate(ig.read_links(tmp_path / "links"), gold))
    assert found[0].precision == pytest.approx(0.9, abs=0.02)
    assert found[1].precision >= 0.99
    assert found[0].recall > found[1].recall


def test_gold_links_are_kept(
    work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["align", f"{work}/en", f"{work}/es", *FAST, "-q"]
    assert main([*command, "--keep-gold"]) == 2
    assert "--keep-gold has no effect without --gold-sample" in capsys.readouterr().err
    command += ["--gold-sample", f"{work}/sample", "--scores"]
    assert main([*command, "-o", f"{tmp_path}/own"]) == 0
    assert main([*command, "--keep-gold", "-o", f"{tmp_path}/kept"]) == 0
    gold = (work / "sample").read_text().splitlines()
    own, kept = ((tmp_path / name).read_text().splitlines() for name in ("own", "kept"))
    for line, before, after in zip(gold, own, kept, strict=True):
        if line == "-":
            assert after == before
        else:
            links = sorted(
                tuple(map(int, link.split("-"))) for link in line.replace("p", "-").split()
            )
            assert after.split() == [f"{i}-{j}:1.0000" for i, j in links]


def test_external_links_are_learned_with(work: Path, tmp_path: Path) -> None:
    """What another aligner says is weighed by the gold links, too."""
    rng = np.random.default_rng(0)
    lines = [line.split() for line in (work / "gold").read_text().splitlines()]
    kept = [" ".join(link.replace("p", "-") for link in row if rng.random() < 0.9) for row in lines]
    (tmp_path / "others").write_text("".join(f"{line}\n" for line in kept))
    command = ["align", f"{work}/en", f"{work}/es", *FAST, "-q", "--gold-sample", f"{work}/sample"]
    assert main([*command, "-o", f"{tmp_path}/alone"]) == 0
    more = ["--external-links", f"{tmp_path}/others", "--external-weight", "1"]
    assert main([*command, *more, "-o", f"{tmp_path}/both"]) == 0
    assert error(work, tmp_path / "both") < 0.7 * error(work, tmp_path / "alone")


def test_naacl_names_the_pairs_that_have_gold_links(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("0003 1 1 S\n0003 2 1 P\n0007 1 2\n200000 1 1\n")
    lengths = np.full(300_000, 3), np.full(300_000, 3)
    rows, gold = read_gold_sample(tmp_path / "gold", lengths)
    assert rows.tolist() == [2, 6, 199_999]
    assert [links for _, links in gold] == [[(0, 0), (1, 0)], [(0, 1)], [(0, 0)]]


def test_pairs_without_words_teach_nothing(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("0-0\n1-1\n-\n\n")
    lengths = np.array([1, 0, 0, 2, 1]), np.array([2, 0, 0, 2, 1])
    rows, gold = read_gold_sample(tmp_path / "gold", lengths)
    assert rows.tolist() == [0, 3]
    assert [links for _, links in gold] == [[(0, 0)], []]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0-0"] * (PAIRS + 1), f"gold: the gold links are of {PAIRS + 1} sentence pairs, but"),
        (["-", "0-x"], "gold, line 2: '0-x' is malformed"),
        (["-"] * 5 + ["99-0"], "gold, line 6: link 99-0 is out of range"),
        (["0-0"] * 9, "gold: 9 sentence pairs have sure gold links; expected at least 10"),
        (["-"] * 50, "gold: 0 sentence pairs have sure gold links; expected at least 10"),
    ],
)
def test_gold_links_that_do_not_fit(
    work: Path, lines: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gold").write_text("".join(f"{line}\n" for line in lines))
    command = ["align", f"{work}/en", f"{work}/es", *FAST, "-q"]
    assert main([*command, "--gold-sample", f"{tmp_path}/gold"]) == 1
    assert message in capsys.readouterr().err


def test_a_gold_sample_as_known_links(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["align", f"{work}/en", f"{work}/es", *FAST, "-q"]
    assert main([*command, "--known-links", f"{work}/sample"]) == 1
    told = capsys.readouterr().err
    assert "sample, line 2: '-' is malformed; expected " in told
    assert "A hyphen marks a pair without gold alignments in a gold sample, which --gold-s" in told


def test_a_hyphen_stands_for_the_links_of_xl_wa_too(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("a b\tx\t0-0\na\tx y\t-\na\tx\t0-0\n-\n")
    lengths = np.full(4, 2), np.full(4, 2)
    rows, gold = read_gold_sample(tmp_path / "gold", lengths)
    assert rows.tolist() == [0, 2]
    assert [links for _, links in gold] == [[(0, 0)], [(0, 0)]]


def test_many_pairs_without_links_are_told(work: Path, tmp_path: Path) -> None:
    lines = (work / "gold").read_text().splitlines()
    (tmp_path / "gold").write_text("\n".join(lines[:20]) + "\n" * (PAIRS - 19))
    lengths = np.full(PAIRS, 99), np.full(PAIRS, 99)
    told = r"gold: 1980 of 2000 pairs have no gold links\. Use - for a pair without"
    with pytest.warns(DataWarning, match=told):
        GoldSample.read(tmp_path / "gold", lengths, "aer")
