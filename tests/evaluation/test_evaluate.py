"""scripts/evaluate.sh: the commands it runs, and what it refuses."""

from pathlib import Path

import pytest

from tests.scripts.stand_in_fairseq import Project

ROW = "configs/exp/row.flags"


@pytest.fixture
def project(tmp_path: Path, repo_root: Path) -> Project:
    project = Project(tmp_path, repo_root)
    project.write("configs/exp/recipe.flags", "--source-lang en\n--target-lang de\n")
    return project


def add_checkpoints(project: Project, *names: str) -> None:
    for name in names:
        project.write(f"output/runs/exp/row--seed1/{name}.pt", "")


def test_dry_run_prints_the_four_commands(project: Project) -> None:
    average, generate, score, record = project.words("evaluate.sh", ROW, "--dry-run")
    run, data = str(project.run_folder), f"{project.folder}/output/data/exp"
    assert average == [
        *("alone-fairseq", "average", "--inputs", run),
        *("--num-epoch-checkpoints", "3", "--output", f"{run}/averaged.pt"),
    ]
    assert generate == [
        *("fairseq-generate", f"{data}/bin", "--user-dir", "alone_fairseq"),
        *("--source-lang", "en", "--target-lang", "de", "--gen-subset", "test"),
        *("--path", f"{run}/averaged.pt", "--beam", "4", "--no-progress-bar"),
        *("--results-path", f"{run}/test.partial"),
    ]
    assert score == [
        *("alone-fairseq", "bleu", "--generated", f"{run}/test/generate-test.txt"),
        *("--reference", f"{data}/raw/test.de", "--language", "de"),
        *("--output", f"{run}/test/hypotheses.de", "--json", f"{run}/test/bleu.json"),
        "--compound-split",
    ]
    result = f"{project.folder}/output/results/exp/row--seed1.json"
    assert record[:3] == ["python", "-m", "alone_experiments.results.record_result"]
    texts = f"{run}/test/hypotheses.de"
    assert record[record.index("--translations") + 1] == texts
    assert record[-4:] == ["--output", result, "--notes", ""]


@pytest.mark.parametrize(
    ("units", "expected"),
    [(b"#version: 0.2\na b\n", []), (b"\n\x0e\n\x05", ["sentencepiece"])],
)
def test_pieces_are_joined(project: Project, units: bytes, expected: list[str]) -> None:
    model = project.write("output/data/exp/bpe/codes", "")
    model.write_bytes(units)
    _, generate, *_ = project.words("evaluate.sh", ROW, "--dry-run")
    flags = (flag for flag in generate if flag == "--post-process")
    assert [generate[generate.index(flag) + 1] for flag in flags] == expected


@pytest.mark.parametrize(
    ("flags", "names", "expected"),
    [
        ("--num-epoch-checkpoints 3", ["checkpoint1", "checkpoint2"], 2),
        ("--num-epoch-checkpoints 3", [f"checkpoint{n}" for n in range(5)], 3),
        ("--num-update-checkpoints 3", ["checkpoint_1_5", "checkpoint9"], 1),
    ],
)
def test_short_run_averages_what_there_is(
    project: Project, flags: str, names: list[str], expected: int
) -> None:
    add_checkpoints(project, "checkpoint_last", "checkpoint_best", *names)
    project.write("configs/exp/average.flags", flags)
    average, *_ = project.words("evaluate.sh", ROW, "--dry-run")
    assert average[4:6] == [flags.split()[0], str(expected)]


STAND_IN = """\
#!/usr/bin/env bash
echo "$@" >>"$ALONE_OUTPUT/commands"
while (($#)); do
  case $1 in
    --output | --json) mkdir -p "$(dirname "$2")" && echo whole >"$2" ;;
    --results-path) echo whole >"$2/generate-test.txt" ;;
  esac
  shift
done
echo "BLEU = 5"
"""


def add_commands(project: Project) -> None:
    for name in ("alone-fairseq", "fairseq-generate", "python"):
        (project.folder / "venv/bin" / name).unlink(missing_ok=True)
        project.write(f"venv/bin/{name}", STAND_IN).chmod(0o755)


def commands(project: Project) -> list[str]:
    """What has been run since the last call: the first words."""
    file = project.folder / "output/commands"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return [line.split()[0] for line in lines]


def test_only_what_has_changed_is_done_again(project: Project) -> None:
    add_checkpoints(project, "checkpoint_last")
    add_commands(project)
    done = project.run("evaluate.sh", ROW)
    assert done.returncode == 0, done.stderr
    assert "==> BLEU = 5" in done.stderr
    assert "==> recorded " in done.stderr
    everything = ["average", f"{project.folder}/output/data/exp/bin", "bleu", "-m"]
    assert commands(project) == everything
    again = project.run("evaluate.sh", ROW, "--notes", "other")
    assert "row--seed1.json is up to date" in again.stderr
    assert commands(project) == []
    project.write("configs/exp/score.flags", "--test-set wmt14\n")
    project.run("evaluate.sh", ROW)
    assert commands(project) == ["bleu", "-m"]
    project.write("configs/exp/generate.flags", "--beam 1\n")
    project.run("evaluate.sh", ROW)
    assert commands(project) == everything[1:]
    add_checkpoints(project, "checkpoint1")
    project.run("evaluate.sh", ROW)
    assert commands(project) == everything


def test_scoring_is_told_the_test_set(project: Project) -> None:
    project.write("configs/exp/score.flags", "--test-set wmt14/full:en-de\n")
    add_checkpoints(project, "checkpoint_last")
    _, _, score, _ = project.words("evaluate.sh", ROW, "--dry-run")
    assert score[-2:] == ["--test-set", "wmt14/full:en-de"]
    assert "score.flags is no row" in project.error(
        "evaluate.sh", "configs/exp/score.flags"
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("", "must say --num-epoch-checkpoints N or"),
        ("--best", "must say --num-epoch-checkpoints N or"),
        ("--num-epoch-checkpoints", "--num-epoch-checkpoints needs a number"),
        ("--num-epoch-checkpoints 0", "--num-epoch-checkpoints needs a number"),
    ],
)
def test_bad_average_flags(project: Project, flags: str, message: str) -> None:
    project.write("configs/exp/average.flags", flags)
    assert message in project.error("evaluate.sh", ROW)


def test_untrained_row(project: Project) -> None:
    message = project.error("evaluate.sh", ROW, "--seed", "3")
    assert "no trained model in" in message
    assert "run: bash scripts/train.sh" in message
    assert message.endswith("--seed 3")


def test_missing_data(project: Project) -> None:
    add_checkpoints(project, "checkpoint_last")
    message = project.error("evaluate.sh", ROW, "--data", "nowhere")
    assert "nowhere; run: bash data-prep/exp.sh" in message


def test_failing_command_is_named_with_its_last_words(project: Project) -> None:
    add_checkpoints(project, "checkpoint_last")
    text = "#!/bin/sh\necho much; echo 'damaged file' >&2; exit 1\n"
    project.write("venv/bin/alone-fairseq", text).chmod(0o755)
    message = project.error("evaluate.sh", ROW)
    assert "error: alone-fairseq failed: damaged file; all it said:" in message
    assert not (project.folder / "output" / "results" / "exp").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "arguments are required: CONFIG"),
        ([ROW, "--results"], "--results: expected one argument"),
        ([ROW, "--beam", "5"], "unrecognized arguments: --beam 5"),
        (["configs/exp/average.flags"], "average.flags is no row"),
    ],
)
def test_bad_arguments(project: Project, arguments: list[str], message: str) -> None:
    assert message in project.error("evaluate.sh", *arguments)
