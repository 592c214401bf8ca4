"""What `isogloss demo` shows at its end: words by domain, sentence pairs, occurrences, figures."""

from collections.abc import Sequence
from pathlib import Path

from isogloss.align.files.writers import write_lines
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.readers import read_bitext, read_gold, read_links
from isogloss.features.dictionary.extract import extract_dictionary

from ..domains.concordance import NO_LINK, Concordance, TranslationCounts, concordance
from ..domains.concordance_page import concordance_page
from ..domains.domain_text import DomainText
from ..domains.lexical_probabilities import lexical_tables
from ..pages.page import Page
from ..pages.viewer import AlignmentView
from ..runs.run_folder import REPORT_PAGE

__all__ = ["write_demo_pages"]

WORDS = ("charge", "record", "driver", "trial", "bug", "light")  # that change with the domain
_BEST, _LEAST = 2, 0.5  # translations of a word in a domain that has it so often
_ENTRIES = 6  # of a domain
_PAIRS = 500
_FILES = (
    (REPORT_PAGE, "the run: time, error rates, domains, weights, scores by domain, sentences"),
    ("view.html", "500 sentence pairs with their links"),
    ("concordance.html", "the occurrences of six words"),
    ("report.txt", "the figures above as text"),
    ("manifest.json", "the same for programs"),
    ("latent.model", "the model with domains, for isogloss apply"),
    ("phrase-table.features.gz", "the phrase table with domain and sparse features"),
    ("weights.full.json", "its tuned weights"),
)


def write_demo_pages(data: Path, out: Path, report: str, threads: int) -> Path:
    """Write the pages of a finished run of the bundled data, and return the first one.

    data: folder of the bundled data; report: the figures of the run as text
    """
    bitext = read_bitext(data / "train.en.gz", data / "train.es.gz")
    model = AlignmentModel.load(out / "latent.model")
    links = read_links(out / "latent.links.gz")
    text = DomainText.of(bitext, model, threads)
    tables = lexical_tables(model, "s2t")
    words = [concordance(text, links, model.domains, word, tables=tables) for word in WORDS]
    view = AlignmentView(
        bitext[:_PAIRS],
        links[:_PAIRS],
        gold=read_gold(data / "train.en-es.gold.gz")[:_PAIRS],
        model=model,
        title="500 sentence pairs of the bundled data",
        names=("English", "Spanish"),
    )
    dictionary = extract_dictionary(model, bitext, links=links, threads=threads)
    terms = {
        domain: dictionary.entries(domain, top=_ENTRIES)
        for domain in model.domains[:-1]  # without the out-domain
    }
    write_lines([view.page(threads).html()], out / "view.html")
    write_lines([concordance_page(words).html()], out / "concordance.html")
    index = Page(
        template="demo",
        title="isogloss demo",
        subtitle="6,000 English-Spanish sentence pairs of four domains, a tenth of them labeled.",
        styles=("concordance.css",),
        content={
            "words": [_shown(one) for one in words],
            "domains": model.domains,
            "terms": terms,
            "report": report,
            "files": [pair for pair in _FILES if (out / pair[0]).exists()],
        },
    )
    write_lines([index.html()], out / "index.html")
    return out / "index.html"


def _shown(word: Concordance) -> tuple[Concordance, Sequence[TranslationCounts]]:
    """A word and the best translations of each domain, the most frequent first."""
    chosen, linked = set[str](), [one for one in word.translations if one.text != NO_LINK]
    for domain in range(len(word.domains)):
        best = sorted(linked, key=lambda one: -one.expected[domain].round(1))[:_BEST]
        chosen.update(one.text for one in best if one.expected[domain] >= _LEAST)
    return word, [one for one in word.translations if one.text in chosen]
