"""N-best lists: hypotheses of many sentences, with features over one space, read and written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError, check_path
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.outputs import check_unused
from isogloss.align.files.writers import uncompressed_name, write_lines

from ..references import listed_paths
from ..weights.given import GivenWeights
from .lists import Hypothesis, HypothesisLists
from .reader import NBestReader
from .records.fields import GivenFields, given_fields
from .records.originals import Keeping, Originals
from .rows import HypothesisRows
from .stored import NBEST_FORMAT, read_stored, write_stored
from .writer import nbest_lines

__all__ = ["Hypothesis", "NBest", "parse_nbest", "read_nbest"]

_ENDINGS = {".jsonl": "jsonl", ".txt": "moses", ".nbest": "moses"}


@public
@dataclass(frozen=True, eq=False, repr=False)
class NBest(HypothesisLists, metaclass=ExplainedClass):
    """N-best lists: ``lists[0]`` has the hypotheses of the first sentence.

    Use :func:`read_nbest` to read files.

    Parameters
    ----------
    sentence_offsets : ndarray of int64, shape (n_sentences + 1,)
        Hypotheses of each sentence.
    texts : Texts
        The hypotheses as in the list.
    rows : Ragged
        Feature vectors over ``space``; entries of a row in the order of the list.
    space : FeatureSpace
    columns : dict of ndarray of float64, shape (n_hypotheses,)
        Metrics of a JSONL list by name; default: none.
    names : tuple of str, optional
        Ids of the sentences; default: their numbers.
    references : References, optional
        If the list holds them.
    sources : Texts, optional
        Source sentences, if the list holds them.
    places : ndarray of int32, shape (n_hypotheses,), optional
        Position of each hypothesis in its sentence as read, counting duplicates; None if unknown.
    originals : Originals, optional
        Records of JSON as read.

    Raises
    ------
    ValueError
        If there is not one text and one feature vector per hypothesis.

    Examples
    --------
    >>> lists = parse_nbest("0 ||| the house ||| LM0= -4.5 ||| 0", "list")
    >>> len(lists), lists[0]
    (1, [Hypothesis('the house', LM0=-4.5)])
    >>> lists.best({"LM0": 1.0}).tolist()
    [0]
    """

    @classmethod
    def load(cls, path: str | Path) -> "NBest":
        """Read lists that :meth:`save` has written, or any file of :func:`read_nbest`.

        Parameters
        ----------
        path : str or Path
            A stored folder, whose arrays are memory-mapped, or a file of text. Use
            :func:`read_nbest` to merge several files.

        Returns
        -------
        NBest

        Raises
        ------
        ModelError
            If the folder is missing, damaged or of another version.
        DataError
            If the file can't be read.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> path = f"{mkdtemp()}/lists"
        >>> parse_nbest("0 ||| the house ||| LM0= -4.5 ||| 0", "list").save(path)
        >>> NBest.load(path)[0]
        [Hypothesis('the house', LM0=-4.5)]
        """
        listed_paths(path, "n-best lists")
        if NBEST_FORMAT.is_at(path) or Path(path).is_dir():
            return read_stored(cls, path)
        return read_nbest([path], keep_records=True)

    def save(
        self,
        path: str | Path,
        *,
        overwrite: bool | None = None,
        weights: GivenWeights | None = None,
    ) -> None:
        """Write the lists to a folder, or as text.

        Parameters
        ----------
        path : str or Path
            JSONL if the name ends in ``.jsonl``, Moses' format for ``.txt`` and ``.nbest``, each
            also compressed, such as ``.jsonl.gz``; a folder if the name has no ending.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.
        weights : Weights or dict of float, optional
            Text is written best first, with scores under these weights; default: in the order of
            the lists, with scores of 0.

        Raises
        ------
        UsageError
            If the name has another ending.
        ModelError
            If the path exists and may not be replaced.
        DataError
            If Moses' format can't hold a text or name.
        OutputError
            If it can't be written.
        """
        check_path(path)
        lists = self if weights is None else self.rerank(weights)
        form = _form_of(Path(path))
        if not form:
            write_stored(lists, path, overwrite=overwrite)
            return
        check_unused(path, overwrite)
        order = [
            np.arange(rows.start, rows.stop) for rows in map(lists.hypotheses, range(len(self)))
        ]
        scores = np.zeros(len(lists.texts)) if weights is None else lists.scores(weights)
        write_lines(nbest_lines(lists, order, scores, form), path)


def _form_of(path: Path) -> str:
    """The form of lists that a file's name asks for, empty for a folder."""
    name = uncompressed_name(path.name.lower())
    ending = Path(name).suffix
    if not ending and name == path.name.lower():
        return ""
    if ending not in _ENDINGS:
        raise UsageError(
            f"the name of {path} must end in {', '.join(_ENDINGS)}, or one of these compressed, or "
            "have no suffix (a folder); choose another name"
        )
    return _ENDINGS[ending]


