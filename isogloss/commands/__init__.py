"""The commands of the program, each in a module of its own; this table says which."""

from typing import NamedTuple

__all__ = ["COMMANDS", "Entry"]


class Entry(NamedTuple):
    """Where a command stands, below this package, and what it does."""

    module: str
    line: str


COMMANDS: dict[str, Entry] = {
    "demo": Entry("pipeline.demo", "run the whole pipeline on the bundled data"),
    "run": Entry("pipeline.run", "run the whole pipeline on the files of a configuration"),
    "doctor": Entry(
        "bitexts.doctor", "look for what may go wrong with a bitext, before aligning it"
    ),
    "align": Entry("bitexts.align", "learn word alignment from a bitext and align it"),
    "apply": Entry("bitexts.apply", "align other text with a learned model"),
    "symmetrize": Entry("links.symmetrize", "combine the links of two directions"),
    "evaluate": Entry("links.evaluate", "precision, recall, F1 and AER against gold links"),
    "check": Entry("links.check", "check links against their text, or a model folder for damage"),
    "retokenize": Entry("links.retokenize", "carry links over to subwords, characters or words"),
    "lexicon": Entry("models.lexicon", "write lexical translation probabilities"),
    "priors": Entry("models.priors", "count eflomal priors on a text and its links"),
    "domains": Entry("models.domains", "say which domain each pair is of, or what differs"),
    "lm": Entry("models.lm", "estimate a Kneser-Ney language model"),
    "classes": Entry("models.classes", "learn word classes from a text, in the form of mkcls"),
    "extract": Entry("tables.extract", "extract and score phrase pairs"),
    "features": Entry("tables.features", "add features to a phrase table"),
    "prune": Entry("tables.prune", "drop rules by significance, rank, score or count"),
    "decode": Entry("translations.decode", "translate text"),
    "score": Entry("translations.score", "score translations against references"),
    "compare": Entry("translations.compare", "say whether systems differ by more than chance"),
    "tune": Entry(
        "tuning.tune", "learn weights from n-best lists, or with the decoder in the loop"
    ),
    "rerun": Entry("tuning.rerun", "repeat a tuning run from its folder, byte for byte"),
    "rerank": Entry("tuning.rerank", "pick the best hypotheses of n-best lists"),
    "weights": Entry("weights.weights", "convert weights between programs, or look at them"),
    "overlap": Entry("weights.overlap", "active features that sets of weights have in common"),
    "plot": Entry("weights.plot", "draw weights, tuning runs, the metric along a direction"),
}
