"""What made a number: versions, machine, and the state of the code."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

import alone_fairseq

PACKAGES = {"numpy": "numpy", "fairseq": "fairseq-fixed", "sacrebleu": "sacrebleu"}


def describe_versions() -> dict[str, str]:
    """Name the version of all that can change a score."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        **{name: version(package) for name, package in PACKAGES.items()},
        "alone_fairseq": alone_fairseq.__version__,
    }


def describe_hardware() -> dict[str, Any]:
    """Name the processor, the number of its cores we may use, and the GPU."""
    cpu = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [
            line.partition(":")[2].strip()
            for line in information.read_text().splitlines()
            if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    gpu = torch.cuda.get_device_name(0) if torch.cuda.is_available() else None
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "gpu": gpu}


def describe_code(folder: Path) -> tuple[str, bool]:
    """Name the commit of a checkout.

    Args:
        folder: The checkout.

    Returns:
        The commit, ``unknown`` where git knows none, and whether files differ from it.
    """
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    changes = _git(folder, "status", "--porcelain")
    return commit or "unknown", not commit or bool(changes)


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()
