"""POST /align: pairs are aligned with a model."""

from collections.abc import Sequence

from isogloss.align.links.aligned_pair import AlignedPair
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import MODEL_HEURISTICS
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

from .faults import Fault
from .limits import Limits
from .requests import AlignRequest, parse_request, words_of
from .tasks import Answer
from .work_queue import GoOn

__all__ = ["AlignTask"]

_BLOCK = 16  # pairs that are aligned at a time
_DIGITS = 6  # of probabilities
_WARM = 5  # words of the pair that a model is warmed up with

Words = tuple[Sequence[str], Sequence[str]]


class AlignTask:
    """Links of pairs, with their words and probabilities, and the domains of each pair.

    name: of the model's folder
    """

    route = "/align"

    def __init__(self, model: AlignmentModel, name: str) -> None:
        self._model, self._name = model, name

    def about(self) -> dict[str, object]:
        """The model, its domains, and how many words it knows."""
        words = self._model.source_vocabulary, self._model.target_vocabulary
        return {
            "model": self._name,
            "domains": list(self._model.domains),
            "words": [len(vocabulary) - 1 for vocabulary in words],
        }

    def warm_up(self) -> None:
        """Align a pair in every way that there is."""
        sides = self._model.source_vocabulary, self._model.target_vocabulary
        first, second = (vocabulary.words[1 : _WARM + 1] for vocabulary in sides)
        for heuristic in (None, *MODEL_HEURISTICS):
            self._aligned([(first, second)], heuristic)

    def answer(self, body: bytes, limits: Limits, go_on: GoOn) -> Answer:
        """Links of the pairs of a request. Raises Fault for a bad one."""
        request = parse_request(body, AlignRequest)
        if request.heuristic not in (None, *MODEL_HEURISTICS):
            raise Fault(
                400, f"heuristic is {str(request.heuristic)[:60]!r}",
                f"one of {', '.join(MODEL_HEURISTICS)}",
            )  # fmt: skip
        pairs = _pairs(request, limits)
        records: list[object] = []
        for begin in range(0, len(pairs), _BLOCK):
            go_on()
            aligned = self._aligned(pairs[begin : begin + _BLOCK], request.heuristic)
            records += map(_record, aligned)
        if request.pairs is None:
            return Answer(records[0], 1)  # type: ignore[arg-type]
        return Answer({"alignments": records}, len(records))

    def _aligned(self, pairs: Sequence[Words], heuristic: str | None) -> list[AlignedPair]:
        """The pairs with their links, as `isogloss apply` finds them."""
        model = self._model
        sides = (Corpus.from_sentences([pair[side] for pair in pairs]) for side in (0, 1))
        text = Bitext.unlabeled(*sides)
        bitext = model.encode(text)
        posterior = model.domain_posteriors(bitext)
        links = model.align(bitext, heuristic=heuristic, posterior=posterior)
        links = model.with_identical_words(links, text, heuristic)
        if links.probability is None and model.options.hmm_iterations:
            links = model.with_confidence(bitext, links, posterior=posterior)
        return [
            AlignedPair.of(
                tuple(source),
                tuple(target),
                links.part(number, 1),
                dict(zip(model.domains, posterior[number].tolist(), strict=True)),
            )
            for number, (source, target) in enumerate(pairs)
        ]


def _pairs(request: AlignRequest, limits: Limits) -> list[Words]:
    """The words of all pairs. Raises Fault for too many, and where there is no pair, or two."""
    sides = request.source, request.target
    if (request.pairs is None) == (sides == (None, None)) or (sides[0] is None) != (
        sides[1] is None
    ):
        raise Fault(
            400,
            "the request must have either source and target, or pairs",
            "source and target, or pairs",
        )
    if request.pairs is None:
        assert sides[0] is not None and sides[1] is not None
        return [(words_of(sides[0], "source", limits), words_of(sides[1], "target", limits))]
    limits.check_sentences(len(request.pairs), "pairs")
    return [
        (
            words_of(source, f"pairs[{number}][0]", limits),
            words_of(target, f"pairs[{number}][1]", limits),
        )
        for number, (source, target) in enumerate(request.pairs)
    ]


def _record(pair: AlignedPair) -> dict[str, object]:
    """A pair as JSON will hold it."""
    return {
        "links": str(pair),
        "words": [
            {
                "source": link.source,
                "target": link.target,
                "positions": [link.source_position, link.target_position],
                "probability": None if link.probability is None else round(link.probability, 6),
            }
            for link in pair
        ],
        "domains": {name: round(share, _DIGITS) for name, share in pair.domains.items()},
    }
