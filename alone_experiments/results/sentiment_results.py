"""The table of classifiers of reviews."""

from __future__ import annotations

from functools import partial

from alone_experiments.results.cells import (
    METHOD,
    ROW,
    SIZE,
    describe_origin,
    distinct,
    format_difference,
    format_mean,
)
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.comparisons import comparisons_of
from alone_experiments.results.result_files import Group, Record, group_by_row
from alone_experiments.sentiment.rows import ACCURACIES


def checksums_of_answers(*runs: Record) -> list[str]:
    """Name which reviews each run told rightly, by the checksums of its answers."""
    return [run["test"]["right"]["sha256"] for run in runs]


def _against(group: Group, label: str, compared: list[Record]) -> str:
    others = {each.row for each in comparisons_of(group[0]) if each.label == label}
    return format_difference(
        [
            (entry["seed"], 100 * entry["difference"], entry["p_value"])
            for entry in compared
            if entry["row"] == group[0]["row"] and entry["baseline"] in others
        ]
    )


def _published(group: Group) -> str:
    found = ACCURACIES.get(group[0]["row"])
    return "" if found is None else f"{found:.2f}"


def _current(comparisons: list[Record], records: list[Record]) -> list[Record]:
    answers = {
        (run["row"], run["seed"]): checksums_of_answers(run)[0] for run in records
    }
    return [
        entry
        for entry in comparisons
        if entry["answers"]
        == [answers.get((entry[name], entry["seed"])) for name in ("row", "baseline")]
    ]


def _columns(groups: list[Group], compared: list[Record]) -> list[Column[Group]]:
    labels = dict.fromkeys(
        comparison.label for group in groups for comparison in comparisons_of(group[0])
    )
    return [
        *(ROW, METHOD, *SIZE),
        Column("accuracy", lambda g: format_mean([r["test"]["accuracy"] for r in g])),
        *(
            Column(f"against {x}", partial(_against, label=x, compared=compared))
            for x in labels
        ),
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
        said.append(f"p: paired approximate randomisation, one a seed: {signatures}")
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
    compared, groups = _current(comparisons, records), group_by_row(records)
    table = write_table(_columns(groups, compared), groups)
    remarks = "  \n".join(_remarks(records, compared))
    return f"{table}\n\n{remarks}\n"