@public
def read_nbest(
    paths: str | Path | Sequence[str | Path],
    num_sentences: int = 0,
    fields: GivenFields | None = None,
    *,
    keep_records: bool | Keeping = False,
) -> NBest:
    """Read and merge n-best lists of any format, recognized by content.

    Hypotheses are grouped by sentence, those of a sentence in the order in which they were read;
    repeated ones (same text, same features) are kept once. docs/reference/file-formats.md lists the
    formats, docs/reference/errors.md which problems are errors and which are warnings.

    Parameters
    ----------
    paths : str, Path or list of them
        Files of Moses, cdec or fairseq, or of JSONL.
    num_sentences : int, default 0
        Sentence ids are below this number; 0 accepts any.
    fields : RecordFields or dict, optional
        Names of the keys ``id``, ``src``, ``refs``, ``hyps``, ``text``, ``features`` and
        ``metrics`` in JSONL of another program, such as
        ``{"text": "translation", "features": ["lm", "tm"]}``; ``a.b`` is the key b below a. With a
        dict, metrics that no record has are left out. ``per_item`` is the number of lines or
        records per sentence in lists without ids.
    keep_records : bool, default False
        Keep the original JSON records, so that all keys are written back.

    Returns
    -------
    NBest

    Raises
    ------
    DataError
        If a file can't be read; the message has file and line. Unsorted ids, sentences without
        hypotheses and missing dense features are warnings (DataWarning).
    UsageError
        If there is no such key.
    WrongTypeError
        If ``paths`` are not paths, or ``fields`` no names.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "list.txt"
    >>> _ = path.write_text("0 ||| the house ||| LM0= -4.5 ||| 0\\n")
    >>> read_nbest(path)[0]
    [Hypothesis('the house', LM0=-4.5)]
    """
    files = listed_paths(paths, "files of n-best lists")
    keeping = Keeping.of(keep_records)
    reader = NBestReader(num_sentences, given_fields(fields), keeping=keeping)
    return _merged(reader, files)


def parse_nbest(text: str, name: str) -> NBest:
    """Parse n-best lists from a string, in any format of :func:`read_nbest`.

    Records of JSON are kept as they are.

    Parameters
    ----------
    text : str
    name : str
        Shown as the file name in messages.

    Returns
    -------
    NBest

    Raises
    ------
    DataError
        As :func:`read_nbest` does.
    """
    block = text.replace("\r\n", "\n").removesuffix("\n")
    blocks = [block.encode()] if block else []
    reader = NBestReader(blocks=lambda name, longest: iter(blocks), keeping=Keeping(True))
    return _merged(reader, [name])


def _merged(reader: NBestReader, paths: Sequence[str | Path]) -> NBest:
    parts = list(reader.blocks(paths))
    facts = reader.facts()
    rows = HypothesisRows.joined(parts)
    rows = replace(rows, sentences=facts.sentences(rows.sentences))
    del parts
    kept, places = rows.distinct(np.arange(len(rows)), keep_repeats=reader.keeping.repeats)
    counts = np.bincount(rows.sentences[kept], minlength=facts.num_sentences)
    features = rows.rows.select(kept)
    columns = rows.columns[kept]
    return NBest(
        offsets_of(counts),
        rows.texts.select(kept),
        Ragged(facts.ids[features.ids], features.values, features.offsets),
        facts.space,
        {name: columns[:, k].copy() for k, name in enumerate(facts.columns)},
        facts.names,
        facts.references,
        facts.sources,
        places.astype(np.int32),
        None
        if facts.frames is None
        else Originals(rows.originals.select(kept), facts.frames, facts.score),
    )
