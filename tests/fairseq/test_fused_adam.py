"""The fused Adam of GPUs: fairseq's steps and states, in fewer kernels."""

import copy

import pytest
import torch
from fairseq.optim.adam import Adam as FairseqAdam
from torch import nn
from torch.optim import Optimizer

from alone_fairseq.optim.adam_and_another import fused_adam
from alone_fairseq.optim.adam_muon import AdamMuon, AdamMuonConfig
from alone_fairseq.optim.parameter_groups import NETWORK, mark

OPTIONS = {"lr": 0.01, "betas": (0.9, 0.98), "eps": 1e-8, "weight_decay": 0.1}
KINDS = ["fused", "fairseq"]


def parameters() -> list[nn.Parameter]:
    generator = torch.Generator().manual_seed(1)
    shapes: list[tuple[int, ...]] = [(6, 4), (5,), (2, 3, 4)]
    return [nn.Parameter(torch.randn(shape, generator=generator)) for shape in shapes]


def make(kind: str, trained: list[nn.Parameter]) -> Optimizer:
    if kind == "fused":
        return fused_adam(trained, OPTIONS)
    adam: Optimizer = FairseqAdam(trained, **OPTIONS)
    return adam


def step(optimizer: Optimizer, trained: list[nn.Parameter], number: int) -> None:
    generator = torch.Generator().manual_seed(number)
    # As a schedule does; and one parameter has no gradient at first.
    optimizer.param_groups[0]["lr"] = 0.01 / (number + 1)
    for index, parameter in enumerate(trained):
        gradient = torch.randn(parameter.shape, generator=generator)
        parameter.grad = None if index == 2 and number == 0 else gradient
    optimizer.step()


def steps(kind: str, numbers: range) -> list[nn.Parameter]:
    trained = parameters()
    optimizer = make(kind, trained)
    for number in numbers:
        step(optimizer, trained, number)
    return trained


def test_it_steps_as_fairseqs_does() -> None:
    both = [steps(kind, range(20)) for kind in KINDS]
    for ours, theirs, start in zip(*both, parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-6)
        assert (ours - start).abs().min() > 1e-4


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("then", KINDS)
def test_each_goes_on_from_the_states_of_the_other(first: str, then: str) -> None:
    """A training on a GPU is carried on on a CPU, and the other way round."""
    trained = parameters()
    before = make(first, trained)
    for number in range(5):
        step(before, trained, number)
    after = make(then, trained)
    after.load_state_dict(copy.deepcopy(before.state_dict()))
    for number in range(5, 10):
        step(after, trained, number)
    expected = steps(first, range(10))
    for ours, theirs in zip(trained, expected, strict=True):
        torch.testing.assert_close(
            ours, theirs, rtol=0, atol=0 if first == then else 2e-6
        )


@pytest.mark.gpu
def test_parameters_on_a_gpu_get_it() -> None:
    trained = [nn.Parameter(p.detach().cuda()) for p in parameters()]
    mark(trained[:1], NETWORK)
    optimizer = AdamMuon(
        AdamMuonConfig(lr=[0.01], adam_betas="(0.9, 0.98)", tpu=False), trained
    )
    for parameter in trained:
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    adam = optimizer.optimizer.parts["adam"]
    assert isinstance(adam, torch.optim.AdamW)
    assert adam.param_groups[0]["fused"]


@pytest.mark.parametrize("old", [False, True])
def test_adam_of_fairseq_can_be_asked_for(old: bool) -> None:
    class OnGpu(nn.Parameter):
        """As far as the choice of Adam can tell."""

        is_cuda = True

    trained = [OnGpu(parameter.detach()) for parameter in parameters()]
    mark(trained[:1], NETWORK)
    flags = {"adam_betas": "(0.9, 0.98)", "tpu": False, "use_old_adam": old}
    optimizer = AdamMuon(AdamMuonConfig(lr=[0.01], **flags), trained)
    adam = optimizer.optimizer.parts["adam"]
    assert type(adam) is (FairseqAdam if old else torch.optim.AdamW)
