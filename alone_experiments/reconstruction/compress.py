"""Reconstruction of a trained model's embedding: a compressed model to fine-tune."""

from __future__ import annotations

import argparse
import copy
from argparse import Namespace
from pathlib import Path
from typing import Any

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import report
from alone_experiments.reconstruction.job import fit_to_file, job_from
from alone_experiments.reconstruction.saved import Reconstruction
from alone_experiments.reconstruction.targets import from_table, prepare
from alone_experiments.tensor_files import write_tensors
from alone_experiments.training.average import TRAINING_STATE
from alone_experiments.word_vectors.trained_models import load_model, side_of, table_of
from alone_experiments.word_vectors.vectors import write_word2vec
from alone_fairseq import saved_embedding
from alone_fairseq.checkpoints import load, read
from alone_fairseq.output import chosen_output_layer

SIDES = ("source", "target")
_TABLES = ("encoder.embed_tokens.", "decoder.embed_tokens.")
_OUTPUT_LAYER = "decoder.output_projection."


def run(args: argparse.Namespace, pairs: report.PairSets) -> None:
    """Fit a model's embedding, or both where it has two, and put the model together.

    Args:
        args: Options of the ``reconstruct`` command.
        pairs: Judged word pairs by name.

    Raises:
        Mistake: If the checkpoint is none, or options make no sense with one.
    """
    _check(args)
    model, task = load_model(args.vectors, args.data)
    shared = model.encoder.embed_tokens is model.decoder.embed_tokens
    made: dict[str, Reconstruction] = {}
    for side in SIDES[: 1 if shared else 2]:
        embedding, dictionary = side_of(model, task, side)
        targets = prepare(from_table(table_of(embedding), dictionary), args)
        job = job_from(args, targets)
        output = args.output if shared else _named(args.output, side)
        made[side] = fit_to_file(job, output, pairs)
        if args.vectors_out:
            out = args.vectors_out if shared else _named(args.vectors_out, side)
            write_word2vec(made[side].word_vectors(), out)
    if args.checkpoint_out:
        state = put_together(load(args.vectors), task, made)
        write_tensors(args.checkpoint_out, state)
        print(f"{args.checkpoint_out}: fine-tune with --finetune-from-model")


def _check(args: argparse.Namespace) -> None:
    if "model" not in read(args.vectors):
        raise Mistake(f"{args.vectors}: is no checkpoint, nor a file of vectors")
    for flag in ("words", "word_list", "dictionary", "std"):
        if getattr(args, flag):
            name = flag.replace("_", "-")
            raise Mistake(f"--{name} does not go with a checkpoint: remove it")


def _named(path: Path, side: str) -> Path:
    return path.with_name(f"{path.stem}.{side}{path.suffix}")


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
    tied = chosen_output_layer(options) == "tied"
    replaced = (*_TABLES, _OUTPUT_LAYER) if tied else _TABLES
    kept = {k: v for k, v in state["model"].items() if not k.startswith(replaced)}
    result = model.load_state_dict(kept, strict=False)
    left = [k for k in result.missing_keys if not k.startswith(replaced)]
    if left or result.unexpected_keys:
        name = [*left, *result.unexpected_keys][0]
        raise Mistake(f"the checkpoint is of no Transformer of fairseq's ('{name}')")
    for side, reconstruction in made.items():
        half = model.encoder if side == "source" else model.decoder
        half.embed_tokens.load_state_dict(reconstruction.embedding.state_dict())
    rest = {k: v for k, v in state.items() if k not in TRAINING_STATE}
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
