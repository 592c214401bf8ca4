"""What a request is refused for, and the answer that says so."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from isogloss.align.errors import DataError, ModelError, UsageError

__all__ = ["Fault", "fault_of"]


@dataclass(eq=False)
class Fault(Exception):
    """A request that is refused.

    status: of HTTP; seen, expected, remedy: as in DataError; headers: of the answer
    """

    status: int
    seen: str
    expected: str = ""
    remedy: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def record(self) -> dict[str, str]:
        """What the answer says: ``error``, and ``expected`` and ``remedy`` where there are any."""
        told = {"error": self.seen, "expected": self.expected, "remedy": self.remedy}
        return {name: text for name, text in told.items() if text}


def fault_of(error: Exception) -> Fault | None:
    """The fault of an error of the library; None for one that nobody expects."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, DataError):
        place = "" if error.line is None else f"line {error.line}: "
        return Fault(400, place + error.seen, error.expected, error.remedy)
    if isinstance(error, UsageError):
        seen, _, expected = str(error).partition("; expected ")
        return Fault(400, seen, expected)
    if isinstance(error, MemoryError):
        return Fault(
            413, "the text needs more memory than available", remedy="Send shorter sentences"
        )
    if isinstance(error, ModelError):
        return Fault(500, str(error), remedy="Contact the operator of the service")
    return None
