"""The joint layer, its ablations, and the bilinear one, by formulas written here."""

from argparse import Namespace
from typing import Any

import pytest
import torch
from torch import Tensor

from alone_fairseq.embeddings import CompactEmbedding, TableSize, build
from alone_fairseq.errors import AloneError
from alone_fairseq.output import (
    JointConfig,
    JointProjection,
    TiedProjection,
    build_output_layer,
)
from tests.made_tensors import MadeTensors
from tests.methods import CASES, symbols

V, D, STATES, JOINT = 50, 12, 10, 7
CHOICES = {
    "both": ("joint", {"joint_dim": JOINT}),
    "output": ("joint", {"joint_structure": "output"}),
    "context": ("joint", {"joint_structure": "context"}),
    "joint bilinear": ("joint", {"joint_structure": "bilinear"}),
    "bilinear": ("bilinear", {}),
}


def embed(name: str = "alone-real") -> CompactEmbedding:
    torch.manual_seed(1)
    case = CASES[name]
    size = TableSize(V, D, 1, symbols(V))
    return build(case.method, Namespace(**case.options), size).double()


def make(
    choice: str, embedding: CompactEmbedding, dim: int = STATES
) -> JointProjection:
    name, options = CHOICES[choice]
    torch.manual_seed(2)
    layer = build_output_layer(name, embedding, dim, Namespace(**options)).double()
    assert isinstance(layer, JointProjection)
    for parameter in (*layer.parameters(),):
        if parameter.ndim == 1 and parameter.numel() == JOINT:
            torch.nn.init.normal_(parameter)  # biases start at zero
    return layer


def formula(choice: str, layer: Any, hidden: Tensor) -> Tensor:
    """Score word by word and state by state."""
    vectors = layer.embedding.rows(torch.arange(V))
    words, states = layer.word_map, layer.state_map

    def score(vector: Tensor, state: Tensor) -> Tensor:
        if choice == "both":
            left = torch.tanh(words.weight @ vector + words.bias)
            return left.dot(torch.tanh(states.weight @ state + states.bias))
        if choice == "output":  # sigma(E W) h
            return torch.tanh(vector @ words.weight.t()).dot(state)
        if choice == "context":  # E sigma(W h)
            return vector.dot(torch.tanh(states.weight @ state))
        return vector @ states.weight @ state  # E W h

    return torch.stack(
        [torch.stack([score(vector, h) for vector in vectors]) for h in hidden]
    )


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("method", ["alone-real", "low_rank"])
def test_logits_and_gradients_are_those_of_the_formula(
    choice: str, method: str
) -> None:
    layer = make(choice, embed(method))
    hidden = torch.randn(3, STATES).double().requires_grad_()
    trained = [hidden, *(p for p in layer.parameters() if p.requires_grad)]
    mine, expected = layer(hidden), formula(choice, layer, hidden)
    torch.testing.assert_close(mine, expected)
    direction = torch.randn(3, V).double()
    for one, other in zip(
        *(
            torch.autograd.grad((x * direction).sum(), trained)
            for x in (mine, expected)
        ),
        strict=True,
    ):
        assert one.abs().sum() > 0
        torch.testing.assert_close(one, other)


def test_each_structure_is_another() -> None:
    hidden = torch.randn(4, D).double()
    embedding = embed()
    found = {c: make(c, embedding, D)(hidden) for c in CHOICES if c != "bilinear"}
    found["tied"] = TiedProjection(embedding)(hidden)
    for one in found:
        for other in found:
            alike = torch.allclose(found[one], found[other], atol=1e-3)
            assert alike == (one == other), f"{one} and {other}"
    same = make("bilinear", embedding, D)(hidden)
    torch.testing.assert_close(same, found["joint bilinear"])


@pytest.mark.parametrize("method", CASES)
def test_without_its_maps_it_is_tied(method: str) -> None:
    embedding = embed(method)
    hidden = torch.randn(2, 3, D).double()
    tied = TiedProjection(embedding)
    # Near 0 a tanh is the identity: x^3 / 3 is lost beside x.
    scale = 1e-5
    options = Namespace(joint_dim=D)
    layer: Any = build_output_layer("joint", embedding, D, options).double()
    for each in (layer.word_map, layer.state_map):
        each.weight.data = scale * torch.eye(D).double()
        torch.nn.init.zeros_(each.bias)
    found = layer(hidden) / scale**2
    torch.testing.assert_close(found, tied(hidden), rtol=0, atol=1e-6)
    identity = make("bilinear", embedding, D)
    assert identity.state_map is not None
    torch.nn.init.eye_(identity.state_map.weight)
    torch.testing.assert_close(identity(hidden), tied(hidden), rtol=0, atol=1e-6)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("method", CASES)
