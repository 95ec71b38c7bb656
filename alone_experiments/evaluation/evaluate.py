"""The ``evaluate-row`` command: translate and score a test set, record it."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from alone_experiments.children import Children, check_installed
from alone_experiments.evaluation.averaging import Averaging, choose_checkpoints
from alone_experiments.evaluation.headline_sets import HeadlineSet, read_headline_sets
from alone_experiments.evaluation.headlines import headline_parts
from alone_experiments.evaluation.parts import Part, do_parts
from alone_experiments.evaluation.translations import translation_parts
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import output_folder, shown
from alone_experiments.training.experiment import read_flags
from alone_experiments.training.run import Run, add_run_arguments
from alone_experiments.training.run_state import check_same_data

DESCRIPTION = """\
Average the last checkpoints of the run of CONFIG (average.flags beside it), translate
the whole test set (generate.flags), undo subword units and tokens, score with SacreBLEU
against the raw reference (score.flags: further options of alone-fairseq bleu), and
record the run as one JSON file with its translations beside it. What is done already is
skipped, unless what it was made from has changed. For headlines (headlines.flags beside
it; other test sets: headlines_NAME.flags), generate them at each desired length, choose
by re-ranking, score with ROUGE, and keep them beside the record."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add_run_arguments(parser)
    add = parser.add_argument
    add(
        "--results",
        metavar="DIR",
        help="folder for the record [output/results/<experiment>]",
    )
    add("--notes", default="", help="what the record should say beside the numbers")


def run(args: argparse.Namespace) -> None:
    """Evaluate a run, unless that is done already."""
    trained = Run.from_arguments(args)
    averaging = choose_checkpoints(
        trained, read_flags(trained.row.folder / "average.flags")
    )
    sets = read_headline_sets(trained)
    usual = output_folder() / "results" / trained.row.experiment
    results = Path(args.results or usual).resolve()
    parts = make_parts(trained, averaging, sets, results, args.notes)
    if args.dry_run:
        print("\n".join(shlex.join(part.words) for part in parts))
        return
    check_installed()
    _check_run(trained, sets)
    record = shown(results / f"{trained.name}.json")
    with locked(trained.folder), Children() as children:
        done = do_parts(parts, trained.folder, children)
    say(f"recorded {record}" if done else f"{record} is up to date")


def make_parts(
    run: Run,
    averaging: Averaging,
    sets: list[HeadlineSet],
    results: Path,
    notes: str,
) -> list[Part]:
    """Make all parts of an evaluation.

    Args:
        run: The run.
        averaging: Its checkpoints.
        sets: What is generated, if the experiment is about headlines.
        results: Folder for the record.
        notes: What the record should say beside the numbers.

    Returns:
        The parts in their order.
    """
    if sets:
        scores = [part for tested in sets for part in headline_parts(run, tested)]
        kept = ["--headlines", *(name for tested in sets for name in tested.names())]
        others = [tested.data for tested in sets if tested.data != run.data]
        kept += ["--test-data", *others] if others else []
    else:
        scores = translation_parts(run)
        kept = [
            "--translations",
            f"{run.save_dir}/test/hypotheses.{run.languages()[1]}",
        ]
    output = results / f"{run.name}.json"
    record = Part(
        name="record",
        command=[
            *("python", "-m", "alone_experiments.results.record_result"),
            *("--experiment", run.row.experiment, "--row", run.row.name),
            *("--seed", str(run.seed), "--run", run.save_dir, "--data", run.data),
            *("--averaged", str(averaging.count), *kept, "--output", shown(output)),
        ],
        files=[output],
        after=["average", *(part.name for part in scores)],
        remarks=["--notes", notes],
    )
    return [averaging.part(run), *scores, record]


def _check_run(run: Run, sets: list[HeadlineSet]) -> None:
    if not (run.folder / "checkpoint_last.pt").is_file():
        raise Mistake(
            f"no trained model in {run.save_dir}; run: bash scripts/train.sh"
            f" {shown(run.row.file)} --seed {run.seed}"
        )
    _, target = run.languages()
    run.check_corpus(f"raw/test.{target}", f"bin/dict.{target}.txt")
    check_same_data(run.folder, run.corpus)
    for tested in sets:
        tested.check(run, target)
