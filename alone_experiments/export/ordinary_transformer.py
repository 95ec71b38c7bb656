"""A model with its tables written out: an ordinary Transformer of fairseq's.

What loads it needs fairseq alone; the converters of others start from such a file.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from dataclasses import fields
from typing import Any

import torch
from fairseq.models.transformer import TransformerModel
from fairseq.tasks.translation import TranslationConfig
from torch import Tensor, nn

from alone_experiments.mistakes import Mistake
from alone_fairseq.compact_model import CompactModel
from alone_fairseq.embeddings import CompactEmbedding
from alone_fairseq.length_control.options import is_controlled
from alone_fairseq.output import OutputLayer, TiedProjection
from alone_fairseq.transformer import CompactTransformerModel

ARCH = "transformer"
_SOURCE, _TARGET = "encoder.embed_tokens", "decoder.embed_tokens"
_OUTPUT = "decoder.output_projection"


def make_ordinary(state: dict[str, Any], model: Any, options: Any) -> dict[str, Any]:
    """Make the checkpoint of an ordinary Transformer with the same scores.

    Args:
        state: The checkpoint, as ``alone_fairseq.checkpoints.load`` reads it.
        model: The model in it.
        options: Its options.

    Returns:
        A checkpoint of plain data, which torch's safe loader reads without knowing any
        type of fairseq's. The optimiser's state is left out.

    Raises:
        Mistake: If the model has what no ordinary Transformer has.
    """
    refuse(model, options)
    model.eval()
    with torch.no_grad():
        matrices, norm = written_out(model)
    layer = model.output_layer()
    tied = isinstance(layer, TiedProjection) and layer.bias is None
    shared = {
        "share_decoder_input_output_embed": tied,
        "share_all_embeddings": tied and len(model.compact_embeddings()) == 1,
    }
    kept = {
        name: value
        for name, value in state["model"].items()
        if not name.startswith((f"{_SOURCE}.", f"{_TARGET}.", f"{_OUTPUT}."))
    }
    return {
        "args": options_of(options, shared),
        "cfg": None,
        "model": {**kept, **norm, **matrices},
        "optimizer_history": [_history(state)],
        "last_optimizer_state": None,
        "extra_state": {"train_iterator": {"epoch": 1, "iterations_in_epoch": 0}},
    }


def refuse(model: Any, options: Any) -> None:
    """Refuse what an ordinary Transformer cannot say.

    Args:
        model: The model.
        options: Its options.

    Raises:
        Mistake: In one line.
    """
    if isinstance(model, CompactModel) and not isinstance(
        model, CompactTransformerModel
    ):
        raise Mistake(
            f"--arch {options.arch} is no Transformer: use the model with this plugin,"
            " or export it with --to safetensors"
        )
    if not isinstance(model, CompactTransformerModel):
        raise Mistake(
            f"--arch {options.arch} is no Transformer with a compact embedding: fairseq"
            " and its converters read such a checkpoint as it is"
        )
    if is_controlled(options):
        raise Mistake(
            "the model has length control (--length-lrpe, --length-ldpe), for which"
            " fairseq's Transformer has no positions: use it with this plugin, or"
            " export it with --to safetensors"
        )
    layer = model.output_layer()
    if layer.matrix() is None:
        raise Mistake(
            f"--output-layer {options.output_layer} is more than a matrix, and"
            " fairseq's Transformer has no other output layer: use it with this plugin,"
            " or export it with --to safetensors"
        )
    if layer.bias is not None and last_norm(model) is None:
        raise Mistake(
            "the softmax has a bias (--softmax-bias), which fairseq's Transformer can"
            " hold only where a layer normalisation comes right before the output:"
            " not with --no-decoder-final-norm, nor with --decoder-output-dim"
        )


def written_out(model: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Write out what a model reads words with and makes logits with.

    Args:
        model: A model that :func:`refuse` lets pass.

    Returns:
        Embedding matrices and output matrix, and the last normalisation where a bias
        is in it; all by their names in an ordinary Transformer.
    """
    source, target = (embedding for embedding, _ in model.sides().values())
    layer = model.output_layer()
    if layer.bias is None and isinstance(layer, TiedProjection):
        table = _plain(layer.matrix())
        first = table if source is target else input_matrix(source)
        return _named(first, table, table), {}
    first = input_matrix(source)
    second = first if source is target else input_matrix(target)
    if layer.bias is None:
        return _named(first, second, _plain(layer.matrix())), {}
    norm = last_norm(model)
    assert norm is not None
    output, gain, shift = fold_bias(layer, norm)
    name = next(name for name, part in model.named_modules() if part is norm)
    values = {f"{name}.weight": gain, f"{name}.bias": shift}
    return _named(first, second, output), values


