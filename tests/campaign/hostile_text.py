"""Hostile text for ``alone-fairseq interactive``: an answer a line, and no growth."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import Any

from tests.campaign.jobs import train
from tests.campaign.programs import Programs, programs

MOST_GROWTH = 64
"""MiB by which the memory may grow after the first tenth of the lines."""

_ODD = [
    *map(chr, [*range(9), 11, 12, 13, *range(14, 32), 127, 133, 160]),
    *"\u2028\u2029\u200f\u202e\ufeff\u0301\U0001f600\ufffd",
]


def line(chooser: random.Random) -> str:
    """Make one line, without a line feed."""
    kind = chooser.randrange(6)
    if kind == 0:
        return ""
    if kind == 1:
        return chooser.choice(["x", "é", "@@ ", "w1"]) * chooser.choice(
            [1, 100, 10_000]
        )
    if kind == 2:
        return "שלום עולם مرحبا " * chooser.randint(1, 5)
    if kind == 3:
        return "".join(chooser.choices(_ODD, k=chooser.randint(1, 40)))
    words = chooser.choices(["w1", "w2", "<unk>", "</s>", "<pad>", "H-0\t", "-"], k=9)
    odd = chooser.choices(_ODD, k=9)
    return "".join(word + mark for word, mark in zip(words, odd, strict=True))


def run(work: Path, seed: int, lines: int) -> dict[str, Any]:
    """Feed hostile lines to a small model.

    Args:
        work: A folder for it, removed at the end.
        seed: Of the lines.
        lines: How many.

    Returns:
        ``rows``, a single one, and ``failures``, which should be none.
    """
    chooser = random.Random(seed)
    text = [_short_enough(line(chooser)) for _ in range(lines)]
    with programs(work) as shared:
        shared.prepare_small()
        [trained] = train(shared, work / "model")
        assert trained.wait().returncode == 0
        return _feed(shared, work / "model" / "run" / "checkpoint_last.pt", text)


def _short_enough(text: str) -> str:
    # A model takes 1,024 tokens; what is longer is refused, in one line.
    words = text.split()
    return text if len(words) <= 900 else " ".join(words[:900])


def _feed(shared: Programs, model: Path, text: list[str]) -> dict[str, Any]:
    flags = ["--path", model, "--source-lang", "a", "--target-lang", "b", "--cpu"]
    flags += ["--beam", 1, "--max-len-b", 3, "--max-len-a", 0, "--buffer-size", 256]
    flags += ["--batch-size", 64]
    stdin = "".join(f"{each}\n" for each in text)
    program = shared.tool("interactive", shared.corpus, *flags, stdin=stdin)
    early = peak = 0
    while not program.ended:
        peak = max(peak, program.memory())
        if not early and _last_answer(program.folder / "stdout") >= len(text) // 10:
            early = peak
        time.sleep(1)
    done = program.wait()
    answers = [int(number) for number in re.findall(r"^H-(\d+)\t", done.stdout, re.M)]
    failures = []
    if done.returncode or "Traceback" in str(done):
        failures.append(f"the command failed: {done}")
    if answers != list(range(len(text))):
        failures.append(f"{len(answers)} answers for {len(text)} lines")
    grown = (peak - (early or peak)) // 1024
    if grown > MOST_GROWTH:
        failures.append(f"memory grew by {grown} MiB")
    row = {
        "lines": len(text),
        "bytes": len(stdin.encode()),
        "answers": len(answers),
        "memory, MiB": peak // 1024,
        "grown by, MiB": grown,
    }
    return {"rows": [row], "failures": failures}


def _last_answer(output: Path) -> int:
    """Read the number of the last answer; the output may be long."""
    if not output.exists():
        return 0
    with output.open("rb") as said:
        said.seek(max(0, output.stat().st_size - 20_000))
        numbers = re.findall(rb"^H-(\d+)\t", said.read(), re.M)
    return int(numbers[-1]) if numbers else 0
