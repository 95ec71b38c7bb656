"""Two processes on one machine train as one process does."""

import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

pytestmark = pytest.mark.slow

# No dropout: each process would draw its own.
FLAGS = ("--dropout", 0, "--alone-relu-dropout", 0, "--log-interval", 1)

# Makes each process print its filters and the sum of its parameters.
REPORT = """
from fairseq.trainer import Trainer

stock = Trainer.train_step

def train_step(self, *arguments, **options):
    result = stock(self, *arguments, **options)
    modules = self.model.modules()
    filters = {m.checksum() for m in modules if hasattr(m, "checksum")}
    total = sum(p.double().sum().item() for p in self.model.parameters())
    print("STATE", self.get_num_updates(), *filters, total, flush=True)
    return result

Trainer.train_step = train_step
"""

# fairseq names a GPU to torch's module for --ddp-backend pytorch_ddp, always.
ON_CPUS = """
from fairseq.models import distributed_fairseq_model as place

stock_module = place.DistributedDataParallel
place.DistributedDataParallel = lambda device_ids, output_device, **more: stock_module(
    **more
)
"""


@pytest.fixture(scope="module")
def train_on_two(
    start_command: Callable[..., Any], tiny_data: Path, recipe: list[str]
) -> Callable[..., list[Any]]:
    """A function that trains in two processes and returns what both left behind."""

    def run(
        save_dir: Path,
        *flags: object,
        before: str = "",
        recipe: list[str] = recipe,
    ) -> list[Any]:
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            port = probe.getsockname()[1]
        group = (
            *("--distributed-world-size", 2, "--distributed-no-spawn"),
            *("--distributed-init-method", f"tcp://localhost:{port}"),
            *("--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp"),
        )
        words = (tiny_data, *recipe, *FLAGS, *group, "--save-dir", save_dir, *flags)
        started = [
            start_command(
                "train", *words, "--distributed-rank", rank, before=before + REPORT
            )
            for rank in range(2)
        ]
        both = [running.wait() for running in started]
        for done in both:
            assert done.returncode == 0, str(done)
        return both

    return run


def states(done: Any) -> list[str]:
    """Read what a process printed of its filters and parameters, by update."""
    found: list[str] = re.findall(r"^STATE (.*)$", done.stdout, flags=re.MULTILINE)
    assert found
    return found


