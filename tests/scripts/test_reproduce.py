"""scripts/reproduce.sh and scripts/quickstart.sh: the steps, and what is refused."""

import subprocess
from pathlib import Path

import pytest

from alone_experiments import cli
from alone_experiments.repository import CONFIGS
from alone_experiments.reproduce import OTHERS
from alone_experiments.training import remove_run
from tests.scripts.stand_in_fairseq import Project

TOY_ROWS = sorted(
    {file.stem for file in (CONFIGS / "toy").glob("*.flags")}
    - {"recipe", "average", "generate"},
    key=lambda name: (name != "lookup", name),
)


def test_experiments_that_are_commands_of_their_own_are_all_named() -> None:
    named = {f"reproduce-{name}" for name in OTHERS}
    assert named == {name for name in cli.TOOLS if name.startswith("reproduce-")}


def test_all_rows_look_up_first(project: Project) -> None:
    steps = project.words("reproduce.sh", "toy", "--dry-run")
    results = f"{project.folder}/output/results/toy"
    assert steps[0] == ["bash", "data-prep/toy.sh"]
    expected = []
    for row in TOY_ROWS:
        config = [f"configs/toy/{row}.flags", "--seed", "1"]
        expected.append(["bash", "scripts/train.sh", *config])
        expected.append(["bash", "scripts/evaluate.sh", *config, "--results", results])
    assert steps[1:] == expected
    assert steps[1][2] == "configs/toy/lookup.flags"


def test_choice_of_rows_seeds_updates_and_files(project: Project) -> None:
    steps = project.words(
        *("reproduce.sh", "multi30k", "--rows", "random,lookup", "--seed", "1,2"),
        *("--max-update", "50", "--from", "given", "--results", "r", "--dry-run"),
        *("--notes", "two words"),
    )
    assert steps[0][2:] == ["--from", f"{project.folder}/given"]
    trainings = [step for step in steps if step[1] == "scripts/train.sh"]
    assert [(step[2][17:-6], step[4]) for step in trainings] == [
        ("random", "1"),
        ("lookup", "1"),
        ("random", "2"),
        ("lookup", "2"),
    ]
    assert all(step[-3:] == ["--", "--max-update", "50"] for step in trainings)
    evaluation = ["--results", f"{project.folder}/r", "--notes", "two words"]
    assert steps[2][-4:] == evaluation


def test_gigaword_prepares_its_test_set_too(project: Project) -> None:
    options = ["--from", "agiga", "--duc", "/nist", "--rows", "lookup", "--dry-run"]
    steps = project.words("reproduce.sh", "gigaword", *options)
    training = f"{project.folder}/output/data/gigaword"
    assert steps[:2] == [
        ["bash", "data-prep/gigaword.sh", "--from", f"{project.folder}/agiga"],
        ["bash", "data-prep/duc2004.sh", "--from", "/nist", "--training", training],
    ]
    assert [step[1] for step in steps[2:]] == [
        "scripts/train.sh",
        "scripts/evaluate.sh",
    ]


def test_word_vectors_are_handed_to_the_preparation(project: Project) -> None:
    options = ["--vectors", "v.gz", "--rows", "lookup_from_vectors", "--dry-run"]
    steps = project.words("reproduce.sh", "multi30k_vectors", *options)
    vectors = ["--vectors", f"{project.folder}/v.gz"]
    assert steps[0] == ["bash", "data-prep/multi30k_vectors.sh", *vectors]


def test_small_headline_corpora_are_one_step(project: Project) -> None:
    options = ["--from", "/given", "--rows", "lookup", "--dry-run"]
    steps = project.words("reproduce.sh", "acl_titles", *options)
    assert steps[0] == ["bash", "data-prep/acl_titles.sh", "--from", "/given"]
    assert steps[1][:2] == ["bash", "scripts/train.sh"]


def test_hardware_is_handed_to_the_training(project: Project) -> None:
    hardware = ["--processes", "2", "--max-tokens", "256", "--precision", "amp"]
    options = ["--rows", "lookup", *hardware, "--max-update", "9", "--dry-run"]
    steps = project.words("reproduce.sh", "toy", *options)
    updates = ["--max-update", "9", "--total-num-update", "9"]
    assert steps[1][5:] == [*hardware, "--", *updates]
    assert "--processes" not in steps[2]


def test_a_relative_output_folder_is_the_callers(
    project: Project, tmp_path: Path, repo_root: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "json.py").write_text("raise SystemExit('a file of the caller')")
    words = [str(repo_root / "scripts/reproduce.sh"), "toy", "--rows", "lookup"]
    done = subprocess.run(
        ["bash", *words, "--dry-run"], cwd=elsewhere, capture_output=True, text=True,
        env={**project.environment(), "ALONE_OUTPUT": "mine"}, check=True,
    )  # fmt: skip
    assert f"--results {elsewhere}/mine/results/toy" in done.stdout


def test_force_removes_only_the_chosen_rows(project: Project) -> None:
    options = ["--rows", "low_rank", "--force", "--dry-run"]
    steps = project.words("reproduce.sh", "toy", *options)
    output = f"{project.folder}/output"
    assert steps[1:3] == [
        [
            *("python", "-m", "alone_experiments.training.remove_run"),
            f"{output}/runs/toy/low_rank--seed1",
        ],
        ["rm", "-f", f"{output}/results/toy/low_rank--seed1.json"],
    ]


def test_force_keeps_a_row_that_others_start_from(project: Project) -> None:
    options = ["--force", "--dry-run"]
    for rows, removed in (("codes_32x16", 1), ("lookup,codes_32x16", 2)):
        steps = project.words(
            "reproduce.sh", "multi30k_codes", "--rows", rows, *options
        )
        found = [step for step in steps if step[2:3] == [remove_run.MODULE]]
        assert len(found) == removed
        assert found[-1][3].endswith("codes_32x16--seed1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "arguments are required: EXPERIMENT"),
        (["wmt"], "no experiment wmt; there are: "),
        (["zipf"], "zipf has a command of its own: alone-fairseq reproduce-zipf"),
        (["wmt"], " wmt16_en_de reconstruction"),
        (
            ["toy", "--rows", "lookup,alone"],
            "alone.flags is no row; the rows of toy: l",
        ),
        (["toy", "--rows"], "--rows: expected one argument"),
        (["toy", "--seed", "1,x"], "--seed: must be a whole number from 0, not x"),
        (
            ["toy", "--max-update", "many"],
            "--max-update: must be a whole number from 1, n",
        ),
        (["toy", "--seed", ","], "--seed: must be a whole number from 0, not none"),
        (["toy", "--jobs", "0"], "--jobs: must be a whole number from 1, not 0"),
        (["toy", "--duc", "nist"], "--duc is for gigaword, not toy"),
        (["toy", "--vectors", "v"], "--vectors is for multi30k_vectors, not toy"),
        (
            ["gigaword", "--from", "a"],
            "gigaword is tested on duc2004: name the folder of its files",
        ),
        (["toy", "multi30k"], "unrecognized arguments: multi30k"),
        (["toy", "--fast"], "unrecognized arguments: --fast"),
    ],
)
def test_bad_arguments(project: Project, arguments: list[str], message: str) -> None:
    assert message in project.error("reproduce.sh", *arguments)


def test_quickstart_refuses_what_it_does_not_know(project: Project) -> None:
    assert "unrecognized arguments: --rows lookup" in project.error(
        "quickstart.sh", "--rows", "lookup"
    )
