"""All micro-batches of an update share one table, whose gradient is passed on once."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fairseq.logging import metrics
from fairseq.trainer import Trainer

from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import Built, make_batch
from tests.fairseq.test_one_table import count_tables

Build = Callable[..., Built]
NO_DROPOUT = ("--alone-relu-dropout", 0, "--dropout", 0)


def add_up(
    built: Built, batches: int = 3, scale: float = 1, half: bool = False
) -> list[torch.Tensor]:
    """Go back through several batches, as fairseq does within an update."""
    built.model.train()
    built.model.zero_grad()
    for number in range(batches):
        built.model.set_num_updates(0)
        batch = make_batch(built.task)
        batch["target"] = batch["target"].roll(number, dims=1)  # different gradients
        with torch.autocast("cpu", torch.float16, enabled=half):
            loss = built.criterion(built.model, batch)[0]
        (scale * loss).backward()
    built.model.all_reduce_grads()
    return [p.grad.clone() for p in built.model.parameters() if p.grad is not None]


@pytest.fixture(params=["inner values kept", "computed again"])
def inner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways back through a table; left alone, one as small as these is kept."""
    if request.param == "computed again":
        monkeypatch.setattr("alone_fairseq.embeddings.tables.network.KEPT_BYTES", 0)
    return str(request.param)


