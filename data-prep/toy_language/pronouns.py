"""Noun phrases in both languages, and those without a noun: pronouns and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from toy_language import german
from toy_language.chooser import Chooser
from toy_language.german import CASES
from toy_language.nouns import Noun

_WOMEN = "Anna Maria Julia Laura Emma Sophie Clara Eva Lena Nina"
_MEN = "Peter Paul Martin Daniel David Tom Karl Otto Simon"
_SURNAMES = "Weber Klein Müller Schneider Becker Hoffmann Wagner Meyer"
WOMEN = _WOMEN.split()
MEN = _MEN.split()
_POSSESSIVE = {
    "I": ("my", "mein"),
    "you": ("your", "dein"),
    "he": ("his", "sein"),
    "she": ("her", "ihr"),
    "it": ("its", "sein"),
    "we": ("our", "unser"),
    "they": ("their", "ihr"),
}
# English object form; German nominative, accusative, dative; person, plural, gender.
_PRONOUNS = {
    "I": ("me", "ich mich mir", 1, False, "m"),
    "you": ("you", "du dich dir", 2, False, "m"),
    "he": ("him", "er ihn ihm", 3, False, "m"),
    "she": ("her", "sie sie ihr", 3, False, "f"),
    "we": ("us", "wir uns uns", 1, True, "p"),
    "they": ("them", "sie sie ihnen", 3, True, "p"),
}
_IT = {"m": "er ihn ihm", "f": "sie sie ihr", "n": "es es ihm"}


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase in both languages.

    Attributes:
        english, english_object: the form as subject and as object.
        german: the form for each case.
        person, plural, gender: what verbs and pronouns agree with; gender is "m",
            "f", "n" or, for every plural, "p".
        pronoun: the English pronoun that refers to it ("he", "they", ...).
        is_pronoun, definite, indefinite: what decides its place in German.
        article: whether it starts with the definite article and may contract.
        noun: the noun in it, if any.
    """

    english: str
    german: Mapping[str, str]
    pronoun: str
    gender: str
    person: int = 3
    plural: bool = False
    english_object: str = ""
    is_pronoun: bool = False
    indefinite: bool = False
    article: bool = False
    noun: Noun | None = None
    possessive: tuple[str, str] = field(default=("", ""))

    @property
    def as_object(self) -> str:
        """The English form in object position."""
        return self.english_object or self.english

    def after(self, preposition: str, case: str) -> str:
        """Return the German phrase after a preposition, contracted where it must."""
        phrase = self.german[case]
        if self.article:
            return german.contract(preposition, phrase)
        return f"{preposition} {phrase}"

    def with_relative_clause(self, english: str, german_clause: str) -> NounPhrase:
        """Return the phrase followed by a relative clause."""
        return replace(
            self,
            english=f"{self.english} {english}",
            german={c: f"{text}, {german_clause}," for c, text in self.german.items()},
            article=False,
        )


def pronoun(english: str, gender: str = "") -> NounPhrase:
    """Return a personal pronoun; "it" takes the German gender of what it names."""
    if english == "it":
        form, forms, person, plural = "it", _IT[gender], 3, False
    else:
        form, forms, person, plural, gender = _PRONOUNS[english]
    cases = dict(zip(CASES, forms.split(), strict=False))
    return NounPhrase(
        english,
        cases,
        english,
        gender,
        person,
        plural,
        form,
        is_pronoun=True,
        possessive=possessive_of(english, gender),
    )


def referring_to(phrase: NounPhrase) -> NounPhrase:
    """Return the pronoun that refers to a phrase."""
    return pronoun(phrase.pronoun, phrase.gender)


def possessive_of(english_pronoun: str, gender: str) -> tuple[str, str]:
    """Return e.g. ("its", "ihr"), the German stem, for a pronoun and a gender."""
    english, stem = _POSSESSIVE[english_pronoun]
    return english, "ihr" if english_pronoun == "it" and gender == "f" else stem


def name(chooser: Chooser) -> NounPhrase:
    """Return a first name, or a surname with Mr or Mrs."""
    woman = chooser.chance(0.5)
    if chooser.chance(0.7):
        first = chooser.pick(WOMEN if woman else MEN)
        return _named(first, [first, first, first, first + "s"], woman)
    surname = chooser.pick(_SURNAMES.split())
    titles = ["Frau"] * 4 if woman else ["Herr", "Herrn", "Herrn", "Herrn"]
    forms = [f"{title} {surname}" for title in titles]
    forms[3] += "s"
    return _named(f"{'Mrs' if woman else 'Mr'} {surname}", forms, woman)


def _named(english: str, forms: list[str], woman: bool) -> NounPhrase:
    she_or_he = "she" if woman else "he"
    return NounPhrase(
        english,
        dict(zip(CASES, forms, strict=True)),
        she_or_he,
        "f" if woman else "m",
        possessive=_POSSESSIVE[she_or_he],
    )
