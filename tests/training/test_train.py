"""scripts/train.sh: the command it runs, when it runs it, and what it refuses."""

import os
import re
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.training import run_state, train
from tests.scripts.stand_in_fairseq import Project, kill_all, wait_for_line

ROW = "configs/exp/row.flags"


def test_dry_run_prints_the_command_and_does_nothing(project: Project) -> None:
    (command,) = project.words("train.sh", ROW, "--dry-run")
    output = project.folder / "output"
    assert command == [
        *("fairseq-train", f"{output}/data/exp/bin"),
        *("--user-dir", "alone_fairseq"),
        *("--target-lang", "de", "--max-update", "10"),
        *("--arch", "transformer_lookup_toy"),
        *("--seed", "1", "--save-dir", f"{output}/runs/exp/row--seed1"),
        *("--tensorboard-logdir", f"{output}/runs/exp/row--seed1/tensorboard"),
        *("--log-format", "json", "--cpu", "--num-workers", "0"),
    ]
    assert not (output / "runs").exists()


def test_options_and_further_flags(project: Project) -> None:
    options = ["--data", "d", "--save-dir", "s", "--seed", 7, "--dry-run"]
    (command,) = project.words(
        "train.sh", ROW, *options, "--", "--fp16", "--max-update", "20"
    )
    assert command[1] == f"{project.folder}/d/bin"
    assert command[command.index("--save-dir") + 1] == f"{project.folder}/s"
    assert command[command.index("--seed") + 1] == "7"
    assert command[-3:] == ["--fp16", "--max-update", "20"]


def test_folders_of_the_project_are_named_without_the_machine(
    project: Project, repo_root: Path
) -> None:
    data = repo_root / "output" / "data" / "toy"
    (command,) = project.words("train.sh", ROW, "--data", data, "--dry-run")
    assert command[1] == "output/data/toy/bin"


def test_a_link_is_named_and_not_what_it_leads_to(project: Project) -> None:
    (project.folder / "corpus").symlink_to(project.folder / "elsewhere")
    (command,) = project.words("train.sh", ROW, "--data", "corpus", "--dry-run")
    assert command[1] == f"{project.folder}/corpus/bin"


def test_gpu_is_used_where_there_is_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("venv/nvidia-smi", "#!/bin/sh\n").chmod(0o755)
    with_gpu = project.environment() | {
        "PATH": f"{project.folder}/venv:/usr/bin:/bin",
        "CUDA_VISIBLE_DEVICES": "0",
    }
    monkeypatch.setattr(project, "environment", lambda: with_gpu)
    (command,) = project.words("train.sh", ROW, "--dry-run")
    assert "--cpu" not in command
    with_gpu["CUDA_VISIBLE_DEVICES"] = "-1"
    (command,) = project.words("train.sh", ROW, "--dry-run")
    assert "--cpu" in command


def test_data_stands_for_the_folder_of_the_corpus(project: Project) -> None:
    project.write("configs/exp/row.flags", "--alone-init DATA/a.pt\n--x myDATA/b\n")
    words = project.words("train.sh", "configs/exp/row.flags", "--dry-run")[0]
    assert words[words.index("--alone-init") + 1] == str(
        project.folder / "output/data/exp/a.pt"
    )
    assert words[words.index("--x") + 1] == "myDATA/b"


@pytest.mark.parametrize("gpus", ["", "0"])
def test_freed_memory_is_kept_on_a_cpu_only(
    project: Project, monkeypatch: pytest.MonkeyPatch, gpus: str
) -> None:
    project.add_train('env >"$folder/environment"')
    project.write("venv/bin/nvidia-smi", "#!/bin/sh\n").chmod(0o755)
    environment = project.environment() | {
        "PATH": f"{project.folder}/venv/bin:/usr/bin:/bin",
        "CUDA_VISIBLE_DEVICES": gpus,
    }
    monkeypatch.setattr(project, "environment", lambda: environment)
    project.run("train.sh", ROW)
    seen = (project.run_folder / "environment").read_text(encoding="utf-8")
    assert ("MALLOC_TRIM_THRESHOLD_=" in seen) == (gpus == "")
    assert ("MALLOC_MMAP_THRESHOLD_=" in seen) == (gpus == "")


names = st.from_regex(r"--[a-z]+(-[a-z]+)*", fullmatch=True)
values = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"])).map(
    lambda text: text.replace("#", "")
)
spaced = st.lists(values.filter(bool), max_size=3).map(" ".join)
blanks = st.sampled_from([" ", "\t", "   "])


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(names, spaced, blanks), max_size=5), st.booleans())
def test_every_line_is_one_flag_with_its_value_as_it_stands(
    project: Project, lines: list[tuple[str, str, str]], windows: bool
) -> None:
    end = "\r\n" if windows else "\n"
    texts = [f"{blank}{name}{blank}{value}" for name, value, blank in lines]
    project.configs.joinpath("row.flags").write_bytes(
        end.join(["# comment", "", *texts]).encode()
    )
    (command,) = project.words("train.sh", ROW, "--dry-run")
    expected = [word for name, value, _ in lines for word in (name, value) if word]
    start = command.index("10") + 1
    assert command[start : command.index("--seed", start)] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "arguments are required: CONFIG"),
        ([ROW, "--seed"], "argument --seed: expected one argument"),
        ([ROW, "--seed", "--dry-run"], "--seed: expected one argument"),
        ([ROW, "--seed", "one"], "--seed: must be a whole number from 0, not one"),
        (
            [ROW, "--sed", "1"],
            "unrecognized arguments: --sed 1; flags of fairseq-train go after --",
        ),
        ([ROW, ROW], "unrecognized arguments: configs/exp/row.flags"),
        (["configs/exp/rwo.flags"], "configs/exp/rwo.flags is no row"),
        (["configs/exp/recipe.flags"], "recipe.flags is no row"),
        (["nowhere/row.flags"], "nowhere/row.flags is no row of an experiment; name"),
        ([ROW, "--data", "nodata"], "no prepared corpus in .*nodata; run: bash data-p"),
    ],
)
def test_bad_arguments(project: Project, arguments: list[str], message: str) -> None:
    assert re.search(message, project.error("train.sh", *arguments))
    assert not project.run_folder.exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("arch x", "row.flags line 2 is no flag: arch x"),
        ("--lr 0.1 # high", "row.flags line 2: give the comment a line of its own"),
        ("-lr 0.1", "line 2 is no flag"),
    ],
)
def test_bad_line_of_a_config(project: Project, line: str, message: str) -> None:
    project.write(ROW, f"# comment\n{line}\n")
    assert message in project.error("train.sh", ROW, "--dry-run")


