"""Every precision that fairseq offers, on a CPU and, where there is one, on a GPU."""

from collections.abc import Callable

import pytest
import torch

from tests.fairseq.built_models import Built, logits, make_batch, train
from tests.methods import FLAGS

Build = Callable[..., Built]

CHUNKED = ["--criterion", "chunked_label_smoothed_cross_entropy"]
SAMPLED = ["--criterion", "sampled_label_smoothed_cross_entropy"]
NO_DROPOUT = ["--dropout", 0, "--alone-relu-dropout", 0]
ON_GPU = pytest.param("cuda", marks=pytest.mark.gpu)


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", ON_GPU])
@pytest.mark.parametrize("criterion", [[], CHUNKED], ids=["fairseq's loss", "chunked"])
@pytest.mark.parametrize("method", ["alone-real", "alone-binary"])
@pytest.mark.parametrize(
    ("flag", "dtype", "real_tolerance", "binary_tolerance"),
    [
        # On a CPU it would be compared with itself.
        pytest.param("", torch.float32, 1e-3, 1e-3, marks=pytest.mark.gpu),
        ("--fp16", torch.float16, 0.01, 0.01),
        ("--memory-efficient-fp16", torch.float16, 0.01, 0.01),
        # Casts nothing on a CPU: fairseq's --amp is for GPUs.
        ("--amp", torch.float32, 0.01, 0.01),
        ("--bf16", torch.bfloat16, 0.02, 0.05),
        # No copy of the parameters has more than bfloat16's eight bits.
        ("--memory-efficient-bf16", torch.bfloat16, 0.05, 0.1),
    ],
)
def test_the_loss_follows_that_of_fp32_on_a_cpu(
    flag: str,
    dtype: torch.dtype,
    real_tolerance: float,
    binary_tolerance: float,
    method: str,
    criterion: list[str],
    device: str,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    words = [*methods[method], *NO_DROPOUT]
    expected = train(build(*words), 10)
    words += [*flag.split(), *criterion]
    if device == "cuda":
        words.append("on GPU")
    elif flag == "--fp16":
        words.append("--fp16-no-flatten-grads")  # fairseq flattens them on GPUs only
    built = build(*words)
    losses = train(built, 10)
    assert built.model.decoder.embed_tokens.device().type == device
    assert next(built.model.parameters()).dtype == dtype
    assert losses[-1] < 0.8 * losses[0]
    tolerance = real_tolerance if method == "alone-real" else binary_tolerance
    torch.testing.assert_close(
        torch.tensor(losses), torch.tensor(expected), rtol=tolerance, atol=0.0
    )


@pytest.mark.gpu
@pytest.mark.parametrize("method", FLAGS)
def test_a_gpu_scores_as_a_cpu_does(
    method: str,
    build: Build,
    methods: dict[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # It rounds the inputs of an LSTM to ten bits.
    monkeypatch.setattr("torch.backends.cudnn.allow_tf32", False)
    built = build(*methods[method])
    batch = make_batch(built.task)
    expected = logits(built.model, batch)
    on_gpu = {name: words.cuda() for name, words in batch["net_input"].items()}
    found = logits(built.model.cuda(), {"net_input": on_gpu})
    assert found.is_cuda
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.gpu
@pytest.mark.parametrize("method", FLAGS)
@pytest.mark.parametrize("criterion", [CHUNKED, [*SAMPLED, "--sampled-words", "9"]])
def test_a_gpu_learns_as_a_cpu_does(
    criterion: list[str], method: str, build: Build, methods: dict[str, list[str]]
) -> None:
    layer = ("--output-layer", "joint", "--softmax-bias", "unigram")
    words = [*methods[method], *NO_DROPOUT, *layer, *criterion]
    expected = train(build(*words), 5)
    losses = train(build(*words, "on GPU"), 5)
    assert losses == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("arch", ["transformer_alone_toy", "transformer_compact"])
def test_a_tpu_is_not_asked_for(arch: str, build: Build) -> None:
    built = build("--bf16", "--arch", arch, "--embedding-method", "alone")
    assert not built.cfg.common.tpu
