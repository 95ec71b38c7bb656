"""The ``reproduce-zipf`` command: a language model with millions of words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from alone_experiments.arguments import whole_number, whole_numbers
from alone_experiments.files import write_json
from alone_experiments.jobs import (
    SETUP,
    Job,
    add_job_arguments,
    do_jobs,
    refuse_other_options,
)
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake, say
from alone_experiments.repository import ROOT, output_folder, shown
from alone_experiments.show_results import show_results
from alone_experiments.training.remove_run import remove_run
from alone_experiments.training.run_state import begin, check_same_run

DESCRIPTION = """\
Train a language model with a compact embedding and a sampled softmax on a made-up text
with millions of different words, and compare what held-out words cost it with what they
cost by their frequencies alone (unigram), and with what they would cost one that knows
the source of the text. What is done already is skipped; after a kill the same command
carries on."""

ROWS = {
    "alone": [
        *("--arch", "transformer_lm_alone_toy", "--alone-inter-dim", "244"),
        *("--alone-own-dim", "0", "--alone-relu-dropout", "0", "--alone-centre"),
        *("--alone-initial-scale", "lookup_layer", "--softmax-bias", "unigram"),
        *("--optimizer", "adam_muon", "--muon-lr-factor", "2"),
    ],
    "lookup": [
        *("--arch", "transformer_lm_lookup_toy", "--softmax-bias", "unigram"),
        *("--optimizer", "adam"),
    ],
}
"""Rows and their flags; look-up is for vocabularies that fit."""

RECIPE = [
    *("--task", "language_modeling", "--sample-break-mode", "eos"),
    *("--share-decoder-input-output-embed", "--dropout", "0"),
    *("--criterion", "sampled_label_smoothed_cross_entropy", "--sampled-log-q"),
    *("--adam-betas", "(0.9, 0.98)", "--clip-norm", "1.0", "--lr", "0.005"),
    *("--lr-scheduler", "polynomial_decay", "--max-tokens", "2048"),
    # All words are scored once, at the end: they would be the most of a training.
    *("--disable-validation", "--no-epoch-checkpoints", "--keep-interval-updates", "1"),
    *("--update-epoch-batch-itr", "True", "--log-interval", "25"),
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("--rows", nargs="+", choices=list(ROWS), default=["alone"], help="[alone]")
    add(
        "--vocabulary",
        type=whole_numbers(1000),
        default=[4_000_000],
        metavar="N,M",
        help="words of the dictionary, fairseq's four symbols included [4000000]",
    )
    add(
        "--seed",
        type=whole_numbers(),
        default=[1],
        metavar="N,M",
        help="seeds of weights and samples, one run a row, vocabulary and seed [1]",
    )
    for flag, least, usual, about in (
        ("--max-update", 10, 2000, "updates of 2,048 words"),
        ("--sampled-words", 2, 8192, "words of a sample"),
        ("--sentences", 1, 60_000, "sentences of 64 words to learn from"),
        ("--held-out", 1, 160, "sentences to test on"),
    ):
        add(
            flag,
            type=whole_number(least),
            default=usual,
            metavar="N",
            help=f"{about} [%(default)s]",
        )
    add_job_arguments(parser, "output/results/zipf")


def run(args: argparse.Namespace) -> None:
    """Train, score, and print the table."""
    if args.jobs > 1:
        raise Mistake("--jobs: these runs fill the memory one at a time; leave it out")
    if args.sampled_words > min(args.vocabulary):
        raise Mistake(
            f"--sampled-words {args.sampled_words}: a vocabulary of"
            f" {min(args.vocabulary):,} words has no sample of so many"
        )
    results = Path(args.results or output_folder() / "results" / "zipf").resolve()
    runs = [
        (row, size, seed)
        for size in args.vocabulary
        for row in args.rows
        for seed in args.seed
    ]
    if args.dry_run:
        for each in runs:
            Job("train", [_training(*each, args)]).print()
        return
    do_jobs([SETUP], at_once=1)
    with locked(output_folder() / "runs" / "zipf"):
        for each in runs:
            _do(each, args, results)
    show_results(results, plot=False)


def _name(row: str, vocabulary: int, seed: int) -> str:
    return f"{row}_v{vocabulary}--seed{seed}"


def _training(row: str, size: int, seed: int, args: argparse.Namespace) -> list[str]:
    """Make the command that trains a run; fairseq itself carries on after a kill."""
    data = (
        output_folder()
        / "data"
        / "zipf"
        / f"v{size}--{args.sentences}--{args.held_out}"
    )
    folder = output_folder() / "runs" / "zipf" / _name(row, size, seed)
    updates = args.max_update
    return [
        *("fairseq-train", shown(data), "--user-dir", "alone_fairseq"),
        *RECIPE,
        *ROWS[row],
        *("--sampled-words", str(args.sampled_words)),
        *("--max-update", str(updates), "--total-num-update", str(updates)),
        *("--warmup-updates", str(updates // 10)),
        *("--save-interval-updates", str(updates // 10)),
        *("--seed", str(seed), "--save-dir", shown(folder), "--log-format", "simple"),
        *("--cpu", "--num-workers", "0"),
    ]


def _do(run: tuple[str, int, int], args: argparse.Namespace, results: Path) -> None:
    # Here, since fairseq takes seconds, and help should not.
    from alone_experiments.zipf.corpus import write_corpus
    from alone_experiments.zipf.record import make_record

    row, size, seed = run
    name = _name(*run)
    file = results / f"{name}.json"
    command = _training(*run, args)
    # The command's words may be relative to the checkout, where it is run.
    data, folder = ROOT / command[1], ROOT / command[command.index("--save-dir") + 1]
    if args.force:
        remove_run(folder)
        file.unlink(missing_ok=True)
    check_same_run(folder, command)
    if file.is_file():
        refuse_other_options(file, Job(name, [command]))
        say(f"{name} is done already")
        return
    say(f"{name}: the text")
    write_corpus(data, size, args.sentences, args.held_out)
    folder.mkdir(parents=True, exist_ok=True)
    begin(folder, command)
    do_jobs([Job(name, [command])], at_once=1)
    say(f"{name}: what the held-out words cost")
    about: dict[str, Any] = {"row": row, "seed": seed, "vocabulary": size}
    about["updates"] = args.max_update
    record = make_record(about, command, data, folder / "checkpoint_last.pt")
    results.mkdir(parents=True, exist_ok=True)
    write_json(file, {**record, "notes": args.notes})
