"""What the machine has, for what trains or measures; asked without torch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import MutableMapping

KEEP_FREED_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(8 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
}
"""Variables that glibc reads when a program starts; other C libraries ignore them."""


def count_gpus() -> int:
    """Count the GPUs that a program started here may use.

    Returns:
        0 without a driver, and where ``CUDA_VISIBLE_DEVICES`` hides them all.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible in ("", "-1"):
        return 0
    try:
        found = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return 0
    if visible is not None:
        return len([name for name in visible.split(",") if name.strip()])
    return sum(line.startswith("GPU") for line in found.stdout.splitlines())


def keep_freed_memory(environment: MutableMapping[str, str]) -> None:
    """Let a program keep the memory it frees, if it will work on a CPU.

    glibc gives large tensors back to the system and fetches them anew, page by page, at
    every step of a training; told to keep them, it makes a step up to a third shorter.

    Args:
        environment: Of the program; what the user has set there stays.
    """
    if count_gpus() == 0:
        for name, value in KEEP_FREED_MEMORY.items():
            environment.setdefault(name, value)
