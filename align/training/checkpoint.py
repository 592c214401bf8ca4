"""Checkpoints: what training needs to go on after an interruption, written after each iteration.

A folder with one stored folder in it, that of the last iteration. Another one is written beside it
before it is removed, so that there is a whole checkpoint at any time. Where a text larger than
memory is aligned after training, a second folder in it holds the parts that are finished.
"""

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..errors import ModelError, pluralize, some_names
from ..execution.finished_parts import foreign_files, remove_finished
from ..files.outputs import check_output, entries, naming_output
from ..files.parts import discard, remove_left_parts, whole_name
from ..files.records import Count, Text, conform
from ..files.stored_folder import FolderFormat, NewFolder, StoredFolder
from ..language_model.domain_models import DomainLanguageModels
from ..language_model.ngrams import NgramModel
from ..language_model.stored_ngrams import arpa_files, write_ngrams
from ..lexicon.tables import LexicalEntries
from ..links.external_links import ExternalLinks
from ..links.known_links import KnownLinks
from ..model.cooccurrence import PairIndex
from ..model.parameters import AlignerOptions, Parameters, check_prior
from ..model.store import with_former_names
from ..model.trained_text import Iteration
from ..text.bitext import Bitext
from .em import Trainer
from .latent_domain import LatentDomains

__all__ = [
    "CHECKPOINT_FORMAT",
    "PARTS",
    "Checkpoint",
    "check_checkpoint_folder",
    "fingerprint",
    "last_checkpoint",
]


class _Content(Struct):
    """What a checkpoint's header holds beside the arrays."""

    fingerprint: Text
    done: Count
    trace: list[Iteration]
    samples: Count = 0
    refits: Count = 0


CHECKPOINT_FORMAT = FolderFormat(
    kind="isogloss training checkpoint",
    name="checkpoint",
    header="checkpoint.json",
    version=(4, 0),
    remedy="Start again with `resume=False`",
    outdated="Start again with `resume=False`",
    content=_Content,
)
PARTS = "parts"  # the folder of the parts that are finished
_STATE = re.compile(r"iteration-[0-9]+")
_TABLES = tuple(table.name for table in fields(Parameters))
_SIDES = ("source", "target")


def fingerprint(
    bitext: Bitext,
    options: AlignerOptions,
    dictionary: LexicalEntries | None = None,
    known_links: KnownLinks | None = None,
    external_links: ExternalLinks | None = None,
    external_links_in: str = "both",
) -> str:
    """A hash of all that decides what training gives, and the links of its text.

    external_links_in: "training", "decoding" or "both", where the external links is taken in
    """
    values = with_former_names(asdict(options))  # as when states were first stored
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    digest.update(json.dumps(bitext.domains).encode())
    arrays: list[NDArray[Any]] = [bitext.label_ids]
    for corpus in (bitext.source, bitext.target):
        arrays += [corpus.tokens, corpus.offsets, *corpus.vocabulary.to_bytes()]
    if dictionary is not None:
        arrays += [dictionary.source, dictionary.target, dictionary.weight]
    if known_links is not None:
        digest.update(json.dumps({"hand_links": known_links.confidence}).encode())
        arrays += [known_links.links.keys()]
    if external_links is not None:
        given = [external_links_in, external_links.weight, len(external_links.files)]
        digest.update(json.dumps({"evidence": given}).encode())
        for links in external_links.files:
            arrays += [links.keys(), *([] if links.probability is None else [links.probability])]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def check_checkpoint_folder(folder: str | Path) -> None:
    """Raise an error where training can't keep its state in a folder.

    ModelError where the folder holds anything but states of training, OutputError where nothing can
    be written there.
    """
    folder = Path(folder)
    foreign = _foreign(folder)
    if foreign:
        raise ModelError(
            f"{folder} contains files that training does not write ({some_names(foreign)}); choose "
            "another folder for checkpoints (`checkpoint=...`), or move them elsewhere"
        )
    check_output(folder / CHECKPOINT_FORMAT.header)


