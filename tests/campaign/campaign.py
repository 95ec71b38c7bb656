"""Run the campaign; ``bash scripts/trust.sh --help`` says how."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

from fairseq.utils import import_user_module

from alone_experiments.arguments import names, whole_number
from alone_experiments.files import write_json
from alone_experiments.locks import locked
from alone_experiments.mistakes import Mistake, OneLineParser, say
from alone_experiments.provenance import origin
from alone_experiments.repository import ROOT
from tests.campaign.parts import PARTS

PACKAGES = ("fairseq-fixed", "sacrebleu", "scipy", "sacremoses")


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the command."""
    parser = OneLineParser(
        prog="scripts/trust.sh",
        description="Tries hard to break the project, and records how often it could."
        " The parts: "
        + "; ".join(f"{name}: {part.about}" for name, part in PARTS.items())
        + ".",
    )
    add = parser.add_argument
    add("--parts", type=names, default=[*PARTS], metavar="A,B", help="only these [all]")
    add("--short", action="store_true", help="some minutes, as the slow tests do")
    add(
        "--amount",
        type=whole_number(1),
        metavar="N",
        help="of kills, inputs, lines or places in a file, instead of the form's",
    )
    add("--seed", type=whole_number(), default=1, metavar="N", help="[%(default)s]")
    add(
        "--results",
        type=Path,
        default=Path(os.environ.get("ALONE_OUTPUT", "output")) / "results" / "trust",
        metavar="DIR",
        help="one JSON file a part is written there [%(default)s]",
    )
    return parser


def main() -> None:
    """Run parts of the campaign, and write a record of each.

    Raises:
        Mistake: If there is no such part, or anything broke.
    """
    args = make_parser().parse_args()
    if unknown := sorted(set(args.parts) - set(PARTS)):
        raise Mistake(f"--parts: no part {unknown[0]}; there are {', '.join(PARTS)}")
    # The plugin, as --user-dir loads it: its repairs of fairseq are tried too.
    import_user_module(argparse.Namespace(user_dir=str(ROOT / "alone_fairseq")))
    broken = 0
    for name in args.parts:
        part = PARTS[name]
        # Found before the hours that it takes: the record says what was run.
        made = origin(_command(), PACKAGES)
        work = args.results.absolute() / f"{name}.work"
        start = time.monotonic()
        amount = args.amount or (part.short if args.short else part.long)
        with locked(work):
            found = part.run(work, args.seed, amount)
            shutil.rmtree(work, ignore_errors=True)
        seconds = round(time.monotonic() - start)
        form = "short" if args.short else "long"
        told = {"form": form, "amount": amount, "seed": args.seed, "seconds": seconds}
        record = {**made, **told, **found}
        write_json(args.results / f"{name}.json", record)
        failures = len(found["failures"])
        broken += failures
        say(f"{name}: {failures} failures in {seconds} s: {args.results}/{name}.json")
    if broken:
        raise Mistake(f"{broken} failures; the records name them")


def _command() -> list[str]:
    words = sys.argv[1:]
    # The folder of the results is this machine's, and says nothing of the figures.
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if "--results" not in (before, word.partition("=")[0])
    ]
    return ["bash", "scripts/trust.sh", *kept]
