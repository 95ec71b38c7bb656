"""Tables of what the code has, for the pages: commands, methods, flags, sizes."""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path

VOCABULARY, DIM = 32768, 512
"""Sizes of the paper's translation model."""


def commands(root: Path) -> str:
    """List the commands of ``alone-fairseq``, and their actions."""
    del root
    from alone_experiments.cli import FAIRSEQ_COMMANDS, TOOLS

    found = []
    for name, (module, about) in TOOLS.items():
        found.append((name, about))
        tool = importlib.import_module(f"alone_experiments.{module}")
        actions = getattr(tool, "ACTIONS", {})
        found += [(f"{name} {action}", said) for action, (_, said) in actions.items()]
    found += [
        (name, f"fairseq-{name} with --user-dir already set")
        for name in FAIRSEQ_COMMANDS
    ]
    found.append(("user-dir", "print what --user-dir needs"))
    return rows(
        ("command", "what it does"),
        [(f"`alone-fairseq {name}`", about) for name, about in found],
    )


def row_count(root: Path, experiment: str) -> str:
    """Count the rows of an experiment.

    Args:
        root: Folder with ``configs``.
        experiment: Such as ``toy``.
    """
    from alone_experiments.training.experiment import rows_of

    return str(len(rows_of(root / "configs" / experiment)))


def methods(root: Path) -> str:
    """List the embedding methods, with their trained values at the paper's size."""
    from alone_experiments.params import method_footprint
    from alone_fairseq.embeddings import EMBEDDINGS, TableSize

    head = ("method", "what it is", f"values at V = {VOCABULARY:,}, D = {DIM}", "file")
    found = []
    for name, method in EMBEDDINGS.items():
        table = TableSize(VOCABULARY, DIM)
        size = method_footprint(name, argparse.Namespace(), [table])
        about = summary(sys.modules[method.__module__])
        file = Path(inspect.getfile(method)).relative_to(root)
        found.append((f"`{name}`", about, f"{size.trained_values:,}", f"`{file}`"))
    return rows(head, found)


def output_layers(root: Path) -> str:
    """List the output layers."""
    del root
    from alone_fairseq.output import OUTPUT_LAYERS

    found = [(f"`{name}`", summary(layer)) for name, layer in OUTPUT_LAYERS.items()]
    return rows(("output layer", "what it is"), found)


def summary(thing: object) -> str:
    """Take the first line of a docstring, without its full stop."""
    return (inspect.getdoc(thing) or "").split("\n")[0].removesuffix(".")


def sizes(root: Path) -> str:
    """List the sizes of the presets ``transformer_<method>_<size>``.

    Those that end in ``_published`` are left out: they differ in few options of ALONE.
    """
    del root
    from fairseq.models import ARCH_CONFIG_REGISTRY

    from alone_fairseq.embeddings import CONFIGS

    first, *_ = CONFIGS
    prefix = f"transformer_{first}_"
    presets = [x for x in ARCH_CONFIG_REGISTRY if x.startswith(prefix)]
    names = sorted(x for x in presets if not x.endswith("_published"))
    found = []
    for name in names:
        set_here = []
        for method, config in CONFIGS.items():
            filled = argparse.Namespace(embedding_method=method)
            ARCH_CONFIG_REGISTRY[name](filled)
            own = [x for x in vars(config()) if hasattr(filled, x)]
            set_here += [f"{x} {getattr(filled, x)}" for x in own]
        fields = ("layers", "embed_dim", "ffn_embed_dim", "attention_heads")
        model = [str(getattr(filled, f"encoder_{field}")) for field in fields]
        found.append((name.removeprefix(prefix), *model, ", ".join(set_here)))
    head = ("size", "layers a side", "D", "inner size", "heads", "options of methods")
    return rows(head, found)


def rows(head: tuple[str, ...], found: Sequence[tuple[str, ...]]) -> str:
    """Lay out a table given by its rows, whose texts are too long to be aligned."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in found]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
