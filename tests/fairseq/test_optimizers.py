"""Muon for networks, Adam for the rest: the values, and what carries them."""

import copy
import functools
import math
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.optim import AMPOptimizer
from fairseq.optim.adam import Adam as FairseqAdam
from fairseq.trainer import Trainer
from torch import nn

from alone_fairseq.errors import AloneError, explain
from alone_fairseq.optim import adam_muon, adam_shared_moment, adam_soap
from alone_fairseq.optim.parameter_groups import ATTRIBUTE, HIDDEN, NETWORK, TABLE, mark
from alone_fairseq.optim.two_optimizers import TwoOptimizers
from tests.fairseq.built_models import Built, make_batch, train

Build = Callable[..., Built]

MUON = ("--optimizer", "adam_muon")
NO_DROPOUT = ("--dropout", 0, "--alone-relu-dropout", 0)


def parameters(group: str = NETWORK) -> list[nn.Parameter]:
    """Two matrices of a group, and a vector of none, with gradients."""
    generator = torch.Generator().manual_seed(1)
    shapes: list[tuple[int, ...]] = [(6, 4), (3, 6), (5,)]
    made = [nn.Parameter(torch.randn(shape, generator=generator)) for shape in shapes]
    mark(made, group)
    for parameter in made:
        parameter.grad = torch.randn(parameter.shape, generator=generator)
    return made


def options(**changes: Any) -> Namespace:
    settings = {
        **{"lr": [0.01], "adam_betas": "(0.9, 0.98)", "adam_eps": 1e-8, "tpu": False},
        **{"weight_decay": 0.0, "use_old_adam": False, "fp16_adam_stats": False},
        **{"muon_for": "network", "muon_lr_factor": 1.0, "muon_momentum": 0.95},
        **{"muon_weight_decay": 0.0, "shared_moment_for": "table"},
        **{
            "soap_for": "network",
            "soap_lr_factor": 1.0,
            "soap_interval": 10,
            **changes,
        },
    }
    return Namespace(**settings)


def test_muon_is_torchs_stepped_by_hand() -> None:
    ours, theirs = parameters(), parameters()
    optimizer = adam_muon.AdamMuon(options(muon_lr_factor=2.0), ours)
    muon = torch.optim.Muon(
        theirs[:2], lr=0.02, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"
    )
    adam = FairseqAdam(theirs[2:], lr=0.01, betas=(0.9, 0.98))
    for number in range(5):
        rate = 0.01 * (number + 1)
        optimizer.set_lr(rate)
        muon.param_groups[0]["lr"], adam.param_groups[0]["lr"] = 2 * rate, rate
        for each in (optimizer, muon, adam):
            each.step()
        for mine, plain in zip(ours, theirs, strict=True):
            torch.testing.assert_close(mine, plain, rtol=0, atol=1e-7)
            assert mine.grad is not None
            mine.grad = plain.grad = mine.grad.roll(1, 0)


def test_nothing_decays_by_default(build: Build, methods: dict[str, list[str]]) -> None:
    built = build(*methods["alone-real"], *MUON)
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    groups = trainer.optimizer.optimizer.param_groups
    assert [group["weight_decay"] for group in groups] == [0.0, 0.0]


def test_one_second_moment_is_the_mean_of_all() -> None:
    """Adam with every entry's second moment replaced by the mean over the matrix."""
    ours, theirs = parameters(TABLE), parameters(TABLE)
    optimizer = adam_shared_moment.AdamSharedMoment(options(), ours)
    first, second = torch.zeros(6, 4), 0.0
    for step in range(1, 4):
        gradient = ours[0].grad
        assert gradient is not None
        first = 0.9 * first + 0.1 * gradient
        second = 0.98 * second + 0.02 * gradient.square().mean().item()
        size = 0.01 * math.sqrt(1 - 0.98**step) / (1 - 0.9**step)
        theirs[0].data -= size * first / (math.sqrt(second) + 1e-8)
        optimizer.step()
        torch.testing.assert_close(ours[0], theirs[0])
        ours[0].grad = gradient.roll(1, 1)


