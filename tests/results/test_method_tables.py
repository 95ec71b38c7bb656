"""The table of all methods, and the picture of scores against bytes."""

from pathlib import Path
from typing import Any

import pytest

from alone_experiments.files import write_json
from alone_experiments.mistakes import Mistake
from alone_experiments.results import plot_sizes
from alone_experiments.results.method_tables import (
    all_methods,
    formula,
    products_of_a_word,
)
from alone_fairseq.embeddings import EMBEDDINGS


def test_every_method_has_a_row_with_its_costs_and_scores(tmp_path: Path) -> None:
    for each in RECORDS:
        name = f"{each['row']}--seed{each['seed']}.json"
        write_json(tmp_path / "scores" / name, each)
    figures = [
        {"quantity": "training step, speed", "variant": variant, "ratios": ratios}
        | {"value": {"median": median}}
        for variant, median, ratios in (
            ("lookup", 400.0, {}),
            ("deep hash half", 100.0, {"lookup": {"median": 0.25}}),
        )
    ]
    benchmark = {"settings": {"tokens": 200}, "figures": figures}
    write_json(tmp_path / "speed" / "benchmark.json", benchmark)
    cells = {
        line.split("`")[1]: [cell.strip() for cell in line.split("|")[3:-1]]
        for line in all_methods(tmp_path, "scores", "speed").splitlines()[2:]
    }
    assert set(cells) == set(EMBEDDINGS)
    table = 32768 * 512
    assert cells["lookup"][0] == f"{table:,}"
    assert cells["lookup"][2] == f"{4_000_000 * 512:,}"
    assert cells["lookup"][4:] == ["0", "0.0", "0.50", "", ""]
    # What does not depend on the vocabulary is the same at both sizes.
    assert cells["alone"][0] == cells["alone"][2]
    assert cells["deep_hash"][0] == cells["deep_hash"][2]
    products = 5 * 1024 * 512
    assert cells["deep_hash"][4:6] == [f"{products:,}", f"{32768 * products / 1e9:.1f}"]
    assert cells["deep_hash"][6] == "2.00, 4.00"
    # The best row of each share, by the mean of its seeds.
    assert cells["alone"][6:] == ["", "23.00 (`better`)", "15.00 (`small`)"]
    assert cells["hashed"][7:] == ["21.00 (`half`)", ""]


@pytest.mark.parametrize(
    ("name", "products"),
    [
        ("low_rank", 128 * 512),
        ("alone", 4096 * (512 + 512)),
        ("deep_hash", 2 * 1024**2 + 1024 * 512),
        # Four gates of two products, eight letters, two directions; then the sum.
        ("characters", 4 * 2 * 8 * 2 * 512**2 + 2 * 512**2),
        ("codes", 0),
    ],
)
def test_products_are_those_of_the_formulas(name: str, products: int) -> None:
    assert products_of_a_word(name) == products


class Product:
    """Vectors from two tables.

    Of ``D`` values each: ``e_w =
    A[w] B``, where ``B = C + D``.
    """


class Nameless:
    """It takes ``V x D`` values."""


def test_the_first_formula_of_a_docstring_is_a_methods() -> None:
    assert formula(Product) == "e_w = A[w] B"
    with pytest.raises(Mistake, match="docstring of Nameless has no formula in it"):
        formula(Nameless)


def record(row: str, method: str, share: float, bleu: float, **other: Any) -> Any:
    values = int(1000 * share)
    return {
        **{"experiment": "some", "row": row, "method": method, "seed": 1},
        "test": {"bleu": bleu},
        "footprint": {"trained_values": values, "stored_bytes": 4000 * values},
        "lookup_values": 1000,
        "command": ["fairseq-train", "--arch", f"transformer_{method}_toy"],
        **other,
    }


RECORDS = [
    record("plain", "alone", 0.5, 20.0),
    record("better", "alone", 0.49, 22.0),
    record("better", "alone", 0.49, 24.0, seed=2),
    record("small", "alone", 0.125, 15.0),
    record("all", "lookup", 1.0, 30.0),
    record("half", "hashed", 0.52, 21.0),
    record("none", "random", 0.0, 5.0),
    record(
        *("other", "fconv_x", 3.0, 40.0),
        command=["fairseq-train", "--arch", "fconv_x"],
    ),
]


def test_points_of_the_picture(tmp_path: Path) -> None:
    found = plot_sizes.points(RECORDS)
    assert list(found) == ["alone", "hashed", "lookup", "random"]
    mebibyte = 2**20
    assert found["alone"] == [
        (500_000 / mebibyte, 15.0),
        (1_960_000 / mebibyte, 23.0),
        (2_000_000 / mebibyte, 20.0),
    ]
    assert plot_sizes.best_by_size(found["alone"]) == found["alone"][:2]
    assert plot_sizes.plot(RECORDS, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert not plot_sizes.plot(RECORDS[:1], tmp_path / "b.png")
