"""POST /rerank: hypotheses of n-best lists, best first."""

import json
from typing import Any

import numpy as np

from isogloss.align.errors import DataError
from isogloss.tune.nbest.sentence_ids import NumberId
from isogloss.tune.nbest.types import NBest, parse_nbest
from isogloss.tune.weights.weights import Weights

from ..runs.list_weights import weight_faults
from .faults import Fault
from .limits import Limits
from .requests import RerankRequest, check_text, parse_request
from .tasks import Answer
from .work_queue import GoOn

__all__ = ["RerankTask"]


class RerankTask:
    """Hypotheses by the scores that weights give them.

    name: of the file of the weights
    """

    route = "/rerank"

    def __init__(self, weights: Weights, name: str) -> None:
        self._weights, self._name = weights, name

    def about(self) -> dict[str, object]:
        """The file of the weights, and how many there are."""
        return {"weights": self._name, "features": len(self._weights)}

    def warm_up(self) -> None:
        """Rerank a list of two, and read one in the other form."""
        name = next(iter(self._weights), "LM0")
        hypotheses = [{"text": "a", "features": {name: value}} for value in (1.0, 2.0)]
        record = json.dumps({"id": 0, "hyps": hypotheses})
        self._sentences(parse_nbest(record, "a list"), None)
        parse_nbest("0 ||| a ||| LM0= 1 PT_a_b= 2 ||| 1", "a list")

    def answer(self, body: bytes, limits: Limits, go_on: GoOn) -> Answer:
        """The lists of a request, each best first. Raises Fault for a bad one."""
        request = parse_request(body, RerankRequest)
        lists = parse_nbest(_text(request.nbest), "nbest")
        if not len(lists):
            raise Fault(400, "the list has no hypothesis", "an n-best list")
        limits.check_sentences(int(np.count_nonzero(np.diff(lists.sentence_offsets))), "nbest")
        go_on()
        try:
            faults = weight_faults(lists, self._weights, self._name)
        except DataError as error:
            raise Fault(
                400, f"the weights do not match the list: {error.seen}",
                error.expected, "Send lists of the system that the weights were tuned for",
            ) from None  # fmt: skip
        sentences = self._sentences(lists, request.nbest_size)
        answer: dict[str, object] = {"sentences": sentences}
        if faults:
            answer["warnings"] = faults
        return Answer(answer, len(sentences))

    def _sentences(self, lists: NBest, size: int | None) -> list[dict[str, object]]:
        """The hypotheses of each sentence that has any, as `isogloss rerank --sorted` has them."""
        scores = lists.rows.scores(self._weights.to_space(lists.space).values)
        names = lists.names or range(len(lists))
        return [
            {
                "id": json.loads(name) if isinstance(name, NumberId) else name,
                "hypotheses": [
                    {"text": lists.texts[row], "score": float(scores[row])} for row in rows.tolist()
                ],
            }
            for name, rows in zip(names, lists.ranked(scores, size or 0), strict=True)
            if len(rows)
        ]


def _text(nbest: str | list[str | dict[str, Any]]) -> str:
    """The lists as the lines of a file."""
    lines = [nbest] if isinstance(nbest, str) else nbest
    for number, line in enumerate(lines):
        if isinstance(line, str):
            check_text(line, f"nbest[{number}]")
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
