"""n-gram language models: estimated here, stored as ARPA text, queried through KenLM."""

import lzma
import math
import re
import tempfile
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise, repeat, zip_longest
from pathlib import Path
from typing import BinaryIO

import kenlm
import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, DataWarning, UsageError
from ..files.writers import atomic_file
from ..text.corpus import Corpus
from ..text.readers import open_binary

__all__ = [
    "LanguageModel",
    "NgramModel",
    "estimate",
    "query_lines",
    "read_arpa",
    "write_arpa",
]

UNKNOWN, BEGIN, END = 0, 1, 2  # ids of the markers
MARKERS = ("<unk>", "<s>", "</s>")
MAXIMUM_ORDER = 6  # the highest that KenLM is built for
FALLBACK_DISCOUNTS = (0.0, 0.5, 1.0, 1.5)  # for adjusted counts 0, 1, 2, 3 and more
_RESERVED = frozenset({*MARKERS, "<UNK>"})  # KenLM reads <UNK> as <unk>
_WORD = re.compile("[^\t\n\v\f\r ]+")  # KenLM's Python module splits at ASCII blanks only
_BLOCK = 1 << 10  # ARPA lines handled at a time; few, so that they stay in the cache
_LN_10 = math.log(10.0)


@dataclass(frozen=True, eq=False)
class NgramModel:
    """A backoff model: the content of an ARPA file as columns.

    order: length of the longest n-grams, at least 1.
    words: word types by id; 0 = ``<unk>``, 1 = ``<s>``, 2 = ``</s>``.
    ngrams: per order k int32[n_k, k], word ids, oldest first.
    log_probability: per order k float32[n_k], log10 p(last word | words before it).
    log_backoff: per order k float32[n_k], log10 of the weight given to shorter histories once this
        n-gram is the history; 0 where there is none, and throughout the highest order.

    Raises ValueError where the arrays do not fit together, or a word could not stand in an ARPA
    file (empty, blank or NUL inside, or twice).
    """

    order: int
    words: tuple[str, ...]
    ngrams: tuple[NDArray[np.int32], ...]
    log_probability: tuple[NDArray[np.float32], ...]
    log_backoff: tuple[NDArray[np.float32], ...]

    def __post_init__(self) -> None:
        columns = (self.ngrams, self.log_probability, self.log_backoff)
        if self.order < 1 or any(len(column) != self.order for column in columns):
            raise ValueError("an n-gram model has one entry per order")
        if self.words[:3] != MARKERS or len(set(self.words)) != len(self.words):
            raise ValueError("words are unique and start with <unk>, <s>, </s>")
        if not all(map(_is_plain, self.words[3:])):
            raise ValueError("words have no blank or NUL inside and differ from the markers")
        for k, (rows, *values) in enumerate(zip(*columns, strict=True), start=1):
            if rows.shape != (len(rows), k) or any(v.shape != rows.shape[:1] for v in values):
                raise ValueError(f"the columns of the {k}-grams differ in length")
            if rows.size and not 0 <= rows.min() <= rows.max() < len(self.words):
                raise ValueError(f"a word id among the {k}-grams is out of range")
        if self.log_backoff[-1].any():
            raise ValueError("n-grams of the highest order have no backoff weight")
        for array in chain(*columns):
            array.flags.writeable = False


def _is_plain(word: str) -> bool:
    """Whether ``word`` can stand in an ARPA file as an ordinary word that KenLM finds again."""
    return word not in _RESERVED and "\0" not in word and _WORD.fullmatch(word) is not None


@dataclass(frozen=True)
class _Level:
    """The n-grams of one order k, sorted by their word ids.

    ngrams: int32[n_k, k].
    prefix, suffix: int32[n_k], rows of order k - 1: the n-gram without its last or first word.
    counts: int32[n_k], raw counts.
    """

    ngrams: NDArray[np.int32]
    prefix: NDArray[np.int32]
    suffix: NDArray[np.int32]
    counts: NDArray[np.int32]


