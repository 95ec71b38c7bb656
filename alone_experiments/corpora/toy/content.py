"""What a clause says: a verb, with subject, objects and adverbials that suit it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from .clause import Clause, Plan
from .phrases import Phrase, noun_phrase, pick_noun, pronoun, someone
from .speaker import Speaker
from .templates import fill, phrase
from .words import Complement, Verb

Said = Mapping[str, Clause | Phrase]
# After these a pronoun may follow: "looks at him", but not "wakes up him".
_PREPOSITIONS = ("for", "at", "to", "with", "about", "of")
_PATIENCE = 10_000


def make_clause(speaker: Speaker, plan: Plan, said: Said) -> Clause:
    """Return a clause; what its plan leaves open is chosen.

    ``said`` holds the clauses and phrases of the sentence so far, by name.
    """
    subject, given = (_referred(speaker, t, said) for t in (plan.subject, plan.object))
    allowed = _tenses(speaker, plan, said)
    verb = _verb(speaker, plan, subject, given, allowed)
    tenses: dict[str, int] = {}
    while not tenses:
        who = subject or _subject(speaker, verb, plan)
        tenses = {t: allowed[t] for t in allowed if _suits(verb, who, t, plan.passive)}
    tense = speaker.weighted(tenses)
    negated = speaker.chance(plan.negated) and tense not in ("must", "had_to")
    if negated and not plan.determiner:
        plan = replace(plan, determiner=speaker.pick(("denied", "definite")))
    complements = () if plan.passive else verb.complements
    kein = plan.determiner == "denied" and any(c.case for c in complements)
    objects = [(c, given or _object(speaker, c, verb, who, plan)) for c in complements]
    chosen = plan, who, verb, speaker.lexicon.tenses[tense], objects
    clause = Clause(speaker.lexicon, *chosen, negated, nicht=negated and not kein)
    if not (negated or verb.en == "be" or tense == "progressive"):
        _add_adverbials(speaker, clause, plan.adverbs)
    return clause


def _referred(speaker: Speaker, text: str, said: Said) -> Phrase | None:
    """Return who or what a plan names, or None where it leaves that open."""
    if text in ("", "asked"):
        return None
    if text in speaker.lexicon.pronouns:
        return pronoun(speaker, text)
    how, _, target = text.partition(" ")
    if how not in ("relative", "pronoun", "same"):
        return fill(speaker, text)
    name, _, role = target.partition(".")
    spoken = said[name]
    if isinstance(spoken, Phrase):
        whom = spoken
    else:
        whom = spoken.subject if role == "subject" else spoken.objects[-1][1]
    if how == "same" or whom.pronoun in ("I", "you", "we"):
        return whom
    if how == "pronoun":
        return replace(whom, forms=pronoun(speaker, whom.pronoun).forms, light=True)
    gender = "p" if whom.pronoun == "they" or not whom.noun else whom.noun.gender
    relative = f"{'who' if whom.kind == 'person' else 'that'} {gender}"
    return replace(whom, forms=pronoun(speaker, relative).forms)


def _tenses(speaker: Speaker, plan: Plan, said: Said) -> dict[str, int]:
    """Return the tenses that a plan allows, and how likely each is."""
    tenses = speaker.lexicon.tenses
    names = plan.tense.split() or list(tenses)
    if names[0] == "like":
        other = said[names[1]]
        past = isinstance(other, Clause) and other.tense.past
        names = ["past" if past else "present"]
    return {name: tenses[name].weight for name in names}


def _suits(verb: Verb, subject: Phrase, tense: str, passive: bool = False) -> bool:
    """Whether a tense is natural, and can be read off the English form.

    "They put it" may be present or past; the past of "du" is hardly ever used.
    """
    if tense == "past" and subject.pronoun == "you":
        return False
    shown = verb.en_past != verb.en or subject.person == 2 or passive
    if tense in ("present", "past"):
        return shown
    active = subject.kind in ("person", "animal") and "state" not in verb.marks
    return active or passive or tense == "future"


def _verb(
    speaker: Speaker,
    plan: Plan,
    subject: Phrase | None,
    given: Phrase | None,
    tenses: Iterable[str],
) -> Verb:
    """Choose a verb that goes with a subject and an object, where these are given."""

    def fits(verb: Verb) -> bool:
        if subject and subject.kind not in verb.subjects:
            return False
        if subject and not any(_suits(verb, subject, tense) for tense in tenses):
            return False
        if plan.passive and ("state" in verb.marks or verb.particle in _PREPOSITIONS):
            return False
        if plan.active and verb.marks not in ("", "sein"):
            return False
        return not given or _takes(verb, given)

    groups = speaker.lexicon.weights.get(plan.verbs)
    weights = groups or dict.fromkeys(plan.verbs.split(), 1)
    for _ in range(_PATIENCE):
        verb = speaker.pick(speaker.lexicon.verbs[speaker.weighted(weights)])
        if fits(verb):
            return verb
    raise ValueError("no verb fits")


def _takes(verb: Verb, given: Phrase) -> bool:
    names = {given.kind, given.noun.head if given.noun else ""}
    return any(c.case and names & {*c.what} for c in verb.complements[:1])


def _subject(speaker: Speaker, verb: Verb, plan: Plan) -> Phrase:
    if plan.passive:
        noun = pick_noun(speaker, verb.complements[0].what)
        speaker.pairings.add(("object", verb.en, noun.head))
        return noun_phrase(speaker, noun, "definite")
    kind = speaker.pick(verb.subjects)
    if kind == "person":
        return someone(speaker, "subjects")
    return noun_phrase(speaker, pick_noun(speaker, (kind,)), "subject")


def _object(
    speaker: Speaker, complement: Complement, verb: Verb, subject: Phrase, plan: Plan
) -> Phrase:
    """Return what fills a complement, noting the pairing of verb and noun."""
    if not complement.case:
        return phrase(speaker, complement.what[0], subject)
    kind = speaker.pick(complement.what)
    if plan.object == "asked":
        return pronoun(speaker, "who" if kind == "person" else "what")
    receiver = complement.case == "dat" and len(verb.complements) > 1
    if kind == "person" and (receiver or not plan.determiner) and speaker.chance(0.4):
        no_pronoun = verb.particle and verb.particle not in _PREPOSITIONS
        return someone(speaker, "named" if no_pronoun else "others", subject.pronoun)
    noun = pick_noun(speaker, (kind,))
    if receiver:
        return noun_phrase(speaker, noun, "receiver", subject)
    speaker.pairings.add(("object", verb.en, noun.head))
    return noun_phrase(speaker, noun, plan.determiner or "any", subject)


def _add_adverbials(speaker: Speaker, clause: Clause, amount: float) -> None:
    """Add adverbials that fit; ``amount`` scales the probability of each."""
    tense, complements = clause.tense, clause.verb.complements

    def add(name: str, source: str, probability: float) -> bool:
        if source and speaker.chance(probability):
            clause.adverbials[name] = phrase(speaker, source)
        return name in clause.adverbials

    if clause.plan.passive and add("agent", "agent", 0.45):
        return
    moved = any(c.preposition or not c.case for c in complements)
    simple = not moved and len(complements) < 2 and "state" not in clause.verb.marks
    if not add("time", tense.time, 0.44 * amount) and not moved:
        add("often", tense.often, 0.25 * amount)
    placed = simple and add("place", "place", 0.28 * amount)
    personal = clause.subject.kind == "person" and not clause.plan.passive
    if simple and personal and not placed:
        add("manner", "manner", 0.12 * amount)
