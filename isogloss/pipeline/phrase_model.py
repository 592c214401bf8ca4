"""Stages of the pipeline from the links to what the decoder reads: rules, features, n-grams."""

from typing import Any

from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.readers import read_links
from isogloss.features.bins.binning import Binning, bins_lines
from isogloss.features.bins.raw_values import with_raw_values
from isogloss.features.extraction.count_features import add_count_features
from isogloss.features.extraction.domain_lexical import add_domain_features
from isogloss.features.extraction.extract import extract_blocks
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.extraction.write_extracted import write_extracted
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrases_of
from isogloss.features.table.selections import without_scores
from isogloss.features.templates.apply import add_templates
from isogloss.features.templates.word_maps import bitext_frequencies

from .mixture import selected_sentences
from .run import PipelineRun

__all__ = ["add_features", "build_language_model", "extract_phrases", "needed_rules"]


def extract_phrases(run: PipelineRun) -> dict[str, Any]:
    """Phrase table of the training text."""
    links = read_links(run.path(f"{run.best_model}.links.gz"), scored=False)
    options = ExtractionOptions(run.config.max_phrase_length)
    blocks = extract_blocks(run.mixture.bitext, links, options)
    return {"phrase_pairs": write_extracted(blocks, run.path("phrase-table.gz"))}


def build_language_model(run: PipelineRun) -> dict[str, Any]:
    """N-gram model of the target side."""
    model = estimate_language_model(run.mixture.bitext.target, run.config.language_model_order)
    model.save(run.path("lm.arpa.gz"))
    return {"ngrams": [len(rows) for rows in model.ngrams]}


def needed_rules(run: PipelineRun) -> PhraseTable:
    """The rules that tuning and test need, with the scores of extraction."""
    config = run.config
    wanted: frozenset[str] = frozenset()
    for selection in (config.tuning, config.test):
        if selection:
            wanted |= phrases_of(selected_sentences(selection, config), config.max_phrase_length)
    return PhraseTable.load(
        run.path("phrase-table.gz"),
        sources=wanted if config.tuning or config.test else None,
        table_limit=config.table_limit,
    )


def add_features(run: PipelineRun) -> dict[str, Any]:
    """The rules that tuning and test need, with domain and sparse features."""
    config, table = run.config, needed_rules(run)
    table = add_count_features(table, config.count_features)
    model = AlignmentModel.load(run.path(f"{run.best_model}.model"))
    table = add_domain_features(table, model, config.domain_features)
    table = add_templates(
        table,
        config.templates,
        frequencies=bitext_frequencies(run.mixture.bitext),
        plugins=config.plugins,
    )
    table = with_raw_values(table, config.raw)
    bins = None
    if config.discretize:
        binning = Binning.fit([table], config.discretize)
        table = binning.apply(table)
        bins = bins_lines(binning)
    table = without_scores(table, config.drop)
    table.save(run.path("phrase-table.features.gz"), bins=bins)
    return {
        "rules": len(table),
        "dense_scores": list(table.score_names),
        "sparse_features": len(table.sparse_names),
    }
