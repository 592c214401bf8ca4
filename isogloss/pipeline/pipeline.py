"""`isogloss run` and `isogloss demo`: mixed bitext in, tuned feature-enhanced phrase model out.

Each stage writes its files, then its name and figures to manifest.json; a run that was stopped
goes on after the last stage that the manifest names.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ..console import Console
from .alignment import align, describe_text
from .config import RunConfig
from .manifest import open_manifest
from .phrase_model import add_features, build_language_model, extract_phrases
from .run import PipelineRun, Stage
from .run_files import remove_states
from .translation import DENSE, FULL, Decoders, translate, tune

__all__ = ["later_stages", "run_pipeline"]


def run_pipeline(
    config: RunConfig, console: Console, *, resume: bool = False, overwrite: bool = False
) -> Mapping[str, Any]:
    """Run all stages that the manifest does not name yet; returns the manifest.

    What earlier runs have left of stages that are to be done is removed, once all input is read.
    """
    run = PipelineRun(config, console, open_manifest(config, resume=resume, overwrite=overwrite))
    run.begin()
    run.complete("text", partial(describe_text, run))
    for name, stage in later_stages(run):
        run.complete(name, stage)
        remove_states(config.out, run.manifest["stages"])
    remove_states(config.out)
    return run.manifest


def later_stages(run: PipelineRun) -> Iterator[tuple[str, Stage]]:
    """Names and functions of the stages after the first, in order."""
    yield "align-flat", partial(align, run, "flat")
    if run.domains:
        yield "align-latent", partial(align, run, "latent")
    if not run.config.extract:
        return
    yield "extract", partial(extract_phrases, run)
    yield "language-model", partial(build_language_model, run)
    yield "features", partial(add_features, run)
    decoders = Decoders(run)
    if run.config.tuning:
        yield "tune-dense", partial(tune, run, decoders, DENSE)
        yield "tune-full", partial(tune, run, decoders, FULL)
    if run.config.test:
        yield "translate", partial(translate, run, decoders)
