"""Tables in slices: gradients of all that a slice reads, and memory of a process."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from alone_fairseq.embeddings.tables.slices import table_in_slices

LARGE_TABLE = """
import torch
from alone_fairseq.embeddings import DefineEmbedding

def mebibytes(name):
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024

embedding = DefineEmbedding(100_000, 128, define_input_dim=16)
before = mebibytes("VmRSS")
table = embedding.table()
built = mebibytes("VmRSS") - before
table.backward(torch.ones(()).expand_as(table))
print(built, mebibytes("VmHWM") - before)
"""


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("low", [False, True], ids=["float32", "autocast"])
def test_values_of_words_get_gradients_as_in_one_piece(frozen: bool, low: bool) -> None:
    torch.manual_seed(1)
    own = torch.randn(7, 3, requires_grad=True)
    matrix = torch.randn(4, 3, requires_grad=not frozen)
    unused = torch.randn(5, requires_grad=True)
    upstream = torch.randn(7, 4)
    found = []
    for size in (2, 7):
        with torch.autocast("cpu", torch.bfloat16, enabled=low):
            table = table_in_slices(
                lambda part: torch.tanh(F.linear(part, matrix)),
                own.split(size),
                [matrix, unused],
                keep=size == 7,
            )
        assert table.dtype == (torch.bfloat16 if low else torch.float32)
        (table.float() * upstream).sum().backward()
        found.append((table.detach(), own.grad, matrix.grad))
        assert unused.grad is None
        own.grad = matrix.grad = None
    close = {"rtol": 2e-2, "atol": 2e-2} if low else {"rtol": 1e-6, "atol": 1e-6}
    for mine, expected in zip(*found, strict=True):
        assert (mine is None) == (expected is None)
        if mine is not None:
            torch.testing.assert_close(mine, expected, **close)


@pytest.mark.slow
def test_torch_compile_takes_slices_as_one_graph() -> None:
    matrix = torch.randn(4, 3, requires_grad=True)
    values = torch.randn(7, 3)

    def build() -> torch.Tensor:
        slices = values.split(2)
        return table_in_slices(
            lambda part: torch.tanh(F.linear(part, matrix)), slices, [matrix], False
        )

    table = torch.compile(build, fullgraph=True, backend="aot_eager")()
    table.sum().backward()
    found, matrix.grad = matrix.grad, None
    expected = torch.tanh(F.linear(values, matrix))
    torch.testing.assert_close(table, expected)
    expected.sum().backward()
    torch.testing.assert_close(found, matrix.grad)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_a_large_table_takes_little_more_than_itself() -> None:
    """Half of a gigabyte it was, where slices left pieces of memory behind."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LARGE_TABLE],
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "", "OMP_NUM_THREADS": "1"},
    )
    built, peak = map(float, found.stdout.split())
    itself = 100_000 * 128 * 4 / 2**20
    assert built < 2.5 * itself
    assert peak < 5 * itself
