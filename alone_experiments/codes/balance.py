"""How evenly codes are used: dead codewords, and Figure 3 of the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from alone_experiments.codes.shapes import Shape


@dataclass(frozen=True)
class Balance:
    """How the words are spread over the values of each code.

    Attributes:
        shares: Share of the words that have a value, ``(M, K)``; each row adds up to 1.
    """

    shares: npt.NDArray[np.float64]

    @classmethod
    def of(cls, codes: npt.NDArray[np.integer], shape: Shape) -> Balance:
        """Count the values of codes in ``[0, K)``, ``(N, M)``."""
        counts = [np.bincount(own, minlength=shape.values) for own in codes.T]
        return cls(np.stack(counts) / max(1, len(codes)))

    @property
    def unused(self) -> int:
        """Codewords that no word has."""
        return int((self.shares == 0).sum())

    def entropies(self) -> npt.NDArray[np.float64]:
        """Compute the entropy of each code in bits, ``(M,)``; at most ``log2 K``."""
        logs = np.log2(np.where(self.shares > 0, self.shares, 1))
        return np.asarray(-(self.shares * logs).sum(axis=1) + 0.0)

    def describe(self) -> dict[str, float]:
        """Give the numbers for records, as plain data."""
        return {
            "unused": self.unused,
            "entropy_bits": float(self.entropies().mean()),
            "largest_share": float(self.shares.max()),
            "smallest_share": float(self.shares.min()),
        }
