"""Types that users of isogloss.align see; checked, never run."""

from pathlib import Path
from typing import assert_type

import pandas
import polars
import pyarrow

import isogloss as ig
from isogloss.align.text.sentences import Table


def training(bitext: ig.Bitext, frame: Table) -> None:
    assert_type(ig.train(bitext, hmm_iterations=3), ig.AlignmentModel)
    assert_type(ig.train(["the house"], [["la", "casa"]], preset="paper"), ig.AlignmentModel)
    assert_type(ig.train([("the house", "la casa")]), ig.AlignmentModel)
    assert_type(ig.train(Path("train.en"), "train.es"), ig.AlignmentModel)
    assert_type(ig.train(frame), ig.AlignmentModel)
    assert_type(ig.train(frame["en"], frame["es"], labels=frame["domain"]), ig.AlignmentModel)
    assert_type(ig.Bitext.from_sentences(frame), ig.Bitext)
    assert_type(ig.Bitext.from_pairs([("the house", "la casa")]), ig.Bitext)


def aligning(model: ig.AlignmentModel, bitext: ig.Bitext, frame: Table) -> None:
    assert_type(model.align(bitext), ig.Links)
    assert_type(model.align(["the house"], ["la casa"], heuristic="union"), ig.Links)
    assert_type(model.align("new.en", "new.es", threads=2), ig.Links)
    assert_type(model.align(frame), ig.Links)
    assert_type(model.align_pair("the house", "la casa"), ig.AlignedPair)
    assert_type(model.align_pair(bitext[0]), ig.AlignedPair)
    assert_type(ig.extract_dictionary(model, bitext, min_count=2), ig.Dictionary)
    assert_type(model.translations("house", bitext=bitext), ig.Translations)


def tables(links: ig.Links, pair: ig.AlignedPair) -> None:
    assert_type(links.to_pandas(), pandas.DataFrame)
    assert_type(pair.to_polars(), polars.DataFrame)
    assert_type(links.to_arrow(), pyarrow.Table)
