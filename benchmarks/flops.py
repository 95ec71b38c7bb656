"""Floating-point operations of the plain formulation, the yardstick of all variants.

It is the dense network on every word, ``V`` rows through ``D_o x H`` and ``H x D``, a
multiplication and an addition each counting as one. A variant that finds a cheaper
order is measured by the same number, so its share of the matrix rate may pass 100 %.
"""

from __future__ import annotations


def product_flops(rows: int, inner: int, columns: int) -> int:
    """Count the operations of a product of two matrices.

    Args:
        rows: Rows of the left matrix.
        inner: Columns of the left, rows of the right.
        columns: Columns of the right matrix.

    Returns:
        ``2 * rows * inner * columns``.
    """
    return 2 * rows * inner * columns


def table_forward_flops(vocabulary: int, dim: int, inter_dim: int) -> int:
    """Count the operations of a table of ALONE with two layers and ``D_o = D``.

    The product of filter and base vector and the ReLU are left out: less than a
    thousandth.

    Args:
        vocabulary: Vocabulary size ``V``.
        dim: Vector size ``D``.
        inter_dim: Inner size ``H``.

    Returns:
        ``4 * V * D * H``.
    """
    first = product_flops(vocabulary, dim, inter_dim)
    second = product_flops(vocabulary, inter_dim, dim)
    return first + second


def table_training_flops(vocabulary: int, dim: int, inter_dim: int) -> int:
    """Count the operations of a table and the way back through it.

    Each product of the way there has two on the way back, for the gradients of its
    two sides. What a variant computes twice to save memory is not counted, and none is
    taken off for the gradient of filters, which nobody needs: a variant without it
    does ``10 * V * D * H``.

    Args:
        vocabulary: Vocabulary size ``V``.
        dim: Vector size ``D``.
        inter_dim: Inner size ``H``.

    Returns:
        ``12 * V * D * H``.
    """
    return 3 * table_forward_flops(vocabulary, dim, inter_dim)
