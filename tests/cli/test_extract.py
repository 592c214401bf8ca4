"""extract from outside."""

import gzip
import json
import random

import numpy as np
import pytest

from align.text.vocabulary import Vocabulary
from features.extraction.extract import DENSE_FEATURES
from features.extraction.reordering import ADAGRAD_PRO, ReorderingModel, read_reordering_table
from features.table.phrase_table import PhraseTable
from features.table.sidecar import MOSES_SCORES
from isogloss import program
from tests.naive.disk import no_file_above

SOURCE = ["la casa verde", "la casa", "una casa", "la mesa verde"]
TARGET = ["the green house", "the house", "a house", "the green table"]
LINKS = ["0-0 1-2 2-1", "0-0 1-1", "0-0 1-1", "0-0 1-2 2-1"]
LABELS = ["law", "law", "it", "it"]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "f", SOURCE)
    write(tmp_path / "e", TARGET)
    write(tmp_path / "links", LINKS)
    write(tmp_path / "labels", LABELS)
    write(tmp_path / "posteriors", ["law\tit", "1\t0", "0.75\t0.25", "0\t1", "0.5\t0.5"])
    write(tmp_path / "weights", ["1", "0.5", "0.25", "2"])
    return tmp_path


def run(folder, *options, status=0, output="table"):
    """Options that are names of files in the folder become their paths."""
    inputs = [str(folder / name) for name in ("f", "e", "links")]
    more = [str(folder / one) if (folder / one).is_file() else str(one) for one in options]
    named = output if output == "-" else str(folder / output)
    assert program.main(["extract", *inputs, "-o", named, *more]) == status


def lines_of(path):
    return path.read_text("utf-8").splitlines()


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_table_and_its_sidecar(folder, capsys):
    run(folder, "--max-length", "2")
    assert lines_of(folder / "table") == [
        "casa verde ||| green house ||| 1 1 1 1 ||| 1-0 0-1 ||| 1 1 1 ||| |||",
        "casa ||| house ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||",
        "la casa ||| the house ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
        "la ||| the ||| 1 1 1 1 ||| 0-0 ||| 3 3 3 ||| |||",
        "mesa verde ||| green table ||| 1 1 1 1 ||| 1-0 0-1 ||| 1 1 1 ||| |||",
        "mesa ||| table ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
        "una casa ||| a house ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
        "una ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
        "verde ||| green ||| 1 1 1 1 ||| 0-0 ||| 2 2 2 ||| |||",
    ]
    names = json.loads((folder / "table.columns.json").read_text())
    assert names == {"scores": list(MOSES_SCORES)}
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "phrase pairs" in captured.err


def test_standard_output(folder, capsysbinary):
    run(folder, output="-")
    run(folder)
    assert capsysbinary.readouterr().out == (folder / "table").read_bytes()
    assert not (folder / "-").exists()


def test_compressed_by_the_name(folder):
    run(folder)
    run(folder, "--reordering", ADAGRAD_PRO, output="table.gz")
    assert gzip.decompress((folder / "table.gz").read_bytes()) == (folder / "table").read_bytes()
    names = sorted(path.name for path in folder.iterdir())
    assert f"reordering-table.{ADAGRAD_PRO}.gz" in names
    assert names.count("table.columns.json") == 1


def test_count_bins(folder):
    run(folder, "--count-bins", "1,2", "--sparse-count-bins", "2", "--max-length", "1")
    assert [line.split(" ||| ")[0::2] for line in lines_of(folder / "table")][:2] == [
        ["casa", "1 1 1 1 1 1 2.71828", "3 3 3"],
        ["la", "1 1 1 1 1 1 2.71828", "3 3 3"],
    ]
    sparse = {line.split(" ||| ")[0]: line.split(" ||| ")[5] for line in lines_of(folder / "table")}
    assert sparse == {
        "casa": "cb_max 1 |||", "la": "cb_max 1 |||", "mesa": "cb_1_2 1 |||",
        "una": "cb_1_2 1 |||", "verde": "cb_1_2 1 |||",
    }  # fmt: skip
    names = json.loads((folder / "table.columns.json").read_text("utf-8"))["scores"]
    assert names[4:] == ["CountBin.1", "CountBin.2", "CountBin.max"]


