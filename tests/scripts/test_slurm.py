"""scripts/slurm_train.sbatch: what it starts on each machine."""

import os
import shlex
import subprocess
from pathlib import Path


def test_each_machine_trains_with_the_others(tmp_path: Path, repo_root: Path) -> None:
    programs = {
        "nvidia-smi": "printf 'GPU 0: A\\nGPU 1: A\\nGPU 2: A\\nGPU 3: A\\n'",
        "scontrol": "printf 'first\\nsecond\\n'",
        "srun": 'shift; for SLURM_NODEID in 0 1; do export SLURM_NODEID; "$@"; done',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "SLURM_JOB_NODELIST": "first,second",
        "SLURM_NNODES": "2",
        "SLURM_JOB_ID": "20007",
    }
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    row = "configs/wmt16_en_de/alone_real_half.flags"
    done = subprocess.run(
        ["bash", "scripts/slurm_train.sbatch", row, "--dry-run", "--", "--fp16"],
        cwd=repo_root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    commands = [shlex.split(line) for line in done.stdout.splitlines()]
    assert len(commands) == 2
    for rank, command in enumerate(commands):
        assert command[:9] == [
            *("torchrun", "--nnodes", "2", "--node-rank", str(rank)),
            *("--master-addr", "first", "--master-port", "20007"),
        ]
        assert command[command.index("--distributed-world-size") + 1] == "8"
        frequency = len(command) - command[::-1].index("--update-freq")
        assert command[frequency] == "16"
        assert command[-1] == "--fp16"
