"""A folder with a small file of every kind that the program reads, made by the program itself."""

import gzip
import json
import warnings
from pathlib import Path

import numpy as np

from isogloss import program
from isogloss.align.errors import DataWarning
from isogloss.align.files.checksums import file_sums, seal
from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.readers import read_bitext
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage
from isogloss.align.training.train import train
from isogloss.features.dictionary.dictionary import Dictionary
from isogloss.features.space import FeatureSpace
from isogloss.tune.forest.reader import read_forests, store_forests
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.nbest.moses_statistics import write_moses_statistics
from isogloss.tune.nbest.store import store_nbest
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.online.state import OnlineState, write_online_state
from isogloss.tune.references import read_references
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.weights import Weights
from tests.cli.tuning.word_lists import SENTENCES, hypotheses, records
from tests.fuzz.foreign_readers import FOREIGN_FILES
from tests.naive.forest import MOSES_TEXT
from tests.naive.kenlm_binary import probing_file, trie_file

__all__ = ["MORE_OPTIONS", "OPTIONS", "SPACE", "labeled_text", "make_seeds", "reseal"]

DATA = Path(__file__).resolve().parents[2] / "data"
PAIRS = 60
MORE_OPTIONS = "more-options"  # those that are tried with a command
SPACE = FeatureSpace(["good", "bad", "F_0"])
OPTIONS = AlignerOptions(
    model1_iterations=1, hmm_iterations=2, shared_iterations=1, jump_classes=2, jump_window=2,
    language_model_order=2,
)  # fmt: skip
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" adminlang="en" datatype="plaintext" segtype="sentence"
 creationtool="x" creationtoolversion="1" o-tmf="x"/><body>
<tu><tuv xml:lang="en"><seg>a &amp; b <bpt i="1">x</bpt> c</seg></tuv>
<tuv xml:lang="es"><seg>un b</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>the house</seg></tuv><tuv xml:lang="es"><seg>la casa</seg></tuv></tu>
</body></tmx>
"""
MOSES_INI = """[input-factors]
0

[feature]
Distortion
PhraseDictionaryMemory name=TM num-features=2 path=table
KENLM name=LM path=lm.arpa

[weight]
Distortion0= 0.3
TM= 0.2 0.1
LM= 0.5

[weight-file]
sparse
"""
DECODER_INI = """[input-factors]
0

[mapping]
0 T 0

[stack]
5

[distortion-limit]
2

[threads]
1

[report-segmentation]
true