def test_features_in_one_go(folder):
    run(folder, "--add", "al", "--discretize", "p(e|f):1", "--keep", "--export", str(folder / "x"))
    first = run(folder, output="plain")
    assert first is None
    more = ["--add", "al", "--discretize", "p(e|f):1", "--keep"]
    plain, two = str(folder / "plain"), str(folder / "two")
    assert program.main(["features", plain, "-o", two, *more]) == 0
    assert lines_of(folder / "two") == lines_of(folder / "table")
    assert "AL_casa_house 1" in lines_of(folder / "table")[0]
    one, other = (folder / f"{name}.bins.json" for name in ("table", "two"))
    assert one.read_bytes() == other.read_bytes()
    assert sorted(path.name for path in (folder / "x").iterdir()) == [
        "features.tsv", "moses.ini", "sparse-weights.txt", "weights.txt",
    ]  # fmt: skip


def test_orientations_by_definition(folder):
    name = "hier-msd-forward-fe"
    run(folder, "--reordering", f"{name}={folder / 'moses'}")
    run(folder, "--reordering", f"{name}={folder / 'own'}", "--orientations", "definition")
    rows = [
        {tuple(line.split(" ||| ")[:2]): line.split(" ||| ")[2] for line in lines_of(folder / one)}
        for one in ("moses", "own")
    ]
    assert rows[0].keys() == rows[1].keys()
    # "the" is followed by the block "green house", which lies right behind "la"
    assert rows[1]["la", "the"] == "0.777778 0.111111 0.111111"
    assert rows[0]["la", "the"] != rows[1]["la", "the"]


def test_dense_features_of_green_et_al(folder):
    run(folder, "--dense", "--count-features", "RuleCount,LowCount")
    table = PhraseTable.read(folder / "table")
    assert table.score_names == (*MOSES_SCORES, "RuleCount", "LowCount", "PhrasePenalty",
                                 "UniqueRule")  # fmt: skip
    assert set(DENSE_FEATURES) <= set(table.score_names)
    counts = table.counts[:, 2]
    np.testing.assert_allclose(table.scores[:, 4], counts)
    np.testing.assert_allclose(table.scores[:, 6], np.e, rtol=1e-5)
    unique = np.where(counts <= 1, -1.0, 0.0)
    np.testing.assert_allclose(np.log(table.scores[:, 7]), unique, atol=1e-5)
    model = ReorderingModel.parse(ADAGRAD_PRO)
    path = folder / f"reordering-table.{ADAGRAD_PRO}"
    (rows,) = read_reordering_table(path, model)
    assert rows.scores.shape == (len(table), 8)
    phrases = [line.split(" ||| ")[:2] for line in lines_of(folder / "table")]
    assert phrases == [list(pair) for pair in zip(rows.source, rows.target, strict=True)]


def test_reordering_tables_under_other_names(folder):
    other = folder / "orientation.gz"
    models = [f"msd-bidirectional-f={other}", "wbe-msd-backward-fe"]
    run(folder, "--reordering", models[0], "--reordering", models[1], "--dense")
    lines = gzip.decompress(other.read_bytes()).decode().splitlines()
    sources = [line.split(" ||| ")[0] for line in lines]
    rules = lines_of(folder / "table")
    assert sources == list(dict.fromkeys(rule.split(" ||| ")[0] for rule in rules))
    assert all(len(line.split(" ||| ")[1].split()) == 6 for line in lines)
    assert (folder / "reordering-table.wbe-msd-backward-fe").exists()
    assert (folder / f"reordering-table.{ADAGRAD_PRO}").exists()


