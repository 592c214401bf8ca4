"""States of online optimizers: written, read back, over other names, damaged, of other versions."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, ModelError
from isogloss.features.space import FeatureSpace
from isogloss.tune.online.state import OnlineState, read_online_state, write_online_state
from isogloss.tune.results import Epoch

SPACE = FeatureSpace(["LM0", "PT_a~b", "PT_c~d"])
STATE = OnlineState(
    weights=np.array([1.0, 0.0, -1 / 3]),
    squares=np.array([0.5, 0.0, 2.0]),
    settled=np.array([3.0, 3.0, 1.0]),
    sums=np.array([7.0, 0.0, 1e-300]),
    familiar=np.array([True, False, True]),
    time=0.1,
    steps=12,
    key=1 << 62,
    epoch=2,
    best_weights=np.array([0.9, 0.0, 0.0]),
    best_epoch=1,
    reached=0.25,
    epochs=(Epoch(0, 0.0, 40.0, 1, 39.0), Epoch(1, 7.5, 41.0, 2, None)),
    document=(1 / 3, 0.9),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_online_state(STATE, SPACE, tmp_path / "state.npz")
    return tmp_path / "state.npz"


FRESH = [OnlineState.fresh(np.zeros(3), average) for average in (True, False)]


@pytest.mark.parametrize("state", [STATE, replace(STATE, sums=np.zeros(0)), *FRESH])
def test_everything_comes_back(state: OnlineState, tmp_path: Path) -> None:
    write_online_state(state, SPACE, tmp_path / "state.npz")
    again = read_online_state(tmp_path / "state.npz", SPACE)
    for field in fields(OnlineState):
        expected, actual = getattr(state, field.name), getattr(again, field.name)
        if isinstance(expected, np.ndarray):
            assert (expected.tobytes(), expected.dtype) == (actual.tobytes(), actual.dtype)
        else:
            assert expected == actual
    write_online_state(again, SPACE, tmp_path / "again.npz")
    assert (tmp_path / "state.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_over_another_space(path: Path) -> None:
    state = read_online_state(path, FeatureSpace(["new", "LM0", "PT_c~d"]))
    assert [0.0, 1.0, -1 / 3] == state.weights.tolist()
    assert [False, True, True] == state.familiar.tolist()
    assert STATE.epochs == state.epochs


def npy(head: str) -> bytes:
    """Head of an array, and some numbers, as NumPy's other form has them."""
    head = head.replace("}", "'fortran_order': False, }").ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + bytes(24)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: np.savez(path, a=np.zeros(2)),
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_text("weights"),
        lambda path: path.write_bytes(npy("{'descr': '<f8', 'shape': (3,), }") + path.read_bytes()),
        lambda path: path.write_bytes(npy("{'descr': '<f8', (") + path.read_bytes()),
        lambda path: path.write_bytes(npy("{'descr': '|O', }") + path.read_bytes()),
    ],
    ids=["gone", "other arrays", "cut short", "text", "array first", "half a head", "objects"],
)
def test_a_damaged_state(damage: Callable[[Path], None], path: Path) -> None:
    damage(path)
    with pytest.raises(
        DataError,
        match=r"state\.npz: the file is not a state of kind 'isogloss online optimizer' \(",
    ):
        read_online_state(path, SPACE)


def change_header(path: Path, change: Callable[[dict], dict]) -> None:
    """The same arrays under another header."""
    with np.load(path) as content:
        arrays = dict(content)
    header = change(json.loads(arrays.pop("header").tobytes()))
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)


def test_arrays_of_unequal_length(path: Path) -> None:
    change_header(path, lambda header: header | {"names": ["LM0", "PT_a~b"]})
    with pytest.raises(DataError, match="arrays have different lengths"):
        read_online_state(path, SPACE)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"version": [2, 0], "program": "9"}, r"version 2; this program reads 1\. Update"),
        ({"version": [0, 1]}, r"version 0; this program reads 1\. Start the tuning again"),
        ({"kind": "thesis"}, "is of kind 'thesis'; expected 'isogloss online optimizer'"),
    ],
)
def test_of_another_kind_or_version(values: dict, message: str, path: Path) -> None:
    change_header(path, lambda header: header | values)
    with pytest.raises(ModelError, match=message):
        read_online_state(path, SPACE)


def test_the_first_states_told_no_version(path: Path) -> None:
    stamp = {"version", "program", "document"}  # nor had any an oracle document
    change_header(path, lambda header: {k: v for k, v in header.items() if k not in stamp})
    state = read_online_state(path, SPACE)
    assert (STATE.epochs, ()) == (state.epochs, state.document)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": -1}, "steps is -1; expected an integer of at least 0"),
        ({"time": float("nan")}, "time is nan; expected a finite number"),
        ({"reached": float("nan")}, "reached is nan; expected a number"),
        ({"key": 1 << 63}, "key is 9223372036854775808; expected an integer of at most 92233"),
        ({"best_epoch": 2}, "best_epoch is 2, but the number of epochs is 2"),
        ({"epochs": [{"number": 0, "loss": 0, "score": "x", "active": 0}]}, r"epochs\[0\]\.score"),
        ({"document": ["x"]}, r"document\[0\]"),
        ({"names": [1, 2, 3]}, r"names\[0\] is 1; expected a string"),
    ],
)
def test_headers_of_nonsense(values: dict, message: str, path: Path) -> None:
    change_header(path, lambda header: header | values)
    with pytest.raises(
        DataError, match=rf"the file is not a state of kind 'isogloss online optimizer' \({message}"
    ):
        read_online_state(path, SPACE)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("weights", np.array([1.0, 0.0, np.nan]), "weights contains a number that is not finite"),
        ("weights", np.zeros(3, np.float32), "weights has the type float32 and 1 dimensions"),
        ("squares", np.array([1.0, 0.0, -1.0]), "squares is below 0"),
        ("settled", np.zeros((3, 1)), "settled has the type float64 and 2 dimensions"),
        ("familiar", np.array([2, 1, 0], np.int8), "familiar has the type int8 and 1 dimensions"),
        ("best_weights", np.zeros(0), "arrays have different lengths"),
    ],
)
def test_arrays_that_kernels_do_not_take(
    name: str, array: np.ndarray, message: str, path: Path
) -> None:
    with np.load(path) as content:
        arrays = dict(content)
    np.savez(path, **(arrays | {name: array}))
    with pytest.raises(
        DataError, match=rf"the file is not a state of kind 'isogloss online optimizer' \({message}"
    ):
        read_online_state(path, SPACE)


def test_an_archive_that_unpacks_to_more_than_its_size(path: Path) -> None:
    with np.load(path) as content:
        arrays = dict(content)
    np.savez_compressed(path, **(arrays | {"weights": np.zeros(1 << 20)}))
    with pytest.raises(DataError, match="the archive expands to more than its declared size"):
        read_online_state(path, SPACE)


def test_arrays_whose_head_is_nonsense(path: Path) -> None:
    """numpy raises what Python's own tokenizer raises."""
    with np.load(path) as content:
        arrays = dict(content)
    text = io.BytesIO()
    np.save(text, arrays["weights"])
    with zipfile.ZipFile(path, "w") as archive:
        for name in arrays:
            archive.writestr(f"{name}.npy", text.getvalue().replace(b"{'descr'", b"{((((((("))
    with pytest.raises(
        DataError,
        match=r"state\.npz: the file is not a state of kind 'isogloss online optimizer' \(",
    ):
        read_online_state(path, SPACE)
