"""What a request may ask for, and what becomes of one that asks for more."""

from dataclasses import dataclass

from isogloss.align.errors import pluralize

from .faults import Fault

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of requests.

    max_body: bytes; max_sentences, max_words: sentences or pairs of a request, words of a sentence
    max_nbest: translations of a sentence
    max_work: words of a request times the translations of each sentence; max_answer: bytes
    queue: requests that wait while all threads are busy
    timeout: seconds from its beginning after which a request gets no answer any more
    """

    max_body: int = 1 << 20
    max_sentences: int = 100
    max_words: int = 200
    max_nbest: int = 100
    max_work: int = 200_000
    max_answer: int = 1 << 24
    queue: int = 100
    timeout: float = 30.0

    def check_sentences(self, count: int, field: str) -> None:
        """Raise Fault for more sentences than a request may have. field: where they stand"""
        if count > self.max_sentences:
            raise Fault(
                413, f"{field} has {pluralize(count, 'entry')}", f"at most {self.max_sentences}",
                "Send them in several requests",
            )  # fmt: skip

    def check_words(self, count: int, field: str) -> None:
        """Raise Fault for more words than a sentence may have. field: where it stands"""
        if count > self.max_words:
            raise Fault(
                413, f"{field} has {pluralize(count, 'word')}", f"at most {self.max_words}",
                "Split the sentence",
            )  # fmt: skip

    def check_nbest(self, count: int) -> None:
        """Raise Fault for more translations of a sentence than may be asked for."""
        if count > self.max_nbest:
            raise Fault(
                413,
                f"nbest_size is {count}",
                f"at most {self.max_nbest}",
                "Request fewer translations",
            )

    def check_work(self, words: int, translations: int) -> None:
        """Raise Fault for more translations of all words of a request than may be asked for."""
        if words * translations > self.max_work:
            raise Fault(
                413,
                    f"the request has {pluralize(words, 'word')} and asks for "
                    f"{pluralize(translations, 'translation')} per sentence"
                ,
                f"a product of at most {self.max_work}",
                "Send fewer sentences at once, or request fewer translations",
            )  # fmt: skip

    def check_answer(self, size: int) -> None:
        """Raise Fault for an answer that is too long."""
        if size > self.max_answer:
            raise Fault(
                413, f"the answer has {pluralize(size, 'byte')}", f"at most {self.max_answer}",
                "Send fewer sentences at once, or request fewer translations",
            )  # fmt: skip
