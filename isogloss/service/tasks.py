"""What the service can be asked to do, each with a model in memory."""

from typing import NamedTuple, Protocol

from .limits import Limits
from .work_queue import GoOn

__all__ = ["Answer", "Task"]


class Answer(NamedTuple):
    """What is answered, as JSON will hold it, and of how many sentences or pairs."""

    value: dict[str, object]
    sentences: int


class Task(Protocol):
    """Answers requests of one route, on several threads at once.

    route: its path
    """

    route: str

    def about(self) -> dict[str, object]:
        """What is told of its model."""

    def warm_up(self) -> None:
        """Do a little of everything, so that all is loaded and compiled before requests come."""

    def answer(self, body: bytes, limits: Limits, go_on: GoOn) -> Answer:
        """The answer to a request. go_on: called from sentence to sentence

        Raises Fault for a bad request, and errors of the library.
        """
