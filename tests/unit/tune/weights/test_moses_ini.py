"""A moses.ini is read as a whole, within bounds."""

import pytest

import tune.weights.moses_ini
from align.errors import DataError
from tune.weights.moses_ini import read_moses_ini


def test_a_file_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune.weights.moses_ini, "LARGEST_FILE", 1000)
    with pytest.raises(DataError, match=r"/dev/zero: more than 1000 bytes; expected a moses\.ini"):
        read_moses_ini("/dev/zero")
