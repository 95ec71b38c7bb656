"""The criterion with a sample of the words, in models as fairseq builds them."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from alone_fairseq.errors import AloneError
from alone_fairseq.output import sampled_criterion
from alone_fairseq.output.sampled_words import draw_negatives
from tests.fairseq.built_models import (
    Built,
    make_batch,
    train,
    write_dictionaries,
)
from tests.fairseq.test_chunked_criterion import QUIET, TYING, outcome
from tests.fairseq.test_one_table import count_tables
from tests.made_tensors import MadeTensors
from tests.methods import CASES

Build = Callable[..., Built]
SAMPLED = ("--criterion", "sampled_label_smoothed_cross_entropy")
ALL = (*SAMPLED, "--sampled-words", "100%")
FEW = (*SAMPLED, "--sampled-words", 12)
LAYERS: dict[str, list[object]] = {
    "usual": [],
    "joint": ["--output-layer", "joint", "--softmax-bias", "trained"],
}


@pytest.mark.parametrize(
    ("method", "tying", "layer"),
    [
        ("alone-real", "all tied", "joint"),
        pytest.param("alone-real", "all tied", "usual", marks=pytest.mark.slow),
        pytest.param("low_rank", "decoder tied", "usual", marks=pytest.mark.slow),
        pytest.param("lookup", "nothing tied", "usual", marks=pytest.mark.slow),
    ],
)
def test_with_all_words_it_is_fairseqs(
    method: str,
    tying: str,
    layer: str,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    flags = (*methods[method], *TYING[tying], *LAYERS[layer], *QUIET)
    flags = (*flags, "--ignore-prefix-size", 1)
    expected, built = build(*flags), build(*flags, *ALL, "--sampled-log-q")
    tables = count_tables(built.model.decoder.embed_tokens)
    batch = make_batch(built.task)
    torch.testing.assert_close(
        outcome(built, batch), outcome(expected, batch), atol=1e-5, rtol=1e-4
    )
    assert not tables


@pytest.mark.slow
def test_validation_has_all_words(build: Build) -> None:
    expected, built = build(*QUIET), build(*QUIET, *FEW)
    batch = make_batch(built.task)
    losses = {}
    for each in (expected, built):
        each.model.eval()
        with torch.no_grad():
            for reduce in (True, False):
                loss, *_ = each.criterion(each.model, batch, reduce)
                losses[each.criterion.__class__, reduce] = loss
    whole, single, mine, each_token = losses.values()
    torch.testing.assert_close(mine, whole)
    torch.testing.assert_close(each_token, single)
    built.model.train()
    less, *_ = built.criterion(built.model, batch)
    assert less < 0.9 * mine


def samples(built: Built, updates: list[int]) -> list[list[int]]:
    """Draw samples for batches of updates, in this order."""
    target = torch.tensor([5, 9, 5, 2])
    return [built.criterion.draw(target, update)[0].tolist() for update in updates]


def test_a_sample_follows_from_seed_update_and_place(build: Build) -> None:
    built = build(*FEW)
    first, second, other = samples(built, [3, 3, 4])
    assert len({*map(tuple, (first, second, other))}) == 3
    # A training that goes on after update 3 begins with no memory of what was before.
    assert samples(build(*FEW), [4]) == [other]
    assert samples(build(*FEW, "--seed", 4), [3]) != [first]
    assert first[:3] == [2, 5, 9]
    assert len({*first}) == 12


def test_a_drawn_word_stands_for_others(build: Build) -> None:
    target = torch.tensor([5, 9, 5, 2])
    built = build(*FEW, "--sampled-log-q")
    words, places, stands_for = built.criterion.draw(target, 0)
    assert words[places].tolist() == target.tolist()
    vocabulary = len(built.task.target_dictionary)
    assert stands_for[:3].tolist() == [1, 1, 1]
    assert stands_for.sum().item() == pytest.approx(vocabulary)
    built.criterion.log_q = False
    assert built.criterion.draw(target, 0)[2].tolist() == [1] * 12


def test_with_log_q_some_are_drawn_beside_any_number_of_target_words(
    build: Build,
) -> None:
    target = torch.arange(4, 30)
    built = build(*SAMPLED, "--sampled-words", 20, "--sampled-log-q")
    words, _, stands_for = built.criterion.draw(target, 0)
    vocabulary = len(built.task.target_dictionary)
    assert len(words) == len(target) + 3
    assert stands_for.sum().item() == pytest.approx(vocabulary)
    words, _, stands_for = built.criterion.draw(torch.arange(vocabulary), 0)
    assert stands_for.tolist() == [1.0] * vocabulary


@pytest.mark.slow
def test_more_target_words_than_the_sample_has(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    built = build(*SAMPLED, "--sampled-words", 2, *QUIET)
    with caplog.at_level(logging.WARNING, "alone_fairseq"):
        train(built, 2)
    told = [m for m in caplog.messages if "--sampled-words makes room for 2" in m]
    assert len(told) == 1


@pytest.mark.slow
@pytest.mark.parametrize("precision", [(), ("--bf16",), ("--memory-efficient-fp16",)])
def test_a_model_learns_by_it(precision: tuple[str, ...], build: Build) -> None:
    flags = (*QUIET, *FEW, "--sampled-log-q", "--update-freq", 2, *precision)
    losses = train(build(*flags), 10)
    assert losses[-1] < 0.8 * losses[0]
    if precision == ("--bf16",):
        assert train(build(*flags), 10) == losses


def per_word_values(built: Built) -> set[int]:
    """Sizes of the parameters that have values of each word's own."""
    vocabulary = len(built.task.target_dictionary)
    return {p.numel() for p in built.model.parameters() if len(p) == vocabulary}


