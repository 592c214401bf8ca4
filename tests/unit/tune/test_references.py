"""References: what is warned of when they are read."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataWarning
from isogloss.tune.references import read_references


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("utt-{} the cat", r"such as utt-1, as in Kaldi's lists of utterances.* cut -d' ' -f2- "),
        ("A12_{}_x the cat", "such as A12_1_x, as in Kaldi's"),
        ("spk{} the cat", "such as spk1, as in Kaldi's"),
        ("the cat (s_{}.wav)", r"such as \(s_1.wav\), as in sclite's .* sed 's/ \*"),
    ],
)
def test_names_of_utterances_are_told(tmp_path: Path, form: str, told: str) -> None:
    path = tmp_path / "ref"
    path.write_text("".join(f"{form.format(number)}\n" for number in range(1, 8)))
    with pytest.warns(DataWarning, match=told):
        read_references([path])


@pytest.mark.parametrize("form", ["utt-1 cat {}", "{} cats", "utt-{}", "the-{}cat", "I have ({})"])
def test_other_first_words_are_none(tmp_path: Path, form: str) -> None:
    path = tmp_path / "ref"
    lines = [form.format(number) for number in range(1, 8)]
    if "(" in form or "{}c" in form:
        lines[3] = lines[2]
    path.write_text("".join(f"{line}\n" for line in lines))
    assert len(read_references([path])) == 7
