"""benchmark.json: the figures, the measurements behind them, and what made them."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alone_experiments.files import write_json, write_text

from .figures import Figure, Results, make_figures
from .growth_plot import plot_growth
from .growth_rows import make_growth_rows
from .journal import to_dict
from .plan import Measurement
from .ratios import spread
from .sampling_rows import make_sampling_rows
from .settings import Settings
from .table import make_markdown


def make_record(
    done: Results, settings: Settings, origin: dict[str, Any]
) -> dict[str, Any]:
    """Put the whole record together.

    Args:
        done: The measurements.
        settings: What was to be measured.
        origin: Command, commit, versions and machine.

    Returns:
        Plain values, as they go into the file.
    """
    rates = [
        result["flops_per_second"]
        for measurement, result in done.items()
        if measurement.job.kind == "matrix_rate"
    ]
    return {
        **origin,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": settings.seed,
        "settings": settings.to_dict(),
        "matrix_rate": dataclasses.asdict(spread(rates)) if rates else None,
        "figures": [_plain(figure) for figure in make_figures(done, settings)],
        "growth": make_growth_rows(done),
        "sampling": make_sampling_rows(done),
        "measurements": [
            _plain_measurement(measurement, result)
            for measurement, result in done.items()
        ],
    }


def _plain_measurement(
    measurement: Measurement, result: dict[str, Any]
) -> dict[str, Any]:
    fields = to_dict(measurement)
    del fields["job"]["folder"]  # a folder of this machine says nothing elsewhere
    return {**fields, "result": result}


def _plain(figure: Figure) -> dict[str, Any]:
    return {
        **dataclasses.asdict(figure),
        "targets": [
            {"text": str(target), "reached": reached}
            for target, reached in figure.targets
        ],
    }


def write_record(record: dict[str, Any], folder: Path) -> None:
    """Write benchmark.json, benchmark.md and, with growth measured, growth.png.

    Args:
        record: What :func:`make_record` gave.
        folder: Where to; each file appears whole or not at all.
    """
    write_json(folder / "benchmark.json", record)
    write_text(folder / "benchmark.md", make_markdown(record))
    if record["growth"]:
        plot_growth(record["growth"], folder / "growth.png")