def test_reordering_smoothing(folder):
    run(folder, "--reordering", "wbe-msd-backward-fe", "--reordering-smoothing", "0.25")
    table = folder / "reordering-table.wbe-msd-backward-fe"
    # two of three times "la" and "una" before "casa" are linked to what is before "house"; once
    # "green" is there, whose "verde" is behind "casa"
    assert "casa ||| house ||| 0.6 0.333333 0.0666667" in lines_of(table)
    plain = table.read_bytes()
    run(folder, "--reordering", "wbe-msd-backward-fe", "--reordering-smoothing", "0.25",
        "--smooth-with-counts")  # fmt: skip
    assert table.read_bytes() != plain


def test_lexical_tables(folder):
    run(folder, "--lexical", folder / "lex")
    assert lines_of(folder / "lex.f2e") == [
        "the la 1.0000000", "house casa 1.0000000", "green verde 1.0000000", "a una 1.0000000",
        "table mesa 1.0000000",
    ]  # fmt: skip
    assert lines_of(folder / "lex.e2f") == [
        "la the 1.0000000", "verde green 1.0000000", "casa house 1.0000000", "una a 1.0000000",
        "mesa table 1.0000000",
    ]  # fmt: skip


def test_direction_of_lexical_tables(folder):
    """As Moses': f2e holds `target source w(target | source)`."""
    write(folder / "f", ["a b", "a"])
    write(folder / "e", ["x", "y"])
    write(folder / "links", ["0-0 1-0", "0-0"])
    run(folder, "--lexical", folder / "lex")
    assert lines_of(folder / "lex.f2e") == ["x a 0.5000000", "y a 0.5000000", "x b 1.0000000"]
    assert lines_of(folder / "lex.e2f") == ["a x 0.5000000", "b x 0.5000000", "a y 1.0000000"]


def test_domains_weights_and_labels(folder):
    run(folder, "--posteriors", "posteriors", "--instance-weights", "weights",
        "--labels", "labels", "--label-features", "ratio", "--label-features", "subset",
        "--domain-smoothing", "0.5")  # fmt: skip
    table = PhraseTable.read(folder / "table")
    kinds = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)", "share")
    names = [f"{kind}.{domain}" for domain in ("law", "it") for kind in kinds]
    assert table.score_names == (*MOSES_SCORES, *names, "DomainRatio.it", "DomainRatio.law")
    line = next(own for own in lines_of(folder / "table") if own.startswith("casa ||| house"))
    _, _, scores, links, counts, sparse, _ = (field.strip() for field in line.split("|||"))
    # three pairs that weigh 1, 0.5 and 0.25, of which law has 1, 0.375 and 0
    assert counts == "1.75 1.75 1.75"
    assert links == "0-0"
    assert sparse == "doms_it_law 1"
    values = list(map(float, scores.split()))
    assert values[8] == pytest.approx(1.375 / 1.75, rel=1e-5)
    assert values[13] == pytest.approx(0.375 / 1.75, rel=1e-5)
    assert np.log(values[14:]) == pytest.approx([0.25 / 1.75, 1.5 / 1.75], rel=1e-4)


@pytest.mark.parametrize("name", ["good-turing", "kneser-ney", "modified-kneser-ney"])
def test_smoothing(folder, name):
    run(folder)
    plain = PhraseTable.read(folder / "table")
    run(folder, "--smoothing", name, "-q")
    table = PhraseTable.read(folder / "table")
    np.testing.assert_array_equal(table.scores[:, 1::2], plain.scores[:, 1::2])
    assert (table.scores[:, ::2] < plain.scores[:, ::2]).any()


