"""The table of all embedding methods: formulas, sizes, work, and scores if recorded."""

from __future__ import annotations

import inspect
import re
from argparse import Namespace
from pathlib import Path
from statistics import mean

from alone_experiments.mistakes import Mistake
from alone_experiments.results.code_tables import DIM, VOCABULARY, rows
from alone_experiments.results.result_files import (
    Group,
    group_by_row,
    read_json,
    read_records,
    trained_values,
)
from alone_experiments.results.speed_tables import read_figures

LARGE_VOCABULARY = 4_000_000
SHARES = {"half": 0.5, "an eighth": 0.125}
_WORDS = 64
_FORMULA = re.compile(r"``([^`]* = [^`]*)``")


def all_methods(root: Path, scores: str, speed: str) -> str:
    """List what each method computes, stores, costs and scored.

    Args:
        root: Folder that both others are in.
        scores: Results of an experiment with translations, such as
            ``results/multi30k_cpu``.
        speed: A benchmark of training steps, such as
            ``results/benchmarks/methods_tiny``.

    Returns:
        Markdown: a row each, its sizes at ``DIM`` and two vocabularies; a step's
        seconds, at half of look-up's values; the best BLEU at each of ``SHARES``, the
        mean of a row's seeds, and the row's name.
    """
    from alone_experiments.params import method_footprint
    from alone_fairseq.embeddings import EMBEDDINGS, TableSize

    head = (
        *("method", "formula", "trained values", "stored bytes"),
        *(f"trained values, V = {LARGE_VOCABULARY:,}", "stored bytes"),
        *("products a word", "10⁹ products a table"),
        "seconds a step, times lookup's",
        *(f"BLEU at {share}" for share in SHARES),
    )
    groups, steps = group_by_row(read_records(root / scores)), _steps(root / speed)
    found = []
    for name, method in EMBEDDINGS.items():
        sizes = []
        for vocabulary in (VOCABULARY, LARGE_VOCABULARY):
            size = method_footprint(name, Namespace(), [TableSize(vocabulary, DIM)])
            sizes += [f"{size.trained_values:,}", f"{size.stored_bytes:,}"]
        work = products_of_a_word(name)
        own = [group for group in groups if group[0]["method"] == name]
        found.append(
            (
                *(f"`{name}`", f"`{formula(method)}`", *sizes),
                *(f"{work:,}", f"{VOCABULARY * work / 1e9:.1f}", steps.get(name, "")),
                *(_best(own, share) for share in SHARES.values()),
            )
        )
    return rows(head, found)


def _steps(folder: Path) -> dict[str, str]:
    """Tell a step's seconds by method, and the median of rounds' ratios to look-up."""
    tokens = read_json(folder / "benchmark.json")["settings"]["tokens"]
    found = {}
    for figure in read_figures(folder, "training step, speed"):
        name = figure["variant"].removesuffix(" half").replace(" ", "_")
        seconds = f"{tokens / figure['value']['median']:.2f}"
        ratio = figure["ratios"].get("lookup")
        times = f", {1 / ratio['median']:.2f}" if ratio else ""
        found[name] = seconds + times
    return found


def formula(method: type) -> str:
    """Find the formula in the docstring of a method's class.

    Raises:
        Mistake: If it has none.
    """
    text = " ".join((inspect.getdoc(method) or "").split())
    found = _FORMULA.search(text)
    if found is None:
        raise Mistake(f"the docstring of {method.__name__} has no formula in it")
    return found[1]


def products_of_a_word(name: str) -> int:
    """Count the multiplications in products of matrices that build one word's vector.

    Sums of rows, and what is done entry by entry, are not counted.

    Args:
        name: A method; it has its usual options and ``D`` values a word. A word of
            eight letters is read, where that matters.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from alone_fairseq.embeddings import EMBEDDINGS

    # The second is read, word0124: eight different letters, as one is read once.
    words = [f"word{number:04}" for number in range(123, 123 + _WORDS)]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        # In double precision, since a faster LSTM for single precision is not counted.
        embedding = EMBEDDINGS[name](_WORDS, DIM, symbols=words).double()
        with FlopCounterMode(display=False) as counter:
            embedding.rows(torch.tensor([1]))
    return int(counter.get_total_flops()) // 2


def _best(groups: list[Group], share: float) -> str:
    near = [
        group
        for group in groups
        if abs(trained_values(group[0]) / group[0]["lookup_values"] / share - 1) < 0.1
    ]
    if not near:
        return ""
    best = max(near, key=_score)
    return f"{_score(best):.2f} (`{best[0]['row']}`)"


def _score(group: Group) -> float:
    return float(mean(record["test"]["bleu"] for record in group))
