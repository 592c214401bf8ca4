"""One run of the pipeline: its configuration, its folder and what is done of it."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from align.files.outputs import naming_output
from align.files.writers import write_lines

from ..console import Console
from ..runs.measure import measure
from ..runs.run_folder import MANIFEST
from .config import RunConfig
from .mixture import Mixture, read_mixture
from .run_files import remove_left_files

__all__ = ["PipelineRun", "Stage"]

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
            _ = self.mixture  # bad input is found before an older run is lost
            with naming_output(self.config.out):
                self.config.out.mkdir(parents=True, exist_ok=True)
            self._write_manifest()
        remove_left_files(self.config.out, done)

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
