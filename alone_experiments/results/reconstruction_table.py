"""Make the tables and the figure of the reconstruction experiment from its records."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from alone_experiments.files import write_text
from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.result_files import Record, read_records
from alone_experiments.results.table_parts import align

METHODS = {
    "alone_real": "ALONE, real",
    "alone_binary": "ALONE, binary",
    "low_rank": "low-rank, equal size",
}
SETS = {
    "simlex-999.txt": "SimLex-999",
    "wordsim-353.txt": "WordSim-353",
    "rg-65.txt": "RG-65",
    "men.txt": "MEN",
}
_ROW = re.compile(r"(.+)_h(\d+)(_frozen)?(_heldout)?")


def parse_row(row: str) -> tuple[str, int, bool, bool]:
    """Read method, inner size, whether o is frozen, whether words were kept back."""
    found = _ROW.fullmatch(row)
    if found is None:
        raise ValueError(f"'{row}' is no row of the reconstruction experiment")
    return found[1], int(found[2]), bool(found[3]), bool(found[4])


def label(row: str) -> str:
    """Name a row's line in the figure, which has the inner size on its axis."""
    method, _, frozen, _ = parse_row(row)
    return METHODS.get(method, method) + (", o frozen" if frozen else "")


def group(records: list[Record], held_out: bool) -> list[list[Record]]:
    """Put the seeds of a row together; rows by size, method and frozen o."""
    rows: dict[str, list[Record]] = {}
    for record in records:
        if parse_row(record["row"])[3] == held_out:
            rows.setdefault(record["row"], []).append(record)
    order = list(METHODS)

    def key(row: str) -> tuple[int, int, bool]:
        method, size, frozen, _ = parse_row(row)
        return size, order.index(method) if method in order else 9, frozen

    return [rows[row] for row in sorted(rows, key=key)]