def test_soap_is_adam_in_the_eigenbases_of_rows_and_columns() -> None:
    """Vyas et al. (2024), Algorithm 3, with bases that stay those of the first step."""
    pytest.importorskip("pytorch_optimizer")
    generator = torch.Generator().manual_seed(1)
    draw = functools.partial(torch.randn, 5, 5, generator=generator)
    # Square, since the basis of what has no gradient would be anyone's.
    ours, other = nn.Parameter(draw()), nn.Parameter(torch.zeros(1))
    mark([ours], NETWORK)
    first, expected = draw(), ours.detach().clone()
    left, right = (
        torch.linalg.eigh(product)[1] for product in (first @ first.T, first.T @ first)
    )
    optimizer = adam_soap.AdamSoap(options(soap_lr_factor=0.5), [ours, other])
    ours.grad = first
    optimizer.step()
    assert torch.equal(ours, expected)
    mean, squares = torch.zeros(5, 5), torch.zeros(5, 5)
    for step in range(1, 4):
        ours.grad = gradient = draw()
        mean = 0.95 * mean + 0.05 * gradient
        squares = 0.95 * squares + 0.05 * (left.T @ gradient @ right).square()
        size = 0.005 * math.sqrt(1 - 0.95**step) / (1 - 0.95**step)
        turned = left.T @ mean @ right / (squares.sqrt() + 1e-8)
        expected -= size * left @ turned @ right.T
        optimizer.step()
        torch.testing.assert_close(ours.detach(), expected, rtol=0, atol=1e-5)


def test_soap_goes_on_as_it_would_have_and_has_the_flags_of_now() -> None:
    pytest.importorskip("pytorch_optimizer")
    ours = parameters()
    optimizer = adam_soap.AdamSoap(options(soap_interval=2), ours)
    for _ in range(3):
        optimizer.step()
    twins = [nn.Parameter(p.detach().clone()) for p in ours]
    mark(twins, NETWORK)
    again = adam_soap.AdamSoap(options(lr=[7.0], soap_interval=2), twins)
    again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for twin, parameter in zip(twins, ours, strict=True):
        twin.grad = parameter.grad
    for _ in range(3):
        for each in (optimizer, again):
            each.set_lr(0.01)
            each.step()
    for twin, parameter in zip(twins, ours, strict=True):
        assert torch.equal(twin, parameter)
    # Six steps are done: bases are computed again at the next multiple of the interval.
    changed = adam_soap.AdamSoap(options(soap_interval=8), twins)
    changed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    soap, anew = changed.optimizer.parts["soap"], []
    for _ in range(4):
        before = soap.state[twins[0]]["Q"][0].clone()
        changed.step()
        anew.append(not torch.equal(before, soap.state[twins[0]]["Q"][0]))
    assert anew == [False, False, True, False]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"soap_lr_factor": 0.0}, "--soap-lr-factor must be above 0 and finite, not 0"),
        ({"soap_interval": 0}, "--soap-interval must be at least 1, not 0"),
        ({"soap_for": "tabel"}, "--soap-for must be some of network"),
        ({"soap_for": "hidden"}, "adam_soap: the model has no trained matrix of the"),
    ],
)
def test_soap_refuses(changes: dict[str, object], words: str) -> None:
    with pytest.raises(AloneError) as caught:
        adam_soap.AdamSoap(options(**changes), parameters())
    assert words in str(caught.value)


def test_soap_without_its_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytorch_optimizer", None)
    with pytest.raises(AloneError, match="pip install"):
        adam_soap.AdamSoap(options(), parameters())


@pytest.mark.parametrize(
    ("method", "groups"),
    [
        ("alone-real", {"layers.0.weight": NETWORK, "layers.1.weight": NETWORK}),
        ("low_rank", {"narrow": TABLE, "expansion": NETWORK}),
        ("lookup", {"vectors": TABLE}),
    ],
)
def test_parameters_say_what_they_are_for(
    method: str, groups: dict[str, str], build: Build, methods: dict[str, list[str]]
) -> None:
    model = build(*methods[method]).model
    found = {
        name: getattr(parameter, ATTRIBUTE, None)
        for name, parameter in model.encoder.embed_tokens.named_parameters()
    }
    assert {name: group for name, group in found.items() if group} == groups
    hidden = model.encoder.layers[0].fc1
    assert getattr(hidden.weight, ATTRIBUTE) == HIDDEN
    assert not hasattr(hidden.bias, ATTRIBUTE)


def test_clipping_and_the_rate_reach_both(
    build: Build, methods: dict[str, list[str]]
) -> None:
    built = build(*methods["alone-real"], *MUON, "--muon-lr-factor", 3)
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    found = {id(p) for p in trainer.optimizer.params}
    assert found == {id(p) for p in built.model.parameters() if p.requires_grad}
    trainer.optimizer.set_lr(0.25)
    rates = {
        name: [group["lr"] for group in part.param_groups]
        for name, part in trainer.optimizer.optimizer.parts.items()
    }
    assert rates == {"adam": [0.25], "muon": [0.75]}
    assert trainer.optimizer.get_lr() == 0.25


