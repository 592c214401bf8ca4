"""Makes the golden files beside this module, from the bundled sample, with the program itself.

    python -m tests.golden.ours.make

A change of a golden file is a change of what users get. Make them again only where that is meant,
says why in CHANGELOG, and is right by a slow twin or by hand; look at the difference
(``git diff tests/golden/ours``) before it is committed. Results are the same for any number of
threads; texts are few and short, so that the last digit printed is not one of rounding, and numbers
of many digits are cut.
"""

import contextlib
import gzip
import io
import json
import re
from itertools import zip_longest
from pathlib import Path

from isogloss import program
from isogloss.command_line.parsers import has_option

FOLDER = Path(__file__).parent / "files"
DATA = Path(__file__).parents[3] / "data"
PAIRS = 40
LONGEST = 9  # words
UNSEEN = 4  # sentences to tune on, beside three of the bitext
MIXED = 4  # sentences in one, their words in turns: the default stack holds too few of its ways
OF_MIXED = {"LM0": 1.0, "Distortion0": 0.0, "WordPenalty0": -1.0, "p(f|e)": 0.2, "p(e|f)": 0.2}
_NUMBER = re.compile(r"(?<![\d.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\d.])")

COMMANDS = """
align c.en c.es --labels labels --label-names legal,medical --model m -o links --t2s forward
    --s2t reverse --posteriors posteriors.tsv --pair-scores pair-scores --scores
align c.en c.es --preset paper --heuristic grow-diag-final-and -o links.paper
symmetrize forward reverse --heuristic grow-diag-final-and -o links.symmetrized
evaluate links.symmetrized gold > evaluation
lexicon m --domain legal --to tsv -o lexicon.tsv
lexicon m --to moses -o lexicon.moses
lexicon m --to marian -o lexicon.marian
lexicon m --to bicleaner -o lexicon.bicleaner.gz
eflomal-priors c.en c.es forward reverse -o priors
domains predict m c.en c.es -o domains.tsv
extract c.en c.es links.symmetrized -o table.gz --max-phrase-length 2
    --reordering hier-mslr-backward-fe=reordering.gz
extract c.en c.es links.symmetrized -o table.kn.gz --max-phrase-length 1 --smoothing kneser-ney
    --reordering wbe-msd-bidirectional-fe=reordering.words.gz --model m
prune table.gz c.en c.es -l a+e -o table.pruned.gz
features table.gz -o table.features.gz --add pt,al,lex --filter-for dev.en
features table.gz -o binned.gz --discretize p(e|f):2 --filter-for dev.en
features table.gz -o table.cdec.gz --to cdec --filter-for dev.en
features table.gz -o table.joshua.gz --to joshua --filter-for dev.en
features table.gz -o table.phrasal.gz --to phrasal --filter-for dev.en
lm c.es -o model.arpa --order 3
classes c.en --num-classes 6 -o classes
decode dev.en --phrase-table table.features.gz --lm model.arpa -o translations --n-best nbest.gz:6
decode mixed.en --phrase-table table.gz --lm model.arpa --weights mixed.json -o translations.mixed
    --n-best nbest.mixed.gz:1
tune nbest.gz --refs dev.es --optimizer adagrad-pro --epochs 3 -o weights.adagrad-pro.json
tune nbest.gz --refs dev.es --optimizer mert -o weights.mert.json
tune nbest.gz --refs dev.es --optimizer mira --epochs 3 -o weights.mira.json
tune nbest.gz --refs dev.es --optimizer pro -o weights.pro.json
rerank nbest.gz --weights weights.mert.json > reranked
score reranked --refs dev.es --metric bleu,chrf,ter > scores
weights convert weights.mert.json --to moses > weights.moses
"""
KEPT = (
    "links", "links.paper", "links.symmetrized", "forward", "reverse", "posteriors.tsv",
    "pair-scores", "evaluation", "lexicon.tsv", "lexicon.moses", "lexicon.marian",
    "lexicon.bicleaner.gz", "priors", "domains.tsv", "table.gz", "reordering.gz", "table.kn.gz",
    "reordering.words.gz", "table.pruned.gz", "table.features.gz", "binned.gz",
    "binned.bins.json", "table.cdec.gz", "table.joshua.gz", "table.phrasal.gz", "model.arpa",
    "classes", "translations", "nbest.gz", "translations.mixed", "nbest.mixed.gz",
    "weights.adagrad-pro.json", "weights.mert.json",
    "weights.mira.json", "weights.pro.json", "reranked", "scores", "weights.moses",
)  # fmt: skip


