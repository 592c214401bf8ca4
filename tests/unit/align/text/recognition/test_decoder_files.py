"""Files of other programs, named where a command can't read them."""

import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.align.text.recognition.decoder_files import forms_of_decoder_files
from isogloss.align.text.recognition.recognition import explained
from isogloss.align.text.recognition.sample import TextSample
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.weights.weights import Weights

FILES = {
    "giza": "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1\n"
    "la casa\nNULL ({ }) the ({ 1 }) house ({ 2 })\n",
    "wa-xml": "<alignments>\n<s id='1'>\n<sure>1-1 2-2</sure>\n<possible></possible>\n</s>\n",
    "blinker": "1 1\n2 3\n3 2\n",
    "srilm-list": "NBestList1.0\n(-12.5) the house\n(-13.5) a house\n",
    "srilm-scores": "-120.5 -3.25 2 the house\n-121 -4.5 2 a house\n",
    "htk-lattice": "VERSION=1.0\nlmscale=14\nN=3 L=2\nI=0 t=0.0\n",
    "plf": "((('the',0.5,1),('a',0.5,1),),(('house',1,1),),)\n",
    "fst": "0\t1\tthe\tthe\t0.5\n" + "1\t2\thouse\thouse\n" * 5 + "2\t0.1\n",
    "ctm": "utt1 1 0.10 0.20 the\nutt1 1 0.30 0.40 house\n",
    "opennmt-log": "SENT 1: ['la', 'casa']\nPRED 1: the house\nPRED SCORE: -1.5\n",
    "fairseq-log": "S\tla casa\nO\tla casa\nH\t-0.5\tthe house\nH\t-0.7\ta house\n"
    "S\tun perro\nH\t-0.3\ta dog\n",
    "score-first": "-0.5 ||| the house\n-0.7 ||| a house\n",
    "unnamed-scores": "0 ||| the house ||| -1.5 -2\n0 ||| a house ||| -1.75 -3\n",
    "colon-names": "0 ||| the note: house ||| d: 0 -1.5 lm: -52 w: -5 ||| -3\n"
    "0 ||| a house ||| d: 0 -1 lm: -50.5 w: -4 ||| -2\n",
    "zmert": "lm ||| 1.5 Opt 0.1 +Inf +0.5 +1.5\ntm_0 ||| -2.5 Fix -Inf +Inf -1 +1\n"
    "normalization = none\n",
    "joshua-config": "tm = thrax -owner pt -maxspan 20\nfeature-function = WordPenalty\nlm_0 1.5\n"
    "tm_pt_0 -2.5\n",
    "canoe-ini": "[ttable-multi-prob] table\n[weight-l] 1.5\n[weight-t] 0.5:0.25\n",
    "marian-config": "relative-paths: true\nmodels:\n  - model.npz\nweights:\n  - 1\n",
    "mert-log": "Best point: 0.1 0.2 => 0.3\n",
    "stm": "talk 1 speaker 0.5 1.25 <o,f0> the house\ntalk 1 speaker 1.5 2.0 a house\n",
    "number-pairs": "0 0 1 1 2 3\n0 0\n0 1 1 0\n",
    "colon-links": "0:0 1:1 2:3\n0:0\n0:1 1:0\n",
    "comma-links": "0-0,1-1,2-3\n0-0\n0-1,1-0\n",
    "tuple-links": "(0,0) (1,1) (2,3)\n(0,0)\n(0,1) (1,0)\n",
    "json-links": "[[[0, 0], [1, 1], [2, 3]], [[0, 0]], [[0, 1], [1, 0]]]\n",
    "bracket-links": "0-0[1] 1-1[1] 2-3[2]\n0-0[1]\n0-1[1] 1-0[1]\n",
    "letter-links": "0-0-S 1-1-P 2-3-S\n0-0-S\n0-1-S 1-0-S\n",
    "letters-first": "S 0-0 P 1-1 S 2-3\nS 0-0\nS 0-1 S 1-0\n",
    "named-links": "a b c ||| x y z ||| 0-0 1-1 2-3\nb ||| x ||| 0-0\na b ||| x y ||| 0-1 1-0\n",
    "bare-numbers": "0.1 0.2 0.3\n0 0 0\n1 1 1\n",
}
READ = [
    "0 ||| the house ||| F= 1 ||| 1\n" * 3,
    "0 ||| the house ||| F= 1 G= 2\n" * 3,
    "utt-1 ||| the house ||| am=-1\n" * 3,
    "F0= 1\nF1= 0.5\n",
    "lm= 1 0.5\ntm= 1 2\n",
    "lm 0.5\ntm 1\n",
    "S-0\tla casa\nH-0\t-0.5\tthe house\nP-0\t-0.1 -0.2\n",
    '{"id": 0, "hyps": []}\n' * 3,
    "0-0 1-1\n1-0\n",
    "0.5\n0.25\n0.75\n",
    "0001 1 1 S\n0001 2 2 P\n",
    "the house ||| la casa ||| 0.5 0.25\n" * 3,
    "0 ||| the house ||| 0-0 1-1\n" * 3,
    "0-0 1p1\n1-0 2?2\n",
    "0-0:0.5 1-1:0.25\n1-0:1\n",
    "[input-factors]\n0\n\n[weight]\nLM0= 0.5\n",
]


@pytest.mark.parametrize(("kind", "text"), FILES.items())
def test_files_of_other_programs(tmp_path: Path, kind: str, text: str) -> None:
    (tmp_path / "x").write_text(text)
    sample = TextSample.of_lines(text.splitlines())
    (form,) = forms_of_decoder_files(sample)
    assert form.kind == kind
    error = DataError("the line is malformed", file=tmp_path / "x", line=1)
    told = explained(error)
    assert told == f"{form.name[0].upper()}{form.name[1:]}. {form.remedy_for(tmp_path / 'x')}"


