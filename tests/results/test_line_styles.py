"""How plots tell rows apart."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.results import line_styles
from alone_experiments.results.plot_loss import why_it_ends


def group(row: str, method: str = "alone", **more: Any) -> list[dict[str, Any]]:
    return [{"row": row, "method": method, **more}]


@given(st.lists(st.text("abc", min_size=1), unique=True, max_size=30))
def test_rows_of_a_method_share_its_hue_and_differ(rows: list[str]) -> None:
    found = line_styles.styles(dict.fromkeys(rows, "alone"))
    looks = {(each["color"], each["linestyle"]) for each in found.values()}
    assert len(looks) == len(rows)
    again = line_styles.styles(dict.fromkeys(reversed(rows), "alone"))
    assert again == found


def test_a_method_has_one_colour_in_every_plot() -> None:
    first = line_styles.styles({"lookup": "lookup", "x": "low_rank"})
    second = line_styles.styles({"a": "alone", "table": "lookup", "y": "low_rank"})
    assert first["x"]["color"] == second["y"]["color"]
    assert first["lookup"]["color"] == second["table"]["color"] == (0.0, 0.0, 0.0)
    assert line_styles.colour_of("a_new_one") == line_styles.colour_of("a_new_one")
    assert len({*line_styles.KNOWN.values()}) == len(line_styles.KNOWN)


@given(st.integers(0, 40), st.sets(st.sampled_from(line_styles.IN_EACH_PANEL)))
def test_no_panel_has_more_than_eight_lines(count: int, in_each: set[str]) -> None:
    rows = [group(f"row{number}") for number in range(count)]
    rows += [group(row, "lookup") for row in in_each]
    parts = line_styles.panels(rows)
    assert all(len(part) <= line_styles.MOST for part in parts)
    assert all(in_each <= {each[0]["row"] for each in part} for part in parts)
    shown = [each[0]["row"] for part in parts for each in part]
    assert {*shown} == {each[0]["row"] for each in rows}


@pytest.mark.parametrize(
    ("updates", "flags", "end", "expected"),
    [
        (500, ["--max-update", "1000"], 500, ": to 500, stopped before 1,000"),
        (500, ["--max-update", "500"], 500, ": to 500, trained for no more"),
        (500, [], 500, ": to 500, trained for no more"),
        (1000, ["--max-update", "1000"], 900, ": to 900, not validated later"),
        (1000, [], 1000, ""),
    ],
)
def test_a_curve_that_ends_early_says_why(
    updates: int, flags: list[str], end: int, expected: str
) -> None:
    runs = group("x", updates=updates, command=flags, valid={"loss": [[end, 3.0]]})
    assert why_it_ends(runs, end, 1000) == expected


def test_seeds_that_were_validated_at_other_updates() -> None:
    runs = [
        *group("x", updates=1000, valid={"loss": [[500, 3.0], [1000, 2.0]]}),
        *group("x", updates=1000, valid={"loss": [[500, 3.0]]}),
    ]
    assert (
        why_it_ends(runs, 500, 1000) == ": to 500, the seeds share no later validation"
    )
