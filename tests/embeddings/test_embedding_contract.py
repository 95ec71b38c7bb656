"""What every embedding method must keep, whatever it is."""

import copy
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from alone_fairseq.embeddings import EMBEDDINGS, CompactEmbedding, TableSize, build
from alone_fairseq.embeddings.description import decode
from alone_fairseq.output import TiedProjection
from tests.methods import CASES, symbols

V, D, PAD = 50, 12, 1
SIZE = TableSize(V, D, PAD, symbols(V))


@pytest.fixture(params=[*CASES, "made_up"])
def embedding(request: pytest.FixtureRequest) -> CompactEmbedding:
    torch.manual_seed(0)
    if request.param == "made_up":
        name = request.getfixturevalue("made_up")
        return build(name, Namespace(), SIZE).eval()
    return make(request.param).eval()


def make(case: str) -> CompactEmbedding:
    options = {**CASES[case].options, "alone_relu_dropout": 0.0}
    return build(CASES[case].method, Namespace(**options), SIZE)


def test_all_methods_are_covered() -> None:
    assert {case.method for case in CASES.values()} == set(EMBEDDINGS)


@pytest.mark.parametrize("shape", [(3, 4), (5,), (2, 1), (0,), (0, 3), ()])
def test_forward_has_a_vector_for_each_token(
    embedding: CompactEmbedding, shape: tuple[int, ...]
) -> None:
    tokens = torch.randint(V, shape)
    assert embedding(tokens).shape == (*shape, D)
    assert embedding.rows(tokens).shape == (*shape, D)


def test_forward_is_a_look_up_in_the_table(embedding: CompactEmbedding) -> None:
    tokens = torch.tensor([[0, 2, 3], [49, 7, 2]])
    torch.testing.assert_close(embedding(tokens), embedding.table()[tokens])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.bool])
def test_tokens_of_another_type_are_refused(
    embedding: CompactEmbedding, dtype: torch.dtype
) -> None:
    with pytest.raises(TypeError, match=f"int64 or int32, not {dtype}"):
        embedding(torch.ones(2, 3).to(dtype))
    tokens = torch.tensor([[3, 4]])
    assert torch.equal(embedding(tokens.int()), embedding(tokens))


@pytest.mark.parametrize("outside", [-1, -100, V])
def test_a_token_outside_the_vocabulary_is_refused(
    embedding: CompactEmbedding, outside: int
) -> None:
    with pytest.raises(IndexError, match=f"token {outside} is outside .* {V} words"):
        embedding(torch.tensor([[3, outside]]))


@pytest.mark.parametrize("training", [True, False])
def test_padding_is_exactly_zero(embedding: CompactEmbedding, training: bool) -> None:
    vectors = embedding.train(training)(torch.tensor([[PAD, 3], [4, PAD]]))
    assert torch.equal(vectors[[0, 1], [0, 1]], torch.zeros(2, D))
    # Any of them may be 0 after a ReLU.
    assert vectors[[0, 1], [1, 0]].abs().amax(dim=1).min() > 0


