"""The task that gives the length: what it refuses, and which lengths it gives."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.fairseq.built_models import Built, make_batch

TASK = ["--task", "translation_with_length"]
LRPE = [*TASK, "--length-lrpe"]
REFUSED = {
    "no encoding": (TASK, "--length-lrpe or --length-ldpe"),
    "only the ordinary one": ([*TASK, "--length-ordinary"], "--length-lrpe"),
    "another task": (["--length-ldpe"], "--task translation_with_length"),
    "learned": ([*LRPE, "--decoder-learned-pos"], "--decoder-learned-pos"),
    "no positions": (
        [*LRPE, "--no-token-positional-embeddings"],
        "--no-token-positional-embeddings",
    ),
    "too narrow": ([*LRPE, "--decoder-embed-dim", 2], "--decoder-embed-dim"),
    "zero": ([*LRPE, "--desired-length", 0], "--desired-length"),
    "a file": ([*LRPE, "--desired-lengths", "FILE"], "remove it"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_refused_before_data_are_read(
    case: str, build: Callable[..., Built], tmp_path: Path
) -> None:
    """The folders of these tests hold dictionaries and no data."""
    from alone_fairseq.errors import AloneError

    (tmp_path / "lengths.txt").write_text("5\n")
    flags, name = REFUSED[case]
    words = [str(tmp_path / "lengths.txt") if x == "FILE" else x for x in flags]
    with pytest.raises(AloneError) as caught:
        build(*words)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def with_desired(built: Built, **desired: Any) -> Any:
    """Give the task other desired lengths."""
    from alone_fairseq.length_control.desired import DesiredLengths

    built.task.desired = DesiredLengths(**desired)
    return built.task


def test_lengths_of_a_batch_keep_to_their_sentences(
    build: Callable[..., Built],
) -> None:
    built = build(*LRPE)
    sample = make_batch(built.task)
    seen: list[torch.Tensor] = []

    class Generator:
        """What stands in for beam search and keeps the lengths."""

        def generate(self, _: Any, sample: dict[str, Any], **__: Any) -> None:
            seen.append(sample["net_input"]["target_lengths"])

    def lengths() -> list[int]:
        built.task.inference_step(Generator(), [built.model], sample)
        return seen[-1].tolist()

    assert lengths() == [5, 3]  # those of the references, as in validation
    with_desired(built, same=7)
    assert lengths() == [8, 8]
    with_desired(built, each=(3, 4, 5, 6))
    assert lengths() == [4, 5]
    sample["id"] = torch.tensor([3, 0])  # sorted and filtered by fairseq
    assert lengths() == [7, 4]
    with_desired(built, gold=True)
    assert lengths() == [5, 3]
    assert "target_lengths" not in sample["net_input"]


def test_training_takes_the_length_of_the_reference(
    build: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build(*LRPE, "--desired-length", 9)
    seen = []
    whole = type(built.model.encoder).forward

    def forward(self: Any, *arguments: Any, **options: Any) -> Any:
        seen.append(options["target_lengths"].tolist())
        return whole(self, *arguments, **options)

    monkeypatch.setattr(type(built.model.encoder), "forward", forward)
    sample = make_batch(built.task)
    built.task.valid_step(sample, built.model, built.criterion)
    optimizer = Namespace(backward=lambda loss: loss.backward())
    built.task.train_step(sample, built.model, built.criterion, optimizer, 0)
    assert seen == [[5, 3], [5, 3]]


def test_what_generation_cannot_write_is_refused(build: Callable[..., Built]) -> None:
    from alone_fairseq.errors import AloneError

    built = build(*LRPE, "--desired-length", "201")
    make = built.task.build_generator
    with pytest.raises(AloneError, match=r"201 is above the 200 .*--max-len-b"):
        make([built.model], Namespace())
    make([built.model], Namespace(max_len_b=201))
    make([built.model], Namespace(max_len_a=2.0, max_len_b=0))
    make([built.model], Namespace(score_reference=True))
    with_desired(built, same=1024)
    with pytest.raises(AloneError, match=r"above the 1023 .*max_target_positions"):
        make([built.model], Namespace(max_len_b=5000))
    with pytest.raises(AloneError, match=r"--match-source-len .* remove it"):
        make([built.model], Namespace(match_source_len=True))


def test_typed_lengths_travel_with_their_lines(build: Callable[..., Built]) -> None:
    """fairseq sorts the lines of a buffer by their lengths."""
    built = build(*LRPE, "--desired-length", "6")
    lines = ["w1\t3", "w1 w2 w3", "w1 w2\t5"]
    task = built.task
    read = task.get_interactive_tokens_and_lengths(lines, lambda text: text)
    dataset = task.build_dataset_for_inference(*read)
    batch = dataset.collater([dataset[number] for number in range(3)])
    assert batch["id"].tolist() == [1, 2, 0]
    seen = {}

    def generate(_: Any, sample: dict[str, Any], **options: Any) -> None:
        seen["lengths"] = sample["net_input"]["target_lengths"].tolist()
        assert options["constraints"] is None

    # The interactive command passes on the source and the constraints alone.
    net_input = {"net_input": batch["net_input"]}
    constraints = batch["constraints"]
    generator = Namespace(generate=generate)
    task.inference_step(generator, [], net_input, constraints=constraints)
    assert seen["lengths"] == [7, 6, 4]
    # fairseq's hub interface encodes lines itself; then one length goes for all.
    dataset = task.build_dataset_for_inference(*read)
    batch = dataset.collater([dataset[number] for number in range(3)])
    task.inference_step(generator, [], batch)
    assert seen["lengths"] == [7, 7, 7]
