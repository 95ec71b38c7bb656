"""What the ``rouge`` command prints and writes of its scores."""

from __future__ import annotations

from collections.abc import Mapping

from alone_experiments.evaluation.bootstrap import Average
from alone_experiments.evaluation.lengths import LengthStatistics
from alone_experiments.evaluation.rouge import SCORES, RougeResult


def per_line(result: RougeResult) -> str:
    """Write one row a line, with three columns a metric."""
    header = [f"{metric}-{kind}" for metric in result.documents for kind in SCORES]
    rows = ["\t".join(["line", *header])]
    for number, scores in enumerate(zip(*result.documents.values(), strict=True), 1):
        values = (f"{value:.5f}" for score in scores for value in score)
        rows.append("\t".join([str(number), *values]))
    return "".join(f"{row}\n" for row in rows)


def kinds(first: str) -> list[str]:
    """Put the score that is reported before the others."""
    return [first, *(kind for kind in SCORES if kind != first)]


def table(averages: Mapping[str, Mapping[str, Average]], first: str) -> str:
    """Lay out the scores with their intervals, the reported one in the first column."""
    order = kinds(first)
    lines = [" " * 9 + "".join(f"{kind:<28}" for kind in order).rstrip()]
    for metric, by_kind in averages.items():
        cells = "".join(
            f"{found.average:.5f} [{found.lower:.5f}, {found.upper:.5f}]".ljust(28)
            for found in (by_kind[kind] for kind in order)
        )
        lines.append(f"{metric:<9}{cells}".rstrip())
    return "\n".join(lines)


def describe(lengths: LengthStatistics) -> str:
    """Put the lengths of outputs in a line."""
    return (
        f"length: mean {lengths.mean_length:.2f} for {lengths.desired};"
        f" difference {lengths.mean_difference:+.2f},"
        f" absolute {lengths.mean_absolute_difference:.2f},"
        f" variance {lengths.variance:.2f};"
        f" within the limit {lengths.within_characters:.1%} in characters,"
        f" {lengths.within_bytes:.1%} in bytes"
    )