def test_gradients_are_clipped_over_all(
    build: Build, methods: dict[str, list[str]]
) -> None:
    """One norm of both optimisers' parameters; each alone would be scaled to 0.1."""
    flags = (*methods["alone-real"], *MUON, *NO_DROPOUT, "--clip-norm")
    gradients = []
    for norm in (0, 0.1):
        built = build(*flags, norm)
        train(built, 1)
        gradients.append(
            {
                name: p.grad.clone()
                for name, p in built.model.named_parameters()
                if p.grad is not None
            }
        )
    plain, clipped = gradients
    whole = torch.stack([g.norm() for g in plain.values()]).norm()
    assert whole > 0.1
    for name, gradient in clipped.items():
        torch.testing.assert_close(gradient, plain[name] * (0.1 / whole))


@pytest.mark.parametrize(
    "method",
    [
        "alone-real",
        pytest.param("alone-binary", marks=pytest.mark.slow),
        pytest.param("low_rank", marks=pytest.mark.slow),
    ],
)
def test_it_learns(method: str, build: Build, methods: dict[str, list[str]]) -> None:
    losses = train(build(*methods[method], *MUON, *NO_DROPOUT), 20)
    assert losses[-1] < 0.8 * losses[0]


def test_it_learns_with_soap(build: Build, methods: dict[str, list[str]]) -> None:
    pytest.importorskip("pytorch_optimizer")
    soap = ("--optimizer", "adam_soap")
    losses = train(build(*methods["alone-real"], *soap, *NO_DROPOUT), 20)
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags",
    [
        ("--fp16", "--fp16-no-flatten-grads"),
        ("--bf16",),
        ("--amp",),
        pytest.param(
            ("on GPU", "--fp16", "--fp16-no-flatten-grads"), marks=pytest.mark.gpu
        ),
        pytest.param(("on GPU", "--amp"), marks=pytest.mark.gpu),
    ],
    ids=str,
)
def test_other_precisions_learn_as_well(
    flags: tuple[object, ...], build: Build, methods: dict[str, list[str]]
) -> None:
    words = (*methods["alone-real"], *MUON, *NO_DROPOUT)
    expected = train(build(*words), 10)
    losses = train(build(*words, *flags), 10)
    torch.testing.assert_close(
        torch.tensor(losses), torch.tensor(expected), rtol=0.05, atol=0.0
    )


@pytest.mark.parametrize("groups", ["network,hidden", "hidden", "table, hidden"])
def test_other_groups(groups: str, build: Build, methods: dict[str, list[str]]) -> None:
    built = build(*methods["low_rank"], *MUON, "--muon-for", groups)
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    muon = trainer.optimizer.optimizer.parts["muon"]
    found = {getattr(p, ATTRIBUTE) for g in muon.param_groups for p in g["params"]}
    assert found == {name.strip() for name in groups.split(",")}
    trainer._dummy_batch = make_batch(built.task)
    trainer.train_step([make_batch(built.task)])


@pytest.mark.parametrize(("layer", "maps"), [("joint", 2), ("bilinear", 1)])
def test_the_maps_of_an_output_layer_are_of_the_network(
    layer: str, maps: int, build: Build, methods: dict[str, list[str]]
) -> None:
    words = (*methods["alone-real"], *MUON, "--output-layer", layer)
    model = build(*words).model
    inside = {id(p) for p in model.decoder.embed_tokens.parameters()}
    own = [
        p
        for p in model.output_layer().parameters()
        if id(p) not in inside and getattr(p, ATTRIBUTE, None) == NETWORK
    ]
    assert [p.dim() for p in own] == [2] * maps


def refusal(built: Built) -> str:
    """What a user is told when the optimiser is built."""
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    with pytest.raises(Exception) as caught:  # noqa: PT011 (explain tells which)
        trainer.optimizer  # noqa: B018 (a property that builds it)
    line = explain(caught.value)
    assert line is not None
    assert "\n" not in line
    return line


