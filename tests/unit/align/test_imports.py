"""What a name of align brings with it: reading and judging links needs neither Numba nor SciPy."""

import subprocess
import sys

import pytest

from isogloss import align

JUDGING = """
import sys
from isogloss.align import evaluate, read_bitext, read_gold, read_links, symmetrize
links, gold = read_links(sys.argv[1]), read_gold(sys.argv[1])
assert evaluate(links, gold).f1 == 1.0
symmetrize
bitext = read_bitext(sys.argv[2], sys.argv[2])
print(bitext, bitext[0], links, gold)
heavy = {"numba", "scipy", "kenlm"} & set(sys.modules)
assert not heavy, heavy
"""


def test_reading_and_judging_links_loads_no_compiler(tmp_path) -> None:
    links, text = tmp_path / "links", tmp_path / "text"
    links.write_text("0-0 1-1\n" * 3000)
    text.write_text("a b\n" * 3000)
    subprocess.run([sys.executable, "-c", JUDGING, str(links), str(text)], check=True)


@pytest.mark.parametrize("name", align.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(align, name).__module__.startswith("isogloss.align.")
    assert name in dir(align)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match=r"module 'isogloss\.align' has no attribute 'aline'"):
        align.aline  # type: ignore[attr-defined]  # noqa: B018