def test_some_words_score_as_among_all(choice: str, method: str) -> None:
    layer = make(choice, embed(method))
    hidden, words = torch.randn(3, STATES).double(), torch.tensor([4, 0, 49, 7])
    states, weights = layer.factors_of(hidden, words)
    torch.testing.assert_close(states @ weights.t(), layer(hidden)[:, words])


@pytest.mark.parametrize("choice", CHOICES)
def test_the_matrix_of_one_that_is_a_matrix(choice: str) -> None:
    layer = make(choice, embed())
    hidden, matrix = torch.randn(3, STATES).double(), layer.matrix()
    assert (matrix is None) == (choice in ("both", "context"))
    if matrix is not None:
        torch.testing.assert_close(hidden @ matrix.t(), layer(hidden))


def test_words_are_mapped_once_while_nothing_changes() -> None:
    layer = make("both", embed()).eval()
    hidden = torch.randn(2, STATES).double()
    assert layer.word_map is not None
    base = layer.embedding.get_parameter("base")
    with MadeTensors() as made:

        def tables() -> int:
            return made.count("aten.tanh.default", V * JOINT)

        with torch.no_grad():
            first = layer(hidden)
            assert torch.equal(layer(hidden), first)
            assert tables() == 1
            layer.word_map.weight.mul_(2)
            assert not torch.allclose(layer(hidden), first)
            base.mul_(2)
            layer(hidden)
        assert tables() == 3
        layer.train()
        layer(hidden).sum().backward()
        layer(hidden)
        assert tables() == 5


@pytest.mark.parametrize("choice", CHOICES)
def test_a_state_comes_back(choice: str) -> None:
    layer = make(choice, embed())
    torch.manual_seed(9)
    other = make(choice, embed())
    other.load_state_dict({k: v + 0 for k, v in layer.state_dict().items()})
    hidden = torch.randn(2, STATES).double()
    assert torch.equal(other(hidden), layer(hidden))
    if choice in ("both", "context"):  # with and without a mapped table
        scripted = torch.jit.script(layer)
        torch.testing.assert_close(scripted(hidden), layer(hidden))


def test_a_state_of_another_structure_is_refused() -> None:
    context, bilinear = make("context", embed()), make("bilinear", embed())
    told = "has structure=context; the model has structure=bil"
    with pytest.raises(AloneError, match=told):
        bilinear.load_state_dict(context.state_dict())
    state = context.state_dict()
    del state["description_version"]  # as one that was written before
    bilinear.load_state_dict(state)


def test_the_size_of_its_space() -> None:
    layer = build_output_layer("joint", embed(), STATES)
    assert isinstance(layer, JointProjection)
    assert layer.word_map is not None
    assert layer.word_map.weight.shape == (STATES, D)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"joint_dim": -1}, "--joint-dim must be at least 0, not -1"),
        ({"joint_structure": "all"}, "--joint-structure must be 'both' or 'output'"),
        ({"joint_dim": 8, "joint_structure": "output"}, "--joint-dim 8: --joint-struc"),
    ],
)
def test_bad_options(options: dict[str, Any], line: str) -> None:
    with pytest.raises(AloneError, match=line) as caught:
        JointConfig(**options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["alone-real", "characters"])
@pytest.mark.parametrize("layer", ["tied", "both", "bilinear"])
def test_vectors_of_a_sample_take_bounded_memory(
    name: str, layer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept for the way back is less than all inner values."""
    tables = "alone_fairseq.embeddings.tables"
    embedding, words = embed(name), torch.arange(40)
    made = TiedProjection(embedding) if layer == "tied" else make(layer, embedding, D)
    hidden, kept = torch.randn(3, D, dtype=torch.float64), []
    for most in (6 * 2**20, 1):
        monkeypatch.setattr(f"{tables}.slices.VALUES_AT_A_TIME", most)
        monkeypatch.setattr(f"{tables}.network.KEPT_BYTES", 8 * most)
        sizes: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t, sizes=sizes: sizes.append(t.numel()) or t, lambda t: t
        ):
            made.factors_of(hidden, words)
        kept.append(sum(sizes))
    assert kept[1] < 0.7 * kept[0]
