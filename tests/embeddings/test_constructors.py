"""An embedding is made by its constructor alone, as ``nn.Embedding`` is."""

from argparse import Namespace
from typing import Any

import numpy as np
import pytest
import torch

from alone_fairseq.embeddings import EMBEDDINGS, TableSize, build
from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.embeddings.description import decode
from alone_fairseq.errors import AloneError
from tests.methods import CASES, symbols

V, D = 30, 8


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("padding", [None, 0, 3])
def test_a_constructor_makes_what_build_makes(case: str, padding: int | None) -> None:
    method, options = CASES[case].method, CASES[case].options
    torch.manual_seed(1)
    built = build(method, Namespace(**options), TableSize(V, D, padding, symbols(V)))
    torch.manual_seed(1)
    made = EMBEDDINGS[method](V, D, padding_idx=padding, symbols=symbols(V), **options)
    assert list(made.state_dict()) == list(built.state_dict())
    for mine, theirs in zip(
        made.state_dict().values(), built.state_dict().values(), strict=True
    ):
        assert torch.equal(mine, theirs)
    assert decode(made.description_version)["method"] == method


@pytest.mark.parametrize("method", EMBEDDINGS)
def test_without_padding_no_row_is_zero(method: str) -> None:
    torch.manual_seed(1)
    embedding = EMBEDDINGS[method](V, D, symbols=symbols(V))
    assert embedding.padding_idx is None
    words = torch.arange(V)
    for each in (embedding, torch.jit.script(embedding)):
        vectors = each(words)
        assert vectors.abs().amax(dim=1).min() > 0


def test_an_option_of_another_name_is_no_option() -> None:
    with pytest.raises(TypeError, match="alone_inner_dim"):
        AloneEmbedding(V, D, alone_inner_dim=4)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 8), "V = 0 and D = 8"),
        ((30, -1), "V = 30 and D = -1"),
        ((30, 8, 30), r"padding_idx must lie in \[0, 30\), not 30"),
        ((30, 8, -1), "padding_idx must lie"),
        ((3, 8, 0, ["a", "b"]), "a table of 3 words cannot have 2 symbols"),
    ],
)
def test_sizes_out_of_range(sizes: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AloneError, match=message):
        AloneEmbedding(*sizes)


@pytest.mark.parametrize(
    ("method", "plain", "equal"),
    [
        (
            "alone",
            {"alone_filter_std": 1.0, "alone_inter_dim": 5, "alone_seed": 3},
            {
                "alone_filter_std": 1,
                "alone_inter_dim": np.int64(5),
                "alone_seed": np.uint8(3),
            },
        ),
        ("hashed", {"hashed_append_weights": True}, {"hashed_append_weights": 1}),
    ],
)
def test_equal_numbers_of_another_type_are_the_same_options(
    method: str, plain: dict[str, Any], equal: dict[str, Any]
) -> None:
    made = EMBEDDINGS[method](V, D, 0, **plain)
    of_numpy = EMBEDDINGS[method](np.int64(V), torch.tensor(D), np.int32(0), **equal)
    assert of_numpy.config == made.config
    of_numpy.load_state_dict(made.state_dict())
    assert torch.equal(of_numpy.table(), made.table())


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_an_option_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(AloneError, match="--alone-filter-std must"):
        AloneEmbedding(V, D, alone_filter_std=value)


@pytest.mark.parametrize("case", CASES)
def test_on_the_meta_device_only_the_sizes_are_true(case: str) -> None:
    method, options = CASES[case].method, CASES[case].options
    with torch.device("meta"):
        counted = EMBEDDINGS[method](V, D, symbols=symbols(V), **options)
    made = EMBEDDINGS[method](V, D, symbols=symbols(V), **options)
    assert counted.footprint() == made.footprint()
    assert all(p.is_meta for p in counted.parameters())
