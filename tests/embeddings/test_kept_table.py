"""The table is built once for a model at rest or a forward pass, and never stale."""

import copy
import pickle
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from fairseq.optim.adam import Adam as FairseqAdam
from torch import Tensor, nn

from alone_fairseq.embeddings import TableSize, build
from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.output import TiedProjection

HIDDEN = torch.randn(3, 8, generator=torch.Generator().manual_seed(0))


class Counting(AloneEmbedding):
    """Counts how often its whole table is built."""

    builds = 0

    def table(self) -> Tensor:
        self.builds += 1
        return super().table()


@pytest.fixture
def embedding() -> Counting:
    torch.manual_seed(1)
    return Counting(40, 8, 1, alone_inter_dim=16, alone_relu_dropout=0.0).eval()


def check_fresh(embedding: Counting) -> None:
    """What the embedding says equals what its parameters say now."""
    hidden = HIDDEN.to(embedding.base.dtype)
    tokens = torch.arange(2, 40)
    with torch.no_grad():
        expected = embedding.table()
        scores = hidden @ expected.T
        torch.testing.assert_close(embedding.tied_logits(hidden), scores)
        torch.testing.assert_close(embedding(tokens), expected[tokens])


def test_a_write_that_leaves_no_trace(embedding: Counting) -> None:
    check_fresh(embedding)
    embedding.base.data.mul_(2.0)
    embedding.drop_table()
    check_fresh(embedding)


def test_it_is_built_once_for_many_steps(embedding: Counting) -> None:
    with torch.no_grad():
        for _ in range(20):
            embedding(torch.tensor([3, 4]))
            embedding.tied_logits(HIDDEN)
    assert embedding.builds == 1


