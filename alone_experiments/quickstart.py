"""The ``quickstart`` command: from nothing to translations by four small models."""

from __future__ import annotations

import argparse
import os
import time
from types import ModuleType

from alone_experiments import reproduce
from alone_experiments.mistakes import say
from alone_experiments.repository import output_folder
from alone_experiments.results import show_translations

DESCRIPTION = """\
Set up the project's environment, write a small English-German corpus, train a
Transformer with look-up, low-rank and two kinds of ALONE on it, translate and score its
test set, and print the table and some translations. Seven to ten minutes on two idle
cores, once installed, up to twenty on busy ones; what is done already is skipped, and
after a kill the same command carries on."""

EXPERIMENT = "toy"
ROWS = ("lookup", "low_rank", "alone_binary", "alone_real")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    parser.add_argument("--force", action="store_true", help="train and evaluate again")


def run(args: argparse.Namespace) -> None:
    """Reproduce the toy experiment and show some translations."""
    start = time.monotonic()
    # Models of this size keep one core busy, whatever the number of threads.
    jobs = str(len(os.sched_getaffinity(0)))
    words = [EXPERIMENT, "--rows", ",".join(ROWS), "--jobs", jobs]
    _run(reproduce, [*words, *(["--force"] if args.force else [])])
    print("\nTranslations of the test set:\n", flush=True)
    output = output_folder()
    runs = output / "runs" / EXPERIMENT
    folders = [f"{runs}/{row}--seed1" for row in ROWS]
    _run(show_translations, ["--data", f"{output}/data/{EXPERIMENT}", *folders])
    minutes, seconds = divmod(int(time.monotonic() - start), 60)
    say(f"done after {minutes} min {seconds} s")


def _run(tool: ModuleType, words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    tool.add_arguments(parser)
    tool.run(parser.parse_args(words))
