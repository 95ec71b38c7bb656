"""The tables of students: similarity after so many epochs, analogies, unseen words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import mean
from typing import Any

from alone_experiments.results.cells import distinct, name_commits
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.reconstruction_table import spread
from alone_experiments.results.result_files import Group, Record

RANDOM = "none (random)"
GIVEN = "given vectors"
KNOWN = ", fitted words"

DISTANCE: Column[Group] = Column("distance", lambda runs: _distance(runs), words=True)
SEEDS: Column[Group] = Column("seeds", lambda runs: str(len(runs)))


def is_student_record(record: Record) -> bool:
    """Whether a record is of vectors from spellings, with looks on the way."""
    return "looks" in record and record["settings"]["method"] == "characters"


def make_student_table(records: list[Record]) -> str:
    """Make Tables 1 and 2 of Stratos (2017), as far as there are records.

    Args:
        records: Reconstructions by the method ``characters``. Looks of those without
            analogies were at the same epochs.

    Returns:
        Markdown with a line feed at the end: for each distance the correlation with
        human scores, the mean of all test sets, at each look; then the analogies; then
        the words that were kept back.
    """
    asked = [record for record in records if "analogies" in record]
    kept_back = [record for record in records if "held_out" in record]
    looked_at = [each for each in records if each not in asked + kept_back]
    parts = [_similarity(looked_at)] if looked_at else []
    parts += [_analogies(asked)] if asked else []
    parts += [_unseen(kept_back)] if kept_back else []
    return "\n\n".join([*parts, _remarks(looked_at, asked, kept_back)]) + "\n"


def _by_distance(records: list[Record]) -> list[Group]:
    """Put the seeds of a distance together, those that were not fitted first."""
    groups: dict[str, Group] = {}
    for record in records:
        groups.setdefault(_distance([record]), []).append(record)
    return [groups[name] for name in sorted(groups, key=lambda n: (n != RANDOM, n))]


def _distance(runs: Group) -> str:
    settings = runs[0]["settings"]
    return str(settings["distance"]) if settings["epochs"] else RANDOM


def _similarity(records: list[Record]) -> str:
    epochs = [look["epoch"] for look in records[0]["looks"]]
    columns: list[Column[Group]] = [
        *(DISTANCE, SEEDS),
        *(Column(f"{n} epochs", partial(_at, n)) for n in epochs),
        Column("cosine", lambda g: spread([run["cosine"] for run in g], ".3f")),
    ]
    teacher = {"distance": GIVEN, f"{epochs[-1]} epochs": _teacher(records)}
    return write_table(columns, _by_distance(records), [teacher])


def _analogies(records: list[Record]) -> str:
    kinds = list(records[0]["analogies"])
    columns = [
        *(DISTANCE, SEEDS),
        *(Column(kind, partial(_right, "analogies", kind)) for kind in kinds),
        *(
            Column(f"{kind}{KNOWN}", partial(_right, "analogies_of_known_words", kind))
            for kind in kinds
        ),
    ]
    given: dict[str, Any] = next(
        (r["analogies_of_given"] for r in records if "analogies_of_given" in r), {}
    )
    last = {f"{kind}{KNOWN}": _share([score]) for kind, score in given.items()}
    return write_table(
        columns, _by_distance(records), [{"distance": GIVEN} | last] if given else []
    )


def _unseen(records: list[Record]) -> str:
    columns: list[Column[Group]] = [
        *(DISTANCE, SEEDS),
        Column("cosine, fitted", lambda g: spread([run["cosine"] for run in g], ".3f")),
        Column("cosine, unseen", lambda g: _of_unseen(g, lambda part: part["cosine"])),
        Column("rho, unseen", lambda g: _of_unseen(g, partial(_mean_rho, "rho"))),
    ]
    groups = _by_distance(records)
    mean_of_fitted = {
        "distance": "none (mean of the fitted vectors)",
        "cosine, unseen": _of_unseen(
            groups[0], lambda part: part["of_the_mean"]["cosine"]
        ),
    }
    given = {
        "distance": GIVEN,
        "rho, unseen": _of_unseen(groups[0], partial(_mean_rho, "source_rho")),
    }
    return write_table(columns, groups, [mean_of_fitted, given])


def _of_unseen(runs: Group, number: Callable[[dict[str, Any]], float | None]) -> str:
    return spread([number(run["held_out"]) for run in runs], ".3f")


def _mean_rho(whose: str, part: dict[str, Any]) -> float | None:
    found = [score[whose] for score in part["similarity"].values()]
    return None if None in found or not found else mean(found)


def _right(which: str, kind: str, runs: Group) -> str:
    if not all(which in run for run in runs):
        return "-"
    return _share([run[which][kind] for run in runs])


def _share(scores: list[dict[str, int]]) -> str:
    if not all(score["covered"] for score in scores):
        return "-"
    return spread([100 * score["mul"] / score["covered"] for score in scores], ".2f")


def _at(epoch: int, runs: Group) -> str:
    found = [
        look["rho"] for run in runs for look in run["looks"] if look["epoch"] == epoch
    ]
    if len(found) < len(runs) or any(None in rho.values() or not rho for rho in found):
        return "-"
    return spread([mean(rho.values()) for rho in found], ".3f")


def _teacher(records: list[Record]) -> str:
    return spread([_mean_rho("source_rho", records[0])], ".3f")


def _remarks(looked_at: list[Record], asked: list[Record], unseen: list[Record]) -> str:
    said = []
    if looked_at:
        said.append(
            f"Spearman's rho, the mean of {_pairs(looked_at[0])} pairs: those whose"
            " words have given vectors."
        )
    if asked:
        epochs = max(record["settings"]["epochs"] for record in asked)
        said.append(
            f"Analogies by 3CosMul, per cent right after {epochs} epochs. Words that"
            " were not fitted are spelled, and are candidates as the fitted ones are:"
            f" {_questions(asked, 'analogies')}. Fitted words: only questions about"
            " words with given vectors, and only these as candidates:"
            f" {_questions(asked, 'analogies_of_given')}."
        )
    if unseen:
        part, settings = unseen[0]["held_out"], unseen[0]["settings"]
        said.append(
            f"Unseen: {part['words']:,} of {settings['words']:,} words, kept back while"
            f" the others were fitted for {settings['epochs']} epochs. Rho: of"
            f" {_pairs(part)} pairs, those with such a word{_of_seed(unseen)}."
        )
    records = looked_at + asked + unseen
    values = sorted({record["footprint"]["trained_values"] for record in records})
    said += [
        f"Trained values: {', '.join(f'{count:,}' for count in values)}.",
        f"Vectors: {distinct(record['source'] for record in records)}."
        f" {name_commits(records)}.",
    ]
    return "  \n".join(said)


def _of_seed(records: list[Record]) -> str:
    """Say whose words those are of the first of several seeds, which differ in them."""
    seeds = {record["settings"]["seed"] for record in records}
    if len(seeds) == 1:
        return ""
    return f" (seed {records[0]['settings']['seed']}; each keeps other words back)"


def _questions(records: list[Record], which: str) -> str:
    """Tell how many questions of each kind were asked, with how many candidates."""
    counts = {
        f"{kind} {score['covered']:,} of {score['questions']:,} questions and"
        f" {score['candidates']:,} candidates": None
        for record in records
        for kind, score in record.get(which, {}).items()
    }
    return ", ".join(counts) or "none"


def _pairs(part: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {score['covered']:,} of {score['pairs']:,}"
        for name, score in part["similarity"].items()
    )