[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
Distortion
PhraseDictionaryMemory name=TM num-features=4 path=table table-limit=5 input-factor=0
LexicalReordering name=R num-features=8 type=hier-mslr-bidirectional-fe-allff path=reordering
KENLM name=LM factor=0 path=lm.arpa order=2

[weight]
UnknownWordPenalty0= 1
WordPenalty0= -1
PhrasePenalty0= 0.2
Distortion0= 0.3
TM= 0.2 0.2 0.2 0.2
R= 0.3 0.3 0.3 0.3 0.3 0.3 0.3 0.3
LM= 0.5
"""
CDEC_FOREST = """{"rules":[1,"[X] ||| das haus ||| the house",2,"[X] ||| [X,1] ist ||| [1] is"],
"features":["LM","WT_a"],"is_sorted":true,
"edges":[{"tail":null,"spans":[0,2,-1,-1],"feats":[0,-1.5,1,1],"rule":1},
{"feats":["TM",2],"rule":"[X] ||| das haus ||| house"}],"node":{"in_edges":[0,1],"cat":"X"},
"edges":[{"tail":[0],"feats":[0,-3],"rule":2},{"tail":[0,0]}],"node":{"in_edges":[2,3]}}
"""
RUN = """[run]
out = "out"
languages = ["en", "es"]
seed = 1
threads = 1

[[train]]
source = "en"
target = "es"
labels = "labels"

[[evaluate]]
name = "gold"
source = "en"
target = "es"
gold = "gold"

[align]
heuristic = "grow-diag-final-and"
hmm_iterations = 2

[extract]
max_phrase_length = 3

[features]
templates = ["pt", "al"]
discretize = ["p(e|f):4"]

[decoder]
stack_size = 5

[tune]
source = "en"
references = ["es"]
epochs = 1
rate = 0.1

[test]
source = "en"
references = ["es"]
"""


def labeled_text(folder: Path) -> Bitext:
    """The bitext of a folder with its labels."""
    return read_bitext(folder / "en", folder / "es", labels=folder / "labels")


def reseal(folder: Path, header: str) -> None:
    """Give what stands in a stored folder right checksums, where its header is an object."""
    path = folder / header
    try:
        values = json.loads(path.read_bytes())
        path.unlink()
        path.write_bytes(seal(values | {"files": file_sums(folder)}))
    except (ValueError, TypeError, RecursionError, OSError):
        return


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _run(folder: Path, line: str) -> None:
    """A command; words that begin with a dot are names of files in the folder."""
    words = [str(folder / word[1:]) if word[0] == "." else word for word in line.split()]
    assert program.main([*words, "-q"]) == 0


def _texts(folder: Path) -> None:
    sides = [
        gzip.decompress((DATA / f"train.{name}.gz").read_bytes()).decode().splitlines()[:PAIRS]
        for name in ("en", "es", "domains")
    ]
    for name, lines in zip(("en", "es"), sides, strict=False):
        _write(folder, {name: "".join(f"{line}\n" for line in lines)})
    domains = [
        {"legal": "law", "medical": "med"}.get(domain, "-") if k % 2 else ("law", "med")[k // 2 % 2]
        for k, domain in enumerate(sides[2])
    ]
    pairs = list(zip(sides[0], sides[1], strict=True))[:8]
    _write(folder, {
        "labels": "".join(f"{domain}\n" for domain in domains),
        "pairs": "".join(f"{source} ||| {target}\n" for source, target in pairs),
        "tsv": "".join(f"{source}\t{target}\t0-0\n" for source, target in pairs),
        "jsonl": "".join(f'{json.dumps({"source": a, "target": b})}\n' for a, b in pairs),
        "nested.jsonl": "".join(
            f'{json.dumps({"translation": {"en": a, "es": b}})}\n' for a, b in pairs
        ),
        "tmx": TMX, **FOREIGN_FILES, MORE_OPTIONS: "", "forest": MOSES_TEXT,
        "forest.json": CDEC_FOREST, "forests.json": 2 * f"{CDEC_FOREST.replace(chr(10), '')}\n",
        "few.en": "".join(f"{source}\n" for source, _ in pairs),
        "few.es": "".join(f"{target}\n" for _, target in pairs),
        "names.conll": "Ana\tB-PER\nis\tO\n\nin\tO\nOld\tB-LOC\nYork\tI-LOC\n\n",
        "names.tags": "B-PER O\nO S-LOC B-LOC E-LOC\n",
        "names.jsonl": '{"text": "Ana is", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n'
        '{"tokens": ["in", "York"], "label": [[1, 2, "LOC"]], "id": 3}\n',
        "names.ann": "T1\tPER 0 3\tAna\nR1\tof Arg1:T1\nT2\tLOC 7 9;14 18\tin York\n",
        "name.links": "0-0:0.5 1-1\n0-0 2-2:0.25\n",
        "names.txt": "Ana is\nin Old York\n",
        "small.links": "0-0 1-1:0.5\n\n2-1 0-0\n",
        "small.gold": "0-0 1p1\n2?1\n0-0 3-2\n",
        "small.ids": "a1 a2\n\nb1 b2 b3\n",
        "small.json": '{"records": [\n{"source": ["a1"], "target": ["a2", "a1"]},\n'
        '{"references": [["b1"], ["b3"]]}\n]}\n',
        "hand.links": "0-0\n" + "\n" * (PAIRS - 1),
        "dictionary": "the\tel\nhouse\tcasa\t2.5\n\nthe\tla\t1e1\n",
    })  # fmt: skip


def _forests(folder: Path) -> None:
    (folder / "hypergraphs").mkdir()
    _write(folder / "hypergraphs", {"0": MOSES_TEXT, "2.json": CDEC_FOREST})
    store_forests(folder / "hypergraphs", folder / "forests")
    read_forests(folder / "forests")[0].save(folder / "graph")


def _models(folder: Path) -> None:
    _run(
        folder,
        "align .en .es --labels .labels --model .trained -o .links --t2s .fwd "
        "--s2t .rev --posteriors .posteriors --model1-iterations 1 --hmm-iterations 2",
    )
    _run(folder, "eflomal-priors .en .es .fwd .rev -o .priors")
    _run(folder, "classes .en -o .classes --num-classes 4")
    _run(
        folder,
        "domains predict .trained .few.en .few.es --instance-weights-of law -o .instance-weights",
    )
    bitext = labeled_text(folder)
    train(bitext, options=OPTIONS).save(folder / "model")
    for name, text in (("checkpoint", bitext), ("flat", bitext.with_numbered_labels(
        np.full(len(bitext), -1, np.int16), ()))):  # fmt: skip
        checkpoint = Checkpoint(folder / name, fingerprint(text, OPTIONS))
        train(text, options=OPTIONS, storage=TrainingStorage(checkpoint))
    corpus = Corpus.from_sentences([line.split() for line in (folder / "few.es").read_text("utf-8")
                                    .splitlines()])  # fmt: skip
    estimate_language_model(corpus, order=2).save(folder / "lm.arpa")
    model = estimate_language_model(corpus, order=3)
    (folder / "lm.probing").write_bytes(probing_file(model))
    (folder / "lm.trie").write_bytes(trie_file(model, quantized=(8, 8), apart=8))


def _tables(folder: Path) -> None:
    (folder / "few.links").write_text(
        "".join(f"{line}\n" for line in (folder / "links").read_text().splitlines()[:8])
    )
    _run(folder, "extract .few.en .few.es .few.links -o .table --max-phrase-length 2 --reordering "
         f"hier-mslr-bidirectional-fe={folder / 'reordering'}")  # fmt: skip
    _run(folder, "decode --phrase-table .table --lm .lm.arpa --save .decoder --reordering "
         f"hier-mslr-bidirectional-fe={folder / 'reordering'}")  # fmt: skip
    _run(folder, "features .table --add al --discretize p(e|f):3 -o .rich")
    for form in ("cdec", "joshua", "phrasal"):
        _run(folder, f"features .table --to {form} -o .table.{form}")
    lines = (folder / "table").read_text("utf-8").splitlines()
    rules = [line.split(" ||| ") for line in lines]
    _write(folder, {"rule-use": "".join(f"{rule[0]} ||| {rule[1]} ||| 3\n" for rule in rules[:30])})


def _lists(folder: Path) -> None:
    rows, references = [], []
    for number, (truth, candidates) in enumerate(hypotheses()):
        references.append(" ".join(truth))
        for words, values in candidates:
            named = " ".join(f"{name}= {value:.4f}" for name, value in values.items())
            rows.append(f"{number} ||| {' '.join(words)} ||| {named} F_{number}= 1 ||| 0")
    _write(folder, {
        "list": "\n".join(rows) + "\n",
        "list.cdec": "\n".join(rows).replace("= ", "=") + "\n",
        "list.fairseq": "S-0\ta b\nT-0\tx\nH-0\t-0.5\tx y\nD-0\t-0.5\tX y\nP-0\t-0.25 -0.25\n" * 3,
        "list.array": '[[{"text": "x"},\n{"text": "y z"}], [{"text": "x"}],\n{"text": "[]"}]\n',
        "list.flat": '{"id": "a", "t": ["x", "y z"], "p": [1, 2.5], "r": "x"}\n' * 3,
        "ref": "\n".join(references) + "\n",
        "weights.txt": "good 0.5\nbad -1\nF_0 1e-3\n",
        "weights.pt": "PT_la~casa_the~house 0.5\nPT_casa_house 1\nPT_la_the 2\n",
        "weights.bins": "p(e|f)_bin0:6 0.5\np(e|f)_bin1:6 -1\np(e|f)_bin5:6 1\n",
        "weights.travatar": "good=0.5\nbad=-1\n",
        "weights.moses": "TM= 0.2 0.1\nLM= 0.5\n",
        "weights.json": '{"space": {"dense": ["good"]}, "weights": {"good": 0.5, "F_0": -1.0}}\n',
        "moses.ini": MOSES_INI, "sparse": "WT_a~b 0.5\nWT_c 1\n",
        "moses.decoder.ini": DECODER_INI,
        "decoder.toml": '[decoder]\nphrase_table = "table"\nlanguage_model = "lm.arpa"\n'
        "stack_size = 5\ndistortion_limit = 2\n",
        "run.toml": RUN, "gold": "0-0\n" * PAIRS,
        "x.iteration1.json": json.dumps(
            {"loss": 1.5, "hypotheses": 12, "weights": {"LM0": 0.5, "PT_a~b": -1e-3, "b": 0.0}}
        ),
        "epochs.jsonl": "".join(
            f'{json.dumps({"run": 1, "fold": None, "number": k, "loss": 1.5, "score": 20.5 + k})}\n'
            for k in range(3)
        ).replace("}", ', "active": 3, "held_out": null}'),
    })  # fmt: skip
    records(folder)
    (folder / "lists.jsonl").write_bytes(gzip.decompress((folder / "lists.jsonl.gz").read_bytes()))
    lists = read_nbest([folder / "list"])
    references_read = read_references([folder / "ref"])
    bleu = metric_named("bleu")
    statistics = bleu.statistics(lists, references_read)
    write_moses_statistics(lists, statistics, folder / "FEATSTAT", folder / "SCORESTAT")
    store_nbest([folder / "list"], folder / "stored", num_sentences=SENTENCES)
    _run(folder, "tune .list --refs .ref --optimizer mira --epochs 2 --out .run --runs 1 --folds 3")
    epochs = (Epoch(0, 1.5, 20.0, 3), Epoch(1, 1.25, 21.5, 3, 19.5))
    weights = Weights.from_dict({"LM0": 0.5, "PT_a_b": -0.25})
    TuningResult(weights, 1, epochs, scale=0.5, metric="bleu").save(folder / "result.json")
    sides = [Corpus.from_sentences(side) for side in ([["a"], ["b", "c"]], [["x"], ["y"]])]
    counts = np.array([[3.0, 1.0, 2.0], [2.0, 2.0, 0.0]])
    sizes, certainty = np.array([9.0, 4.0, 5.0]), np.array([0.5, 1.0])
    pairs = Dictionary(*sides, counts, counts, counts + 1.0, certainty, sizes, ("law", "play"))
    pairs.save(folder / "entries")
    state = OnlineState.fresh(np.array([1.0, 0.5, -0.25]), average=True)
    write_online_state(state, SPACE, folder / "state.npz")


def make_seeds(folder: Path) -> None:
    """Fill an empty folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the texts are small
        for make in (_texts, _forests, _models, _tables, _lists):
            make(folder)
