"""Mistakes are told in one line; everything else keeps its traceback."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fairseq import options

from alone_fairseq.errors import _WRAPPED, AloneError, explain
from alone_fairseq.optim.two_optimizers import TwoOptimizers


def test_our_errors_speak_for_themselves() -> None:
    assert explain(AloneError("--x must be 1")) == "--x must be 1"


def test_an_error_behind_another_is_found() -> None:
    def load() -> None:
        try:
            raise AloneError("the seeds differ")
        except AloneError:
            raise RuntimeError(f"{_WRAPPED} a.pt")  # noqa: B904 (fairseq does it so)

    with pytest.raises(RuntimeError) as caught:
        load()
    assert explain(caught.value) == "the seeds differ"


def too_long(sizes: Any, most: Any) -> Exception:
    """Make fairseq's exception; it shows NumPy's numbers as NumPy does."""
    return Exception(
        f"Size of sample #7 is invalid (={sizes}) since max_positions={most}, skip this"
        " example with --skip-invalid-size-inputs-valid-test"
    )


def another_argument() -> Exception:
    with pytest.raises(TypeError) as caught:
        TwoOptimizers([], lr=1.0)  # type: ignore[call-arg]
    return caught.value


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError("Dataset not found: valid (data/x)"), ["valid", "data/x"]),
        (
            FileNotFoundError(2, "No such file or directory", "a/dict.en.txt"),
            ["a/dict"],
        ),
        (OSError("Model file not found: m.pt"), ["m.pt"]),
        (ValueError("cannot mmap an empty file"), ["empty"]),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
            ["memory", "lower", "--max-tokens"],
        ),
        (
            RuntimeError("scalar tensor is expected to be on cpu but is on cuda:0"),
            ["--cpu", "CUDA_VISIBLE_DEVICES"],
        ),
        (
            Exception(
                "Incorrect encoding detected in d.txt, please rebuild the dataset"
            ),
            ["d.txt: is not UTF-8"],
        ),
        (RuntimeError("Overflow when unpacking long"), ["number", "lower it"]),
        (AssertionError("Must specify batch size either with"), ["--max-tokens"]),
        (too_long(3003, (1024, 1024)), ["sentence 7", "3003 tokens", "the 1024 of"]),
        (too_long((np.int64(9), np.int32(33)), (32, 30)), ["33 tokens", "the 30 of"]),
        (too_long((40, 33), (32, 64)), ["has 40 tokens", "the 32 of"]),
        (another_argument(), ["--zero-sharding", "such as adam"]),
    ],
)
def test_known_messages_become_one_line(error: Exception, words: list[str]) -> None:
    line = explain(error)
    assert line is not None
    assert "\n" not in line
    assert all(word in line for word in words)


def test_the_checkpoint_that_was_loaded_is_named() -> None:
    def load_checkpoint_to_cpu(path: str) -> None:
        raise AloneError(f"the seeds differ ({len(path)})")

    with pytest.raises(AloneError) as caught:
        load_checkpoint_to_cpu("runs/last.pt")
    assert explain(caught.value) == "runs/last.pt: the seeds differ (12)"


def test_a_divergence_is_told_though_the_search_for_its_place_fails() -> None:
    def fail() -> None:
        try:
            raise FloatingPointError("gradients are Nan/Inf")
        except FloatingPointError:
            next(iter([]))

    with pytest.raises(StopIteration) as caught:
        fail()
    line = explain(caught.value)
    assert line is not None
    assert line.startswith("the training diverged")


def test_a_loss_that_half_precision_cannot_scale_is_a_divergence() -> None:
    text = "Minimum loss scale reached (0.0001). Your loss is probably exploding."
    line = explain(FloatingPointError(text))
    assert line is not None
    assert line.startswith("the training diverged")


def test_a_process_for_a_gpu_passes_its_mistake_on() -> None:
    text = "-- Process 1 terminated\n ...\nalone_fairseq.errors.AloneError: --x is 0\n"
    assert explain(RuntimeError(text)) == "--x is 0"


def test_a_fault_after_a_handled_error_is_no_mistake() -> None:
    def fail() -> None:
        try:
            open("/no/such/file")  # noqa: SIM115
        except OSError:
            {}["key"]

    with pytest.raises(KeyError) as caught:
        fail()
    assert explain(caught.value) is None


@pytest.mark.parametrize(
    ("names", "flag"),
    [
        ("AMPOptimizer vs AdamMuon", "--amp"),
        ("AdamMuon vs MemoryEfficientFP16Optimizer", "--fp16"),
        ("FairseqAdam vs AdamMuon", "--optimizer"),
    ],
)
def test_another_precision_is_no_other_optimizer(names: str, flag: str) -> None:
    said = f"Optimizer does not match; please reset the optimizer (--x). {names}"
    line = explain(AssertionError(said))
    assert line is not None
    assert flag in line
    assert ("--optimizer:" in line) == (flag == "--optimizer")


def test_a_program_without_a_task() -> None:
    with pytest.raises(KeyError) as caught:
        options.parse_args_and_arch(options.get_parser("Validation", None), ["data"])
    assert "name --task" in (explain(caught.value) or "")
    assert explain(KeyError(None)) is None


def test_unknown_errors_are_not_ours() -> None:
    assert explain(ZeroDivisionError("division by zero")) is None
    assert explain(None) is None


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    setting = f"import sys; sys.path.insert(0, {str(root)!r});"
    return subprocess.run(
        [sys.executable, "-c", setting + program],
        capture_output=True,
        text=True,
        env={"PATH": "", **environment},
    )


# Loaded from its file, so that the test does not wait for fairseq.
HOOK = (
    "import importlib.util as u, pathlib;"
    "path = pathlib.Path(sys.path[0]) / 'alone_fairseq' / 'errors.py';"
    "spec = u.spec_from_file_location('errors', path);"
    "errors = u.module_from_spec(spec); spec.loader.exec_module(errors);"
    "errors.print_mistakes_in_one_line();"
)


def test_a_mistake_ends_the_program_with_one_line() -> None:
    done = run(HOOK + "raise errors.AloneError('--alone-seed is wrong')")
    assert done.returncode == 1
    assert done.stderr == "alone_fairseq: error: --alone-seed is wrong\n"


def test_the_traceback_can_be_had() -> None:
    done = run(HOOK + "raise errors.AloneError('no')", ALONE_TRACEBACK="1")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


@pytest.mark.parametrize(
    ("package", "told"), [("", False), ("fairseq_cli", True), ("mine", False)]
)
def test_a_program_without_fairseq_keeps_its_tracebacks(
    package: str, told: bool
) -> None:
    done = run(f"{HOOK}__package__ = {package!r}; open('mydata/train.csv')")
    assert done.returncode == 1
    assert done.stderr.startswith("alone_fairseq: error: 'mydata/train.csv'") == told
    assert ("Traceback" in done.stderr) != told


def test_a_fault_of_the_program_keeps_its_traceback() -> None:
    done = run(HOOK + "1 / 0")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError" in done.stderr
