"""Real text is recognized as text: no warning for any side of the real bitexts."""

import os
from pathlib import Path

import pytest

from isogloss.align.text.recognition.recognition import forms_of_text

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ISOGLOSS_DATA", ROOT.parent / "shared/data"))
LANGUAGES = ("en", "es", "fr", "de", "cs", "ja")
TEXTS = [
    *(text for code in LANGUAGES for text in sorted(DATA.glob(f"*-*/*.{code}.gz"))),
    *sorted((ROOT / "data").glob("*.e[ns].gz")),
]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_is_said_of_real_text(path: Path) -> None:
    assert [form for form in forms_of_text(path) if form.level != "note"] == []
