"""From a line of text to the words that ROUGE-1.5.5 counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from alone_experiments.evaluation.porter import stem
from alone_experiments.evaluation.word_exceptions import built_in_exceptions
from alone_experiments.mistakes import Mistake

# Applied to bytes, so that every byte of a letter outside ASCII separates words.
_WORD = re.compile(rb"[a-z0-9]+")
_SHORTEST_STEMMED = 4


@dataclass(frozen=True)
class Tokeniser:
    """The words of a line, as ROUGE-1.5.5 sees them.

    It cuts the line, puts ASCII letters into lower case, and takes each run of the
    letters a to z and digits as a word: punctuation, hyphens and all bytes outside
    ASCII only separate words. Of ``café-goers`` there remain ``caf`` and ``goers``.

    Attributes:
        max_bytes: Number of bytes of the UTF-8 text that count, white space at its
            beginning included (its option ``-b``). The cut may go through a word or a
            character. ``None``: all.
        stemming: Whether to put words of four letters or more into their base form, if
            they are irregular, and to stem the others (its option ``-m``).
        exceptions: Irregular forms with their base forms, which are not stemmed; those
            of ROUGE-1.5.5 if left out. See :func:`~.word_exceptions.load_exceptions`.
    """

    max_bytes: int | None = None
    stemming: bool = False
    exceptions: Mapping[str, str] = field(
        default_factory=built_in_exceptions, repr=False
    )

    def __post_init__(self) -> None:
        """Refuse a limit that leaves nothing."""
        if self.max_bytes is not None and self.max_bytes < 1:
            raise Mistake(f"--bytes must be at least 1, not {self.max_bytes}")

    def __call__(self, line: str) -> list[str]:
        """Split a line.

        Args:
            line: One document: a sentence in any case and script.

        Returns:
            Its words or stems in order.
        """
        text = line.encode("utf-8", errors="surrogatepass")[: self.max_bytes]
        words = [word.decode("ascii") for word in _WORD.findall(text.lower())]
        return [self._base(word) for word in words] if self.stemming else words

    def _base(self, word: str) -> str:
        if len(word) < _SHORTEST_STEMMED:
            return word
        return self.exceptions.get(word) or stem(word)
