"""The table that a person reads: benchmark.md, made from benchmark.json."""

from __future__ import annotations

from typing import Any

from alone_experiments.results.speed_tables import UNITS, short, write_sampling

from .growth_rows import COSTS, SIZES
from .sampling_rows import CODES, MEMORY_GOAL, REFERENCE, TIME_GOAL

HEAD = ["quantity", "variant", "median", "of lookup", "of published", "of plain"]
HEAD += ["of matrix rate"]

EXPLANATION = """\
Ratios are medians of the ratios of each round, with first and third quartile in
brackets where there were several rounds; the variants take turns within a round. Times
and peaks: less is better; tokens/s and sentences/s: more. Each measurement is a process
of its own; in that of decoding, but for the published formulation, a look-up model
decodes each batch too, and the ratio of the round is the median over the batches
(look-up's own is that of two look-up models). "Published" is the formulation of the
paper with a dense V x D_o filter, real filters, rebuilt in every forward pass and
decoding step; it decodes one batch in the first round only, as it takes so long. "Of
plain": of the same variant without torch.compile, with fairseq's criterion in place of
the chunked one, trained by Adam as published in place of what makes it learn, or with
codes that score words through the table in place of sums over codewords. "Of matrix
rate": the operations of the published formulation (4 V D H forward, 12 V D H both ways)
per second, as a share of what a product of two square matrices reaches in the same
round; a variant that needs fewer operations may pass 100 %. Peaks of tables and steps
are beyond what the process held before, embedding and optimiser included; those of
fairseq-train are of the whole process on a CPU, of all tensors on a GPU."""


def make_markdown(record: dict[str, Any]) -> str:
    """Write the tables.

    Args:
        record: What benchmark.json holds.

    Returns:
        Markdown that ends with a line break.
    """
    blocks = [_introduction(record)]
    if record["figures"]:
        blocks.append(_lines([*HEAD, "target"], map(_row, record["figures"])))
    if record["growth"]:
        blocks.append(_growth_heading(record["settings"]))
        blocks.append(_growth_table(record["growth"]))
        blocks.append(
            "Ratios of the same. Look-up has dense gradients, and Adam goes through the"
            " whole table, as in fairseq."
        )
        blocks.append(_growth_ratios(record["growth"]))
    if record.get("sampling"):
        blocks.append(_sampling_heading(record["settings"]))
        blocks.append(write_sampling(record["sampling"]))
    return "\n\n".join([*blocks, EXPLANATION]) + "\n"


def _growth_heading(settings: dict[str, Any]) -> str:
    return (
        "Growth with the vocabulary: medians, with"
        f" {settings['growth_tokens']:,} tokens a micro-batch; — was skipped for a"
        " reason that is in benchmark.json. Plot: growth.png."
    )


def _introduction(record: dict[str, Any]) -> str:
    settings, hardware = record["settings"], record["hardware"]
    machine = hardware["gpu"] if settings["device"] == "cuda" else hardware["cpu"]
    rate = record["matrix_rate"]
    matrix = f" Matrix rate {rate['median'] / 1e9:,.0f} GFLOP/s." if rate else ""
    changed = " with changes" if record["dirty"] else ""
    return (
        f"{machine}, {settings['threads']} threads, {settings['precision']}.{matrix}\n"
        f"V = {settings['vocabulary']:,}, D = {settings['model']['dim']},"
        f" {settings['tokens']:,} target tokens a micro-batch.\n"
        f"Commit {record['commit'][:12]}{changed}, torch {record['versions']['torch']},"
        f" seed {settings['seed']}."
    )


def _row(figure: dict[str, Any]) -> list[str]:
    ratios = figure["ratios"]
    matrix = ratios.get("matrix_rate")
    return [
        figure["quantity"],
        figure["variant"],
        _value(figure),
        _ratio(ratios.get("lookup")),
        _ratio(ratios.get("published")),
        _ratio(ratios.get("plain")),
        f"{matrix['median']:.0%}" if matrix else "",
        "; ".join(map(_target, figure["targets"])),
    ]


def _value(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return f"skipped: {figure['skipped']}"
    factor, unit = UNITS[figure["field"]]
    return f"{short(figure['value']['median'] * factor)} {unit}"


def _ratio(spread: dict[str, Any] | None) -> str:
    if spread is None:
        return ""
    if spread["count"] == 1:
        return short(spread["median"])
    low, high = short(spread["low"]), short(spread["high"])
    return f"{short(spread['median'])} ({low} to {high})"


def _target(target: dict[str, Any]) -> str:
    answer = {True: "yes", False: "NO", None: "not measured"}[target["reached"]]
    return f"{target['text']}: {answer}"


def _growth_table(rows: list[dict[str, Any]]) -> str:
    head = ["V", "variant", "trained values", "stored bytes", "resident bytes"]
    head += ["table, s", "input step, s", "input step, MiB", "training step, s"]

    def cells(row: dict[str, Any]) -> list[str]:
        return [
            f"{row['vocabulary']:,}",
            row["variant"],
            *(f"{row[name]:,.0f}" for name in SIZES),
            *(
                "—" if row[name] is None else short(row[name] * UNITS[field][0])
                for name, (_, _, field) in COSTS.items()
            ),
        ]

    return _lines(head, map(cells, rows))


def _sampling_heading(settings: dict[str, Any]) -> str:
    words = settings["sampled_words"]  # one number in older records
    numbers = ", ".join(
        f"{n:,}" for n in (words if isinstance(words, list) else [words])
    )
    said = (
        "Whole training steps, with all words a chunk of tokens at a time (chunked) and"
        f" with {numbers} of them (sampled), of"
        f" {settings['growth_tokens']:,} target tokens."
    )
    if REFERENCE not in settings["sampling"]:
        return said
    return (
        f"{said} Ratios are to the same"
        f" variant with {REFERENCE:,} words, ALONE's {CODES} bytes of codes a word left"
        " out of the memory. The goal with 4,000,000 words, ALONE and a sample: at most"
        f" {TIME_GOAL:g} of the time and {MEMORY_GOAL:g} of the memory."
    )


GROWTH_RATIOS = {
    ("table", "published"): "table, s: of published",
    ("input_step", "lookup"): "input step, s: of lookup",
    ("input_step", "published"): "input step, s: of published",
    ("input_step_peak", "lookup"): "input step, MiB: of lookup",
    ("input_step_peak", "published"): "input step, MiB: of published",
    ("training_step", "lookup"): "training step, s: of lookup",
    ("training_step", "published"): "training step, s: of published",
}


def _growth_ratios(rows: list[dict[str, Any]]) -> str:
    return _lines(
        ["V", "variant", *GROWTH_RATIOS.values()],
        (
            [
                f"{row['vocabulary']:,}",
                row["variant"],
                *(_ratio(row["ratios"][cost].get(of)) for cost, of in GROWTH_RATIOS),
            ]
            for row in rows
            if row["variant"] != "lookup"
        ),
    )


def _lines(head: list[str], rows: Any) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
