"""Model folders: replaced when asked to only, of other versions, damaged, put together wrongly."""

import json
import re
import shutil
import zlib
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import ModelError
from isogloss.align.files.checksums import file_sums, seal
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.train import train
from tests.naive.alignment import random_bitext
from tests.naive.older_models import to_format_2_0

# the labels are random
pytestmark = pytest.mark.filterwarnings(
    "ignore:the seed sample of domain:isogloss.align.DataWarning"
)

OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_window=3, out_domain_size=20)


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, (160, 2)).tolist()
    return random_bitext(rng, lengths, num_types=12)


@pytest.fixture(scope="module")
def flat(bitext: Bitext) -> AlignmentModel:
    return train(bitext.select(np.arange(5)), options=OPTIONS.replace(jump_classes=0))


@pytest.fixture
def folder(flat: AlignmentModel, tmp_path: Path) -> Path:
    flat.save(tmp_path / "model")
    return tmp_path / "model"


def test_an_existing_folder_is_kept(flat: AlignmentModel, folder: Path) -> None:
    (folder / "mine").write_text("x")
    with pytest.raises(ModelError, match=r"model exists; choose another .* pass `overwrite=True`"):
        flat.save(folder)
    assert (folder / "mine").exists()
    with pytest.raises(ModelError, match=r"contains files that model.json does not list \(mine\),"):
        flat.save(folder, overwrite=True)
    (folder / "mine").unlink()
    flat.save(folder, overwrite=True)
    assert flat.domains == AlignmentModel.load(folder).domains
    assert [folder] == list(folder.parent.iterdir())


@pytest.mark.parametrize("there_before", [False, True])
def test_no_half_written_folder(
    flat: AlignmentModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there_before: bool
) -> None:
    folder = tmp_path / "model"
    if there_before:
        flat.save(folder)
    count = iter(range(100))

    def fail(array: np.ndarray, path: Path) -> None:
        path.write_bytes(b"half")
        if next(count) == 3:
            raise RuntimeError("half way")

    monkeypatch.setattr("isogloss.align.files.stored_folder.write_array", fail)
    with pytest.raises(RuntimeError, match="half way"):
        flat.save(folder, overwrite=True)
    monkeypatch.undo()
    assert ([folder] if there_before else []) == list(tmp_path.iterdir())
    if there_before:
        assert flat.domains == AlignmentModel.load(folder).domains


def change_header(folder: Path, **changes: object) -> None:
    """Change values and put the checksums right."""
    path = folder / "model.json"
    header = json.loads(path.read_text()) | changes
    path.unlink()
    path.write_bytes(seal(header | {"files": file_sums(folder)}))


def test_no_header(folder: Path) -> None:
    (folder / "model.json").unlink()
    with pytest.raises(ModelError, match=r"model is not a model folder: it has no model\.json"):
        AlignmentModel.load(folder)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="none is not a model folder"):
        AlignmentModel.load(tmp_path / "none")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": [2, 1]}'])
def test_a_damaged_header(folder: Path, text: str) -> None:
    (folder / "model.json").write_text(text)
    with pytest.raises(ModelError, match=r"model\.json is damaged \("):
        AlignmentModel.load(folder)


def test_another_kind(folder: Path) -> None:
    change_header(folder, kind="isogloss phrase model")
    with pytest.raises(
        ModelError, match="is of kind 'isogloss phrase model'; expected 'isogloss alignment model'"
    ):
        AlignmentModel.load(folder)


@pytest.mark.parametrize(
    ("major", "remedy"), [(3, "Update isogloss"), (1, "Train the model again")]
)
def test_another_major_version(folder: Path, major: int, remedy: str) -> None:
    change_header(folder, version=[major, 0])
    with pytest.raises(
        ModelError, match=f"has format version {major}; this program reads 2. {remedy}"
    ):
        AlignmentModel.load(folder)
    with pytest.raises(ModelError, match=remedy):
        MODEL_FORMAT.read_header(folder)


