"""Domain-conditioned lexical features (Cuong & Sima'an 2015, footnote 11)."""

import numpy as np
from numpy.typing import NDArray

from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.known_words.text_form import TextForm
from isogloss.align.text.vocabulary import Vocabulary

from ..space import escape
from ..table.phrase_table import PhraseTable
from .kernels.lexical import model1_log_scores

__all__ = ["add_domain_features", "domain_feature_name"]


def domain_feature_name(domain: str) -> str:
    """Name of the dense feature of a domain; dense names hold no underscore."""
    return f"DomainLex.{escape(domain)}"


def _in_vocabulary(phrases: Corpus, vocabulary: Vocabulary, form: TextForm) -> NDArray[np.int32]:
    """Tokens of the phrases as ids of another vocabulary, -1 where it lacks the word."""
    # form: of the text that the vocabulary is of
    words = phrases.vocabulary.words
    translate = vocabulary.encode([w.lower() for w in words] if form.lowercase else words)
    return np.asarray(translate[phrases.tokens])


def add_domain_features(
    table: PhraseTable, model: AlignmentModel, domains: tuple[str, ...] | None = None
) -> PhraseTable:
    """The table with one score per domain, P(f|e) = l^-m prod_j sum_i t(f_j | e_i, D).

    m source words f_j, l target words e_i; t is the aligner's table t(source | target, D), at
    least its lexical floor. Words are lowercased where all words of the model are in lower case.
    Default: all domains of the model.
    """
    domains = model.domains if domains is None else domains
    columns = np.empty((len(table), len(domains)))
    source = (
        _in_vocabulary(table.source, model.source_vocabulary, model.source_form),
        table.source.offsets,
        table.rule_source,
    )
    target = (
        _in_vocabulary(table.target, model.target_vocabulary, model.target_form),
        table.target.offsets,
        table.rule_target,
    )
    for number, domain in enumerate(domains):
        scores = np.empty(len(table))
        model1_log_scores(
            source,
            target,
            model.index.row_offsets,
            model.index.columns,
            np.ascontiguousarray(model.parameters.lexical[:, model.domain_number(domain), 0]),
            model.options.lexical_floor,
            scores,
        )
        columns[:, number] = np.exp(scores)
    return table.with_scores([domain_feature_name(domain) for domain in domains], columns)
