"""Clauses: the same content put into English and into German word order.

German has three orders: finite verb second (main clauses, whatever comes first),
first (yes/no questions, commands) or last (subordinate and relative clauses). The rest
of the verb, participle, infinitive or separable prefix, closes a main clause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from toy_language import english, german
from toy_language.adverbials import Phrase
from toy_language.pronouns import NounPhrase
from toy_language.verbs import Verb, parse_verb

_WERDEN = parse_verb("become = werden/wird/wurde/worden +sein :", "none")
_HABEN = parse_verb("have = haben/hat/hatte/gehabt :", "none")
_SEIN = parse_verb("be = sein/ist/war/gewesen +sein :", "none")


class Modal(NamedTuple):
    """A modal verb.

    ``auxiliary`` is the English verb that moves in questions ("" where "do" is used,
    "be" inflects); ``rest`` stands before the infinitive; ``lexical`` is the English
    finite form where there is no auxiliary. German: ich, du, er, wir.
    """

    auxiliary: str
    lexical: str
    rest: str
    german: tuple[str, ...]


def _modal(auxiliary: str, lexical: str, rest: str, forms: str) -> Modal:
    return Modal(auxiliary, lexical, rest, tuple(forms.split()))


MODALS = {
    "can": _modal("can", "", "", "kann kannst kann können"),
    "could": _modal("could", "", "", "konnte konntest konnte konnten"),
    "must": _modal("must", "", "", "muss musst muss müssen"),
    "had to": _modal("", "had", "to", "musste musstest musste mussten"),
    "want to": _modal("", "want", "to", "will willst will wollen"),
    "wanted to": _modal("", "wanted", "to", "wollte wolltest wollte wollten"),
    "should": _modal("should", "", "", "sollte solltest sollte sollten"),
    "would like to": _modal("would", "", "like to", "möchte möchtest möchte möchten"),
    "is allowed to": _modal("be", "", "allowed to", "darf darfst darf dürfen"),
    "was allowed to": _modal("be", "", "allowed to", "durfte durftest durfte durften"),
}
PAST_TENSES = ("past", "could", "had to", "wanted to", "was allowed to")


@dataclass(frozen=True)
class Clause:
    """What a clause says, before any word order.

    Attributes:
        subject, verb: who does what.
        tense: "present", "progressive", "past", "perfect", "future" or a key of MODALS.
        dative, accusative: the objects.
        oblique: prepositional object, direction or predicate, last in German.
        time, frequency, manner, place: adverbials.
        negated: German nicht; objects with kein are negated in English only.
        passive: the subject is what something is done to.
    """

    subject: NounPhrase
    verb: Verb
    tense: str = "present"
    dative: NounPhrase | None = None
    accusative: NounPhrase | None = None
    oblique: Phrase | None = None
    time: Phrase | None = None
    frequency: Phrase | None = None
    manner: Phrase | None = None
    place: Phrase | None = None
    negated: bool = False
    no_object: bool = False
    passive: bool = False


def _join(*words: str) -> str:
    return " ".join(word for word in words if word)


def _english_verbs(clause: Clause, ask: bool) -> tuple[str, str]:
    """Return the auxiliary (or "") and the rest of the verb group."""
    verb, subject, tense = clause.verb, clause.subject, clause.tense
    is_be = clause.passive or verb.english == "be"
    tail = verb.english_participle if clause.passive else ""
    head_base = "be" if is_be else verb.english
    auxiliary = _english_auxiliary(clause)
    if tense == "progressive":
        rest = _join(english.ing_form(head_base), tail)
    elif tense == "perfect":
        rest = _join("been" if is_be else verb.english_participle, tail)
    elif tense in MODALS:
        rest = _join(MODALS[tense].rest, head_base, tail)
    elif tense == "future" or not is_be:
        rest = _join(head_base, tail)
    else:
        rest = tail
    if auxiliary:
        return auxiliary, _join(rest, verb.particle)
    if ask or clause.negated or clause.no_object:
        return _do(clause), _join(_lexical_base(clause), rest, verb.particle)
    if tense in MODALS:
        return "", _join(_finite(MODALS[tense].lexical, subject), rest, verb.particle)
    past = tense == "past"
    finite = verb.english_past if past else _finite(verb.english, subject)
    return "", _join(finite, verb.particle)


def _english_auxiliary(clause: Clause) -> str:
    subject, tense = clause.subject, clause.tense
    past = tense in PAST_TENSES
    be = english.form_of_be(subject.pronoun, subject.plural, past)
    if tense == "future":
        return "will"
    if tense == "perfect":
        return _finite("have", subject)
    if tense in MODALS:
        auxiliary = MODALS[tense].auxiliary
        return be if auxiliary == "be" else auxiliary
    is_be = clause.passive or clause.verb.english == "be"
    return be if tense == "progressive" or is_be else ""


def _lexical_base(clause: Clause) -> str:
    lexical = MODALS[clause.tense].lexical if clause.tense in MODALS else ""
    return {"wanted": "want", "had": "have"}.get(lexical, lexical)


def _do(clause: Clause) -> str:
    return "did" if clause.tense in PAST_TENSES else _finite("do", clause.subject)


def _finite(verb: str, subject: NounPhrase) -> str:
    third = subject.person == 3 and not subject.plural
    return (
        english.third_person(verb) if third and verb not in ("had", "wanted") else verb
    )


def _english_rest(clause: Clause) -> str:
    """Return objects and adverbials in English order: manner, place, time."""
    objects = [p.as_object for p in (clause.dative, clause.accusative) if p]
    parts = (clause.oblique, clause.manner, clause.place, clause.time)
    return _join(*objects, *(p.english for p in parts if p))


def _english_middle(clause: Clause) -> tuple[str, str]:
    negation = "not" if clause.negated or clause.no_object else ""
    return negation, clause.frequency.english if clause.frequency else ""


def english_statement(clause: Clause) -> str:
    """Return the clause with the subject first."""
    auxiliary, rest = _english_verbs(clause, ask=False)
    negation, often = _english_middle(clause)
    if auxiliary == "can" and negation:
        auxiliary, negation = "cannot", ""
    verbs = (auxiliary, negation, often, rest)
    return _join(clause.subject.english, *verbs, _english_rest(clause))


def english_question(clause: Clause, first: str = "") -> str:
    """Return the clause as a question, after a question word if one is given."""
    auxiliary, rest = _english_verbs(clause, ask=True)
    negation, often = _english_middle(clause)
    verbs = (auxiliary, clause.subject.english, negation, often, rest)
    return _join(first, *verbs, _english_rest(clause))


def english_infinitive(clause: Clause) -> str:
    """Return e.g. "read the book", without subject and "to"."""
    base = _join(clause.verb.english, clause.verb.particle)
    return _join(base, _english_rest(clause))


def english_gerund(clause: Clause) -> str:
    """Return e.g. "reading the book"."""
    ing = english.ing_form(clause.verb.english)
    return _join(ing, clause.verb.particle, _english_rest(clause))


def _infinitive(verb: Verb) -> str:
    return verb.prefix + verb.german


def _german_verbs(clause: Clause, verb_last: bool) -> tuple[str, list[str]]:
    """Return the finite verb and what closes the clause."""
    verb, tense, participle = clause.verb, clause.tense, clause.verb.german_participle
    if clause.passive:
        endings = {"perfect": [participle, "worden"]}
        simple = ("present", "past", "progressive")
        infinitive = [participle, *([] if tense in simple else ["werden"])]
        tail = endings.get(tense, infinitive)
    elif tense == "perfect":
        tail = [participle]
    elif tense == "future" or tense in MODALS:
        tail = [_infinitive(verb)]
    else:
        form = _conjugated(verb, clause)
        return (verb.prefix + form, []) if verb_last else (form, [verb.prefix])
    return _german_auxiliary(clause), tail


def _german_auxiliary(clause: Clause) -> str:
    if clause.tense in MODALS:
        subject = clause.subject
        return MODALS[clause.tense].german[3 if subject.plural else subject.person - 1]
    if clause.tense == "perfect":
        sein = clause.verb.sein or clause.passive
        return _conjugated(_SEIN if sein else _HABEN, clause, "present")
    if clause.tense == "future":
        return _conjugated(_WERDEN, clause, "present")
    return _conjugated(_WERDEN, clause)


def _conjugated(verb: Verb, clause: Clause, tense: str = "") -> str:
    subject = clause.subject
    past = (tense or clause.tense) == "past"
    conjugate = german.preterite if past else german.present
    return conjugate(verb, subject.person, subject.plural)


def german_middle(clause: Clause) -> str:
    """Return what stands between the finite verb and the end of the clause.

    Pronouns come first, then time, dative, frequency, accusative, nicht, manner and
    place; an indefinite object follows all these, as what is new comes late.
    """
    pronouns, receiver = _pronoun_or_noun(clause.dative, "dat")
    more_pronouns, known = _pronoun_or_noun(clause.accusative, "acc")
    new = known if clause.accusative and clause.accusative.indefinite else ""
    known = "" if new else known
    often = "gerade" if clause.tense == "progressive" else ""
    often = clause.frequency.german if clause.frequency else often
    negation = "nicht" if clause.negated else ""
    around = [p.german for p in (clause.manner, clause.place) if p]
    time = clause.time.german if clause.time else ""
    oblique = clause.oblique.german if clause.oblique else ""
    early = (pronouns, more_pronouns, time, receiver, often, known)
    return _join(*early, negation, *around, new, oblique)


def _pronoun_or_noun(phrase: NounPhrase | None, case: str) -> tuple[str, str]:
    if phrase is None:
        return "", ""
    form = phrase.german[case]
    return (form, "") if phrase.is_pronoun else ("", form)


def german_main(clause: Clause, first: str = "") -> str:
    """Return the clause with the verb second; ``first`` takes the subject's place."""
    finite, tail = _german_verbs(clause, verb_last=False)
    subject = clause.subject.german["nom"]
    start = (first, finite, subject) if first else (subject, finite)
    return _join(*start, german_middle(clause), *tail)


def german_question(clause: Clause) -> str:
    """Return the clause with the verb first."""
    finite, tail = _german_verbs(clause, verb_last=False)
    subject = clause.subject.german["nom"]
    return _join(finite, subject, german_middle(clause), *tail)


def german_subordinate(clause: Clause, *, relative: str = "") -> str:
    """Return the clause with the verb last.

    Args:
        clause: what to say.
        relative: "" or the relative pronoun that stands for the subject.
    """
    finite, tail = _german_verbs(clause, verb_last=True)
    subject = relative or clause.subject.german["nom"]
    return _join(subject, german_middle(clause), *tail, finite)


def german_command(clause: Clause, please: bool = False) -> str:
    """Return the clause as a command to one person."""
    if please:
        clause = replace(clause, frequency=Phrase("", "bitte"))
    verb = clause.verb
    return _join(german.imperative(verb), german_middle(clause), verb.prefix)


def german_infinitive(clause: Clause) -> str:
    """Return the clause as an infinitive with zu: "das Buch vorzulesen"."""
    return _join(german_middle(clause), german.zu_infinitive(clause.verb))
