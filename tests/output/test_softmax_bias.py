"""The bias that knows how frequent words are."""

from argparse import Namespace

import pytest
import torch
import torch.nn.functional as F

from alone_fairseq.embeddings import TableSize, build
from alone_fairseq.errors import AloneError
from alone_fairseq.output import OUTPUT_LAYERS, SoftmaxBias, make_bias
from alone_fairseq.output.chunked_cross_entropy import chunked_cross_entropy
from alone_fairseq.output.softmax_bias import log_frequencies

V, D, EOS = 40, 8, 2
COUNTS = [1, 1, 1, 1, *range(400, 400 - V + 4, -1)]
BIAS = log_frequencies(COUNTS, EOS, 4)


def test_log_frequencies_of_a_small_dictionary() -> None:
    # <s>, <pad>, </s>, <unk>, two words, one that was never seen.
    found = log_frequencies([1, 1, 1, 1, 60, 45, 0], EOS, 4).exp()
    total = (1 + 1 + 1 + 60 + 45 + 1) / (11 / 12)
    expected = torch.tensor([1, 1, total / 12, 1, 60, 45, 1]) / total
    torch.testing.assert_close(found, expected)
    assert found.sum().item() == pytest.approx(1.0)


def test_what_a_dictionary_in_memory_counted_of_symbols_is_no_matter() -> None:
    """Its file does not keep it, and how many words become <unk> is not known."""
    found = log_frequencies([1, 1, 5000, 4000, 60, 45, 9], EOS, 4)
    assert torch.equal(found, log_frequencies([1, 1, 1, 1, 60, 45, 9], EOS, 4))


@pytest.mark.parametrize(
    "words", [[1] * 50, [100] * 50, [0] * 50, [100] * 49 + [1], [9, 5] + [100] * 48]
)
def test_a_dictionary_without_counts_is_refused(words: list[int]) -> None:
    """Also where a few symbols were added with another count."""
    line = "of 50 words of the target dictionary have the same count"
    with pytest.raises(AloneError, match=line):
        log_frequencies([1] * 4 + words, EOS, 4)


def test_without_counts_a_trained_one_starts_at_nothing() -> None:
    """A checkpoint that has it needs no counts; an untrained one follows from them."""
    made = make_bias("trained", [1] * 50, EOS, 4)
    assert made is not None
    assert made.values.tolist() == [0.0] * 50
    with pytest.raises(AloneError, match=r"--softmax-bias unigram needs.*its training"):
        make_bias("unigram", [1] * 50, EOS, 4)


def test_many_words_may_be_met_once() -> None:
    assert log_frequencies([1] * 4 + [7, 5, 3] + [1] * 40, EOS, 4).isfinite().all()


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(AloneError, match="one of none, unigram, trained, not 'x'"):
        make_bias("x", COUNTS, EOS, 4)
    assert make_bias("none", COUNTS, EOS, 4) is None


@pytest.mark.parametrize("kind", ["unigram", "trained"])
@pytest.mark.parametrize("name", OUTPUT_LAYERS)
def test_it_is_added_to_the_logits(name: str, kind: str) -> None:
    torch.manual_seed(1)
    options = Namespace(alone_inter_dim=6)
    layer = OUTPUT_LAYERS[name](build("alone", options, TableSize(V, D, 1)), D)
    hidden = torch.randn(3, 2, D)
    plain = layer(hidden)
    layer.bias = make_bias(kind, COUNTS, EOS, 4)
    torch.testing.assert_close(layer(hidden), plain + BIAS)
    scripted = torch.jit.script(layer)
    torch.testing.assert_close(scripted(hidden), plain + BIAS)
    assert layer.half()(hidden.half()).dtype == torch.float16


def test_what_is_stored() -> None:
    unigram, trained = SoftmaxBias(BIAS, False), SoftmaxBias(BIAS, True)
    assert list(unigram.state_dict()) == ["description_version"]
    assert not list(unigram.parameters())
    assert {name: v.shape for name, v in trained.state_dict().items()} == {
        "values": (V,)
    }


def test_frequencies_keep_their_precision() -> None:
    unigram = SoftmaxBias(BIAS, False).bfloat16().float()
    assert torch.equal(unigram.values, BIAS)
    assert SoftmaxBias(BIAS, True).half().values.dtype == torch.float16


def test_other_frequencies_are_refused() -> None:
    state = SoftmaxBias(BIAS, False).state_dict()
    SoftmaxBias(BIAS + 1e-7, False).load_state_dict(state)
    with pytest.raises(AloneError, match="other counts than that of the training"):
        SoftmaxBias(BIAS + 0.01, False).load_state_dict(state)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("limit", [1, 100, 10_000])
def test_the_loss_in_chunks_has_it(dtype: torch.dtype, limit: int) -> None:
    generator = torch.Generator().manual_seed(1)
    hidden = torch.randn(9, D, generator=generator).to(dtype).requires_grad_()
    weights = torch.randn(V, D, generator=generator).to(dtype).requires_grad_()
    bias = BIAS.double().to(dtype).requires_grad_()
    target = torch.randint(V, (9,), generator=generator)
    loss, nll = chunked_cross_entropy(hidden, weights, target, 0.1, limit, bias)

    logits = hidden.double() @ weights.double().t() + bias.double()
    scores = F.log_softmax(logits, -1)
    plain = -scores.gather(1, target[:, None]).sum()
    share = 0.1 / (V - 1)
    smoothed = (1 - 0.1 - share) * plain - share * scores.sum()
    close = {"rtol": 1e-6, "atol": 1e-6}
    if dtype != torch.float64:
        close = {"rtol": 0.05, "atol": 0.05}
    torch.testing.assert_close(nll.double(), plain, **close)
    torch.testing.assert_close(loss.double(), smoothed, **close)
    wanted = torch.autograd.grad(smoothed * 2, (hidden, weights, bias))
    found = torch.autograd.grad(loss * 2, (hidden, weights, bias))
    for mine, expected in zip(found, wanted, strict=True):
        assert mine.dtype == dtype
        torch.testing.assert_close(mine, expected, **close)


def test_gradients_of_the_loss_in_chunks() -> None:
    target = torch.tensor([3, 5, 5])

    def loss(*given: torch.Tensor) -> torch.Tensor:
        hidden, weights, bias = given
        return chunked_cross_entropy(hidden, weights, target, 0.2, 20, bias)[0]

    shapes: list[tuple[int, ...]] = [(3, 4), (7, 4), (7,)]
    given = tuple(torch.randn(s).double().requires_grad_() for s in shapes)
    assert torch.autograd.gradcheck(loss, given)
