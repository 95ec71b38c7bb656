"""English word forms: plurals, verb forms, comparison, the article before a vowel."""

import re

_IRREGULAR = {"have": "has", "go": "goes", "do": "does"}
_NOT_BY_SPELLING = {"university": "a", "honest": "an"}
_STRESSED_AT_THE_END = ("begin", "forget", "cancel", "travel")


def with_s(word: str) -> str:
    """Return a plural or a third person: "box" -> "boxes", "have" -> "has"."""
    stem = re.sub("([^aeiou])y$", r"\1ie", word)
    regular = stem + ("es" if re.search("(s|x|z|ch|sh)$", word) else "s")
    return _IRREGULAR.get(word, regular)


def inflected(word: str, ending: str) -> str:
    """Add ed, er, est or ing: "big" -> "bigger", "carry" -> "carried"."""
    one_short_vowel = re.fullmatch("[^aeiou]*[aeiou][^aeiouwxy]", word)
    if one_short_vowel or word in _STRESSED_AT_THE_END:
        return word + word[-1] + ending
    if ending == "ing":
        stem = re.sub("ie$", "y", word)
        return (stem[:-1] if re.search("..[^e]e$", stem) else stem) + ending
    return re.sub("([^aeiou])y$", r"\1i", word).removesuffix("e") + ending


def indefinite_article(following: str) -> str:
    """Return "a" or "an", as the first sound of what follows demands."""
    first = following.split()[0]
    by_spelling = "an" if first[0].lower() in "aeiou" else "a"
    return _NOT_BY_SPELLING.get(first, by_spelling)


def conjugated(verb: str, past: str) -> list[str]:
    """Return the forms for I, you, he, we; then those in the past."""
    return [verb, verb, with_s(verb), verb] + 4 * [past]