@pytest.mark.parametrize(
    ("method", "flags", "words"),
    [
        ("lookup", (), "no trained matrix of the group network (it has hidden, table)"),
        ("alone-real", ("--muon-for", "tabel"), "--muon-for must be some of network"),
        ("alone-real", ("--muon-for", "network,table"), "of the group table (it has"),
        ("alone-real", ("--muon-lr-factor", 0), "--muon-lr-factor must be above 0"),
        ("alone-real", ("--muon-lr-factor", "inf"), "above 0 and finite, not inf"),
        ("alone-real", ("--muon-momentum", 1), "--muon-momentum must lie in [0, 1)"),
        (
            "alone-real",
            ("--muon-weight-decay", -1),
            "must be finite and not negative, it is -1",
        ),
        pytest.param(
            *("alone-real", ("on GPU", "--fp16"), "--fp16-no-flatten-grads"),
            marks=pytest.mark.gpu,
        ),
        ("alone-real", ("--memory-efficient-fp16",), "--fp16-no-flatten-grads"),
        ("alone-real", ("--memory-efficient-bf16",), "which AdamMuon does not"),
    ],
)
def test_what_cannot_work_is_refused(
    method: str,
    flags: tuple[object, ...],
    words: str,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    assert words in refusal(build(*methods[method], *MUON, *flags))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("optimizer", [MUON, ("--optimizer", "adam")], ids=str)
def test_half_precision_that_needs_a_gpu_is_refused(
    optimizer: tuple[object, ...], build: Build, methods: dict[str, list[str]]
) -> None:
    built = build(*methods["alone-real"], *optimizer, "--fp16")
    assert "PyTorch finds no GPU" in refusal(built)


def test_one_vector_of_all_parameters_is_refused() -> None:
    flat = nn.Parameter(torch.zeros(50))
    with pytest.raises(AloneError, match="add --fp16-no-flatten-grads"):
        adam_muon.AdamMuon(options(), [flat])


def test_a_torch_without_muon_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.optim, "Muon")
    with pytest.raises(AloneError, match=r"needs torch 2\.9 or newer, this is"):
        adam_muon.AdamMuon(options(), parameters())


def test_the_state_of_another_optimizer_is_refused() -> None:
    optimizer = adam_muon.AdamMuon(options(), parameters())
    other = adam_shared_moment.AdamSharedMoment(
        options(shared_moment_for="network"), parameters()
    )
    for state in (torch.optim.Adam(parameters()).state_dict(), other.state_dict()):
        with pytest.raises(AloneError, match="with another --optimizer"):
            optimizer.load_state_dict(state)


def test_amp_hands_states_to_the_optimizer() -> None:
    """Ours keeps the flags of now, which torch's behind it would not."""
    wrapped = AMPOptimizer.__new__(AMPOptimizer)
    wrapped.fp32_optimizer = adam_muon.AdamMuon(options(), parameters())
    other = adam_muon.AdamMuon(options(muon_momentum=0.5), parameters())
    wrapped.load_state_dict(other.state_dict())
    assert wrapped.fp32_optimizer.param_groups[-1]["momentum"] == 0.95


def test_a_restored_state_makes_the_same_step() -> None:
    ours = parameters()
    optimizer = adam_muon.AdamMuon(options(), ours)
    optimizer.step()
    state = copy.deepcopy(optimizer.state_dict())
    twins = [copy.deepcopy(p) for p in ours]
    mark(twins, NETWORK)  # copies are of no group
    for twin, parameter in zip(twins, ours, strict=True):
        twin.grad = parameter.grad
    again = adam_muon.AdamMuon(options(lr=[7.0], muon_lr_factor=2.0), twins)
    again.load_state_dict(state)
    # Also by a schedule that leaves it as it is.
    assert again.optimizer.parts["muon"].param_groups[0]["lr"] == 2 * 0.01
    for each, factor in ((optimizer, 1.0), (again, 2.0)):
        each.set_lr(0.5)
        parts = each.optimizer.parts
        assert parts["muon"].param_groups[0]["lr"] == 0.5 * factor
        parts["muon"].param_groups[0]["lr"] = 0.5
        each.step()
    assert isinstance(again.optimizer, TwoOptimizers)
    for twin, parameter in zip(twins, ours, strict=True):
        assert torch.equal(twin, parameter)


