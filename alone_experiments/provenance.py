"""What made a number: versions, machine, and the state of the code.

Only what describes versions or machines needs torch, and imports it then.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from alone_experiments.repository import ROOT

TRANSLATION = ("fairseq-fixed", "sacrebleu")


def describe_versions(packages: Sequence[str] = TRANSLATION) -> dict[str, str]:
    """Name the version of all that can change a score.

    Args:
        packages: Distributions beside Python, torch, NumPy and this project.

    Returns:
        Versions by name; fairseq's is called ``fairseq``, whoever distributes it.
    """
    import torch

    import alone_fairseq

    others = {name.removesuffix("-fixed"): version(name) for name in packages}
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": version("numpy"),
        **others,
        "alone_fairseq": alone_fairseq.__version__,
    }


def describe_hardware() -> dict[str, Any]:
    """Name the processor, the number of its cores we may use, and the GPU."""
    import torch

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


def describe_surroundings(packages: Sequence[str] = TRANSLATION) -> dict[str, Any]:
    """Tell what of a number does not depend on its command: versions, machine, time.

    Args:
        packages: As for :func:`describe_versions`.

    Returns:
        Plain data.
    """
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": describe_versions(packages),
        "hardware": describe_hardware(),
    }


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


def origin(command: Sequence[str], packages: Sequence[str]) -> dict[str, Any]:
    """Tell what makes a number: command, code, versions, machine, threads and time.

    Args:
        command: The command, one argument an element.
        packages: As for :func:`describe_versions`.

    Returns:
        Plain data; ``commit`` is ``unknown`` where this package is in no checkout.
    """
    import torch

    # An installed copy may lie inside the checkout of another project.
    known = bool(_git(ROOT, "ls-files", str(Path(__file__).resolve())))
    commit, dirty = describe_code(ROOT) if known else ("unknown", True)
    return {
        "command": list(command),
        "commit": commit,
        "dirty": dirty,
        **describe_surroundings(packages),
        "threads": torch.get_num_threads(),
    }


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()