def _named(source: Tensor, target: Tensor, output: Tensor) -> dict[str, Tensor]:
    names = (f"{name}.weight" for name in (_SOURCE, _TARGET, _OUTPUT))
    return dict(zip(names, (source, target, output), strict=True))


def _plain(matrix: Tensor) -> Tensor:
    return matrix.detach().float().clone()


def input_matrix(embedding: CompactEmbedding) -> Tensor:
    """Write the table out by which an embedding reads words, with a padding of zeros.

    Returns:
        float32, ``(V, D)``.
    """
    table = _plain(embedding.table())
    table[embedding.padding_idx] = 0.0
    return table


def last_norm(model: Any) -> nn.LayerNorm | None:
    """Find the layer normalisation whose result is all that the output layer sees."""
    decoder = model.decoder
    if decoder.project_out_dim is not None:
        return None
    if decoder.layer_norm is not None:
        return decoder.layer_norm  # type: ignore[no-any-return] # fairseq's
    last = decoder.layers[-1]
    return None if last.normalize_before else last.final_layer_norm


def fold_bias(layer: OutputLayer, norm: nn.LayerNorm) -> tuple[Tensor, Tensor, Tensor]:
    """Put a bias of the logits into the output matrix and the normalisation before it.

    A layer normalisation makes ``g * n + s`` of a vector ``n`` whose entries sum to
    zero. With 1 for g and for s, and ``M diag(g) + a 1'`` in place of the matrix M, the
    logits are ``M (g * n) + M g + D a``: what they were, with the bias b, if
    ``a = (M s + b - M g) / D``.

    Args:
        layer: Output layer with a matrix M, ``(V, D)``, and a bias b, ``(V)``.
        norm: The normalisation, with g and s of size ``D``.

    Returns:
        The new matrix, ``(V, D)``, and the new g and s, all float32.
    """
    matrix, bias = layer.matrix(), layer.bias.values.double()
    assert matrix is not None
    matrix = matrix.double()
    gain, shift = norm.weight.double(), norm.bias.double()
    size = matrix.size(1)
    spread = (matrix @ (shift - gain) + bias) / size
    ones = torch.ones(size)
    return (matrix * gain + spread[:, None]).float(), ones, ones.clone()


def options_of(options: Any, shared: dict[str, bool]) -> OrderedDict[str, Any]:
    """Give the options of model and task that fairseq's own Transformer knows.

    Args:
        options: All options of the model.
        shared: What shares an embedding.

    Returns:
        Options as attributes, as what reads checkpoints expects of ``args``. It is an
        ordered dictionary since no other type that torch's safe loader admits can have
        attributes; they are its entries too, as an empty one counts as none.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False)
    TransformerModel.add_args(parser)
    names = {action.dest for action in parser._actions} - {"help"}
    names |= {field.name for field in fields(TranslationConfig)} - {"_name"}
    found = {name: getattr(options, name, None) for name in sorted(names)}
    plain = {
        name: value
        for name, value in found.items()
        if isinstance(value, str | int | float | bool)
    }
    plain |= {**shared, "arch": ARCH, "task": "translation"}
    result = OrderedDict(plain)
    vars(result).update(plain)
    return result


def _history(state: dict[str, Any]) -> dict[str, Any]:
    last = (state.get("optimizer_history") or [{}])[-1]
    return {
        "criterion_name": str(last.get("criterion_name", "")),
        "optimizer_name": str(last.get("optimizer_name", "")),
        "lr_scheduler_state": {},
        "num_updates": int(last.get("num_updates", 0)),
    }
