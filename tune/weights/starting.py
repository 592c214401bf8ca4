"""The decoder's own features by name, and the weights that Moses starts tuning from."""

from .weights import Weights

__all__ = [
    "CONTEXT_FEATURES",
    "DEFAULT_WEIGHTS",
    "DISTORTION",
    "FIXED_FEATURES",
    "LANGUAGE_MODEL",
    "LANGUAGE_MODEL_WEIGHT",
    "ORIENTATION_WEIGHT",
    "PHRASE_PENALTY",
    "UNKNOWN_WORD",
    "UNKNOWN_WORD_PENALTY",
    "WORD_PENALTY",
]

LANGUAGE_MODEL, DISTORTION = "LM", "Distortion0"  # LM0, LM1 ...
WORD_PENALTY, PHRASE_PENALTY = "WordPenalty0", "PhrasePenalty0"
UNKNOWN_WORD_PENALTY = "UnknownWordPenalty0"
# the features that every system has behind its language models, in the kernels' order
CONTEXT_FEATURES = (DISTORTION, WORD_PENALTY, PHRASE_PENALTY, UNKNOWN_WORD_PENALTY)
# an unknown word costs the same in every translation of a sentence: nothing to learn
FIXED_FEATURES = (UNKNOWN_WORD_PENALTY,)
UNKNOWN_WORD = -100.0  # as in Moses
LANGUAGE_MODEL_WEIGHT = 0.5  # of each of them
ORIENTATION_WEIGHT = 0.3  # of each feature of a reordering model, Moses' starting point
# Moses' starting point
DEFAULT_WEIGHTS = Weights.from_dict(
    {
        f"{LANGUAGE_MODEL}0": LANGUAGE_MODEL_WEIGHT,
        DISTORTION: 0.3,
        WORD_PENALTY: -1.0,
        PHRASE_PENALTY: 0.2,
        UNKNOWN_WORD_PENALTY: 1.0,
        "p(f|e)": 0.2,
        "lex(f|e)": 0.2,
        "p(e|f)": 0.2,
        "lex(e|f)": 0.2,
    }
)
