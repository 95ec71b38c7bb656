"""The criterion that computes the loss in chunks gives what fairseq's own gives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.logging import metrics
from fairseq.trainer import Trainer

from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import Built, make_batch, train
from tests.fairseq.test_length_model import PAIRS, batch_of
from tests.fairseq.test_one_table import count_tables
from tests.methods import FLAGS

Build = Callable[..., Built]
CHUNKED = ("--criterion", "chunked_label_smoothed_cross_entropy")
QUIET = ("--dropout", 0, "--alone-relu-dropout", 0)
TYING = {
    "all tied": [],
    "decoder tied": ["untied", "--share-decoder-input-output-embed"],
    "nothing tied": ["separate"],
}


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tokens at a time; a batch of these tests would be one chunk otherwise."""
    place = "alone_fairseq.output.chunked_criterion.chunked_cross_entropy"
    from alone_fairseq.output.chunked_cross_entropy import chunked_cross_entropy

    monkeypatch.setattr(
        place, lambda *given, bias: chunked_cross_entropy(*given, 70, bias)
    )


def outcome(built: Built, batch: dict[str, Any]) -> tuple[Any, ...]:
    """Loss, sample size, what is logged, and the gradients of all parameters."""
    built.model.train()
    loss, size, logged = built.criterion(built.model, batch)
    trained = [p for p in built.model.parameters() if p.requires_grad]
    gradients = torch.autograd.grad(loss, trained)
    assert isinstance(logged["nsentences"], int)
    return loss, size, {name: float(logged[name]) for name in logged}, gradients


@pytest.mark.parametrize("tying", list(TYING))
@pytest.mark.parametrize("method", FLAGS)
def test_loss_and_gradients(
    method: str, tying: str, build: Build, methods: dict[str, list[str]]
) -> None:
    flags = (*methods[method], *TYING[tying], *QUIET)
    expected_built, built = build(*flags), build(*flags, *CHUNKED)
    tables = count_tables(built.model.decoder.embed_tokens)
    batch = make_batch(built.task)
    expected = outcome(expected_built, batch)
    torch.testing.assert_close(outcome(built, batch), expected, atol=1e-5, rtol=1e-4)
    if method.startswith("alone"):
        assert len(tables) == (0 if tying == "nothing tied" else 1)
    if method == "low_rank":
        assert not tables


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        ("--sentence-avg",),
        ("--ignore-prefix-size", 2),
        ("--label-smoothing", 0),
    ],
)
def test_its_options(flags: tuple[Any, ...], build: Build) -> None:
    batch = make_batch(build().task)
    expected = outcome(build(*QUIET, *flags), batch)
    mine = outcome(build(*QUIET, *CHUNKED, *flags), batch)
    torch.testing.assert_close(mine, expected, atol=1e-5, rtol=1e-4)