@pytest.mark.parametrize("text", READ)
def test_files_that_are_read(tmp_path: Path, text: str) -> None:
    """An error in one of these needs no other explanation."""
    (tmp_path / "x").write_text(text)
    assert explained(DataError("the line is malformed", file=tmp_path / "x")) == ""


def test_no_file_no_explanation(tmp_path: Path) -> None:
    assert explained(DataError("the line is malformed")) == ""
    assert explained(DataError("the line is malformed", file="-")) == ""
    assert explained(DataError("the line is malformed", file=tmp_path / "missing")) == ""
    assert explained(DataError("the line is malformed", file=tmp_path)) == ""


def converted(folder: Path, kind: str, content: str = "") -> Path:
    """The file after the command that its remedy names. content: empty = the one of FILES"""
    content = content or FILES[kind]
    (folder / "FILE").write_text(content)
    (form,) = forms_of_decoder_files(TextSample.of_lines(content.splitlines()))
    assert form.kind == kind
    command = form.remedy.split("`")[1].replace("python", sys.executable, 1)
    out = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True
    )
    (folder / "new").write_text(out.stdout)
    return folder / "new"


@pytest.mark.parametrize(
    ("kind", "hypotheses"),
    [
        ("fairseq-log", ["the house", "a house", "a dog"]),
        ("score-first", ["the house", "a house"]),
        ("unnamed-scores", ["the house", "a house"]),
        ("srilm-scores", ["the house", "a house"]),
        ("colon-names", ["the note: house", "a house"]),
    ],
)
def test_commands_that_make_lists(tmp_path: Path, kind: str, hypotheses: list[str]) -> None:
    lists = read_nbest([converted(tmp_path, kind)])
    assert [hyp.text for sentence in lists for hyp in sentence] == hypotheses


@pytest.mark.parametrize(
    ("kind", "weights"),
    [("zmert", {"lm": 1.5, "tm_0": -2.5}), ("joshua-config", {"lm_0": 1.5, "tm_pt_0": -2.5})],
)
def test_commands_that_make_weights(tmp_path: Path, kind: str, weights: dict[str, float]) -> None:
    assert dict(Weights.load(converted(tmp_path, kind)).items()) == weights


JOSHUA = """\
tm = thrax -owner pt -maxspan 20 -path grammar
lm=kenlm 5 false false 100 lm.kenlm
top-n = 300  # hypotheses
# lm_9 4

lm_0 1.2
tm_pt_0 -1e-05  # a comment
OOVPenalty -100\r
WordPenalty -2.8
Arity_Penalty2 +.5
phrasemodel pt 0 1.4
lm 1 0.25
"""
JOSHUA_WEIGHTS = {
    "lm_0": 1.2, "tm_pt_0": -1e-05, "OOVPenalty": -100, "WordPenalty": -2.8,
    "Arity_Penalty2": 0.5, "lm_1": 0.25,
}  # fmt: skip


def test_all_weights_of_joshua(tmp_path: Path) -> None:
    """Capitals, exponents and the words of old names are kept, settings and comments are not."""
    config = JOSHUA.replace("phrasemodel pt 0", "phrasemodel pt 1")
    loaded = Weights.load(converted(tmp_path, "joshua-config", config))
    assert dict(loaded.items()) == JOSHUA_WEIGHTS | {"tm_pt_1": 1.4}
    old = "lm 0 1.2\nphrasemodel pt 0 1.4\nwordpenalty -2.8\n"
    loaded = Weights.load(converted(tmp_path, "joshua-config", old))
    assert dict(loaded.items()) == {"lm_0": 1.2, "tm_pt_0": 1.4, "wordpenalty": -2.8}


def test_a_log_of_fairseq_without_sources(tmp_path: Path) -> None:
    """Hypotheses alone are numbered by how many of them each sentence has."""
    lines = "".join(f"H\t-0.5\thypothesis {k}\n" for k in range(7))
    numbered = converted(tmp_path, "fairseq-log", lines).read_text().splitlines()
    assert [line.split("\t")[0] for line in numbered] == ["H-0"] * 5 + ["H-1"] * 2
    assert numbered[6] == "H-1\t-0.5\thypothesis 6"


LINKS = {
    "number-pairs": "0-0 1-1 2-3",
    "colon-links": "0-0 1-1 2-3",
    "comma-links": "0-0 1-1 2-3",
    "tuple-links": "0-0 1-1 2-3",
    "json-links": "0-0 1-1 2-3",
    "bracket-links": "0-0 1-1 2-3",
    "letter-links": "0-0 1p1 2-3",
    "letters-first": "0-0 1p1 2-3",
    "named-links": "0-0 1-1 2-3",
}


@pytest.mark.parametrize(("kind", "first"), LINKS.items())
def test_commands_that_make_links(tmp_path: Path, kind: str, first: str) -> None:
    lines = converted(tmp_path, kind).read_text().splitlines()
    assert [line.split() for line in lines] == [first.split(), ["0-0"], ["0-1", "1-0"]]


def test_the_command_for_transcripts(tmp_path: Path) -> None:
    assert converted(tmp_path, "stm").read_text() == "the house\na house\n"


def test_lists_of_pairs_on_each_line(tmp_path: Path) -> None:
    for line in ("[[0,0],[1,1]]", "[(0, 0), (1, 1)]", "(0,0),(1,1)"):
        (form,) = forms_of_decoder_files(TextSample.of_lines([line] * 3))
        assert form.kind == "tuple-links"
