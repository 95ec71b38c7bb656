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
    assert [words[:3] for words in (commands[0], commands[-1])] == [
        ["alone-fairseq", "average", "--inputs"],
        ["python", "-m", "alone_experiments.results.record_result"],
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
            *("--per-line", f"{folder}/lines.tsv"),
        ]


def test_record_has_every_length_of_every_test_set(project: Project) -> None:
    record = project.words("evaluate.sh", ROW, "--dry-run")[-1]
    names = record.index("--headlines") + 1
    assert record[names : names + 3] == ["30", "75", "--output"]
    project.write(
        "configs/exp/headlines_duc.flags",
        "--desired-lengths 75\n--preset duc2004\n--test-data duc2004\n",
    )
    *commands, record = project.words("evaluate.sh", ROW, "--dry-run")
    duc = f"{project.folder}/output/data/duc2004"
    kept = ["30", "75", "duc/75", "--test-data", duc, "--output"]
    assert record[names : names + len(kept)] == kept
    generate, rerank, score = commands[-3:]
    folder = f"{project.run_folder}/test/duc/75"
    assert generate[1] == f"{duc}/bin"
    assert generate[-1] == f"{folder}.partial"
    assert f"{duc}/raw/test.article" in rerank
    assert score[-1] == f"{folder}/lines.tsv"
    assert "headlines_duc.flags is no row" in project.error(
        "evaluate.sh", "configs/exp/headlines_duc.flags"
    )


@pytest.mark.parametrize("unmasked", ["costs # euros\n", "costs 5 euros\n"])
def test_numbers_come_back_where_sources_are_masked(
    project: Project, unmasked: str
) -> None:
    project.write("output/data/exp/raw/test.article", "costs # euros\n")
    source = project.write("output/data/exp/raw/test.unmasked", unmasked)
    steps = project.words("evaluate.sh", ROW, "--dry-run")[2:4]
    folder = f"{project.run_folder}/test/30"
    restore = [str(source), f"{folder}/chosen.txt", f"{folder}/headlines.txt"]
    assert (steps[1][-3:] == restore) == ("5" in unmasked)
    assert steps[0][1] == "rerank"


def test_test_set_of_another_dictionary_is_refused(project: Project) -> None:
    data = "output/data"
    project.write(
        "configs/exp/headlines_duc.flags",
        "--desired-lengths 75\n--preset duc2004\n--test-data duc\n",
    )
    for name in ("exp/raw/test.article", "exp/raw/test.title", "duc/raw/test.article"):
        project.write(f"{data}/{name}", "a\n")
    project.write(f"{data}/exp/bin/dict.title.txt", "a 1\n")
    project.write(f"{data}/duc/bin/dict.title.txt", "b 1\n")
    project.write(f"{project.run_folder}/checkpoint_last.pt", "")
    project.write("venv/bin/alone-fairseq", "#!/bin/sh\n").chmod(0o755)
    message = project.error("evaluate.sh", ROW)
    assert "output/data/duc has another dictionary than" in message
    assert "run: bash data-prep/duc.sh --from DIR --training" in message


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
