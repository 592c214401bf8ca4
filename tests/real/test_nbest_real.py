"""Whole lists of a real system: as the slow reader reads them, and stored in little memory."""

import gzip
from pathlib import Path

import numpy as np

from isogloss.tune.nbest.store import open_nbest, store_nbest
from isogloss.tune.nbest.types import read_nbest
from tests.naive import nbest as naive


def test_merged_runs_as_the_slow_reader_reads_them(shared_data: Path, tmp_path: Path) -> None:
    lines, paths = [], []
    for run in (1, 2, 3):
        with gzip.open(shared_data / "nbest-es-en" / f"run{run}.best100.gz", "rt") as stream:
            lines += [next(stream)[:-1] for _ in range(5000)]
        paths.append(tmp_path / str(run))
        paths[-1].write_text("\n".join(lines[-5000:]) + "\n")
    names, expected = naive.read(lines)
    lists = read_nbest(paths)
    assert names == list(lists.space.names)
    hypotheses = [hypothesis for sentence in range(len(lists)) for hypothesis in expected[sentence]]
    assert [text for text, _ in hypotheses] == list(lists.texts)
    values = [value for _, features in hypotheses for _, value in features]
    ids = [lists.space.id(name) for _, features in hypotheses for name, _ in features]
    np.testing.assert_array_equal(np.array(values, np.float32), lists.rows.values)
    np.testing.assert_array_equal(ids, lists.rows.ids)


def test_three_runs_in_memory_and_on_disk(shared_data: Path, tmp_path: Path) -> None:
    paths = [shared_data / "nbest-es-en" / f"run{run}.best100.gz" for run in (1, 2, 3)]
    lists = read_nbest(paths, 1000)
    assert (206_229, 14) == (len(lists.texts), len(lists.space))
    store_nbest(paths, tmp_path / "stored", num_sentences=1000, max_memory=4 << 20)
    stored = open_nbest(tmp_path / "stored")
    assert lists.space.names == stored.space.names
    assert lists.texts == stored.texts
    assert lists.rows == stored.rows
    np.testing.assert_array_equal(lists.sentence_offsets, stored.sentence_offsets)
