"""Files of references held against the hypotheses that they are for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isogloss.align.errors import DataError
from isogloss.tune.nbest.sentence_ids import whole_numbers
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References, reference_lines, warn_of_blank
from isogloss.tune.utterance_ids import UtteranceIds, joined_lines, utterance_ids

__all__ = ["ReferenceFiles"]


@dataclass(frozen=True)
class ReferenceFiles:
    """Files of references as they were read.

    sides: the lines of each; ids: of utterances that these seem to have
    """

    paths: tuple[str, ...]
    sides: tuple[list[str], ...]
    ids: tuple[UtteranceIds | None, ...]

    @classmethod
    def read(cls, paths: Sequence[str]) -> "ReferenceFiles":
        """Read files. Raises as :func:`isogloss.tune.references.read_references`."""
        sides = reference_lines(paths)
        ids = [utterance_ids(side, path) for side, path in zip(sides, paths, strict=True)]
        return cls(tuple(paths), tuple(sides), tuple(ids))

    @property
    def num_sentences(self) -> int:
        """How many sentences lists must have; 0 where ids tell which ones."""
        return 0 if any(self.ids) else len(self.sides[0])

    def of(
        self, lists: Sequence[NBest], say: Callable[[str], None] = lambda message: None
    ) -> References:
        """The references of the sentences of lists, in their order.

        Lines that have the names of sentences as ids are joined by these, which is said; others
        are of the sentences in order. Warns (DataWarning) of blank references, and where ids may be
        words.

        Raises DataError for ids that no hypothesis has as a word, and for those of which some are
        names of sentences.
        """
        names = _names(lists)
        joined = [joined_lines(side, names) for side in self.sides]
        sides = [lines for lines in joined if lines is not None]
        if len(sides) == len(joined):
            say(
                f"{', '.join(self.paths)}: the utterance ids are the names in the n-best list; "
                "references are matched to sentences by id, and the ids are removed"
            )
        else:
            for ids in filter(None, self.ids):
                _check_names(ids, names)
                if not any(ids.are_in(one.texts) for one in lists):
                    raise ids.error()
                ids.warn()
            sides = list(self.sides)
        references = References.from_texts(list(zip(*sides, strict=True)))
        warn_of_blank(references, ", ".join(self.paths))
        return references


def _names(lists: Sequence[NBest]) -> tuple[str, ...]:
    """Names of the sentences of all lists; none where they differ, or are numbers."""
    names = {one.names for one in lists}
    (first,) = names if len(names) == 1 else [None]
    return () if first is None or (whole_numbers(first) >= 0).all() else first


def _check_names(ids: UtteranceIds, names: Sequence[str]) -> None:
    """Raise DataError where some ids are names of sentences, but not all, or not of all."""
    given, known = set(ids.names), set(names)
    if given.isdisjoint(known):
        return
    lacking = next((name for name in names if name not in given), None)
    if lacking is not None:
        raise DataError(
            f"the file has no line for the sentence {lacking!r} of the n-best list", file=ids.path,
            remedy="Add a line that begins with this id, or remove the sentence from the list",
        )  # fmt: skip
    line, name = next((k, name) for k, name in enumerate(ids.names, 1) if name not in known)
    raise DataError(
        f"the n-best list has no sentence {name!r}", file=ids.path, line=line,
        remedy="Add its hypotheses to the list, or remove the line",
    )  # fmt: skip
