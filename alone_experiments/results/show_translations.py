"""The ``show-translations`` command: some sentences and their translations."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.arguments import whole_number
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake


def choose(sentences: int, count: int) -> list[int]:
    """Choose sentence numbers spread evenly over the test set."""
    return [(2 * i + 1) * sentences // (2 * count) for i in range(count)]


def show(texts: dict[str, list[str]], count: int) -> str:
    """Put sentences below one another.

    Args:
        texts: Parallel texts by name.
        count: Number of sentences, at least 1.

    Returns:
        A block of lines a sentence, blocks separated by empty lines.
    """
    width = max(map(len, texts))
    sentences = min(map(len, texts.values()))
    blocks = [
        "\n".join(f"{name:<{width}}  {text[number]}" for name, text in texts.items())
        for number in choose(sentences, min(count, sentences))
    ]
    return "\n\n".join(blocks)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("--data", type=Path, required=True, help="prepared corpus")
    add("--source", default="en", help="source language [%(default)s]")
    add("--target", default="de", help="target language [%(default)s]")
    add(
        "--count",
        type=whole_number(1),
        default=3,
        help="number of sentences [%(default)s]",
    )
    add("runs", nargs="+", type=Path, help="folders of evaluated runs")


def run(args: argparse.Namespace) -> None:
    """Print translations of the same sentences by several runs."""
    raw = args.data / "raw"
    texts = {
        "source": _read(raw / f"test.{args.source}"),
        "reference": _read(raw / f"test.{args.target}"),
    }
    rows = [folder.name.partition("--seed")[0] for folder in args.runs]
    for folder, row in zip(args.runs, rows, strict=True):
        alone = rows.count(row) == 1 and row not in texts
        name = row if alone else str(folder)
        texts[name] = _read(folder / "test" / f"hypotheses.{args.target}")
    print(show(texts, args.count))


def _read(file: Path) -> list[str]:
    if not file.is_file():
        raise Mistake(f"no file {file}; evaluate the run first")
    return read_lines(file)
