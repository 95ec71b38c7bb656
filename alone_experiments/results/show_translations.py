"""Print some test sentences, their references and what each model made of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def read(file: Path) -> list[str]:
    """Read a text, one sentence a line."""
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


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


def main() -> None:
    """Print translations of the runs named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="prepared corpus")
    parser.add_argument("--source", default="en", help="source language")
    parser.add_argument("--target", default="de", help="target language")
    parser.add_argument("--count", type=int, default=3, help="number of sentences")
    parser.add_argument("runs", nargs="+", type=Path, help="folders of evaluated runs")
    args = parser.parse_args()
    try:
        texts = {
            "source": read(args.data / "raw" / f"test.{args.source}"),
            "reference": read(args.data / "raw" / f"test.{args.target}"),
        }
        for run in args.runs:
            name = run.name.partition("--seed")[0]
            texts[name] = read(run / "test" / f"hypotheses.{args.target}")
    except OSError as error:
        sys.exit(f"error: {error.filename}: {error.strerror}; evaluate the run first")
    print(show(texts, args.count))


if __name__ == "__main__":
    main()
