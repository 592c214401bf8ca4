"""Options of extraction."""

from dataclasses import dataclass

from isogloss.align.errors import OptionError, UsageError, check_argument
from isogloss.align.execution.calls import ExplainedClass, public

from .count_features import CountBins
from .domain_scores import LabelFeature
from .kernels.phrase_pairs import STRIDE
from .reordering import ReorderingModel
from .smoothing import Smoothing, parse_smoothing

__all__ = ["DENSE_FEATURES", "LEAST_MEMORY", "MAX_COUNTS", "ExtractionOptions"]

# with the four scores, the eight of the model ADAGRAD_PRO, and a decoder's distance, language
# model, word and phrase penalties and unknown words the dense features of Green et al. (2013)
DENSE_FEATURES = ("RuleCount", "UniqueRule")
LEAST_MEMORY = 1 << 20
MAX_COUNTS = 1e12  # that are added to those of a text


@public
@dataclass(frozen=True)
class ExtractionOptions(metaclass=ExplainedClass):
    """Options of :func:`extract`.

    Parameters
    ----------
    max_phrase_length : int, default 7
        Maximum number of words of a phrase, 1 to 8.
    smoothing : Smoothing, default Smoothing.NONE
        How p(f|e) and p(e|f) are estimated, or its name.
    reordering : tuple of ReorderingModel, optional
        Lexicalized reordering models to estimate.
    reordering_smoothing : float, default 0.5
        Pseudo-count added to each count of an orientation.
    proportional_smoothing : bool, default False
        Distribute the pseudo-counts as the orientations of the whole table.
    moses_orientations : bool, default True
        Determine orientations as Moses does; False: as Galley and Manning (2008) define them.
    count_features : tuple of str, optional
        Count features to add as scores.
    count_bins, sparse_count_bins : CountBins, optional
        Limits of indicators of low counts, as scores and as sparse features.
    label_features : tuple of LabelFeature, optional
        Features of the domain labels of sentences.
    domain_smoothing : float, default 1.0
        Pseudo-counts that smooth the scores of a domain towards those of all domains.
    moses_precision : bool, default True
        Round lexical probabilities to seven decimals, and scores to single precision, as Moses
        does.
    max_memory : int, default 128 MiB
        Bytes for phrase pairs; more are counted in several passes.

    Raises
    ------
    UsageError
        If a value is out of range.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.ExtractionOptions(max_phrase_length=5).max_phrase_length
    5
    """

    max_phrase_length: int = 7
    smoothing: Smoothing = Smoothing.NONE
    reordering: tuple[ReorderingModel, ...] = ()
    reordering_smoothing: float = 0.5
    proportional_smoothing: bool = False
    moses_orientations: bool = True
    count_features: tuple[str, ...] = ()
    count_bins: CountBins | None = None
    sparse_count_bins: CountBins | None = None
    label_features: tuple[LabelFeature, ...] = ()
    domain_smoothing: float = 1.0
    moses_precision: bool = True
    max_memory: int = 128 << 20

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothing", parse_smoothing(self.smoothing))
        check_argument(self.max_phrase_length, int, "max_phrase_length", "an integer")
        if not 1 <= self.max_phrase_length <= STRIDE:
            expected = f"between 1 and {STRIDE}"
            raise OptionError("max_phrase_length", expected, self.max_phrase_length)
        if self.max_memory < LEAST_MEMORY:
            raise OptionError("max_memory", f"at least {LEAST_MEMORY} bytes", self.max_memory)
        if not 0.0 < self.domain_smoothing <= MAX_COUNTS:
            expected = "above 0 and at most 1e12"
            raise OptionError("domain_smoothing", expected, self.domain_smoothing)
        if not 0.0 <= self.reordering_smoothing <= MAX_COUNTS:
            expected = "between 0 (none) and 1e12"
            raise OptionError("reordering_smoothing", expected, self.reordering_smoothing)
        if len(set(self.label_features)) != len(self.label_features):
            raise UsageError(f"label features must be unique, got {', '.join(self.label_features)}")
