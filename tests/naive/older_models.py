"""Model folders as older versions wrote them."""

import json
from pathlib import Path

import numpy as np


def to_format_2_0(folder: Path) -> None:
    """Turn a model folder without word classes into one of format 2.0, which had no checksums."""
    header = json.loads((folder / "model.json").read_text())
    jump = np.load(folder / "jump.npy")
    assert jump.shape[2] == 1
    np.save(folder / "jump.npy", jump[:, :, 0])
    header["arrays"]["jump"][1].pop(2)
    for name in ("source_class", "target_class"):
        (folder / f"{name}.npy").unlink()
        del header["arrays"][name]
    for name in ("jump_classes", "jump_class_smoothing", "sparse_prior"):
        del header["options"][name]
    header["options"]["combination"] = header["options"].pop("heuristic")
    del header["files"], header["checksum"], header["text"]
    (folder / "model.json").write_text(json.dumps(header | {"version": [2, 0]}))