def spread(values: Sequence[float | None], form: str) -> str:
    """Write the mean, and the deviation of several; ``-`` where a value is missing."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return "-"
    text = format(mean(known), form)
    return f"{text} ± {format(stdev(known), form)}" if len(known) > 1 else text


def similarity_columns(
    part: Callable[[Record], dict[str, Any]], runs: list[Record], names: list[str]
) -> list[str]:
    """Write the correlations of a row with each test set."""
    return [
        spread([part(run)["similarity"][name]["rho"] for run in runs], ".3f")
        for name in names
    ]


def set_names(records: list[Record]) -> list[str]:
    """Name the test sets, in the order in which they were given."""
    return list(records[0]["similarity"])


def main_table(records: list[Record]) -> list[list[str]]:
    """Make the rows of the table of words that were fitted, the source last."""
    groups, names = group(records, held_out=False), set_names(records)
    rows = [
        [
            label(runs[0]["row"]),
            f"{parse_row(runs[0]['row'])[1]:,}",
            f"{runs[0]['footprint']['trained_values']:,}",
            str(len(runs)),
            spread([run["loss"] for run in runs], ".4f"),
            spread([run["cosine"] for run in runs], ".4f"),
            *similarity_columns(lambda run: run, runs, names),
        ]
        for runs in groups
    ]
    if not groups:
        return []
    source = groups[0][0]["similarity"]
    values = groups[0][0]["settings"]
    size = f"{values['words'] * values['embedding_dim']:,}"
    last = [spread([source[name]["source_rho"]], ".3f") for name in names]
    head = ["method", "H", "trained values", "seeds", "loss", "cosine"]
    return [
        [*head, *(SETS.get(name, name) for name in names)],
        *rows,
        ["source vectors", "", size, "", "0", "1", *last],
    ]


def held_out_table(records: list[Record]) -> list[list[str]]:
    """Make the rows of the table of words that were kept back."""
    groups, names = group(records, held_out=True), set_names(records)
    if not groups:
        return []
    head = ["method", "H", "seeds", "words kept back", "loss, fitted"]
    head += ["loss, kept back", "cosine, kept back"]
    rows = []
    for runs in groups:
        kept_back = [run["held_out"] for run in runs]
        rows.append(
            [
                label(runs[0]["row"]),
                f"{parse_row(runs[0]['row'])[1]:,}",
                str(len(runs)),
                f"{kept_back[0]['words']:,}",
                spread([run["loss"] for run in runs], ".4f"),
                spread([part["loss"] for part in kept_back], ".4f"),
                spread([part["cosine"] for part in kept_back], ".4f"),
                *similarity_columns(lambda run: run["held_out"], runs, names),
            ]
        )
    mean_vector = [run["held_out"]["of_the_mean"] for run in groups[0]]
    closeness = [
        spread([part[name] for part in mean_vector], ".4f")
        for name in ("loss", "cosine")
    ]
    first = groups[0][0]["held_out"]["similarity"]
    source = [spread([first[name]["source_rho"]], ".3f") for name in names]
    return [
        [*head, *(SETS.get(name, name) for name in names)],
        *rows,
        [
            "mean of the fitted vectors",
            "",
            "",
            "",
            "",
            *closeness,
            *("-" for _ in names),
        ],
        ["source vectors", "", "", "", "", "0", "1", *source],
    ]


def remarks(records: list[Record]) -> list[str]:
    """Say below the tables what all numbers share, and where they do not."""
    first = records[0]
    settings = first["settings"]
    covered = [
        f"{SETS.get(name, name)} {found['covered']:,} of {found['pairs']:,}"
        for name, found in first["similarity"].items()
    ]
    seconds = [record["seconds"] for record in records]
    machines = sorted(
        {f"{r['hardware']['cpu']}, {r['hardware']['cores']} cores" for r in records}
    )
    commits = sorted({record["commit"][:12] for record in records})
    said = [
        f"{settings['words']:,} words of {first['source']}, {settings['epochs']:,}"
        f" epochs, batches of {settings['batch_size']}; loss: mean"
        f" {settings['distance']} distance.",
        f"Pairs covered: {', '.join(covered)}.",
        f"Seconds a run: {min(seconds):,.0f} to {max(seconds):,.0f} with"
        f" {first['threads']} thread(s) each.",
        f"Hardware: {', '.join(machines)}. Commit: {', '.join(commits)}.",
    ]
    shared = ("words", "epochs", "batch_size", "lr", "distance", "vectors_sha256")
    for name in shared:
        if len({record["settings"][name] for record in records}) > 1:
            said.append(f"Rows differ in '{name}': do not compare them.")
    if any(record["dirty"] for record in records):
        said.append("Made with changes that are in no commit: not for publication.")
    return said


def plot(records: list[Record], file: Path) -> None:
    """Draw correlation against inner size, a panel for each test set.

    Args:
        records: The results of the experiment.
        file: Picture to write; it appears whole or not at all.

    Raises:
        ValueError: If matplotlib is missing.
    """
    names, groups = set_names(records), group(records, held_out=False)
    if not groups:
        return
    figure = new_figure(3.4 * len(names), 3.8)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        _draw_panel(axes, groups, name)
    panels[0].set_ylabel("Spearman's rho")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    save(figure, file)


def _draw_panel(axes: Any, groups: list[list[Record]], name: str) -> None:
    lines: dict[str, list[tuple[int, float, float]]] = {}
    for runs in groups:
        values = [run["similarity"][name]["rho"] for run in runs]
        if None not in values:
            deviation = stdev(values) if len(values) > 1 else 0.0
            point = (parse_row(runs[0]["row"])[1], mean(values), deviation)
            lines.setdefault(label(runs[0]["row"]), []).append(point)
    for number, (text, points) in enumerate(sorted(lines.items())):
        sizes, means, deviations = zip(*points, strict=True)
        style = ":" if "frozen" in text else "-"
        axes.errorbar(
            *(sizes, means, deviations),
            label=text, linestyle=style, marker="osD^v"[number % 5], capsize=3,
        )  # fmt: skip
    source = groups[0][0]["similarity"][name]["source_rho"]
    if source is not None:
        axes.axhline(source, color="black", linestyle="--", label="source vectors")
    axes.set_title(SETS.get(name, name))
    axes.set_xlabel("inner size H")
    axes.set_xticks(sorted({parse_row(runs[0]["row"])[1] for runs in groups}))
    axes.grid(alpha=0.3)


def main() -> None:
    """Write table.md and figure3.png beside the records; print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="such as results/reconstruction")
    folder = parser.parse_args().folder
    try:
        records = read_records(folder)
        tables = [t for t in (main_table(records), held_out_table(records)) if t]
        text = "\n\n".join(
            align([list(column) for column in zip(*rows, strict=True)], left_aligned=1)
            for rows in tables
        )
        text += "\n\n" + "  \n".join(remarks(records)) + "\n"
        write_text(folder / "table.md", text)
        plot(records, folder / "figure3.png")
    except (ValueError, KeyError) as error:
        sys.exit(f"error: {error}")
    print(text, end="")
    print(
        f"==> table: {folder}/table.md  figure: {folder}/figure3.png", file=sys.stderr
    )


if __name__ == "__main__":
    main()
