"""Compositional codes: sums of codewords, the softmax by sums, what is stored."""

from argparse import Namespace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from alone_experiments.params import method_footprint
from alone_fairseq.embeddings import TableSize
from alone_fairseq.embeddings.codes import CodesEmbedding
from alone_fairseq.errors import AloneError
from alone_fairseq.output import TiedProjection

V, D, PAD = 61, 10, 1


def make(
    books: int = 4, values: int = 8, seed: int = 1, start: str = "plain"
) -> CodesEmbedding:
    torch.manual_seed(0)
    options = {"codes_num_codebooks": books, "codes_codebook_size": values}
    return CodesEmbedding(V, D, PAD, codes_seed=seed, codes_start=start, **options)


def dense(embedding: CodesEmbedding) -> Tensor:
    """The same table by one-hot codes, in double precision, as equation 4 has it."""
    codes, codewords = embedding.codes().long(), embedding.codewords.double()
    books, values = codes.size(1), embedding.config.codes_codebook_size
    if embedding.config.codes_start == "steps":
        codewords = codewords / books
    table = torch.zeros(V, D, dtype=torch.float64)
    for book in range(books):
        d = F.one_hot(codes[:, book], values).double()
        table = table + d @ codewords[book * values : (book + 1) * values]
    return table


@pytest.mark.parametrize("start", ["plain", "steps"])
@pytest.mark.parametrize("by_sums", [True, False])
def test_values_and_gradients_are_those_of_a_dense_table(
    by_sums: bool, start: str
) -> None:
    single = make(start=start)
    # In single precision the two add up in different orders.
    torch.testing.assert_close(
        single.table().double(), dense(single), atol=1e-6, rtol=0
    )
    embedding = single.double()
    embedding.sums_are_cheaper = by_sums
    tied = TiedProjection(embedding)
    tokens = torch.randint(2, V, (3, 7))
    hidden, read, score = (
        torch.randn(3, 7, size, dtype=torch.float64) for size in (D, D, V)
    )
    mine = (embedding(tokens) * read).sum() + (tied(hidden) * score).sum()
    table = dense(embedding)
    plain = (table[tokens] * read).sum() + (hidden @ table.T * score).sum()
    near = {"atol": 1e-6, "rtol": 0}
    torch.testing.assert_close(embedding(tokens), table[tokens], **near)
    torch.testing.assert_close(tied(hidden), hidden @ table.T, **near)
    slopes = [torch.autograd.grad(x, embedding.codewords)[0] for x in (mine, plain)]
    torch.testing.assert_close(*slopes, **near)


def test_a_step_takes_a_word_as_far_as_a_look_up_table_does() -> None:
    lookup = torch.zeros(V, D, requires_grad=True)
    embeddings = make(start="plain"), make(start="steps")
    gradient, far = torch.randn(D), []
    for vector_of, trained in (
        (lambda: lookup[7], lookup),
        *((lambda e=e: e(torch.tensor(7)), e.codewords) for e in embeddings),
    ):
        optimizer = torch.optim.Adam([trained], lr=0.01)
        before = vector_of().detach().clone()
        (vector_of() @ gradient).backward()
        optimizer.step()
        far.append((vector_of().detach() - before).norm())
    assert far[2].item() == pytest.approx(far[0].item(), rel=1e-3)
    assert far[1].item() == pytest.approx(4 * far[0].item(), rel=1e-3)


def test_both_starts_have_the_deviation_of_a_look_up_table() -> None:
    for start in ("plain", "steps"):
        torch.manual_seed(0)
        options = {"codes_codebook_size": 64, "codes_start": start}
        deviation = CodesEmbedding(500, 50, **options).table().std().item()
        assert deviation == pytest.approx(50**-0.5, rel=0.1)


def test_codes_that_were_learned_serve_both_starts() -> None:
    plain, steps = make(), make(seed=2, start="steps")
    with pytest.raises(AloneError, match="the model has --codes-start=steps"):
        steps.load_state_dict(plain.state_dict())
    assert plain.stored_as(make(seed=2)) is plain
    steps.load_state_dict(plain.stored_as(steps).state_dict())
    assert torch.equal(steps.codes(), plain.codes())
    torch.testing.assert_close(steps.table(), plain.table())


