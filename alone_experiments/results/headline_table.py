"""The tables of an experiment with headlines, in the layout of the paper's Table 3.

One of the models, one of the scores and lengths for each desired length, and one of the
differences between rows.
"""

from __future__ import annotations

import re
from functools import partial
from statistics import mean

from alone_experiments.results.cells import (
    INNER_SIZE,
    METHOD,
    ONE_A_SEED,
    ROW,
    SIZE,
    VALUES,
    describe_origin,
    distinct,
    format_mean,
)
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.comparisons import current, row_of
from alone_experiments.results.headline_differences import (
    checksums_of,
    write_differences,
)
from alone_experiments.results.headline_results import METRICS, test_names
from alone_experiments.results.result_files import Group, Record, group_by_row

ENCODINGS = {
    "--length-lrpe": "LRPE",
    "--length-ldpe": "LDPE",
    "--length-ordinary": "PE",
}


def length_control(record: Record) -> str:
    """Name the decoder's encodings as the paper does, ``none`` without length control.

    Args:
        record: A run.

    Returns:
        Such as ``LRPE+PE``.
    """
    found = [name for flag, name in ENCODINGS.items() if flag in record["command"]]
    return "none" if set(found) <= {"PE"} else "+".join(found)


def validation_loss(group: Group) -> str:
    """Write the last validation loss of a row."""
    return format_mean([record["valid"]["loss"][-1][1] for record in group])


MODEL_COLUMNS: list[Column[Group]] = [
    *(ROW, METHOD),
    Column("length control", lambda group: length_control(group[0]), words=True),
    *(INNER_SIZE, *SIZE),
    Column("validation loss", validation_loss),
]


def score_columns(name: str) -> list[Column[Group]]:
    """Make the columns of a desired length.

    Args:
        name: The desired length, as the records name it.

    Returns:
        The columns, from the left.
    """

    def of_lengths(statistic: str, form: str) -> partial[str]:
        return partial(lengths, name=name, statistic=statistic, form=form)

    return [
        *(ROW, INNER_SIZE, VALUES),
        *(
            Column(metric, partial(rouge, name=name, metric=metric))
            for metric in METRICS
        ),
        Column("in the paper", lambda group: published_scores(group[0], name)),
        Column("length - N", of_lengths("mean_difference", "+.1f")),
        Column("abs(length - N)", of_lengths("mean_absolute_difference", ".1f")),
        Column("at most N", of_lengths("within_characters", ".1%")),
    ]


def rouge(group: Group, name: str, metric: str) -> str:
    """Write a score in percent with its interval, of several seeds the deviation."""
    scores = [record["test"]["rouge"][name] for record in group]
    found = [entry["scores"][metric][entry["reported"]] for entry in scores]
    text = format_mean([100 * entry["average"] for entry in found])
    if len(group) > 1:
        return text
    return f"{text} [{100 * found[0]['lower']:.2f}, {100 * found[0]['upper']:.2f}]"


def lengths(group: Group, name: str, statistic: str, form: str) -> str:
    """Write a statistic of the lengths, of several seeds the mean."""
    found = [record["test"]["rouge"][name]["lengths"] for record in group]
    return format(mean(entry[statistic] for entry in found), form) if all(found) else ""


def published_scores(record: Record, name: str) -> str:
    """Find the paper's numbers, which are of DUC-2004, in the header of the row's file.

    Args:
        record: A run of the row.
        name: The desired length, as the record names it.

    Returns:
        ROUGE-1, -2 and -L; empty where there are none.
    """
    scores = record["test"]["rouge"][name]["signature"]
    pattern = r"^# Paper: ROUGE-1 ([\d.]+), ROUGE-2 ([\d.]+), ROUGE-L ([\d.]*\d)"
    found = re.search(pattern, row_of(record).header(), flags=re.MULTILINE)
    return " / ".join(found.groups()) if found and "preset:duc2004" in scores else ""


def describe_scores(record: Record, name: str) -> str:
    """Say what is in the table of a desired length.

    Args:
        record: A run.
        name: The desired length, as the record names it.

    Returns:
        A line of Markdown.
    """
    test_set, _, desired = name.rpartition("/")
    scores = record["test"]["rouge"][name]
    fields = dict(part.partition(":")[::2] for part in scores["signature"].split("|"))
    kind = "F1" if scores["reported"] == "f1" else scores["reported"]
    limit = "" if fields["bytes"] == "all" else f" of the first {fields['bytes']} bytes"
    references = scores["references"]
    return (
        f"**Desired length N = {desired}{f', {test_set}' if test_set else ''}**: {kind}"
        f"{limit}, {scores['lines']:,} lines with {references}"
        f" reference{'s' if references > 1 else ''}"
    )


def format_remarks(records: list[Record], comparisons: list[Record]) -> list[str]:
    """Say below the tables what all numbers share, and where they do not.

    Args:
        records: All records.
        comparisons: What :func:`current` left.

    Returns:
        One text a line.
    """
    scores = [s for record in records for s in record["test"]["rouge"].values()]
    remarks = [
        *(f"ROUGE: {found}" for found in sorted({s["signature"] for s in scores})),
        "In brackets: bootstrap interval over the lines. Lengths in characters, means"
        " over the lines. Validation loss in bits a token, after the last update.",
    ]
    if comparisons:
        tests = distinct(entry["signature"] for entry in comparisons)
        remarks.append(
            "p: paired approximate randomisation of the ROUGE of each line,"
            f" {ONE_A_SEED}, not corrected for the number of tests: {tests}"
        )
    elif any("headlines" in entry for entry in scores):
        remarks.append("No test of significance: nothing to compare, or not compared.")
    else:
        remarks.append("No test of significance: the headlines were not kept.")
    return remarks + describe_origin(records)


def make_headline_table(records: list[Record], comparisons: list[Record]) -> str:
    """Make the tables of an experiment with headlines.

    Args:
        records: Its records, in any order.
        comparisons: What ``alone-fairseq compare`` made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    comparisons = current(comparisons, "headlines", checksums_of(records))
    parts = [write_table(MODEL_COLUMNS, group_by_row(records))]
    for name in test_names(records):
        scored = [record for record in records if name in record["test"]["rouge"]]
        parts.append(describe_scores(scored[0], name))
        parts.append(write_table(score_columns(name), group_by_row(scored)))
    if differences := write_differences(records, comparisons):
        parts += ["**Differences in points of ROUGE**", differences]
    parts.append("  \n".join(format_remarks(records, comparisons)))
    return "\n\n".join(parts) + "\n"
