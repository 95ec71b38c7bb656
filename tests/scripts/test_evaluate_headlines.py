"""scripts/evaluate.sh for headlines: one generation, choice and score a length."""

from pathlib import Path

import pytest

from tests.scripts.stand_in_fairseq import Project

ROW = "configs/exp/row.flags"
LANGUAGES = "--source-lang article\n--target-lang title\n"
CONTROL = "--task translation_with_length\n--length-lrpe\n"


@pytest.fixture
def project(tmp_path: Path, repo_root: Path) -> Project:
    project = Project(tmp_path, repo_root)
    project.write("configs/exp/recipe.flags", LANGUAGES)
    project.write(ROW, f"--arch a\n{CONTROL}")
    project.write(
        "configs/exp/headlines.flags",
        "# Which.\n--desired-lengths 30,75\n--preset gigaword\n--stem\n",
    )
    return project


def test_dry_run_prints_the_commands_of_every_length(project: Project) -> None:
    commands = project.words("evaluate.sh", ROW, "--dry-run")
    run, data = str(project.run_folder), f"{project.folder}/output/data/exp"
    assert [words[:2] for words in (commands[0], commands[-1])] == [
        ["alone-fairseq", "average"],
        ["python", "scripts/record_result.py"],
    ]
    assert len(commands) == 2 + 2 * 3
    for number, length in enumerate(("30", "75")):
        generate, rerank, score = commands[1 + 3 * number : 4 + 3 * number]
        folder = f"{run}/test/{length}"
        assert generate == [
            *("fairseq-generate", f"{data}/bin", "--user-dir", "alone_fairseq"),
            *("--task", "translation_with_length", "--source-lang", "article"),
            *("--target-lang", "title", "--gen-subset", "test"),
            *("--path", f"{run}/averaged.pt", "--desired-length", length),
            *("--beam", "4", "--no-progress-bar"),
            *("--results-path", f"{folder}.partial"),
        ]
        assert rerank == [
            *("alone-fairseq", "rerank"),
            *("--generated", f"{folder}/generate-test.txt"),
            *("--source", f"{data}/raw/test.article", "--stem"),
            *("--output", f"{folder}/headlines.txt"),
        ]
        assert score == [
            *("alone-fairseq", "rouge", "--system", f"{folder}/headlines.txt"),
            *("--references", f"{data}/raw/test.title", "--preset", "gigaword"),
            *("--desired-length", length, "--json", f"{folder}/rouge.json"),
        ]


def test_model_without_control_is_not_told_the_length(project: Project) -> None:
    project.write(ROW, "--arch a\n--task translation\n")
    commands = project.words("evaluate.sh", ROW, "--dry-run")
    generations = [words for words in commands if words[0] == "fairseq-generate"]
    assert len(generations) == 2
    for words in generations:
        assert words[words.index("--task") + 1] == "translation"
        assert "--desired-length" not in words


def test_another_test_set_with_several_references(project: Project) -> None:
    project.write(
        "configs/exp/headlines.flags",
        "--desired-lengths 75\n--preset duc2004\n--test-data duc2004\n",
    )
    for name in ("ref1", "ref0", "title", "article"):
        project.write(f"output/data/duc2004/raw/test.{name}", "")
    _, generate, rerank, score, _ = project.words("evaluate.sh", ROW, "--dry-run")
    raw = f"{project.folder}/output/data/duc2004/raw"
    assert generate[1] == f"{project.folder}/output/data/duc2004/bin"
    assert rerank[rerank.index("--source") + 1] == f"{raw}/test.article"
    assert "--stem" not in rerank
    first = score.index("--references") + 1
    assert score[first : first + 2] == [f"{raw}/test.ref0", f"{raw}/test.ref1"]
    assert score[first + 2] == "--preset"


@pytest.mark.parametrize(
    "lengths", ["", "--desired-lengths 0", "--desired-lengths 3,x"]
)
def test_bad_lengths_are_refused(project: Project, lengths: str) -> None:
    project.write("configs/exp/headlines.flags", f"{lengths}\n--preset gigaword\n")
    message = project.error("evaluate.sh", ROW, "--dry-run")
    assert "headlines.flags must say --desired-lengths N" in message


def test_headlines_flags_are_no_row(project: Project) -> None:
    message = project.error("evaluate.sh", "configs/exp/headlines.flags", "--dry-run")
    assert "headlines.flags is no row" in message
