"""The viewer in browsers that lack what newer ones have."""

from isogloss.pages.viewer import AlignmentView

from .conftest import PAIRS


def test_chunks_are_unpacked_without_the_browsers_base64(open_page, sample):
    view = AlignmentView(sample.bitext, sample.links)
    pages = [open_page(view), open_page(view, before="delete Uint8Array.fromBase64")]
    texts = [seen.text("#pairs") for seen in pages]
    assert texts[0] == texts[1]
    assert f"{PAIRS} of {PAIRS} pairs" in pages[1].text(".summary")
