"""``--bf16`` trains in bfloat16, without fairseq's switch to TPUs."""

from collections.abc import Callable

import pytest
import torch

from tests.fairseq.built_models import Built, train

Build = Callable[..., Built]


@pytest.mark.parametrize(
    ("method", "flag", "tolerance"),
    [
        ("alone-real", "--bf16", 0.02),
        ("alone-binary", "--bf16", 0.05),
        # No copy of the parameters has more than bfloat16's eight bits.
        ("alone-real", "--memory-efficient-bf16", 0.05),
    ],
)
def test_the_loss_follows_that_of_fp32(
    method: str,
    flag: str,
    tolerance: float,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    quiet = ("--dropout", 0, "--alone-relu-dropout", 0)
    expected = train(build(*methods[method], *quiet), 10)
    built = build(*methods[method], *quiet, flag)
    losses = train(built, 10)
    assert built.model.decoder.embed_tokens.device().type == "cpu"
    assert next(built.model.parameters()).dtype == torch.bfloat16
    assert losses[-1] < 0.8 * losses[0]
    torch.testing.assert_close(
        torch.tensor(losses), torch.tensor(expected), rtol=tolerance, atol=0.0
    )


@pytest.mark.parametrize("arch", ["transformer_alone_toy", "transformer_compact"])
def test_a_tpu_is_not_asked_for(arch: str, build: Build) -> None:
    built = build("--bf16", "--arch", arch, "--embedding-method", "alone")
    assert not built.cfg.common.tpu
