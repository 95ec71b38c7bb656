"""Record a reconstruction as one JSON file, with the machine it was made on.

The fields are described in results/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from provenance import describe_hardware


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
    facts = json.loads(args.facts.read_text(encoding="utf-8"))
    record = {
        "experiment": "reconstruction",
        "row": args.row,
        "seed": facts["settings"]["seed"],
        **facts,
        "hardware": describe_hardware(),
        "notes": args.notes,
    }
    partial = args.output.with_suffix(".partial")
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    os.replace(partial, args.output)


if __name__ == "__main__":
    main()
