"""LRPE, LDPE and the ordinary encoding against the formulas, one value at a time."""

import math
from itertools import pairwise, product

import pytest
import torch
from fairseq.modules import SinusoidalPositionalEmbedding

PAD = 1
CHOICES = [choice for choice in product((False, True), repeat=3) if any(choice)]


def expected(
    dim: int, length: int, position: int, choice: tuple[bool, bool, bool]
) -> list[float]:
    """The published sum at a position counted from 1, by loops and ``math.sin``.

    The encoding of index ``p`` and base ``b`` is the sine of ``p / b^(i / (D/2 - 1))``
    for each ``i``, then the cosines. The first position has index 2.
    """
    lrpe, ldpe, ordinary = choice
    parts = []
    if ordinary:
        parts.append((position + 1, 10000))
    if lrpe:
        parts.append((position + 1, length))
    if ldpe:
        parts.append((length - position + 2, 10000))
    half = dim // 2
    values = [0.0] * dim
    for index, base in parts:
        for i in range(half):
            angle = index / base ** (i / (half - 1))
            values[i] += math.sin(angle)
            values[half + i] += math.cos(angle)
    return values


def module(dim: int, choice: tuple[bool, bool, bool], lengths: list[int]) -> object:
    from alone_fairseq.length_control.positions import LengthPositions

    positions = LengthPositions(dim, PAD, *choice)
    positions.set_target_lengths(torch.tensor(lengths).view(-1, 1))
    return positions


def tokens_of(sizes: list[int], left: bool = False) -> torch.Tensor:
    width = max(sizes)
    rows = []
    for size in sizes:
        words, pads = [2, *range(4, 3 + size)], [PAD] * (width - size)
        rows.append(pads + words if left else words + pads)
    return torch.tensor(rows)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
@pytest.mark.parametrize("dim", [8, 9])
def test_every_sentence_of_a_batch_has_the_formula_of_its_own_length(
    choice: tuple[bool, bool, bool], left: bool, dim: int
) -> None:
    sizes, lengths = [3, 7, 5, 1], [3, 7, 30, 1]
    found = module(dim, choice, lengths)(tokens_of(sizes, left))  # type: ignore[operator]
    assert found.shape == (4, 7, dim)
    for row, (size, length) in enumerate(zip(sizes, lengths, strict=True)):
        first = 7 - size if left else 0
        for position in range(1, size + 1):
            torch.testing.assert_close(
                found[row, first + position - 1],
                torch.tensor(expected(dim, length, position, choice)),
                rtol=0,
                atol=1e-5,
            )
        padding = torch.cat([found[row, :first], found[row, first + size :]])
        assert not padding.any()


@pytest.mark.parametrize("choice", CHOICES)
def test_one_step_at_a_time_is_the_same(choice: tuple[bool, bool, bool]) -> None:
    positions = module(8, choice, [4, 9])
    tokens = tokens_of([9, 9])
    whole = positions(tokens)  # type: ignore[operator]
    for step in range(1, 10):
        one = positions(tokens[:, :step], incremental_state={})  # type: ignore[operator]
        assert torch.equal(one, whole[:, step - 1 : step])


@pytest.mark.parametrize("choice", CHOICES)
def test_defined_past_the_desired_end(choice: tuple[bool, bool, bool]) -> None:
    """The published LDPE is zero one step past the end, and an error after two more."""
    found = module(8, choice, [3])(tokens_of([10]))[0]  # type: ignore[operator]
    for position in range(1, 11):
        values = torch.tensor(expected(8, 3, position, choice))
        torch.testing.assert_close(found[position - 1], values, rtol=0, atol=1e-5)
    for one, other in pairwise(found):
        assert (one - other).abs().max() > 1e-3


@pytest.mark.parametrize("length", [1, 1025, 100_000])
def test_no_table_limits_the_length(length: int) -> None:
    choice = (True, True, True)
    found = module(16, choice, [length])(tokens_of([1500]))[0]  # type: ignore[operator]
    for position in (1, 2, 1024, 1500):
        values = torch.tensor(expected(16, length, position, choice))
        # Single precision has 24 bits: angles of 100,000 have about 0.004 of error.
        torch.testing.assert_close(
            found[position - 1], values, rtol=0, atol=1e-6 * max(1500, length)
        )


def test_the_ordinary_one_is_fairseqs_bit_for_bit() -> None:
    tokens = tokens_of([3, 900, 40])
    stock = SinusoidalPositionalEmbedding(64, PAD, init_size=1026)(tokens)
    found = module(64, (False, False, True), [5, 6, 7])(tokens)  # type: ignore[operator]
    assert torch.equal(found, stock)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_angles_keep_single_precision(dtype: torch.dtype) -> None:
    """In half precision itself, 1,001 and 1,000 would be the same position."""
    positions = module(8, (True, True, True), [2000])
    tokens = tokens_of([1001])
    exact = positions(tokens)  # type: ignore[operator]
    rounded = positions.to(dtype)(tokens)  # type: ignore[attr-defined]
    assert rounded.dtype == dtype
    assert torch.equal(rounded, exact.to(dtype))


def test_nothing_is_stored() -> None:
    positions = module(8, (True, True, True), [3])
    assert positions.state_dict() == {}  # type: ignore[attr-defined]
    assert list(positions.parameters()) == []  # type: ignore[attr-defined]
