"""What a request may ask for, and what becomes of one that asks for more."""

from dataclasses import dataclass

from .faults import Fault

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of requests.

    max_body: bytes; max_sentences, max_words: sentences or pairs of a request, words of a sentence
    max_nbest: translations of a sentence
    queue: requests that wait while all threads are busy
    timeout: seconds from its beginning after which a request gets no answer any more
    """

    max_body: int = 1 << 20
    max_sentences: int = 100
    max_words: int = 200
    max_nbest: int = 100
    queue: int = 100
    timeout: float = 30.0

    def check_sentences(self, count: int, field: str) -> None:
        """Raise Fault for more sentences than a request may have. field: where they stand"""
        if count > self.max_sentences:
            raise Fault(
                413, f"{field} of {count} entries", f"at most {self.max_sentences}",
                "Send them in several requests",
            )  # fmt: skip

    def check_words(self, count: int, field: str) -> None:
        """Raise Fault for more words than a sentence may have. field: where it stands"""
        if count > self.max_words:
            raise Fault(
                413, f"{field} of {count} words", f"at most {self.max_words}", "Split the sentence"
            )

    def check_nbest(self, count: int) -> None:
        """Raise Fault for more translations of a sentence than may be asked for."""
        if count > self.max_nbest:
            raise Fault(413, f"nbest = {count}", f"at most {self.max_nbest}", "Ask for fewer")