def estimate(corpus: Corpus, order: int = 3, *, vocabulary_size: int | None = None) -> NgramModel:
    """Estimate an interpolated modified Kneser-Ney model (Chen & Goodman 1998, 1999).

    The details are those of KenLM's estimator without pruning (Heafield et al. 2013): orders
    below the highest use continuation counts, except n-grams that begin with ``<s>``; unigrams
    are interpolated with the uniform distribution over all types but ``<s>``. Each order has
    discounts D1, D2, D3+ of its own from its counts of counts; where these are not positive or
    not defined (small or closed text) 0.5, 1, 1.5 stand in and DataWarning says so.

    Sentences without tokens are left out. Tokens -1 count as ``<unk>``, and so do tokens that an
    ARPA file could not hold: the markers spelled as words, and words with an ASCII blank or NUL
    inside (DataWarning). Other blanks, such as U+00A0, are part of their word.

    corpus: the text.
    order: length of the longest n-grams, 1 to 6.
    vocabulary_size: number of types, ``<unk>`` and ``</s>`` among them but not ``<s>``, of the
        uniform distribution. Models over parts of a common vocabulary are comparable when all
        are given its size; None = the types of this corpus.

    Raises UsageError for an order or vocabulary size out of range, DataError for an empty corpus.
    """
    if not 1 <= order <= MAXIMUM_ORDER:
        raise UsageError(f"language model order {order}; expected 1 to {MAXIMUM_ORDER}")
    words, ids = _model_words(corpus)
    num_types = len(words) - 1  # <s> is never predicted
    if vocabulary_size is not None and vocabulary_size < num_types:
        raise UsageError(
            f"vocabulary size {vocabulary_size}; expected at least {num_types}, the types of the "
            "corpus with <unk> and </s>"
        )
    levels = _count_ngrams(*_stream(corpus, ids), len(words), order)
    uniform = 1.0 / (vocabulary_size or num_types)
    probabilities, backoffs = _interpolate(levels, uniform)
    ngrams = tuple(level.ngrams for level in levels)
    return NgramModel(order, words, ngrams, tuple(probabilities), tuple(backoffs))