def _foreign(folder: Path) -> list[str]:
    """Names of what stands in a folder of checkpoints beside them, and in each of them."""
    if not folder.is_dir():
        return []
    own: set[str] = set()
    foreign = []
    if CHECKPOINT_FORMAT.is_at(folder):  # one of before version 3
        own = {path.name for path in folder.iterdir()} - set(CHECKPOINT_FORMAT.foreign(folder))
    for path in entries(folder):
        if path.is_dir() and not path.is_symlink() and _STATE.fullmatch(path.name):
            foreign += [f"{path.name}/{name}" for name in CHECKPOINT_FORMAT.foreign(path)]
        elif path.is_dir() and not path.is_symlink() and path.name == PARTS:
            foreign += [f"{path.name}/{name}" for name in foreign_files(path)]
        elif not (path.name in own or _is_ours(whole_name(path.name))):
            foreign.append(path.name)
    return foreign


def _is_ours(name: str) -> bool:
    """Whether training gives this name to what it writes in a folder of checkpoints."""
    return name == PARTS or _STATE.fullmatch(name) is not None


def last_checkpoint(folder: str | Path) -> Path | None:
    """The stored folder that training can go on from, None where there is none.

    It is the one written last: a killed program may have left one that it was to remove.
    """
    folder = Path(folder)
    candidates = [folder, *folder.glob("iteration-*")]  # in the folder itself before version 3
    headers = [path / CHECKPOINT_FORMAT.header for path in candidates]
    written = [(path.stat().st_mtime_ns, path.parent) for path in headers if path.is_file()]
    return max(written)[1] if written else None


@dataclass(frozen=True)
class Checkpoint:
    """A place for the state of one training run.

    folder: made when first saved to; fingerprint: see :func:`fingerprint`
    """

    folder: Path
    fingerprint: str

    def save(self, trainer: Trainer, latent: LatentDomains | None, done: int) -> None:
        """Write the state after ``done`` iterations in place of an earlier one.

        Raises OutputError where it can't be written, such as on a full disk; the earlier one is
        kept.
        """
        current = self.folder / f"iteration-{done}"
        try:
            with CHECKPOINT_FORMAT.write(current, overwrite=True) as new:
                self._write(new, trainer, latent, done)
        except BaseException:
            with suppress(OSError):
                self.folder.rmdir()  # unless an older state is in it
            raise
        self._discard(but=current)

    def _write(
        self, new: NewFolder, trainer: Trainer, latent: LatentDomains | None, done: int
    ) -> None:
        new.values.update(
            {
                "fingerprint": self.fingerprint,
                "done": done,
                "trace": [asdict(iteration) for iteration in trainer.trace],
            }
        )
        parameters, index = trainer.state()
        new.write_arrays({name: getattr(parameters, name) for name in _TABLES})
        new.write_arrays({"row_offsets": index.row_offsets, "columns": index.columns})
        if trainer.external_links is not None:
            new.write_arrays(trainer.external_links.state())
        if latent is None or not latent.started:
            return
        arrays, samples = latent.state()
        new.write_arrays(arrays | {f"sample.{k}": rows for k, rows in enumerate(samples)})
        new.values.update(samples=len(samples), refits=latent.refits)
        for side in _SIDES if latent.models is not None else ():
            write_ngrams(getattr(latent.models, side), new.path, side)

    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return last_checkpoint(self.folder) is not None

    def is_of_this_run(self) -> bool:
        """Whether there is a state of this text and these options."""
        folder = last_checkpoint(self.folder) or self.folder
        try:
            return bool(CHECKPOINT_FORMAT.read_header(folder)["fingerprint"] == self.fingerprint)
        except ModelError:
            return False

    def remove(self) -> None:
        """Remove the states, and the folder where it holds nothing else.

        Raises OutputError where they can't be removed.
        """
        with naming_output(self.folder):
            remove_finished(self.folder / PARTS)
            self._discard()
            if self.folder.is_dir() and not self.folder.samefile("."):
                with suppress(OSError):
                    self.folder.rmdir()

    def _discard(self, but: Path | None = None) -> None:
        """Remove all states but one; what else is in the folder, or in that of a state, stays."""
        if CHECKPOINT_FORMAT.is_at(self.folder):  # one of before version 3
            foreign = CHECKPOINT_FORMAT.foreign(self.folder)
            for path in self.folder.iterdir():
                if path.name not in foreign:
                    path.unlink()
        for path in sorted(self.folder.glob("iteration-*")):
            is_state = CHECKPOINT_FORMAT.is_at(path) and not CHECKPOINT_FORMAT.foreign(path)
            if path != but and is_state:
                discard(path)
        for part in self.folder.glob(".iteration-*.part"):
            remove_left_parts(part.with_name(whole_name(part.name)))

    def load(self, trainer: Trainer, latent: LatentDomains | None) -> int:
        """Put a run back where it stood; returns how many iterations were done.

        Raises ModelError for a checkpoint that is missing, damaged, or of another text or other
        options.
        """
        folder = last_checkpoint(self.folder) or self.folder
        with CHECKPOINT_FORMAT.open(folder, verify=True) as stored:
            if stored.header["fingerprint"] != self.fingerprint:
                raise ModelError(
                    f"{folder} was written for a different text or different options, or by an "
                    "earlier version of isogloss; resume with the original ones, or start again "
                    "with `resume=False`"
                )
            _restore(stored, trainer, latent)
            return int(stored.header["done"])


