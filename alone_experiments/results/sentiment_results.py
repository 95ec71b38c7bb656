"""The table of classifiers of reviews."""

from __future__ import annotations

from alone_experiments.results.cells import (
    METHOD,
    ONE_A_SEED,
    ROW,
    SIZE,
    describe_origin,
    distinct,
    format_mean,
)
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.comparisons import current
from alone_experiments.results.differences import against_lookup, write_differences
from alone_experiments.results.result_files import Group, Record, group_by_row
from alone_experiments.sentiment.rows import ACCURACIES


def checksum_of_answers(run: Record) -> str:
    """Name which reviews a run told rightly, by the checksum of its answers."""
    checksum: str = run["test"]["right"]["sha256"]
    return checksum


def _published(group: Group) -> str:
    found = ACCURACIES.get(group[0]["row"])
    return "" if found is None else f"{found:.2f}"


def _columns(compared: list[Record]) -> list[Column[Group]]:
    return [
        *(ROW, METHOD, *SIZE),
        Column("accuracy", lambda g: format_mean([r["test"]["accuracy"] for r in g])),
        against_lookup(compared, scale=100),
        Column("best epoch", lambda g: ", ".join(str(r["best_epoch"]) for r in g)),
        Column("accuracy in the paper", _published),
    ]


def _remarks(records: list[Record], compared: list[Record]) -> list[str]:
    settings = [record["settings"] for record in records]
    numbers = distinct(
        f"{run['valid']['reviews']:,} of {_count(run['settings']['train_reviews'])}"
        f" training reviews kept back, {run['test']['reviews']:,} test reviews"
        for run in records
    )
    schedules = distinct(
        f"{s['epochs']} epochs, batches of {s['batch_size']}, a rate of {s['lr']}, at"
        f" most {s['longest']} words a review"
        for s in settings
    )
    said = [
        f"{numbers}; {schedules}. The state with the smallest validation loss is"
        " tested.",
        "Stored bytes: values in fp32; codes with M log2 K bits a word.",
    ]
    if compared:
        signatures = distinct(entry["signature"] for entry in compared)
        said.append(f"p: paired approximate randomisation, {ONE_A_SEED}: {signatures}")
    for name in settings[0]:
        own = ("seed", "words_sha256", "vectors_sha256", "data")
        if name not in own and len({str(each[name]) for each in settings}) > 1:
            said.append(f"Rows differ in '{name}': do not compare them.")
    return [*said, *describe_origin(records)]


def _count(reviews: int | None) -> str:
    return "all" if reviews is None else f"{reviews:,}"


def make_sentiment_table(records: list[Record], comparisons: list[Record]) -> str:
    """Make the table of classifiers.

    Args:
        records: Records of ``sentiment train``, in any order.
        comparisons: What ``alone-fairseq compare`` made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    kept = {(run["row"], run["seed"]): checksum_of_answers(run) for run in records}
    compared = current(comparisons, "answers", kept)
    groups = group_by_row(records)
    parts = [write_table(_columns(compared), groups)]
    if differences := write_differences(groups, compared, "accuracy", scale=100):
        parts += ["**Differences in points of accuracy**", differences]
    parts.append("  \n".join(_remarks(records, compared)))
    return "\n\n".join(parts) + "\n"
