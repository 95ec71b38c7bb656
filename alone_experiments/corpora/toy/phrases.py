"""Noun phrases in both languages: determiner, adjective and noun; pronouns; numbers."""

from __future__ import annotations

from dataclasses import dataclass

from . import english, german
from .speaker import Speaker
from .words import Determiner, Noun


@dataclass(frozen=True)
class Phrase:
    """A noun phrase, or any words that stay as they are.

    Attributes:
        en: the English text; as an object ``en_object`` where that differs.
        cases: the German text by case.
        pronoun: what refers to it, a key of the table of pronouns.
        noun: the noun in it, or that it stands for.
        adjective: the English adjective in it, or "".
        light: whether it is a pronoun, which German puts early.
        new: whether it is indefinite, which German puts late.
    """

    en: str
    cases: dict[str, str]
    pronoun: str = "it n"
    noun: Noun | None = None
    en_object: str = ""
    adjective: str = ""
    light: bool = False
    new: bool = False

    @property
    def person(self) -> int:
        """1, 2 or 3."""
        return {"I": 1, "we": 1, "you": 2}.get(self.pronoun, 3)

    @property
    def plural(self) -> bool:
        """Whether verbs stand in the plural."""
        return self.pronoun in ("we", "they")

    @property
    def kind(self) -> str:
        """The kind of noun; pronouns alone are of persons."""
        return self.noun.kind if self.noun else "person"

    def form(self, name: str, _: str = "") -> str:
        """Return "en", "object" (English as well), "de" or a case."""
        if name in ("en", "object"):
            return (self.en_object or self.en) if name == "object" else self.en
        return self.cases["nom" if name == "de" else name]


def fixed(en: str, de: str) -> Phrase:
    """Return words that are the same in every case."""
    return Phrase(en, dict.fromkeys(german.CASES, de))


def number(speaker: Speaker, largest: int) -> Phrase:
    """Return a number from 2 to 99 in words: "twenty-three", dreiundzwanzig."""
    en, de = (speaker.lexicon.words[side] for side in ("english", "german"))
    value = 2 + speaker.below(largest - 1)
    tens, ones = divmod(value, 10)
    if value < 20 or not ones:
        place = value if value < 20 else 18 + tens
        return fixed(en[place], de[place])
    return fixed(f"{en[18 + tens]}-{en[ones]}", f"{de[ones]}und{de[18 + tens]}")


def pronoun(speaker: Speaker, key: str, noun: Noun | None = None) -> Phrase:
    """Return a pronoun; "it" has the German gender as second word of its key."""
    en_object, _, *cases, _ = speaker.lexicon.pronouns[key]
    forms = dict(zip(german.CASES, cases, strict=False))
    return Phrase(key.split()[0], forms, key, noun, en_object, light=True)


def pick_noun(speaker: Speaker, kinds: tuple[str, ...]) -> Noun:
    """Pick a noun of one of the kinds, perhaps a compound with it as last part."""
    noun = speaker.pick(speaker.lexicon.nouns[speaker.pick(kinds)])
    compounds = speaker.lexicon.compounds.get(noun.en)
    return speaker.pick(compounds) if compounds and speaker.chance(0.25) else noun


def someone(speaker: Speaker, mixture: str, other_than: str = "") -> Phrase:
    """Return a person as a row of weights says, but not the pronoun ``other_than``."""
    kind = speaker.mixture(mixture)
    while kind == other_than:
        kind = speaker.mixture(mixture)
    if kind in speaker.lexicon.pronouns:
        return pronoun(speaker, kind)
    row = "subject" if kind == "person" else "name"
    return noun_phrase(speaker, pick_noun(speaker, (kind,)), row)


def noun_phrase(
    speaker: Speaker,
    noun: Noun,
    row: str = "any",
    owner: Phrase | None = None,
    adjective: float = 0.35,
) -> Phrase:
    """Build a phrase around a noun.

    Args:
        speaker: chooses what is not given.
        noun: its head.
        row: the row of weights that the determiner is drawn from.
        owner: whom "his", "her", ... refer to, if a possessive is drawn.
        adjective: probability of an adjective.
    """
    name = _determiner_name(speaker, noun, row)
    determiner, plural = _determiner(speaker, name, owner), name[-1] == "+"
    described = stem = ""
    describable = speaker.lexicon.adjectives[noun.kind] and name != "name"
    if describable and speaker.chance(adjective):
        described, stem = _attribute(speaker, noun, name)
    words = f"{described} {noun.en_plural if plural else noun.en}".strip()
    article = determiner.en
    if article == "a":
        article = english.indefinite_article(words) if noun.en_plural else "any"
    gender = "p" if plural else noun.gender
    tables = determiner.endings, determiner.adjective
    endings = [speaker.lexicon.endings[table][gender] for table in tables]
    cases = {}
    for case, ending, weak_or_strong in zip(german.CASES, *endings, strict=True):
        attribute = stem.removesuffix("e") + weak_or_strong if stem else ""
        forms = determiner.stem + ending, attribute, german.decline(noun, plural, case)
        cases[case] = " ".join(filter(None, forms))
    text, whose = f"{article} {words}".strip(), "they" if plural else noun.pronoun
    new = bool(determiner.new)
    return Phrase(text, cases, whose, noun, adjective=described, new=new)


def _determiner_name(speaker: Speaker, noun: Noun, row: str) -> str:
    mass = not noun.en_plural
    weights = speaker.lexicon.weights["mass" if mass and row == "any" else row]
    name = speaker.weighted(weights)
    if mass and (name[-1] == "+" or name in ("a", "every")):
        return next(iter(weights))
    stranger = noun.kind == "person" and "own" not in noun.marks
    return name.replace("own", "the") if stranger else name


def _determiner(speaker: Speaker, name: str, owner: Phrase | None) -> Determiner:
    if name == "number+":
        amount = number(speaker, 12 if speaker.chance(0.7) else 99)
        return Determiner(amount.en, amount.form("de"), "none", "strong", "new")
    if name not in ("own", "own+"):
        return speaker.lexicon.determiners[name]
    near = owner is not None and speaker.chance(0.75)
    key = owner.pronoun if owner and near else speaker.mixture("owners")
    forms = speaker.lexicon.pronouns[key]
    return Determiner(forms[1], forms[-1], "ein", "mixed")


def _attribute(speaker: Speaker, noun: Noun, determiner: str) -> tuple[str, str]:
    """Return an English adjective and the German stem that takes the ending."""
    adjective = speaker.pick(speaker.lexicon.adjectives[noun.kind])
    speaker.pairings.add(("adjective", adjective.en, noun.head))
    superlative = adjective.en_superlative and determiner in ("the", "the+")
    if superlative and noun.en_plural and speaker.chance(0.15):
        return adjective.en_superlative, adjective.de_superlative
    return adjective.en, adjective.stem