def _log10(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """float32 log10, where rounding leads neither above 0 nor to a negative zero."""
    return np.minimum(np.log10(values), 0.0).astype(np.float32) + np.float32(0.0)


def _model_words(corpus: Corpus) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Types of the model in order of first appearance, and its id for each corpus id.

    The ids are int32[len(vocabulary) + 1]: the last entry serves tokens -1.
    """
    tokens, num_tokens = corpus.tokens, len(corpus.tokens)
    if num_tokens == 0:
        raise DataError("no tokens", "text to estimate a language model from")
    first = np.full(len(corpus.vocabulary) + 1, num_tokens)
    first[tokens[::-1]] = np.arange(num_tokens)[::-1]  # of equal indices, the last one stays
    first[-1] = num_tokens
    types = np.argsort(first, kind="stable")[: np.count_nonzero(first < num_tokens)]
    spelled = [corpus.vocabulary[number] for number in types.tolist()]
    plain = np.fromiter(map(_is_plain, spelled), np.bool_, len(spelled))
    if not plain.all():
        odd = [word for word, good in zip(spelled, plain.tolist(), strict=True) if not good]
        warnings.warn(
            f"{len(odd)} word types cannot stand in a language model and count as <unk>: "
            f"{', '.join(map(repr, odd[:5]))}",
            DataWarning,
            stacklevel=3,
        )
    ids = np.full(len(first), UNKNOWN, np.int32)
    ids[types[plain]] = np.arange(3, 3 + np.count_nonzero(plain))
    return (*MARKERS, *(corpus.vocabulary[number] for number in types[plain].tolist())), ids


def _stream(corpus: Corpus, ids: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """All sentences as ``<s> w1 .. wn </s>`` one after the other, and each place's distance from
    its ``<s>``: two arrays int32[num_tokens + 2 * num_sentences].
    """
    lengths = corpus.lengths[corpus.lengths > 0] + 2
    ends = np.cumsum(lengths)
    stream = np.full(ends[-1], -1, np.int32)
    stream[ends - lengths] = BEGIN
    stream[ends - 1] = END
    stream[stream < 0] = ids[corpus.tokens]
    position = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
    return stream, position.astype(np.int32)


def _distinct(
    keys: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct keys in ascending order.

    Returns where each distinct key occurs (any one place), each key's number, and each distinct
    key's count. ``np.unique`` does the same with a stable sort, which is several times slower.
    """
    order = np.argsort(keys)
    arranged = keys[order]
    new = np.ones(len(keys), np.bool_)
    np.not_equal(arranged[1:], arranged[:-1], out=new[1:])
    numbers = np.empty(len(keys), np.int32)
    numbers[order] = np.cumsum(new, dtype=np.int32) - 1
    counts = np.diff(np.append(np.flatnonzero(new), len(keys))).astype(np.int32)
    return order[new], numbers, counts


def _count_ngrams(
    stream: NDArray[np.int32], position: NDArray[np.int32], num_words: int, order: int
) -> list[_Level]:
    """Count the n-grams of orders 1 to ``order``.

    An n-gram is told by the number of its prefix among the (k-1)-grams and its last word, so one
    sort of packed pairs per order is enough, whatever the order.
    """
    nothing = np.zeros(num_words, np.int32)  # the one history of length 0
    occurrences = np.bincount(stream, minlength=num_words).astype(np.int32)
    unigrams = np.arange(num_words, dtype=np.int32)[:, np.newaxis]
    levels = [_Level(unigrams, nothing, nothing, occurrences)]
    ids = stream.copy()  # number of the k-gram that ends at each place
    for k in range(2, order + 1):
        ends = np.flatnonzero(position >= k - 1)
        keys = ids[ends - 1].astype(np.int64) * num_words + stream[ends]
        where, numbers, occurrences = _distinct(keys)
        places = ends[where]
        prefix, suffix = ids[places - 1], ids[places]
        ngrams = np.column_stack([levels[-1].ngrams[prefix], stream[places]])
        levels.append(_Level(ngrams, prefix, suffix, occurrences))
        ids[ends] = numbers
    return levels


def _adjusted_counts(levels: Sequence[_Level]) -> Iterator[NDArray[np.int64]]:
    """Per order int64[n_k]: raw counts in the highest order and for n-grams that begin with
    ``<s>``, else the number of distinct words seen before the n-gram; 0 for ``<s>`` itself.
    """
    for level, longer in zip_longest(levels, levels[1:]):
        counts = level.counts.astype(np.int64)
        if longer is not None:
            continuations = np.bincount(longer.suffix, minlength=len(counts))
            counts = np.where(level.ngrams[:, 0] == BEGIN, counts, continuations)
        if level is levels[0]:
            counts[BEGIN] = 0
        yield counts


def _discounts(counts: NDArray[np.int64], order: int) -> NDArray[np.float64]:
    """float64[4], what is taken off adjusted counts 0, 1, 2, 3+ (Chen & Goodman 1998, eq. 26)."""
    n1, n2, n3, n4 = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].tolist()
    if n1 and n2 and n3:
        y = n1 + 2 * n2  # Y = n1 / y; one division of integers keeps the sign exact
        discounts = [
            (j * n * y - (j + 1) * n1 * more) / (n * y)
            for j, n, more in ((1, n1, n2), (2, n2, n3), (3, n3, n4))
        ]
        # A discount of 0 could leave a history no mass for unseen words, so it counts as failed.
        if min(discounts) > 0:
            return np.array([0.0, *discounts])
    if len(counts):
        warnings.warn(
            f"{order}-grams: no Kneser-Ney discounts from {n1}, {n2}, {n3}, {n4} n-grams with "
            f"adjusted count 1, 2, 3, 4 (small or artificial text?); used 0.5, 1, 1.5",
            DataWarning,
            stacklevel=4,
        )
    return np.array(FALLBACK_DISCOUNTS)


