"""The bridge to a translation model: a reconstruction as its initial values."""

from __future__ import annotations

import logging
from argparse import Namespace
from pathlib import Path
from typing import Any

from fairseq.data import Dictionary

from .embeddings import CompactEmbedding
from .embeddings.description import refuse_other
from .errors import AloneError
from .saved_embedding import SavedEmbedding, load

logger = logging.getLogger(__name__)

FLAGS = ("--embedding-init", "--alone-init")
_SEPARATOR = ":"


def add_flag(parser: Any) -> None:
    """Add the flag that names the files; both its names mean the same."""
    parser.add_argument(
        *FLAGS,
        dest="embedding_init",
        metavar="FILE",
        help="start from what alone-fairseq reconstruct or codes learn made of this"
        " dictionary; with separate dictionaries two files, separated by a colon, in"
        " any order",
    )


def initialise(model: Any, args: Namespace) -> None:
    """Copy the values of reconstructions into a model that is to be trained.

    A file belongs to the embeddings whose dictionary has the symbols it was fitted to.
    Afterwards the option is empty and ``embedding_initialised_from`` names the files,
    so that checkpoints do not ask for them.

    Args:
        model: The model, which names its ``sides``.
        args: Its options.

    Raises:
        AloneError: If a file cannot be read or belongs to none of the embeddings, or if
            a trained model is going to take the place of its values.
    """
    names = getattr(args, "embedding_init", None)
    if not names:
        return
    if getattr(args, "finetune_from_model", None):
        raise AloneError(
            f"{FLAGS[0]} would be lost: --finetune-from-model puts that model's"
            " embedding in its place: remove one of them"
        )
    filled: dict[str, str] = {}
    for name in names.split(_SEPARATOR):
        found = load(Path(name))
        sides = _copy(found, name, model)
        if twice := filled.keys() & sides:
            side = min(twice)
            raise AloneError(
                f"{FLAGS[0]}: the {side} embedding starts from {filled[side]} or from"
                f" {name}: name one of them"
            )
        filled |= dict.fromkeys(sides, name)
    args.embedding_initialised_from, args.embedding_init = names, None


def _copy(found: SavedEmbedding, name: str, model: Any) -> list[str]:
    sides = model.sides()
    refusals: list[str] = []
    matching = []
    for side, (embedding, dictionary) in sides.items():
        if refusal := _refuse_symbols(found, dictionary):
            refusals.append(f"{side} dictionary {refusal}")
            continue
        start = found.embedding.stored_as(embedding)
        _refuse_embedding(start, embedding, name)
        embedding.load_state_dict(start.state_dict())
        logger.info(f"{side} embedding: initial values from {name}")
        matching.append(side)
    if len(refusals) == len(sides):
        raise AloneError(
            f"{FLAGS[0]} {name}: was made for another dictionary ({refusals[0]}): run"
            " alone-fairseq reconstruct or codes learn with --dictionary and that of"
            " these data"
        )
    return matching


def _refuse_symbols(found: SavedEmbedding, dictionary: Dictionary) -> str | None:
    theirs, mine = found.symbols, dictionary.symbols
    if theirs == mine:
        return None
    if len(theirs) != len(mine):
        return f"has {len(mine):,} symbols, the file's {len(theirs):,}"
    row = next(i for i in range(len(mine)) if theirs[i] != mine[i])
    return f"has '{mine[row]}' as symbol {row}, the file's '{theirs[row]}'"


def _refuse_embedding(
    start: CompactEmbedding, embedding: CompactEmbedding, name: str
) -> None:
    theirs, mine = start.embedding_dim, embedding.embedding_dim
    if theirs != mine:
        raise AloneError(
            f"{FLAGS[0]} {name}: its vectors have {theirs} values, the model's {mine}:"
            " set --encoder-embed-dim and --decoder-embed-dim"
        )
    refuse_other(
        embedding,
        start.state_dict(),
        f"{FLAGS[0]} {name}",
        "give the flags that it was made with (--alone-centre is in all of ALONE's"
        " presets but --arch ..._published), or make it with the model's",
    )