def test_many_rows_are_those_of_the_table_with_their_gradients(
    embedding: CompactEmbedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = torch.tensor([7, 0, 49, 7, PAD, 12])
    embedding, weights = embedding.double(), torch.randn(len(words), D)
    expected = embedding.rows(words)
    for module, name in (("slices", "VALUES_AT_A_TIME"), ("network", "KEPT_BYTES")):
        monkeypatch.setattr(f"alone_fairseq.embeddings.tables.{module}.{name}", 2 * D)
    found = embedding.many_rows(words)
    torch.testing.assert_close(found, expected)
    assert embedding.many_rows(words[:0]).shape == (0, D)
    trained = [p for p in embedding.parameters() if p.requires_grad]
    if not trained:
        return
    mine, plain = (
        torch.autograd.grad((vectors * weights).sum(), trained)
        for vectors in (found, expected)
    )
    for gradient, wanted in zip(mine, plain, strict=True):
        torch.testing.assert_close(gradient, wanted)


def test_padding_sends_no_gradient(embedding: CompactEmbedding) -> None:
    loss = embedding.train()(torch.tensor([PAD, PAD])).sum()
    if loss.requires_grad:
        loss.backward()
    assert all(
        p.grad is None or not p.grad.count_nonzero() for p in embedding.parameters()
    )


def test_attend_is_the_product_with_the_table(embedding: CompactEmbedding) -> None:
    hidden = torch.randn(2, 3, D)
    expected = hidden @ embedding.table().T
    torch.testing.assert_close(embedding.tied_logits(hidden), expected)
    with torch.no_grad():
        torch.testing.assert_close(embedding.tied_logits(hidden), expected)


def test_attend_has_the_gradients_of_the_product(embedding: CompactEmbedding) -> None:
    hidden, weights = torch.randn(4, D), torch.randn(4, V)
    trained = [p for p in embedding.train().parameters() if p.requires_grad]
    if not trained:
        pytest.skip("nothing is trained")
    scores = (embedding.tied_logits(hidden), hidden @ embedding.table().T)
    mine, plain = (torch.autograd.grad((s * weights).sum(), trained) for s in scores)
    for gradient, expected in zip(mine, plain, strict=True):
        torch.testing.assert_close(gradient, expected, atol=1e-4, rtol=1e-4)


def test_a_pass_builds_one_table(embedding: CompactEmbedding) -> None:
    """With the softmax tied, input and output give the values and gradients of two."""
    TiedProjection(embedding.train())
    tokens, hidden = torch.tensor([[0, 3, 3, PAD]]), torch.randn(4, D)
    weights, scale = torch.randn(1, 4, D), torch.randn(4, V)

    def loss() -> Tensor:
        read = (embedding(tokens) * weights).sum()
        return read + (embedding.tied_logits(hidden) * scale).sum()

    with embedding.one_table():
        once = loss()
    twice = loss()
    torch.testing.assert_close(once, twice)
    trained = [p for p in embedding.parameters() if p.requires_grad]
    if not trained:
        return
    gradients = [torch.autograd.grad(value, trained) for value in (once, twice)]
    for gradient, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(gradient, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions(embedding: CompactEmbedding, dtype: torch.dtype) -> None:
    tokens = torch.arange(V)
    expected = embedding(tokens)
    vectors = embedding.to(dtype)(tokens)
    assert vectors.dtype == dtype
    torch.testing.assert_close(vectors.float(), expected, atol=0.05, rtol=0.05)
    assert embedding.tied_logits(torch.randn(2, D, dtype=dtype)).dtype == dtype


def test_gradcheck(embedding: CompactEmbedding) -> None:
    embedding = embedding.double()
    parameters = [p for p in embedding.parameters() if p.requires_grad]
    if not parameters:
        pytest.skip("nothing is trained")
    tokens = torch.tensor([0, 3, 3, 8])
    assert torch.autograd.gradcheck(
        lambda *_: embedding.rows(tokens), parameters, fast_mode=True
    )


def test_same_seed_same_table(embedding: CompactEmbedding) -> None:
    method = type(embedding)
    tables = []
    for _ in range(2):
        torch.manual_seed(5)
        again = method(*SIZE, config=embedding.config)
        tables.append(again.table())
    assert torch.equal(*tables)


def test_state_round_trip(embedding: CompactEmbedding) -> None:
    torch.manual_seed(9)
    other = type(embedding)(*SIZE, config=embedding.config)
    other.load_state_dict(embedding.state_dict())
    assert torch.equal(other.table(), embedding.table())


def test_deep_copies_are_independent(embedding: CompactEmbedding) -> None:
    twin = copy.deepcopy(embedding)
    assert torch.equal(twin.table(), embedding.table())
    before = embedding.table().clone()
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(1.0)
    assert torch.equal(embedding.table(), before)


def test_only_floating_values_and_marked_integers_are_stored(
    embedding: CompactEmbedding,
) -> None:
    stored = embedding.state_dict()
    integers = {name: t for name, t in stored.items() if not t.is_floating_point()}
    assert "description_version" in integers
    for name, values in integers.items():  # those of store_integers
        assert "version" in name
        assert values.dtype == torch.int32
    assert "weight" not in dict(embedding.named_parameters(recurse=False))
    assert not hasattr(embedding, "weight")


def test_network_matrices_are_trained_matrices(embedding: CompactEmbedding) -> None:
    named = dict(embedding.named_parameters())
    for name, matrix in embedding.network_matrices().items():
        assert named[name] is matrix
        assert matrix.requires_grad
        assert matrix.dim() == 2
        assert V not in matrix.shape  # what belongs to single words is no network


def test_which_methods_have_a_network() -> None:
    matrices = {name: list(make(name).network_matrices()) for name in CASES}
    assert matrices["alone-real"] == ["layers.0.weight", "layers.1.weight"]
    assert matrices["low_rank"] == ["expansion"]
    assert matrices["lookup"] == matrices["random"] == matrices["codes"] == []
    assert matrices["hashed"] == []
    deep = ["hidden.0.0.weight", "hidden.1.0.weight", "last.weight"]
    assert matrices["deep_hash"] == deep


def test_footprint_is_the_size_of_the_file(
    embedding: CompactEmbedding, tmp_path: Path
) -> None:
    torch.save(embedding.state_dict(), tmp_path / "state.pt")
    torch.save({}, tmp_path / "empty.pt")
    written = (tmp_path / "state.pt").stat().st_size
    # Each tensor takes some hundred bytes for its name and shape.
    tensors = len(embedding.state_dict())
    overhead = (tmp_path / "empty.pt").stat().st_size + 700 * (tensors + 1)
    assert 0 <= written - embedding.footprint().stored_bytes < overhead


def test_footprint_counts_parameters(embedding: CompactEmbedding) -> None:
    size = embedding.footprint()
    parameters = list(embedding.parameters())
    assert size.trained_values == sum(p.numel() for p in parameters if p.requires_grad)
    assert size.stored_values == sum(p.numel() for p in parameters)
    stored = sum(values.numel() for values in embedding.state_dict().values())
    assert size.stored_bytes == 4 * stored


def test_torchscript_gives_the_same_values(embedding: CompactEmbedding) -> None:
    looks_up = torch.jit.script(embedding)
    scores = torch.jit.script(TiedProjection(embedding))
    tokens, hidden = torch.tensor([[2, PAD], [5, 9]]), torch.randn(2, 3, D)
    torch.testing.assert_close(looks_up(tokens), embedding(tokens))
    torch.testing.assert_close(scores(hidden), embedding.tied_logits(hidden))


@pytest.mark.parametrize("shape", [(), (3,), (3, 1), (2, 4), (2, 0), (2, 3, 4)])
def test_scores_are_one_product_whatever_the_shape(
    embedding: CompactEmbedding, shape: tuple[int, ...]
) -> None:
    # As in a decoder, whose states come out with time first.
    hidden = torch.randn(*reversed(shape), D).permute(*reversed(range(len(shape))), -1)
    scores = TiedProjection(embedding)
    with torch.no_grad():
        expected = hidden @ embedding.table().T
        scores(hidden)  # builds the table, which is no part of the question
        with torch.profiler.profile() as profile:
            found = scores(hidden)
    torch.testing.assert_close(found, expected)
    assert found.shape == (*shape, V)
    assert "aten::bmm" not in {event.key for event in profile.key_averages()}


@pytest.mark.parametrize(
    ("method", "options"),
    [
        *((name, {}) for name in ("lookup", "random", "codes", "hashed", "define")),
        ("low_rank", {"low_rank_dim": 64}),
        ("hashed", {"hashed_append_weights": True, "hashed_num_hashes": 16}),
        ("define", {"define_form": "program"}),
        *(("deep_hash", {"deep_hash_activation": name}) for name in ("mish", "relu")),
        *(("characters", {"characters_highway": way}) for way in (False, True)),
    ],
)
def test_initial_size_is_that_of_a_look_up_table(
    method: str, options: dict[str, Any]
) -> None:
    torch.manual_seed(0)
    small = {"deep_hash_num_hashes": 128, "deep_hash_inter_dim": 128}
    size = TableSize(2048, 128, PAD, symbols(2048))
    with torch.no_grad():
        table = build(method, Namespace(**small, **options), size).table()
    # A ReLU's values have a mean that counts too.
    rms = table.square().mean().sqrt()
    found = rms if method == "characters" else table.std()
    assert found.item() == pytest.approx(128**-0.5, rel=0.1)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_global_generator_has_no_part_in_what_is_fixed(kind: str) -> None:
    fixed = []
    for seed in (3, 4):
        torch.manual_seed(seed)
        filters = make(f"alone-{kind}").filters(torch.arange(V))
        fixed.append((filters, make("random").table()))
    assert torch.equal(fixed[0][0], fixed[1][0])
    assert torch.equal(fixed[0][1], fixed[1][1])


def test_the_random_table_never_changes() -> None:
    # Like the filters' checksums: old checkpoints depend on it.
    assert decode(make("random").description_version)["checksum"] == "f8d551edba805da1"


@pytest.mark.parametrize("method", ["lookup", "low_rank"])
def test_vectors_in_double_precision_keep_it(method: str) -> None:
    vectors = torch.randn(V, D, dtype=torch.float64)
    vectors[0, 0] = 1e39  # more than single precision holds
    full = {"low_rank_dim": D} if method == "low_rank" else {}
    embedding = EMBEDDINGS[method].from_vectors(vectors, **full)
    torch.testing.assert_close(embedding.table(), vectors, rtol=1e-12, atol=1e25)
    if method == "lookup":
        assert torch.equal(embedding.table(), vectors)