def _interpolate(
    levels: Sequence[_Level], uniform: float
) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """Probabilities and backoff weights, per order float32[n_k], log10.

    p(w | h) = (c(h w) - D(c(h w))) / c(h) + b(h) p(w | shorter h), where c are adjusted counts and
    b(h) is the mass that the discounts take from h: a distribution over all words for each h.
    """
    probabilities: list[NDArray[np.float32]] = []
    backoffs: list[NDArray[np.float32]] = []
    lower = np.array([uniform])
    for order, (level, counts) in enumerate(zip(levels, _adjusted_counts(levels), strict=True), 1):
        taken = _discounts(counts, order)[np.minimum(counts, 3)]
        total = np.bincount(level.prefix, counts, len(lower))
        mass = np.bincount(level.prefix, taken, len(lower))
        backoff = np.divide(mass, total, out=np.ones(len(lower)), where=total > 0)
        kept = (counts - taken) / total[level.prefix]
        lower = kept + backoff[level.prefix] * lower[level.suffix]
        probabilities.append(_log10(lower))
        backoffs.append(_log10(backoff))
    probabilities[0][BEGIN] = 0.0  # by convention: <s> is given, never predicted
    # What a history passes on was found with the n-grams one longer; the longest pass on nothing.
    return probabilities, [*backoffs[1:], np.zeros(len(lower), np.float32)]


def write_arpa(model: NgramModel, path: str | Path) -> None:
    """Write ARPA text, gz by the suffix ``.gz``; the file appears only when it is complete.

    Numbers have nine significant digits, enough to read the same float32 again.
    """
    with atomic_file(path) as stream:
        stream.write(b"\\data\\\n")
        for k, rows in enumerate(model.ngrams, start=1):
            stream.write(f"ngram {k}={len(rows)}\n".encode())
        for k in range(1, model.order + 1):
            stream.write(f"\n\\{k}-grams:\n".encode())
            for block in _arpa_blocks(model, k):
                stream.write(block.encode())
        stream.write(b"\n\\end\\\n")


def _arpa_blocks(model: NgramModel, k: int) -> Iterator[str]:
    """Lines of the k-grams, many at a time."""
    table = np.array(model.words, object)
    form = "{:.9g}\t{}\t{:.9g}\n" if k < model.order else "{:.9g}\t{}\n"
    for begin in range(0, len(model.ngrams[k - 1]), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        texts = map(" ".join, table[model.ngrams[k - 1][rows]].tolist())
        probability = model.log_probability[k - 1][rows].tolist()
        yield "".join(map(form.format, probability, texts, model.log_backoff[k - 1][rows].tolist()))


def read_arpa(path: str | Path) -> NgramModel:
    """Read ARPA text, plain or compressed (told by its first bytes).

    Words get ids in the order of the unigrams, after the three markers; n-grams stay in the order
    of the file. A missing backoff weight is 0.

    Raises DataError with file and line for a bad header, a section that is shorter or longer than
    its count, a line with a wrong number of fields or a value that is not a finite number, a word
    that is not UTF-8, doubled, or missing among the unigrams, and a truncated file or archive.
    """
    with open_binary(path) as stream:
        reader = _ArpaReader(path, stream)
        counts = reader.header()
        sections = [reader.section(k, count, len(counts)) for k, count in enumerate(counts, 1)]
        reader.expect("\\end\\")
    words = tuple(word.decode() for word in reader.ids)
    ngrams, probabilities, backoffs = zip(*sections, strict=True)
    return NgramModel(len(counts), words, ngrams, probabilities, backoffs)


_Section = tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]


