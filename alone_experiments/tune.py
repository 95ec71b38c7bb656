"""The ``tune`` command: a row is trained with every setting of a grid of flags."""

from __future__ import annotations

import argparse
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from alone_experiments.arguments import ascending, whole_number
from alone_experiments.files import refuse_twice, write_json
from alone_experiments.jobs import Job, add_job_arguments, do_jobs
from alone_experiments.mistakes import Mistake
from alone_experiments.provenance import describe_surroundings
from alone_experiments.repository import output_folder, shown
from alone_experiments.results.result_files import read_json
from alone_experiments.show_results import show_results
from alone_experiments.training import remove_run
from alone_experiments.training.describe_training import describe_trial
from alone_experiments.training.experiment import (
    find_row,
    flag_value,
    last_values,
    read_flags,
)
from alone_experiments.training.failure import ended_by_divergence
from alone_experiments.training.grid import Trial, settings, trials
from alone_experiments.training.train_arguments import (
    add_hardware_arguments,
    hardware_flags,
)
from alone_experiments.training.validate_averages import MOVING, validate_averages

DESCRIPTION = """\
Train the rows that the CONFIGs describe once with every setting of a grid, and
say which ends at the lowest validation loss. Four trials of one row:

  alone-fairseq tune configs/toy/alone_real.flags \\
      --grid lr=0.005,0.01 --grid dropout=0,0.1

Flags of fairseq-train after -- are for all trials: -- --max-update 300. What is
kept of a trial is its record: once that is written, the trial's checkpoints are
removed, and it is not run again, also if it diverged. After a kill the same
command carries on.
Nothing is translated: settings are chosen on the validation set alone."""

PASSES_ON = "fairseq-train"
"""What the words after ``--`` on the command line are flags of."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("configs", nargs="+", metavar="CONFIG", help="files of rows")
    add(
        "--grid",
        type=settings,
        action="append",
        required=True,
        metavar="FLAG=A,B",
        help="a flag of fairseq-train and its values, or FLAG=on of one that takes"
        " none; given several times, all combinations are tried",
    )
    add(
        "--seed",
        type=whole_number(),
        default=1,
        metavar="N",
        help="seed of weights, dropout and order [%(default)s]",
    )
    add(
        "--averages",
        type=ascending(1),
        default=[],
        metavar="N,M",
        help="validate and record averages of the last N checkpoints of each trial in"
        " its place, and with -- --store-ema fairseq's moving average too",
    )
    add_job_arguments(parser, "output/results/tuning")
    add_hardware_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Run the trials that are not recorded yet, and print the table."""
    refuse_twice(map(Path, args.configs))
    rows = [find_row(config) for config in args.configs]
    for trial in trials(rows, args.seed, args.grid) if args.averages else ():
        _check_saves(trial, args)
    results = Path(args.results or output_folder() / "results" / "tuning").resolve()
    open_trials = [
        trial
        for trial in trials(rows, args.seed, args.grid)
        if args.force
        or not all(
            _is_done(file, trial, args)
            for file in _records_of(trial, results, args).values()
        )
    ]
    jobs = [
        Job(
            trial.name,
            _commands(trial, args),
            may_fail=partial(ended_by_divergence, _folder(trial, args) / "errors"),
        )
        for trial in open_trials
    ]
    if args.dry_run:
        for job in jobs:
            job.print()
        return
    # Recorded as soon as they are done, so that a kill loses no more than these.
    for first in range(0, len(jobs), args.jobs):
        do_jobs(jobs[first : first + args.jobs], args.jobs)
        for trial in open_trials[first : first + args.jobs]:
            _keep(trial, results, args)
    show_results(results, plot=False)


def _check_saves(trial: Trial, args: argparse.Namespace) -> None:
    """Refuse averages of more checkpoints than a trial will keep.

    Raises:
        Mistake: In one line that names the flags.
    """
    words = [*trial.row.recipe(), *trial.row.flags(), *args.extra, *trial.words()]
    found = [
        flag_value(flag, words) or ""
        for flag in ("--save-interval-updates", "--max-update")
    ]
    interval, updates = (int(text) if text.isdecimal() else 0 for text in found)
    if not interval or not updates or updates % interval:
        raise Mistake(
            "--averages needs a checkpoint of the last update: add"
            " -- --max-update N --save-interval-updates M, of which M divides N"
        )
    if updates // interval < max(args.averages):
        raise Mistake(
            f"--averages {max(args.averages)}: {trial.name} saves"
            f" {updates // interval} checkpoints: ask for fewer, or lower"
            " --save-interval-updates"
        )