@pytest.fixture
def long_text(tmp_path):
    """Several thousand phrase pairs of few words."""
    rng = random.Random(1)
    source, target, links = [], [], []
    for _ in range(250):
        size = rng.randint(4, 9)
        source.append(" ".join(rng.choice("abcdefghijkl") for _ in range(size)))
        target.append(" ".join(rng.choice("mnopqrst") for _ in range(size)))
        order = sorted(range(size), key=lambda k: k + rng.random() * 2)
        links.append(" ".join(f"{j}-{i}" for j, i in enumerate(order) if rng.random() < 0.8))
    write(tmp_path / "f", source)
    write(tmp_path / "e", target)
    write(tmp_path / "links", links)
    write(tmp_path / "weights", [f"{rng.random() + 0.01:.3f}" for _ in range(250)])
    shares = [rng.random() for _ in range(250)]
    write(tmp_path / "posteriors", ["law\tit", *(f"{p:.4f}\t{1 - p:.4f}" for p in shares)])
    write(tmp_path / "labels", [rng.choice(["law", "it", "-"]) for _ in range(250)])
    return tmp_path


def test_memory_changes_no_byte(long_text):
    options = [
        "--dense", "--reordering", "wbe-msd-bidirectional-f", "--smooth-with-counts",
        "--instance-weights", "weights", "--posteriors", "posteriors", "--labels", "labels",
        "--label-features", "ratio", "--label-features", "sparse-indicator",
        "--smoothing", "good-turing", "-q",
    ]  # fmt: skip
    for size in ("1M", "1G"):
        run(long_text, *options, "--max-memory", size, output=f"{size}/table.gz")
    written = [contents(long_text / size) for size in ("1M", "1G")]
    by_name = [{path.name: data for path, data in own.items()} for own in written]
    assert by_name[0] == by_name[1]
    assert len(by_name[0]) == 4
    text = gzip.decompress(by_name[0]["table.gz"])
    assert text.count(b"\n") > 3 * 1024  # two thousand phrase pairs fit into a part
    assert b"||| dom_it 1 dom_law 1 |||" in text


def test_parts_wait_in_the_given_folder(long_text, tmp_path, capsys):
    (tmp_path / "scratch").mkdir()
    run(long_text, "--max-memory", "1M", "--tmpdir", tmp_path / "scratch")
    assert list((tmp_path / "scratch").iterdir()) == []
    before = contents(tmp_path)
    run(long_text, "--tmpdir", tmp_path / "none", status=1)
    assert f"{tmp_path / 'none'} can't be written: No such file" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_no_room(long_text, capsys):
    run(long_text, "--lexical", long_text / "lex", "--dense", "-q")
    before = contents(long_text)
    for more in (["--max-memory", "1M"], []):
        with no_file_above(5000):
            run(long_text, "--lexical", long_text / "lex", "--dense", "-q", *more, status=1)
        assert "can't be written: File too large" in capsys.readouterr().err
        assert contents(long_text) == before


BAD = [
    (["--smoothing", "laplace"], 2, "smoothing 'laplace'; expected one of none, good-turing"),
    (["--max-length", "9"], 2, "phrase length 9; expected 1 to 8"),
    (["--max-memory", "9K"], 2, "9216 bytes of memory; expected a megabyte or more"),
    (["--domain-smoothing", "0"], 2, "domain smoothing 0.0; expected more than 0"),
    (["--reordering-smoothing", "-1"], 2, "reordering smoothing -1.0; expected 0 (none) or more"),
    (["--reordering", "msd"], 2, "reordering model 'msd': its parts are not four"),
    (["--count-bins", "2,1"], 2, "limits of count bins 2, 1; expected rising integers"),
    (["--count-features", "Rules"], 2, "count feature 'Rules'; expected one of RuleCount"),
    (["--label-features", "ratio"], 2, "--label-features needs --labels"),
    (["--labels", "labels"], 2, "--labels needs --label-features"),
    (["--labels", "labels", "--label-features", "ratio", "--label-features", "ratio"], 2,
     "label features ratio, ratio; expected each of them once"),
    (["--model", "m", "--posteriors", "posteriors"], 2, "--posteriors and --model; give one"),
    (["--reordering", ADAGRAD_PRO, "--reordering", ADAGRAD_PRO], 2,
     f"reordering-table.{ADAGRAD_PRO} is to hold two tables; expected a file of its own"),
    (["--posteriors", "weights"], 1, "weights: 4 lines; expected 5: domain names, then one per"),
    (["--instance-weights", "posteriors"], 1, "posteriors: 5 weights; expected 4, one per"),
    (["--instance-weights", "labels"], 1, "labels, line 1: 'law'; expected one weight above 0"),
    (["--labels", "posteriors", "--label-features", "ratio"], 1, "5 labels; expected 4"),
    (["--model", "none"], 1, "none"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "status", "message"), BAD)
