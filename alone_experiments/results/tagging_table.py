"""The table of taggers: how many words each tags rightly."""

from __future__ import annotations

from functools import partial

from alone_experiments.results.cells import distinct, name_commits
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.reconstruction_table import spread
from alone_experiments.results.result_files import Record


def make_tagging_table(records: list[Record]) -> str:
    """Make Table 3 of Stratos (2017).

    Args:
        records: Summaries that ``alone-fairseq tag`` wrote, one a row.

    Returns:
        Markdown with a line feed at the end: accuracies in percent.
    """
    columns: list[Column[Record]] = [
        Column("row", lambda record: str(record["row"]), words=True),
        Column("tags", lambda record: str(record["tags"]), words=True),
        Column("rows of the table", lambda record: f"{record['rows']['table']:,}"),
        Column("characters", lambda record: f"{record['rows']['characters']:,}"),
        Column("embedding values", lambda record: f"{_values(record):,}"),
        Column("rate", lambda record: f"{record['chosen']['lr']:g}"),
        Column("dropout", lambda record: f"{record['chosen']['dropout']:g}"),
        Column("seeds", lambda record: str(len(record["seeds"]))),
        *(
            Column(title, partial(_percent, part))
            for title, part in (
                ("dev", "dev"),
                ("test", "test"),
                ("test, new words", "test_unseen"),
            )
        ),
    ]
    ordered = sorted(records, key=lambda record: (record["tags"], record["row"]))
    tried = distinct(str(len(record["tried"])) for record in records)
    return (
        f"{write_table(columns, ordered)}\n\nAccuracy in percent. New words are in no"
        f" training sentence. Rates and dropouts tried: {tried} pairs, by the"
        f" development sentences. {name_commits(records)}.\n"
    )


def _values(record: Record) -> int:
    return sum(size["trained_values"] for size in record["footprint"].values())


def _percent(part: str, record: Record) -> str:
    values = [None if value is None else 100 * value for value in record[part]]
    return spread(values, ".2f")
