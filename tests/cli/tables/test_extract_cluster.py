"""extract on a Ray cluster: the bytes of one machine."""

from pathlib import Path

import pytest

from tests.cli.tables.small_text import MANY_OPTIONS, by_name, run


@pytest.mark.thorough
@pytest.mark.parametrize("options", [MANY_OPTIONS, ["-q"], ["-q", "--add", "shape"]])
def test_nodes_write_the_bytes_of_one_machine(
    long_text: Path, options: list[str], started: object
) -> None:
    run(long_text, *options, output="one/table.gz")
    places = {
        "1": ["--nodes=1", "--threads=1"], "2": ["--nodes=2", "--threads=1", "--max-memory=1M"],
        "threads": ["--nodes=1", "--threads=2"],
    }  # fmt: skip
    for name, place in places.items():
        run(long_text, *options, "--cluster=local", *place, output=f"{name}/table.gz")
        assert by_name(long_text / name) == by_name(long_text / "one")