def test_hidden_states_get_the_same_gradient_by_sums() -> None:
    embedding, weights = make(), torch.randn(5, V)
    slopes = []
    for by_sums in (True, False):
        embedding.sums_are_cheaper = by_sums
        hidden = torch.linspace(-1, 1, 5 * D).view(5, D).requires_grad_()
        (embedding.tied_logits(hidden) * weights).sum().backward()
        slopes.append(hidden.grad)
    torch.testing.assert_close(*slopes)


def test_sums_are_taken_where_there_are_few_codebooks_for_the_size() -> None:
    def chosen(books: int, values: int, vocabulary: int, dim: int) -> bool:
        options = {"codes_num_codebooks": books, "codes_codebook_size": values}
        with torch.device("meta"):
            return CodesEmbedding(vocabulary, dim, **options).sums_are_cheaper

    assert chosen(32, 16, 32768, 512)
    assert not chosen(64, 16, 9800, 128)
    # Measured to be faster, and slower: results/benchmarks/codes_tiny.
    assert chosen(32, 16, 9800, 128)
    assert not chosen(64, 8, 9800, 128)
    assert not chosen(8, 64, 100, 512)  # more codewords than words


def test_codes_follow_from_their_seed_alone() -> None:
    first, again, other = (make(seed=seed).codes() for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.min() == 0
    assert first.max() == 7
    # Frozen for good: old checkpoints are compared with them by nothing else.
    assert make(seed=1).codes()[0].tolist() == [5, 2, 7, 0]


def test_a_checkpoint_brings_its_codes_whatever_the_seed() -> None:
    written, read = make(seed=3), make(seed=4)
    read.load_state_dict(written.state_dict())
    assert torch.equal(read.codes(), written.codes())
    assert torch.equal(read.table(), written.table())


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"books": 2, "values": 16}, "codebook-size=8"), ({"values": 4}, "codebook-size")],
)
def test_other_sizes_are_refused(changes: dict[str, int], words: str) -> None:
    with pytest.raises(AloneError, match=words):
        make(**changes).load_state_dict(make().state_dict())


def test_given_codes_are_taken() -> None:
    embedding, codes = make(), torch.randint(8, (V, 4))
    embedding.set_codes(codes)
    assert torch.equal(embedding.codes().long(), codes)
    torch.testing.assert_close(embedding.table().double(), dense(embedding))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (torch.zeros(V, 1), r"codes must be \(61, 4\), not \(61, 1\)"),
        (torch.full((V, 4), 8), r"codes must lie in \[0, 8\)"),
        (torch.full((V, 4), -1), r"codes must lie in \[0, 8\)"),
    ],
)
def test_codes_that_do_not_fit_are_refused(codes: Tensor, message: str) -> None:
    embedding = make()
    before = embedding.codes()
    with pytest.raises(ValueError, match=message):
        embedding.set_codes(codes)
    assert torch.equal(embedding.codes(), before)


def test_half_precision_and_training_leave_codes_alone() -> None:
    # Half precision has not all integers above 2,048.
    embedding = make(values=1024)
    before = embedding.codes().clone()
    optimizer = torch.optim.SGD(embedding.parameters(), lr=1.0)
    embedding(torch.tensor([3])).sum().backward()
    optimizer.step()
    assert torch.equal(embedding.half().codes(), before)


@pytest.mark.parametrize(
    ("flag", "value"), [("num_codebooks", 0), ("codebook_size", 1), ("seed", -1)]
)
def test_options_out_of_range(flag: str, value: int) -> None:
    with pytest.raises(AloneError, match=f"--codes-{flag.replace('_', '-')} must"):
        CodesEmbedding(V, D, **{f"codes_{flag}": value})


def test_size_of_the_published_example() -> None:
    """V = 37,000, D = 512, 32 x 16: 262,144 values; codes are int32 in a checkpoint."""
    size = method_footprint("codes", Namespace(), [TableSize(37_000, 512)])
    assert size.trained_values == size.stored_values == 262_144
    stored = 4 * (262_144 + 37_000 * 32)
    assert stored < size.stored_bytes < stored + 1000
