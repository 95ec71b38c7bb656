"""The words of the toy language, as its file of words and rules describes them."""

from pathlib import Path
from typing import Any, NamedTuple


class Noun(NamedTuple):
    """One noun; a mass has no plurals; ``head`` leaves out a compound's first part."""

    en: str
    en_plural: str
    gender: str
    de: str
    genitive: str
    de_plural: str
    marks: str
    head: str
    kind: str

    @property
    def pronoun(self) -> str:
        """The pronoun for the singular: "he", "she", or "it" and the German gender."""
        if self.kind != "person" or "it" in self.marks:
            return f"it {self.gender}"
        return "he" if self.gender == "m" else "she"


class Adjective(NamedTuple):
    """One adjective: ``stem`` takes the endings; what is not compared has ""."""

    en: str
    en_comparative: str
    en_superlative: str
    de: str
    de_comparative: str
    de_superlative: str
    stem: str
    kinds: tuple[str, ...]


class Complement(NamedTuple):
    """An object: case, preposition or "", kinds of noun; or a list, without a case."""

    case: str
    preposition: str
    what: tuple[str, ...]


class Verb(NamedTuple):
    """One verb, English without its particle, German without its prefix."""

    en: str
    en_past: str
    en_participle: str
    particle: str
    prefix: str
    de: str
    de_third: str
    de_past: str
    de_participle: str
    complements: tuple[Complement, ...]
    subjects: tuple[str, ...]
    marks: str


class Determiner(NamedTuple):
    """Its endings, those of an adjective after it, English word and German stem."""

    endings: str
    adjective: str
    en: str = ""
    stem: str = ""
    new: bool = False


class Tense(NamedTuple):
    """Finite verb and form of the other, in both languages, and what goes with it."""

    weight: int
    en: str = "base"
    de: str = ""
    past: bool = False
    time: str = ""
    often: str = ""
    adverb: str = ""


class Lexicon(NamedTuple):
    """All words and rules, under the names of the tables of the file."""

    path: Path
    nouns: dict[str, list[Noun]]
    compounds: dict[str, list[Noun]]
    adjectives: dict[str, list[Adjective]]
    verbs: dict[str, list[Verb]]
    phrases: dict[str, dict[tuple[str, str], int]]
    determiners: dict[str, Determiner]
    tenses: dict[str, Tense]
    endings: dict[str, dict[str, list[str]]]
    pronouns: dict[str, dict[str, str]]
    auxiliaries: dict[str, str]
    orders: dict[str, str]
    weights: dict[str, dict[str, int]]
    sentences: list[dict[str, Any]]
