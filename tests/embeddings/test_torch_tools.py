"""Embeddings under what torch does to modules: copies, other types, other weights."""

from argparse import Namespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from alone_fairseq.embeddings import CompactEmbedding, TableSize, build
from alone_fairseq.embeddings.description import decode
from alone_fairseq.output import TiedProjection
from tests.methods import CASES, symbols

V, D, PAD = 50, 12, 1
SIZE = TableSize(V, D, PAD, symbols(V))


def make(case: str) -> CompactEmbedding:
    options = {**CASES[case].options, "alone_relu_dropout": 0.0}
    return build(CASES[case].method, Namespace(**options), SIZE)


def replica_of(module: nn.Module) -> Any:
    """Copy a module as nn.DataParallel does for each GPU; torch itself wants GPUs."""
    copies: dict[nn.Module, Any] = {
        each: each._replicate_for_data_parallel()  # type: ignore[no-untyped-call] # torch's
        for each in module.modules()
    }
    for each, copied in copies.items():
        copied._former_parameters = {}
        for name, child in each._modules.items():
            copied._modules[name] = None if child is None else copies[child]
        for name, parameter in each._parameters.items():
            if parameter is None:
                copied._parameters[name] = None
                continue
            view = parameter.view_as(parameter)
            setattr(copied, name, view)
            copied._former_parameters[name] = view
    return copies[module]


@pytest.mark.parametrize("pieces", [False, True], ids=["whole", "in slices"])
@pytest.mark.parametrize("case", list(CASES))
def test_copies_for_several_gpus(
    case: str, pieces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pieces:
        slices = "alone_fairseq.embeddings.tables.slices.VALUES_AT_A_TIME"
        monkeypatch.setattr(slices, 200)
        monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", 0)
    torch.manual_seed(0)
    embedding = make(case)
    weights = torch.randn(V, D)
    found: list[list[Tensor | None]] = []
    tables = []
    for each in (embedding, replica_of(embedding)):
        embedding.zero_grad()
        table = each.table()
        tables.append(table)
        if table.requires_grad:
            (table * weights).sum().backward()
        found.append([p.grad for p in embedding.parameters()])
    torch.testing.assert_close(*tables)
    torch.testing.assert_close(*found)
    # A copy is made anew for each batch, and knows nothing of tables before.
    embedding.eval()
    with torch.no_grad():
        replica_of(embedding).tied_logits(weights[:2])
        for parameter in embedding.parameters():
            parameter.mul_(2)
        expected = weights[:2] @ embedding.table().T
        made = replica_of(embedding).tied_logits(weights[:2])
    torch.testing.assert_close(made, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize(
    "change", [parametrizations.spectral_norm, parametrizations.weight_norm]
)
def test_layers_of_alone_with_other_weights(change: Any, last: int) -> None:
    embedding: Any = make("alone-real").eval()
    before = embedding.table()
    change(embedding.layers[last])
    words = torch.arange(V)
    torch.testing.assert_close(embedding.table(), embedding.rows(words))
    optimizer = torch.optim.SGD(embedding.parameters(), 0.1)
    for _ in range(2):
        embedding.table().square().sum().backward()
        optimizer.step()
        torch.testing.assert_close(embedding.table(), embedding.rows(words))
    if change is not parametrizations.weight_norm:  # which begins with the same
        assert not torch.allclose(embedding.table(), before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_the_random_table_is_the_same_in_any_type(dtype: torch.dtype) -> None:
    expected = make("random")
    torch.set_default_dtype(dtype)
    try:
        found = make("random")
    finally:
        torch.set_default_dtype(torch.float32)
    assert found.table().dtype == dtype
    torch.testing.assert_close(found.table(), expected.table().to(dtype))
    mine, theirs = (decode(each.description_version) for each in (found, expected))
    assert mine == theirs


class Tagger(nn.Module):
    """A model whose input and head share one table in a pass."""

    def __init__(self, embedding: CompactEmbedding) -> None:
        super().__init__()
        self.embedding, self.head = embedding, TiedProjection(embedding)

    def forward(self, tokens: Tensor) -> Tensor:
        with self.embedding.one_table():
            logits: Tensor = self.head(self.embedding(tokens).tanh())
            return logits


# Characters reads as many spellings as a batch has words, which no graph knows before.
EXPORTED = [case for case in CASES if CASES[case].method != "characters"]


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("case", EXPORTED)
def test_torch_export(case: str, grad: bool) -> None:
    model, tokens = Tagger(make(case)).eval(), torch.tensor([[3, 4, PAD], [7, 3, 9]])
    with torch.set_grad_enabled(grad):
        exported = torch.export.export(model, (tokens,)).module()
        torch.testing.assert_close(exported(tokens), model(tokens))


def test_gradients_of_a_function() -> None:
    model, tokens = Tagger(make("lookup")), torch.tensor([[3, 4, PAD], [7, 3, 9]])
    model(tokens).sum().backward()
    weights = dict(model.named_parameters())
    expected = {name: weight.grad for name, weight in weights.items()}

    def total(weights: dict[str, Tensor]) -> Any:
        return torch.func.functional_call(model, weights, (tokens,)).sum()

    torch.testing.assert_close(torch.func.grad(total)(weights), expected)


@pytest.mark.parametrize("case", list(CASES))
def test_a_batch_of_nothing_has_a_gradient(case: str) -> None:
    embedding = make(case)
    if any(True for _ in embedding.parameters()):
        embedding(torch.empty(0, 3, dtype=torch.long)).sum().backward()