def test_muons_flags_are_those_of_now() -> None:
    started = adam_muon.AdamMuon(options(), parameters())
    started.step()
    state = copy.deepcopy(started.state_dict())
    changed = options(muon_momentum=0.5, muon_weight_decay=0.1)
    again = adam_muon.AdamMuon(changed, parameters())
    for overrides, momentum in ((None, 0.5), ({"momentum": 0.7}, 0.7)):
        again.load_state_dict(copy.deepcopy(state), overrides)
        (group,) = again.optimizer.parts["muon"].param_groups
        assert (group["momentum"], group["weight_decay"]) == (momentum, 0.1)
    (before,) = started.optimizer.parts["muon"].param_groups
    loaded = again.optimizer.parts["muon"].state
    for mine, old in zip(group["params"], before["params"], strict=True):
        expected = started.optimizer.parts["muon"].state[old]["momentum_buffer"]
        assert torch.equal(loaded[mine]["momentum_buffer"], expected)


def test_the_state_of_other_matrices_is_refused() -> None:
    state = adam_muon.AdamMuon(options(), parameters()).state_dict()
    others = parameters()
    mark(others[1:], TABLE)
    with pytest.raises(AloneError, match="give the --muon-for, --soap-for or"):
        adam_muon.AdamMuon(options(), others).load_state_dict(state)


def test_gradients_are_unscaled_once(
    build: Build, methods: dict[str, list[str]]
) -> None:
    """With --amp, whose scaler fairseq turns off where there is no GPU."""
    flags = (*methods["alone-real"], *MUON, *NO_DROPOUT)
    expected = train(build(*flags), 4)
    built = build(*flags, "--amp")
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    trainer.optimizer._grad_scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)
    trainer._dummy_batch = make_batch(built.task)
    steps: list[torch.Tensor] = []
    stock = trainer.optimizer.optimizer.step

    def step(*given: Any) -> Any:
        steps.append(built.model.encoder.embed_tokens.base.grad.norm())
        return stock(*given)

    trainer.optimizer.optimizer.step = step
    logs = [trainer.train_step([make_batch(built.task)]) for _ in range(4)]
    losses = [float(log["nll_loss"]) for log in logs]
    assert losses == pytest.approx(expected, rel=1e-3)
    assert min(steps) > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "groups", "batches"),
    [("muon", "network,hidden", 2), ("soap", "network", 1)],
)
def test_a_training_goes_on_bit_for_bit(
    key: str,
    groups: str,
    batches: int,
    train: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
) -> None:
    if key == "soap":
        pytest.importorskip("pytorch_optimizer")
    flags: tuple[Any, ...] = ("--optimizer", f"adam_{key}", f"--{key}-for", groups)
    flags += ("--update-freq", batches)
    train(tmp_path / "whole", *flags, "--max-update", 20)
    train(tmp_path / "parts", *flags, "--max-update", 11)
    resumed = train(tmp_path / "parts", *flags, "--max-update", 20)
    assert "@ 11 updates" in resumed.stdout
    whole, parts = (
        read_checkpoint(tmp_path / name / "checkpoint_last.pt")
        for name in ("whole", "parts")
    )
    torch.testing.assert_close(parts["model"], whole["model"], rtol=0, atol=0)
    for name in ("adam", key):
        mine, expected = (
            each["last_optimizer_state"][name]["state"] for each in (parts, whole)
        )
        torch.testing.assert_close(mine, expected, rtol=0, atol=0)


@pytest.mark.slow
def test_a_checkpoint_of_adam_is_refused_unless_reset(
    train: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
) -> None:
    train(tmp_path, "--max-update", 2)
    before = read_checkpoint(tmp_path / "checkpoint_last.pt")
    refused = train(tmp_path, *MUON, "--max-update", 4, check=False)
    refused.assert_refused("another --optimizer", "--reset-optimizer")
    # At such a rate the weights stay as they were read.
    slow = ("--lr", 1e-9, "--max-update", 4, "--reset-optimizer")
    train(tmp_path, *MUON, *slow)
    after = read_checkpoint(tmp_path / "checkpoint_last.pt")
    torch.testing.assert_close(after["model"], before["model"], rtol=0, atol=1e-7)
    assert not torch.equal(
        after["model"]["encoder.embed_tokens.base"],
        before["model"]["encoder.embed_tokens.base"],
    )
    assert {"adam", "muon"} <= after["last_optimizer_state"].keys()
    assert "muon" not in before["last_optimizer_state"]


def test_parameters_are_in_the_order_of_their_names(
    build: Build, methods: dict[str, list[str]]
) -> None:
    """fairseq names the one that overflows by its place."""
    built = build(*methods["alone-real"], *MUON)
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    given = [p for p in built.model.parameters() if p.requires_grad]
    for mine, expected in zip(trainer.optimizer.params, given, strict=True):
        assert mine is expected
