"""Packed codes as an embedding, and inside the checkpoint of a model that has codes."""

from __future__ import annotations

import argparse

import torch

from alone_experiments.codes.code_file import PackedCodes
from alone_experiments.mistakes import Mistake
from alone_experiments.tensor_files import write_tensors
from alone_experiments.training.average import without_training_state
from alone_fairseq.checkpoints import load
from alone_fairseq.embeddings import CompactEmbedding
from alone_fairseq.embeddings.codes import CodesEmbedding


def embedding_of(packed: PackedCodes) -> CodesEmbedding:
    """Make an embedding with these codes and codewords, in evaluation mode."""
    made = CodesEmbedding(
        *(len(packed.words), packed.codewords.shape[1], packed.padding_idx),
        codes_num_codebooks=packed.shape.codebooks,
        codes_codebook_size=packed.shape.values,
    )
    made.set_codes(torch.from_numpy(packed.codes.astype("int64")))
    made.set_codewords(torch.from_numpy(packed.codewords))
    return made.eval()


def put_into_checkpoint(packed: PackedCodes, args: argparse.Namespace) -> None:
    """Write a checkpoint with the codes and codewords of one of its embeddings.

    Without the state of the training, which is that of other codes and codewords.

    Args:
        packed: Codes of the same size, for the same dictionary.
        args: ``checkpoint``, ``data``, ``side`` and ``checkpoint_out``.

    Raises:
        Mistake: If the model or its dictionary are of another kind.
    """
    from alone_experiments.word_vectors.trained_models import load_model, side_of

    model, task = load_model(args.checkpoint, args.data)
    embedding, dictionary = side_of(model, task, args.side)
    _refuse_symbols(packed.words, dictionary.symbols, args)
    made: CompactEmbedding = embedding_of(packed)
    if isinstance(embedding, CompactEmbedding):
        made = made.stored_as(embedding)
    mine = {key: value.shape for key, value in made.state_dict().items()}
    theirs = {key: value.shape for key, value in embedding.state_dict().items()}
    if mine != theirs:
        raise Mistake(
            f"{args.checkpoint}: its embedding has no codes of {packed.shape} and"
            f" D = {packed.codewords.shape[1]}"
        )
    embedding.load_state_dict(made.state_dict())
    state, new = without_training_state(load(args.checkpoint)), model.state_dict()
    old = state["model"].items()
    state["model"] = {key: new.get(key, v).to(v.dtype) for key, v in old}
    write_tensors(args.checkpoint_out, state)


def _refuse_symbols(
    theirs: list[str], mine: list[str], args: argparse.Namespace
) -> None:
    if len(theirs) != len(mine):
        raise Mistake(
            f"{args.codes}: has {len(theirs):,} words, the dictionary in {args.data}"
            f" {len(mine):,}: export from a model of this dictionary"
        )
    for row, (their, own) in enumerate(zip(theirs, mine, strict=True)):
        if their != own:
            raise Mistake(
                f"{args.codes}: has '{their}' as word {row}, the dictionary in"
                f" {args.data} '{own}': export from a model of this dictionary"
            )
