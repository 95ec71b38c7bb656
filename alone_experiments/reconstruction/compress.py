"""Reconstruction of a trained model's embedding: a compressed model to fine-tune."""

from __future__ import annotations

import argparse
import copy
from argparse import Namespace
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from alone_experiments.files import refuse_to_replace
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import report
from alone_experiments.reconstruction.fit import given_options
from alone_experiments.reconstruction.job import fit_to_file, job_from
from alone_experiments.reconstruction.saved import Reconstruction
from alone_experiments.reconstruction.target_arguments import (
    prepare,
    refuse_for_checkpoint,
)
from alone_experiments.reconstruction.targets import Targets, from_table
from alone_experiments.tensor_files import write_tensors
from alone_experiments.training.average import without_training_state
from alone_experiments.word_vectors.trained_models import load_model, side_of, table_of
from alone_experiments.word_vectors.vectors import write_word2vec
from alone_fairseq import saved_embedding
from alone_fairseq.checkpoints import load, read
from alone_fairseq.model_parts import resolve_sizes
from alone_fairseq.output import chosen_output_layer

SIDES = ("source", "target")
_TABLES = (
    "encoder.embed_tokens.",
    "decoder.embed_tokens.",
    "decoder.output_projection.embedding.",
)
_TIED_MATRIX = "decoder.output_projection.weight"


def run(args: argparse.Namespace, pairs: report.PairSets) -> None:
    """Fit a model's embedding, or both where it has two, and put the model together.

    Args:
        args: Options of the ``reconstruct`` command.
        pairs: Judged word pairs by name.

    Raises:
        Mistake: If the checkpoint is none, or options make no sense with one.
    """
    task, targets = read_tables(args)
    named = filter(None, (args.output, args.vectors_out, args.json))
    outputs = [of_side(path, side, targets) for path in named for side in targets]
    refuse_to_replace([args.vectors, *args.pairs], [*outputs, args.checkpoint_out])
    _choose_sizes(args, targets)
    made: dict[str, Reconstruction] = {}
    for side, own in targets.items():
        output = of_side(args.output, side, targets)
        record = args.json and of_side(args.json, side, targets)
        made[side] = fit_to_file(
            replace(job_from(args, own), json=record), output, pairs
        )
        if args.vectors_out:
            out = of_side(args.vectors_out, side, targets)
            write_word2vec(made[side].word_vectors(), out)
    if args.checkpoint_out:
        write_checkpoint(args, task, made)


def _choose_sizes(args: argparse.Namespace, targets: dict[str, Targets]) -> None:
    # A model has one size for both sides.
    given = given_options(args, args.embedding_method)
    options = Namespace(**given, embedding_method=args.embedding_method)
    resolve_sizes(options, [own.size() for own in targets.values()])
    vars(args).update(vars(options))


def read_tables(args: argparse.Namespace) -> tuple[Any, dict[str, Targets]]:
    """Read what is to be fitted from the checkpoint that ``args`` name.

    Returns:
        The model's task, and the tables of ``source`` and, where it has one of its own,
        of ``target``.

    Raises:
        Mistake: If the checkpoint is none, or options make no sense with one.
    """
    if "model" not in read(args.vectors):
        raise Mistake(f"{args.vectors}: is no checkpoint, nor a file of vectors")
    refuse_for_checkpoint(args)
    model, task = load_model(args.vectors, args.data)
    encoder = getattr(model, "encoder", None)
    if encoder is None and args.checkpoint_out:
        raise Mistake(
            f"--checkpoint-out: {args.vectors} is a language model, and only"
            " Transformers that translate are put together again; leave it out"
        )
    shared = encoder is None or encoder.embed_tokens is model.decoder.embed_tokens
    found = {}
    for side in SIDES[: 1 if shared else 2]:
        embedding, dictionary = side_of(model, task, side)
        found[side] = prepare(from_table(table_of(embedding), dictionary), args)
    return task, found


def of_side(path: Path, side: str, sides: Collection[str]) -> Path:
    """Name the file of a side: with that in its name where there are several."""
    if len(sides) == 1:
        return path
    return path.with_name(f"{path.stem}.{side}{path.suffix}")


def write_checkpoint(
    args: argparse.Namespace, task: Any, made: dict[str, Reconstruction]
) -> None:
    """Write the model with its embeddings replaced, and say what it is for."""
    write_tensors(args.checkpoint_out, put_together(load(args.vectors), task, made))
    print(f"{args.checkpoint_out}: fine-tune with --finetune-from-model")


def put_together(
    state: dict[str, Any], task: Any, made: dict[str, Reconstruction]
) -> dict[str, Any]:
    """Make a checkpoint of a model whose embeddings are replaced.

    Args:
        state: The trained model's checkpoint.
        task: Its task.
        made: The fitted embedding of ``source``, and of ``target`` where it has an
            embedding of its own.

    Returns:
        A checkpoint of a ``transformer_compact`` model without optimiser state.

    Raises:
        Mistake: If the model has other parts than a Transformer.
    """
    old = state.get("args") or state["cfg"]["model"]
    options = _with_method(old, next(iter(made.values())))
    model = task.build_model(options)
    # Whatever an output layer has of its own stays, such as a trained bias.
    tied = chosen_output_layer(options) == "tied"
    replaced = (*_TABLES, *([_TIED_MATRIX] if tied else []))
    kept = {k: v for k, v in state["model"].items() if not k.startswith(replaced)}
    result = model.load_state_dict(kept, strict=False)
    left = [k for k in result.missing_keys if not k.startswith(replaced)]
    if left or result.unexpected_keys:
        name = [*left, *result.unexpected_keys][0]
        raise Mistake(f"the checkpoint is of no Transformer of fairseq's ('{name}')")
    for side, reconstruction in made.items():
        half = model.encoder if side == "source" else model.decoder
        half.embed_tokens.load_state_dict(reconstruction.embedding.state_dict())
    rest = without_training_state(state)
    if state.get("args"):
        return {**rest, "model": model.state_dict(), "args": options}
    cfg = {**state["cfg"], "model": options}
    return {**rest, "model": model.state_dict(), "cfg": cfg}


def _with_method(old: Namespace, made: Reconstruction) -> Namespace:
    options = copy.deepcopy(old)
    options.arch = options._name = "transformer_compact"
    described = saved_embedding.describe(made.embedding)
    options.embedding_method = described["method"]
    for name, value in described["options"].items():
        setattr(options, name, value)
    return options
