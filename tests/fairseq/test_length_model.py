"""A model with length control: every pass over a sentence says the same of it."""

import copy
import dataclasses
import io
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import pytest
import torch
from fairseq.data.data_utils import collate_tokens
from fairseq.sequence_generator import SequenceGenerator

from tests.fairseq.built_models import Built, logits, make_batch, train
from tests.methods import FLAGS

TYING = {"all tied": [], "nothing tied": ["separate"], "decoder tied": ["untied"]}
TYING["decoder tied"] += ["--share-decoder-input-output-embed"]
TASK = ["--task", "translation_with_length"]
CHOICES = {
    "lrpe": ["--length-lrpe"],
    "ldpe": ["--length-ldpe"],
    "all": ["--length-lrpe", "--length-ldpe", "--length-ordinary"],
}
# Source and target; the longest source comes first in a batch and has a short target.
PAIRS = [
    ([4, 5, 6, 7, 8, 9, 10], [11, 12]),
    ([13, 4, 9], [5, 6, 7, 8, 9, 10, 14]),
    ([15, 16], [17, 4, 5, 18]),
    ([19], []),
]


def batch_of(pairs: list[tuple[list[int], list[int]]], task: Any) -> dict[str, Any]:
    """Collate pairs as fairseq's data sets do."""
    from alone_fairseq.length_control.task import with_target_lengths

    eos, pad = task.target_dictionary.eos(), task.target_dictionary.pad()
    sources = [torch.tensor([*source, eos]) for source, _ in pairs]
    targets = [torch.tensor([*target, eos]) for _, target in pairs]
    sample = {
        "id": torch.arange(len(pairs)),
        "nsentences": len(pairs),
        "ntokens": sum(map(len, targets)),
        "net_input": {
            "src_tokens": collate_tokens(sources, pad, eos, left_pad=True),
            "src_lengths": torch.tensor([len(source) for source in sources]),
            "prev_output_tokens": collate_tokens(
                targets, pad, eos, move_eos_to_beginning=True
            ),
        },
        "target": collate_tokens(targets, pad, eos),
    }
    return with_target_lengths(sample, task.gold_lengths(sample))


_BUILT: list[Built] = []


@pytest.fixture
def controlled(build: Callable[..., Built]) -> Built:
    """A model with all three encodings, for the test to spoil."""
    if not _BUILT:
        _BUILT.append(build(*TASK, *CHOICES["all"]))
    built = _BUILT[0]
    return dataclasses.replace(
        built, task=copy.copy(built.task), model=copy.deepcopy(built.model)
    )


@pytest.mark.slow
@pytest.mark.parametrize("tying", list(TYING))
@pytest.mark.parametrize("method", FLAGS)
def test_decoding_step_by_step_says_what_training_does(
    method: str,
    tying: str,
    build: Callable[..., Built],
    methods: dict[str, list[str]],
) -> None:
    built = build(*TASK, *CHOICES["all"], *methods[method], *TYING[tying])
    sample = batch_of(PAIRS, built.task)
    whole = logits(built.model, sample)
    assert_steps_say(built, sample, whole)


@pytest.mark.parametrize("choice", list(CHOICES))
def test_each_encoding_step_by_step(choice: str, build: Callable[..., Built]) -> None:
    controlled = build(*TASK, *CHOICES[choice])
    sample = batch_of(PAIRS, controlled.task)
    whole = logits(controlled.model, sample)
    assert_steps_say(controlled, sample, whole)
    # The lengths matter at all, sentence by sentence.
    sample["net_input"]["target_lengths"][1] += 5
    other = logits(controlled.model, sample)
    assert torch.equal(other[0], whole[0])
    assert (other[1] - whole[1]).abs().max() > 1e-3


def assert_steps_say(built: Built, sample: dict[str, Any], whole: torch.Tensor) -> None:
    """Decode as beam search does, two copies of each sentence, in reverse order."""
    net_input = sample["net_input"]
    model, state = built.model, {}
    with torch.no_grad():
        encoder_out = model.encoder.forward_torchscript(net_input)
        order = torch.arange(len(PAIRS)).flip(0).repeat_interleave(2)
        encoder_out = model.encoder.reorder_encoder_out(encoder_out, order)
        previous = net_input["prev_output_tokens"][order]
        for step in range(previous.size(1)):
            seen = previous[:, : step + 1]
            one = model.decoder(seen, encoder_out, incremental_state=state)[0][:, 0]
            for row, sentence in enumerate(order.tolist()):
                if previous[row, step] != built.task.target_dictionary.pad():
                    torch.testing.assert_close(
                        one[row], whole[sentence, step], rtol=1e-4, atol=1e-5
                    )


def test_scores_do_not_depend_on_the_batch(controlled: Built) -> None:
    together = logits(controlled.model, batch_of(PAIRS, controlled.task))
    for number, pair in enumerate(PAIRS):
        alone = logits(controlled.model, batch_of([pair], controlled.task))[0]
        torch.testing.assert_close(
            together[number, : len(alone)], alone, rtol=1e-4, atol=1e-5
        )


