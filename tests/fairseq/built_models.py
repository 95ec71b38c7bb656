"""Models as fairseq's commands build them, and a batch, without a command."""

import re
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from fairseq import options, tasks
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.logging import metrics
from fairseq.trainer import Trainer

OF_ALONE = {("--alone-inter-dim", "64"), ("--alone-relu-dropout", "0")}
"""What recipes of these tests give to every model, and only ALONE takes."""


@dataclass
class Built:
    """What fairseq makes of a command line."""

    args: Namespace
    task: Any
    model: Any
    criterion: Any

    @cached_property
    def cfg(self) -> Any:
        """The configuration; to make it takes longer than to build the model."""
        return convert_namespace_to_omegaconf(self.args)


def write_dictionaries(folder: Path, sizes: tuple[int, int]) -> Path:
    """Write dictionaries, and no data, for languages a and b."""
    for language, size in zip("ab", sizes, strict=True):
        lines = "".join(f"w{number} {100 - number}\n" for number in range(size))
        (folder / f"dict.{language}.txt").write_text(lines)
    return folder


@pytest.fixture(scope="session")
def dictionaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with the same dictionary for both languages, and with two."""
    return {
        name: write_dictionaries(tmp_path_factory.mktemp("dictionaries"), sizes)
        for name, sizes in (("joint", (30, 30)), ("separate", (30, 21)))
    }


@pytest.fixture
def build(
    plugin: None, recipe: list[str], dictionaries: dict[str, Path]
) -> Callable[..., Built]:
    """A function from flags to a model, as fairseq-train builds it."""
    del plugin

    def run(*flags: object, data: Path | None = None) -> Built:
        words = [str(flag) for flag in flags]
        base = list(recipe)
        if "separate" in words or "untied" in words:
            base.remove("--share-all-embeddings")
        if "after" in words:
            base.remove("--encoder-normalize-before")
            base.remove("--decoder-normalize-before")
        if "on GPU" in words:
            base.remove("--cpu")
        folder = data or dictionaries["separate" if "separate" in words else "joint"]
        ours = ("separate", "untied", "after", "on GPU")
        words = [word for word in words if word not in ours]
        return build_from([str(folder), *base, *words])

    return run


def without_others(given: Sequence[object]) -> list[str]:
    """Take ALONE's options of a recipe off a command line that has another method."""
    words = [str(word) for word in given]
    pairs = list(pairwise(words))
    last = dict(pairs)
    arch = re.sub("^(transformer_lm|[a-z]+)_", "", last.get("--arch", ""))
    if last.get("--embedding-method", arch).startswith("alone"):
        return words
    for start in reversed(range(len(pairs))):
        if pairs[start] in OF_ALONE:
            del words[start : start + 2]
    return words


def build_from(words: list[str]) -> Built:
    """Build what fairseq-train builds of a command line."""
    parser = options.get_training_parser()
    args = options.parse_args_and_arch(parser, without_others(words))
    torch.manual_seed(1)
    task = tasks.setup_task(args)
    model = task.build_model(args)
    return Built(args, task, model, task.build_criterion(args))


def make_batch(task: Any) -> dict[str, Any]:
    """Make two sentences of which one is padded, in fairseq's form of a batch."""
    source_dictionary, target_dictionary = (
        task.source_dictionary,
        task.target_dictionary,
    )
    words = [[4, 5, 6, 7], [8, 9]]

    def stack(rows: list[list[int]], pad: int, left: bool) -> torch.Tensor:
        length = max(map(len, rows))
        padded = [
            [pad] * (length - len(r)) + r if left else r + [pad] * (length - len(r))
            for r in rows
        ]
        return torch.tensor(padded)

    eos, pad = target_dictionary.eos(), target_dictionary.pad()
    source = stack([[*w, eos] for w in words], source_dictionary.pad(), left=True)
    target = stack([[*w[::-1], eos] for w in words], pad, left=False)
    previous = stack([[eos, *w[::-1]] for w in words], pad, left=False)
    net_input = {
        "src_tokens": source,
        "src_lengths": torch.tensor([len(w) + 1 for w in words]),
        "prev_output_tokens": previous,
    }
    ntokens = sum(len(w) + 1 for w in words)
    sizes = {"ntokens": ntokens, "nsentences": len(words), "id": torch.arange(2)}
    return {**sizes, "net_input": net_input, "target": target}


def train(built: Built, updates: int) -> list[float]:
    """Train with fairseq's trainer on one batch; returns the loss of each update."""
    metrics.reset()
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    trainer._dummy_batch = make_batch(built.task)
    losses = []
    # On a CPU fairseq cannot clip gradients while it sees a GPU.
    seen = torch.cuda.is_available() and not built.cfg.common.cpu
    with mock.patch("torch.cuda.is_available", return_value=seen):
        for _ in range(updates):
            logs = trainer.train_step([make_batch(built.task)])
            losses.append(float(logs["nll_loss"]))
    return losses


def logits(model: Any, batch: dict[str, Any]) -> torch.Tensor:
    """Score the vocabulary in evaluation mode."""
    model.eval()
    with torch.no_grad():
        output: torch.Tensor = model(**batch["net_input"])[0].float()
    return output
