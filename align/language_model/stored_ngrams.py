"""Language models of a model folder: opened when they are first asked for."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

from ..errors import DataError
from .arpa import read_arpa
from .ngrams import NgramModel
from .scoring import LanguageModel

__all__ = ["StoredNgrams"]


@dataclass(frozen=True)
class StoredNgrams(Sequence[NgramModel]):
    """The n-gram models of one side, one ARPA file per domain.

    Reading their text takes seconds where a look at the rest of a model takes milliseconds, and
    KenLM needs no more than the files.

    paths: the files; checksums: CRC-32 of each, as they were when the folder was opened
    order: length of the longest n-grams.

    Raises DataError where a file is gone or has changed since, when it is asked for.
    """

    paths: tuple[Path, ...]
    checksums: tuple[str, ...]
    order: int
    _read: dict[int, NgramModel] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, place: int) -> NgramModel: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[NgramModel, ...]: ...
    def __getitem__(self, place: int | slice) -> NgramModel | tuple[NgramModel, ...]:
        if isinstance(place, slice):
            return tuple(self[number] for number in range(len(self))[place])
        place = range(len(self))[place]
        if place not in self._read:
            self._verify(place)
            self._read[place] = read_arpa(self.paths[place])
        return self._read[place]

    def select(self, places: Sequence[int]) -> "StoredNgrams":
        """Some of them; nothing is read."""
        return StoredNgrams(
            tuple(self.paths[place] for place in places),
            tuple(self.checksums[place] for place in places),
            self.order,
        )

    def load(self, place: int) -> LanguageModel:
        """One of them as KenLM holds it."""
        if self.order == 1:  # KenLM wants bigrams
            return LanguageModel.from_ngrams(self[place])
        self._verify(place)
        return LanguageModel(self.paths[place])

    def _verify(self, place: int) -> None:
        path = self.paths[place]
        try:
            seen = f"{zlib.crc32(path.read_bytes()):08x}"
        except OSError as error:
            seen = error.strerror or str(error)
        if seen != self.checksums[place]:
            raise DataError(
                f"a language model that has changed since the model was opened ({seen})",
                f"checksum {self.checksums[place]}",
                file=path,
                remedy="Open the model again, and don't replace it while it is in use",
            )