def test_a_newer_minor_version_is_read(flat: AlignmentModel, folder: Path) -> None:
    (folder / "of_tomorrow.npy").write_bytes(b"1")
    change_header(folder, version=[2, 7])
    assert MODEL_FORMAT.read_header(folder)["version"] == (2, 7)
    assert flat.domains == AlignmentModel.load(folder, verify=True).domains
    (folder / "of_tomorrow.npy").write_bytes(b"2")
    with pytest.raises(ModelError, match=r"of_tomorrow\.npy has changed"):
        AlignmentModel.load(folder)


def test_an_older_minor_version_is_read(flat: AlignmentModel, folder: Path) -> None:
    to_format_2_0(folder)
    assert MODEL_FORMAT.read_header(folder)["version"] == (2, 0)
    for verify in (False, True):
        loaded = AlignmentModel.load(folder, verify=verify)
        assert flat.options == loaded.options
        for name, table in vars(flat.parameters).items():
            np.testing.assert_array_equal(getattr(loaded.parameters, name), table)


def test_options_of_a_newer_minor_version_are_passed_over(
    flat: AlignmentModel, folder: Path
) -> None:
    options = asdict(flat.options) | {"of_tomorrow": 1}
    change_header(folder, version=[2, 7], options=options)
    assert flat.options == AlignmentModel.load(folder).options
    change_header(folder, version=[2, 1], options=options)
    with pytest.raises(ModelError, match=r"does not match the contents of the folder.*of_tomorrow"):
        AlignmentModel.load(folder)


@pytest.mark.parametrize("checksums", [False, True])
@pytest.mark.parametrize("size", [0, 20, 140])
def test_a_truncated_array(folder: Path, size: int, checksums: bool) -> None:
    if not checksums:
        to_format_2_0(folder)
    path = folder / "lexical.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    seen = rf"lexical\.npy has {size} bytes; it was written with {len(whole)}"
    if not checksums:
        seen = r"lexical\.npy is missing or damaged \("
    with pytest.raises(ModelError, match=rf"{seen}.*\. Restore a backup of the folder"):
        AlignmentModel.load(folder)


@pytest.mark.parametrize("checksums", [False, True])
def test_a_missing_array(folder: Path, checksums: bool) -> None:
    if not checksums:
        to_format_2_0(folder)
    (folder / "index.columns.npy").unlink()
    with pytest.raises(ModelError, match=r"index\.columns\.npy (is missing|cannot be read)"):
        AlignmentModel.load(folder)


@pytest.mark.parametrize(
    ("shape", "kind", "seen"),
    [
        ((2, 1, 1, 3), np.float64, r"float64\[2, 1, 1, 3\]"),
        ((2, 1, 1, 9), np.float32, r"float32\[2, 1, 1, 9\]"),
    ],
)
def test_another_shape_or_type(folder: Path, shape: tuple, kind: type, seen: str) -> None:
    np.save(folder / "jump.npy", np.ones(shape, kind))
    change_header(folder)
    with pytest.raises(
        ModelError, match=rf"jump\.npy contains {seen}, but the header declares float64"
    ):
        AlignmentModel.load(folder)


def every_file() -> list[str]:
    """Files of a model with two seed domains."""
    arrays = ["index.row_offsets", "index.columns", "lexical", "log_prior", "jump", "start"]
    arrays += [f"{side}.{part}" for side in ("source", "target") for part in ("words", "offsets")]
    arrays += ["null_source", "null_target", "source_class", "target_class"]
    models = [f"{side}.{domain}.arpa" for side in ("source", "target") for domain in range(3)]
    return [*(f"{name}.npy" for name in arrays), *models, "model.json"]


