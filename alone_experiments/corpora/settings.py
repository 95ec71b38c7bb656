"""The settings of corpora: what descriptions may set, and options may choose."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alone_experiments.arguments import whole_number


@dataclass(frozen=True)
class Setting:
    """A setting of a corpus, which its description may offer as an option.

    Attributes:
        read: Makes the value of its text.
        help: What it is.
        metavar: What stands for the value in ``--help``.
        default: Its value where a description has none.
    """

    read: Callable[[str], Any]
    help: str
    metavar: str = "N"
    default: Any = None


def one_of(*names: str) -> Callable[[str], str]:
    """Make a reader that takes only some words."""

    def read(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text} is not {' or '.join(names)}")
        return text

    return read


def _ratio(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if value != 0 and not value >= 1:
        raise argparse.ArgumentTypeError(f"{text} is not 0, and not 1 or more")
    return value


def _dictionary(text: str) -> int:
    value = whole_number()(text)
    if value % 8:
        raise argparse.ArgumentTypeError(
            f"{text} is not a multiple of 8: fairseq pads dictionaries to one"
        )
    return value


_LIMIT = "leave out training pairs with over"
_SPREAD = "at most so many pairs, spread evenly over those there are; 0 for all"

SETTINGS = {
    "source": Setting(str, "language of the source", "LANG", "en"),
    "target": Setting(str, "language of the target", "LANG", "de"),
    "segmentation": Setting(
        one_of("bpe", "sentencepiece"),
        "bpe (subword-nmt), or sentencepiece, which must be installed",
        "NAME",
        "bpe",
    ),
    "merges": Setting(
        whole_number(1),
        "byte-pair merges, or SentencePiece's pieces, over both languages",
        default=10000,
    ),
    "max-length": Setting(
        whole_number(), f"{_LIMIT} N subword units on a side; 0 = no limit", default=250
    ),
    "max-ratio": Setting(
        _ratio,
        f"{_LIMIT} R times as many units on one side as on the other; 0 = no limit",
        "R",
        0.0,
    ),
    "dictionary": Setting(
        _dictionary,
        "keep the N most frequent entries, fairseq's four special ones included;"
        " a multiple of 8; 0 = all",
        default=0,
    ),
    "vocabulary": Setting(
        whole_number(1), "subword units of the source", default=16000
    ),
    "digits": Setting(
        one_of("keep", "mask"), "keep or mask: every digit becomes #", "MODE"
    ),
    "valid-pairs": Setting(whole_number(), f"validate on {_SPREAD}"),
    "test-pairs": Setting(whole_number(), f"test on {_SPREAD}"),
    "remove-tickers": Setting(one_of("yes", "no"), "whether codes of shares go"),
    "documents": Setting(whole_number(1), "number of documents that must be there"),
    "training": Setting(
        Path, "the prepared corpus to take subword units and dictionary from", "DIR"
    ),
    "catalogue": Setting(Path, "another table of archives", "FILE"),
    "words": Setting(Path, "the file of words and rules", "FILE"),
    "train": Setting(whole_number(1), "pairs to make for training"),
    "valid": Setting(whole_number(1), "pairs to make for validation"),
    "test": Setting(whole_number(1), "pairs to make for testing"),
    "min-count": Setting(
        whole_number(), "how often training has each word of validation and test"
    ),
    "seed": Setting(whole_number(), "seed of all random choices"),
    "vectors": Setting(
        str,
        "also fit initial values of models to these word vectors: GloVe, word2vec or"
        " fastText, plain or gzipped; glove: what was fitted before, else GloVe",
        "FILE",
    ),
    "workers": Setting(whole_number(1), "processes at once"),
    "jobs": Setting(whole_number(1), "processes at once"),
}
"""By the name of the option, and of the entry in a description."""
