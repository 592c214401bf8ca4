"""One run of the pipeline: its configuration, its folder and what is done of it."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from isogloss.align.errors import DataError, some_names
from isogloss.align.files.outputs import naming_output
from isogloss.align.files.writers import write_lines
from isogloss.align.links.gold_sample import GoldSample

from ..console import Console
from ..runs.measure import measure
from ..runs.run_folder import MANIFEST
from .config import RunConfig, check_features
from .manifest import known_files
from .mixture import Mixture, read_mixture
from .run_files import names_of_run, present_files, remove_left_files

__all__ = ["PipelineRun", "Stage"]

_LONGEST = 220  # bytes of a name of a file: parts have 31 more

Stage = Callable[[], dict[str, Any]]


@dataclass
class PipelineRun:
    """What all stages share; what one needs is read back from the files of those before.

    manifest: stages that are done and their figures, as manifest.json has them
    """

    config: RunConfig
    console: Console
    manifest: dict[str, Any] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """A file of the run's folder."""
        return self.config.out / name

    @cached_property
    def mixture(self) -> Mixture:
        """The training text."""
        return read_mixture(self.config)

    @cached_property
    def gold_sample(self) -> GoldSample | None:
        """Gold links of some pairs of the training text, if the configuration names any."""
        part = self.config.gold_sample
        return None if part is None else GoldSample.read(part.gold, self.mixture.lengths, part.aim)

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the seed domains, as the first stage found them."""
        return tuple(self.manifest["stages"]["text"]["figures"]["seeds"])

    @property
    def best_model(self) -> str:
        """The alignment that later stages build on: with domains where there are any."""
        return "latent" if self.domains else "flat"

    def begin(self) -> None:
        """Make the folder of a new run in place of an older one's, or take up this one's."""
        done = self.manifest["stages"]
        if not done:
            domains = self.mixture.bitext.domains  # bad input is found before a run is lost
            check_features(self.config, domains)
            _ = self.gold_sample
            self.manifest["files"] = self._own_files(names_of_run(self.config, domains))
            with naming_output(self.config.out):
                self.config.out.mkdir(parents=True, exist_ok=True)
            self._write_manifest()
        remove_left_files(self.config.out, done, self.manifest["files"])

    def _own_files(self, names: Sequence[str]) -> list[str]:
        """The files of this run, and those of an earlier one in its folder."""
        long = next((name for name in names if len(os.fsencode(Path(name).name)) > _LONGEST), None)
        if long is not None:
            raise DataError(
                f"the file name {long[:60]}... of the tables of a domain is too long",
                f"file names of at most {_LONGEST} bytes",
                remedy="Rename the domain",
            )
        if not self.path(MANIFEST).exists():
            return list(names)
        present = present_files(self.config.out)
        earlier = known_files(self.path(MANIFEST)) or []
        if others := sorted(set(names).intersection(present).difference(earlier)):
            raise DataError(
                f"{self.config.out} contains {some_names(others)}, which its {MANIFEST} does not "
                "list",
                "only files of the run",
                remedy="Move that file, or choose another folder",
            )
        return sorted({*names, *set(earlier).intersection(present)})

    def _write_manifest(self) -> None:
        text = json.dumps(self.manifest, indent=1, ensure_ascii=False)
        write_lines(text.split("\n"), self.path(MANIFEST))

    def complete(self, name: str, stage: Stage) -> None:
        """Run a stage unless the manifest names it; then write down its figures."""
        done = self.manifest["stages"]
        if name in done:
            self.console.info(f"{name}: already done")
            return
        self.console.info(f"{name} ...")
        with measure() as usage:
            figures = stage()
        rounded = {measured: round(value, 1) for measured, value in asdict(usage).items()}
        done[name] = {"figures": figures, "usage": rounded}
        self._write_manifest()
        self.console.info(f"{name}: {usage.seconds:.1f} s, {usage.megabytes:.0f} MB")
