"""Paths: what every function that reads or writes takes, and that all make parent folders."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.align import (
    AlignmentModel,
    Bitext,
    GoldLinks,
    Links,
    read_gold,
    read_links,
    read_sentences,
    train,
)
from isogloss.align.errors import WrongTypeError
from isogloss.align.files.writers import write_lines

WRONG: Any = 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: read_links(WRONG),
        lambda: read_gold(WRONG),
        lambda: read_sentences(WRONG),
        lambda: Links.load(WRONG),
        lambda: AlignmentModel.load(WRONG),
        lambda: train(["a"], ["b"], model1_iterations=1, hmm_iterations=0).save(WRONG),
        lambda: write_lines(["x"], WRONG),
    ],
)
def test_what_is_no_path(call: Callable[[], object]) -> None:
    with pytest.raises(WrongTypeError, match=r"^path must be a path, not 3$"):
        call()


def test_missing_parent_folders_are_made(tmp_path: Path) -> None:
    bitext = Bitext.from_sentences(["a b"], ["c d"])
    model = train(bitext, model1_iterations=1, hmm_iterations=0)
    links = model.align(bitext)
    inside = tmp_path / "new" / "folder"
    model.save(inside / "deep" / "model")
    links.save(inside / "links")
    GoldLinks(links, links).save(inside / "golden" / "links")
    bitext.save(inside / "sides" / "source", inside / "sides" / "target")
    assert AlignmentModel.load(inside / "deep" / "model").align(bitext) == links
    assert Links.load(inside / "links") == links
    assert (inside / "golden" / "links").read_text() == (inside / "links").read_text()
    assert (inside / "sides" / "target").read_text() == "c d\n"
