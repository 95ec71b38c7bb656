"""The tables of the reconstruction experiment: words fitted, and words kept back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import mean, stdev
from typing import Any

from alone_experiments.reconstruction.rows import METHODS, ReconstructionRow
from alone_experiments.results.cells import describe_changes, made_on
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.result_files import Group, Record

SETS = {
    "simlex-999.txt": "SimLex-999",
    "wordsim-353.txt": "WordSim-353",
    "rg-65.txt": "RG-65",
    "men.txt": "MEN",
}

SOURCE = "source vectors"


def is_reconstruction(record: Record) -> bool:
    """Whether a record is of reconstructed vectors."""
    return "similarity" in record and "settings" in record


def row_of(record: Record) -> ReconstructionRow:
    """Find the row of a run.

    Raises:
        Mistake: If there is no such row.
    """
    return ReconstructionRow.parse(record["row"])


def group(records: list[Record], held_out: bool) -> list[Group]:
    """Put the seeds of a row together; rows by size, method and frozen o."""
    rows: dict[ReconstructionRow, Group] = {}
    for record in records:
        if (row := row_of(record)).held_out == held_out:
            rows.setdefault(row, []).append(record)
    order = list(METHODS)
    by_size = sorted(
        rows,
        key=lambda row: (row.size, order.index(row.method), row.frozen, row.training),
    )
    return [rows[row] for row in by_size]


def spread(values: Sequence[float | None], form: str) -> str:
    """Write the mean, and the deviation of several; ``-`` where a value is missing."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return "-"
    text = format(mean(known), form)
    return f"{text} ± {format(stdev(known), form)}" if len(known) > 1 else text


def set_names(records: list[Record]) -> list[str]:
    """Name the test sets, in the order in which they were given."""
    return list(records[0]["similarity"])


def fitted(run: Record) -> dict[str, Any]:
    """Give the scores of the words that were fitted."""
    return run


def kept_back(run: Record) -> dict[str, Any]:
    """Give the scores of the words that were kept back."""
    part: dict[str, Any] = run["held_out"]
    return part


Part = Callable[[Record], dict[str, Any]]


def number(name: str, header: str, part: Part = fitted) -> Column[Group]:
    """Make the column of a loss or a cosine."""
    return Column(header, lambda runs: spread([part(run)[name] for run in runs], ".4f"))


def correlations(records: list[Record], part: Part) -> list[Column[Group]]:
    """Make the columns of the correlations with the test sets."""

    def cell(runs: Group, name: str) -> str:
        return spread([part(run)["similarity"][name]["rho"] for run in runs], ".3f")

    names = set_names(records)
    return [Column(SETS.get(name, name), partial(cell, name=name)) for name in names]


def of_the_source(record: Record, part: Part) -> dict[str, str]:
    """Write the correlations that the source vectors themselves have."""
    found = part(record)["similarity"]
    return {
        SETS.get(name, name): spread([scores["source_rho"]], ".3f")
        for name, scores in found.items()
    }


LABEL = Column[Group]("method", lambda runs: row_of(runs[0]).label, words=True)
INNER_SIZE = Column[Group]("H", lambda runs: f"{row_of(runs[0]).size:,}")
SEEDS = Column[Group]("seeds", lambda runs: str(len(runs)))


def main_table(records: list[Record]) -> str:
    """Make the table of words that were fitted, the source last; empty without any."""
    groups = group(records, held_out=False)
    if not groups:
        return ""
    columns = [
        *(LABEL, INNER_SIZE),
        Column[Group](
            "trained values", lambda g: f"{g[0]['footprint']['trained_values']:,}"
        ),
        *(SEEDS, number("loss", "loss"), number("cosine", "cosine")),
        *correlations(records, fitted),
    ]
    settings = groups[0][0]["settings"]
    size = f"{settings['words'] * settings['embedding_dim']:,}"
    source = {"method": SOURCE, "trained values": size, "loss": "0", "cosine": "1"}
    return write_table(columns, groups, [source | of_the_source(groups[0][0], fitted)])


def held_out_table(records: list[Record]) -> str:
    """Make the table of words that were kept back; empty without any."""
    groups = group(records, held_out=True)
    if not groups:
        return ""
    loss, cosine = "loss, kept back", "cosine, kept back"
    of_sets = correlations(records, kept_back)
    columns = [
        *(LABEL, INNER_SIZE, SEEDS),
        Column[Group]("words kept back", lambda g: f"{g[0]['held_out']['words']:,}"),
        number("loss", "loss, fitted"),
        *(number("loss", loss, kept_back), number("cosine", cosine, kept_back)),
        *of_sets,
    ]
    means = [run["held_out"]["of_the_mean"] for run in groups[0]]
    of_the_mean = {
        "method": "mean of the fitted vectors",
        loss: spread([part["loss"] for part in means], ".4f"),
        cosine: spread([part["cosine"] for part in means], ".4f"),
        **{column.name: "-" for column in of_sets},
    }
    source = {"method": SOURCE, loss: "0", cosine: "1"}
    last = [of_the_mean, source | of_the_source(groups[0][0], kept_back)]
    return write_table(columns, groups, last)


def remarks(records: list[Record]) -> list[str]:
    """Say below the tables what all numbers share, and where they do not."""
    first = records[0]
    settings = first["settings"]
    covered = [
        f"{SETS.get(name, name)} {found['covered']:,} of {found['pairs']:,}"
        for name, found in first["similarity"].items()
    ]
    seconds = [record["seconds"] for record in records]
    said = [
        f"{settings['words']:,} words of {first['source']}, {settings['epochs']:,}"
        f" epochs, batches of {settings['batch_size']}; loss: mean"
        f" {settings['distance']} distance.",
        f"Pairs covered: {', '.join(covered)}.",
        f"Seconds a run: {min(seconds):,.0f} to {max(seconds):,.0f} with"
        f" {first['threads']} thread(s) each.",
        made_on(records),
    ]
    shared = ("words", "epochs", "batch_size", "lr", "distance", "vectors_sha256")
    for name in shared:
        if len({record["settings"][name] for record in records}) > 1:
            said.append(f"Rows differ in '{name}': do not compare them.")
    return said + describe_changes(records)


def make_reconstruction_table(records: list[Record]) -> str:
    """Make the tables of the experiment.

    Args:
        records: Its records, in any order.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    tables = [text for text in (main_table(records), held_out_table(records)) if text]
    return "\n\n".join([*tables, "  \n".join(remarks(records))]) + "\n"
