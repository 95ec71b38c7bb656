"""Reviews split into words: NLTK's tokens, in lower case."""

from __future__ import annotations

import re
from collections.abc import Callable

from alone_experiments.mistakes import Mistake

Splitter = Callable[[str], list[str]]

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def make_splitter() -> Splitter:
    """Make the function that splits a review.

    Sentences are found by an untrained Punkt, since what NLTK trained must be
    downloaded: it takes a full stop for the end of a sentence more often, which only
    decides whether the stop is a word of its own. Marks of line breaks are left out.

    Returns:
        A function from text to words, none of which has white space in it.

    Raises:
        Mistake: If NLTK is not installed.
    """
    try:
        from nltk.tokenize import NLTKWordTokenizer
        from nltk.tokenize.punkt import PunktSentenceTokenizer
    except ImportError as error:
        raise Mistake(
            'sentiment needs NLTK: pip install "alone-fairseq[sentiment]"'
        ) from error
    sentences, words = PunktSentenceTokenizer(), NLTKWordTokenizer()

    def split(text: str) -> list[str]:
        plain = _BREAK.sub(" ", text)
        found = sentences.tokenize(plain)
        return [word.lower() for part in found for word in words.tokenize(part)]

    return split
