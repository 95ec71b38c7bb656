"""The line that says why a training ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch.distributed.elastic.multiprocessing.errors import (
    ChildFailedError,
    ProcessFailure,
)

from alone_experiments.training.failure import ended_by_divergence, explain_end
from alone_fairseq.errors import explain


@pytest.mark.parametrize(
    ("exits", "said"),
    [
        ({0: 1, 1: -9}, "Signal 9 (SIGKILL) received by PID 101"),
        ({0: -9, 1: 1}, "Signal 9 (SIGKILL) received by PID 100"),
        ({0: -11, 1: 1}, "Signal 11 (SIGSEGV) received by PID 100"),
        # It may have ended itself because of the other.
        ({0: 1, 1: -6}, "[rank0]: RuntimeError: no memory"),
    ],
)
def test_of_several_processes_the_one_that_another_program_ended(
    exits: dict[int, int], said: str, tmp_path: Path
) -> None:
    failures = {
        rank: ProcessFailure(rank, 100 + rank, code, "none")
        for rank, code in exits.items()
    }
    report = ChildFailedError("bash", failures).format_msg()
    errors = tmp_path / "errors"
    errors.write_text(f"[rank0]: RuntimeError: no memory\n{report}\n")
    assert explain_end(errors) == said


def test_a_line_of_ours_goes_before_all(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    errors.write_text("alone_fairseq: error: no\nValueError: yes\n")
    assert explain_end(errors) == "alone_fairseq: error: no"


def test_a_divergence_is_known_by_what_the_plugin_says_of_it(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    assert not ended_by_divergence(errors)
    for error in (
        FloatingPointError("gradients are Nan/Inf"),
        FloatingPointError("Minimum loss scale reached (0.0001). Your loss is"),
    ):
        errors.write_text(f"alone_fairseq: error: {explain(error)}\n")
        assert ended_by_divergence(errors)
    errors.write_text("alone_fairseq: error: --lr is missing\n")
    assert not ended_by_divergence(errors)