def test_a_model_with_length_control(build: Build) -> None:
    flags = ("--task", "translation_with_length", "--length-lrpe", *QUIET)
    expected_built, built = build(*flags), build(*flags, *CHUNKED)
    batch = batch_of(PAIRS, built.task)
    expected = outcome(expected_built, batch)
    torch.testing.assert_close(outcome(built, batch), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("prefix", [0, 2])
def test_the_loss_of_each_token(prefix: int, build: Build) -> None:
    """fairseq's own commands do not ask for it; other code may."""
    flags = (*QUIET, "--ignore-prefix-size", prefix)
    expected, built = build(*flags), build(*flags, *CHUNKED)
    batch = make_batch(built.task)
    mine, _, _ = built.criterion(built.model, batch, reduce=False)
    wanted, _, _ = expected.criterion(expected.model, batch, reduce=False)
    assert mine.numel() > 1
    torch.testing.assert_close(mine, wanted)


def test_a_batch_of_padding_and_one_that_does_not_count(build: Build) -> None:
    """fairseq gives the second to a process that has run out of data."""
    built = build(*QUIET, *CHUNKED)
    batch = make_batch(built.task)
    loss, *_ = built.criterion(built.model, batch)
    loss *= 0
    loss.backward()
    batch["target"] = torch.full_like(
        batch["target"], built.task.target_dictionary.pad()
    )
    nothing, *_ = built.criterion(built.model, batch)
    nothing.backward()
    assert nothing == 0
    gradients = [p.grad for p in built.model.parameters()]
    assert all(g is not None and not g.any() for g in gradients)


@pytest.mark.slow
@pytest.mark.parametrize("precision", [(), ("--bf16",), ("--memory-efficient-fp16",)])
def test_the_trainer_learns_alike(precision: tuple[str, ...], build: Build) -> None:
    expected = train(build(*QUIET, *precision), 10)
    losses = train(build(*QUIET, *precision, *CHUNKED), 10)
    assert losses[-1] < 0.8 * losses[0]
    tolerance = 0.02 if precision else 1e-4
    rounding = 2e-3  # fairseq rounds what it logs to 0.001
    torch.testing.assert_close(
        torch.tensor(losses), torch.tensor(expected), rtol=tolerance, atol=rounding
    )


@pytest.mark.slow
@pytest.mark.parametrize("precision", [(), ("--memory-efficient-fp16",)])
def test_micro_batches_share_a_table(precision: tuple[str, ...], build: Build) -> None:
    losses = {}
    for name, flags in (("chunked", CHUNKED), ("all at once", ())):
        built = build(*QUIET, *flags, *precision, "--update-freq", 3)
        tables = count_tables(built.model.decoder.embed_tokens)
        metrics.reset()
        trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
        batches = [make_batch(built.task)] * 3
        losses[name] = [float(trainer.train_step(batches)["loss"]) for _ in range(4)]
        assert len(tables) == 4
    tolerance = 0.02 if precision else 1e-4
    rounding = 2e-3  # fairseq rounds what it logs to 0.001
    expected = pytest.approx(losses["all at once"], rel=tolerance, abs=rounding)
    assert losses["chunked"] == expected


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast(dtype: torch.dtype, build: Build) -> None:
    expected_built, built = build(*QUIET), build(*QUIET, *CHUNKED)
    batch = make_batch(built.task)
    with torch.autocast("cpu", dtype):
        loss, *_ = built.criterion(built.model, batch)
        expected, *_ = expected_built.criterion(expected_built.model, batch)
    loss.backward()
    expected.backward()
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, expected, rtol=0.02, atol=0)
    for mine, theirs in zip(
        built.model.parameters(), expected_built.model.parameters(), strict=True
    ):
        if theirs.grad is not None and theirs.grad.norm() > 1e-3:
            assert mine.grad is not None
            assert (mine.grad - theirs.grad).norm() < 0.1 * theirs.grad.norm()


def test_validation_keeps_the_table(build: Build) -> None:
    built = build(*QUIET, *CHUNKED)
    tables = count_tables(built.model.decoder.embed_tokens)
    built.model.eval()
    for _ in range(3):
        with torch.no_grad():
            built.criterion(built.model, make_batch(built.task))
    assert len(tables) == 1


@pytest.mark.parametrize("flag", ["--report-accuracy", "--find-unused-parameters"])
def test_what_cannot_work_with_it_is_refused(flag: str, build: Build) -> None:
    with pytest.raises(AloneError, match=flag):
        build(*CHUNKED, flag)


def test_a_model_of_fairseq_is_refused(build: Build) -> None:
    from fairseq.models.fconv import FConvModel

    built = build(*CHUNKED)
    theirs = FConvModel.__new__(FConvModel)
    torch.nn.Module.__init__(theirs)
    with pytest.raises(AloneError, match=CHUNKED[1]):
        built.criterion(theirs, make_batch(built.task))


@pytest.mark.slow
def test_through_the_commands(train: Callable[..., Any], tmp_path: Path) -> None:
    """It trains and validates, and says how to go on after another criterion."""
    flags = ("--log-interval", 1, "--max-update", 20)
    theirs = train(tmp_path / "theirs", *flags)
    mine = train(tmp_path / "mine", *flags, *CHUNKED)
    for tag, name in (("train_inner", "loss"), ("valid", "valid_loss")):
        losses = [float(log[name]) for log in mine.log(tag)]
        expected = [float(log[name]) for log in theirs.log(tag)]
        assert losses == pytest.approx(expected, abs=2e-3)
        assert losses
    refused = train(tmp_path / "theirs", *flags, *CHUNKED, check=False)
    refused.assert_refused("another --criterion", "--reset-optimizer")