def test_without_set_up(project: Project) -> None:
    (project.folder / "venv" / "bin" / "fairseq-train").unlink()
    message = project.error("train.sh", ROW)
    assert "fairseq is not installed; run: bash scripts/setup.sh" in message


def test_finished_run_is_left_alone(project: Project) -> None:
    assert project.run("train.sh", ROW).returncode == 0
    again = project.run("train.sh", ROW)
    assert again.returncode == 0
    assert "is complete (10 updates)" in again.stderr
    assert project.starts() == 1
    log = (project.run_folder / "train.log").read_text()
    assert log.count("Saved checkpoint") == 1


def test_longer_run_carries_on_and_a_shorter_one_is_refused(project: Project) -> None:
    project.run("train.sh", ROW)
    longer = project.run("train.sh", ROW, "--", "--max-update", "20")
    assert longer.returncode == 0, longer.stderr
    assert project.starts() == 2
    assert "has 20 updates already, more than 10" in project.error("train.sh", ROW)


def test_a_run_of_other_data_is_neither_complete_nor_carried_on(
    project: Project,
) -> None:
    """Corpora that are prepared in one folder, one after the other."""
    dictionary = "output/data/exp/bin/dict.de.txt"
    project.write(dictionary, "das 9\n")
    project.run("train.sh", ROW)
    project.write(dictionary, "das 8\n")
    for longer in ([], ["--", "--max-update", "20"]):
        message = project.error("train.sh", ROW, *longer)
        assert "holds a run of other data than" in message
    assert "holds a run of other data than" in project.error("evaluate.sh", ROW)
    project.write(dictionary, "das 9\n")
    assert "is complete" in project.run("train.sh", ROW).stderr


def test_a_run_of_one_gpu_is_the_same_on_a_cpu() -> None:
    words = [["x", *group] for group in (["--distributed-world-size", "1"], ["--cpu"])]
    assert [*map(run_state.identity, words)] == [["x"], ["x"]]
    several = ["x", "--distributed-world-size", "16"]
    assert run_state.identity(several) == several


def test_a_flag_with_its_value_in_one_word() -> None:
    commands = [["x", *flags] for flags in (["--max-update=3"], ["--max-update", "4"])]
    assert [*map(run_state.identity, commands)] == [["x"], ["x"]]
    assert [*map(train.max_update, commands)] == [3, 4]
    with pytest.raises(Mistake, match="--max-update must be a whole number, not abc"):
        train.max_update(["x", "--max-update", "abc"])


def test_run_with_other_flags_is_not_carried_on(project: Project) -> None:
    project.run("train.sh", ROW)
    project.write(ROW, "--arch transformer_alone_toy\n")
    message = project.error("train.sh", ROW, "--", "--max-update", "20")
    assert "holds a run with other flags" in message
    assert "transformer_alone_toy" in message
    assert project.starts() == 1


def test_failed_training_is_told_in_one_line(project: Project) -> None:
    project.add_train("echo Traceback >&2; echo 'ValueError: bad' >&2; exit 3")
    message = project.error("train.sh", ROW)
    assert "fairseq-train ended with status 3: ValueError: bad" in message
    assert not (project.run_folder / "finished").exists()


def test_killed_training_starts_again_with_the_same_command(project: Project) -> None:
    project.add_train('[[ $(wc -l <"$folder/starts") -gt 1 ]] || sleep 60')
    process = project.start("train.sh", ROW)
    wait_for_line(project.run_folder / "starts")
    kill_all(process)
    again = project.run("train.sh", ROW)
    assert again.returncode == 0, again.stderr
    assert project.starts() == 2


@pytest.mark.slow
def test_second_training_of_the_same_run_is_refused(project: Project) -> None:
    project.add_train("sleep 60")
    process = project.start("train.sh", ROW)
    wait_for_line(project.run_folder / "starts")
    assert "another run is working in" in project.error("train.sh", ROW)
    kill_all(process)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signal_ends_the_training_too(project: Project, name: str) -> None:
    project.add_train('echo $$ >"$folder/pid"; exec sleep 60')
    process = project.start("train.sh", ROW)
    wait_for_line(project.run_folder / "pid")
    os.kill(process.pid, getattr(signal, name))
    assert process.wait(timeout=10) == 143
    process.communicate()
    training = Path("/proc", (project.run_folder / "pid").read_text().strip())
    assert not training.exists() or "\nState:\tZ" in (training / "status").read_text()
