"""The description that a checkpoint carries."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from alone_fairseq.embeddings.description import decode, encode, explain

VALUES = st.one_of(
    st.integers(-(2**63), 2**63), st.floats(allow_nan=False), st.text(), st.booleans()
)
DESCRIPTIONS = st.dictionaries(st.text(), VALUES)


@given(DESCRIPTIONS)
def test_round_trip(description: dict[str, object]) -> None:
    assert decode(encode(description)) == description


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_anything_can_be_decoded(codes: list[int]) -> None:
    decode(torch.tensor(codes, dtype=torch.int32))


@given(DESCRIPTIONS, st.integers(2, 1000))
def test_an_average_of_equals_is_exact(description: dict[str, object], n: int) -> None:
    # fairseq's own averaging adds the checkpoints up and divides without a remainder.
    codes = encode(description)
    total = codes.clone()
    for _ in range(n - 1):
        total += codes
    assert torch.equal(total // n, codes)


def test_explanation_names_both_sides_and_only_what_differs() -> None:
    line = explain(
        {"method": "alone", "seed": 1, "checksum": "a"},
        {"method": "alone", "seed": 7, "checksum": "b"},
    )
    assert "has seed=1; the model has seed=7" in line
    assert "method" not in line
    assert "checksum" not in line


def test_a_differing_checksum_alone_is_named() -> None:
    assert "checksum=a; the model has checksum=b" in explain(
        {"seed": 1, "checksum": "a"}, {"seed": 1, "checksum": "b"}
    )


def test_a_missing_entry_is_named() -> None:
    line = explain({"method": "lookup"}, {"method": "alone", "seed": 3})
    assert "method=lookup, no seed" in line
    assert "method=alone, seed=3" in line
