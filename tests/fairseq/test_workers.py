"""The processes that load an epoch's data end with the epoch."""

import gc
import multiprocessing
import time
from collections.abc import Iterator

import pytest
import torch
from fairseq.data import FairseqDataset
from fairseq.data.iterators import EpochBatchIterator


class Numbers(FairseqDataset):
    """Ten numbers."""

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.tensor(index)

    def __len__(self) -> int:
        return 10

    def collater(self, samples: list[torch.Tensor]) -> torch.Tensor:
        return torch.stack(samples)


@pytest.fixture
def _no_collection() -> Iterator[None]:
    # It happens now and then, and would end the workers of either.
    gc.disable()
    yield
    gc.enable()
    gc.collect()


def workers_left(kind: type[EpochBatchIterator], epochs: int, patience: float) -> int:
    """Count the processes left after epochs that each made batches of their own."""
    before = set(multiprocessing.active_children())
    for epoch in range(1, epochs + 1):
        data = Numbers()
        batches = kind(
            data,
            data.collater,
            [[1, 2], [3, 4], [5]],
            num_workers=1,
            buffer_size=2,
            epoch=epoch,
        )
        seen = [batch.tolist() for batch in batches.next_epoch_itr(shuffle=False)]
        assert seen == [[1, 2], [3, 4], [5]]
    deadline = time.monotonic() + patience
    while True:
        left = set(multiprocessing.active_children()) - before
        if not left or time.monotonic() > deadline:
            return len(left)
        time.sleep(0.02)


@pytest.mark.usefixtures("plugin", "_no_collection")
def test_none_is_left() -> None:
    assert workers_left(EpochBatchIterator, epochs=3, patience=10) == 0


@pytest.mark.slow  # torch waits five seconds for each when it is collected
@pytest.mark.usefixtures("plugin", "_no_collection")
def test_stock_fairseq_leaves_one_for_each_epoch() -> None:
    class Stock(EpochBatchIterator):
        __init__ = EpochBatchIterator.__init__.__wrapped__

    assert workers_left(Stock, epochs=2, patience=0.2) == 2
