"""The tables of learned codes."""

from pathlib import Path
from typing import Any

import pytest

from alone_experiments.results.plot import draw
from alone_experiments.results.table import make_table


def record(codes: str, seed: int, loss: float, **changes: Any) -> dict[str, Any]:
    return {
        "experiment": "codes",
        "row": codes,
        "seed": seed,
        "source": "vectors.txt",
        "losses": {
            "half_sum_of_squares": {"kept_back": loss, "all_words": loss - 1},
            "mean_of_squares": {"kept_back": 2 * loss, "all_words": 2 * loss - 2},
        },
        "best_update": 5000,
        "balance": {"unused": 3, "entropy_bits": 2.5},
        "size": {"codeword_bytes": 2**20, "code_bytes": 2**19},
        "settings": {
            **{"codes": codes, "seed": seed, "words": 8000, "held_out": 400},
            **{"iterations": 10_000, "batch_size": 128, "lr": 1e-4},
        },
        "hardware": {"cpu": "a processor", "cores": 2, "gpu": None},
        "commit": "a" * 40,
        "dirty": False,
        **changes,
    }


def rows(text: str) -> dict[str, list[str]]:
    cells = [[x.strip() for x in line[1:-1].split("|")] for line in text.splitlines()]
    return {first: rest for first, *rest in cells}


def test_losses_stand_as_in_the_paper() -> None:
    runs = [record("8x16", 1, 3.0), record("16x8", 1, 2.0), record("16x8", 2, 4.0)]
    grid, detail, said = make_table(runs).split("\n\n")
    assert rows(grid)["loss"] == ["M = 8", "M = 16"]
    assert rows(grid)["K = 8"] == ["", "3.000 ± 1.414"]
    assert rows(grid)["K = 16"] == ["3.000", ""]
    assert rows(detail)["8x16"][1:5] == ["3.000", "2.000", "6.000", "4.000"]
    assert "1.50" in rows(detail)["8x16"]
    assert "8,000 words of vectors.txt, 400 of them kept back" in said
    assert "not for publication" not in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dirty": True}, "not for publication"),
        ({"settings": {**record("8x8", 1, 1.0)["settings"], "lr": 1}}, "Rows differ"),
    ],
)
def test_what_must_not_be_compared_is_told(changes: Any, words: str) -> None:
    assert words in make_table([record("8x16", 1, 3.0), record("8x8", 1, 2, **changes)])


def test_the_heat_maps_of_several_sizes_are_one_picture(tmp_path: Path) -> None:
    runs = [record("2x3", 1, 1.0), record("4x2", 1, 1.0), record("2x2", 1, 1.0)]
    assert draw(runs, tmp_path) == []  # older records have no counts
    for run in runs:
        books, values = map(int, run["row"].split("x"))
        run["balance"]["counts"] = [" ".join(["5"] * values)] * books
    [picture] = draw(runs, tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
