"""The look-up method is fairseq's own Transformer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq import options, tasks
from fairseq.dataclass.utils import convert_namespace_to_omegaconf

SIZE_FLAGS = """
--encoder-layers 2 --decoder-layers 2 --encoder-embed-dim 16 --decoder-embed-dim 16
--encoder-ffn-embed-dim 32 --decoder-ffn-embed-dim 32 --encoder-attention-heads 2
--decoder-attention-heads 2 --source-lang a --target-lang b --cpu --dropout 0.1
--criterion label_smoothed_cross_entropy --label-smoothing 0.1
"""

TYING = {
    "all tied": ["--share-all-embeddings"],
    "decoder tied": ["--share-decoder-input-output-embed"],
    "nothing tied": [],
    "unscaled": ["--share-all-embeddings", "--no-scale-embedding"],
}


@pytest.fixture
def build(plugin: None, tmp_path: Path) -> Callable[..., Any]:
    """A function from flags to a task, a model and a criterion."""
    del plugin
    for language in "ab":
        lines = "".join(f"w{number} 1\n" for number in range(20))
        (tmp_path / f"dict.{language}.txt").write_text(lines)

    def run(*flags: str) -> Any:
        parser = options.get_training_parser()
        args = options.parse_args_and_arch(
            parser, [str(tmp_path), *SIZE_FLAGS.split(), *flags]
        )
        cfg = convert_namespace_to_omegaconf(args)
        task = tasks.setup_task(cfg.task)
        return task, task.build_model(cfg.model), task.build_criterion(cfg.criterion)

    return run


def to_ours(name: str) -> str:
    """Name a stock parameter as our model does."""
    return name.replace("embed_tokens.weight", "embed_tokens.vectors")


def make_batch() -> dict[str, Any]:
    source = torch.tensor([[5, 6, 7, 8, 2], [1, 1, 9, 10, 2]])
    target = torch.tensor([[8, 7, 6, 2], [10, 9, 2, 1]])
    previous = torch.tensor([[2, 8, 7, 6], [2, 10, 9, 1]])
    net_input = {
        "src_tokens": source,
        "src_lengths": torch.tensor([5, 3]),
        "prev_output_tokens": previous,
    }
    return {"net_input": net_input, "target": target, "ntokens": 7, "nsentences": 2}


@pytest.mark.parametrize("tying", list(TYING))
@pytest.mark.parametrize("training", [False, True], ids=["at rest", "training"])
def test_lookup_has_the_loss_and_gradients_of_stock_fairseq(
    tying: str, training: bool, build: Callable[..., Any]
) -> None:
    torch.manual_seed(1)
    _, stock, criterion = build("--arch", "transformer", *TYING[tying])
    _, ours, _ = build("--arch", "transformer_lookup_wmt_en_de", *TYING[tying])
    weights = {to_ours(name): p for name, p in stock.named_parameters()}
    mine = dict(ours.named_parameters())
    assert weights.keys() == mine.keys()
    assert sum(p.numel() for p in weights.values()) == sum(
        p.numel() for p in mine.values()
    )
    with torch.no_grad():
        for name, parameter in mine.items():
            assert not torch.equal(parameter, weights[name]) or parameter.ndim == 1
            parameter.copy_(weights[name])

    results = []
    for model in (stock, ours):
        model.train(training)
        torch.manual_seed(2)  # the same dropout
        loss, *_ = criterion(model, make_batch())
        loss.backward()
        results.append(loss)
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)
    for name, parameter in mine.items():
        expected = weights[name].grad
        torch.testing.assert_close(parameter.grad, expected, rtol=1e-6, atol=1e-7)
    assert results[0] > 0