def _folder(trial: Trial, args: argparse.Namespace) -> Path:
    # How many checkpoints are kept is part of a training's command.
    kept = f"--kept{max(args.averages)}" if args.averages else ""
    folder = output_folder() / "runs" / "tuning" / trial.row.experiment
    return folder / f"{trial.name}{kept}"


def _record_of(trial: Trial, results: Path, averaged: str = "") -> Path:
    average = f"--averaged{averaged}" if averaged else ""
    experiment = trial.row.experiment.replace("/", "_")
    return results / f"{experiment}--{trial.name}{average}.json"


def _records_of(
    trial: Trial, results: Path, args: argparse.Namespace
) -> dict[str, Path]:
    averages = [*map(str, args.averages)]
    averages += [MOVING] if averages and "--store-ema" in args.extra else []
    return {name: _record_of(trial, results, name) for name in averages or [""]}


def _is_done(record: Path, trial: Trial, args: argparse.Namespace) -> bool:
    if not record.is_file():
        return False
    # Older records do not say what all trials were given.
    found = read_json(record)
    theirs, mine = found.get("given"), _given(args)
    if theirs is None:
        return True
    remedy = "add --force to replace it, or name another --results"
    if theirs != mine:
        raise Mistake(
            f"{record}: was made with '{shlex.join(theirs)}' for all trials, now"
            f" '{shlex.join(mine)}': {remedy}"
        )
    if changed := _changed_flags(trial, found["command"], args):
        raise Mistake(
            f"{record}: was made before {shown(trial.row.file)} or its recipe.flags"
            f" changed ({', '.join(changed)}): {remedy}"
        )
    return True


def _changed_flags(
    trial: Trial, command: list[str], args: argparse.Namespace
) -> list[str]:
    """List flags that a trial's command would have otherwise now.

    A value that the grid found may since be the row's own: what counts is which wins.
    """
    row = trial.row
    wanted = last_values([*row.recipe(), *row.flags(), *args.extra, *trial.words()])
    before = last_values(command)
    apart = {"--keep-interval-updates"}
    alone = before.get("--distributed-world-size", ["1"]) == ["1"]
    if hardware_flags(args) or not alone:
        apart |= {"--max-tokens", "--update-freq"}  # share the batch
    folders = ("DATA/", "RUN/")
    return [
        flag
        for flag, values in wanted.items()
        if flag not in apart
        and values != before.get(flag)
        and not any(value.startswith(folders) for value in values)
    ]


def _given(args: argparse.Namespace) -> list[str]:
    """List what all trials are given beside the row and the grid."""
    return [*hardware_flags(args), "--", *args.extra]


def _commands(trial: Trial, args: argparse.Namespace) -> list[list[str]]:
    folder = _folder(trial, args)
    train = ["bash", "scripts/train.sh", shown(trial.row.file)]
    train += ["--seed", str(trial.seed), "--save-dir", str(folder)]
    kept = str(max(args.averages, default=1))
    train += [*hardware_flags(args), "--", "--keep-interval-updates", kept]
    train += [*args.extra, *trial.words()]
    # Of a trial that was recorded before there is a log, and no checkpoint. Why an
    # earlier try ended says nothing of this one.
    again = args.force or not (folder / "checkpoint_last.pt").exists()
    errors = ["rm", "-f", str(folder / "errors")]
    return [remove_run.command(folder) if again else errors, train]


def _keep(trial: Trial, results: Path, args: argparse.Namespace) -> None:
    folder = _folder(trial, args)
    record = {
        "experiment": trial.row.experiment,
        "row": trial.row.name,
        "seed": trial.seed,
        "setting": dict(trial.flags),
        "is_the_rows": trial.is_the_rows(),
        "given": _given(args),
        **describe_trial(folder),
        **describe_surroundings(),
        "notes": args.notes,
    }
    results.mkdir(parents=True, exist_ok=True)
    files = _records_of(trial, results, args)
    if not args.averages or record["diverged"]:
        for averaged, file in files.items():
            write_json(file, _of_average(record, averaged, trial))
    else:
        command = record["command"]
        for found in validate_averages(folder, command, args.averages, MOVING in files):
            valid = {"valid": {"loss": [[found.update, found.loss]]}}
            valid["valid"]["ppl"] = [[found.update, found.ppl]]
            named = _of_average(record, found.name, trial)
            write_json(files[found.name], {**named, **valid})
    for checkpoint in folder.glob("*.pt"):
        checkpoint.unlink()


def _of_average(record: dict[str, Any], averaged: str, trial: Trial) -> dict[str, Any]:
    if not averaged:
        return record
    chosen = read_flags(trial.row.folder / "average.flags")
    own = averaged == flag_value("--num-update-checkpoints", chosen)
    return {
        **record,
        "setting": {**record["setting"], "averaged": averaged},
        "is_the_rows": record["is_the_rows"] and own,
    }