def _lines(name: str) -> list[str]:
    path = DATA / name
    raw = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    return raw.decode().splitlines()


def _mixed(sentences: list[str]) -> str:
    """The first words of some sentences, then their second words, and so on."""
    columns = zip_longest(*(sentence.split() for sentence in sentences), fillvalue="")
    return " ".join(word for column in columns for word in column if word)


def write_inputs(folder: Path) -> None:
    """The first short pairs of the sample, some labeled; a few to tune on; some mixed."""
    names = ("train.en.gz", "train.es.gz", "train.en-es.gold.gz", "train.domains.gz")
    rows = [
        row
        for row in zip(*map(_lines, names), strict=True)
        if max(len(side.split()) for side in row[:2]) <= LONGEST
    ][:PAIRS]
    known = ("legal", "medical")
    labels = [row[3] if row[3] in known and n % 2 else "-" for n, row in enumerate(rows)]
    unseen = zip(_lines("tune.en"), _lines("tune.es.ref0"), strict=True)
    dev = [row[:2] for row in rows[:3]]
    dev += [row for row in unseen if len(row[0].split()) <= LONGEST - 2][:UNSEEN]
    files = {
        "c.en": [row[0] for row in rows],
        "c.es": [row[1] for row in rows],
        "gold": [row[2] for row in rows],
        "labels": labels,
        "dev.en": [row[0] for row in dev],
        "dev.es": [row[1] for row in dev],
        "mixed.en": [
            _mixed([row[0] for row in rows[k : k + MIXED]]) for k in range(0, PAIRS, MIXED)
        ],
        "mixed.json": [json.dumps({"weights": OF_MIXED})],
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def run(folder: Path, threads: int) -> None:
    """All commands in a folder, one after the other; what is printed goes where ``>`` says."""
    write_inputs(folder)
    with contextlib.chdir(folder):
        for line in re.sub(r"\n +", " ", COMMANDS.strip()).splitlines():
            command, _, output = line.partition(" > ")
            arguments = [*command.split(), "-q"]
            if has_option(arguments, "--threads"):
                arguments += ["--threads", str(threads)]
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                status = program.main(arguments)
            if status:
                raise RuntimeError(f"isogloss {line}: exit status {status}")
            if output:
                Path(output).write_text(printed.getvalue(), encoding="utf-8")


def _cut(text: str, most: int, left: int) -> str:
    """Numbers of over ``most`` digits, zeros before and behind them not counted, have ``left``."""

    def short(match: re.Match[str]) -> str:
        digits = re.sub(r"e.*|\D", "", match[0]).strip("0")
        return f"{float(match[0]):.{left}g}" if len(digits) > most else match[0]

    return _NUMBER.sub(short, text)


def readable(path: Path) -> str:
    """The text of a result, unpacked; numbers of over seven digits have five.

    Lexicons are of single precision: theirs have four, and the lines are sorted, as chances that
    are nearly the same may change places.
    """
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    text = re.sub(r"\|version:.*", "", text)  # sacrebleu's own
    if path.name.startswith("lexicon."):
        return "".join(sorted(_cut(text, 0, 4).splitlines(keepends=True)))
    return _cut(text, 7, 5)


def golden_name(name: str) -> str:
    """A result's name among the golden files, which are not packed."""
    return name.removesuffix(".gz")


def main() -> None:
    """Write all golden files anew."""
    from tempfile import TemporaryDirectory

    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    with TemporaryDirectory() as name:
        run(Path(name), threads=1)
        for result in KEPT:
            text = readable(Path(name) / result)
            (FOLDER / golden_name(result)).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
