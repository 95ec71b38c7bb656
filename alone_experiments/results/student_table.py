"""The table of students: words' similarity by distance, after so many epochs."""

from __future__ import annotations

from functools import partial
from statistics import mean

from alone_experiments.results.cells import distinct
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.reconstruction_table import spread
from alone_experiments.results.result_files import Group, Record


def is_student_record(record: Record) -> bool:
    """Whether a record is of vectors from spellings, with looks on the way."""
    return "looks" in record and record["settings"]["method"] == "characters"


def make_student_table(records: list[Record]) -> str:
    """Make Table 1 of Stratos (2017).

    Args:
        records: Reconstructions by the method ``characters``, whose looks were at the
            same epochs.

    Returns:
        Markdown with a line feed at the end: for each distance the correlation with
        human scores, the mean of all test sets, at each look.
    """
    groups: dict[str, Group] = {}
    for record in records:
        groups.setdefault(record["settings"]["distance"], []).append(record)
    epochs = [look["epoch"] for look in records[0]["looks"]]
    columns: list[Column[Group]] = [
        Column("distance", lambda g: str(g[0]["settings"]["distance"]), words=True),
        Column("seeds", lambda g: str(len(g))),
        *(Column(f"{n} epochs", partial(_at, n)) for n in epochs),
        Column("cosine", lambda g: spread([run["cosine"] for run in g], ".3f")),
    ]
    teacher = {"distance": "given vectors", f"{epochs[-1]} epochs": _teacher(records)}
    table = write_table(columns, [groups[name] for name in sorted(groups)], [teacher])
    return f"{table}\n\n{_remarks(records)}\n"


def _at(epoch: int, runs: Group) -> str:
    found = [
        look["rho"] for run in runs for look in run["looks"] if look["epoch"] == epoch
    ]
    if len(found) < len(runs) or any(None in rho.values() or not rho for rho in found):
        return "-"
    return spread([mean(rho.values()) for rho in found], ".3f")


def _teacher(records: list[Record]) -> str:
    scores = records[0]["similarity"].values()
    known = [score["source_rho"] for score in scores]
    return "-" if None in known or not known else f"{mean(known):.3f}"


def _remarks(records: list[Record]) -> str:
    pairs = ", ".join(
        f"{name} {score['covered']:,} of {score['pairs']:,}"
        for name, score in records[0]["similarity"].items()
    )
    values = sorted({record["footprint"]["trained_values"] for record in records})
    return "  \n".join(
        [
            f"Spearman's rho, the mean of {pairs} pairs: those whose words have given"
            " vectors.",
            f"Trained values: {', '.join(f'{count:,}' for count in values)}.",
            f"Vectors: {distinct(record['source'] for record in records)}. Commit:"
            f" {distinct(record['commit'][:12] for record in records)}.",
        ]
    )
