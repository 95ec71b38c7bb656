"""Figure 3 of the paper: its commands, its records, its table and its figure."""

import json
from pathlib import Path
from typing import Any

import pytest

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.results import reconstruction_table as table
from tests.scripts.stand_in_fairseq import Project


def fits(steps: list[list[str]]) -> list[list[str]]:
    return [step for step in steps if step[:2] == ["alone-fairseq", "reconstruct"]]


def option(step: list[str], name: str) -> str:
    return step[step.index(name) + 1]


def test_the_whole_of_figure_3(project: Project) -> None:
    steps = project.words("reproduce.sh", "reconstruction", "--dry-run")
    assert steps[:2] == [
        ["bash", "data-prep/wordsim.sh"],
        ["bash", "data-prep/glove.sh"],
    ]
    runs = fits(steps)
    assert len(runs) == 5 * (4 * 5 + 3)  # seeds, sizes and rows of each, held-out words
    vectors = f"{project.folder}/output/data/glove/glove.6B.300d.txt"
    assert all(step[2] == vectors for step in runs)
    alone = [step for step in runs if "alone" in step and "--hold-out" not in step]
    assert {
        (
            option(step, "--alone-filter"),
            option(step, "--alone-inter-dim"),
            "--alone-freeze-base" in step,
            option(step, "--seed"),
        )
        for step in alone
    } == {
        (kind, str(size), frozen, str(seed))
        for kind in ("real", "binary")
        for size in (600, 1200, 1800, 2400)
        for frozen in (False, True)
        for seed in range(1, 6)
    }


@pytest.mark.parametrize("size", [600, 1200, 1800, 2400])
def test_low_rank_has_the_size_of_alone(size: int, project: Project) -> None:
    rows = ("--rows", f"low_rank_h{size}", "--seed", 1)
    steps = project.words("reproduce.sh", "reconstruction", *rows, "--dry-run")
    rank = int(option(fits(steps)[0], "--low-rank-dim"))
    assert abs(rank * (5000 + 300) / (300 + size * 600) - 1) < 0.002


def test_the_part_for_a_cpu(project: Project) -> None:
    steps = project.words("reproduce.sh", "reconstruction", "--part", "--dry-run")
    names = [Path(option(step, "--output")).stem for step in fits(steps)]
    assert len(names) == len(set(names)) == 19
    assert {"alone_real_h600--seed2", "alone_binary_h2400_frozen--seed1"} <= set(names)


def test_given_vectors_are_named_without_their_folder(project: Project) -> None:
    vectors = project.folder / "some.vec.gz"
    vectors.touch()
    steps = project.words(
        *("reproduce.sh", "reconstruction", "--rows", "alone_real_h600_heldout"),
        *("--seed", 3, "--vectors", vectors, "--from", project.folder, "--dry-run"),
    )
    (run,) = fits(steps)
    assert run[2] == f"{project.folder}/output/data/reconstruction/some.vec.gz"
    assert option(run, "--hold-out") == "0.2"
    assert str(vectors) not in run
    assert steps[0] == ["bash", "data-prep/wordsim.sh", "--from", str(project.folder)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--rows", "alone_h600"],
            "no row alone_h600 in the reconstruction experiment; rows are as alone_r",
        ),
        (["--rows", "low_rank_h600_frozen"], "no row low_rank_h600_frozen"),
        (["--seed", "one"], "--seed: must be a whole number from 0, not one"),
        (["--jobs", "0"], "--jobs: must be a whole number from 1, not 0"),
        (["--part", "--seed", "1"], "--part stands for --rows and --seed"),
        (["--vectors", "none.vec"], "--vectors: no file none.vec"),
        (
            ["--device", "tpu"],
            "--device: invalid choice: 'tpu' (choose from 'cpu', 'cuda')",
        ),
        (["--max-update", "5"], "unrecognized arguments: --max-update"),
    ],
)
def test_bad_arguments(project: Project, arguments: list[str], message: str) -> None:
    assert message in project.error("reproduce.sh", "reconstruction", *arguments)


def record(row: str, seed: int, rho: float | None, **other: Any) -> dict[str, Any]:
    score = {"rho": rho, "covered": 421, "pairs": 999, "source_rho": 0.369}
    return {
        "experiment": "reconstruction",
        "row": row,
        "seed": seed,
        "source": "some.vec.gz",
        "loss": seed / 10,
        "cosine": 0.9,
        "similarity": {"simlex-999.txt": score},
        "footprint": {"trained_values": 360_300},
        "settings": {
            "words": 5000,
            "epochs": 1000,
            "batch_size": 256,
            "lr": 0.001,
            "distance": "squared",
            "vectors_sha256": "abc",
            "embedding_dim": 300,
        },
        "seconds": 100.0 * seed,
        "threads": 1,
        "commit": "0123456789abcdef",
        "dirty": False,
        "hardware": {"cpu": "Abacus", "cores": 2, "gpu": None},
        **other,
    }


HELD_OUT = {
    "words": 1000,
    "loss": 3.0,
    "cosine": 0.2,
    "of_the_mean": {"loss": 2.5, "cosine": 0.25},
    "similarity": record("", 1, 0.01)["similarity"],
}
RECORDS = [
    record("alone_real_h600", 1, 0.30),
    record("alone_real_h600", 2, 0.32),
    record("alone_real_h2400", 1, 0.36),
    record("low_rank_h600", 1, None),
    record("alone_real_h2400_heldout", 1, 0.35, held_out=HELD_OUT),
]


def cells(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_table_and_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, entry in enumerate(RECORDS):
        (tmp_path / f"{number}.json").write_text(json.dumps(entry))
    cli.main(["table", str(tmp_path)])
    printed = capsys.readouterr().out
    rows = cells(printed)
    real = ["ALONE, real", "600", "360,300", "2", "0.1500 ± 0.0707", "0.9000 ± 0.0000"]
    assert rows[2] == [*real, "0.310 ± 0.014"]
    assert rows[3][-1] == "-"  # no correlation, no mean
    assert rows[4][:2] == ["ALONE, real", "2,400"]
    assert rows[5] == ["source vectors", "", "1,500,000", "", "0", "1", "0.369"]
    kept_back = ["2,400", "1", "1,000", "0.1000", "3.0000", "0.2000", "0.010"]
    assert rows[8] == ["ALONE, real", *kept_back]
    assert rows[9][-3:] == ["2.5000", "0.2500", "-"]
    assert "SimLex-999 421 of 999" in printed
    assert "Seconds a run: 100 to 200 with 1 thread(s) each." in printed
    assert "do not compare" not in printed
    cli.main(["plot", str(tmp_path)])
    assert (tmp_path / "figure3.png").read_bytes().startswith(b"\x89PNG")


def test_what_differs_is_told() -> None:
    other = record("low_rank_h600", 1, 0.1)
    other["settings"] = {**other["settings"], "epochs": 3}
    said = table.remarks([*RECORDS, {**other, "dirty": True}])
    assert "Rows differ in 'epochs': do not compare them." in said
    assert "not for publication" in said[-1]


def test_a_record_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**RECORDS[0], "row": "lookup"}))
    with pytest.raises(Mistake, match="no row lookup in the reconstruction experiment"):
        cli.main(["table", str(tmp_path)])
