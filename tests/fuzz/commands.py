"""Every command with tiny inputs: what it reads and writes, for faults and for the same bytes."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from isogloss import program
from isogloss.command_line.parsers import has_option
from isogloss.commands.named_files import outputs

__all__ = [
    "COMMANDS",
    "OUTPUT",
    "carry_out",
    "undeclared",
    "usual_options",
    "working_in",
    "written",
]

OUTPUT = "out"  # folder that all of them write to, beside the seeds
_TRAINED = "--model1-iterations 1 --hmm-iterations 2 --jump-window 2 --language-model-order 2"
_OPTIMIZERS = {
    "adagrad-pro": "--epochs 2 --rate 0.1", "sgd": "--epochs 2 --rate 0.1",
    "arow": "--epochs 2", "perceptron": "--epochs 2 --rate 0.1",
    "ramp": "--epochs 2 --rate 0.1", "expected-bleu": "--epochs 2 --rate 0.1",
    "pro": "--samples 2", "mira": "--epochs 2", "minrisk": "--temperatures 2",
    "mert": "--random-restarts 1 --random-walks 1", "lp-mert": "",
}  # fmt: skip
COMMANDS: dict[str, str] = {
    "align": f"align en es --labels labels --model out/m -o out/links --scores {_TRAINED} "
    "--posteriors out/posteriors --pair-scores out/scores.gz --t2s out/fwd --s2t out/rev",
    "align, from known words": "align tsv --known-links column --dictionary dictionary -p priors "
    f"-o out/links {_TRAINED}",
    "align, JSONL": f"align jsonl --seed-sample law=few.en,few.es -o out/links {_TRAINED}",
    "train": f"train en es --labels labels --model out/m {_TRAINED}",
    "apply": "apply trained few.en few.es --external-links few.links -o out/links "
    "--pair-scores out/scores",
    "symmetrize": "symmetrize fwd rev --heuristic grow-diag-final-and -o out/links",
    "evaluate": "evaluate links gold",
    "check": "check links en es",
    "check, a model": "check trained",
    "split": "split few.en few.es --sets tune=2 test=1 --out out/parts",
    "merge": "merge few.links -o out/links",
    "retokenize": "retokenize few.links --source few.en,few.en --target few.es,few.es -o out/links",
    "convert": "convert few.links few.en few.es --to xl-wa -o out/links",
    "project": "project names.conll name.links --target names.txt --to jsonl -o out/spans",
    "lexicon": "lexicon trained --to moses -o out/lex",
    "lexicon, TSV": "lexicon trained --to tsv --domain law -o out/lex",
    "eflomal-priors": "eflomal-priors en es fwd rev -o out/priors",
    "domains predict": "domains predict trained few.en few.es -o out/domains",
    "domains predict, instance weights": "domains predict trained few.en few.es "
    "--instance-weights law -o out/w",
    "domains contrast": "domains contrast trained law,med few.en few.es --show-examples -o out/row",
    "domains typical": "domains typical trained few.en few.es --top 2 -o out/rows",
    "domains summary": "domains summary trained few.en few.es --json -o out/shares",
    "domains entropy": "domains entropy trained few.en few.es -o out/rows",
    "dictionary": "dictionary trained few.en few.es --min-count 1 --examples 1 -o out/pairs",
    "dictionary, TBX": "dictionary trained few.en few.es --links few.links --min-count 1 "
    "--langs en-es --domain law -o out/pairs.tbx",
    "lm": "lm es -o out/lm.arpa",
    "classes": "classes en --num-classes 4 -o out/classes",
    "extract": "extract few.en few.es few.links -o out/table.gz --lexical out/lex "
    "--reordering wbe-msd-bidirectional-fe --max-phrase-length 3",
    "extract, by domain": "extract en es links -o out/table --domain-posteriors posteriors "
    "--max-phrase-length 2",
    "features": "features table --add al --discretize p(e|f):3 -o out/rich --export out/export",
    "features, to cdec": "features table --to cdec -o out/grammar.gz",
    "prune": "prune table few.en few.es -l 0 -n 5 -o out/table",
    "prune, by score": "prune rich -n 2 --ratio 0.1 --rank-by p(f|e) --min-score p(f|e):0.01 "
    "-o out/table",
    "decode": "decode few.en --phrase-table table --lm lm.arpa --n-best out/list:5 -o out/best",
    "decode, saved models": "decode few.en --phrase-table decoder -o out/best",
    "decode, moses.ini": "decode few.en -f moses.decoder.ini --alignment out/links -o out/best "
    "--forests out/forests --forest-density 3 --hypergraphs true txt out/texts",
    "check, forests": "check forests",
    "score": "score few.es --refs few.es --metric bleu,chrf,ter",
    "compare": "compare few.es few.en --refs few.es --trials 20 --to json -o out/comparison",
    "doctor": "doctor en es --links links --labels labels --json",
    **{
        f"tune, {name}": f"tune list --refs ref --optimizer {name} {more} --runs 1 --folds 3 "
        "--out out/run"
        for name, more in _OPTIMIZERS.items()
    },
    "tune, JSONL": "tune lists.jsonl.gz --optimizer mira --epochs 1 --metric column:right "
    "-o out/weights.json",
    "tune, FEATSTAT": "tune FEATSTAT --score-files SCORESTAT --optimizer mert -o out/weights.json",
    "tune, decoder": "tune --decoder decoder.toml --dev few.en --refs few.es --epochs 1 "
    "--nbest-size 5 --rate 0.1 -o out/weights.json",
    "tune, batch loop": "tune --decoder decoder.toml --dev few.en --refs few.es --optimizer mert "
    "--random-walks 1 --random-restarts 0 --nbest-size 5 --decoder-iterations 2 --out out/run",
    "tune, online loop": "tune --decoder decoder.toml --dev few.en --refs few.es --epochs 2 "
    "--nbest-size 5 --rate 0.1 --accumulate-nbest --out out/run",
    "reproduce": "reproduce run --out out/run",
    "rerank": "rerank list -w weights.txt -o out/best",
    "rerank, sorted": "rerank list -w weights.txt --sorted --nbest-size 3 -o out/sorted.gz",
    "rerank, JSONL": "rerank lists.jsonl -w weights.txt --sorted -o out/sorted.jsonl",
    "weights convert": "weights convert weights.json --to cdec -o out/weights",
    "weights convert, moses.ini": "weights convert weights.moses --ini moses.ini -o out/moses.ini",
    "weights show": "weights show weights.json --by-template --list list",
    "weights convert, JSON": "weights convert moses.ini --to json -o out/weights.json",
    "weights overlap": "weights overlap weights.json weights.txt --to tsv -o out/overlap",
    "weights overlap, words": "weights overlap weights.pt weights.pt --contrast the,house "
    "--contrast-text few.en few.es "
    "--to json -o out/overlap.json",
    "plot": "plot tuning run -o out/plot.svg",
    "plot surface": "plot surface list --refs ref --weights weights.txt --feature good "
    "-o out/surface.svg",
    "plot l1-path": "plot l1-path 0=weights.txt 0.1=weights.json -o out/path.svg",
    "plot weights": "plot weights weights.bins rich.bins.json -o out/weights.svg",
    "run": "run run.toml --out out/run",
}  # fmt: skip


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """The block runs in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def usual_options(words: Sequence[str], threads: int) -> list[str]:
    """Options of all commands, with a number of threads for one that has several."""
    return ["-q", *(["--threads", str(threads)] if has_option(words, "--threads") else [])]


def carry_out(name: str, folder: Path, threads: int, *more: str) -> int:
    """Run a command in a folder of seeds; returns its status. more: options"""
    words = COMMANDS[name].split()
    with working_in(folder):
        Path(OUTPUT).mkdir(exist_ok=True)
        return program.main([*words, *usual_options(words, threads), *more])


def undeclared(name: str, folder: Path) -> list[str]:
    """Files that a command has written and that its options don't name as outputs.

    They would have no lock, and nothing would look before the work whether they can be written.
    """
    words = COMMANDS[name].split()
    with working_in(folder):
        named = {Path(file).resolve() for file, _ in outputs(program.parse(words[0], words[1:])[1])}
        files = [path.resolve() for path in Path(OUTPUT).rglob("*") if path.is_file()]
    return [str(path) for path in files if named.isdisjoint((path, *path.parents))]


def written(folder: Path) -> dict[str, bytes]:
    """What commands have written to a folder of seeds: contents by name.

    The folder is called the same in all of them: a moses.ini names it.
    """
    root = folder / OUTPUT
    return {
        str(path.relative_to(root)): path.read_bytes().replace(bytes(folder), b"FOLDER")
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
