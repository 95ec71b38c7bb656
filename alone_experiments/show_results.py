"""What the commands that make a table end with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from alone_experiments.files import write_text
from alone_experiments.jobs import Job, do_jobs
from alone_experiments.mistakes import say
from alone_experiments.results.table import make_table_of


def show_results(
    results: Path, compare: Sequence[str] | None = None, plot: bool = True
) -> None:
    """Compare the rows, make the table and the plots, and print the table.

    Args:
        results: Folder of the records.
        compare: Further words for ``alone-fairseq compare``; ``None`` compares nothing.
        plot: Whether there are plots of such records.

    Raises:
        Mistake: If there are no records, or one is damaged.
    """
    if compare is not None:
        _run("compare", results, *compare)
    text = make_table_of(results)
    write_text(results / "table.md", text)
    if plot:
        _run("plot", results)
    print(text, end="")
    say(f"table: {results}/table.md")


def _run(tool: str, results: Path, *words: str) -> None:
    command = ["python", "-m", "alone_experiments", tool, str(results), *words]
    do_jobs([Job(tool, [command])], at_once=1)
