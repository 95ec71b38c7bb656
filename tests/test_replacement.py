"""Compact embeddings in models of other people's."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import prune

from alone_fairseq.embeddings import EMBEDDINGS, LowRankEmbedding
from alone_fairseq.embeddings.fit import lost_share
from alone_fairseq.errors import AloneError
from alone_fairseq.output import TiedProjection
from alone_fairseq.replacement import replace_embeddings
from tests.methods import symbols

V, D = 30, 6


class Positions(nn.Embedding):
    """Not a plain table."""


class Translator(nn.Module):
    """Two sides with one table, a head tied to it, and tables of other kinds."""

    def __init__(self, bias: bool = True) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.source = nn.Embedding(V, D, padding_idx=2)
        self.target = nn.Sequential(self.source, nn.Tanh())
        self.again = nn.Embedding(V, D, padding_idx=2)
        self.again.weight = self.source.weight
        self.types = nn.Embedding(20, D)
        self.positions = Positions(5, D)
        self.head = nn.Linear(D, V, bias=bias)
        self.head.weight = self.source.weight

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.size(1))
        read = self.source(tokens) + self.target(tokens) + self.again(tokens)
        states = read + self.types(tokens % 20) + self.positions(places)
        logits: Tensor = self.head(states)
        return logits


TOKENS = torch.tensor([[3, 4, 29, 2], [9, 8, 7, 2]])


@pytest.mark.parametrize("bias", [True, False])
def test_a_table_in_all_its_places(bias: bool) -> None:
    model = Translator(bias)
    expected = model(TOKENS)
    shared, types = replace_embeddings(model, "lookup")
    assert shared.names == ("source", "target.0", "again", "head")
    assert types.names == ("types",)
    assert model.source is model.target[0] is model.again is shared.embedding
    assert isinstance(model.head, TiedProjection)
    assert type(model.positions) is Positions
    torch.testing.assert_close(model(TOKENS), expected)
    assert shared.lost == types.lost == 0.0
    places = "source, target.0, again, head"
    sizes = "180 values became 180 (100.0%), 0.0% lost at first"
    assert str(shared) == f"{places}: {sizes}"


def test_heads_stay_tied_and_are_trained() -> None:
    model = Translator()
    (shared,) = replace_embeddings(model, "low_rank", ["again"], low_rank_dim=2)
    assert shared.embedding.footprint().trained_values == 2 * (V + D)
    assert type(model.types) is nn.Embedding
    model(TOKENS).sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.step()
    states = torch.randn(2, D)
    expected = states @ model.source.table().T + model.head.bias.values
    torch.testing.assert_close(model.head(states), expected)


def test_a_head_with_two_names_is_one_head_and_keeps_its_bias() -> None:
    model = Translator()
    model.also = model.head
    model.shown = model.head.bias
    replace_embeddings(model, "low_rank", "source", low_rank_dim=2)
    assert model.also is model.head
    assert model.head.bias.values is model.shown
    assert type(model.types) is nn.Embedding


def test_a_bias_that_is_pruned_is_kept() -> None:
    model = Translator()
    prune.random_unstructured(model.head, "bias", amount=0.5)
    bias = model.head.bias.detach().clone()
    replace_embeddings(model, "low_rank", "source", low_rank_dim=2)
    assert torch.equal(model.head.bias.values, bias)


@pytest.mark.parametrize("method", EMBEDDINGS)
def test_a_state_comes_back(method: str, tmp_path: Path) -> None:
    model, again = Translator(), Translator()
    for each, seed in ((model, 1), (again, 2)):
        torch.manual_seed(seed)
        for name, words in (("source", V), ("types", 20)):
            options = {"symbols": symbols(words)}
            replace_embeddings(each, method, [name], keep_vectors=False, **options)
    torch.save(model.state_dict(), tmp_path / "state.pt")
    again.load_state_dict(torch.load(tmp_path / "state.pt"))
    with torch.no_grad():
        assert torch.equal(model.eval()(TOKENS), again.eval()(TOKENS))


def test_type_and_mode_stay() -> None:
    model = Translator().double().eval()
    (shared, _) = replace_embeddings(model, "low_rank", low_rank_dim=3)
    assert shared.embedding.narrow.dtype == torch.float64
    assert not shared.embedding.training
    assert model(TOKENS).dtype == torch.float64


def test_what_cannot_be_replaced() -> None:
    model = Translator()
    with pytest.raises(AloneError, match=r"no nn.Embedding positions \(there is again"):
        replace_embeddings(model, "alone", ["positions"])
    with pytest.raises(AloneError, match="did you mean 'low_rank'"):
        replace_embeddings(model, "lowrank")
    with pytest.raises(AloneError, match=r"no nn.Embedding \(there is none"):
        replace_embeddings(nn.Linear(2, 2), "alone")
    with pytest.raises(AloneError, match="Embedding itself"):
        replace_embeddings(nn.Embedding(3, 2), "alone")
    limited = nn.Sequential(nn.Embedding(3, 2, max_norm=1.0))
    with pytest.raises(AloneError, match="0 limits the norm"):
        replace_embeddings(limited, "alone")
    scaled = nn.Sequential(nn.Embedding(3, 2, scale_grad_by_freq=True))
    with pytest.raises(
        AloneError, match=r"0 divides gradients .*leave it out by names"
    ):
        replace_embeddings(scaled, "alone")
    model.positions.weight = nn.Parameter(torch.zeros(V, D))
    model.source.weight = model.positions.weight
    with pytest.raises(AloneError, match="is the table of source too, and a Positions"):
        replace_embeddings(model, "alone", ["source"])
    assert type(model.source) is nn.Embedding


def test_only_what_is_replaced_is_refused() -> None:
    model = nn.ModuleDict({"a": nn.Embedding(9, 4), "b": nn.Embedding(9, 4)})
    model["b"].max_norm = 1.0
    (replaced,) = replace_embeddings(model, "lookup", ["a"])
    assert replaced.names == ("a",)
    with pytest.raises(AloneError, match=r"b limits .* leave it out by names"):
        replace_embeddings(model, "lookup", ["b"])


@pytest.mark.parametrize("refusal", ["table", "symbols"])
def test_after_a_refusal_nothing_is_replaced(refusal: str) -> None:
    """Whether the second table or its new embedding is refused."""
    model = Translator()
    options: dict[str, Any] = {"symbols": symbols(V)}  # not as many as types has
    if refusal == "table":
        model.positions.weight = model.types.weight
        options = {}
    before = dict(model.named_modules(remove_duplicate=False))
    with pytest.raises(AloneError):
        replace_embeddings(model, "lookup", **options)
    assert dict(model.named_modules(remove_duplicate=False)) == before


@pytest.mark.parametrize("method", ["lookup", "low_rank"])
def test_a_frozen_table_stays_frozen(method: str) -> None:
    model = nn.Sequential(nn.Embedding.from_pretrained(vectors()))
    (replaced,) = replace_embeddings(model, method)
    assert [*model.parameters()]
    assert not any(p.requires_grad for p in model.parameters())
    assert "600 values became 0" not in str(replaced)
    assert not model(torch.tensor([3])).requires_grad


def test_a_frozen_bias_stays_frozen() -> None:
    model = Translator()
    head = nn.Linear(model.source.embedding_dim, model.source.num_embeddings)
    head.weight, head.bias.requires_grad = model.source.weight, False
    both = nn.ModuleList([model.source, head])
    replace_embeddings(both, "low_rank", low_rank_dim=2)
    assert not both[1].bias.values.requires_grad


def test_of_a_table_of_zeros_nothing_is_lost() -> None:
    model = nn.Sequential(nn.Embedding.from_pretrained(torch.zeros(20, 4)))
    (replaced,) = replace_embeddings(model, "low_rank", low_rank_dim=2)
    assert "lost" not in str(replaced)


def test_padding_is_what_it_was() -> None:
    zeros, other = vectors(), vectors()
    zeros[2] = 0.0
    tokens = torch.arange(4)
    for table, kept in ((zeros, 2), (other, None)):
        model = nn.Sequential(nn.Embedding.from_pretrained(table, padding_idx=2))
        expected = model(tokens)
        (replaced,) = replace_embeddings(model, "lookup")
        assert replaced.embedding.padding_idx == kept
        assert torch.equal(model(tokens), expected)


def test_padding_of_one_place_is_not_that_of_another() -> None:
    model = nn.ModuleList([nn.Embedding(9, 4, 2), nn.Embedding(9, 4)])
    model[1].weight = model[0].weight
    (replaced,) = replace_embeddings(model, "lookup")
    assert replaced.embedding.padding_idx is None


def test_padding_that_a_head_trains() -> None:
    """Whatever the row is now, so that a state that is loaded means the same."""
    for value in (0.0, 1.0):
        model = Translator()
        with torch.no_grad():
            model.source.weight[2] = value
        expected = model(TOKENS)
        shared, _ = replace_embeddings(model, "lookup")
        assert shared.embedding.padding_idx is None
        torch.testing.assert_close(model(TOKENS), expected)


# from vectors


def vectors(words: int = 60, dim: int = 10, seed: int = 1) -> Tensor:
    return torch.randn(words, dim, generator=torch.Generator().manual_seed(seed))


def test_look_up_has_given_vectors() -> None:
    given = vectors()
    embedding = EMBEDDINGS["lookup"].from_vectors(given, 4)
    assert torch.equal(embedding.table(), given)
    assert torch.equal(
        embedding(torch.tensor([3, 4])), torch.stack((given[3], 0 * given[4]))
    )


@pytest.mark.parametrize("rank", [1, 4, 10, 12])
@pytest.mark.parametrize("start", ["even", "steps"])
def test_low_rank_has_the_nearest_table(rank: int, start: str) -> None:
    given = vectors()
    options = {"low_rank_dim": rank, "low_rank_start": start}
    torch.manual_seed(1)
    made = LowRankEmbedding.from_vectors(given, **options)
    torch.manual_seed(1)
    fresh = LowRankEmbedding(60, 10, **options)
    values = torch.linalg.svdvals(given).square()
    expected = float(values[rank:].sum() / values.sum())
    assert lost_share(made, given) == pytest.approx(expected, abs=1e-6)
    if rank <= 10:
        torch.testing.assert_close(made.expansion.norm(), fresh.expansion.norm())


def test_low_rank_of_no_vectors_at_all() -> None:
    made = LowRankEmbedding.from_vectors(torch.zeros(20, 8), low_rank_dim=3)
    assert torch.equal(made.table(), torch.zeros(20, 8))


@pytest.mark.slow
def test_the_others_come_close() -> None:
    given = vectors(dim=6)
    torch.manual_seed(1)
    alone = EMBEDDINGS["alone"].from_vectors(given, alone_inter_dim=60)
    torch.manual_seed(1)
    again = EMBEDDINGS["alone"].from_vectors(given, alone_inter_dim=60)
    assert lost_share(alone, given) < 0.05
    assert torch.equal(alone.table(), again.table())
    assert all(p.grad is None for p in alone.parameters())


def test_nothing_to_train_is_refused() -> None:
    with pytest.raises(AloneError, match="random has no values to train"):
        EMBEDDINGS["random"].from_vectors(vectors())


# Hugging Face's library would import torchaudio, which fairseq brings, and which does
# not go with every build of torch.
WITHOUT_FAIRSEQ = """
import sys
for name in ("fairseq", "torchaudio"):
    sys.modules[name] = None
"""


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None,
    reason="no transformers: pip install transformers",
)
def test_the_example_of_the_page(repo_root: Path, tmp_path: Path) -> None:
    page = (repo_root / "docs/pytorch.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    (program,) = (block for block in blocks if "MarianMTModel" in block)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_FAIRSEQ + program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(repo_root), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    places = r"shared.*, lm_head: 128,000 values became 3[12],\d+ \(2[45]\.\d%\)"
    assert re.search(places, done.stdout), done.stdout
    first, last = re.findall(r"loss (\S+), then (\S+)", done.stdout)[0]
    assert float(last) < 0.5 * float(first)
    sizes = [(tmp_path / f"{name}.pt").stat().st_size for name in ("before", "after")]
    (told,) = re.findall(r"the file is (\S+) times smaller", done.stdout)
    assert sizes[0] / sizes[1] == pytest.approx(float(told), abs=0.05)
    (promised,) = re.findall(r"# (\S+) times smaller", program)
    assert told == promised
