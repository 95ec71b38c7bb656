"""The tables of an experiment with translations.

Needs no corpus and no fairseq: all it says comes from the records, from what
``alone-fairseq compare`` wrote beside them, and from the headers in configs/.
"""

from __future__ import annotations

import re

from alone_experiments.results.cells import (
    INNER_SIZE,
    METHOD,
    ONE_A_SEED,
    ROW,
    SIZE,
    describe_origin,
    distinct,
    format_mean,
)
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.comparisons import current, row_of
from alone_experiments.results.differences import against_lookup, write_differences
from alone_experiments.results.result_files import Group, Record, group_by_row


def bleu(group: Group) -> str:
    """Write the score of a row; several seeds become mean and deviation."""
    return format_mean([record["test"]["bleu"] for record in group])


def compound_split(group: Group) -> str:
    """Write the tokenised score with compounds split."""
    scores = [record["test"].get("compound_split") for record in group]
    return format_mean([s["bleu"] for s in scores]) if all(scores) else ""


def perplexity(group: Group) -> str:
    """Write the perplexity on the validation set at the end of the training."""
    courses = [record.get("valid", {}).get("ppl") for record in group]
    return format_mean([course[-1][1] for course in courses]) if all(courses) else ""


def published_score(group: Group) -> str:
    """Find the paper's number in the header of the row's file.

    Args:
        group: The row.

    Returns:
        The number in ``# Paper: BLEU <number>``, empty where there is none.
    """
    found = re.search(
        r"^# Paper: BLEU ([\d.]*\d)", row_of(group[0]).header(), re.MULTILINE
    )
    return found[1] if found else ""


def columns_of(compared: list[Record]) -> list[Column[Group]]:
    """List the columns of a table.

    Args:
        compared: What is left of the comparisons.
    """
    return [
        *(ROW, METHOD, INNER_SIZE, *SIZE),
        Column("BLEU", bleu),
        Column("split BLEU", compound_split),
        Column("perplexity", perplexity),
        against_lookup(compared),
        Column("BLEU in the paper", published_score),
    ]


def _checksum(record: Record) -> str | None:
    kept = record["test"].get("translations")
    return kept["sha256"] if kept else None


def format_remarks(records: list[Record], compared: list[Record]) -> list[str]:
    """Say below the table what all its numbers share, and where they do not.

    Args:
        records: All records.
        compared: What is left of the comparisons.

    Returns:
        One text a line.
    """
    tests = [record["test"] for record in records]
    remarks = [f"SacreBLEU: {distinct(test['signature'] for test in tests)}"]
    if sets := distinct(test["test_set"] for test in tests if test.get("test_set")):
        remarks.append(f"Test set: SacreBLEU's {sets}.")
    split = [test["compound_split"] for test in tests if test.get("compound_split")]
    if split:
        remarks.append(
            "Split BLEU: tokenised, hyphenated compounds split, for comparison with"
            f" older papers only: {distinct(entry['signature'] for entry in split)}"
        )
    if any(map(perplexity, group_by_row(records))):
        remarks.append("Perplexity: of the validation set, at the end of the training.")
    return [*remarks, describe_test(records, compared), *describe_origin(records)]


def describe_test(records: list[Record], compared: list[Record]) -> str:
    """Say how significance was tested, or why it was not.

    Args:
        records: All records.
        compared: What is left of the comparisons.

    Returns:
        One line.
    """
    if compared:
        signatures = distinct(entry["signature"] for entry in compared)
        return f"p: paired approximate randomisation, {ONE_A_SEED}: {signatures}"
    if any(map(_checksum, records)):
        return "No test of significance: nothing to compare, or not compared since."
    return "No test of significance: the translations were not kept."


def make_translation_table(records: list[Record], comparisons: list[Record]) -> str:
    """Make the tables of an experiment with translations.

    Args:
        records: Its records, in any order.
        comparisons: What ``alone-fairseq compare`` made of them.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    kept = {(record["row"], record["seed"]): _checksum(record) for record in records}
    compared = current(comparisons, "translations", kept)
    groups = group_by_row(records)
    parts = [write_table(columns_of(compared), groups)]
    if differences := write_differences(groups, compared, "BLEU"):
        parts += ["**Differences in BLEU**", differences]
    parts.append("  \n".join(format_remarks(records, compared)))
    return "\n\n".join(parts) + "\n"
