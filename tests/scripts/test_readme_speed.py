"""The speeds and sizes in the README are those of the committed records."""

import json
from pathlib import Path
from typing import Any

import pytest

PUBLISHED_SHAPE = 32768
LARGEST = 4194304
ALONE = ("alone real", "alone binary")


@pytest.fixture(scope="module")
def rows(repo_root: Path) -> list[list[str]]:
    """The cells of the table of the README's section on speed."""
    text = (repo_root / "README.md").read_text()
    section = text.split("## Speed and memory")[1].split("![")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.fixture(scope="module")
def records(repo_root: Path) -> dict[str, Any]:
    return {
        part: json.loads(
            (repo_root / f"results/benchmarks/{part}/benchmark.json").read_text()
        )
        for part in ("train", "table", "growth")
    }


def figure(record: Any, quantity: str, variant: str) -> Any:
    found = [
        each
        for each in record["figures"]
        if (each["quantity"], each["variant"]) == (quantity, variant)
    ]
    assert len(found) == 1
    return found[0]


def ratio(found: Any, of: str) -> str:
    return f"{found['ratios'][of]['median']:.2f}" if of in found["ratios"] else ""


def test_training(rows: list[list[str]], records: dict[str, Any]) -> None:
    variants = ["lookup", *(f"{name} H=4096" for name in ("published", *ALONE))]
    for row, variant in zip(rows[:4], variants, strict=True):
        found = figure(records["train"], "fairseq-train, speed", variant)
        assert row[2] == f"{found['value']['median']:.0f} tokens/s"
        assert row[3:] == [ratio(found, "lookup"), ratio(found, "published")]


def test_table(rows: list[list[str]], records: dict[str, Any]) -> None:
    kinds = [("time", 1.0, ".1f", "s"), ("peak memory", 2.0**20, ".0f", "MiB")]
    for first, (kind, unit, form, name) in zip((4, 6), kinds, strict=True):
        quantity = f"table, forward and backward, {kind}"
        for row, variant in zip(rows[first : first + 2], ALONE, strict=True):
            found = [
                figure(records["table"], quantity, f"{variant} H={size}")
                for size in (4096, 8192)
            ]
            values = [f"{each['value']['median'] / unit:{form}}" for each in found]
            assert row[2] == f"{' / '.join(values)} {name}"
            assert row[4] == " / ".join(ratio(each, "published") for each in found)
            if kind == "peak memory":
                of_lookup = (each["ratios"]["lookup"]["median"] for each in found)
                assert row[3] == " / ".join(f"{value:.1f}" for value in of_lookup)


def test_growth(
    rows: list[list[str]], records: dict[str, Any], repo_root: Path
) -> None:
    growth = {
        (row["vocabulary"], row["variant"]): row for row in records["growth"]["growth"]
    }
    real = growth[LARGEST, "alone real H=4096"]["input_step_peak"]
    published = growth[LARGEST, "published H=4096"]["input_step_peak"]
    assert rows[8][2] == f"{real / 2**20:.0f} MiB"
    assert rows[8][4] == f"{real / published:.2f}"
    text = " ".join((repo_root / "README.md").read_text().split())
    steps = {
        name: growth[PUBLISHED_SHAPE, variant]["training_step"]
        for name, variant in (
            ("real", "alone real H=4096"),
            ("binary", "alone binary H=4096"),
            ("published", "published H=4096"),
            ("lookup", "lookup"),
        )
    }
    assert (
        f"{steps['real']:.1f} s real, {steps['binary']:.1f} s binary,"
        f" published {steps['published']:.1f} s, look-up {steps['lookup']:.1f} s"
    ) in text