class _ArpaReader:
    """A place in an ARPA file: the lines to come, the number of lines read, the words so far."""

    def __init__(self, path: str | Path, stream: BinaryIO) -> None:
        self.path, self.stream, self.line = path, stream, 0
        self.ids = {marker.encode(): number for number, marker in enumerate(MARKERS)}
        self.seen: set[bytes] = set()  # words of the unigrams

    def error(self, seen: str, expected: str, *, line: int | None = None) -> DataError:
        return DataError(seen, expected, file=self.path, line=line or self.line)

    def lines(self, count: int) -> list[bytes]:
        """The next ``count`` lines."""
        lines: list[bytes] = []
        try:
            lines.extend(islice(self.stream, count))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise self.error(
                f"the compressed file is truncated or damaged after this line ({error})",
                "a complete archive",
                line=self.line + len(lines),
            ) from error
        self.line += len(lines)
        if len(lines) < count:
            raise self.error("the file ends after this line", "an ARPA file that ends with \\end\\")
        return lines

    def expect(self, wanted: str) -> None:
        """Skip empty lines, then the line ``wanted``."""
        line = b""
        while not line:
            line = self.lines(1)[0].strip()
        if line != wanted.encode():
            raise self.error(_shown(line), wanted)

    def header(self) -> list[int]:
        """Number of n-grams per order."""
        self.expect("\\data\\")
        counts: list[int] = []
        while line := self.lines(1)[0].strip():
            match = re.fullmatch(rb"ngram +(\d+) *= *(\d+)", line)
            if match is None or int(match[1]) != len(counts) + 1:
                raise self.error(_shown(line), f"ngram {len(counts) + 1}=<count> or an empty line")
            counts.append(int(match[2]))
        if not counts:
            raise self.error("no counts", "ngram 1=<count>")
        return counts

    def section(self, k: int, count: int, order: int) -> _Section:
        """The k-grams: word ids int32[count, k], log probabilities and backoff weights."""
        self.expect(f"\\{k}-grams:")
        blocks = [self.block(k, 0, order)]
        for begin in range(0, count, _BLOCK):
            blocks.append(self.block(k, min(_BLOCK, count - begin), order))
        ngrams, probabilities, backoffs = map(np.concatenate, zip(*blocks, strict=True))
        return ngrams, probabilities, backoffs

    def block(self, k: int, count: int, order: int) -> _Section:
        """The next ``count`` k-grams."""
        rows = list(map(bytes.split, self.lines(count)))
        widths = np.fromiter(map(len, rows), np.int64, count)
        bad = (widths != k + 1) & ((widths != k + 2) | (k == order))
        if bad.any():
            raise self.bad_row(rows, int(bad.argmax()), k, order)
        if k == 1:
            self.add_words(rows)
        numbers = map(self.ids.get, chain.from_iterable(row[1 : k + 1] for row in rows), repeat(-1))
        ngrams = np.fromiter(numbers, np.int32, count * k).reshape(count, k)
        if ngrams.size and ngrams.min() < 0:
            at, column = divmod(int((ngrams < 0).argmax()), k)
            raise self.error(
                f"the word {_shown(rows[at][column + 1])} is not among the 1-grams",
                "n-grams of known words",
                line=self.line - count + at + 1,
            )
        probability = self.floats([row[0] for row in rows])
        backoff = self.floats([row[k + 1] if len(row) > k + 1 else b"0" for row in rows])
        return ngrams, probability, backoff

    def bad_row(self, rows: list[list[bytes]], at: int, k: int, order: int) -> DataError:
        """The error for a line that has too many or too few fields."""
        line = self.line - len(rows) + at + 1
        if not rows[at] or rows[at][0].startswith(b"\\"):
            return self.error(
                f"the section ends before its count of {k}-grams is reached",
                "as many lines as the header says",
                line=line,
            )
        fields = str(k + 1) if k == order else f"{k + 1} or {k + 2}"
        return self.error(f"{len(rows[at])} fields", f"{fields} fields in a {k}-gram", line=line)

    def add_words(self, rows: list[list[bytes]]) -> None:
        """Give ids to the words of ``rows``, each of which stands once in the file."""
        for at, row in enumerate(rows):
            line = self.line - len(rows) + at + 1
            if row[1] == b"<UNK>":  # as other tools spell it
                row[1] = b"<unk>"
            try:
                row[1].decode()
            except UnicodeDecodeError:
                raise self.error(f"the bytes {row[1]!r}", "UTF-8 text", line=line) from None
            if row[1] in self.seen or b"\0" in row[1]:
                wrong = "stands twice" if row[1] in self.seen else "holds a NUL byte"
                raise self.error(f"the word {_shown(row[1])} {wrong}", "a new word", line=line)
            self.seen.add(row[1])
            self.ids.setdefault(row[1], len(self.ids))

    def floats(self, fields: list[bytes]) -> NDArray[np.float32]:
        """Finite numbers of one block of lines, float32[len(fields)]."""
        try:
            values = np.fromiter(map(float, fields), np.float64, len(fields))
        except ValueError:
            values = np.array([_float(field) for field in fields])
        finite = np.isfinite(values)
        if not finite.all():
            at = int(finite.argmin())
            line = self.line - len(fields) + at + 1
            raise self.error(_shown(fields[at]), "a finite number", line=line)
        return values.astype(np.float32)


