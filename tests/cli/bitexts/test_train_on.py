"""isogloss align --train-on: a model of a sample, and the links of the whole text."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from isogloss import program
from isogloss.align.text.samples import streamed_bitext
from isogloss.commands.bitexts import whole_text
from tests.cli.first_pairs import PAIRS, write_first_pairs

TEXT = ["train.en.gz", "train.es.gz"]
LABELS = ["--labels", "train.labels.gz"]
FEW = ["--model1-iterations", "2", "--hmm-iterations", "1", "-q"]
SAMPLE = ["--train-on", "300", *FEW]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_first_pairs(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(streamed_bitext, "PART", 200)
    return tmp_path


def run(*words: str) -> None:
    assert program.main(words) == 0


def contents(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_links_and_scores_are_those_of_apply() -> None:
    run("align", *TEXT, *SAMPLE, "--model", "m", "-o", "one", "--scores", "--pair-scores", "score")
    run("train", *TEXT, *SAMPLE, "--model", "n")
    assert contents("m") == contents("n")
    run("apply", "n", *TEXT, "-q", "-o", "two", "--scores", "--pair-scores", "scores")
    assert Path("one").read_bytes() == Path("two").read_bytes()
    assert Path("score").read_bytes() == Path("scores").read_bytes()
    assert Path("one").read_bytes().count(b"\n") == PAIRS
    made = {path.name for path in Path().iterdir() if not path.name.startswith("train.")}
    assert made == {"m", "n", "one", "score", "scores", "two"}


def test_the_same_bytes_without_a_folder_for_the_model_and_on_stdout(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    more = ["--t2s", "t2s", "--s2t", "s2t", "--posteriors", "p"]
    run("align", *TEXT, *SAMPLE, *LABELS, "--model", "m", "-o", "links", *more, "--threads", "2")
    expected = {name: Path(name).read_bytes() for name in ("t2s", "s2t", "p")}
    run("align", *TEXT, *SAMPLE, *LABELS, *more, "--threads", "1")
    assert capsysbinary.readouterr().out == Path("links").read_bytes()
    assert expected == {name: Path(name).read_bytes() for name in expected}


def test_domains_are_written_for_all_pairs() -> None:
    run("align", *TEXT, *SAMPLE, *LABELS, "-o", "links", "--posteriors", "p", "--model", "m")
    names, *rows = Path("p").read_text().splitlines()
    assert names.split("\t") == ["everyday", "legal", "medical", "software", "out"]
    assert len(rows) == PAIRS
    assert all(abs(sum(map(float, row.split("\t"))) - 1) < 1e-5 for row in rows)
    run("domains", "predict", "m", *TEXT, "-o", "q", "-q")
    assert Path("q").read_bytes() == Path("p").read_bytes()


@pytest.mark.parametrize("name", ["links.talp", "links.naacl", "links.tsv", "links.jsonl"])
def test_other_formats_are_those_of_apply(name: str) -> None:
    run("align", *TEXT, *SAMPLE, "--model", "m", "-o", name, "--t2s", f"t2s.{name}")
    run("apply", "m", *TEXT, "-q", "-o", f"applied.{name}")
    assert Path(name).read_bytes() == Path(f"applied.{name}").read_bytes()
    assert Path(f"t2s.{name}").read_bytes() != Path(name).read_bytes()


def test_a_sample_of_everything_is_everything() -> None:
    run("align", *TEXT, *FEW, "-o", "one")
    run("align", *TEXT, *FEW, "-o", "two", "--train-on", str(PAIRS))
    assert Path("one").read_bytes() == Path("two").read_bytes()


def test_another_seed_draws_another_sample() -> None:
    for seed in ("1", "2"):
        run("train", *TEXT, *SAMPLE, "--seed", seed, "--model", seed)
    assert contents("1") != contents("2")


@pytest.mark.parametrize("given", [",bpe:pieces", "characters:,characters:", "words,"])
def test_links_for_other_tokens_are_those_of_retokenize(given: str) -> None:
    run("align", *TEXT, *SAMPLE, "--model", "m", "-o", "links", "--scores")
    run("apply", "m", *TEXT, "-o", "applied", "--scores", "-q")
    english, spanish = (gzip.decompress(Path(file).read_bytes()).decode() for file in TEXT)
    Path("words").write_text(english)
    Path("pieces").write_text(spanish.replace("ci", "c@@ i"))
    sides = given.split(",")
    names = ("--source", "--target")
    options = [
        word
        for name, file, side in zip(names, TEXT, sides, strict=True)
        if side
        for word in (name, f"{file},{side}")
    ]
    run("retokenize", "links", *options, "-o", "expected", "-q")
    run("align", *TEXT, *SAMPLE, "--scores", "-o", "direct", "--retokenize", given)
    run("apply", "m", *TEXT, "--scores", "-o", "applied", "--retokenize", given, "-q")
    assert Path("direct").read_bytes() == Path("expected").read_bytes()
    assert Path("applied").read_bytes() == Path("expected").read_bytes()
    assert Path("links").read_bytes() != Path("expected").read_bytes() or given == "words,"


def test_a_whole_run_writes_links_for_other_tokens_too() -> None:
    run("align", *TEXT, *FEW, "-o", "links", "--scores")
    run("retokenize", "links", "--target", f"{TEXT[1]},characters:", "-o", "expected", "-q")
    run("align", *TEXT, *FEW, "-o", "direct", "--scores", "--retokenize", ",characters:")
    assert Path("direct").read_bytes() == Path("expected").read_bytes()


def test_a_resumed_run_goes_on_behind_the_last_part(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("align", *TEXT, *SAMPLE, "--model", "whole", "-o", "expected")
    command = ["align", *TEXT, *SAMPLE, "--model", "m", "-o", "links"]
    aligned: list[int] = []
    lines = whole_text.PartAligner.lines

    def stopped(self: whole_text.PartAligner, part: whole_text.TextPart) -> object:
        if part.first == 600 and not aligned.count(600):
            aligned.append(600)
            raise KeyboardInterrupt
        aligned.append(part.first)
        return lines(self, part)

    monkeypatch.setattr(whole_text.PartAligner, "lines", stopped)
    assert program.main(command) == 130
    assert not Path("links").exists()
    assert aligned == [0, 200, 400, 600]
    aligned[:] = [600]
    capsys.readouterr()
    resumed = [word for word in command if word != "-q"]
    assert program.main([*resumed, "--resume"]) == 0
    said = capsys.readouterr().err
    assert "resuming after 3 finished parts of the text" in said
    assert "1200 pairs, " in said
    assert aligned == [600, 600, 800, 1000]
    assert Path("links").read_bytes() == Path("expected").read_bytes()
    assert not Path("m.checkpoint").exists()


def test_a_finished_run_is_done_again_where_the_text_has_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sample, by which the model is known, may be the same."""
    texts, drawn = [], set[int]()
    draw = streamed_bitext.StreamedBitext.draw

    def told(self: streamed_bitext.StreamedBitext, *arguments: Any) -> Any:
        rows, size = draw(self, *arguments)
        drawn.update(rows.tolist())
        return rows, size

    monkeypatch.setattr(streamed_bitext.StreamedBitext, "draw", told)
    for side in TEXT:
        lines = gzip.decompress(Path(side).read_bytes()).splitlines(keepends=True)
        texts.append(Path(side).name.removesuffix(".gz"))
        Path(texts[-1]).write_bytes(b"".join(lines))
    command = ["align", *texts, *SAMPLE, "--model", "m", "-o", "links"]
    run(*command)
    resumed = [word for word in command if word != "-q"]
    assert program.main([*resumed, "--resume"]) == 0
    assert "m and all outputs are complete" in capsys.readouterr().err
    before = Path("links").read_bytes().splitlines(keepends=True)
    lines = Path(texts[0]).read_text().splitlines(keepends=True)
    row = next(row for row in range(len(lines)) if row not in drawn)
    lines[row] = "xyzzy\n"
    Path(texts[0]).write_text("".join(lines))
    assert program.main([*resumed, "--resume"]) == 0
    assert "complete" not in capsys.readouterr().err
    before[row] = b"\n"
    assert Path("links").read_bytes() == b"".join(before)


