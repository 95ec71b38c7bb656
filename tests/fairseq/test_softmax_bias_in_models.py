"""--softmax-bias in models as fairseq's commands build them."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq.sequence_generator import SequenceGenerator

from alone_fairseq.errors import AloneError
from alone_fairseq.output.softmax_bias import KINDS, log_frequencies
from tests.fairseq.built_models import Built, logits, make_batch, train
from tests.methods import FLAGS

Build = Callable[..., Built]
CHUNKED = ("--criterion", "chunked_label_smoothed_cross_entropy")


@pytest.mark.parametrize("kind", ["unigram", "trained"])
@pytest.mark.parametrize("method", FLAGS)
@pytest.mark.parametrize("tying", [(), ("untied",)], ids=["tied", "untied"])
def test_logits_have_the_frequencies(
    method: str,
    tying: tuple[str, ...],
    kind: str,
    build: Build,
    methods: dict[str, list[str]],
) -> None:
    plain = build(*tying, *methods[method])
    biased = build(*tying, *methods[method], "--softmax-bias", kind)
    batch = make_batch(plain.task)
    dictionary = plain.task.target_dictionary
    expected = log_frequencies(dictionary.count, dictionary.eos(), dictionary.nspecial)
    found = logits(biased.model, batch) - logits(plain.model, batch)
    torch.testing.assert_close(found, expected.expand_as(found), rtol=0, atol=2e-6)


@pytest.mark.parametrize("kind", ["unigram", "trained"])
def test_the_loss_in_chunks_trains_alike(
    kind: str, build: Build, methods: dict[str, list[str]]
) -> None:
    flags = (*methods["alone-real"], "--dropout", 0, "--alone-relu-dropout", 0)
    both = [
        train(build(*flags, "--softmax-bias", kind, *criterion), 5)
        for criterion in ((), CHUNKED)
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-4)


def test_only_a_trained_one_changes(
    build: Build, methods: dict[str, list[str]]
) -> None:
    for kind, changes in (("unigram", False), ("trained", True)):
        built = build(*methods["lookup"], "--softmax-bias", kind)
        bias = built.model.softmax_bias().clone()
        train(built, 2)
        assert torch.equal(built.model.softmax_bias(), bias) != changes


def test_an_ensemble_has_the_frequencies_in_each_model(
    build: Build, methods: dict[str, list[str]]
) -> None:
    """Its scores are the logarithms of the mean probability of plain twins."""
    both = [methods["alone-real"], methods["low_rank"]]
    plain = [build(*flags) for flags in both]
    biased = [build(*flags, "--softmax-bias", "unigram") for flags in both]
    dictionary, batch = plain[0].task.target_dictionary, make_batch(plain[0].task)
    models = [built.model.eval() for built in biased]
    beam = {"beam_size": 3, "max_len_b": 4, "normalize_scores": False}
    found = SequenceGenerator(models, dictionary, **beam).generate(models, batch)
    bias = log_frequencies(dictionary.count, dictionary.eos(), dictionary.nspecial)
    for number, sentence in enumerate(found):
        source = batch["net_input"]["src_tokens"][number : number + 1]
        for hypothesis in sentence:
            tokens = hypothesis["tokens"]
            given = {
                "src_tokens": source,
                "src_lengths": batch["net_input"]["src_lengths"][number : number + 1],
                "prev_output_tokens": tokens.roll(1)[None],
            }
            scores = torch.stack(
                [
                    (logits(built.model, {"net_input": given}) + bias).softmax(-1)
                    for built in plain
                ]
            ).mean(0)
            expected = scores[0].gather(1, tokens[:, None])[:, 0].log()
            torch.testing.assert_close(
                hypothesis["positional_scores"], expected, rtol=0, atol=1e-4
            )


def test_another_bias_than_the_checkpoint_has_is_named(
    build: Build, methods: dict[str, list[str]]
) -> None:
    states = {
        kind: build(*methods["alone-real"], "--softmax-bias", kind).model.state_dict()
        for kind in KINDS
    }
    for theirs, mine in permutations(KINDS, 2):
        model = build(*methods["alone-real"], "--softmax-bias", mine).model
        line = f"has --softmax-bias={theirs}; the model has --softmax-bias={mine}: "
        with pytest.raises(AloneError, match=line):
            model.load_state_dict(states[theirs])


def test_bad_input_is_refused(build: Build, methods: dict[str, list[str]]) -> None:
    with pytest.raises(AloneError, match="--softmax-bias must be one of none"):
        build(*methods["lookup"], "--softmax-bias", "unigrams")


def test_a_dictionary_without_counts_is_refused(
    build: Build, methods: dict[str, list[str]], tmp_path: Path
) -> None:
    for language in "ab":
        lines = "".join(f"w{number} 1\n" for number in range(30))
        (tmp_path / f"dict.{language}.txt").write_text(lines)
    build(*methods["lookup"], data=tmp_path)
    with pytest.raises(AloneError, match="have the same count"):
        build(*methods["lookup"], "--softmax-bias", "unigram", data=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["unigram", "trained"])
def test_a_trained_model_translates_and_is_averaged(
    kind: str,
    train: Callable[..., Any],
    run_command: Callable[..., Any],
    run_tool: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tiny_data: Path,
    tmp_path: Path,
) -> None:
    saving = ("--save-interval-updates", 4, "--max-update", 8, "--store-ema")
    train(tmp_path, "--optimizer", "adam_muon", "--softmax-bias", kind, *saving)
    averaged = tmp_path / "averaged.pt"
    last = ("--num-update-checkpoints", 2)
    done = run_tool("average", "--inputs", tmp_path, *last, "--output", averaged)
    assert done.returncode == 0, done.stderr
    one, two = (
        read_checkpoint(file)["model"] for file in tmp_path.glob("checkpoint_*_*.pt")
    )
    means = read_checkpoint(averaged)["model"]
    for name, mean in means.items():
        exact = (one[name] + two[name]) / 2 if mean.is_floating_point() else one[name]
        torch.testing.assert_close(mean, exact)
    biases = [name for name in means if name.endswith("bias.values")]
    assert all(not torch.equal(one[name], two[name]) for name in biases)
    assert bool(biases) == (kind == "trained")
    both = f"{averaged}:{tmp_path / 'checkpoint_last.pt'}"
    done = run_command(
        *("generate", tiny_data, "--path", both, "--beam", 2, "--cpu"),
        *("--gen-subset", "valid", "--max-len-b", 12, "--no-progress-bar"),
    )
    assert sum(line.startswith("H-") for line in done.stdout.splitlines()) == 100