def _shown(text: bytes) -> str:
    """``text`` for an error message, at most 80 bytes of it."""
    return repr(text[:80].decode(errors="backslashreplace"))


def _float(field: bytes) -> float:
    """The number in ``field``, or NaN."""
    try:
        return float(field)
    except ValueError:
        return float("nan")


class LanguageModel:
    """Sentence probabilities from KenLM (Heafield 2011).

    Words are what stands between ASCII blanks; U+00A0 or U+3000 inside a word is part of it, in
    the file as in the query. Words that the estimator counts as ``<unk>`` (markers spelled as
    words, words with an ASCII blank or NUL inside) are scored as ``<unk>``. Values are summed by
    KenLM in single precision.

    Raises DataError for a file that KenLM cannot read; it reads ARPA text (plain, or compressed
    where it was built so) of order 2 to 6, and its own binary format. Loading is quiet, but for a
    line that KenLM itself writes to stderr about an ARPA file without ``<unk>``.
    """

    __slots__ = ("_model", "_order")

    def __init__(self, path: str | Path) -> None:
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), config)
        except OSError as error:
            raise DataError(
                str(error), "a language model that KenLM reads, of order 2 to 6", file=path
            ) from error
        self._order = int(self._model.order)

    @classmethod
    def from_ngrams(cls, model: NgramModel) -> "LanguageModel":
        """Load an estimated model, by way of a temporary ARPA file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.arpa")
            write_arpa(_with_bigrams(model), path)
            loaded = cls(path)
        loaded._order = model.order
        return loaded

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return self._order

    def score(self, sentences: Iterable[str]) -> NDArray[np.float64]:
        """Natural log probability of each sentence with its end, float64[n].

        sentences: words separated by ASCII blanks; an empty one scores the sentence end alone.
        """
        log10 = map(self._model.score, map(_query_text, sentences))
        return _LN_10 * np.fromiter(log10, np.float64)

    def score_corpus(self, corpus: Corpus) -> NDArray[np.float64]:
        """Natural log probability of each sentence with its end, float64[num_sentences].

        Sentences without tokens score 0: nothing is said about them.
        """
        return self.score_lines(query_lines(corpus))

    def score_lines(self, lines: Sequence[str]) -> NDArray[np.float64]:
        """The same of what :func:`query_lines` gave, which serves several models."""
        score = self._model.score
        return _LN_10 * np.array([score(line) if line else 0.0 for line in lines], np.float64)


def query_lines(corpus: Corpus) -> list[str]:
    """The sentences of a corpus as KenLM is asked for them, words separated by blanks."""
    words, bounds = _query_words(corpus), corpus.offsets.tolist()
    return [" ".join(words[begin:end]) for begin, end in pairwise(bounds)]


def _query_words(corpus: Corpus) -> list[str]:
    """The tokens of a corpus as KenLM is asked for them."""
    vocabulary = corpus.vocabulary.words
    if len(corpus.tokens) < len(vocabulary):
        return [
            MARKERS[UNKNOWN] if token < 0 else _query_word(vocabulary[token])
            for token in corpus.tokens.tolist()
        ]
    # Token -1 takes the last entry of the table.
    table = np.array([*map(_query_word, vocabulary), MARKERS[UNKNOWN]], object)
    words: list[str] = table[corpus.tokens].tolist()
    return words


def _query_word(word: str) -> str:
    """``word`` as KenLM is asked for it."""
    return word if _is_plain(word) else MARKERS[UNKNOWN]


def _query_text(sentence: str) -> str:
    """``sentence`` as KenLM is asked for it."""
    if "<" not in sentence and "\0" not in sentence:
        return sentence
    return " ".join(map(_query_word, _WORD.findall(sentence)))


def _with_bigrams(model: NgramModel) -> NgramModel:
    """A unigram model as a bigram model without bigrams, which KenLM wants; others as they are."""
    if model.order > 1:
        return model
    empty = np.empty(0, np.float32)
    return NgramModel(
        2,
        model.words,
        (model.ngrams[0], np.empty((0, 2), np.int32)),
        (model.log_probability[0], empty),
        (model.log_backoff[0], empty),
    )
