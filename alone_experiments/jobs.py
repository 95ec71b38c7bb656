"""Chains of commands, several at once where that is wanted."""

from __future__ import annotations

import argparse
import filecmp
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from alone_experiments.arguments import whole_number
from alone_experiments.children import Children
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import output_folder, shown
from alone_experiments.results.result_files import read_json


@dataclass(frozen=True)
class Job:
    """Commands that are run one after the other.

    Attributes:
        name: Stands before each line that they say.
        commands: The commands, each a program and its arguments.
        may_fail: Asked when a command fails: if true, the job is over, and the others
            go on.
    """

    name: str
    commands: Sequence[Sequence[str]]
    may_fail: Callable[[], bool] = lambda: False

    def print(self) -> None:
        """Print the commands."""
        for command in self.commands:
            print(shlex.join(command))


def link(file: str | Path, name: Path, replace: bool) -> list[list[str]]:
    """Make the commands that give a file another name, in a folder made for it.

    What runs read has names that no machine's folders are in: given files are linked.
    A command, by which records are found again, has the name alone.

    Args:
        file: The file, or a folder.
        name: Its other name.
        replace: Whether the name may be that of a file with other contents.

    Raises:
        Mistake: If it may not, and is.
    """
    if not replace and not _is_as(Path(file).resolve(), name.resolve()):
        raise Mistake(
            f"{shown(name)} is {name.resolve()}, and records may be of that; now it is"
            f" {file}: add --force to do all again, or set ALONE_OUTPUT to another"
            " folder"
        )
    link = ["ln", "-sfn", str(Path(file).resolve()), shown(name)]
    return [["mkdir", "-p", shown(name.parent)], link]


def _is_as(file: Path, before: Path) -> bool:
    if file == before or not (file.exists() and before.exists()):
        return True
    if not (file.is_dir() and before.is_dir()):
        return filecmp.cmp(file, before, shallow=False)
    names = sorted(each.name for each in file.iterdir())
    if names != sorted(each.name for each in before.iterdir()):
        return False
    _, *apart = filecmp.cmpfiles(file, before, names, shallow=False)
    return not any(apart)


SETUP = Job("setup", [["bash", "-c", "exec bash scripts/setup.sh >&2"]])
"""Brings the project's environment up to date; what it says is no result."""


def add_job_arguments(parser: argparse.ArgumentParser, results: str) -> None:
    """Add the arguments of all commands that make a table.

    Args:
        parser: Parser of the command.
        results: The usual folder for records, for the help.
    """
    add = parser.add_argument
    add(
        "--jobs",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="work on N rows at once, each with one thread if N is over 1: the fastest"
        " way on a CPU [%(default)s]",
    )
    add(
        "--results",
        metavar="DIR",
        help=f"folder for records, table and plot [{results}]",
    )
    add("--notes", default="", help="what the records should say beside the numbers")
    add(
        "--force",
        action="store_true",
        help="remove the runs and records of these rows, and begin again",
    )
    add("--dry-run", action="store_true", help="print the commands and do nothing")


def do_experiment(
    args: argparse.Namespace,
    name: str,
    preparation: Job,
    make_jobs: Callable[[], Sequence[Job]],
    results: Path | None = None,
) -> bool:
    """Do an experiment from its preparation on, or print its commands.

    Args:
        args: What :func:`add_job_arguments` reads.
        name: Name of the experiment and of the folder of its runs, where one program
            works at a time.
        preparation: What comes before all else.
        make_jobs: Makes the jobs, when the preparation is done.
        results: Folder of records, of which those count that are called as a job, and
            are of one of its commands: it is left out. ``None`` where the commands
            themselves know what is done.

    Returns:
        Whether it was done, and there are results to show.

    Raises:
        Mistake: If a command fails, another program works at the same experiment, or a
            record is of another command, be it for the device.
    """
    if args.dry_run:
        for job in (preparation, *make_jobs()):
            job.print()
        return False
    do_jobs([SETUP, preparation], at_once=1)
    jobs = make_jobs()
    with locked(output_folder() / "runs" / name):
        do_jobs(jobs if args.force else undone(jobs, results), args.jobs)
    return True


def undone(jobs: Sequence[Job], results: Path | None) -> list[Job]:
    """Leave out the jobs that have a record; see :func:`do_experiment`."""
    if results is None:
        return [*jobs]
    undone = []
    for job in jobs:
        record = results / f"{job.name}.json"
        if record.is_file():
            refuse_other_options(record, job)
            say(f"{job.name} is done already")
        else:
            undone.append(job)
    return undone


def refuse_other_options(record: Path, job: Job) -> None:
    """Refuse a record that no command of a job has made, be it on another device.

    Raises:
        Mistake: In a line that names the record.
    """
    made_by = _without_device(read_json(record).get("command", []))
    if made_by not in map(_without_device, job.commands):
        raise Mistake(
            f"{record}: was made with other options than these: add --force to do it"
            " again, or name another --results"
        )


def _without_device(command: Sequence[str]) -> list[str]:
    at = command.index("--device") if "--device" in command else len(command)
    return [*command[:at], *command[at + 2 :]]


def do_jobs(jobs: Iterable[Job], at_once: int) -> None:
    """Do jobs; the first that fails and may not ends all, and so does a signal.

    Args:
        jobs: The jobs in their order.
        at_once: How many are worked on at the same time, each with one thread if that
            is over 1.

    Raises:
        Mistake: If one fails.
    """
    environment = dict(os.environ)
    if at_once > 1:
        environment["OMP_NUM_THREADS"] = "1"
    with Children(environment) as children, ThreadPoolExecutor(at_once) as threads:
        failures: list[Mistake] = []
        do = partial(_do, children=children, labelled=at_once > 1, failures=failures)
        started = [threads.submit(do, job) for job in jobs]
        wait(started)
        if failures:
            raise failures[0]
        for each in started:
            each.result()


def _do(job: Job, children: Children, labelled: bool, failures: list[Mistake]) -> None:
    try:
        for command in job.commands:
            _run(job, command, children, labelled)
    except Mistake as failure:
        if job.may_fail():
            return
        failures.append(failure)
        # Here, not by who waits for all: the next job would have begun by then.
        children.stop()


def _run(job: Job, command: Sequence[str], children: Children, labelled: bool) -> None:
    child = children.start(command, errors=subprocess.PIPE if labelled else None)
    if child.stderr is not None:
        with child.stderr:
            _repeat(child.stderr, job.name)
    children.ended(child)
    if child.returncode:
        raise Mistake(f"{job.name} failed; what it said is above")


def _repeat(lines: IO[bytes], name: str) -> None:
    for line in lines:
        sys.stderr.write(f"{name}: {line.decode(errors='replace')}")
        sys.stderr.flush()
