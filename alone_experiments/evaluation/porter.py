"""The Porter stemmer in the variant of ROUGE-1.5.5.

The algorithm is that of Porter (1980), "An algorithm for suffix stripping", with the
two later changes of its author (``-bli`` and ``-logi`` in step 2). ROUGE-1.5.5 departs
from it in step 4, where ``-ment``, then ``-ent`` or ``-ion``, are tried on whatever the
other suffixes left: ``governmental`` becomes ``govern`` and not ``government``,
``settlement`` becomes ``settlem``. No library has that variant.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Suffixes and what takes their place if the stem before them has m > 0.
_STEP2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_STEP3 = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
# Suffixes taken off if the stem before them has m > 1.
_STEP4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Strip a word of its suffixes.

    Args:
        word: Lower-case letters a to z and digits, which count as consonants.

    Returns:
        Its stem; a word of one or two letters stays as it is.
    """
    if len(word) < 3:
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = f"{word[:-1]}i"
    word = _exchange(word, _STEP2)
    word = _exchange(word, _STEP3)
    return _without_final_letter(_without_suffixes(word))


def _shape(letters: str) -> str:
    """Write ``v`` for every vowel and ``c`` for every consonant."""
    shape = ""
    for letter in letters:
        # y is a vowel after a consonant.
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(letters: str) -> int:
    """Count what Porter calls m: vowels followed by consonants."""
    return _shape(letters).count("vc")


def _is_short(letters: str) -> bool:
    """Tell whether all is consonants, a vowel, and a consonant other than w and x."""
    return bool(re.fullmatch("c+vc", _shape(letters))) and letters[-1] not in "wxy"


def _without_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if re.search("[^s]s$", word) else word


def _without_past(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    found = re.fullmatch("(.*?)(?:ed|ing)", word)
    if not found or "v" not in _shape(found[1]):
        return word
    rest = found[1]
    if rest.endswith(("at", "bl", "iz")):
        return f"{rest}e"
    if re.search(r"([^aeiouylsz])\1$", rest):
        return rest[:-1]
    return f"{rest}e" if _is_short(rest) else rest


def _ending(word: str, suffixes: tuple[str, ...]) -> str:
    """Find the longest of the suffixes that the word ends in, or an empty string."""
    return max((end for end in suffixes if word.endswith(end)), key=len, default="")


def _exchange(word: str, table: dict[str, str]) -> str:
    """Steps 2 and 3."""
    suffix = _ending(word, tuple(table))
    rest = word.removesuffix(suffix)
    return rest + table[suffix] if suffix and _measure(rest) > 0 else word


def _without_suffixes(word: str) -> str:
    """Step 4, as ROUGE-1.5.5 has it."""
    word = _take_off(_take_off(word, _ending(word, _STEP4)), "ment")
    if word.endswith("ent"):
        return _take_off(word, "ent")
    return _take_off(word, "ion") if word.endswith(("sion", "tion")) else word


def _take_off(word: str, suffix: str) -> str:
    rest = word.removesuffix(suffix)
    return rest if _measure(rest) > 1 else word


def _without_final_letter(word: str) -> str:
    """Step 5."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _is_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
