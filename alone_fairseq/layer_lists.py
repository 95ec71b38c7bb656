"""Flags of fairseq that are Python: read here as data, where fairseq evaluates them."""

from __future__ import annotations

import ast
from typing import Any

from .errors import AloneError


def read_layers(text: str, flag: str) -> list[tuple[int, ...]]:
    """Read the layers of ConvS2S.

    Args:
        text: A list of tuples of two or three whole numbers, by sums of lists and
            products with numbers: ``[(512, 3)] * 4 + [(768, 3)]``.
        flag: The flag, for errors.

    Raises:
        AloneError: If it is anything else, or a layer has no width, no kernel or a
            residual connection from before the first one.
    """
    found = _evaluate(text)
    layers = found if isinstance(found, list) else []
    if not layers or not all(_is_layer(*each) for each in enumerate(layers, 1)):
        raise AloneError(
            f"{flag} must be a list such as '[(256, 3)] * 4', not '{text}'"
        )
    return layers


def read_attention(text: str, layers: int) -> list[bool]:
    """Read which layers of a decoder attend.

    Args:
        text: One truth value for all, or a list with one for each layer.
        layers: How many there are.

    Raises:
        AloneError: If it is anything else.
    """
    found = _evaluate(text)
    each = found if isinstance(found, list) else [found] * layers
    if len(each) != layers or not all(value in (True, False) for value in each):
        raise AloneError(
            "--decoder-attention must be True, False, or a list of these for the"
            f" {layers} layers of the decoder, such as '[True] * {layers}', not"
            f" '{text}'"
        )
    return [bool(value) for value in each]


def _is_layer(place: int, layer: object) -> bool:
    return (
        isinstance(layer, tuple)
        and len(layer) in (2, 3)
        and all(type(number) is int for number in layer)
        and min(layer[:2]) >= 1
        and 0 <= sum(layer[2:]) <= place
    )


def _evaluate(text: object) -> Any:
    try:
        return _value(ast.parse(str(text).strip(), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, ArithmeticError):
        return None
    except (MemoryError, RecursionError):  # of text that is too much for its parser
        return None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        left, right = _value(node.left), _value(node.right)
        return left + right if isinstance(node.op, ast.Add) else left * right
    return ast.literal_eval(node)
