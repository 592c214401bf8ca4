"""Domain-conditioned lexical features (Cuong & Sima'an 2015, footnote 11)."""

import numpy as np

from align.model.model import AlignmentModel

from ..space import escape
from ..table.phrase_table import PhraseTable
from .kernels.lexical import model1_log_scores

__all__ = ["add_domain_features", "domain_feature_name"]


def domain_feature_name(domain: str) -> str:
    """Name of the dense feature of a domain; dense names hold no underscore."""
    return f"DomainLex.{escape(domain)}"


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
    forms = model.source_form, model.target_form
    source = (
        table.source.over(model.source_vocabulary, lowercase=forms[0].lowercase).tokens,
        table.source.offsets,
        table.rule_source,
    )
    target = (
        table.target.over(model.target_vocabulary, lowercase=forms[1].lowercase).tokens,
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
