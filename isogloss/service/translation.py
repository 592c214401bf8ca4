"""POST /decode: sentences are translated."""

from isogloss.tune.decoder.derivations import Derivations
from isogloss.tune.decoder.lines import HypothesisLines, link_line
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.decoder.named_weights import MosesGroups
from isogloss.tune.weights.weights import Weights

from .faults import Fault
from .limits import Limits
from .requests import DecodeRequest, parse_request, words_of
from .tasks import Answer
from .work_queue import GoOn

__all__ = ["DecodeTask"]

_WARM = 5  # words of the sentence that a decoder is warmed up with


class DecodeTask:
    """Translations with their scores and alignments, and on request n-best lists and features.

    weights: over the decoder's features; name: of the decoder's file
    groups: names of its dense features where a moses.ini gives them; None = its own
    """

    route = "/decode"

    def __init__(
        self,
        decoder: Decoder,
        weights: Weights,
        name: str,
        groups: MosesGroups | None = None,
        *,
        lowercase: bool = False,
    ) -> None:
        self._decoder, self._weights, self._name = decoder, weights, name
        self._lines = HypothesisLines(decoder, groups)
        self._lowercase = lowercase

    def about(self) -> dict[str, object]:
        """Where the decoder comes from, and how large it is."""
        table = self._decoder.table
        return {
            "decoder": self._name,
            "rules": len(table),
            "language models": len(self._decoder.language_models.tables),
            "features": len(self._decoder.space),
        }

    def warm_up(self) -> None:
        """Translate a few words that the table knows."""
        words = list(self._decoder.table.source.vocabulary.words[1 : _WARM + 1])
        self._record(words, DecodeRequest(nbest_size=2, features=True))

    def answer(self, body: bytes, limits: Limits, go_on: GoOn) -> Answer:
        """Translations of the sentences of a request. Raises Fault for a bad one."""
        request = parse_request(body, DecodeRequest)
        if (request.text is None) == (request.texts is None):
            raise Fault(400, "the request must have exactly one of text and texts", "text or texts")
        limits.check_nbest(request.nbest_size)
        if request.text is not None:
            words = words_of(request.text, "text", limits)
            limits.check_work(len(words), max(request.nbest_size, 1))
            go_on()
            return Answer(self._record(self._cased(words), request), 1)
        assert request.texts is not None
        limits.check_sentences(len(request.texts), "texts")
        sentences = [
            words_of(text, f"texts[{number}]", limits) for number, text in enumerate(request.texts)
        ]
        limits.check_work(sum(map(len, sentences)), max(request.nbest_size, 1))
        records = []
        for words in sentences:
            go_on()
            records.append(self._record(self._cased(words), request))
        return Answer({"translations": records}, len(records))

    def _cased(self, words: list[str]) -> list[str]:
        return [word.lower() for word in words] if self._lowercase else words

    def _record(self, words: list[str], request: DecodeRequest) -> dict[str, object]:
        """The best translation of a sentence, as `isogloss decode` has it, and its n-best list."""
        best = self._decoder.nbest(words, self._weights, max(request.nbest_size, 1))
        record = self._hypothesis(best, 0, request)
        if request.nbest_size:
            record["nbest"] = [
                self._hypothesis(best, number, request) for number in range(len(best))
            ]
        return record

    def _hypothesis(
        self, best: Derivations, number: int, request: DecodeRequest
    ) -> dict[str, object]:
        """One of the translations as JSON will hold it."""
        record: dict[str, object] = {
            "translation": self._decoder.text(best, number),
            "score": float(best.score[number]),
            "alignment": link_line(self._decoder, best, number),
        }
        if request.features:
            record["features"] = {
                name: values[0] if len(values) == 1 else values
                for name, values in self._lines.features(best, number)
            }
        return record
