"""isogloss project from outside."""

import json

import pytest

from isogloss import program
from isogloss.align import Bitext, train
from isogloss.align.text.corpus import Corpus

FILES = {
    "names.conll": "Ana\tB-PER\nRuiz\tI-PER\nsaw\tO\nthe\tO\nRed\tB-ORG\nCross\tI-ORG\n\n"
    "Bo\tB-PER\nleft\tO\n",
    "links": "0-0:0.9 1-1:0.8 2-3 4-5:0.75 5-4:0.25\n1-1\n",
    "en": "Ana Ruiz saw the Red Cross\nBo left\n",
    "es": "Ana Ruiz a vio Cruz Roja\nBo salió\n",
}


@pytest.fixture
def text(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(text, capsys):
    """Run isogloss project; arguments that start with / are files of the folder."""

    def run(*arguments):
        words = [f"{text}{word}" if word.startswith("/") else word for word in arguments]
        status = program.main(["project", *words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


USUAL = ("/names.conll", "/links", "--target", "/es", "--unlinked", "drop")


def test_columns_with_confidence(run):
    assert run(*USUAL, "--confidence", "-o", "/out.gz") == (
        0, "", "3 spans read, 2 projected; skipped: 1 without a link\n",
    )  # fmt: skip
    for column in ((), ("--tag-column", "2")):
        status, out, _ = run("/out.gz", "/links", "--target", "/en", "--reverse", *column)
        assert (status, out) == (0, FILES["names.conll"].replace("B-PER\nleft", "O\nleft") + "\n")


HEADER = (
    "line\tbegin\tend\tlabel\ttext\tstatus\ttarget_begin\ttarget_end\ttarget_text\tconfidence\n"
)


def test_a_report_of_every_span(run, text):
    command = (*USUAL, "--min-confidence", "0.6", "--report")
    status, out, _ = run(*command, "/report")
    assert (status, out) == (0, run(*USUAL, "--min-confidence", "0.6")[1])
    expected = (
        f"{HEADER}1\t0\t2\tPER\tAna Ruiz\tprojected\t0\t2\tAna Ruiz\t0.8500\n"
        "1\t4\t6\tORG\tRed Cross\tlow confidence\t\t\t\t0.5000\n"
        "2\t0\t1\tPER\tBo\tno link\t\t\t\t\n"
    )
    assert (text / "report").read_text(encoding="utf-8") == expected
    assert run(*command, "-", "-o", "/out")[1] == expected
    assert "2 outputs are written to standard output" in run(*command, "-", "-o", "-")[2]


def test_a_report_of_spans_that_overlap_or_have_no_text(run, text):
    (text / "tags").write_text("B-X B-Y\n\nB-X\n", encoding="utf-8")
    (text / "links").write_text("0-0 1-0\n\n0-0\n", encoding="utf-8")
    (text / "es").write_text("c\n\nd\n", encoding="utf-8")
    assert run("/tags", "/links", "--target", "/es", "--report", "/report")[0] == 0
    assert (text / "report").read_text(encoding="utf-8") == (
        f"{HEADER}1\t0\t1\tX\t\tprojected\t0\t1\tc\t1.0000\n"
        "1\t1\t2\tY\t\toverlap\t\t\t\t\n3\t0\t1\tX\t\tprojected\t0\t1\td\t1.0000\n"
    )


def test_ids_of_spans_are_kept(run, text):
    spans = [{"id": f"s{k}", "start": k, "end": k + 1, "label": "X"} for k in range(3)]
    record = json.dumps({"tokens": ["a", "b", "c"], "spans": spans})
    (text / "spans").write_text(f"{record}\n{record}\n", encoding="utf-8")
    (text / "links").write_text("0-1 2-0\n2-2\n", encoding="utf-8")
    (text / "es").write_text("c d e\nc d e\n", encoding="utf-8")
    out = run("/spans", "/links", "--target", "/es", "--unlinked", "drop")[1]
    assert [
        [(span["id"], span["start"]) for span in json.loads(line)["spans"]]
        for line in out.splitlines()
    ] == [[("s0", 1), ("s2", 0)], [("s2", 2)]]


@pytest.mark.parametrize(
    ("record", "form"),
    [
        ('{"text": "Ana Ruiz saw the Red Cross", "label": [[0, 8, "PER"]]}', "[start, end, label]"),
        ('{"tokens": ["Ana", "Ruiz", "saw", "the", "Red", "Cross"], "tags": ["B-PER", "I-PER", '
         '"O", "O", "O", "O"]}', "tags"),
        ('{"text": "Ana Ruiz saw the Red Cross", "spans": [{"start": 0, "end": 8, "label": '
         '"PER"}]}', ""),
    ],
)  # fmt: skip
def test_forms_without_room_for_a_confidence(run, text, record, form):
    (text / "names.jsonl").write_text(f"{record}\n{record}\n")
    for name in ("en", "es", "links"):
        (text / name).write_text(2 * f"{FILES[name].splitlines()[0]}\n")
    command = ("/names.jsonl", "/links", "--target", "/es", "--source", "/en")
    status, out, err = run(*command, "--confidence")
    told = (
        f"warning: the output contains no confidence: spans are written as {form}. Pass --to "
        "columns or --to standoff as well\n"
    )
    assert (status, err.count(told)) == (0, int(bool(form)))
    assert ('"confidence": 0.85' in out) is not bool(form)
    assert "no confidence" not in run(*command)[2]


def test_every_format_and_the_words_of_neighbors(run):
    status, out, err = run(*USUAL, "--to", "tags", "--scheme", "bio", "--unlinked", "extend")
    assert (status, out) == (0, "B-PER I-PER O O B-ORG I-ORG\nB-PER O\n")
    assert err == "3 spans read, 3 projected\n"
    status, out, err = run(
        *USUAL, "--to", "jsonl", "--unlinked", "extend", "--min-confidence", "0.6"
    )
    assert [json.loads(line)["spans"] for line in out.splitlines()] == [
        [{"start": 0, "end": 2, "label": "PER", "confidence": 0.85}], [],
    ]  # fmt: skip
    assert err == "3 spans read, 1 projected; skipped: 2 with a confidence below 0.6\n"


def test_the_name_of_the_output_asks_for_a_format(run, text):
    expected = run(*USUAL, "--to", "jsonl")[1]
    for name in ("out.jsonl", "out.JSONL"):
        assert run(*USUAL, "-o", f"/{name}")[0] == 0
        assert (text / name).read_text(encoding="utf-8") == expected
    assert run(*USUAL, "-o", "/out.ann")[0] == 0
    assert (text / "out.ann").read_text(encoding="utf-8").startswith("T1\tPER ")


def test_standoff_of_a_text_that_is_tokenized_in_another_way(run, text):
    (text / "raw").write_text("«Ana Ruiz» vio Cruz Roja.\nBo salió\n", encoding="utf-8")
    (text / "es").write_text("« Ana Ruiz » vio Cruz Roja .\nBo salió\n", encoding="utf-8")
    (text / "links").write_text("0-1 1-2 2-4 4-6 5-5\n0-0 1-1\n", encoding="utf-8")
    status, out, _ = run(*USUAL, "--to", "standoff", "--target-text", "/raw")
    assert (status, out) == (
        0, "T1\tPER 1 9\tAna Ruiz\nT2\tORG 15 24\tCruz Roja\nT3\tPER 26 28\tBo\n",
    )  # fmt: skip
    status, out, _ = run(*USUAL, "--to", "jsonl", "--target-text", "/raw")
    assert json.loads(out.splitlines()[0]) == {
        "text": "«Ana Ruiz» vio Cruz Roja.",
        "spans": [
            {"start": 1, "end": 9, "label": "PER", "confidence": 1.0},
            {"start": 15, "end": 24, "label": "ORG", "confidence": 1.0},
        ],
    }


@pytest.mark.parametrize("format", ["columns", "tags", "jsonl", "standoff"])
def test_blocks_change_nothing(run, monkeypatch, format):
    whole = run(*USUAL, "--to", format)
    monkeypatch.setattr("isogloss.align.text.annotations.carry._BLOCK", 1)
    assert run(*USUAL, "--to", format) == whole
    assert whole[0] == 0


def test_what_is_repaired_is_told(run, text):
    (text / "links").write_text("0-0 1-3 4-4 5-5\n0-0 1-1\n", encoding="utf-8")
    assert run(*USUAL)[2] == "3 spans read, 3 projected; 2 words filled into gaps\n"
    _, out, err = run(*USUAL, "--max-gap", "1", "--to", "tags")
    assert out.splitlines()[0] == "B-PER O O O B-ORG I-ORG"
    assert err == "3 spans read, 3 projected; 1 stray word removed\n"
    assert run(*USUAL, "--gaps", "keep", "--to", "tags")[1].startswith("B-PER O O B-PER B-ORG")
    (text / "spans").write_text(
        '{"tokens": ["a", "b"], "spans": [[0, 1, "X"], [1, 2, "Y"]]}\n', encoding="utf-8"
    )
    (text / "links").write_text("0-0 1-0\n", encoding="utf-8")
    (text / "es").write_text("c\n", encoding="utf-8")
    _, out, err = run("/spans", "/links", "--target", "/es")
    assert json.loads(out)["spans"] == [[0, 1, "X"]]
    assert err.endswith("skipped: 1 overlapped by a span of higher confidence\n")


def test_nested_spans_as_tags_are_those_that_are_surest(run, text):
    (text / "spans").write_text(
        '{"tokens": ["a", "b"], "entities": [[0, 2, "X"], [1, 2, "Y"]]}\n', encoding="utf-8"
    )
    (text / "links").write_text("0-0 1-1\n", encoding="utf-8")
    (text / "es").write_text("c d\n", encoding="utf-8")
    assert run("/spans", "/links", "--target", "/es", "--to", "tags")[1] == "B-X I-X\n"
    assert json.loads(run("/spans", "/links", "--target", "/es")[1]) == {
        "tokens": ["c", "d"], "entities": [[0, 2, "X"], [1, 2, "Y"]],
    }  # fmt: skip


def test_links_of_a_model(run, text):
    pairs = [["Ana", "vio"], ["Bo", "salió"], ["Ana", "salió"], ["Bo", "vio"]]
    source = [[name, {"vio": "saw", "salió": "left"}[verb]] for name, verb in pairs] * 10
    bitext = Bitext.unlabeled(Corpus.from_sentences(source), Corpus.from_sentences(pairs * 10))
    train(bitext).save(text / "m")
    (text / "en").write_text("Ana left\nBo saw\n", encoding="utf-8")
    (text / "es").write_text("Ana salió\nBo vio\n", encoding="utf-8")
    (text / "tags").write_text("B-PER O\nB-PER O\n", encoding="utf-8")
    sides = ("/tags", "--model", "/m", "--target", "/es")
    assert run(*sides, "--source", "/en")[:2] == (0, "B-PER O\nB-PER O\n")
    back = ("/tags", "--model", "/m", "--target", "/en", "--source", "/es", "--reverse")
    assert run(*back)[:2] == (0, "B-PER O\nB-PER O\n")
    assert "--model needs the text of both sides; pass --source as well" in run(*sides)[2]


@pytest.mark.parametrize(
    ("changed", "options", "message"),
    [
        ({"links": "0-0\n"}, (), "links, line 2: there are fewer lines of links than annotated"),
        ({"links": "0-0\n\n\n"}, (), "line 3: there are more lines of links than annotated"),
        ({"es": "a\n"}, (), "es, line 2: there are fewer sentences than annotated"),
        ({"raw": "a\n"}, ("--target-text", "/raw"), "raw, line 2: there are fewer lines of"),
        ({"links": "0-0\n1-2\n"}, (),
         "links, line 2: link 1-2 is out of range: the sentence pair has 2 source"),
        ({"links": "0-0\n1-2\n"}, (), "or the positions are 1-based; check --target\n"),
        ({"links": "0-9\n", "es": "a\n", "names.conll": '{"text": "a", "spans": []}'}, (),
         "or the positions are 1-based; pass --source with the tokenized source text\n"),
        ({"links": "0-0\n"}, (), "Pass files of the same text, without -DOCSTART- lines. If"),
        ({"links": "0-0\n2-1\n"}, ("--reverse",),
         "link 2-1 is out of range: the sentence pair has 2 source"),
        ({"links": "0-0\n0:0\n"}, (), "links, line 2: '0:0' is malformed; expected links such as"),
        ({"links": "0-0\n0-0:x\n"}, (), "line 2: the score of '0-0:x' is invalid; expected a"),
        ({"links": "0-0\n0-0:-1.5\n"}, (), "line 2: the score of '0-0:-1.5' is invalid; expected"),
        ({"names.conll": '{"text": "", "label": []}\n{"tokens": ["a"], "label": [[0, 1, "x y"]]}',
          "links": "\n\n"}, ("--to", "tags"),
         "names.conll, line 2: the label 'x y' contains whitespace"),
        ({"names.conll": "a\n"}, (), "names.conll, line 1: the line 'a' is malformed; expected a"),
        ({"raw": "x\nBo salió\n"}, ("--to", "standoff", "--target-text", "/raw"),
         "raw, line 1: the text at character 0 is 'x'; expected the word 'Ana'"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(run, text, changed, options, message):
    for name, content in changed.items():
        (text / name).write_text(content, encoding="utf-8")
    status, _, err = run(*USUAL, *options, "-o", "/out")
    assert status == 1
    assert message in err
    assert not (text / "out").exists()


@pytest.mark.parametrize("given", [(), ("/links", "--model", "/m")])
def test_links_or_a_model(run, given):
    status, _, err = run("/names.conll", *given, "--target", "/es")
    assert status == 2
    assert "pass either LINKS, or --model with --source and --target" in err


def test_empty_sentences_need_the_text(run, text):
    (text / "en").write_text("\nAna Ruiz saw the Red Cross\n\nBo left\n\n", encoding="utf-8")
    (text / "es").write_text("hola\nAna Ruiz vio Cruz Roja\n\nBo salió\n\n", encoding="utf-8")
    (text / "links").write_text("\n0-0 1-1 2-2 4-4 5-3\n\n0-0 1-1\n\n", encoding="utf-8")
    status, out, _ = run(*USUAL, "--source", "/en")
    assert status == 0
    assert out == (
        "hola\tO\n\nAna\tB-PER\nRuiz\tI-PER\nvio\tO\nCruz\tB-ORG\nRoja\tI-ORG\n\n\n"
        "Bo\tB-PER\nsalió\tO\n\n\n"
    )
    said = "If the columns have empty sentences, pass the tokenized text as well (--source)"
    assert said in run(*USUAL)[2]
