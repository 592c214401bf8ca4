"""isogloss tune and isogloss rerun."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from align.errors import DataError, OutputError, UsageError
from align.files.writers import check_output
from tune.experiment import Outcome, Plan, Task, TuningSet, carry_out, choose_best
from tune.methods import OPTIMIZERS, Learner
from tune.metrics.protocol import Metric
from tune.oracle import measure_oracle
from tune.results import Epoch
from tune.weights.weights import Weights, check_weight_names

from ..console import Console
from ..runs.measure import measure
from ..runs.run_folder import MANIFEST
from ..tuning.decoder_tuning import tune_with_decoder
from ..tuning.folder import TuningFolder, differing_files
from ..tuning.inputs import TuningInput, read_tuning_input
from ..tuning.list_inputs import list_scratch
from ..tuning.report import gain_lines, oracle_lines, reported_lines, show
from .tune_options import method_options

__all__ = ["rerun", "tune"]

Options = argparse.Namespace
# what doesn't change the result, or says where it goes
_NOT_KEPT = (
    "handler", "command", "output", "out", "resume", "overwrite", "threads", "quiet", "verbose",
    "max_memory", "tmpdir",
)  # fmt: skip


def tune(options: Options, console: Console) -> None:
    """Learn weights, from lists or with a decoder."""
    if bool(options.decoder) == bool(options.nbest):
        raise UsageError("give n-best lists, or --decoder with --dev")
    check_output(options.output)  # before the work, not after it
    if options.decoder:
        tune_with_decoder(options, console)
        return
    if options.dev:
        raise UsageError("--dev is the text that --decoder translates; it is missing")
    if options.resume and not options.out:
        raise UsageError("--resume needs --out FOLDER, the folder of the interrupted run")
    _tune_lists(options, console)


def _tune_lists(options: Options, console: Console) -> None:
    method = OPTIMIZERS[options.optimizer]
    learner = method.learner(method_options(method, vars(options)))
    folder = None
    if options.out:
        folder = TuningFolder.prepare(
            options.out, _command(options), _inputs(options),
            resume=options.resume, overwrite=options.overwrite,
        )  # fmt: skip
    with list_scratch(options) as scratch, measure() as usage:
        given = read_tuning_input(options, console, scratch)
        examples = given.examples
        check_weight_names(examples.space, options.output)
        oracle = measure_oracle(examples, given.start)
        for line in oracle_lines(examples, oracle):
            console.info(line)
        plan = Plan(options.runs, given.folds, options.seed)
        try:
            if folder is not None:
                folder.begin()
            outcomes = _carry_out_all(plan, learner, given, folder, options.threads, console)
        except KeyboardInterrupt:
            if folder is not None:
                console.error(f"what is done is in {folder.path}; go on with --resume")
            raise
        except Exception:
            if folder is not None:
                folder.discard_unused()
            raise
        best = choose_best(outcomes, examples.metric.sign)
        lines, gains = gain_lines(given, plan, outcomes, options.trials, options.threads)
        told, reported = reported_lines(given, plan, outcomes, best)
        for line in (*lines, _choice(best, plan, given), *told):
            console.info(line)
    weights = best.weights
    if folder is not None:
        folder.write_epochs(outcomes)
        numbers = {"potential": vars(oracle), **gains, **reported, "run": best.task.run}
        folder.write_report(numbers)
        weights.write(folder.weights_file)
        folder.write_usage({key: round(value, 2) for key, value in vars(usage).items()})
    if options.output or folder is None:
        _write_or_show(weights, options.output, folder, console)


def _write_or_show(
    weights: Weights, path: str | None, folder: TuningFolder | None, console: Console
) -> None:
    """Write weights; where that fails, they are in the folder, or else go to standard output."""
    try:
        weights.write(path)
    except OutputError:
        if folder is not None:
            console.error(f"the weights are in {folder.weights_file}")
        elif path not in (None, "-"):
            console.error("the weights go to standard output instead")
            weights.write(None)
        raise


def _command(options: Options) -> dict[str, Any]:
    return {name: value for name, value in sorted(vars(options).items()) if name not in _NOT_KEPT}


def _inputs(options: Options) -> list[str]:
    named = [options.weights] if options.weights else []
    lists = [*options.nbest, *options.score_files, *options.held_out]
    lists += [*options.refs, *options.held_out_refs, *named]
    if "-" in lists:
        raise UsageError("--out needs files: standard input can't be read again")
    return lists


def _carry_out_all(
    plan: Plan,
    learner: Learner,
    given: TuningInput,
    folder: TuningFolder | None,
    threads: int,
    console: Console,
) -> list[Outcome]:
    """All trainings, those that the folder holds read back."""
    tasks = list(plan.tasks())
    outcomes = []
    with console.progress("tuning", len(tasks)) as advance:
        for task in tasks:
            done = folder.read_outcome(task, given.examples.space) if folder else None
            if done is None:
                done = carry_out(
                    task, plan, learner, TuningSet(given.examples, given.start, given.held_out),
                    threads=threads, checkpoint=folder.state_file(task) if folder else None,
                    report=partial(_tell, task, given.examples.metric, console),
                )  # fmt: skip
                if folder:
                    folder.write_outcome(done)
                if done.note:
                    _voice(task, console)(f"{task.name}: {done.note}")
            else:
                console.info(f"{task.name}: done before")
            outcomes.append(done)
            advance(1)
    return outcomes


def _voice(task: Task, console: Console) -> Callable[[str], None]:
    """Final weights are always told of, folds with -v."""
    return console.info if task.fold is None else console.detail


def _tell(task: Task, metric: Metric, console: Console, epoch: Epoch) -> None:
    """A line per epoch."""
    held_out = "" if epoch.held_out is None else f", held-out {show(metric, epoch.held_out)}"
    score = show(metric, epoch.score)
    _voice(task, console)(
        f"{task.name} {epoch.number}: loss {epoch.loss:.4g}, {metric.name} {score}{held_out}, "
        f"{epoch.active} active features"
    )


def _choice(best: Outcome, plan: Plan, given: TuningInput) -> str:
    where = "held-out" if given.held_out is not None or plan.folds else "training"
    metric = given.examples.metric
    return (
        f"weights of run {best.task.run}, epoch {best.best_epoch}: "
        f"{where} {metric.name} {show(metric, best.held_out)}"
    )


class _Recorded(argparse.Namespace):
    """Options of a manifest; one that it lacks is told of."""

    __slots__ = ("_file",)  # no option, so that vars() hasn't it
    _file: Path

    def __getattr__(self, name: str) -> Any:
        raise DataError(
            f"command without {name}",
            "all options of `isogloss tune`",
            file=self._file,
            remedy="Bring it back from a copy, or repeat the run with the version that it names",
        )


def rerun(options: Options, console: Console) -> None:
    """Repeat a run from its manifest into a new folder; tell whether all files are the same."""
    folder, out = Path(options.folder), Path(options.out)
    if out.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            f"--out {out} is the folder of the run to repeat, or in it; give another folder, which "
            "is then compared with it"
        )
    before = TuningFolder.open(folder)
    before.check_inputs()
    given = {"output": None, "out": options.out, "resume": options.resume,
             "overwrite": options.overwrite, "threads": options.threads,
             "max_memory": options.max_memory, "tmpdir": options.tmpdir}  # fmt: skip
    again = _Recorded(**{**before.command, **given, "_file": folder / MANIFEST})
    tune(again, console)
    different = differing_files(folder, out)
    if different:
        raise DataError(
            f"{', '.join(different)} differ from {options.folder}",
            "the same bytes",
            file=options.out,
            remedy="Compare the versions of isogloss, NumPy and SciPy, and the machines",
        )
    console.info("every file is the same, byte for byte")
