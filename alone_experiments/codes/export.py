"""The ``codes export`` command: codes and codewords in one small file."""

from __future__ import annotations

import argparse
import resource
import sys
from pathlib import Path

from alone_experiments.codes import code_file
from alone_experiments.codes.sources import add_source_arguments, read_source
from alone_experiments.files import refuse_to_replace

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source_arguments(parser)
    parser.add_argument(
        "--precision",
        choices=tuple(code_file.PRECISIONS),
        default="fp32",
        help="of the codewords; int8 has a scale for each [%(default)s]",
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FILE")


def run(args: argparse.Namespace) -> None:
    """Write the file, and print what it takes."""
    refuse_to_replace([args.codes], [args.output])
    packed = read_source(args)
    size = code_file.write(packed, args.output, args.precision)
    table = 4 * len(packed.words) * packed.codewords.shape[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
    print(f"{'trained values':<28}{packed.codewords.size:>16,}")
    for name, count in code_file.part_sizes(packed, args.precision).items():
        if count:
            print(f"{f'bytes of {name}':<28}{count:>16,}")
    print(f"{'bytes of the file':<28}{size:>16,}")
    print(f"{'bytes of the vectors, fp32':<28}{table:>16,}")
    print(f"{'peak memory of this program':<28}{peak:>16,}")
