"""Tokens to subword units: byte-pair encoding, or SentencePiece in its place."""

from __future__ import annotations

import abc
import functools
import io
from collections import Counter
from pathlib import Path
from typing import Any

from subword_nmt.apply_bpe import BPE, read_vocabulary
from subword_nmt.learn_bpe import learn_bpe

from alone_experiments.corpora.words import write_counts
from alone_experiments.files import partial, writing
from alone_experiments.mistakes import Mistake

CACHED_WORDS = 250_000
"""Words whose units a worker remembers: about 100 MB."""


class Segmentation(abc.ABC):
    """A way to split words, learnt from counts of words."""

    distribution: str
    """Who does it: the name under which it is installed."""

    def check(self) -> None:  # noqa: B027, most need nothing
        """Make sure that this can be used here.

        Raises:
            Mistake: If what it needs is not installed.
        """

    @abc.abstractmethod
    def learn(self, counts: Counter[str], size: int, model: Path) -> None:
        """Learn from both languages together.

        Args:
            counts: Words and how often they occur.
            size: The number of merges, or of pieces.
            model: The file to write.

        Raises:
            Mistake: If that cannot be done.
        """

    @abc.abstractmethod
    def split(self, line: str, model: Path, vocabulary: Path | None) -> str:
        """Split the words of a sentence.

        Args:
            line: Tokens.
            model: What :meth:`learn` wrote.
            vocabulary: Units of the training text, one and its count a line; others are
                split further where that is possible. ``None``: any unit.

        Returns:
            Units, one space between them.
        """


class BytePairEncoding(Segmentation):
    """Byte-pair encoding (Sennrich et al., 2016), by subword-nmt."""

    distribution = "subword-nmt"

    def learn(self, counts: Counter[str], size: int, model: Path) -> None:
        """Learn ``size`` merges; see the base class."""
        if not counts:
            raise Mistake("there is no word to learn from: the training text is empty")
        # subword-nmt reads counts from lines, and neither learns from words of a single
        # character nor reads a file without merges.
        words = [f"{word} {count}" for word, count in counts.items()]
        learned = io.StringIO()
        with writing(model) as file:
            if any(len(word) > 1 for word in counts):
                learn_bpe(words, learned, size, is_dict=True)
            if learned.getvalue().count("\n") < 2:  # the first is a version
                raise Mistake(
                    "no two characters stand side by side in a word twice, so there are"
                    " no subword units to learn: prepare this text with"
                    " fairseq-preprocess"
                )
            file.write(learned.getvalue().encode())

    def split(self, line: str, model: Path, vocabulary: Path | None) -> str:
        """Split words by the merges; see the base class."""
        bpe = _bpe(model, vocabulary)
        if len(bpe.cache) > CACHED_WORDS:
            bpe.cache.clear()
        return str(bpe.process_line(line))


@functools.lru_cache(maxsize=4)
def _bpe(model: Path, vocabulary: Path | None) -> BPE:
    known = None
    if vocabulary is not None:
        with vocabulary.open(encoding="utf-8", newline="\n") as file:
            known = read_vocabulary(file, 1)
    with model.open(encoding="utf-8", newline="\n") as file:
        return BPE(file, vocab=known)


class SentencePiece(Segmentation):
    """SentencePiece (Kudo and Richardson, 2018) on Moses' tokens, by the BPE algorithm.

    The text is not normalised again. Generating takes ``--post-process sentencepiece``,
    which ``evaluate-row`` adds.
    """

    distribution = "sentencepiece"

    def check(self) -> None:
        """Import the library, which is an extra; see the base class."""
        _sentencepiece()

    def learn(self, counts: Counter[str], size: int, model: Path) -> None:
        """Learn ``size`` pieces; see the base class."""
        table = model.with_name(model.name + ".words")
        write_counts(counts, table, separator="\t")
        try:
            trained = partial(model)
            _sentencepiece().SentencePieceTrainer.train(
                input=str(table),
                input_format="tsv",
                model_prefix=str(trained),
                model_type="bpe",
                vocab_size=size,
                normalization_rule_name="identity",
                minloglevel=2,
            )
            trained.with_name(trained.name + ".vocab").unlink()
            trained.with_name(trained.name + ".model").replace(model)
        except RuntimeError as error:
            raise Mistake(
                f"SentencePiece cannot learn {size} pieces: {error}"
            ) from error
        finally:
            table.unlink(missing_ok=True)

    def split(self, line: str, model: Path, vocabulary: Path | None) -> str:
        """Split words into pieces, whatever the vocabulary; see the base class."""
        del vocabulary
        return " ".join(_pieces(model).encode(line, out_type=str))


def _sentencepiece() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise Mistake(
            "--segmentation sentencepiece needs sentencepiece, which is not installed;"
            " install this project with its extra: pip install '.[sentencepiece]'"
        ) from error
    return sentencepiece


@functools.lru_cache(maxsize=4)
def _pieces(model: Path) -> Any:
    return _sentencepiece().SentencePieceProcessor(model_file=str(model))


SEGMENTATIONS: dict[str, Segmentation] = {
    "bpe": BytePairEncoding(),
    "sentencepiece": SentencePiece(),
}
"""By the name that ``--segmentation`` takes."""
