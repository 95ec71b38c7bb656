"""Chains of commands, several at once where that is wanted."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from alone_experiments.arguments import whole_number
from alone_experiments.children import Children
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import shown


@dataclass(frozen=True)
class Job:
    """Commands that are run one after the other.

    Attributes:
        name: Stands before each line that they say.
        commands: The commands, each a program and its arguments.
    """

    name: str
    commands: Sequence[Sequence[str]]

    def print(self) -> None:
        """Print the commands."""
        for command in self.commands:
            print(shlex.join(command))


def link(file: str | Path, name: Path) -> list[list[str]]:
    """Make the commands that give a file another name, in a folder made for it.

    What runs read has names that no machine's folders are in: given files are linked.
    """
    link = ["ln", "-sfn", str(Path(file).resolve()), shown(name)]
    return [["mkdir", "-p", shown(name.parent)], link]


def undone(jobs: Sequence[Job], force: bool, results: Path) -> list[Job]:
    """Leave out the jobs that have a record of their name, and say so.

    Args:
        jobs: The jobs.
        force: Whether to leave out none.
        results: Folder of the records.
    """
    done = [
        job for job in jobs if (results / f"{job.name}.json").is_file() and not force
    ]
    for job in done:
        say(f"{job.name} is done already")
    return [job for job in jobs if job not in done]


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


def do_jobs(jobs: Iterable[Job], at_once: int) -> None:
    """Do jobs; the first that fails ends all, and so does a signal.

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
