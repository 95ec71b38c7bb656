"""The ``export`` command: a trained model in the form that other programs read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from alone_experiments.export import safetensors_file
from alone_experiments.export.ordinary_transformer import make_ordinary
from alone_experiments.files import refuse_to_replace
from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import write_tensors
from alone_experiments.word_vectors.trained_models import load_all
from alone_fairseq import checkpoints

DESCRIPTION = """\
--to fairseq writes an ordinary Transformer of fairseq's with the tables written out: it
has the same scores, is as large as one trained with a look-up table, and needs this
plugin no more; converters of fairseq's checkpoints, such as CTranslate2's, read it. A
bias of the softmax (--softmax-bias) goes into the output matrix, which then has values
of its own. --to safetensors writes the model as compact as it is, without the state of
its training (pip install safetensors); --to checkpoint makes of such a file a
checkpoint again."""

FORMS = ("fairseq", "safetensors", "checkpoint")
SAFETENSORS = ".safetensors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("checkpoint", type=Path, help="a trained checkpoint, or a file of safetensors")
    add("--to", choices=FORMS, required=True, help="the form")
    add("--output", type=Path, required=True, metavar="FILE", help="the file to write")
    add(
        "--data",
        type=Path,
        metavar="DIR",
        help="for --to fairseq: folder with the dictionaries of the training",
    )


def run(args: argparse.Namespace) -> None:
    """Write the file and say what it is."""
    refuse_to_replace([args.checkpoint], [args.output])
    if args.to == "safetensors" and args.output.suffix != SAFETENSORS:
        raise Mistake(
            f"--output {args.output} has to end in {SAFETENSORS}, by which such a file"
            " is known again"
        )
    state = read(args.checkpoint)
    if args.to == "safetensors":
        safetensors_file.write(state, args.output)
    elif args.to == "checkpoint":
        write_tensors(args.output, state)
    elif args.checkpoint.suffix == SAFETENSORS:
        raise Mistake("--to fairseq needs a checkpoint: make one with --to checkpoint")
    else:
        model, cfg, _ = load_all(args.checkpoint, args.data)
        write_tensors(args.output, make_ordinary(state, model, cfg.model))
    size = args.output.stat().st_size
    print(f"{args.output}: {size:,} bytes, from {args.checkpoint}")


def read(path: Path) -> dict[str, Any]:
    """Read a checkpoint or a file of safetensors.

    Raises:
        Mistake: If a file of safetensors cannot be read.
        AloneError: The same of a checkpoint.
    """
    if path.suffix == SAFETENSORS:
        return safetensors_file.read(path)
    return checkpoints.load(path)
