"""A linear layer that reads random filters, in the cheaper of two orders."""

import torch.nn.functional as F
from torch import Tensor

from .filters import RandomFilters, sum_of_rows
from .tables.tiles import FirstLayer


def filter_layer(filters: RandomFilters, matrix: Tensor, num_words: int) -> FirstLayer:
    """Make the layer ``matrix f_w``, for some words at a time.

    Args:
        filters: The filters ``f_w``.
        matrix: Weights, ``(H, D_o)``.
        num_words: For how many words in all it is going to be used.

    Returns:
        The layer. Filters get no gradient.
    """
    images = codebook_images(filters, matrix, num_words)
    if images is not None:
        codebooks = filters.offsets.numel()
        return FirstLayer(filters.picked_rows, sum_of_rows, images, 1, codebooks)

    def inputs(words: Tensor) -> Tensor:
        values: Tensor = filters(words)
        return values.to(matrix.dtype)

    return FirstLayer(inputs, F.linear, matrix, 0, matrix.size(1))


def codebook_images(
    filters: RandomFilters, matrix: Tensor, num_words: int
) -> Tensor | None:
    """Send the codebooks through the layer, where that saves work.

    The layer is linear, so it commutes with the sum that makes a real filter:
    ``W sum_j s_j = sum_j W s_j``. The right side takes ``M c`` products with ``W``,
    whatever the number of words. It is used on the CPU only: on GPUs, where dense
    products are cheap, it has not been measured.

    Args:
        filters: The filters.
        matrix: Weights ``W``, ``(H, D_o)``.
        num_words: For how many words the result is to be used.

    Returns:
        ``W s`` of every codebook row ``s``, ``(M * c, H)``; ``None`` where filters are
        binary, the words are fewer than the codebook rows, or ``D_o`` is so small that
        products take less time than sums of rows.
    """
    books = filters.codebooks
    if filters.binary or num_words <= books.size(0) or not books.is_cpu:
        return None
    # Measured with 8 codebooks: of the dense time 1.1 to 1.2 at D_o = 64, 0.7 at
    # 128, 0.3 at 512.
    if matrix.size(1) <= 8 * filters.offsets.numel():
        return None
    return F.linear(books.to(matrix.dtype), matrix)
