"""Several processes, GPUs and machines: how they share an update's batch."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scripts.stand_in_fairseq import Project

ROW = "configs/exp/row.flags"
TORCHRUN = ["--no-python", "bash", "scripts/with_rank.sh", "fairseq-train"]
BATCH = 3584 * 128  # of the WMT recipe

Gpus = Callable[[int], None]


@pytest.fixture
def project(tmp_path: Path, repo_root: Path) -> Project:
    project = Project(tmp_path, repo_root)
    project.write(
        "configs/exp/recipe.flags",
        "--target-lang de\n--max-update 10\n--max-tokens 3584\n--update-freq 128\n",
    )
    return project


@pytest.fixture
def gpus(project: Project, monkeypatch: pytest.MonkeyPatch) -> Gpus:
    """A function that puts GPUs into the machine."""

    def put(number: int) -> None:
        lines = "\n".join(f"GPU {index}: Abacus (UUID: x)" for index in range(number))
        script = f"#!/bin/sh\ncat <<END\n{lines}\nEND\n"
        project.write("venv/nvidia-smi", script).chmod(0o755)
        environment = project.environment()
        del environment["CUDA_VISIBLE_DEVICES"]
        environment["PATH"] = f"{project.folder}/venv:{environment['PATH']}"
        monkeypatch.setattr(project, "environment", lambda: environment)

    return put


def last(command: list[str], flag: str) -> str:
    """Find the value that wins: the last one."""
    return command[len(command) - command[::-1].index(flag)]


def batch(command: list[str]) -> int:
    """Compute the tokens of an update from the flags alone."""
    at_once, times, processes = (
        int(last(command, flag)) if flag in command else 1
        for flag in ("--max-tokens", "--update-freq", "--distributed-world-size")
    )
    return at_once * times * processes


@pytest.mark.parametrize(
    ("number", "options", "used"),
    [
        (1, [], 1),
        (4, [], 4),
        (6, [], 4),
        (8, ["--processes", 2], 2),
        (8, ["--max-tokens", 7168], 8),
        (8, ["--max-tokens", 57344], 8),
        (8, ["--max-tokens", 114688], 4),
    ],
)
def test_every_number_of_gpus_trains_on_the_same_batch(
    project: Project, gpus: Gpus, number: int, options: list[object], used: int
) -> None:
    gpus(number)
    (command,) = project.words("train.sh", ROW, *options, "--dry-run")
    assert last(command, "--distributed-world-size") == str(used)
    assert batch(command) == BATCH
    assert "--cpu" not in command
    if used > 1:
        start = ["torchrun", "--standalone", "--nproc-per-node", str(used), *TORCHRUN]
        assert command[: len(start)] == start
    else:
        assert command[0] == "fairseq-train"


def test_unused_gpus_are_mentioned(project: Project, gpus: Gpus) -> None:
    gpus(6)
    done = project.run("train.sh", ROW, "--dry-run")
    assert "using 4 of 6 GPUs: more cannot share the recipe's 458752" in done.stderr


def test_visible_gpus_count(project: Project, gpus: Gpus) -> None:
    gpus(8)
    project.environment()["CUDA_VISIBLE_DEVICES"] = "2,3"
    (command,) = project.words("train.sh", ROW, "--dry-run")
    assert last(command, "--distributed-world-size") == "2"


def test_processes_on_the_cpu_make_one_group(project: Project) -> None:
    (command,) = project.words("train.sh", ROW, "--processes", 2, "--dry-run")
    start = ["torchrun", "--standalone", "--nproc-per-node", "2", *TORCHRUN]
    assert command[: len(start)] == start
    assert last(command, "--distributed-backend") == "gloo"
    assert last(command, "--distributed-init-method") == "env://"
    assert {"--cpu", "--distributed-no-spawn"} <= set(command)
    assert batch(command) == BATCH


def test_several_machines(project: Project, gpus: Gpus) -> None:
    gpus(8)
    where = ["--nodes", 2, "--node-rank", 1, "--master", "first.example:29500"]
    (command,) = project.words("train.sh", ROW, *where, "--dry-run")
    assert command[:10] == [
        *("torchrun", "--nnodes", "2", "--node-rank", "1"),
        *("--master-addr", "first.example", "--master-port", "29500"),
        "--nproc-per-node",
    ]
    assert command[10 : 11 + len(TORCHRUN)] == ["8", *TORCHRUN]
    assert last(command, "--distributed-world-size") == "16"
    assert batch(command) == BATCH


@pytest.mark.parametrize("precision", ["fp32", "fp16", "amp"])
def test_precision(project: Project, gpus: Gpus, precision: str) -> None:
    gpus(1)
    (command,) = project.words("train.sh", ROW, "--precision", precision, "--dry-run")
    expected = set() if precision == "fp32" else {f"--{precision}"}
    assert {"--fp16", "--amp"} & set(command) == expected


@pytest.mark.parametrize(
    ("optimizer", "apart"), [("", False), ("adam", False), ("adam_muon", True)]
)
def test_parameters_stay_apart_where_the_optimizer_has_groups(
    project: Project, gpus: Gpus, optimizer: str, apart: bool
) -> None:
    gpus(1)
    words = ["--precision", "fp16", "--dry-run"]
    if optimizer:
        words += ["--", "--optimizer", optimizer]
    (command,) = project.words("train.sh", ROW, *words)
    assert ("--fp16-no-flatten-grads" in command) == apart


def test_run_is_carried_on_where_only_the_address_changed(
    project: Project, gpus: Gpus
) -> None:
    gpus(2)
    torchrun = 'while [ "$1" != fairseq-train ]; do shift; done; exec "$@"\n'
    project.write("venv/bin/torchrun", f"#!/bin/sh\n{torchrun}").chmod(0o755)
    where = ["--nodes", 2, "--node-rank", 0, "--master"]
    assert project.run("train.sh", ROW, *where, "a:1").returncode == 0
    longer = ["--", "--max-update", 20]
    again = project.run("train.sh", ROW, *where, "b:2", *longer)
    assert again.returncode == 0, again.stderr
    assert project.starts() == 2
    assert "run with other flags" in project.error("train.sh", ROW, *longer)


def test_only_the_first_machine_keeps_the_records(project: Project, gpus: Gpus) -> None:
    gpus(2)
    project.write("venv/bin/torchrun", "#!/bin/sh\necho trained\n").chmod(0o755)
    where = ["--nodes", 2, "--node-rank", 1, "--master", "a:1"]
    done = project.run("train.sh", ROW, *where)
    assert done.returncode == 0, done.stderr
    files = {path.name for path in project.run_folder.iterdir()}
    assert files == {"node1.log", "node1.errors"}


@pytest.mark.parametrize(
    ("number", "arguments", "message"),
    [
        (0, ["--processes", "3"], "3 processes with 3584 tokens at once cannot give"),
        (8, ["--processes", "6"], "the recipe's 458752 tokens an update; choose"),
        (8, ["--max-tokens", "5000"], "with 5000 tokens at once cannot give"),
        (2, ["--processes", "4"], "--processes 4, but there are 2 GPUs"),
        (0, ["--processes", "0"], "--processes: must be a whole number from 1, not 0"),
        (0, ["--max-tokens", "1e3"], "--max-tokens: must be a whole number from 1"),
        (0, ["--precision", "fp16"], "--precision fp16 needs a GPU"),
        (
            1,
            ["--precision", "bf16"],
            "invalid choice: 'bf16' (choose from 'fp32', 'fp16', 'amp')",
        ),
        (1, ["--nodes", "2"], "--nodes 2 needs --master HOST:PORT"),
        (1, ["--nodes", "2", "--master", "host"], "--nodes 2 needs --master HOST:PO"),
        (1, ["--node-rank", "1"], "--node-rank must be below --nodes 1, not 1"),
        (0, ["--nodes", "2", "--master", "a:1"], "--nodes 2 needs --processes"),
    ],
)
def test_what_cannot_work_is_refused(
    project: Project, gpus: Gpus, number: int, arguments: list[str], message: str
) -> None:
    if number:
        gpus(number)
    assert message in project.error("train.sh", ROW, *arguments, "--dry-run")


def test_batch_that_the_recipe_does_not_state_is_not_shared(project: Project) -> None:
    project.write("configs/exp/recipe.flags", "--target-lang de\n--max-update 10\n")
    message = project.error("train.sh", ROW, "--processes", "2", "--dry-run")
    assert "recipe.flags says no --max-tokens" in message


KILLED = """\
[rank0]: RuntimeError: Connection closed by peer
Root Cause (first observed failure):
[0]:
  rank      : 1 (local_rank: 1)
  traceback : Signal 9 (SIGKILL) received by PID 77
=====
"""
RAISED = """\
Traceback (most recent call last):
[rank1]: RuntimeError: CUDA out of memory
Root Cause (first observed failure):
  traceback : To enable traceback see: a page
=====
"""
OURS = f"alone_fairseq: error: the flag is wrong\nValueError: more\n{RAISED}"


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (KILLED, "Signal 9 (SIGKILL) received by PID 77"),
        (RAISED, "[rank1]: RuntimeError: CUDA out of memory"),
        (OURS, "alone_fairseq: error: the flag is wrong"),
        ("Traceback\nlast words\n", "last words"),
    ],
)
def test_why_a_training_ended(project: Project, errors: str, message: str) -> None:
    project.add_train(f"cat >&2 <<'END'\n{errors}END\nexit 1")
    expected = f"fairseq-train ended with status 1: {message}; see "
    assert expected in project.error("train.sh", ROW)