def test_two_processes_train_like_one_and_can_be_resumed(
    train_on_two: Callable[..., list[Any]],
    train: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
) -> None:
    alone = train(
        tmp_path / "one", *FLAGS, "--update-freq", 2, "--max-update", 17, before=REPORT
    )
    begun = train_on_two(tmp_path / "two", "--max-update", 10)
    resumed = train_on_two(tmp_path / "two", "--max-update", 17)

    # Both processes hold the same filters and parameters after every update.
    for both in (begun, resumed):
        assert states(both[0]) == states(both[1])
    assert "(epoch 2 @ 10 updates)" in resumed[0].stdout
    filters = {state.split()[1] for state in states(alone)}
    assert len(filters) == 1
    assert {state.split()[1] for state in states(begun[0])} == filters
    assert {state.split()[1] for state in states(resumed[1])} == filters

    losses = [float(log["loss"]) for log in alone.log("train_inner")]
    parts = begun[0].log("train_inner") + resumed[0].log("train_inner")
    assert len(losses) == 17
    assert [float(log["loss"]) for log in parts] == pytest.approx(losses, abs=2e-3)
    assert losses[-1] < losses[0] - 0.5
    one, two = (
        read_checkpoint(tmp_path / name / "checkpoint_last.pt")["model"]
        for name in ("one", "two")
    )
    torch.testing.assert_close(two, one, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("tying", ["all tied", "nothing tied"])
@pytest.mark.parametrize("backend", ["legacy_ddp", "pytorch_ddp"])
def test_the_loss_in_chunks(
    backend: str,
    tying: str,
    train_on_two: Callable[..., list[Any]],
    train: Callable[..., Any],
    recipe: list[str],
    tmp_path: Path,
) -> None:
    """Its softmax matrix is used outside of the module that fairseq distributes."""
    given = ("--max-update", 17)
    left_out = "--share-all-embeddings" if tying == "nothing tied" else ""
    recipe = [word for word in recipe if word != left_out]
    alone = train(tmp_path / "one", *FLAGS, "--update-freq", 2, *given, recipe=recipe)
    chunked = ("--criterion", "chunked_label_smoothed_cross_entropy")
    more = (*chunked, "--ddp-backend", backend, *given)
    both = train_on_two(tmp_path / "two", *more, before=ON_CPUS, recipe=recipe)
    assert states(both[0]) == states(both[1])
    losses = [float(log["loss"]) for log in alone.log("train_inner")]
    mine = [float(log["loss"]) for log in both[0].log("train_inner")]
    assert len(losses) == 17
    assert mine == pytest.approx(losses, abs=2e-3)


@pytest.mark.parametrize("backend", ["legacy_ddp", "pytorch_ddp"])
def test_muon_takes_the_same_steps_on_both(
    backend: str,
    train_on_two: Callable[..., list[Any]],
    train: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """With all that goes with it: own values, centred features, a trained bias."""
    flags = (
        *("--optimizer", "adam_muon", "--muon-for", "network,hidden"),
        *("--alone-own-dim", 4, "--alone-centre", "--softmax-bias", "trained"),
    )
    alone = train(
        tmp_path / "one", *FLAGS, *flags, "--update-freq", 2, "--max-update", 17
    )
    flags = (*flags, "--ddp-backend", backend)
    begun, resumed = (
        train_on_two(tmp_path / "two", *flags, "--max-update", last, before=ON_CPUS)
        for last in (10, 17)
    )
    for both in (begun, resumed):
        assert states(both[0]) == states(both[1])
    losses = [float(log["loss"]) for log in alone.log("train_inner")]
    parts = begun[0].log("train_inner") + resumed[0].log("train_inner")
    assert [float(log["loss"]) for log in parts] == pytest.approx(losses, abs=1e-2)
    assert losses[-1] < losses[0] - 0.5


# Makes each process print the words of each sample.
SAMPLES = """
from alone_fairseq.output.sampled_criterion import SampledCrossEntropyCriterion

stock_draw = SampledCrossEntropyCriterion.draw

def draw(self, target, update):
    words, places, stands_for = stock_draw(self, target, update)
    print("SAMPLE", update, *words.sort().values.tolist(), flush=True)
    return words, places, stands_for

SampledCrossEntropyCriterion.draw = draw
"""


def drawn(done: Any) -> list[str]:
    """Read the samples that a process printed."""
    found: list[str] = re.findall(r"^SAMPLE (.*)$", done.stdout, flags=re.MULTILINE)
    assert found
    return found


@pytest.mark.parametrize("together", [True, False])
def test_a_sample_of_the_words(
    together: bool, train_on_two: Callable[..., list[Any]], tmp_path: Path
) -> None:
    """The processes have one sample or two, and the same parameters in any case."""
    sampled = ("--criterion", "sampled_label_smoothed_cross_entropy")
    flags = (*sampled, "--sampled-words", "95%", "--max-update", 9)
    flags = (*flags, "--output-layer", "joint")
    more = ("--sampled-together",) if together else ()
    both = train_on_two(
        tmp_path, *flags, *more, "--max-tokens", 60, before=ON_CPUS + SAMPLES
    )
    assert states(both[0]) == states(both[1])
    assert (drawn(both[0]) == drawn(both[1])) == together
    losses = [float(log["loss"]) for log in both[0].log("train_inner")]
    assert losses[-1] < losses[0]


def test_a_sample_of_all_words_is_no_sample(
    train_on_two: Callable[..., list[Any]], train: Callable[..., Any], tmp_path: Path
) -> None:
    given = ("--max-update", 9)
    alone = train(tmp_path / "one", *FLAGS, "--update-freq", 2, *given)
    sampled = ("--criterion", "sampled_label_smoothed_cross_entropy")
    flags = (*sampled, "--sampled-words", "100%", "--sampled-together")
    both = train_on_two(tmp_path / "two", *flags, *given)
    losses = [float(log["loss"]) for log in alone.log("train_inner")]
    mine = [float(log["loss"]) for log in both[0].log("train_inner")]
    assert mine == pytest.approx(losses, abs=2e-3)
