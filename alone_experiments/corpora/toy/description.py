"""Reading the file of words and rules, whose own comments explain how it is written."""

from __future__ import annotations

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


def read_lexicon(path: Path) -> Lexicon:
    """Read the file of words and rules.

    Raises:
        Mistake: the file or an entry cannot be understood; names file and entry.
        OSError: the file cannot be read.
    """
    try:
        return _lexicon(path, tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as reason:
        raise Mistake(f"{path}: {reason}") from None
    except KeyError as name:
        raise Mistake(f"{path}: there is no table [{name.args[0]}]") from None


def _read(
    place: str, content: dict[str, Any] | str, parse: Callable[[str, Any], T]
) -> dict[str, T]:
    """Parse each entry of a table; a mistake in one is told with its place."""
    if isinstance(content, str):
        content = dict(pair.split("=") for pair in content.split())
    found = {}
    for key, value in content.items():
        try:
            found[key] = parse(key, value)
        except (ValueError, TypeError, AttributeError, KeyError) as reason:
            entry = f"{place}] {key} = {value!r}"
            raise Mistake(f"{entry}: {type(reason).__name__} {reason}") from None
    return found


def _lexicon(path: Path, tables: dict[str, Any]) -> Lexicon:
    def read(name: str, parse: Callable[[str, Any], T]) -> dict[str, T]:
        return _read(f"{path}: [{name}", tables[name], parse)

    def groups(name: str, parse: Callable[..., T]) -> dict[str, list[T]]:
        return {
            group: [*_read(f"{path}: [{name}.{group}", content, parse).values()]
            for group, content in tables[name].items()
        }

    nouns: Nouns = {}
    for kind, content in tables["nouns"].items():
        entries = _read(f"{path}: [nouns.{kind}", content, partial(_noun, kind))
        nouns[kind] = [*entries.values()]
    nouns = {noun.en: [noun] for kind in nouns.values() for noun in kind} | nouns
    kinds = partial(_kinds, nouns, tables["sets"])
    for name, text in tables["sets"].items():
        nouns[name] = [noun for kind in kinds(text) for noun in nouns[kind]]
    adjectives = read("adjectives", partial(_adjective, kinds)).values()
    phrases = {name: dict(pairs) for name, pairs in groups("phrases", _phrase).items()}
    first_parts = dict(tuple(phrases["first_part"]))
    compounds = read("compounds", partial(_compounds, nouns, first_parts)).values()
    return Lexicon(
        path=path,
        nouns=nouns,
        compounds={k: v for by_head in compounds for k, v in by_head.items()},
        adjectives={k: [a for a, kinds in adjectives if k in kinds] for k in nouns},
        verbs=groups("verbs", partial(_verb, kinds)),
        phrases=phrases,
        determiners=read("determiners", lambda _, text: Determiner(*_cells(text, 5))),
        endings=read("endings", _endings),
        pronouns=read("pronouns", lambda _, text: text.split()),
        auxiliaries=read("auxiliaries", lambda _, text: text.split()),
        tenses=read("tenses", lambda _, fields: Tense(**fields)),
        orders=read("orders", lambda _, text: text.split()),
        weights=tables["weights"],
        words=read("words", lambda _, text: text.split()),
        sentences=tables["sentences"],
    )


def _cells(text: str, count: int) -> list[str]:
    cells = [cell.strip() for cell in text.split("|")]
    return cells + [""] * (count - len(cells))


def _kinds(nouns: Nouns, sets: dict[str, str], text: str) -> tuple[str, ...]:
    """Split names of kinds, nouns and sets into those of kinds and nouns."""
    names = text.split()
    while set(names) & set(sets):
        names = [kind for name in names for kind in sets.get(name, name).split()]
    if unknown := set(names) - set(nouns):
        raise ValueError(f"{min(unknown)} is neither a noun, a kind nor a set")
    return tuple(names)


def _noun(kind: str, english_forms: str, text: str) -> Noun:
    forms, marks = _cells(text, 2)
    article, _, rest = forms.partition(" ")
    de, genitive, *de_plural = rest.split(", ")
    en, *irregular = english_forms.split(", ")
    plurals = [*irregular, english.with_s(en)][0] if de_plural else "", *de_plural, ""
    gender, kind = _GENDERS[article], "person" if kind in _NAMES else kind
    return Noun(en, plurals[0], gender, de, genitive, plurals[1], kind, marks, en)


def _compounds(
    nouns: Nouns, firsts: dict[str, str], lasts: str, text: str
) -> dict[str, list[Noun]]:
    def joined(en: str, last: Noun) -> Noun:
        return last._replace(
            en=f"{en} {last.en}",
            en_plural=last.en_plural and f"{en} {last.en_plural}",
            de=firsts[en] + last.de.lower(),
            genitive=firsts[en] + last.genitive.lower(),
            de_plural=last.de_plural and firsts[en] + last.de_plural.lower(),
        )

    heads = [nouns[last][0] for last in lasts.split()]
    return {head.en: [joined(first, head) for first in text.split()] for head in heads}


def _adjective(kinds: Kinds, en: str, text: str) -> tuple[Adjective, tuple[str, ...]]:
    german, comparison, described = _cells(text, 3)
    compared = {
        "": ("", ""),
        "er": (english.inflected(en, "er"), english.inflected(en, "est")),
        "more": (f"more {en}", f"most {en}"),
    }[comparison]
    forms, comparative, superlative = [*german.split(", "), "", ""][:3]
    de, _, stem = forms.partition("/")
    words = *compared, de, stem or de, comparative, superlative
    return Adjective(en, *words), kinds(described)


def _verb(kinds: Kinds, en: str, text: str) -> Verb:
    german, complements, subjects, marks = _cells(text, 4)
    infinitive, third, past, participle = german.split(", ")
    prefix, _, de = infinitive.rpartition("-")
    base, *irregular = en.split(", ")
    first, _, particle = base.partition(" ")
    en_past, en_participle = irregular or [english.inflected(first, "ed")] * 2
    return Verb(
        *(first, en_past, en_participle, particle),
        *(prefix, de, third, past, prefix + participle),
        complements=tuple(
            _complement(kinds, part) for part in complements.split(", ") if part
        ),
        subjects=kinds(subjects or "person"),
        marks=marks,
    )


def _complement(kinds: Kinds, text: str) -> Complement:
    words = text.split()
    if len(words) == 1:
        return Complement("", "", (text,))
    preposition = "" if words[0] in ("acc", "dat") else words.pop(0)
    return Complement(words[0], preposition, kinds(" ".join(words[1:])))


def _phrase(en: str, text: str) -> tuple[tuple[str, str], int]:
    de, weight = _cells(text, 2)
    if en.count("{") != de.count("{"):
        raise ValueError("the two sides have not the same number of places in braces")
    return (en, de), int(weight or 1)


def _endings(_: str, text: str) -> dict[str, list[str]]:
    genders = zip("mfnp", text.split(", "), strict=True)
    return {g: [e.strip("-") for e in forms.split()] for g, forms in genders}