def test_errors_leave_the_files_as_they_were(folder, options, status, message, capsys):
    more = ["--lexical", folder / "lex", "--dense"]
    bare = contents(folder)
    run(folder, *more, *options, status=status)
    assert message in capsys.readouterr().err
    assert contents(folder) == bare
    run(folder, *more)
    before = contents(folder)
    assert before.keys() > bare.keys()
    run(folder, *more, *options, status=status)
    assert contents(folder) == before


def test_files_that_are_the_same(folder, capsys):
    before = contents(folder)
    table = folder / "table"
    for options in (
        ["--reordering", f"{ADAGRAD_PRO}={table}"],
        ["--reordering", f"{ADAGRAD_PRO}={folder / 'table.columns.json'}"],
        ["--reordering", f"{ADAGRAD_PRO}={folder / 'x.e2f'}", "--lexical", folder / "x"],
    ):
        run(folder, *options, status=2)
        assert "is to hold two tables; expected a file of its own" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (["0-0", "0-0", "0-2", "0-0"], "links, line 3: link 0-2, but the pair has 2 source and 2"),
        (["0-0", "0-0", "2-0", "0-0"], "links, line 3: link 2-0, but the pair has 2 source and 2"),
        (["0-0", "x", "0-0", "0-0"], "links, line 2: 'x'; expected links such as 0-0"),
        (["0-0"], "links: 1 lines of links; expected 4, one per sentence pair"),
    ],
)
def test_bad_links(folder, links, message, capsys):
    write(folder / "links", links)
    before = contents(folder)
    run(folder, "--lexical", folder / "lex", "--dense", status=1)
    assert message in capsys.readouterr().err
    assert contents(folder) == before


NOTHING = "no phrase pair; expected links of words, between which there are phrase pairs"


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        (["a", "b"], ["x", "y"], ["", ""]),
        (["", ""], ["x", ""], ["", ""]),
        (["a b c"], ["x y z"], ["0-0 0-1 0-2 1-0 2-0"]),  # its one phrase pair is too long
    ],
)
def test_no_phrase_pair(folder, source, target, links, capsys):
    write(folder / "f", source)
    write(folder / "e", target)
    write(folder / "links", links)
    before = contents(folder)
    run(folder, "--max-length", "2", "--lexical", folder / "lex", "--dense", status=1)
    message = capsys.readouterr().err
    assert NOTHING in message
    assert "Is the text empty, are there no links" in message
    assert contents(folder) == before


class KnownModel:
    """Stands for an aligner's model that knows some of the words."""

    domains = ("law", "it")
    source_vocabulary = Vocabulary(["casa", "la"])
    target_vocabulary = Vocabulary(["house", "the"])

    def domain_posteriors(self, bitext, threads):
        assert [bitext.source.sentence(k).tolist() for k in range(2)] == [[2, 1, -1], [2, 1]]
        assert bitext.target.sentence(0).tolist() == [2, -1, 1]
        assert threads >= 1
        return np.array([[1.0, 0.0], [0.75, 0.25], [0.0, 1.0], [0.5, 0.5]])


def test_a_model_gives_the_posteriors(folder, monkeypatch):
    monkeypatch.setattr("isogloss.commands.tables.extract.load_model", lambda path: KnownModel())
    run(folder, "--posteriors", "posteriors")
    expected = contents(folder)
    run(folder, "--model", "m")
    assert contents(folder) == expected