def test_validation_loss_does_not_depend_on_batches(controlled: Built) -> None:
    def loss(*batches: list[tuple[list[int], list[int]]]) -> float:
        steps = [
            controlled.task.valid_step(
                batch_of(batch, controlled.task), controlled.model, controlled.criterion
            )
            for batch in batches
        ]
        return sum(float(step[2]["nll_loss"]) for step in steps)

    expected = loss(*([pair] for pair in PAIRS))
    for batches in ([PAIRS], [PAIRS[:2], PAIRS[2:]], [PAIRS[::-1]]):
        assert loss(*batches) == pytest.approx(expected, rel=1e-5)


def test_scoring_says_what_validation_does(controlled: Built) -> None:
    task = controlled.task
    sample = batch_of(PAIRS, task)
    controlled.model.eval()
    scorer = task.build_generator([controlled.model], Namespace(score_reference=True))
    scored = task.inference_step(scorer, [controlled.model], sample)
    score = sum(
        float(hypotheses[0]["positional_scores"].sum()) for hypotheses in scored
    )
    logs = task.valid_step(sample, controlled.model, controlled.criterion)[2]
    assert -score == pytest.approx(float(logs["nll_loss"]), rel=1e-5)


def test_beam_search_scores_are_those_of_scoring(controlled: Built) -> None:
    """Ensemble, n-best and sentences that end at different steps included."""
    task, models = controlled.task, [controlled.model, controlled.model]
    task.desired = type(task.desired)(each=(3, 6, 1, 9))
    args = Namespace(beam=4, max_len_b=12, lenpen=0.0, unnormalized=True)
    generator = task.build_generator(models, args)
    found = task.inference_step(generator, models, batch_of(PAIRS, task))
    for number, hypotheses in enumerate(found):
        assert len(hypotheses) == 4
        for hypothesis in hypotheses:
            pair = (PAIRS[number][0], hypothesis["tokens"][:-1].tolist())
            sample = batch_of([pair], task)
            sample["net_input"]["target_lengths"][0] = task.desired.each[number] + 1
            scores = torch.log_softmax(logits(controlled.model, sample), dim=-1)[0]
            expected = scores.gather(1, hypothesis["tokens"].view(-1, 1)).sum()
            torch.testing.assert_close(
                hypothesis["score"], expected, rtol=1e-4, atol=1e-4
            )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(controlled: Built, dtype: torch.dtype) -> None:
    sample = batch_of(PAIRS, controlled.task)
    exact = logits(controlled.model, sample)
    found = logits(controlled.model.to(dtype), sample)
    torch.testing.assert_close(found, exact, rtol=0.05, atol=0.05)
    encoded = controlled.model.decoder.embed_positions(torch.tensor([[2, 4]]))
    assert encoded.dtype == dtype


@pytest.mark.slow
@pytest.mark.parametrize("method", FLAGS)
def test_learns_with_moving_average(
    method: str, build: Callable[..., Built], methods: dict[str, list[str]]
) -> None:
    built = build(*TASK, *CHOICES["all"], *methods[method], "--store-ema")
    losses = train(built, 8)
    assert losses[-1] < losses[0]


def test_checkpoints_have_the_keys_of_a_model_without(
    controlled: Built, build: Callable[..., Built]
) -> None:
    plain = build()
    shapes = {name: x.shape for name, x in plain.model.state_dict().items()}
    found = {name: x.shape for name, x in controlled.model.state_dict().items()}
    assert found == shapes
    controlled.model.load_state_dict(plain.model.state_dict())


@pytest.mark.parametrize("flags", [[], ["--length-ordinary"]])
def test_models_without_length_control_are_untouched(
    flags: list[str], build: Callable[..., Built]
) -> None:
    from fairseq.models.transformer import (
        TransformerDecoderBase,
        TransformerEncoderBase,
    )

    from alone_fairseq.transformer import CompactTransformerModel

    built = build(*flags)
    assert type(built.model) is CompactTransformerModel
    assert type(built.model.encoder) is TransformerEncoderBase
    assert type(built.model.decoder) is TransformerDecoderBase
    batch = make_batch(built.task)
    # A namespace of a checkpoint that was made before there was length control.
    vars(built.args).pop("length_ordinary", None)
    assert not any(name.startswith("length_") for name in vars(built.args))
    old = built.task.build_model(built.args)
    old.load_state_dict(built.model.state_dict())
    assert torch.equal(logits(old, batch), logits(built.model, batch))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_exports_to_torchscript(controlled: Built) -> None:
    built = controlled
    sample = batch_of(PAIRS, built.task)
    expected = logits(built.model, sample)
    scripted = torch.jit.script(built.model)
    torch.testing.assert_close(logits(scripted, sample), expected)
    beam = {"beam_size": 2, "max_len_b": 9}
    generator = SequenceGenerator([built.model], built.task.target_dictionary, **beam)
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(generator), buffer)
    buffer.seek(0)
    found = torch.jit.load(buffer).forward({"net_input": sample["net_input"]})
    for ours, theirs in zip(found, generator.forward(sample), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert torch.equal(one["tokens"], other["tokens"])
            torch.testing.assert_close(one["score"], other["score"])
