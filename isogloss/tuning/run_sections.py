"""The report of a tuning run, section by section."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from msgspec.structs import asdict
from numpy.typing import NDArray

from isogloss.align.files.records import read_json
from isogloss.tune.experiment import Plan
from isogloss.tune.weights.weights import Weights

from ..pages.report import Note, Part, Section, Table, readable_section
from ..pages.sections.epochs import learning_curves
from ..pages.sections.inputs import InputFiles, usage_table
from ..pages.sections.translations import TranslatedText, changed_sentences, score_tables
from ..pages.sections.weights import weight_tables
from ..runs.epoch_log import EPOCH_LOG, TuningLog, read_tuning_log
from ..runs.measure import StoredUsage
from ..runs.run_folder import MANIFEST, REPORT
from .folder import TuningFolder
from .inputs import TuningInput
from .run_names import USAGE

__all__ = ["tuning_sections"]


def tuning_sections(
    folder: TuningFolder,
    options: Mapping[str, Any],
    files: InputFiles,
    given: TuningInput | None,
    threads: int,
) -> Iterator[Section]:
    """Everything that a tuning run and its files tell.

    options: those of its command that are not the usual ones, by name
    given: what it has learned from; None for forests and decoders, or where that has changed

    A section says which of its files is missing or damaged, and the others are drawn.
    """
    run = _Run(folder, threads)
    yield run.inputs(options, files)
    yield readable_section("Time and memory", run.usage(), [folder.path / USAGE])
    yield readable_section("Learning curves", run.curves(), [folder.path / EPOCH_LOG])
    yield readable_section("Gain", run.gains(), [folder.path / REPORT])
    yield readable_section("Weights", run.weights(), [folder.weights_file])
    if given is not None and given.lists is not None:
        yield readable_section("Sentences", run.sentences(given))


@dataclass(frozen=True)
class _Run:
    """A finished run, and what its files hold."""

    folder: TuningFolder
    threads: int

    @cached_property
    def log(self) -> TuningLog:
        """Its epochs."""
        return read_tuning_log(self.folder.path)

    def inputs(self, options: Mapping[str, Any], files: InputFiles) -> Section:
        """Options that were given, and files."""
        manifest = self.folder.manifest
        given = [(name, _text(value)) for name, value in options.items()]
        parts: list[Part] = [
            Table("Options", ("option", "value"), given, text_columns=2),
            files.table(),
            Note(f"Written by isogloss {manifest['program']}."),
        ]
        return Section("Input", parts, [self.folder.path / MANIFEST])

    def usage(self) -> Iterator[Part]:
        """What the run took."""
        usage = read_json(self.folder.path / USAGE, StoredUsage)
        yield usage_table({"tune": asdict(usage)})

    def curves(self) -> Iterator[Part]:
        """Charts of the epochs."""
        yield from learning_curves(self.log)

    def weights(self) -> Iterator[Part]:
        """The weights by template."""
        yield from weight_tables(Weights.load(self.folder.weights_file), "Weights")

    def gains(self) -> Iterator[Part]:
        """Scores before and after, and whether the gain is more than chance."""
        rows = list[tuple[str, str]]()
        report: Mapping[str, Any] = read_json(self.folder.path / REPORT, dict[str, Any])
        names = {
            "first": "first hypotheses", "start": "initial weights", "random": "random choice",
            "oracle": "oracle",
        }  # fmt: skip
        potential = report.get("potential", {})
        rows += [
            (text, _score(potential[name])) for name, text in names.items() if name in potential
        ]
        rows += [
            (text, _score(report[name]))
            for name, text in (("training", "tuned, training"), ("held_out", "tuned, held out"))
            if name in report
        ]
        if "gain" in report:
            low, high = report["interval"]
            rows.append(
                ("gain, held out [95% CI]", f"{report['gain']:+.2f} [{low:+.2f}, {high:+.2f}]")
            )
            rows.append(("p (paired bootstrap)", f"{report['p_bootstrap']:.4f}"))
            rows.append(("p (approximate randomization)", f"{report['p_randomization']:.4f}"))
        if rows:
            metric = self.folder.command.get("metric")
            yield Table(f"Scores, {metric}", ("hypotheses", "score"), rows)
        if signature := report.get("reported", {}).get("signature"):
            yield Note(f"Scores for a paper are counted with {signature}.")

    def sentences(self, given: TuningInput) -> Iterator[Part]:
        """Scores and sentences by the weights from before and after, on what was learned from."""
        examples = given.examples
        held_out = self._held_out(given)
        before = examples.best(given.start)
        after = examples.best(Weights.load(self.folder.weights_file))
        chosen = {"initial": before, "tuned": after if held_out is None else held_out}
        text = _translated(given, chosen)
        if held_out is None:
            note = "These are the sentences that the weights were learned from."
        else:
            note = "Each sentence is translated with the weights of the folds without it."
        yield Note(note)
        yield from score_tables(text, self.threads)
        yield from changed_sentences(text, "initial", "tuned")

    def _held_out(self, given: TuningInput) -> NDArray[np.int64] | None:
        """What the folds of the kept run chose on sentences that they had not learned from."""
        command, run = self.folder.command, self.log.kept[0] if self.log.kept else 1
        plan = Plan(command.get("runs", 1), given.folds, command.get("seed", 1))
        chosen = np.full(len(given.examples), -1, np.int64)
        for task in plan.tasks():
            if task.run == run and task.fold is not None:
                outcome = self.folder.read_outcome(task, given.examples.space)
                if outcome is None:
                    return None
                self.folder.check_choices(outcome, plan, given.examples)
                chosen[outcome.tested] = outcome.hypotheses
        return chosen if (chosen >= 0).all() else None


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _score(value: float | list[float]) -> str:
    """A score, or those of several runs."""
    return ", ".join(f"{one:.2f}" for one in (value if isinstance(value, list) else [value]))


def _translated(given: TuningInput, chosen: Mapping[str, NDArray[np.int64]]) -> TranslatedText:
    """The hypotheses that were chosen. chosen: by name, int64[num_sentences], of the examples"""
    examples, lists = given.examples, given.lists
    assert lists is not None
    references = lists.references if given.references is None else given.references
    numbers = examples.sentences.tolist()
    return TranslatedText(
        examples.metric,
        {name: [lists.texts[row] for row in rows.tolist()] for name, rows in chosen.items()},
        {name: examples.statistics[rows] for name, rows in chosen.items()},
        [[] if references is None else references[number] for number in numbers],
        [number + 1 for number in numbers],
    )
