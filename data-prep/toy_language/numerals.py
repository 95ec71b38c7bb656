"""Numbers, clock times and dates in words and digits, English and German."""

from __future__ import annotations

_ENGLISH_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety"""
_GERMAN_WORDS = """
null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn
fünfzehn sechzehn siebzehn achtzehn neunzehn
zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"""
_ENGLISH_SMALL, _ENGLISH_TENS = _ENGLISH_WORDS.split()[:20], _ENGLISH_WORDS.split()[20:]
_GERMAN_SMALL, _GERMAN_TENS = _GERMAN_WORDS.split()[:20], _GERMAN_WORDS.split()[20:]
# First to twelfth; the German ones are stems: der dritt-e, ein dritt-er.
_ENGLISH_ORDINAL_WORDS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"""
_GERMAN_ORDINAL_WORDS = """
erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"""
ENGLISH_ORDINALS = _ENGLISH_ORDINAL_WORDS.split()
GERMAN_ORDINALS = _GERMAN_ORDINAL_WORDS.split()
MONTHS = [
    ("January", "Januar"),
    ("February", "Februar"),
    ("March", "März"),
    ("April", "April"),
    ("May", "Mai"),
    ("June", "Juni"),
    ("July", "Juli"),
    ("August", "August"),
    ("September", "September"),
    ("October", "Oktober"),
    ("November", "November"),
    ("December", "Dezember"),
]


def english_number(number: int) -> str:
    """Spell out a number from 0 to 999, e.g. "two hundred and twenty-three".

    Raises:
        ValueError: the number lies outside that range.
    """
    _check(number)
    hundreds, rest = divmod(number, 100)
    if hundreds:
        head = f"{_ENGLISH_SMALL[hundreds]} hundred"
        return f"{head} and {english_number(rest)}" if rest else head
    if number < 20:
        return _ENGLISH_SMALL[number]
    tens, ones = divmod(number, 10)
    word = _ENGLISH_TENS[tens - 2]
    return f"{word}-{_ENGLISH_SMALL[ones]}" if ones else word


def german_number(number: int) -> str:
    """Spell out a number from 0 to 999, e.g. "zweihundertdreiundzwanzig".

    Raises:
        ValueError: the number lies outside that range.
    """
    _check(number)
    hundreds, rest = divmod(number, 100)
    if hundreds:
        head = f"{_without_s(hundreds)}hundert"
        return head + german_number(rest) if rest else head
    if number < 20:
        return _GERMAN_SMALL[number]
    tens, ones = divmod(number, 10)
    word = _GERMAN_TENS[tens - 2]
    return f"{_without_s(ones)}und{word}" if ones else word


def _without_s(digit: int) -> str:
    return "ein" if digit == 1 else _GERMAN_SMALL[digit]


def _check(number: int) -> None:
    if not 0 <= number <= 999:
        raise ValueError(f"{number} lies outside 0 to 999")


def clock_time(hour: int, part: str) -> tuple[str, str]:
    """Return e.g. ("half past three", "halb vier") for hours 1 to 12.

    Args:
        hour: the hour that is named in English.
        part: "full", "half", "quarter past", "quarter to", "ten past" or "ten to".
    """
    english, german_hour = _ENGLISH_SMALL[hour], _GERMAN_SMALL[hour]
    if part == "full":
        return f"{english} o'clock", f"{'ein' if hour == 1 else german_hour} Uhr"
    if part == "half":
        return f"half past {english}", f"halb {_GERMAN_SMALL[hour % 12 + 1]}"
    amount, direction = part.split()
    german_amount = {"quarter": "Viertel", "ten": "zehn", "five": "fünf"}[amount]
    german_direction = {"past": "nach", "to": "vor"}[direction]
    article = "a " if amount == "quarter" else ""
    return (
        f"{article}{part} {english}",
        f"{german_amount} {german_direction} {german_hour}",
    )
