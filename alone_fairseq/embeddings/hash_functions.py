"""Hash functions of word indices, whose constants follow from a seed for good."""

import hashlib

import numpy as np
import torch
from numpy.random import RandomState
from torch import Tensor, nn

PRIME = 2**31 - 1
"""Products of two numbers below it are exact in 64 bits."""

MANY = 2**16
"""More functions than any vector has values; constants of this many are drawn in a
tenth of a second, and a mistyped number must not take minutes."""

_STREAM = 2  # random_codes.py has those before


class HashFunctions(nn.Module):
    """Independent hash functions, each a random polynomial modulo a prime.

    Carter and Wegman (1979), Wegman and Carter (1981): with polynomials of degree ``n``
    any ``n + 1`` words have independent values. Nothing is stored and there is no
    table: the coefficients follow from the seed, through NumPy's frozen generator.

    Args:
        seed: Seed in ``[0, 2^32)``.
        count: Number of functions.
        degree: Degree of the polynomials, at least 1.

    Attributes:
        checksum: 16 hexadecimal digits of the coefficients' SHA-256.
    """

    coefficients: Tensor

    def __init__(self, seed: int, count: int, degree: int) -> None:
        """Draw the coefficients; see the class."""
        super().__init__()
        self.prime = PRIME
        generator = RandomState([seed, _STREAM])
        # Function by function: the first ones do not depend on how many there are.
        drawn = generator.randint(1, PRIME, (count, degree + 1), dtype=np.uint32)
        self.checksum = hashlib.sha256(drawn.astype("<u4").tobytes()).hexdigest()[:16]
        coefficients = torch.tensor(drawn.T.tolist(), dtype=torch.int64)
        self.register_buffer("coefficients", coefficients, persistent=False)

    def forward(self, words: Tensor) -> Tensor:
        """Hash words.

        Args:
            words: Indices in ``[0, 2^31 - 1)``, int64, ``(N)``.

        Returns:
            Values in ``[0, 2^31 - 1)``, int64, ``(N, count)``; modulo ``B`` they are
            buckets.
        """
        words = words.unsqueeze(1)
        rows = self.coefficients.unbind()
        values = rows[0]
        for coefficients in rows[1:]:
            values = (values * words + coefficients) % self.prime
        return values
