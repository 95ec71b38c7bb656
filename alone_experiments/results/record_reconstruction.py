"""Record a reconstruction as one JSON file, with the machine it was made on.

The fields are described in results/README.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.files import write_json
from alone_experiments.provenance import describe_hardware
from alone_experiments.results.result_files import read_json


def main() -> None:
    """Write the record; it appears whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--facts", required=True, type=Path, help="written by reconstruct --json"
    )
    parser.add_argument("--row", required=True)
    parser.add_argument("--notes", default="")
    parser.add_argument("--output", required=True, type=Path)
    args = parser.parse_args()
    facts = read_json(args.facts)
    record = {
        "experiment": "reconstruction",
        "row": args.row,
        "seed": facts["settings"]["seed"],
        **facts,
        "hardware": describe_hardware(),
        "notes": args.notes,
    }
    write_json(args.output, record)


if __name__ == "__main__":
    main()
