"""isogloss dictionary: the surest translation pairs of a text, and of each of its domains."""

from dataclasses import dataclass, replace

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.labels import read_labels
from isogloss.align.text.pair_collector import PairSettings
from isogloss.align.text.readers import read_links
from isogloss.features.dictionary.dictionary import Dictionary
from isogloss.features.dictionary.entries import ALL, ORDERS, Entries
from isogloss.features.dictionary.extract import (
    DictionaryOptions,
    extract_dictionary,
    label_weights,
)
from isogloss.features.dictionary.writing import FORMATS, dictionary_format, write_dictionary
from isogloss.features.extraction.extract import DomainWeights
from isogloss.features.extraction.extraction_options import LEAST_MEMORY
from isogloss.features.extraction.sentence_weights import read_posteriors

from ...console import Console
from ...options import Bounds, Command, group, natural, option, positional, positive, size
from ..link_formats import TokenIdOptions, token_id_options
from ..model_text import TextCheck
from ..shared import (
    BitextOptions,
    ClusterOptions,
    CommonOptions,
    LengthLimitOptions,
    common_options,
    output_option,
)
from ..sheets import CellOptions
from ..stopwords import read_stopwords

__all__ = ["COMMAND", "DictionaryCommandOptions", "run"]

_MOST_EXAMPLES = 100


@dataclass(frozen=True)
class _Choice:
    """Which pairs are listed.

    domain: domain to list; all = the whole text; repeatable (default: each domain of the model)
    top: number of best entries per domain; 0 = all
    sort: sort order; special = domain specificity, best = confidence x association x domain
        specificity
    min_count: minimum number of linked occurrences (expected number within a domain)
    min_confidence: minimum probability that a pair is a translation
    rarer: keep pairs that are significantly rarer in the domain than elsewhere
    examples: number of example sentence pairs per entry
    """

    domain: tuple[str, ...] = option(default=(), metavar="NAME", append=True)
    top: int = option(default=100, parse=natural, metavar="N")
    sort: str = option(default=ORDERS[0], choices=ORDERS)
    min_count: int = option(default=DictionaryOptions.min_count, parse=positive, metavar="N")
    min_confidence: float = option(default=0.5, parse=Bounds(0.0, 1.0), metavar="PROB")
    rarer: bool = False
    examples: int = option(default=0, parse=Bounds(0, _MOST_EXAMPLES), metavar="N")


@dataclass(frozen=True)
class _Entries:
    """What may be an entry.

    max_phrase_length: maximum phrase length in words, 1 to 8
    min_pmi: minimum pointwise mutual information of the words of a phrase, in bits
    nested: keep pairs that occur almost only within one longer pair
    numbers: keep pairs of numbers
    stopwords: words that no entry begins or ends with, one per line; case is ignored
    min_characters: minimum number of characters on either side; characters of scripts without
        spaces, such as Chinese, count twice
    max_memory: memory for counting phrase pairs
    """

    max_phrase_length: int = option(
        default=DictionaryOptions.max_phrase_length, parse=Bounds(1, 8), metavar="N"
    )
    min_pmi: float = option(default=DictionaryOptions.min_pmi, metavar="BITS")
    nested: bool = False
    numbers: bool = False
    stopwords: str | None = option(default=None, metavar="FILE")
    min_characters: int = option(
        default=DictionaryOptions.min_characters, parse=positive, metavar="N"
    )
    max_memory: int = option(default=DictionaryOptions.max_memory, parse=size, metavar="SIZE")


@dataclass(frozen=True)
class _Given:
    """What is known of the text already.

    links: links of the text from `isogloss apply`, preferably with --scores (default: aligned with
        MODEL)
    domain_posteriors: P(domain) of each sentence pair, written by `isogloss domains predict`
        (default: computed with MODEL)
    labels: domain labels, one name or - per line; for a single-file bitext also `column` (third TSV
        column) or `prop:NAME` (TMX property or JSON key)
    """

    links: str | None = option(default=None, metavar="FILE")
    domain_posteriors: str | None = option(default=None, metavar="FILE")
    labels: str | None = option(default=None, metavar="FILE")


@dataclass(frozen=True)
class DictionaryCommandOptions:
    """Options of `isogloss dictionary`.

    model: model folder written by `train` or `align --model`
    output: translation pairs (default: stdout)
    to: output format (default: csv, xlsx or tbx if the name of the output file ends in .csv, .xlsx
        or .tbx, else tsv)
    """

    model: str = positional("MODEL")
    bitext: BitextOptions = group(BitextOptions)
    length: LengthLimitOptions = group(LengthLimitOptions)
    output: str | None = output_option()
    to: str | None = option(default=None, choices=FORMATS)
    cells: CellOptions = group(CellOptions)
    choice: _Choice = group(_Choice, title="selection")
    entries: _Entries = group(_Entries, title="candidates")
    given: _Given = group(_Given, title="input annotations")
    ids: TokenIdOptions = token_id_options()
    place: ClusterOptions = group(ClusterOptions)
    common: CommonOptions = common_options()

    @property
    def format(self) -> str:
        """That of the output. Raises UsageError for TBX without languages, and as CellOptions."""
        format = self.to or dictionary_format(self.output)
        if format == "tbx" and self.bitext.form.languages is None:
            raise UsageError(
                "TBX output needs the languages of its terms; pass --langs, such as en-es"
            )
        self.cells.check(format, self.output)
        return format

    @property
    def settings(self) -> DictionaryOptions:
        """What may be an entry. Raises DataError for a file of stopwords that is none."""
        entries, low = self.entries, self.bitext.form.lowercase
        return DictionaryOptions(
            max_phrase_length=entries.max_phrase_length,
            min_count=self.choice.min_count,
            min_pmi=entries.min_pmi,
            nested=entries.nested,
            numbers=entries.numbers,
            stopwords=tuple(sorted(read_stopwords(entries.stopwords))),
            min_characters=entries.min_characters,
            lowercase=(low, low),
            max_memory=max(entries.max_memory, LEAST_MEMORY),
        )