def test_a_decoding_step_lists_the_tensors_twice(
    embedding: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding.serves_softmax = True
    listed: list[None] = []
    parameters = embedding.parameters

    def counted() -> Iterator[nn.Parameter]:
        listed.append(None)
        return parameters()

    with torch.no_grad():
        embedding.tied_logits(HIDDEN)
        monkeypatch.setattr(embedding, "parameters", counted)
        embedding(torch.tensor([3, 4]))
        embedding.tied_logits(HIDDEN)
    assert len(listed) == 2


def test_look_ups_alone_do_not_build_it(embedding: Counting) -> None:
    with torch.no_grad():
        embedding(torch.tensor([3, 4]))
    assert embedding.builds == 0


def test_look_ups_build_it_for_a_tied_softmax(embedding: Counting) -> None:
    TiedProjection(embedding)
    with torch.no_grad():
        embedding(torch.tensor([3, 4]))
        embedding.tied_logits(HIDDEN)
    assert embedding.builds == 1


def test_without_a_table_each_word_is_built_once(embedding: Counting) -> None:
    built = []
    rows = embedding.rows
    embedding.rows = lambda tokens: built.append(tokens.numel()) or rows(tokens)
    tokens = torch.tensor([[3, 4, 3], [3, 3, 4]])
    torch.testing.assert_close(embedding.train()(tokens), rows(tokens))
    assert built == [2]
    assert embedding.builds == 0


def one_pass(embedding: Counting) -> Tensor:
    with embedding.one_table():
        read = embedding(torch.tensor([3, 4])) + embedding(torch.tensor([5, 6]))
        return read.sum() + embedding.tied_logits(HIDDEN).sum()


def test_a_pass_with_gradients_builds_it_once(embedding: Counting) -> None:
    TiedProjection(embedding.train())
    for passes in (1, 2):
        one_pass(embedding).backward()
        assert embedding.builds == passes
        assert embedding._kept._table is None
    assert embedding.base.grad is not None


def test_passes_of_an_update_do_not_share_it(embedding: Counting) -> None:
    # After the first backward pass the first graph is gone.
    TiedProjection(embedding.train())
    first, second = one_pass(embedding), one_pass(embedding)
    first.backward()
    second.backward()


def test_a_pass_that_fails_leaves_none(embedding: Counting) -> None:
    TiedProjection(embedding.train())

    def fail() -> None:
        with embedding.one_table():
            embedding(torch.tensor([3]))
            embedding(torch.tensor([999]))

    with pytest.raises(IndexError):
        fail()
    assert embedding._kept._table is None
    embedding(torch.tensor([3])).sum().backward()


def test_a_pass_at_rest_keeps_it(embedding: Counting) -> None:
    with torch.no_grad():
        for _ in range(3):
            one_pass(embedding)
    assert embedding.builds == 1


def test_a_pass_heeds_where_gradients_are_wanted(embedding: Counting) -> None:
    TiedProjection(embedding.train())
    with embedding.one_table():
        with torch.no_grad():
            embedding.tied_logits(HIDDEN)
        embedding.tied_logits(HIDDEN).sum().backward()
    assert embedding.base.grad is not None


def sgd_step(embedding: Counting) -> None:
    step(embedding, torch.optim.SGD(embedding.parameters(), lr=0.5))


def fairseq_adam_step(embedding: Counting) -> None:
    # fairseq's optimisers write through ``.data``, unseen by version counters.
    step(embedding, FairseqAdam(embedding.parameters(), lr=0.5))


def step(embedding: Counting, optimizer: torch.optim.Optimizer) -> None:
    embedding.table().pow(2).sum().backward()
    optimizer.step()


def load(embedding: Counting) -> None:
    state = {
        name: tensor + 1 if tensor.is_floating_point() else tensor
        for name, tensor in embedding.state_dict().items()
    }
    embedding.load_state_dict(state)


def load_by_assignment(embedding: Counting) -> None:
    state = {
        name: tensor + 1 if tensor.is_floating_point() else tensor
        for name, tensor in embedding.state_dict().items()
    }
    embedding.load_state_dict(state, assign=True)


def cast(embedding: Counting) -> None:
    embedding.bfloat16()


def change_in_place(embedding: Counting) -> None:
    with torch.no_grad():
        embedding.base.mul_(2)


def replace_a_parameter(embedding: Counting) -> None:
    embedding.base = torch.nn.Parameter(embedding.base.detach() * 2)


def point_data_at_other_memory(embedding: Counting) -> None:
    for _ in range(2):  # the second time, the first memory is free to be used again
        embedding.base.data = embedding.base.data * 2


def train_and_write_unseen(embedding: Counting) -> None:
    embedding.train()
    embedding.base.data.mul_(2)
    embedding.eval()


CHANGES: list[Callable[[Counting], Any]] = [
    sgd_step,
    fairseq_adam_step,
    load,
    load_by_assignment,
    cast,
    change_in_place,
    replace_a_parameter,
    point_data_at_other_memory,
    train_and_write_unseen,
]


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_never_stale(
    embedding: Counting, change: Callable[[Counting], Any]
) -> None:
    check_fresh(embedding)
    with torch.no_grad():
        before = embedding.tied_logits(HIDDEN)
    change(embedding)
    check_fresh(embedding)
    with torch.no_grad():
        after = embedding.tied_logits(HIDDEN.to(embedding.base.dtype))
    assert not torch.equal(before, after.float())


def test_memory_that_is_used_again_is_not_taken_for_the_same() -> None:
    """A new parameter may lie where the old one lay, and count its changes from 0."""
    options = Namespace(alone_inter_dim=512)
    embedding = build("alone", options, TableSize(40, 64, 1)).eval()
    hidden, layer = torch.randn(3, 64), embedding.layers[1]
    with torch.no_grad():
        for attempt in range(1, 21):
            layer.weight = None
            layer.weight = nn.Parameter(torch.full((64, 512), 0.1 * attempt))
            expected = hidden @ embedding.table().T
            torch.testing.assert_close(embedding.tied_logits(hidden), expected)


def test_a_device_move_drops_it(embedding: Counting) -> None:
    with torch.no_grad():
        embedding.tied_logits(HIDDEN)
    embedding.to("meta")
    with torch.no_grad():
        assert embedding.tied_logits(HIDDEN.to("meta")).is_meta


def test_it_is_not_used_where_gradients_are_wanted(embedding: Counting) -> None:
    with torch.no_grad():
        embedding.tied_logits(HIDDEN)
    embedding.tied_logits(HIDDEN).sum().backward()
    assert embedding.base.grad is not None
    embedding.base.grad = None
    embedding(torch.tensor([3, 4])).sum().backward()
    assert embedding.base.grad is not None


def test_autocast_has_a_table_of_its_own(embedding: Counting) -> None:
    with torch.no_grad():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert embedding.tied_logits(HIDDEN).dtype == torch.bfloat16
        assert embedding.tied_logits(HIDDEN).dtype == torch.float32
        check_fresh(embedding)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert embedding.tied_logits(HIDDEN).dtype == torch.bfloat16


def test_inference_mode() -> None:
    with torch.inference_mode():
        options = Namespace(alone_inter_dim=16)
        born_inside = build("alone", options, TableSize(40, 8, 1)).eval()
        for context in (nullcontext(), born_inside.one_table()):
            with context:
                before = born_inside.tied_logits(HIDDEN)
                born_inside.base.mul_(2)
                assert not torch.equal(born_inside.tied_logits(HIDDEN), before)


def test_training_frees_its_memory(embedding: Counting) -> None:
    with torch.no_grad():
        embedding.tied_logits(HIDDEN)
        embedding.train()
        assert embedding._kept._table is None
        embedding.tied_logits(HIDDEN)
        assert embedding._kept._table is None


def test_copies_start_without_it(embedding: Counting) -> None:
    with torch.no_grad():
        embedding.tied_logits(HIDDEN)
    assert copy.deepcopy(embedding)._kept._table is None
    assert pickle.loads(pickle.dumps(embedding._kept))._table is None


@pytest.mark.parametrize("method", ["lookup", "random"])
def test_a_stored_table_is_not_copied(method: str) -> None:
    embedding = build(method, Namespace(), TableSize(40, 8, 1)).eval()
    with torch.no_grad():
        embedding.tied_logits(HIDDEN)
    kept = embedding._kept._table
    assert kept is not None
    assert kept.data_ptr() == embedding.vectors.data_ptr()
