"""Spellings of words as rows of a table of characters."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from ..errors import AloneError

SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
"""Symbols of fairseq's dictionaries that are no words: each is one character."""

GOES_ON = "@@"
"""Ends the units of subword-nmt after which the word goes on. It is one character, so
that a unit is another than the word of the same letters. SentencePiece's mark of where
a word begins is a character as it stands."""

UNKNOWN = 0
"""Row of all characters that are in too few words, or in none."""


def characters_of(word: str) -> list[str]:
    """Take a word apart.

    Args:
        word: Any word, or symbol of a dictionary.

    Returns:
        Its code points in the order in which they are read, whatever the direction of
        the script; combining marks are characters of their own.
    """
    if word in SPECIALS:
        return [word]
    if word.endswith(GOES_ON):
        return [*word.removesuffix(GOES_ON), GOES_ON]
    return list(word)


class Spellings:
    """The characters of a vocabulary, each with its row.

    Args:
        words: The words that have them.
        min_count: In how many words a character must be to have a row of its own.

    Attributes:
        rows: The row of each such character, from 1 on.
    """

    def __init__(self, words: Sequence[str], min_count: int) -> None:
        """Count the characters; see the class."""
        counts = Counter(char for word in words for char in {*characters_of(word)})
        own = {char for char, count in counts.items() if count >= min_count}
        own |= {*SPECIALS} & counts.keys()
        self.rows = {char: row for row, char in enumerate(sorted(own), UNKNOWN + 1)}

    def __len__(self) -> int:
        """Count the rows, that of unknown characters included."""
        return len(self.rows) + 1

    def encode(self, words: Iterable[str]) -> tuple[Tensor, Tensor]:
        """Write words as rows of characters.

        Args:
            words: ``N`` words.

        Returns:
            Rows of all characters, one word after the other, int64, and the place where
            each word starts, with the end of the last one, int64, ``(N + 1)``.

        Raises:
            AloneError: If a word is empty.
        """
        found, starts = [], [0]
        for number, word in enumerate(words, start=1):
            if not word:
                raise AloneError(
                    f"word {number} is empty (in a dictionary special symbols count),"
                    " so --embedding-method characters has nothing to read: remove it"
                    " from the text, and binarise data of that dictionary anew"
                )
            found += [self.rows.get(char, UNKNOWN) for char in characters_of(word)]
            starts.append(len(found))
        return torch.tensor(found, dtype=torch.int64), torch.tensor(starts)

    def checksum(self, words: Sequence[str]) -> str:
        """Fingerprint rows and words: 16 hexadecimal digits of their SHA-256."""
        text = "\n".join([*self.rows, "", *words])
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
