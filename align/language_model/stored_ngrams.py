"""Language models in a folder, an ARPA file each: opened when they are first asked for."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import DataError
from ..files.checksums import checksum
from ..files.held_file import HeldFile
from .lazy import NgramsWhenAsked
from .ngrams import NgramModel
from .scoring import LanguageModel

__all__ = ["StoredNgrams", "arpa_files", "write_ngrams"]


def arpa_files(folder: Path, side: str, num_domains: int) -> list[Path]:
    """The files of the language models of a side, one per domain."""
    return [folder / f"{side}.{domain}.arpa" for domain in range(num_domains)]


def write_ngrams(models: Sequence[NgramModel], folder: Path, side: str) -> None:
    """Write the language models of a side. Raises OutputError where they can't be written."""
    for model, path in zip(models, arpa_files(folder, side, len(models)), strict=True):
        model.save(path)


class StoredNgrams(NgramsWhenAsked):
    """The n-gram models of one side, one ARPA file per domain.

    Reading their text takes seconds where a look at the rest of a model takes milliseconds, and
    KenLM needs no more than the files.

    files: held, so that they can be read when their folder has been replaced
    checksums: CRC-32 of each, as they were when the folder was opened
    order: length of the longest n-grams.

    Raises DataError where a file has changed since, when it is asked for.
    """

    def __init__(self, files: tuple[HeldFile, ...], checksums: tuple[str, ...], order: int) -> None:
        super().__init__()
        self.files, self.checksums, self.order = files, checksums, order

    def __len__(self) -> int:
        return len(self.files)

    def make(self, number: int) -> NgramModel:
        """The model of a domain, read from its file."""
        self._verify(number)
        return NgramModel.load(self.files[number].readable)

    def select(self, domains: Sequence[int]) -> "StoredNgrams":
        """The models of the given domains, in that order; nothing is read."""
        return StoredNgrams(
            tuple(self.files[domain] for domain in domains),
            tuple(self.checksums[domain] for domain in domains),
            self.order,
        )

    def load(self, domain: int) -> LanguageModel:
        """The model of a domain as KenLM holds it. Raises UsageError if KenLM cannot be loaded."""
        if self.order == 1:  # KenLM wants bigrams
            return LanguageModel.from_ngrams(self[domain])
        self._verify(domain)
        return LanguageModel(self.files[domain].readable)

    def _verify(self, domain: int) -> None:
        file = self.files[domain]
        try:
            seen = checksum(file.readable)
        except OSError as error:
            seen = error.strerror or str(error)
        if seen != self.checksums[domain]:
            raise DataError(
                f"the language model has changed since the model was opened ({seen})",
                f"checksum {self.checksums[domain]}",
                file=file.path,
                remedy="Open the model again, and do not write to its files while it is in use",
            )