@pytest.mark.usefixtures("inner")
@pytest.mark.parametrize("method", ["alone-real", "alone-binary"])
@pytest.mark.parametrize(
    "flags",
    [
        NO_DROPOUT,
        (*NO_DROPOUT, "--alone-freeze-base"),
        (*NO_DROPOUT, "untied", "--share-decoder-input-output-embed"),
        ("--alone-relu-dropout", 0.5, "--dropout", 0.1),
    ],
    ids=lambda flags: " ".join(map(str, flags)),
)
def test_gradients_are_those_of_a_table_for_each_batch(
    method: str,
    flags: tuple[Any, ...],
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    built = build(*methods[method], *map(str, flags), "--update-freq", 3)
    tables = count_tables(built.model.decoder.embed_tokens)
    torch.manual_seed(5)
    shared = add_up(built)
    assert len(tables) == 1
    built.model.adds_up_batches = False
    torch.manual_seed(5)
    separate = add_up(built)
    assert len(tables) == 4
    for gradient, expected in zip(shared, separate, strict=True):
        torch.testing.assert_close(gradient, expected, atol=1e-5, rtol=1e-4)


def test_a_model_that_was_read_has_whole_gradients(build: Build) -> None:
    """Nobody but fairseq's trainer passes a shared table's gradient on."""
    gradients = []
    for updates in (1, 3):
        model = build(*NO_DROPOUT, "--update-freq", updates).model.train()
        model.set_num_updates(7)
        model.load_state_dict(model.state_dict())
        model(torch.arange(4, 9)[None], torch.tensor([5]), torch.arange(4, 9)[None])[
            0
        ].logsumexp(-1).sum().backward()
        gradients.append([p.grad for p in model.parameters()])
    for found, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(found, expected)


def test_half_precision_of_autocast_does_not_overflow_in_the_sum(
    build: Build, methods: dict[str, list[str]]
) -> None:
    """float16 ends at 65,504, and each batch comes near it."""
    built = build(*methods["alone-real"], *NO_DROPOUT, "--update-freq", 3)

    embedding = built.model.decoder.embed_tokens
    tables, found = count_tables(embedding), []
    for shared in (True, False):
        built.model.adds_up_batches = shared
        assert all(g.isfinite().all() for g in add_up(built, 8, scale=512, half=True))
        found.append([p.grad.clone() for p in embedding.parameters()])
    assert len(tables) == 1 + 8
    for gradient, expected in zip(*found, strict=True):
        assert gradient.dtype == torch.float32
        assert (gradient - expected).norm() < 0.02 * expected.norm()


@pytest.mark.slow
@pytest.mark.usefixtures("inner")
@pytest.mark.parametrize("flags", [(), ("--memory-efficient-fp16",), ("--bf16",)])
def test_the_trainer_learns_alike_with_it(build: Build, flags: tuple[str]) -> None:
    losses = {}
    for shared in (True, False):
        built = build(*NO_DROPOUT, *flags, "--update-freq", 3)
        built.model.adds_up_batches = shared
        tables = count_tables(built.model.decoder.embed_tokens)
        metrics.reset()
        trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
        batches = [make_batch(built.task)] * 3
        losses[shared] = [
            float(trainer.train_step(batches)["nll_loss"]) for _ in range(6)
        ]
        assert len(tables) == (6 if shared else 18)
    assert losses[True][-1] < 0.9 * losses[True][0]
    tolerance = 0.02 if flags else 1e-4
    torch.testing.assert_close(
        torch.tensor(losses[True]),
        torch.tensor(losses[False]),
        rtol=tolerance,
        atol=tolerance,
    )


@pytest.mark.parametrize(
    "flags", [("--update-freq", 1), ("--update-freq", 3, "--distributed-world-size", 2)]
)
def test_it_is_used_only_where_fairseq_asks_for_the_gradient(
    build: Build, flags: tuple[Any, ...]
) -> None:
    built = build(*NO_DROPOUT, *flags)
    tables = count_tables(built.model.decoder.embed_tokens)
    add_up(built)
    assert len(tables) == 3


def test_a_sum_ends_with_the_gradients_that_were_taken_away(build: Build) -> None:
    # After running out of memory fairseq calls zero_grad and goes on.
    built = build(*NO_DROPOUT, "--update-freq", 3)
    expected = add_up(built, batches=2)
    built.model.zero_grad()
    built.criterion(built.model, make_batch(built.task))[0].backward()
    for gradient, same in zip(add_up(built, batches=2), expected, strict=True):
        torch.testing.assert_close(gradient, same)


def test_a_step_without_its_gradient_is_refused(build: Build) -> None:
    built = build(*NO_DROPOUT, "--update-freq", 3)
    optimizer = torch.optim.SGD(built.model.parameters(), lr=0.1)
    other = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    built.model.train()
    built.model.set_num_updates(0)
    built.criterion(built.model, make_batch(built.task))[0].backward()
    other.step()
    with pytest.raises(AloneError, match=r"call model\.all_reduce_grads\(\)"):
        optimizer.step()
    built.model.all_reduce_grads()
    optimizer.step()


def test_a_loop_that_is_not_fairseqs_trainer_needs_no_call(build: Build) -> None:
    built = build(*NO_DROPOUT, "--update-freq", 3)
    built.model.train()
    before = built.model.decoder.embed_tokens.base.detach().clone()
    optimizer = torch.optim.SGD(built.model.parameters(), lr=0.1)
    built.criterion(built.model, make_batch(built.task))[0].backward()
    optimizer.step()
    assert not torch.equal(before, built.model.decoder.embed_tokens.base)


def test_a_look_up_table_is_used_as_it_is(
    build: Build, methods: dict[str, list[str]]
) -> None:
    built = build(*methods["lookup"], "--dropout", 0, "--update-freq", 3)
    tables = count_tables(built.model.decoder.embed_tokens)
    add_up(built)
    assert len(tables) == 3


def begin_update(build: Build) -> Built:
    """Go back through one batch of several."""
    built = build(*NO_DROPOUT, "--update-freq", 3)
    built.model.train()
    built.model.set_num_updates(0)
    built.criterion(built.model, make_batch(built.task))[0].backward()
    return built


def replace_by_half(model: Any) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad = parameter.grad * 0.5


def halve_in_place(model: Any) -> None:
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.mul_(0.5)


def zero_in_place(model: Any) -> None:
    model.zero_grad(set_to_none=False)


CHANGES = [replace_by_half, halve_in_place, zero_in_place]


@pytest.mark.parametrize("change", CHANGES)
def test_gradients_changed_within_an_update_are_refused(
    build: Build, change: Callable[[Any], None]
) -> None:
    """Half of the parameters' gradients, or none, is not what the table has."""
    built = begin_update(build)
    change(built.model)
    with pytest.raises(AloneError, match=r"call model\.all_reduce_grads\(\) first"):
        built.model.all_reduce_grads()
    built.model.zero_grad()
    expected = add_up(build(*NO_DROPOUT, "--update-freq", 3))
    for gradient, same in zip(add_up(built), expected, strict=True):
        torch.testing.assert_close(gradient, same)


@pytest.mark.parametrize("change", CHANGES)
def test_the_next_batch_finds_the_change_too(
    build: Build, change: Callable[[Any], None]
) -> None:
    built = begin_update(build)
    change(built.model)
    with pytest.raises(AloneError, match=r"zero_grad\(set_to_none=True\)"):
        built.criterion(built.model, make_batch(built.task))


@pytest.mark.parametrize("change", [halve_in_place, replace_by_half])
def test_complete_gradients_may_be_changed(
    build: Build, change: Callable[[Any], None]
) -> None:
    built = begin_update(build)
    built.model.all_reduce_grads()
    change(built.model)
    torch.optim.SGD(built.model.parameters(), lr=0.1).step()
