"""Bitexts, labels and links in: plain or compressed, checked line by line."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, UsageError, WrongTypeError, shown
from ..execution.calls import public
from ..files.inputs.opening import open_binary
from ..files.text_io import (
    ArrivingLines,
    decode_lines,
    iter_lines,
    raw_lines,
    read_lines,
    split_fields,
    split_tokens,
)
from ..links.formats.gold_formats import IdFiles, read_gold_keys, recognized
from ..links.formats.tables import lines_of_links
from ..links.gold_links import GoldLinks
from ..links.links import Links, format_links, parse_links
from .bitext import Bitext
from .formats.languages import Languages
from .formats.opening import check_line_counts, iter_pairs, open_pairs
from .formats.pair import Pair
from .labels import domains_of, match_labels, read_labels
from .markup.sgm import sentence_lines
from .pair_collector import PairCollector, PairSettings, Tokenizer
from .recognition.recognition import check_text
from .sentences import Sentences, Table
from .vocabulary import Vocabulary

__all__ = [
    "as_bitext",
    "check_line_counts",
    "iter_pairs",
    "open_binary",
    "raw_lines",
    "read_bitext",
    "read_gold",
    "read_lines",
    "read_linked_bitext",
    "read_links",
    "read_sentences",
    "sentence_blocks",
    "split_fields",
    "split_tokens",
]


@public
def read_sentences(path: str | Path, *, lowercase: bool = False) -> list[list[str]]:
    """Read tokenized sentences from a file, one per line.

    Parameters
    ----------
    path : str or Path
        Plain or compressed text, split at whitespace; ``-`` is standard input.
    lowercase : bool, default False
        Lowercase the words.

    Returns
    -------
    list of list of str
        A list of words per line; it is empty for an empty line.

    Raises
    ------
    DataError
        If the file can't be read, isn't UTF-8, or has a token ``|||``.

    Examples
    --------
    >>> read_sentences("data/tune.en")[0][:3]
    ['the', 'registered', 'user']
    """
    check_text(path)
    tokenizer = Tokenizer(path, lowercase)
    sentences = [
        tokenizer.tokens(line, number)
        for number, line in enumerate(sentence_lines(iter_lines(path), path), start=1)
    ]
    tokenizer.warn()
    return sentences


def sentence_blocks(
    path: str | Path, *, most: int, lowercase: bool = False
) -> Iterator[list[list[str]]]:
    """Yield the sentences of a file in blocks of at most ``most``, as they arrive through a pipe.

    Raises DataError as :func:`read_sentences` does, after the lines before.
    """
    check_text(path)
    tokenizer = Tokenizer(path, lowercase)
    with open_binary(path, until_damage=True) as stream:
        arriving = ArrivingLines(stream, path)
        numbered = enumerate(sentence_lines(decode_lines(arriving, path), path), start=1)
        sentences = (tokenizer.tokens(line, number) for number, line in numbered)
        for first in sentences:
            block = [first]
            try:
                for words in islice(sentences, min(arriving.waiting, most - 1)):
                    block.append(words)
            except DataError:
                yield block
                raise
            yield block
    tokenizer.warn()


@public
def read_bitext(
    source: str | Path,
    target: str | Path | None = None,
    *,
    format: str | None = None,
    languages: Languages | None = None,
    columns: tuple[str, str] | None = None,
    labels: str | Path | Iterable[str | None] | None = None,
    lowercase: bool = False,
    vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
    max_length: int = 0,
) -> Bitext:
    """Read a bitext from two line-aligned files or from one file of pairs.

    A pair with an empty side stays in the bitext, with a DataWarning; nothing is learned from it.

    Parameters
    ----------
    source : str or Path
        File of the source sentences, or of the pairs; plain or compressed, ``-`` is standard input.
        A folder, or a pattern such as ``"part-*.gz"``, stands for its files in the order of their
        names; an address such as ``"s3://bucket/corpus.gz"`` is read with fsspec.
    target : str or Path, optional
        File of the target sentences.
    format : {"pairs", "tsv", "jsonl", "tmx", "xliff", "wmt", "parquet", "arrow", "vref"}, optional
        Format of a file of pairs; default: detected by its content. Parquet and Arrow need the
        extra ``tables``. ``vref``: two files of the eBible corpus, in which a line ``<range>`` is
        part of the verse before; such verses are joined on both sides.
    languages : tuple of (str, str), optional
        Source and target language, to choose the sides of TMX, XLIFF, JSON Lines and
        tables.
    columns : tuple of (str, str), optional
        Names of the source and the target in a table or JSON Lines, also inside an object
        (``"translation.en"``).
    labels : str, Path or iterable of str, optional
        File with a domain name per pair, ``-`` for unknown, or the names themselves. For a file of
        pairs also ``"column"``, the third column of TSV, or ``"prop:NAME"``, a property of TMX,
        key of JSON Lines or column of a table.
    lowercase : bool, default False
    vocabularies : tuple of (Vocabulary, Vocabulary), optional
        Those of the source and the target. Words that they lack become -1.
    max_length : int, default 0
        Read a pair with more words on a side as an empty pair; 0 = only above 65,536.

    Returns
    -------
    Bitext

    Raises
    ------
    DataError
        If a file can't be read, a line is malformed, or the files have different line counts.

    Examples
    --------
    >>> bitext = read_bitext("data/train.en.gz", "data/train.es.gz")
    >>> bitext[0].source[:3], bitext[0].target[:3]
    (['his', 'available', 'mouse'], ['su', 'ratón', 'disponible'])
    """
    for side, role in ((source, "source"), (target, "target")):
        if side is not None and not isinstance(side, str | Path):
            raise WrongTypeError(
                f"{role} must be a path, not {shown(side)}; for sentences in memory use "
                "Bitext.from_sentences(source, target)"
            )
    inside = None
    if isinstance(labels, str | Path) and PairSettings.are_inside(labels):
        inside = str(labels)
    settings = PairSettings(
        format, languages, lowercase, vocabularies, max_length, labels=inside, columns=columns
    )
    bitext, _ = _read_pairs(source, target, settings)
    return bitext if inside is not None else _labeled(bitext, labels)


def as_bitext(
    source: Bitext | Sentences | Table | str | Path,
    target: Sentences | str | Path | None = None,
    labels: str | Path | Iterable[str | None] | None = None,
) -> Bitext:
    """Return a bitext of what may be one: a Bitext, sentences in memory, or files.

    labels: the name of each pair's domain, or a file of them as for :func:`read_bitext`

    Raises WrongTypeError for anything else, and as :func:`read_bitext` and
    :meth:`Bitext.from_sentences` do.
    """
    if isinstance(source, Bitext):
        if target is not None:
            raise WrongTypeError(
                f"target must be omitted if source is a Bitext, which has both sides; got "
                f"{shown(target)}. Pass options by name"
            )
        bitext = source
    elif isinstance(source, str | Path):
        if target is not None and not isinstance(target, str | Path):
            raise WrongTypeError(
                f"source is a path, {shown(source)}, so target must be one as well, not "
                f"{shown(target)}"
            )
        if " " in str(source) and not _exists(source):
            raise WrongTypeError(
                f"source must be a list of sentences or the path of a file, not {shown(source)}; "
                "use [text] for one sentence"
            )
        return read_bitext(source, target, labels=labels)
    elif isinstance(target, str | Path):
        raise WrongTypeError(
            f"target is a path, {shown(target)}, so source must be one as well, not {shown(source)}"
        )
    else:
        bitext = Bitext.from_sentences(source, target)
    return _labeled(bitext, labels)


def _labeled(bitext: Bitext, labels: str | Path | Iterable[str | None] | None) -> Bitext:
    """The bitext with labels, if there are any: names, or a file of them."""
    if labels is None:
        return bitext
    if isinstance(labels, str | Path):
        return bitext.with_numbered_labels(*read_labels(labels, len(bitext)))
    return bitext.with_labels(labels)


def _exists(path: str | Path) -> bool:
    with suppress(OSError):  # too long for a name
        return Path(path).exists()
    return False


def read_linked_bitext(
    source: str | Path,
    target: str | Path | None = None,
    *,
    links: str | Path | None = None,
    ids: IdFiles | None = None,
    **how: Any,
) -> tuple[Bitext, Links | None]:
    """Read a bitext as :func:`read_bitext` does, with links: a file's, a TSV's third column, or the
    column ``links`` of a table.

    ids: files of token ids, for Scripture Burrito alignments; see :func:`read_links`
    how: the bitext is read, fields of :class:`PairSettings`

    The links are None where there is neither. A pair with more than ``max_length`` words on a side
    loses its links with its words.

    Raises DataError as :func:`read_bitext` does, for a file of ``links`` with another number of
    lines, and for links that are malformed or point outside their pair.
    """
    settings = PairSettings(keep_links=True, **how)
    bitext, texts = _read_pairs(source, target, settings, links, ids)
    if texts is None:
        return bitext, None
    file = source if links is None else links
    parsed = parse_links(texts, file)
    parsed.check_range(bitext.source.lengths, bitext.target.lengths, file)
    return bitext, parsed


def _read_pairs(
    source: str | Path,
    target: str | Path | None,
    settings: PairSettings,
    links_file: str | Path | None = None,
    ids: IdFiles | None = None,
) -> tuple[Bitext, list[str] | None]:
    """The bitext, and the text of the links of each pair, or None where there are no links."""
    if settings.labels is not None and target is not None:
        raise UsageError(
            f'`labels="{settings.labels}"` needs a bitext in one file that contains labels; for a '
            "bitext in two files, pass a file of labels"
        )
    with open_pairs(source, target, format=settings.format, asked=settings.asked) as stream:
        sides = PairCollector(source, target, settings, stream.counted, stream.files)
        pairs = stream.pairs
        if links_file is not None:
            pairs = _with_links(pairs, source, links_file, ids)
        for pair in pairs:
            sides.add(pair)
    sides.warn()
    names, bitext = sides.labels, sides.bitext()
    if settings.labels is not None:
        if names:
            sides.check_labeled()
        domains = domains_of(names, source)
        bitext = bitext.with_numbered_labels(match_labels(names, domains, source), domains)
    return bitext, sides.link_texts


def _with_links(
    pairs: Iterator[Pair], source: str | Path, path: str | Path, ids: IdFiles | None
) -> Iterator[Pair]:
    """The same pairs with the lines of a file as their links."""
    (lines, is_whole), count = _link_lines(path, ids), 0
    for count, pair in enumerate(pairs, start=1):
        yield pair._replace(links=lines[count - 1] if count <= len(lines) else "")
    check_line_counts(source, count, path, len(lines) if is_whole else max(count, len(lines)))


def _link_lines(path: str | Path, ids: IdFiles | None) -> tuple[list[str], bool]:
    """The links of each pair as Pharaoh text, and whether last pairs without links are there."""
    format, lines = recognized(lines_of_links(path), path)
    if format == "pharaoh":
        return [*lines], True
    _, keys, count = read_gold_keys(lines, path, format, None, ids)
    links = Links.from_keys(np.array(keys, np.int64), count)
    return [*format_links(links)], format != "naacl"


@public
def read_links(
    path: str | Path, *, scored: bool | None = None, ids: IdFiles | None = None
) -> Links:
    """Read links from a file, as :meth:`Links.load` does.

    Parameters
    ----------
    path : str or Path
    scored : bool, default None
        True keeps the probabilities, with 1 for a link that has none. False drops them. None keeps
        them if all links have one.
    ids : (str or Path, str or Path), optional
        Files with the token ids of both sides, for Scripture Burrito alignments.

    Returns
    -------
    Links

    Raises
    ------
    DataError
        If the file can't be read, a token isn't a link, or a score isn't a probability.

    Examples
    --------
    >>> Links.from_pairs([[(0, 0), (1, 2)], [(0, 1)]]).save("links")
    >>> read_links("links")[0]
    [(0, 0), (1, 2)]
    """
    return Links.load(path, scored=scored, ids=ids)


@public
def read_gold(
    path: str | Path,
    *,
    format: str | None = None,
    num_pairs: int | None = None,
    ids: IdFiles | None = None,
) -> GoldLinks:
    """Read gold alignments from a file, as :meth:`GoldLinks.load` does.

    Parameters
    ----------
    path : str or Path
    format : str, optional
    num_pairs : int, optional
    ids : (str or Path, str or Path), optional
        Files with the token ids of both sides, for Scripture Burrito alignments.

    Returns
    -------
    GoldLinks

    Raises
    ------
    DataError
        If the file can't be read, or a line is malformed.
    OptionError
        If the format is unknown.

    Examples
    --------
    >>> GoldLinks.from_pairs([[(0, 0)]], [[(1, 2)]]).save("gold")
    >>> read_gold("gold")[0]
    ([(0, 0)], [(0, 0), (1, 2)])
    """
    return GoldLinks.load(path, format=format, num_pairs=num_pairs, ids=ids)
