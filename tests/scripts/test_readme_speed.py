"""The speeds and sizes in the README are those of the committed records."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from benchmarks.table import make_markdown

PUBLISHED_SHAPE = 32768
LARGEST = 4194304
NEWSTEST2014 = 3003
VARIANTS = {
    "look-up": "lookup",
    "published": "published",
    "real": "alone real",
    "binary": "alone binary",
    "look-up, chunked loss": "lookup chunked",
    "real, chunked loss": "alone real chunked",
    "binary, chunked loss": "alone binary chunked",
}
Cells = dict[tuple[str, str], list[str]]


@pytest.fixture(scope="module")
def cells(repo_root: Path) -> Cells:
    """The last three cells of each row of the table, by its first two."""
    text = (repo_root / "README.md").read_text()
    section = text.split("## Speed and memory")[1].split("![")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    found, what = {}, ""
    for line in lines[2:]:
        first, variant, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        what = first or what
        found[what, variant] = rest
    return found


@pytest.fixture(scope="module")
def record(repo_root: Path) -> Callable[[str], Any]:
    def read(part: str) -> Any:
        file = repo_root / "results/benchmarks" / part / "benchmark.json"
        return json.loads(file.read_text())

    return read


def figure(record: Any, quantity: str, variant: str) -> Any:
    found = [
        each
        for each in record["figures"]
        if (each["quantity"], each["variant"]) == (quantity, variant)
    ]
    assert len(found) == 1
    return found[0]


def sizes(records: list[Any], quantity: str, name: str, more: str = "") -> list[Any]:
    """The figures of a row of the README at H = 4096 and 8192, or of look-up."""
    variant, _, numbers = name.partition(", H = ")
    label = VARIANTS[variant]
    if not numbers:
        return [figure(each, quantity, label) for each in records]
    return [
        figure(each, quantity, f"{label} H={size}{more}")
        for each, size in zip(records, numbers.split(" / "), strict=True)
    ]


def ratios(found: list[Any], of: str, form: str) -> str:
    if any(of not in each["ratios"] for each in found):
        return ""
    return " / ".join(format(each["ratios"][of]["median"], form) for each in found)


def values(found: list[Any], form: str, unit: str, divisor: float = 1.0) -> str:
    written = (format(each["value"]["median"] / divisor, form) for each in found)
    return f"{' / '.join(written)} {unit}"


def rows_of(cells: Cells, what: str) -> dict[str, list[str]]:
    """The rows whose first cell begins like that."""
    found = {
        name: rest for (first, name), rest in cells.items() if first.startswith(what)
    }
    assert found
    return found


def test_tables_beside_the_records_are_made_from_them(repo_root: Path) -> None:
    records = list((repo_root / "results/benchmarks").glob("*/benchmark.json"))
    assert records
    for file in records:
        table = make_markdown(json.loads(file.read_text()))
        assert file.with_name("benchmark.md").read_text() == table


def test_training(cells: Cells, record: Callable[[str], Any]) -> None:
    rows = rows_of(cells, "`fairseq-train`")
    assert len(rows) == 4
    for name, row in rows.items():
        both = [record("train")] * (2 if "H" in name else 1)
        found = sizes(both, "fairseq-train, speed", name)
        of_lookup, of_published = (
            ratios(found, of, ".2f") for of in ("lookup", "published")
        )
        assert row == [values(found, ".0f", "tokens/s"), of_lookup, of_published]


def test_training_on_another_machine(
    record: Callable[[str], Any], repo_root: Path
) -> None:
    other, quantity = record("train_other_machine"), "fairseq-train, speed"
    names = [f"{kind}, H = 4096 / 8192" for kind in ("real", "binary")]
    of_published, of_lookup = (
        [ratios(sizes([other] * 2, quantity, name), of, ".2f") for name in names]
        for of in ("published", "lookup")
    )
    text = " ".join((repo_root / "README.md").read_text().split())
    speed = values(sizes([other], quantity, "look-up"), ".0f", "tokens/s")
    assert f"whose look-up trained {speed}, a single round gave" in text
    real, binary = of_published
    assert f"{real} of published with real filters and {binary} with" in text
    real, binary = of_lookup
    assert f"{real} and {binary} of look-up." in text


@pytest.mark.parametrize(
    ("what", "part", "more", "count"),
    [
        ("one batch of 3,584 tokens an update", "step", "", 7),
        ("the same with ReLU dropout", "step_dropout", " dropout 0.1", 4),
    ],
)
def test_step(
    cells: Cells,
    record: Callable[[str], Any],
    what: str,
    part: str,
    more: str,
    count: int,
) -> None:
    rows = rows_of(cells, what)
    assert len(rows) == count
    for name, row in rows.items():
        both = [record(part)] * (2 if "H" in name else 1)
        found = sizes(both, "training step, speed", name, more)
        of_lookup, of_published = (
            ratios(found, of, ".2f") for of in ("lookup", "published")
        )
        assert row == [values(found, ".0f", "tokens/s"), of_lookup, of_published]


def test_whole_translation(cells: Cells, record: Callable[[str], Any]) -> None:
    done = record("generate")
    sentences = done["settings"]["sentences"]
    rows = rows_of(cells, f"`fairseq-generate`, {sentences:,} sentences")
    assert len(rows) == 4
    for name, row in rows.items():
        both = [done] * (2 if "H" in name else 1)
        found = sizes(both, "fairseq-generate, batch 32, speed", name)
        assert row[0] == values(found, ".2f", "sentences/s")
        assert row[1] == ratios(found, "lookup", ".2f")
        assert row[2] == ratios(found, "published", ".0f")


@pytest.mark.parametrize(
    ("what", "batch"),
    [("beam search, one sentence at a time", 1), ("beam search, 32 at once", 32)],
)
def test_beam_search(
    cells: Cells, record: Callable[[str], Any], what: str, batch: int
) -> None:
    decoded = record("decode")
    quantity = f"decoding with the table built, batch {batch}, speed"
    rows = rows_of(cells, what)
    assert len(rows) == 3
    for name, row in rows.items():
        both = [decoded] * (2 if "H" in name else 1)
        found = sizes(both, quantity, name)
        assert row[0] == values(found, ".2f", "sentences/s")
        assert row[1] == ratios(found, "lookup", ".2f")
        assert row[2] == ratios(found, "published", ".0f")


def test_the_table_is_built_once_in_translation(
    record: Callable[[str], Any], repo_root: Path
) -> None:
    once: dict[str, list[float]] = {}
    batches: dict[str, list[float]] = {}
    for measurement in record("decode")["measurements"]:
        job, result = measurement["job"], measurement["result"]
        variant = job["variant"]
        if job["batch"] == 32 and variant["name"] != "published":
            name = f"{variant['name']} {variant['inter_dim']}"
            later, first = result["batch_seconds"], result["first_batch_seconds"]
            once.setdefault(name, []).append(first - later)
            batches.setdefault(name, []).append(later)
    built = [median(seconds) for name, seconds in once.items() if "alone" in name]
    text = " ".join((repo_root / "README.md").read_text().split())
    assert f"{min(built):.1f} to {max(built):.1f} s once" in text
    whole = median(batches["lookup 0"]) * NEWSTEST2014 / 32
    assert max(built) / whole < 0.01
    assert "under 1 % of the time that the 3,003 sentences" in text


@pytest.mark.parametrize(
    ("kind", "form", "unit", "divisor"),
    [("time", ".1f", "s", 1.0), ("peak memory", ".0f", "MiB", 2.0**20)],
)
def test_table(
    cells: Cells,
    record: Callable[[str], Any],
    kind: str,
    form: str,
    unit: str,
    divisor: float,
) -> None:
    rows = rows_of(cells, f"table, forward and backward, {kind}")
    assert len(rows) == 2
    for name, row in rows.items():
        quantity = f"table, forward and backward, {kind}"
        found = sizes([record("table")] * 2, quantity, name)
        assert row[0] == values(found, form, unit, divisor)
        assert row[1] == ratios(found, "lookup", ".1f")
        assert row[2] == ratios(found, "published", ".2f")


def test_compiled_tables(record: Callable[[str], Any], repo_root: Path) -> None:
    text = " ".join((repo_root / "README.md").read_text().split())
    for kind, said in (
        ("real", "{} to {} of the time with real"),
        ("binary", "{} to {} with"),
    ):
        quantity = "table, forward and backward, time"
        compiled = (
            figure(record("table"), quantity, f"alone {kind} compiled H={size}")
            for size in (4096, 8192)
        )
        shares = [each["ratios"]["plain"]["median"] for each in compiled]
        assert said.format(*(f"{share:.2f}" for share in sorted(shares))) in text


def test_what_no_embedding_can_reach(
    record: Callable[[str], Any], repo_root: Path
) -> None:
    step, table = record("step"), record("table")
    assert step["settings"]["threads"] == table["settings"]["threads"] == 2
    rate = table["matrix_rate"]["median"]

    def seconds(variant: str) -> float:
        speed = figure(step, "training step, speed", variant)["value"]["median"]
        return float(step["settings"]["tokens"] / speed)

    def best(products: int, size: int) -> float:
        least = products * 2 * PUBLISHED_SHAPE * 512 * size / rate
        return seconds(f"published H={size}") / (seconds("lookup") + least)

    text = " ".join((repo_root / "README.md").read_text().split())
    assert f"{rate / 1e9:.0f} GFLOP/s" in text
    assert f"{3 * 2 * PUBLISHED_SHAPE * 512 * 4096 / 1e12:.2f} TFLOP" in text
    said = f"{best(3, 4096):.2f} times at best (at H = 8192: {best(3, 8192):.2f})"
    assert said in text
    assert f"binary filters to {best(5, 4096):.2f} and {best(5, 8192):.2f}." in text
    assert best(3, 4096) < 1.5
    trained = figure(record("train"), "fairseq-train, speed", "published H=4096")
    share = 1 / trained["ratios"]["lookup"]["median"]
    assert f"look-up itself is {share:.2f} times as fast as published" in text
    decoded = figure(
        record("decode"),
        "decoding with the table built, batch 32, speed",
        "published H=4096",
    )
    assert 1 / decoded["ratios"]["lookup"]["median"] < 20
    assert "20 times as fast as published at H = 4096: look-up does not" in text


def test_the_memory_of_a_step(record: Callable[[str], Any], repo_root: Path) -> None:
    shares = [
        figure(record("step"), "training step, peak memory", f"alone {kind} H={size}")
        for kind in ("real", "binary")
        for size in (4096, 8192)
    ]
    found = [each["ratios"]["published"]["median"] for each in shares]
    text = " ".join((repo_root / "README.md").read_text().split())
    assert f"at {min(found):.2f} to {max(found):.2f} of the published memory" in text


def test_the_chunked_loss(record: Callable[[str], Any], repo_root: Path) -> None:
    shares: dict[str, list[float]] = {}
    for each in record("step")["figures"]:
        if "plain" in each["ratios"]:
            share = each["ratios"]["plain"]["median"]
            shares.setdefault(each["quantity"], []).append(share)
    memory = shares["training step, peak memory"]
    speed = shares["training step, speed"]
    assert len(memory) == len(speed) == 5
    text = " ".join((repo_root / "README.md").read_text().split())
    assert f"peak comes to {min(memory):.2f} to {max(memory):.2f} of what" in text
    assert f"at {min(speed):.2f} to {max(speed):.2f} of the speed" in text


def test_growth(cells: Cells, record: Callable[[str], Any], repo_root: Path) -> None:
    growth = {
        (row["vocabulary"], row["variant"]): row for row in record("growth")["growth"]
    }
    largest = growth[LARGEST, "alone real H=4096"]
    real = largest["input_step_peak"]
    share = largest["ratios"]["input_step_peak"]["published"]["median"]
    (row,) = (rest for (what, _), rest in cells.items() if what.startswith("input"))
    assert row == [f"{real / 2**20:.0f} MiB", "", f"{share:.2f}"]
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
