"""What is measured from nothing, from NaN or from lines that do not fit is refused."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import torch

from alone_experiments import cli
from alone_experiments.mistakes import exit_status
from alone_experiments.tensor_files import write_tensors

_FILES = {
    "two": "a b\nc d\n",
    "three": "a b\nc d\ne f\n",
    "empty": "",
    "generated": "T-0\ta b\nH-0\t-1\ta b\nT-1\tc d\nH-1\t-1\tc d\n",
    "twice": "H-0\t-1\ta b\nH-0\t-1\tc d\n",
    "nan scores": "H-0\tnan\ta b\nH-1\t-1\tc d\n",
    "infinite scores": "H-0\t-inf\ta b\nH-1\t-1\tc d\n",
    "pairs": "a\tb\t3\nc\td\t4\n",
    "nan pairs": "a\tb\t3\nc\td\tnan\n",
    "nan first": "a\tb\tnan\nc\td\t4\n",
    "vectors": "a 1 2\nb 2 1\nc 0 1\nd 1 0\n",
    "nan vectors": "a 1 nan\nb 2 1\n",
    "infinite vectors": "a 1 1e999\nb 2 1\n",
    "questions": "a b c d\n",
}

CASES = {
    "BLEU: fewer references": "bleu --generated generated --reference three",
    "BLEU: more references": "bleu --generated generated --reference empty",
    "BLEU: no output": "bleu --generated empty --reference two",
    "BLEU: a line twice": "bleu --generated twice --reference two",
    "BLEU: NaN": "bleu --generated nan-scores --reference two",
    "BLEU: infinity": "bleu --generated infinite-scores --reference two",
    "BLEU: no language": "bleu --generated generated --reference two --language xx",
    "ROUGE: fewer lines": "rouge --system two --references three",
    "ROUGE: more lines": "rouge --system three --references two",
    "ROUGE: none": "rouge --system empty --references empty",
    "re-ranking: NaN": "rerank --generated nan-scores --source two",
    "re-ranking: infinity": "rerank --generated infinite-scores --source two",
    "re-ranking: more sources": "rerank --generated generated --source three",
    "re-ranking: no source": "rerank --generated generated --source empty",
    "similarity: NaN score": "similarity vectors --pairs nan-pairs",
    "similarity: NaN score first": "similarity vectors --pairs nan-first",
    "similarity: no pairs": "similarity vectors --pairs empty",
    "similarity: NaN vector": "similarity nan-vectors --pairs pairs",
    "similarity: infinite vector": "similarity infinite-vectors --pairs pairs",
    "similarity: no vectors": "similarity empty --pairs pairs",
    "analogy: NaN vector": "analogy nan-vectors --questions questions",
    "analogy: no questions": "analogy vectors --questions empty",
    "average: NaN": "average --inputs whole.pt nan.pt --output out.pt",
    "average: infinity": "average --inputs infinite.pt whole.pt --output out.pt",
    "average: other shapes": "average --inputs whole.pt other.pt --output out.pt",
    "reconstruction: NaN": "reconstruct nan-vectors --words 2 --output out.pt",
    "table: no records": "table .",
}
"""Commands that must end in one line; names with ``-`` are files with a blank."""


def run(work: Path, seed: int, cases: int) -> dict[str, Any]:
    """Run all commands.

    Args:
        work: A folder for their files.
        seed: Of nothing: nothing here is random.
        cases: How many of the commands; all of them where that is more.

    Returns:
        ``rows``, one a command, and ``failures``, which should be none.
    """
    del seed
    work.mkdir(parents=True, exist_ok=True)
    for name, text in _FILES.items():
        (work / name.replace(" ", "-")).write_text(text)
    for name, value, size in (
        ("whole", 1.0, 3),
        ("nan", float("nan"), 3),
        ("infinite", float("inf"), 3),
        ("other", 1.0, 4),
    ):
        write_tensors(work / f"{name}.pt", {"model": {"w": torch.full((size,), value)}})
    rows, failures = [], []
    before = sorted(path.name for path in work.iterdir())
    for name, command in list(CASES.items())[:cases]:
        line = _refusal(work, command.split())
        rows.append({"case": name, "what is said": line})
        if line.count("\n") or "error:" not in line:
            failures.append(f"{name}: {line!r}")
    if (after := sorted(path.name for path in work.iterdir())) != before:
        failures.append(f"left behind: {sorted({*after} - {*before})}")
    return {"rows": rows, "failures": failures}


def _refusal(folder: Path, words: list[str]) -> str:
    output, said = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(said),
    ):
        try:
            status = exit_status(lambda: cli.main(words))
        except Exception as error:
            return f"{type(error).__name__}: {error}\n"
    if status == 0:
        return f"accepted: {output.getvalue()[:200]}"
    return said.getvalue().rstrip("\n")
