"""Lists on disk: the same as in memory, mapped, verified."""

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align.errors import DataError, DataWarning, ModelError, UsageError
from isogloss.align.files.checksums import seal
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest import store
from isogloss.tune.nbest.store import is_stored_nbest, open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, read_nbest
from isogloss.tune.references import read_references
from tests.naive.tampering import tamper

RECORDS = [
    {"id": "x", "src": "s", "refs": ["r", "q"], "hyps": [
        {"text": "b", "features": {"lm": 1.0, "a_b": 2.0}, "metrics": {"m": 0.5, "n": 1}},
        {"text": "", "features": {"lm": 2.0}, "metrics": {"m": 0.25, "n": 2}},
    ]},
    {"id": "y", "src": "t", "refs": ["p"], "hyps": [
        {"text": "c", "features": {"lm": 3.0}, "metrics": {"m": 0.75, "n": 3}},
    ]},
]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "list").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return tmp_path / "list"


def assert_same(first: NBest, second: NBest) -> None:
    assert first.space.names == second.space.names
    assert first.texts == second.texts
    assert first.rows == second.rows
    assert first.names == second.names
    assert first.sources == second.sources
    np.testing.assert_array_equal(first.sentence_offsets, second.sentence_offsets)
    assert {k: v.tolist() for k, v in first.columns.items()} == {
        k: v.tolist() for k, v in second.columns.items()
    }
    assert (first.references is None) == (second.references is None)
    if first.references is not None and second.references is not None:
        assert first.references.streams() == second.references.streams()


@pytest.fixture
def all_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """As arrays of large lists are."""
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 0)


@pytest.mark.usefixtures("all_mapped")
def test_everything_comes_back(path: Path, tmp_path: Path) -> None:
    store_nbest([path], tmp_path / "stored")
    assert is_stored_nbest(tmp_path / "stored")
    lists = open_nbest(tmp_path / "stored", verify=True)
    assert_same(read_nbest([path]), lists)
    for array in (lists.texts.content, lists.rows.values, lists.rows.ids, lists.columns["m"]):
        assert isinstance(array.base, np.memmap)


@pytest.mark.parametrize("max_memory", [1, 100_000, 1 << 30])
def test_real_lists_merged_in_shards(shared_data: Path, tmp_path: Path, max_memory: int) -> None:
    paths = [shared_data / "nbest" / f"weather-it-en.iter{k:02}.nbest.gz" for k in (2, 1, 3)]
    store_nbest(paths, tmp_path / "stored", max_memory=max_memory)
    expected, stored = read_nbest(paths), open_nbest(tmp_path / "stored")
    assert_same(expected, stored)
    references = read_references(
        [shared_data / "nbest" / f"weather-it-en.ref{k}.gz" for k in range(3)]
    )
    in_memory, mapped = (
        Examples.from_nbest(lists, references, Bleu()) for lists in (expected, stored)
    )
    weights = np.linspace(-1, 1, len(expected.space))
    assert in_memory.best_score(weights) == mapped.best_score(weights)


def test_the_same_bytes_for_any_memory(path: Path, tmp_path: Path) -> None:
    for name, max_memory in (("one", 1), ("two", 1 << 20)):
        store_nbest([path], tmp_path / name, max_memory=max_memory)
    files = sorted((tmp_path / "one").iterdir())
    assert [file.name for file in files] == sorted(
        file.name for file in (tmp_path / "two").iterdir()
    )
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


