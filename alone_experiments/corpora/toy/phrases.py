"""Noun phrases in both languages: determiner, adjective and noun; pronouns; numbers."""

from dataclasses import dataclass

from . import english, german
from .speaker import Speaker
from .words import Determiner, Lexicon, Noun


@dataclass(frozen=True)
class Phrase:
    """A noun phrase, or any words that stay as they are."""

    forms: dict[str, str]  # "en", "object" (English as well), and the German cases
    pronoun: str = "it n"  # what refers to it, a key of the table of pronouns
    noun: Noun | None = None  # in it, or that it stands for
    adjective: str = ""  # the English one in it
    light: bool = False  # a pronoun, which German puts early
    new: bool = False  # indefinite, which German puts late

    @property
    def person(self) -> int:
        """The place of its verb among the forms for I, you, he, we."""
        return {"I": 0, "you": 1, "we": 3, "they": 3}.get(self.pronoun, 2)

    @property
    def kind(self) -> str:
        """The kind of noun; pronouns alone are of persons."""
        return self.noun.kind if self.noun else "person"

    def form(self, name: str, _: str = "") -> str:
        """Return one of the forms; "de" is the nominative."""
        return self.forms["nom" if name == "de" else name]


def fixed(en: str, de: str) -> Phrase:
    """Return words that are the same in every case."""
    return Phrase({"en": en, "object": en} | dict.fromkeys(german.CASES, de))


def pronoun(speaker: Speaker, key: str) -> Phrase:
    """Return a pronoun; "it" has the German gender as second word of its key."""
    return Phrase(speaker.lexicon.pronouns[key], key, light=True)


def pick_noun(speaker: Speaker, kinds: tuple[str, ...]) -> Noun:
    """Pick a noun of one of the kinds, perhaps a compound with it as last part."""
    noun = speaker.pick(speaker.lexicon.nouns[speaker.pick(kinds)])
    compounds = speaker.lexicon.compounds.get(noun.en)
    return speaker.pick(compounds) if compounds and speaker.chance(0.25) else noun


def someone(speaker: Speaker, mixture: str, other_than: str = "") -> Phrase:
    """Return a person as a row of weights says, but not the pronoun ``other_than``."""
    kind = other_than
    while kind == other_than:
        kind = speaker.weighted(speaker.lexicon.weights[mixture])
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
    """Build a phrase around a noun, with a determiner of a row of weights.

    A possessive may refer to ``owner``; an adjective has the probability ``adjective``.
    """
    name = _determiner_name(speaker, noun, row)
    determiner, plural = _determiner(speaker, name, owner), name.endswith("+")
    described, stem = _attribute(speaker, noun, name, adjective)
    words = f"{described} {noun.en_plural if plural else noun.en}".strip()
    article = determiner.en
    if article == "a":
        article = english.indefinite_article(words) if noun.en_plural else "any"
    forms = dict.fromkeys(("en", "object"), f"{article} {words}".strip())
    forms |= _declined(speaker.lexicon, determiner, stem, noun, plural)
    refers = "they" if plural else noun.pronoun
    return Phrase(forms, refers, noun, described, new=determiner.new)


def _determiner_name(speaker: Speaker, noun: Noun, row: str) -> str:
    mass = not noun.en_plural
    weights = speaker.lexicon.weights["mass" if mass and row == "any" else row]
    name = speaker.weighted(weights)
    if mass and (name.endswith("+") or name in ("a", "every")):
        return next(iter(weights))
    stranger = noun.kind == "person" and "own" not in noun.marks
    return name.replace("own", "the") if stranger else name


def _determiner(speaker: Speaker, name: str, owner: Phrase | None) -> Determiner:
    lexicon = speaker.lexicon
    determiner = lexicon.determiners[name]
    if name == "number+":
        numbers = lexicon.phrases["few" if speaker.chance(0.7) else "number"]
        en, stem = speaker.weighted(numbers)
    elif name in ("own", "own+"):
        near = owner is not None and speaker.chance(0.75)
        owners = lexicon.weights["owners"]
        key = owner.pronoun if owner and near else speaker.weighted(owners)
        en, stem = lexicon.pronouns[key]["my"], lexicon.pronouns[key]["mein"]
    else:
        return determiner
    return determiner._replace(en=en, stem=stem)


def _attribute(
    speaker: Speaker, noun: Noun, determiner: str, probability: float
) -> tuple[str, str]:
    """Return an English adjective and the German stem that takes the ending, or ""."""
    fitting = speaker.lexicon.adjectives[noun.kind]
    if not fitting or determiner == "name" or not speaker.chance(probability):
        return "", ""
    adjective = speaker.pick(fitting)
    speaker.pairings.add(("adjective", adjective.en, noun.head))
    superlative = adjective.en_superlative and determiner in ("the", "the+")
    if superlative and noun.en_plural and speaker.chance(0.15):
        return adjective.en_superlative, adjective.de_superlative
    return adjective.en, adjective.stem


def _declined(
    lexicon: Lexicon, determiner: Determiner, stem: str, noun: Noun, plural: bool
) -> dict[str, str]:
    gender = "p" if plural else noun.gender
    tables = determiner.endings, determiner.adjective
    endings = [lexicon.endings[table][gender] for table in tables]
    first, stem = determiner.stem, stem.removesuffix("e")
    cases = {}
    for case, ending, weak_or_strong in zip(german.CASES, *endings, strict=True):
        described = stem and stem + weak_or_strong
        words = first + ending, described, german.decline(noun, plural, case)
        cases[case] = " ".join(filter(None, words))
    return cases
