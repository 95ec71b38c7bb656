"""Ratios, their spread, and the figures made of measurements."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.figures import Figure, make_figures
from benchmarks.job import Model, Variant
from benchmarks.ratios import Spread, ratio, spread
from benchmarks.settings import Settings

Measured = Callable[..., dict[Any, dict[str, Any]]]
LOOKUP = Variant("lookup")
PUBLISHED = Variant("published", 20)
ALONE = Variant("alone_real", 20)
BASE = {"vocabulary": 32768, "model": Model()}


def by_variant(done: dict[Any, Any], **settings: Any) -> dict[str, Figure]:
    figures = make_figures(done, Settings(**settings))
    return {figure.variant: figure for figure in figures}


def test_spread_is_the_median_and_the_quartiles() -> None:
    assert spread([4.0, 1.0, 2.0, 3.0, 5.0]) == Spread(3.0, 2.0, 4.0, 5)
    assert spread([7.0]) == Spread(7.0, 7.0, 7.0, 1)


def test_ratio_is_taken_round_by_round() -> None:
    # A machine that becomes ten times slower changes no ratio.
    assert ratio({0: 2.0, 1: 20.0}, {0: 4.0, 1: 40.0}) == Spread(0.5, 0.5, 0.5, 2)
    assert ratio({0: 2.0, 2: 9.0}, {0: 4.0, 1: 8.0}) == Spread(0.5, 0.5, 0.5, 1)
    assert ratio({0: 2.0}, {1: 4.0}) is None
    assert ratio({0: 2.0}, {0: 0.0}) is None


def test_figures_of_a_training_step(measured: Measured) -> None:
    common = ("step", "training_step")
    done = {
        **measured(*common, LOOKUP, "tokens_per_second", [100, 200, 100]),
        **measured(*common, PUBLISHED, "tokens_per_second", [25, 40, 20]),
        **measured(*common, ALONE, "tokens_per_second", [50, 60, 50]),
        **measured(*common, ALONE, "peak_bytes", [300], "memory"),
        **measured(*common, LOOKUP, "peak_bytes", [200], "memory"),
    }
    figures = make_figures(done, Settings())
    assert len(figures) == 5
    alone = next(figure for figure in figures if figure.ratios.get("published"))
    assert alone.value == Spread(50, 50, 55, 3)
    assert alone.ratios["lookup"].median == 0.5
    assert alone.ratios["published"].median == 2.0
    assert alone.targets == []
    memory = figures[3]
    assert (memory.field, memory.ratios["lookup"].median) == ("peak_bytes", 1.5)
    lookup = by_variant(done)["lookup"]
    assert lookup.ratios == {}


@pytest.mark.parametrize("name", ["lookup", "alone_real"])
@pytest.mark.parametrize("ending", ["chunked", "compiled", "levers", "recipe"])
def test_variations_are_compared_with_the_plain_variant(
    name: str, ending: str, measured: Measured
) -> None:
    size = 0 if name == "lookup" else ALONE.inter_dim
    plain, other = Variant(name, size), Variant(f"{name}_{ending}", size)
    common = ("step", "training_step")
    done = {
        **measured(*common, plain, "tokens_per_second", [100, 200]),
        **measured(*common, other, "tokens_per_second", [120, 240]),
    }
    figures = by_variant(done)
    assert figures[other.label].ratios["plain"].median == 1.2
    assert "plain" not in figures[plain.label].ratios


def test_share_of_the_matrix_rate(measured: Measured) -> None:
    # 12 V D H = 240,000 operations in 0.5 s, of 1,000,000 a second in that round.
    done = {
        **measured("table", "matrix_rate", None, "flops_per_second", [1e6, 2e6]),
        **measured("table", "table_training", ALONE, "seconds", [0.5, 0.5]),
    }
    share = by_variant(done)["alone real H=20"].ratios["matrix_rate"]
    assert (share.low, share.high) == pytest.approx((0.30, 0.42))
    assert share.median == pytest.approx(0.36)


def test_generation_is_compared_by_speed_at_the_same_batch(measured: Measured) -> None:
    common = ("generate", "whole_generation")
    speed = "sentences_per_second"
    done = {
        **measured(*common, PUBLISHED, speed, [0.5], sentences=2, batch=2),
        **measured(*common, PUBLISHED, speed, [5.0], sentences=9, batch=9),
        **measured(*common, ALONE, speed, [10.0], sentences=80, batch=2),
    }
    alone = by_variant(done)["alone real H=20"]
    assert alone.ratios["published"].median == 20.0


def test_decoding_is_compared_with_one_batch_of_the_published(
    measured: Measured,
) -> None:
    common = ("decode", "decoding")
    speed = "sentences_per_second"
    done = {
        **measured(*common, LOOKUP, speed, [10.0, 8.0], sentences=6, batch=2),
        **measured(*common, PUBLISHED, speed, [0.5], sentences=0, batch=2),
        **measured(*common, PUBLISHED, speed, [0.2], sentences=0, batch=1),
        **measured(*common, ALONE, speed, [10.0, 8.0], sentences=6, batch=2),
    }
    alone = by_variant(done)["alone real H=20"]
    assert alone.ratios["published"].median == 20.0
    assert (alone.ratios["lookup"].median, alone.ratios["lookup"].count) == (1.0, 2)


def test_decoding_beside_lookup_is_compared_with_that(measured: Measured) -> None:
    common = ("decode", "decoding")
    speed = "sentences_per_second"
    sizes = {"sentences": 6, "batch": 2}
    mine = measured(*common, ALONE, speed, [10.0, 8.0], **sizes)
    for result, share in zip(mine.values(), (0.99, 1.01), strict=True):
        result["of_lookup"] = share
    done = {**measured(*common, LOOKUP, speed, [1.0, 1.0], **sizes), **mine}
    found = by_variant(done)["alone real H=20"].ratios["lookup"]
    assert (found.median, found.count) == (1.0, 2)


def test_dropouts_and_inner_sizes_are_compared_with_their_like(
    measured: Measured,
) -> None:
    common = ("step", "training_step")
    speed = "tokens_per_second"
    done: dict[Any, Any] = {}
    for number, inter_dim in enumerate((20, 40)):
        for dropout in (0.0, 0.1):
            base = 10.0 * (number + 1) + 100 * dropout
            for name, factor in (("published", 1), ("alone_real", 3)):
                variant = Variant(name, inter_dim, dropout)
                done |= measured(*common, variant, speed, [factor * base])
    for figure in make_figures(done, Settings()):
        if figure.variant.startswith("alone"):
            assert figure.ratios["published"].median == pytest.approx(3.0)


def test_targets_hold_at_the_published_shapes_only(measured: Measured) -> None:
    common = ("step", "training_step")
    speed = "tokens_per_second"

    def targets(inter_dim: int, device: str, **job: Any) -> list[tuple[str, Any]]:
        mine, theirs = Variant("alone_real", inter_dim), Variant("published", inter_dim)
        done = {
            **measured(*common, LOOKUP, speed, [100], **job),
            **measured(*common, theirs, speed, [50], **job),
            **measured(*common, mine, speed, [92], **job),
        }
        found = by_variant(done, device=device)[mine.label].targets
        return [(str(target), reached) for target, reached in found]

    assert targets(4096, "cpu", **BASE) == [("≥ 1.5 of published", True)]
    assert targets(4096, "cpu") == []
    assert targets(512, "cpu", **BASE) == []
    large = {**BASE, "tokens": 8192}
    assert targets(4096, "cuda", **large) == [("≥ 0.95 of lookup", False)]
    assert targets(8192, "cuda", **large) == [("≥ 0.9 of lookup", True)]
    assert targets(8192, "cuda", **BASE, tokens=8000) == []


def test_skipped_measurement_is_a_figure_without_a_value(measured: Measured) -> None:
    done = measured("step", "training_step", ALONE, "skipped", ["killed"])
    figure = by_variant(done)["alone real H=20"]
    assert (figure.value, figure.skipped) == (None, "killed")


def test_preparations_are_no_figures(measured: Measured) -> None:
    speed = "tokens_per_second"
    done = measured("generate", "whole_training", ALONE, speed, [1.0], "preparation")
    assert by_variant(done) == {}