@pytest.mark.parametrize(
    ("max_memory", "ranges"),
    [
        (1, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (283, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (284, [(0, 2), (2, 3), (3, 4)]),
        (426, [(0, 3), (3, 4)]),
        (709, [(0, 3), (3, 4)]),
        (710, [(0, 4)]),
    ],
)
def test_as_many_sentences_at_a_time_as_fit(
    max_memory: int, ranges: list[tuple[int, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hypotheses of 2 bytes with a feature take 142 each; the last sentence has two of them."""
    texts = {"ab": 0, "cd": 1, "ef": 2, "gh": 3, "ij": 3}
    lines = [f"{sentence} ||| {text} ||| x= 1 ||| 0\n" for text, sentence in texts.items()]
    (tmp_path / "list").write_text("".join(lines))
    between, found = store._between, []

    def noted(sentences: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
        found.append((low, high))
        return between(sentences, low, high)

    monkeypatch.setattr(store, "_between", noted)
    store_nbest([tmp_path / "list"], tmp_path / "stored", max_memory=max_memory)
    assert ranges == found
    lists = open_nbest(tmp_path / "stored")
    assert list(texts) == list(lists.texts)
    assert [0, 1, 2, 3, 5] == lists.sentence_offsets.tolist()


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 8])
def test_sentence_numbers_are_looked_at_in_parts(
    chunk: int, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = {"one": "0 a 0 b 1 c 2 d", "two": "0 e 1 f 1 c 2 g"}  # c comes twice
    for name, words in lists.items():
        pairs = zip(words.split()[::2], words.split()[1::2], strict=True)
        lines = [f"{sentence} ||| {text} ||| x= 1 ||| 0\n" for sentence, text in pairs]
        (tmp_path / name).write_text("".join(lines))
    monkeypatch.setattr(store, "_CHUNK", chunk)
    store_nbest([tmp_path / "one", tmp_path / "two"], tmp_path / "stored", max_memory=1)
    stored = open_nbest(tmp_path / "stored")
    assert list("abecfdg") == list(stored.texts)
    assert [0, 3, 5, 7] == stored.sentence_offsets.tolist()
    store_nbest([path], tmp_path / "records", max_memory=1)
    stored = open_nbest(tmp_path / "records")
    assert ["b", "", "c"] == list(stored.texts)
    assert [0, 2, 3] == stored.sentence_offsets.tolist()


def test_a_bad_list_leaves_nothing(path: Path, tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("0 ||| a ||| x= 1 2 ||| 0\n0 ||| a ||| x= 1 ||| 0\n")
    with pytest.raises(DataError, match=r"bad, line 2: 'x' has 1 value, but 2 in"):
        store_nbest([tmp_path / "bad"], tmp_path / "stored")
    assert {"bad", "list"} == {file.name for file in tmp_path.iterdir()}


def test_warnings_are_those_of_reading(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("1 ||| a ||| x= 1 ||| 0\n0 ||| a ||| x= 1 ||| 0\n")
    with pytest.warns(DataWarning, match="list: sentence ids are not sorted"):
        store_nbest([tmp_path / "list"], tmp_path / "stored")
    with pytest.raises(
        DataError, match="list, line 1: the sentence id 1 is too large for 1 sentence;"
    ):
        store_nbest([tmp_path / "list"], tmp_path / "other", num_sentences=1)


def same_with_sentences(paths: list[Path], num_sentences: int) -> None:
    """Read with a number of sentences, the list is what was stored without and opened with it."""
    folder = paths[0].parent / f"stored{num_sentences}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        expected = read_nbest(paths, num_sentences)
    told = {str(warning.message) for warning in caught}
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always", DataWarning)
        store_nbest(paths, folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        lists = open_nbest(folder, num_sentences)
    opened = {str(warning.message).replace(f"{folder}: ", "") for warning in caught}
    assert opened == {text.replace(f"{paths[0]}, line 2: ", "") for text in told}
    assert opened
    assert_same(expected, lists)


@pytest.mark.usefixtures("all_mapped")
def test_more_sentences_than_have_hypotheses(tmp_path: Path) -> None:
    text = "0 ||| a ||| x= 1 ||| 0\n2 ||| b ||| x= 1 ||| 0\n2 ||| c ||| x= 2 ||| 0\n"
    (tmp_path / "list").write_text(text)
    same_with_sentences([tmp_path / "list"], 3)
    same_with_sentences([tmp_path / "list"], 5)
    folder = tmp_path / "stored5"
    with pytest.warns(DataWarning, match=r"^3 sentences have no hypothesis \(first: 1\)"):
        lists = open_nbest(folder, 5)
    assert [0, 1, 1, 3, 3, 3] == lists.sentence_offsets.tolist()
    assert isinstance(lists.texts.content.base, np.memmap)
    message = rf"^{folder}: the list has hypotheses for 3 sentences; expected at most 2, the"
    with pytest.raises(DataError, match=message):
        open_nbest(folder, 2)


def test_more_sentences_than_records(tmp_path: Path) -> None:
    records = [{"id": k, "src": f"s{k}", "refs": ["r"], "hyps": [{"text": "a"}]} for k in range(2)]
    (tmp_path / "list").write_text("".join(json.dumps(one) + "\n" for one in records))
    same_with_sentences([tmp_path / "list"], 4)
    with (
        pytest.warns(DataWarning, match=r"2 sentences have no hypothesis \(first: 2\)"),
        pytest.warns(DataWarning, match="the references in the list are ignored, because 2"),
    ):
        lists = open_nbest(tmp_path / "stored4", 4)
    assert ("0", "1", "2", "3") == lists.names
    assert ["s0", "s1", "", ""] == list(lists.sources or ())


def test_names_and_another_number_of_sentences(path: Path, tmp_path: Path) -> None:
    store_nbest([path], tmp_path / "stored")
    assert_same(read_nbest([path], 2), open_nbest(tmp_path / "stored", 2))
    for number in (1, 3):
        message = rf"stored: the list has 2 records; expected {number}, one per sentence"
        with pytest.raises(DataError, match=message):
            open_nbest(tmp_path / "stored", number)


def test_numbers_of_other_sentences(tmp_path: Path) -> None:
    lines = ['{"id": 1, "refs": ["r"], "hyps": [{"text": "a"}]}',
             '{"id": 7, "refs": ["r"], "hyps": [{"text": "b"}]}']  # fmt: skip
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    same_with_sentences([tmp_path / "list"], 2)


def test_names_of_an_older_folder(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "stored"
    store_nbest([path], folder)
    files = json.loads((folder / "nbest.json").read_text())["files"]
    del files["names.numbers.npy"]
    (folder / "names.numbers.npy").unlink()
    changed(folder, files=files, version=[1, 0])
    assert_same(read_nbest([path]), open_nbest(folder, verify=True))


def test_folders_that_exist(path: Path, tmp_path: Path) -> None:
    store_nbest([path], tmp_path / "stored")
    with pytest.raises(ModelError, match="stored exists; choose another folder"):
        store_nbest([path], tmp_path / "stored")
    store_nbest([path], tmp_path / "stored", overwrite=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(
        ModelError, match="is not a folder of n-best lists, so it is not replaced; choose"
    ):
        store_nbest([path], tmp_path / "other", overwrite=True)
    with pytest.raises(UsageError, match="max_memory must be at least 1 byte, got 0"):
        store_nbest([path], tmp_path / "new", max_memory=0)


def changed(folder: Path, **values: object) -> None:
    header = json.loads((folder / "nbest.json").read_text())
    del header["checksum"]
    (folder / "nbest.json").write_bytes(seal(header | values))


def test_damage(path: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"nowhere is not a folder of n-best lists: it has no nbest.json"
    ):
        open_nbest(tmp_path / "nowhere")
    folder = tmp_path / "stored"
    store_nbest([path], folder)
    values = bytearray((folder / "rows.values.npy").read_bytes())
    values[-1] ^= 1
    (folder / "rows.values.npy").write_bytes(values)
    with pytest.raises(ModelError, match=r"rows.values.npy has changed since it was written"):
        open_nbest(folder)
    (folder / "rows.values.npy").unlink()
    with pytest.raises(ModelError, match=r"rows.values.npy cannot be read.*Store the lists again"):
        open_nbest(folder)
    store_nbest([path], folder, overwrite=True)
    changed(folder, files={})
    with pytest.raises(ModelError, match="does not match the contents of the folder"):
        open_nbest(folder)
    changed(folder, version=[2, 0])
    with pytest.raises(ModelError, match=r"has format version 2; this program reads 1. Update"):
        open_nbest(folder)
    changed(folder, kind="thesis")
    with pytest.raises(ModelError, match="is of kind 'thesis'; expected 'isogloss n-best list'"):
        open_nbest(folder)
    (folder / "nbest.json").write_text("{")
    with pytest.raises(ModelError, match=r"nbest.json is damaged .*Store the lists again"):
        open_nbest(folder)
    with pytest.raises(ModelError, match=r"contains files that nbest\.json does not list"):
        store_nbest([path], folder, overwrite=True)  # what is there may be anybody's
    shutil.rmtree(folder)
    store_nbest([path], folder)
    text = (folder / "nbest.json").read_text().replace('"m"', '"k"')
    (folder / "nbest.json").write_text(text)
    with pytest.raises(ModelError, match=r"nbest\.json has changed since it was written"):
        open_nbest(folder)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Two sentences of two hypotheses; features LM0, and X_y of the last hypothesis."""
    lines = [
        {"id": name, "src": "s", "refs": ["r"], "hyps": [
            {"text": f"{name} a", "features": {"LM0": 1.0}, "metrics": {"m": 1.0}},
            {"text": f"{name} b", "features": {"LM0": 2.0, "X_y": 1.0}, "metrics": {"m": 0.5}},
        ]} for name in ("first", 7)
    ]  # fmt: skip
    (tmp_path / "list.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    store_nbest([tmp_path / "list.jsonl"], tmp_path / "stored")
    return tmp_path / "stored"


@pytest.mark.parametrize(
    ("name", "array", "seen"),
    [
        ("rows__ids", np.array([0, 0, 1, 0, 0, 2], np.int32), "numbers of features are outside 0"),
        ("rows__ids", np.array([0, 0, 1, 0, 0, -1], np.int32), "numbers of features are outside 0"),
        ("rows__ids", np.zeros(6, np.int64), "rows.ids is int64"),
        ("rows__ids", np.zeros((6, 1), np.int32), r"rows.ids is int32\[6, 1\]"),
        ("rows__values", np.zeros(6), "rows.values is float64"),
        ("rows__values", np.zeros(5, np.float32), r"rows.values is float32\[5\]"),
        ("rows__offsets", np.array([0, 1, 3, 4, 7]), "rows.offsets must start at 0 and end at 6"),
        ("rows__offsets", np.array([0, 5, 3, 4, 6]), "rows.offsets must not decrease"),
        ("rows__offsets", np.array([0, 6]), r"rows.offsets is int64\[2\]; expected int64\[5\]"),
        ("sentence_offsets", np.array([0, 3, 2, 4]), "sentence_offsets must not decrease"),
        (
            "sentence_offsets",
            np.zeros(0, np.int64),
            "sentence_offsets must start at 0 and end at 4",
        ),
        ("texts__offsets", np.array([0, -9, 4, 5, 9]), "texts.offsets"),
        ("texts__content", np.zeros(9, np.int8), "texts.content is int8"),
        (
            "rows__values",
            np.array([1, 2, np.inf, 1, 2, 1], np.float32),
            "rows.values contains a number that is not finite",
        ),
        (
            "column__0",
            np.array([1.0, 2.0, np.nan, 0.5]),
            "column.0 contains a number that is not fin",
        ),
        ("column__0", np.zeros(3), r"column.0 is float64\[3\]"),
        ("names__numbers", np.array([True, True]), "'first' is not a finite number"),
        ("references__sentences", np.array([0, 1]), "references.sentences is int64"),
        ("sources__offsets", np.array([0, 2]), "sources.offsets is int64"),
    ],
)
def test_arrays_that_kernels_do_not_take(
    stored: Path, name: str, array: np.ndarray, seen: str
) -> None:
    """Whatever the checksums say: they ended the program by a signal, or gave nonsense."""
    assert len(open_nbest(stored)) == 2
    tamper(stored, "nbest.json", **{name: array})
    with pytest.raises(
        ModelError, match=rf"nbest\.json does not match the contents of the folder .*{seen}"
    ):
        open_nbest(stored, verify=True)


def test_texts_that_are_not_utf8(stored: Path) -> None:
    content = np.load(stored / "texts.content.npy")
    content[0] = 0xFF
    tamper(stored, "nbest.json", texts__content=content)
    with pytest.raises(DataError, match=r"string 0 is not UTF-8; expected undamaged text"):
        list(open_nbest(stored))