@pytest.fixture(scope="module")
def domains_folder(bitext: Bitext, tmp_path_factory: pytest.TempPathFactory) -> Path:
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    folder = tmp_path_factory.mktemp("whole") / "model"
    train(bitext.with_numbered_labels(labels, ("law", "med")), options=OPTIONS).save(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(every_file())
    return folder


def flip(path: Path, fraction: float, bit: int = 0) -> None:
    """Flip a bit of the byte at a share of the file's length."""
    data = bytearray(path.read_bytes())
    data[int(fraction * (len(data) - 1))] ^= 1 << bit
    path.write_bytes(data)


@pytest.mark.parametrize("fraction", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", every_file())
def test_a_flipped_bit(domains_folder: Path, tmp_path: Path, name: str, fraction: float) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(domains_folder, folder)
    flip(folder / name, fraction)
    with pytest.raises(
        ModelError, match=rf"{re.escape(name)} .*(Restore a backup of the folder|Update)"
    ):
        AlignmentModel.load(folder, verify=True)


def test_all_damaged_files_are_named(domains_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(domains_folder, folder)
    flip(folder / "jump.npy", 0.9)
    (folder / "start.npy").unlink()
    with pytest.raises(
        ModelError,
        match=r"copy is damaged: jump\.npy has changed since it was written \(CRC-32\); "
        r"start\.npy cannot be read \(No such file or directory\)\. Restore a backup",
    ):
        AlignmentModel.load(folder)


def test_large_tables_of_word_pairs_are_read_on_demand_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip(folder / "lexical.npy", 0.9)
    flip(folder / "index.columns.npy", 1.0, 6)
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 1)
    AlignmentModel.load(folder)
    with pytest.raises(ModelError, match=r"index\.columns\.npy has changed.*lexical\.npy has chan"):
        AlignmentModel.load(folder, verify=True)
    flip(folder / "jump.npy", 0.9)
    with pytest.raises(ModelError, match=r"damaged: jump\.npy has changed[^;]*$"):
        AlignmentModel.load(folder)


def change_array(folder: Path, name: str, position: tuple, value: float) -> None:
    """Change one value where there are no checksums."""
    path = folder / f"{name}.npy"
    array = np.load(path)
    array[position] = value
    np.save(path, array)
    to_format_2_0(folder)


@pytest.mark.parametrize(
    ("name", "position", "value", "seen"),
    [
        ("index.row_offsets", (0,), 1, "rows of the index must be disjoint and within its"),
        ("index.row_offsets", (3,), 1 << 40, "rows of the index must be disjoint and within its"),
        ("index.row_offsets", (3,), -5, "rows of the index must be disjoint"),
        ("index.row_offsets", (-1,), 1 << 40, "rows of the index must be disjoint"),
        ("null_source", (0, 3), 1e38, "weights must be between 0 and 1.01"),
        ("null_source", (0, 3), np.nan, "weights must be between 0 and 1.01"),
        ("jump", (0, 0, 0, 3), -1.0, r"weights must be between 0 and 1.*"),
        ("jump", (0, 0, 0, 3), 0.0, "jump weights must be above 0"),
        ("log_prior", (0,), np.nan, "domain priors must sum to 1"),
        ("log_prior", ..., -np.inf, "domain priors must sum to 1"),
        ("log_prior", (0,), 1e300, "domain priors must sum to 1"),
        ("null_target", (0,), 0.7, "probabilities must sum to at most 1"),
        ("start", ..., 0.0, "the probability of starting at the first word must be above 0"),
        ("lexical", (-1, 0, 0), 0.5, "the probability of unseen pairs must be 0"),
    ],
)
def test_what_kernels_rely_on_is_always_checked(
    folder: Path, name: str, position: tuple, value: float, seen: str
) -> None:
    """Also in older folders, which have no checksums."""
    change_array(folder, name, position, value)
    with pytest.raises(ModelError, match=rf"model\.json does not match the contents .*{seen}"):
        AlignmentModel.load(folder)


@pytest.mark.parametrize(
    ("name", "position", "value", "seen"),
    [
        ("index.columns", (2,), 1 << 30, "word pairs must be sorted"),
        ("index.columns", (-1,), -1, "word pairs must be sorted"),
        ("index.columns", (2,), 0, "word pairs must be sorted"),
        ("lexical", (3, 0, 1), np.nan, "weights must be between 0 and"),
        ("lexical", (3, 0, 1), -0.5, "weights must be between 0 and"),
        ("lexical", (slice(-1), 0, 0), 0.9, "probabilities must sum to at most 1"),
        ("lexical", (slice(-1), 0, 1), 0.9, "probabilities must sum to at most 1"),
    ],
)
def test_what_verify_finds_without_checksums(
    folder: Path, name: str, position: tuple, value: float, seen: str, monkeypatch
) -> None:
    """Small tables are looked through without it, too."""
    change_array(folder, name, position, value)
    with pytest.raises(ModelError, match=seen):
        AlignmentModel.load(folder)
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 0)
    AlignmentModel.load(folder)
    with pytest.raises(ModelError, match=seen):
        AlignmentModel.load(folder, verify=True)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("index.row_offsets", np.zeros(3, np.int64)),
        ("index.columns", np.zeros(3, np.int32)),
        ("null_source", np.zeros((1, 2), np.float32)), ("log_prior", np.zeros(1, np.float32)),
        ("start", np.zeros((2, 1, 3))), ("jump", np.zeros((2, 1, 4, 3))),
        ("source_class", np.zeros(3, np.int32)),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_each_other(folder: Path, name: str, form: np.ndarray) -> None:
    np.save(folder / f"{name}.npy", form)
    arrays = json.loads((folder / "model.json").read_text())["arrays"]
    change_header(folder, arrays=arrays | {name: [str(form.dtype), list(form.shape)]})
    with pytest.raises(ModelError, match=r"expected \w+\(.*\), got \w+\(|must be one prior"):
        AlignmentModel.load(folder)


@pytest.mark.parametrize("value", [-1, 1])
def test_word_classes_that_the_jumps_lack(folder: Path, value: int) -> None:
    path = folder / "target_class.npy"
    np.save(path, np.full_like(np.load(path), value))
    change_header(folder)
    with pytest.raises(ModelError, match="word classes must be between 0 and 0"):
        AlignmentModel.load(folder)


def test_word_pairs_in_another_order_of_memory(folder: Path) -> None:
    path = folder / "lexical.npy"
    np.save(path, np.asfortranarray(np.load(path)))
    change_header(folder)
    with pytest.raises(ModelError, match=r"contains float32\[45, 1, 2\], but the header declares"):
        AlignmentModel.load(folder)


@pytest.mark.parametrize("key", ["checksum", "files"])
def test_a_header_without_checksums_is_of_an_older_version(folder: Path, key: str) -> None:
    path = folder / "model.json"
    header = json.loads(path.read_text())
    del header[key]
    path.write_text(json.dumps(header))
    with pytest.raises(ModelError, match=r"model\.json has changed since it was written"):
        AlignmentModel.load(folder)


def test_the_checksum_of_a_header_is_that_of_its_bytes(folder: Path) -> None:
    text = (folder / "model.json").read_bytes()
    checksum = json.loads(text)["checksum"].encode()
    blank = text.replace(b'"checksum": "' + checksum, b'"checksum": "00000000')
    assert checksum == f"{zlib.crc32(blank):08x}".encode()
    for name, expected in json.loads(text)["files"].items():
        data = (folder / name).read_bytes()
        assert {"bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"} == expected


def test_only_a_model_folder_is_overwritten(flat: AlignmentModel, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("x")
    with pytest.raises(ModelError, match="work is not a model folder"):
        flat.save(tmp_path / "work", overwrite=True)
    assert (tmp_path / "work" / "thesis.tex").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"arrays": {}}, {"options": {"unheard_of": 1}}, {"options": {"window": 0}}, {"trace": [{}]},
        {"version": "1.0"}, {"language_models": True}, {"domains": ["law", "out"]},
    ],
    ids=str,
)  # fmt: skip
def test_a_header_that_does_not_fit(folder: Path, changes: dict) -> None:
    change_header(folder, **changes)
    with pytest.raises(
        ModelError,
        match=r"model\.json does not match the contents|model\.json is damaged \(|0\.arpa",
    ):
        AlignmentModel.load(folder)
