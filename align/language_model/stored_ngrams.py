"""Language models in a folder, an ARPA file each: opened when they are first asked for."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError
from ..files.checksums import checksum
from .arpa import read_arpa, write_arpa
from .made_when_asked import NgramsWhenAsked
from .ngrams import NgramModel
from .scoring import LanguageModel

__all__ = ["StoredNgrams", "arpa_files", "write_ngrams"]


def arpa_files(folder: Path, side: str, num_domains: int) -> list[Path]:
    """The files of the language models of a side, one per domain."""
    return [folder / f"{side}.{domain}.arpa" for domain in range(num_domains)]


def write_ngrams(models: Sequence[NgramModel], folder: Path, side: str) -> None:
    """Write the language models of a side. Raises OutputError where they can't be written."""
    for model, path in zip(models, arpa_files(folder, side, len(models)), strict=True):
        write_arpa(model, path)


class StoredNgrams(NgramsWhenAsked):
    """The n-gram models of one side, one ARPA file per domain.

    Reading their text takes seconds where a look at the rest of a model takes milliseconds, and
    KenLM needs no more than the files.

    paths: the files; checksums: CRC-32 of each, as they were when the folder was opened
    order: length of the longest n-grams.

    Raises DataError where a file is gone or has changed since, when it is asked for.
    """

    def __init__(self, paths: tuple[Path, ...], checksums: tuple[str, ...], order: int) -> None:
        super().__init__()
        self.paths, self.checksums, self.order = paths, checksums, order

    def __len__(self) -> int:
        return len(self.paths)

    def make(self, number: int) -> NgramModel:
        """The model of a domain, read from its file."""
        self._verify(number)
        return read_arpa(self.paths[number])

    def select(self, domains: Sequence[int]) -> "StoredNgrams":
        """The models of the given domains, in that order; nothing is read."""
        return StoredNgrams(
            tuple(self.paths[domain] for domain in domains),
            tuple(self.checksums[domain] for domain in domains),
            self.order,
        )

    def load(self, domain: int) -> LanguageModel:
        """The model of a domain as KenLM holds it."""
        if self.order == 1:  # KenLM wants bigrams
            return LanguageModel.from_ngrams(self[domain])
        self._verify(domain)
        return LanguageModel(self.paths[domain])

    def _verify(self, domain: int) -> None:
        path = self.paths[domain]
        try:
            seen = checksum(path)
        except OSError as error:
            seen = error.strerror or str(error)
        if seen != self.checksums[domain]:
            raise DataError(
                f"a language model that has changed since the model was opened ({seen})",
                f"checksum {self.checksums[domain]}",
                file=path,
                remedy="Open the model again, and don't replace it while it is in use",
            )