def run(options: DictionaryCommandOptions, console: Console) -> None:
    """Write the surest translation pairs of a text, and of its domains."""
    format, settings = options.format, options.settings
    workers = options.place.workers(options.common.threads)
    if options.given.domain_posteriors and options.given.labels:
        raise UsageError("--domain-posteriors and --labels exclude each other; pass one of them")
    model = AlignmentModel.load(options.model)
    if not (options.given.domain_posteriors or options.given.labels):
        _check_domain(options.choice, model)
    text = _in_its_case(options.bitext)
    bitext = _read(text, options)
    check = TextCheck(model, text)
    check.add(bitext)
    check.tell(console)
    links, weights = _links(options, bitext), _weights(options.given, bitext)
    with console.progress("aligning and counting", len(bitext)) as advance:
        dictionary = extract_dictionary(
            model, bitext, settings, links=links, weights=weights,
            threads=workers or options.common.threads, advance=advance,
        )  # fmt: skip
    lists = _lists(options.choice, dictionary)
    with console.stage("writing"):
        write_dictionary(
            dictionary,
            lists,
            options.output,
            format,
            examples=options.choice.examples,
            languages=options.bitext.form.languages,
            **vars(options.cells),
        )
    _tell(lists, dictionary, console)


def _check_domain(choice: _Choice, model: AlignmentModel) -> None:
    """Raise UsageError for a domain that the model lacks, before the text is read."""
    domains = model.domains if len(model.domains) > 1 else ()
    unknown = [name for name in choice.domain if name not in (ALL, *domains)]
    if unknown:
        names = ", ".join([*domains, ALL])
        raise UsageError(f"the model has no domain {unknown[0]!r}; --domain must be one of {names}")


def _in_its_case(text: BitextOptions) -> BitextOptions:
    """The text as it stands: --lowercase is for what is counted as one, not for what is shown."""
    return replace(text, form=replace(text.form, lowercase=False))


def _read(text: BitextOptions, options: DictionaryCommandOptions) -> Bitext:
    labels, most = options.given.labels, options.length.max_length
    if PairSettings.are_inside(labels):
        return text.read(max_length=most, labels=labels)
    bitext = text.read(max_length=most)
    if labels:
        bitext = bitext.with_numbered_labels(*read_labels(labels, len(bitext)))
    return bitext


def _links(options: DictionaryCommandOptions, bitext: Bitext) -> Links | None:
    """The links of a file. Raises DataError where they don't fit the text."""
    file = options.given.links
    if file is None:
        return None
    links = read_links(file, scored=True, ids=options.ids.files)
    links.check_range(bitext.source.lengths, bitext.target.lengths, file)
    has_probabilities = links.probability is not None and (links.probability < 1.0).any()
    return links if has_probabilities else replace(links, probability=None)


def _weights(given: _Given, bitext: Bitext) -> DomainWeights | None:
    """The domains of the pairs, of a file or of labels; None where the model is to say."""
    if given.domain_posteriors:
        domains, posteriors = read_posteriors(given.domain_posteriors, len(bitext))
        return DomainWeights(None, domains, posteriors)
    return label_weights(bitext) if given.labels else None


def _lists(choice: _Choice, dictionary: Dictionary) -> list[Entries]:
    """The pairs of the domains that are asked for, or of each."""
    names = tuple(dict.fromkeys(choice.domain)) or dictionary.domains or (ALL,)
    return [
        dictionary.entries(
            name,
            sort=choice.sort,
            top=choice.top,
            min_count=choice.min_count,
            min_confidence=choice.min_confidence,
            rarer=choice.rarer,
        )
        for name in names
    ]


def _tell(lists: list[Entries], dictionary: Dictionary, console: Console) -> None:
    """How many pairs there are, and what to do where there are none."""
    for entries in lists:
        console.info(f"{entries.name}: {pluralize(len(entries), 'pair')}")
    if not any(map(len, lists)):
        console.error(
            "warning: no translation pair remains. Lower --min-count or --min-confidence, pass "
            "--rarer, or use more text"
        )


COMMAND = Command(
    DictionaryCommandOptions,
    run,
    (
        "isogloss dictionary m corpus.en corpus.es --domain software --top 200 -o software.tsv",
        "isogloss dictionary m corpus.en corpus.es --langs en-es --examples 2 -o terms.tbx",
    ),
    first={
        "input": ("lowercase", "langs", "links", "labels"),
        "output": ("output", "to"),
        "entries": (
            "domain",
            "top",
            "sort",
            "min_count",
            "min_confidence",
            "examples",
            "max_phrase_length",
        ),
        "running": ("threads", "quiet"),
    },
)
