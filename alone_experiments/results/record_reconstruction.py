"""Record a reconstruction as one JSON file, with the machine it was made on.

The fields are described in results/README.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from alone_experiments.files import write_json
from alone_experiments.results.result_files import read_json


def main() -> None:
    """Write the record; it appears whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--facts", required=True, type=Path, help="written by reconstruct --json"
    )
    parser.add_argument("--row", required=True)
    parser.add_argument("--notes", default="")
    for flag, whose in (
        ("--analogies", "fitted vectors, with those of other words by spelling"),
        ("--known-analogies", "fitted vectors"),
        ("--of-given", "given vectors"),
    ):
        parser.add_argument(
            flag,
            action="append",
            default=[],
            metavar="NAME=FILE",
            help=f"answers of the {whose}, written by analogy --json",
        )
    parser.add_argument("--output", required=True, type=Path)
    args = parser.parse_args()
    facts = read_json(args.facts)
    record = {
        "experiment": "reconstruction",
        "row": args.row,
        "seed": facts["settings"]["seed"],
        **facts,
        **_answers("analogies", args.analogies),
        **_answers("analogies_of_known_words", args.known_analogies),
        **_answers("analogies_of_given", args.of_given),
        "notes": args.notes,
    }
    write_json(args.output, record)


def _answers(name: str, files: list[str]) -> dict[str, Any]:
    """Read the scores of all questions of each kind."""
    found = {}
    for each in files:
        kind, _, file = each.partition("=")
        (found[kind],) = (
            score for score in read_json(Path(file)) if score["section"] == "all"
        )
    return {name: found} if found else {}


if __name__ == "__main__":
    main()