def options_of(name: str) -> list[str]:
    """Flags of a case of tests/methods.py with its smallest sizes."""
    case = CASES[name]
    words = ["--arch", case.arch()]
    for option, value in case.options.items():
        flag = f"--{option.replace('_', '-')}"
        words += [flag] if value is True else [flag, str(value)]
    return words


# Methods whose words have no values of their own, and layers.
SINGLE_ROWS = [
    ("alone-real", "joint"),
    *(
        pytest.param(name, layer, marks=pytest.mark.slow)
        for name, layer in (
            *(("alone-real", "usual"), ("alone-binary", "usual"), ("codes", "usual")),
            *(("alone-deep", "joint"), ("characters", "joint"), ("codes", "joint")),
            *(
                ("deep_hash", "usual"),
                ("hashed-appended", "usual"),
                ("random", "usual"),
            ),
        )
    ),
]
WITH_OWN_VALUES = [
    "low_rank",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("lookup", "hashed", "define", "define-program", "alone-centred")
    ),
]


def made_in_a_step(build: Build, folder: Path, flags: list[Any]) -> list[Any]:
    """What is made in forward, backward, clipping and Adam, with 500 and 1,000 words.

    Returns:
        For each size the operations with the values they make, and the sizes of
        parameters that have a row for each word.
    """
    found = []
    for vocabulary in (500, 1000):
        data = folder / str(vocabulary)
        data.mkdir()
        write_dictionaries(data, (vocabulary, vocabulary))
        built = build(*FEW, *flags, data=data)
        train(built, 1)
        with MadeTensors() as made:
            train(built, 1)
        found.append((made.found, per_word_values(built)))
    return found


@pytest.mark.parametrize(("method", "layer"), SINGLE_ROWS)
def test_no_work_grows_with_the_vocabulary(
    method: str,
    layer: str,
    build: Build,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a method whose words have no values of their own."""
    flags = LAYERS[layer][:2]  # a trained bias has V values
    if method == "characters":
        # Its work follows from how words are spelled, so that they must be the same.
        monkeypatch.setattr(
            sampled_criterion,
            "draw_negatives",
            lambda right, size, _, seed: draw_negatives(right, size, 500, seed),
        )
    few, many = made_in_a_step(build, tmp_path, [*options_of(method), *flags])
    assert few == many
    assert len(few[0]) > 500


@pytest.mark.parametrize("method", WITH_OWN_VALUES)
def test_of_words_own_values_only_gradients_and_moments_grow(
    method: str, build: Build, tmp_path: Path
) -> None:
    (few, own_few), (many, own_many) = made_in_a_step(
        build, tmp_path, options_of(method)
    )
    pairs = [pair for pair in zip(few, many, strict=True) if pair[0] != pair[1]]
    assert pairs
    assert {size for (_, size), _ in pairs} <= own_few
    assert {size for _, (_, size) in pairs} <= own_many
    names = {(one, two) for (one, _), (two, _) in pairs}
    assert all(one == two for one, two in names)
    assert ("aten.embedding_dense_backward.default",) * 2 in names


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (
            ("--sampled-words", "0%"),
            r"must lie in \(0%, 100%\], not 0%",
        ),
        (("--sampled-words", "150%"), "--sampled-words must lie in"),
        (("--sampled-words", "-4"), r"--sampled-words must lie in \[2, 34\]"),
        (("--sampled-words", "99"), "the words of the target dictionary, not 99"),
        (("--sampled-words", "half"), "a share such as 25%, or a number of words"),
        (("--sampled-words=-5%",), r"must lie in \(0%, 100%\], not -5%"),
        (("--report-accuracy",), "--report-accuracy needs all logits"),
        (("--label-smoothing", "1.5"), r"--label-smoothing must lie in \[0, 1\]"),
        (("--label-smoothing", "nan"), r"--label-smoothing must lie in \[0, 1\]"),
    ],
)
@pytest.mark.slow
def test_bad_input(flags: tuple[str, ...], line: str, build: Build) -> None:
    with pytest.raises(AloneError, match=line) as caught:
        build(*SAMPLED, *flags)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_training_that_is_carried_on_draws_the_same(
    train: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
) -> None:
    flags = (*SAMPLED, "--sampled-words", "50%", "--sampled-log-q", "--update-freq", 2)
    train(tmp_path / "whole", *flags, "--max-update", 9)
    train(tmp_path / "parts", *flags, "--max-update", 4)
    done = train(tmp_path / "parts", *flags, "--max-update", 9)
    assert "@ 4 updates" in done.stdout
    whole, parts = (
        read_checkpoint(tmp_path / name / "checkpoint_last.pt")["model"]
        for name in ("whole", "parts")
    )
    torch.testing.assert_close(parts, whole, rtol=0, atol=0)
