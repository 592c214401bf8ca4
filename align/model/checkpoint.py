"""Checkpoints: what training needs to go on after an interruption, written after each iteration.

A folder with one subfolder of arrays and a header that names it. The header is replaced in one
step, so that there is a whole checkpoint at any time. It holds a checksum of each array's file and
of itself, which are verified when training goes on.
"""

import hashlib
import json
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IsoglossError, ModelError
from ..files.checksums import file_sums, find_damage, is_intact, raise_damage, seal
from ..files.writers import atomic_file, atomic_folder, write_array
from ..language_model.arpa import read_arpa, write_arpa
from ..lexicon.tables import LexicalEntries
from ..links.supervision import LinkSupervision
from ..text.corpus import Bitext
from .cooccurrence import PairIndex
from .em import Iteration, Trainer
from .latent_domain import DomainLanguageModels, LatentDomains
from .parameters import AlignerOptions, Parameters

__all__ = ["Checkpoint", "fingerprint"]

KIND = "isogloss training checkpoint"
VERSION = 2
HEADER = "checkpoint.json"
REMEDY = "Start again with --overwrite"
_TABLES = tuple(field.name for field in fields(Parameters))
_SIDES = ("source", "target")


def fingerprint(
    bitext: Bitext,
    options: AlignerOptions,
    dictionary: LexicalEntries | None = None,
    supervision: LinkSupervision | None = None,
) -> str:
    """A hash of all that decides what training gives."""
    digest = hashlib.sha256(json.dumps(asdict(options), sort_keys=True).encode())
    digest.update(json.dumps(bitext.domains).encode())
    arrays: list[NDArray[Any]] = [bitext.labels]
    for corpus in (bitext.source, bitext.target):
        arrays += [corpus.tokens, corpus.offsets, *corpus.vocabulary.to_bytes()]
    if dictionary is not None:
        arrays += [dictionary.source, dictionary.target, dictionary.weight]
    if supervision is not None:
        digest.update(json.dumps({"hand_links": supervision.confidence}).encode())
        arrays += [supervision.links.keys()]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A place for the state of one training run.

    folder: made when first saved to; fingerprint: see :func:`fingerprint`.
    """

    folder: Path
    fingerprint: str

    def save(self, trainer: Trainer, latent: LatentDomains | None, done: int) -> None:
        """Write the state after ``done`` iterations in place of an earlier one.

        Raises OutputError where it can't be written, such as on a full disk; the earlier one is
        kept.
        """
        own = self.folder / f"after-{done}"
        arrays = {name: getattr(trainer.parameters, name) for name in _TABLES}
        arrays |= {"row_offsets": trainer.index.row_offsets, "columns": trainer.index.columns}
        header: dict[str, Any] = {
            "kind": KIND,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "done": done,
            "trace": [asdict(iteration) for iteration in trainer.trace],
        }
        models = None
        if latent is not None and latent.started:
            more, samples = latent.state()
            arrays |= more | {f"sample.{k}": rows for k, rows in enumerate(samples)}
            header |= {"samples": len(samples), "refits": latent.refits}
            models = latent.models
        try:
            with atomic_folder(own) as part:
                for name, array in arrays.items():
                    write_array(array, part / f"{name}.npy")
                _write_models(models, part)
                header["files"] = file_sums(part)
            self._write_header(header, own)
        except BaseException:
            with suppress(OSError):
                self.folder.rmdir()  # unless an older state is in it
            raise
        for other in self.folder.glob("after-*"):
            if other != own:
                shutil.rmtree(other, ignore_errors=True)

    def _write_header(self, header: dict[str, Any], own: Path) -> None:
        try:
            with atomic_file(self.folder / HEADER) as stream:
                stream.write(seal(header))
        except BaseException:
            shutil.rmtree(own, ignore_errors=True)
            raise

    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return (self.folder / HEADER).exists()

    def load(self, trainer: Trainer, latent: LatentDomains | None) -> int:
        """Put a run back where it stood; returns how many iterations were done.

        Raises ModelError for a checkpoint that is damaged, or of another text or other options.
        """
        path = self.folder / HEADER
        try:
            content = path.read_bytes()
            header = json.loads(content)
            if (header["kind"], header["version"]) != (KIND, VERSION):
                raise ModelError(f"{path} is no checkpoint that this program can read. {REMEDY}")
            if not is_intact(content):
                raise ModelError(f"{path} has changed since it was written. {REMEDY}")
            if header["fingerprint"] != self.fingerprint:
                raise ModelError(
                    f"{path} is of another text or of other options; go on with those, or start "
                    "again with --overwrite"
                )
            self._restore(header, trainer, latent)
        except ModelError:
            raise
        except (OSError, ValueError, KeyError, TypeError, EOFError, IsoglossError) as error:
            raise ModelError(f"{self.folder} is damaged ({error}). {REMEDY}") from error
        return int(header["done"])

    def _restore(
        self, header: dict[str, Any], trainer: Trainer, latent: LatentDomains | None
    ) -> None:
        own = self.folder / f"after-{header['done']}"
        raise_damage(own, find_damage(own, header["files"]), REMEDY)

        def array(name: str) -> Any:
            return np.load(own / f"{name}.npy")

        trainer.restore(
            Parameters(*(array(name) for name in _TABLES)),
            PairIndex(array("row_offsets"), array("columns")),
            [Iteration.from_json(one) for one in header["trace"]],
        )
        if latent is not None and "samples" in header:
            samples = [array(f"sample.{k}") for k in range(header["samples"])]
            language = array("log_language") if (own / "log_language.npy").exists() else None
            latent.restore(
                array("log_prior"), language, samples, header["refits"],
                _read_models(own, latent.num_domains),
            )  # fmt: skip

    def remove(self) -> None:
        """Take it away: the run is over."""
        if self.exists():
            shutil.rmtree(self.folder)


def _write_models(models: DomainLanguageModels | None, folder: Path) -> None:
    for side in _SIDES if models is not None else ():
        for domain, ngrams in enumerate(getattr(models, side)):
            write_arpa(ngrams, folder / f"{side}.{domain}.arpa")


def _read_models(folder: Path, num_domains: int) -> DomainLanguageModels | None:
    if not (folder / f"{_SIDES[0]}.0.arpa").exists():
        return None
    source, target = (
        tuple(read_arpa(folder / f"{side}.{domain}.arpa") for domain in range(num_domains))
        for side in _SIDES
    )
    return DomainLanguageModels(source, target)
