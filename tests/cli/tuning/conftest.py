"""Files to tune from."""

import pytest

from tests.cli.tuning.word_lists import hypotheses


@pytest.fixture
def lists(tmp_path):
    """A Moses list, its reference, and weights by which the worst hypotheses win."""
    rows, references = [], []
    for number, (truth, candidates) in enumerate(hypotheses()):
        references.append(" ".join(truth))
        for words, values in candidates:
            shown = " ".join(f"{name}= {value:.4f}" for name, value in values.items())
            rows.append(f"{number} ||| {' '.join(words)} ||| {shown} F_{number}= 1 ||| 0")
    (tmp_path / "list").write_text("\n".join(rows) + "\n")
    (tmp_path / "ref").write_text("\n".join(references) + "\n")
    (tmp_path / "start").write_text("bad 1\n")
    return tmp_path