def test_a_finished_run_is_done_again_where_other_tokens_have_changed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = gzip.decompress(Path(TEXT[1]).read_bytes()).decode().splitlines()
    Path("other").write_text("".join(f"{line}\n" for line in text))
    command = [
        "align",
        *TEXT,
        *FEW[:-1],
        "--model",
        "m",
        "-o",
        "links",
        "--retokenize",
        ",plain:other",
    ]
    assert program.main(command) == 0
    assert program.main([*command, "--resume"]) == 0
    assert "m and all outputs are complete" in capsys.readouterr().err
    Path("other").write_text("".join(f"{' '.join(line.replace(' ', ''))}\n" for line in text))
    assert program.main([*command, "--resume"]) == 0
    assert "complete" not in capsys.readouterr().err
    run("align", *TEXT, *FEW, "--retokenize", ",plain:other", "-o", "expected")
    assert Path("links").read_bytes() == Path("expected").read_bytes()


def test_other_outputs_are_not_made_of_what_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A resumed run with other options aligns all pairs again, and says so."""
    run("align", *TEXT, *SAMPLE, "--model", "whole", "-o", "expected", "--scores")
    command = ["align", *TEXT, *SAMPLE, "--model", "m", "-o", "links"]
    lines = whole_text.PartAligner.lines

    def stopped(self: whole_text.PartAligner, part: whole_text.TextPart) -> object:
        if part.first == 400:
            raise KeyboardInterrupt
        return lines(self, part)

    with monkeypatch.context() as patched:
        patched.setattr(whole_text.PartAligner, "lines", stopped)
        assert program.main(command) == 130
    capsys.readouterr()
    resumed = [word for word in command if word != "-q"]
    assert program.main([*resumed, "--scores", "--resume"]) == 0
    assert Path("links").read_bytes() == Path("expected").read_bytes()
    said = capsys.readouterr().err
    assert (
        "finished parts are of another text, of other options or damaged; aligning all parts of "
        "the text again"
    ) in said
    assert "resuming" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seed", "3"], "--seed has no effect without --train-on; pass that as well"),
        (["--train-on", "9", "--known-links", "links"],
         "--train-on cannot be used with --known-links"),
        (["--train-on", "9", "--external-links", "links"],
         "--external-links cannot be used with --train-on"),
        (["--train-on", "9", "--labels", "column"],
         "--labels column needs a bitext in one file that contains labels"),
        (["--train-on", "9", *LABELS, "--label-names", "law,news"],
         "the domain 'everyday' is unknown; expected one of law, news, or -"),
        (["--train-on", "9", "--retokenize", "words"], "--retokenize must be SRC,TGT, each FILE"),
        (["--retokenize", ",characters:", "--to", "xl-wa"],
         "--retokenize cannot be used with the format xl-wa, which contains the sentences"),
        (["--train-on", "9", "--retokenize", ","], "--retokenize must be SRC,TGT, each FILE"),
        (["--train-on", "9", "--retokenize", "bpe:,"],
         "--retokenize 'bpe:' has no file name; only characters:"),
        (["--train-on", "0"], "--train-on must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_what_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("links").write_text("0-0\n" * PAIRS)
    assert program.main(["align", *TEXT, *FEW, *words, "-o", "out"]) in (1, 2)
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


def test_standard_input_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["align", "-", *SAMPLE]) == 2
    assert "- cannot be read twice; pass a regular file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (1199, "the file ends before this line"),
        (1201, "the file has more lines than the text; expected 1200 lines, one per sentence pair"),
    ],
)
def test_other_tokens_of_another_length(
    lines: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = gzip.decompress(Path(TEXT[1]).read_bytes()).decode().splitlines()
    Path("other").write_text("".join(f"{line}\n" for line in [*text, "one more"][:lines]))
    words = ["align", *TEXT, *SAMPLE, "-o", "out", "--retokenize", ",plain:other"]
    assert program.main(words) == 1
    assert said in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("parts", [1, 7])
def test_the_outputs_of_parts_are_that_of_the_whole(parts: int) -> None:
    run("train", *TEXT, *SAMPLE, "--model", "m")
    more = ["--scores", "--retokenize", ",characters:", "-q"]
    run("apply", "m", *TEXT, *more, "-o", "whole", "--pair-scores", "whole.scores")
    for number in range(1, parts + 1):
        outputs = ["-o", f"{number}", "--pair-scores", f"{number}.scores"]
        run("apply", "m", *TEXT, *more, "--part", f"{number}/{parts}", *outputs)
    for ending in ("", ".scores"):
        names = [f"{number}{ending}" for number in range(1, parts + 1)]
        joined = b"".join(Path(name).read_bytes() for name in names)
        assert joined == Path(f"whole{ending}").read_bytes()


def test_apply_looks_at_the_whole_text_in_little_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The counts of its last line are those of all parts."""
    run("train", *TEXT, *SAMPLE, "--model", "m")
    monkeypatch.setattr("isogloss.commands.shared.read_bitext", None)  # which reads all of it
    run("apply", "m", *TEXT, "-o", "links", "--threads", "2")
    assert "1200 pairs, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--part", "0/3"], "--part must be K/N, such as 3/64, with K from 1 to N, got '0/3'"),
        (["--part", "4/3"], "--part must be K/N, such as 3/64, with K from 1 to N, got '4/3'"),
        (["--part", "2"], "--part must be K/N, such as 3/64, with K from 1 to N, got '2'"),
        (["--part", "1/2", "--external-links", "links"],
         "--part needs a text in files, without --external-links"),
    ],
)  # fmt: skip
def test_parts_that_are_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("links").write_text("0-0\n" * PAIRS)
    run("train", *TEXT, *SAMPLE, "--model", "m")
    assert program.main(["apply", "m", *TEXT, *words, "-o", "out"]) == 2
    assert said in capsys.readouterr().err
    assert program.main(["apply", "m", "-", "--part", "1/2"]) == 2
    said = "--part needs the text in a file and cannot be used with standard input"
    assert said in capsys.readouterr().err


def test_a_domain_that_no_pair_was_left_for(capsys: pytest.CaptureFixture[str]) -> None:
    """With a label for each pair of the sample, the out-domain has a prior of 0."""
    options = ["--labels", "train.labels.gz", "--train-on", "2", *FEW, "--seed-confidence", "0.9"]
    run("align", *TEXT, *options, "-o", "links", "--posteriors", "p", "--model", "m")
    told = capsys.readouterr().err
    assert "no pair is left for the out-domain" in told
    assert "invalid value" not in told
    rows = [[*map(float, row.split("\t"))] for row in Path("p").read_text().splitlines()[1:]]
    assert len(rows) == PAIRS
    assert all(abs(sum(row) - 1) < 1e-5 for row in rows)
    assert Path("links").read_text().count("\n") == PAIRS
