"""Kernels as plain Python: the same results line by line, so that a debugger and coverage see them.

Without the compiler what calls vector intrinsics can't run: the HMM and its Viterbi search, so
training and whatever learns a model first. Decoding and long texts take too long.

    NUMBA_DISABLE_JIT=1 python -m pytest -W ignore::RuntimeWarning tests/unit/features/bins
"""

import os
import subprocess
import sys

import pytest

from tests.architecture.reading import ROOT
from tests.tiers import tiers

CHOSEN = (
    "align/language_model/test_ngrams.py",
    "align/lexicon/test_eflomal_priors.py",
    "align/links/test_evaluate.py",
    "align/links/test_link_check.py",
    "align/model/test_cooccurrence.py",
    "features/bins",
    "features/extraction/test_count_features.py",
    "features/extraction/test_orientation.py",
    "features/extraction/test_phrases.py",
    "features/table/test_grammars.py",
    "tune/online/test_updates.py",
    "tune/optimizers/test_line_search.py",
    "tune/optimizers/test_mira.py",
    "tune/weights/test_regularizers.py",
)


@pytest.mark.parametrize("chosen", tiers(CHOSEN[2:5], CHOSEN))
def test_chosen_kernels_run_without_the_compiler(chosen: tuple[str, ...]) -> None:
    """Numbers that wrap around and infinities warn where Python's own scalars meet them."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0"]
    command += ["-W", "ignore::RuntimeWarning"]
    done = subprocess.run(
        [*command, *(f"tests/unit/{name}" for name in chosen)],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
