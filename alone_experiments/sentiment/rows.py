"""The rows of the experiment on sentiment: Table 3 of Shu and Nakayama (2018).

A row is ``lookup``, the vectors themselves; ``codes_MxK``; ``random_codes_MxK``, whose
codes are not learned; or ``METHOD_MxK``, another method with as many stored bytes as
these codes take. Its size follows from the number of words: so rows are computed, not
written down.
"""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple, Self

from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import size_of
from alone_experiments.mistakes import Mistake

SHAPES = ("8x8", "8x64", "16x32", "32x16", "64x8")
RIVALS = ("alone", "low_rank", "hashed", "random_codes")
ACCURACIES = {
    **{"lookup": 87.18, "codes_8x8": 82.84, "codes_8x16": 83.77, "codes_16x8": 85.21},
    **{"codes_8x64": 86.66, "codes_16x32": 87.37, "codes_32x16": 87.80},
    "codes_64x8": 88.15,
}
"""The paper's, with 75,102 vectors of GloVe."""

FLAGS = {"alone": ["--alone-filter", "real"]}
"""Of methods that are not fitted with their usual options."""

_NAME = re.compile(r"lookup|([a-z_]+)_(\d+x\d+)")


class SentimentRow(NamedTuple):
    """A row of the experiment.

    Attributes:
        method: ``lookup``, ``codes``, ``random_codes`` or an embedding method.
        shape: Size of the codes, or of those whose bytes the method may take; ``None``
            for ``lookup``.
    """

    method: str
    shape: Shape | None = None

    @classmethod
    def parse(cls, name: str) -> Self:
        """Read the name of a row.

        Raises:
            Mistake: If no row is called so.
        """
        found = _NAME.fullmatch(name)
        try:
            if found and found[1]:
                return cls(found[1], Shape.parse(found[2]))
        except argparse.ArgumentTypeError:
            found = None
        if found is None:
            raise Mistake(
                f"no row {name} in the experiment on sentiment; rows are lookup and as"
                " codes_16x32, random_codes_16x32, low_rank_16x32"
            )
        return cls(name)

    @property
    def name(self) -> str:
        """Name of the row, such as ``codes_16x32``."""
        return self.method if self.shape is None else f"{self.method}_{self.shape}"

    def comparisons(self) -> list[str]:
        """Name the rows that it is compared with beside ``lookup``, with labels."""
        if self.shape is None or self.method == "codes":
            return []
        return [f"codes_{self.shape} (codes of its size)"]

    def fit(self, vectors: str, words: int, dim: int, seed: int) -> list[str]:
        """Make the command that makes its vectors, without its ``--output``.

        Args:
            vectors: File of the given vectors.
            words: How many there are.
            dim: Their size.
            seed: Of codes or of the fit.

        Returns:
            The command, one argument an element; empty for ``lookup``.
        """
        if self.shape is None:
            return []
        if self.method == "codes":
            # From all words, as its rivals are fitted to all of them.
            learn = ["alone-fairseq", "codes", "learn", vectors, "--hold-out", "0"]
            return [*learn, "--codes", str(self.shape), "--seed", str(seed)]
        fit = ["alone-fairseq", "reconstruct", vectors, "--words", str(words)]
        fit += ["--seed", str(seed), "--embedding-method"]
        if self.method == "random_codes":
            sizes = zip(("num-codebooks", "codebook-size"), self.shape, strict=True)
            flags = [word for name, n in sizes for word in (f"--codes-{name}", str(n))]
            return [*fit, "codes", *flags]
        size = size_of(self.shape, words, dim).bytes
        return [*fit, self.method, *sized(self.method, size, words, dim)]


def sized(method: str, most: int, words: int, dim: int) -> list[str]:
    """Choose the flags with which a method takes no more than some bytes.

    Args:
        method: An embedding method with a size to choose.
        most: Stored bytes, all values in fp32.
        words: Vocabulary size ``V``.
        dim: Vector size ``D``.

    Raises:
        Mistake: If it does not exist or has no such size.
    """
    from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS, TableSize
    from alone_fairseq.embeddings.free_size import largest
    from alone_fairseq.embeddings.options import flag_of
    from alone_fairseq.names import find

    made, flags = find(EMBEDDINGS, method, "--rows"), FLAGS.get(method, [])
    given = {
        flag.removeprefix("--").replace("-", "_"): value
        for flag, value in zip(flags[::2], flags[1::2], strict=True)
    }
    config = CONFIGS[method].from_namespace(argparse.Namespace(**given))
    option = config.free_size()
    if option is None:
        raise Mistake(f"{method} has no size to choose: name another row")
    tables = [TableSize(words, dim)]
    found = largest(made, config, tables, lambda size: size.stored_bytes <= most)
    if found is None:
        raise Mistake(f"no {method} of {words:,} words fits into {most:,} bytes")
    return [*flags, flag_of(option), str(getattr(found, option))]


def all_rows() -> list[SentimentRow]:
    """List the rows: the vectors, the codes of Table 3, and their rivals in size."""
    shapes = [Shape.parse(text) for text in SHAPES]
    found = [SentimentRow("lookup")]
    found += [SentimentRow("codes", shape) for shape in shapes]
    return found + [SentimentRow(name, shape) for name in RIVALS for shape in shapes]
