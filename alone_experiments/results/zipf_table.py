"""The table of language models with millions of words."""

from __future__ import annotations

from statistics import mean

from alone_experiments.results.cells import describe_origin
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.reconstruction_table import spread
from alone_experiments.results.result_files import Group, Record


def make_zipf_table(records: list[Record]) -> str:
    """Make the table, the seeds of a row and vocabulary put together.

    Args:
        records: Records, in any order.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    groups: dict[tuple[int, str], Group] = {}
    for record in records:
        groups.setdefault((record["vocabulary"], record["row"]), []).append(record)

    def loss(of: str, words: str) -> Column[Group]:
        return Column(
            f"{of}, {words.replace('_', ' ')}",
            lambda runs: spread([run["losses"][of][words] for run in runs], ".3f"),
        )

    columns: list[Column[Group]] = [
        Column("row", lambda runs: runs[0]["row"], words=True),
        Column("V", lambda runs: f"{runs[0]['vocabulary']:,}"),
        Column(
            "trained values", lambda runs: f"{runs[0]['footprint']['trained_values']:,}"
        ),
        Column("share of lookup", _share),
        Column("seeds", lambda runs: str(len(runs))),
        *(loss(of, "seen") for of in ("unigram", "model", "source")),
        *(loss(of, "all_words") for of in ("unigram", "model", "source")),
        Column("minutes", lambda runs: _mean(runs, "train_seconds", 60)),
    ]
    tokens = records[0]["data"]
    deviation = max(record["deviation_of_mean"] for record in records)
    remarks = [
        f"Losses in nats a word, of {tokens['held_out']:,} held-out words; *seen* are"
        f" those of words that are in the {tokens['training']:,} words to learn from."
        f" Deviation of a mean difference to unigram: at most {deviation:.3f}.",
        *describe_origin(records),
    ]
    table = write_table(columns, [groups[each] for each in sorted(groups)])
    return "\n\n".join([table, "  \n".join(remarks)]) + "\n"


def _share(runs: Group) -> str:
    first = runs[0]
    return f"{first['footprint']['trained_values'] / first['lookup_values']:.2%}"


def _mean(runs: Group, name: str, unit: float) -> str:
    return f"{mean(run[name] for run in runs) / unit:,.0f}"
