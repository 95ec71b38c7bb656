"""Reading the file of words and rules, whose own comments explain how it is written."""

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from alone_experiments.mistakes import Mistake

from . import english
from .words import Adjective, Complement, Determiner, Lexicon, Noun, Tense, Verb

T = TypeVar("T")
Kinds = Callable[[str], tuple[str, ...]]
Nouns = dict[str, list[Noun]]
_GENDERS = {"der": "m", "die": "f", "das": "n"}
_NAMES = ("women", "men", "mister")
_AS_THEY_STAND = ("endings", "pronouns", "auxiliaries", "orders", "weights")


def read_lexicon(path: Path) -> Lexicon:
    """Read the file of words and rules.

    Raises:
        Mistake: the file or an entry cannot be understood; names file and entry.
        OSError: the file cannot be read.
    """
    try:
        return _lexicon(path, tomllib.loads(path.read_text(encoding="utf-8")))
    except ValueError as reason:
        raise Mistake(f"{path}: {reason}") from None
    except KeyError as name:
        raise Mistake(f"{path}: there is no table [{name.args[0]}]") from None


def _lexicon(path: Path, tables: dict[str, Any]) -> Lexicon:
    def read(name: str, parse: Callable[[str, Any], T]) -> dict[str, T]:
        return _read(name, tables[name], parse)

    def groups(name: str, parse: Callable[[str, str, Any], T]) -> dict[str, list[T]]:
        return {
            group: [*_read(f"{name}.{group}", table, partial(parse, group)).values()]
            for group, table in tables[name].items()
        }

    nouns = groups("nouns", _noun)
    nouns = {noun.en: [noun] for group in nouns.values() for noun in group} | nouns
    kinds = partial(_kinds, set(nouns), tables["sets"])
    nouns |= read("sets", lambda _, s: [n for kind in kinds(s) for n in nouns[kind]])
    adjectives = read("adjectives", partial(_adjective, kinds)).values()
    return Lexicon(
        path=path,
        nouns=nouns,
        compounds=groups("compounds", partial(_compound, nouns)),
        adjectives={kind: [a for a in adjectives if kind in a.kinds] for kind in nouns},
        verbs=groups("verbs", partial(_verb, kinds)),
        phrases={
            name: dict(found) for name, found in groups("phrases", _phrase).items()
        },
        determiners=read("determiners", lambda _, fields: Determiner(**fields)),
        tenses=read("tenses", lambda _, fields: Tense(**fields)),
        sentences=tables["sentences"],
        **{name: tables[name] for name in _AS_THEY_STAND},
    )


def _read(
    name: str, table: dict[str, Any] | str, parse: Callable[[str, Any], T]
) -> dict[str, T]:
    """Parse each entry of a table; a mistake in one is told with its place."""
    if isinstance(table, str):
        table = dict(pair.split("=") for pair in table.split())
    found = {}
    for key, value in table.items():
        try:
            found[key] = parse(key, value)
        except (ValueError, TypeError, AttributeError, KeyError) as reason:
            why = f"{type(reason).__name__} {reason}"
            raise Mistake(f"[{name}] {key} = {value!r}: {why}") from None
    return found


def _cells(text: str, count: int, mark: str = "|") -> list[str]:
    """Split a text into so many cells, the last of which may be left out."""
    cells = [cell.strip() for cell in text.split(mark)]
    return cells + [""] * (count - len(cells))


def _kinds(known: set[str], sets: dict[str, str], text: str) -> tuple[str, ...]:
    """Split names of kinds, nouns and sets into those of kinds and nouns."""
    names = text.split()
    while set(names) & set(sets):
        names = [kind for name in names for kind in sets.get(name, name).split()]
    if unknown := set(names) - known:
        raise ValueError(f"{min(unknown)} is neither a noun, a kind nor a set")
    return tuple(names)


def _noun(group: str, english_forms: str, text: str) -> Noun:
    forms, marks = _cells(text, 2)
    article, _, rest = forms.partition(" ")
    de, genitive, de_plural = _cells(rest, 3, ",")
    en, *irregular = english_forms.split(", ")
    en_plural = [*irregular, english.with_s(en)][0] if de_plural else ""
    kind, gender = "person" if group in _NAMES else group, _GENDERS[article]
    return Noun(en, en_plural, gender, de, genitive, de_plural, marks, en, kind)


def _compound(nouns: Nouns, head: str, english_forms: str, text: str) -> Noun:
    return _noun(nouns[head][0].kind, english_forms, text)._replace(head=head)


def _adjective(kinds: Kinds, english_forms: str, text: str) -> Adjective:
    german, described = _cells(text, 2)
    first, comparative, superlative = _cells(german, 3, ",")
    de, _, stem = first.partition("/")
    english_words = _cells(english_forms, 3, ",")
    words = *english_words, de, comparative, superlative, stem or de
    return Adjective._make((*words, kinds(described)))


def _verb(kinds: Kinds, _: str, english_forms: str, text: str) -> Verb:
    german, complements, subjects, marks = _cells(text, 4)
    infinitive, third, past, participle = german.split(", ")
    prefix, _, de = infinitive.rpartition("-")
    base, *irregular = english_forms.split(", ")
    en, _, particle = base.partition(" ")
    en_past, en_participle = irregular or [english.inflected(en, "ed")] * 2
    return Verb(
        *(en, en_past, en_participle, particle),
        *(prefix, de, third, past, prefix + participle),
        tuple(_complement(kinds, part) for part in complements.split(", ") if part),
        subjects=kinds(subjects or "person"),
        marks=marks,
    )


def _complement(kinds: Kinds, text: str) -> Complement:
    words = text.split()
    if len(words) == 1:
        return Complement("", "", (text,))
    preposition = "" if words[0] in ("acc", "dat") else words.pop(0)
    return Complement(words[0], preposition, kinds(" ".join(words[1:])))


def _phrase(_: str, en: str, text: str) -> tuple[tuple[str, str], int]:
    de, weight = _cells(text, 2)
    if en.count("{") != de.count("{"):
        raise ValueError("the two sides have not the same number of places in braces")
    return (en, de), int(weight or 1)