def _restore(stored: StoredFolder, trainer: Trainer, latent: LatentDomains | None) -> None:
    def array(name: str) -> NDArray[Any]:
        return stored.array(name, mapped=False)

    header = stored.header
    trace = conform(header["trace"], list[Iteration])
    if header["done"] != len(trace) or header["done"] > len(trainer.options.schedule):
        iterations = pluralize(len(trace), "iteration")
        raise ValueError(f"done is {header['done']}, but the trace has {iterations}")
    bitext, split = trainer.bitext, latent is not None and "samples" in header
    domains = latent.num_domains if latent is not None and split else 1
    parameters = Parameters(*(array(name) for name in _TABLES))
    index = PairIndex(array("row_offsets"), array("columns"))
    types = len(bitext.source.vocabulary), len(bitext.target.vocabulary)
    parameters.check(index, types, domains, trainer.options.jump_window)
    index.check(types[1])
    parameters.check_lexical(index)
    trainer.restore(parameters, index, trace)
    if trainer.external_links is not None:
        rates = trainer.external_links.state()
        trainer.external_links.restore(
            {name: stored.finite(name, rate.dtype.type, *rate.shape, mapped=False)
             for name, rate in rates.items()}
        )  # fmt: skip
    if latent is not None and split:
        size = len(bitext)
        language = None
        if "log_language" in header["arrays"]:
            language = stored.typed("log_language", np.float64, 2, size, domains, mapped=False)
        log_prior = stored.typed("log_prior", np.float64, domains, mapped=False)
        check_prior(log_prior)
        latent.restore(
            log_prior, language,
            _posterior(stored, size, domains),
            [_sample(stored, k, size) for k in range(header["samples"])],
            header["refits"], _read_models(stored, domains),
        )  # fmt: skip


def _posterior(stored: StoredFolder, size: int, domains: int) -> NDArray[np.float64]:
    """P(domain) of each pair. Raises ValueError for rows that don't sum to 1, or to 0."""
    posterior = stored.finite("posterior", np.float64, size, domains, mapped=False)
    is_share = ((posterior >= 0.0) & (posterior <= 1.0 + 1e-6)).all()
    sums = posterior.sum(1) if is_share else np.full(1, np.inf)
    if not ((np.abs(sums - 1.0) < 1e-6) | (sums == 0.0)).all():
        raise ValueError("posteriors must sum to 1")
    return posterior


def _sample(stored: StoredFolder, domain: int, size: int) -> NDArray[np.int64]:
    """Pairs of a domain's sample. Raises ValueError for numbers of others."""
    rows = stored.typed(f"sample.{domain}", np.int64, None, mapped=False)
    if len(rows) and not 0 <= rows.min() <= rows.max() < size:
        raise ValueError(f"sample {domain} must contain pairs between 0 and {size - 1}")
    return rows


def _read_models(stored: StoredFolder, num_domains: int) -> DomainLanguageModels | None:
    source, target = (arpa_files(stored.path, side, num_domains) for side in _SIDES)
    if source[0].name not in stored.files:
        return None
    return DomainLanguageModels(
        tuple(NgramModel.load(path) for path in source),
        tuple(NgramModel.load(path) for path in target),
    )
