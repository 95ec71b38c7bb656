"""The table of classifiers of reviews, and the tests behind it."""

import json
from pathlib import Path
from typing import Any

import pytest

from alone_experiments import cli
from alone_experiments.results.result_files import write_translations
from alone_experiments.results.table import make_table, make_table_of


def record(row: str, seed: int, right: list[int], folder: Path, **changes: Any) -> Any:
    file = folder / f"{row}--seed{seed}.json"
    answers = write_translations([*map(str, right)], file.with_suffix(".right.gz"))
    accuracy = 100 * sum(right) / len(right)
    made = {
        "experiment": "sentiment",
        "row": row,
        "seed": seed,
        "compared_with": ["codes_16x32 (codes of its size)"] if "low" in row else [],
        "method": row.partition("_")[0],
        "footprint": {"trained_values": 10, "stored_bytes": 40},
        "lookup_values": 100,
        "test": {"accuracy": accuracy, "reviews": len(right), "right": answers},
        "best_epoch": 3,
        "valid": {"reviews": 5},
        "updates": 70,
        "settings": {
            **{
                "epochs": 15,
                "batch_size": 32,
                "lr": 1e-4,
                "longest": 400,
                "train_reviews": None,
            },
            **{"seed": seed, "words_sha256": row, "vectors_sha256": row, "data": {}},
        },
        "data": {"train.tsv": "a", "test.tsv": "b"},
        "commit": "c" * 40,
        "dirty": False,
        "hardware": {"cpu": "Abacus", "cores": 2, "gpu": None},
        **changes,
    }
    file.write_text(json.dumps(made))
    return made


def rows(text: str) -> dict[str, dict[str, str]]:
    lines = text.split("\n\n")[0].splitlines()
    head, _, *body = [[cell.strip() for cell in x[1:-1].split("|")] for x in lines]
    return {cells[0]: dict(zip(head, cells, strict=True)) for cells in body}


GOOD, BAD = [1] * 90 + [0] * 10, [0] * 60 + [1] * 40


def test_accuracies_differences_and_the_papers_numbers(tmp_path: Path) -> None:
    for seed in (1, 2):
        record("lookup", seed, GOOD, tmp_path)
        record("codes_16x32", seed, GOOD, tmp_path)
        record("low_rank_16x32", seed, BAD, tmp_path)
    cli.main(["compare", str(tmp_path)])
    text = make_table_of(tmp_path)
    found = rows(text)
    assert found["lookup"]["accuracy"] == "90.00 ± 0.00 (2 seeds)"
    assert found["lookup"]["accuracy in the paper"] == "87.18"
    assert found["codes_16x32"]["against lookup"] == "+0.00 (p = 1.000)"
    assert found["low_rank_16x32"]["against lookup"].startswith("-50.00 (p < 0.001")
    assert "| codes of its size | -50.00 (p < 0.001) |" in text
    assert "Rows differ" not in text
    assert "5 of all training reviews kept back, 100 test reviews" in text


def test_a_run_made_again_is_not_compared_by_its_old_answers(tmp_path: Path) -> None:
    record("lookup", 1, GOOD, tmp_path)
    record("low_rank_16x32", 1, BAD, tmp_path)
    cli.main(["compare", str(tmp_path)])
    record("low_rank_16x32", 1, GOOD, tmp_path)
    assert "against lookup" not in make_table_of(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dirty": True}, "not for publication"),
        ({"data": {"train.tsv": "x"}}, "Rows differ in their data"),
        ({"updates": 7}, "Rows differ in their number of updates"),
    ],
)
def test_what_must_not_be_compared_is_told(
    changes: Any, message: str, tmp_path: Path
) -> None:
    one = record("lookup", 1, GOOD, tmp_path)
    other = record("codes_16x32", 1, GOOD, tmp_path, **changes)
    assert message in make_table([one, other])
