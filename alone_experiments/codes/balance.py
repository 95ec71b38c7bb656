"""How evenly codes are used: dead codewords, and Figure 3 of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from alone_experiments.codes.shapes import Shape


@dataclass(frozen=True)
class Balance:
    """How the words are spread over the values of each code.

    Attributes:
        counts: Words that have a value, ``(M, K)``; each row adds up to all words.
    """

    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, codes: npt.NDArray[np.integer], shape: Shape) -> Balance:
        """Count the values of codes in ``[0, K)``, ``(N, M)``."""
        counts = [np.bincount(own, minlength=shape.values) for own in codes.T]
        return cls(np.stack(counts))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Share of the words that have a value, ``(M, K)``; each row adds up to 1."""
        return self.counts / max(1, int(self.counts[0].sum()))

    @property
    def unused(self) -> int:
        """Codewords that no word has."""
        return int((self.counts == 0).sum())

    def entropies(self) -> npt.NDArray[np.float64]:
        """Compute the entropy of each code in bits, ``(M,)``; at most ``log2 K``."""
        shares = self.shares
        logs = np.log2(np.where(shares > 0, shares, 1))
        return np.asarray(-(shares * logs).sum(axis=1) + 0.0)

    def describe(self) -> dict[str, Any]:
        """Give the numbers for records, as plain data."""
        return {
            "unused": self.unused,
            "entropy_bits": float(self.entropies().mean()),
            "largest_share": float(self.shares.max()),
            "smallest_share": float(self.shares.min()),
            # A line a code keeps records short.
            "counts": [" ".join(map(str, own)) for own in self.counts.tolist()],
        }
