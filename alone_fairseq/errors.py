"""Mistakes that a user can mend, told in one line."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

TRACEBACK_VARIABLE = "ALONE_TRACEBACK"
"""Set this environment variable to see tracebacks all the same."""

_NO_PAIR = (
    "holds no data whose languages could be seen: give the folder that"
    " fairseq-preprocess wrote, or name --source-lang and --target-lang"
)

# What fairseq, torch and NumPy say of a user's mistake, and what we say.
_KNOWN = [
    # A process that fairseq started for a GPU tells its parent by text only.
    (r"alone_fairseq\.errors\.AloneError: ([^\n]*)", "{}"),
    (
        r"Dataset not found: (\S+) \((.*)\)",
        "no '{}' data in {}: give the folder that fairseq-preprocess wrote, and the"
        " languages in its order",
    ),
    (
        r"Incorrect encoding detected in (.*), please rebuild the dataset",
        "{}: is not UTF-8: make it with fairseq-preprocess of texts in UTF-8",
    ),
    (
        r"No such file or directory: '(.*)'",
        "'{}' does not exist: check the path; data folders are those that"
        " fairseq-preprocess wrote",
    ),
    (r"Could not infer language pair", _NO_PAIR),
    (
        r"cannot mmap an empty file|_bin_buffer_mmap",
        "a data set is empty: look for text files without lines among those given to"
        " fairseq-preprocess",
    ),
    (r"Model file not found: (.*)", "checkpoint '{}' does not exist"),
    (
        r"(?:Missing|Unexpected) key\(s\) in state_dict|size mismatch for ",
        "the checkpoint is of another model than the flags describe: use the --arch and"
        " the flags of the training, or another --save-dir",
    ),
    (
        r"Criterion does not match",
        "the checkpoint was trained with another --criterion: name that one, or add"
        " --reset-optimizer, which counts the updates from 0 again",
    ),
    (
        r"Optimizer does not match.*(?:AMP|FP16)Optimizer",
        "the checkpoint was trained in another precision: use the same of --amp, --fp16"
        " and --bf16, or add --reset-optimizer, which counts the updates from 0 again",
    ),
    (
        # In half precision fairseq compares the names of its wrappers only.
        r"Optimizer does not match|^'param_groups'$",
        "the checkpoint was trained with another --optimizer: name that one, or add"
        " --reset-optimizer, which counts the updates from 0 again",
    ),
    (
        r"Unsupported optimizer: (AdamMuon|AdamSharedMoment|AdamSoap)",
        "--memory-efficient-fp16 and -bf16 need an optimizer that computes in half"
        " precision, which {} does not: use --fp16 or --bf16, with"
        " --fp16-no-flatten-grads",
    ),
    (
        r"TwoOptimizers.*got an unexpected keyword argument",
        "--zero-sharding needs an --optimizer that fairseq can make anew from its"
        " options, such as adam: remove it, or use that one",
    ),
    (
        # On a CPU fairseq's --fp16 gets as far as its first flat vector, or overflow.
        r"Torch not compiled with CUDA enabled|Found no NVIDIA driver",
        "PyTorch finds no GPU, which this needs: add --cpu, and leave --fp16 out (on a"
        " CPU --bf16 works)",
    ),
    (
        # It looks for a GPU, not for --cpu, before it clips gradients.
        r"scalar tensor is expected to be on cpu",
        "fairseq cannot clip gradients on a CPU while it sees a GPU: leave out --cpu,"
        " or set CUDA_VISIBLE_DEVICES= before the command",
    ),
    (
        r"can't allocate memory|Storage size calculation overflowed|out of memory",
        "there is not as much memory as this takes: lower the sizes of the model, or"
        " its batches (--max-tokens, --batch-size)",
    ),
    (
        r"Overflow when unpacking long|too large to convert to C",
        "a number among the flags is larger than PyTorch can take: lower it",
    ),
    (
        r"only supported with FusedAdamV1",
        "--fp16-adam-stats needs apex's Adam, which this optimizer does not use: remove"
        " it",
    ),
    (
        r"Cannot find FullyShardedDataParallel",
        "--ddp-backend fully_sharded is not supported: use legacy_ddp or pytorch_ddp",
    ),
    (
        r"Must specify batch size",
        "a batch needs a size: give --max-tokens or --batch-size",
    ),
    (
        r"[Gg]radients are N[aA][nN]|^Minimum loss scale reached",
        "the training diverged: gradients are not finite; lower --lr, or raise"
        " --warmup-updates",
    ),
]

_TOO_LONG = re.compile(
    r"Size of sample #(\d+) is invalid \(=(.*)\) since max_positions=([^A-Za-z]*)"
)
_NUMBER = re.compile(r"\b\d+\b")

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_WRAPPED = "Cannot load model parameters from checkpoint"
_LOADERS = (
    "load_checkpoint_to_cpu",
    "load_model_ensemble_and_task",
    "load_checkpoint",
)


_COMMANDS = ("fairseq", "fairseq_cli", "alone_experiments")
"""Packages whose programs these lines are written for."""


class AloneError(ValueError):
    """A mistake of the user's; its text is one line with the remedy in it."""


def explain(error: BaseException | None) -> str | None:
    """Put an exception that comes from a user's mistake into one line.

    fairseq wraps what a checkpoint raises while it is loaded in an exception of its
    own, and looks for the cause of a divergence; only then is what lies behind an
    exception searched.

    Args:
        error: The exception.

    Returns:
        The line, with the checkpoint's name before it if fairseq was loading one, or
        ``None`` where nothing tells of a user's mistake.
    """
    chain = [] if error is None else list(_chain(error))
    line = next((str(link) for link in chain if isinstance(link, AloneError)), None)
    line = line or next((known for link in chain if (known := _known(link))), None)
    name = _data_folder(chain) if line == _NO_PAIR else _loaded_checkpoint(chain)
    return f"{name}: {line}" if line and name and name not in line else line


def _known(error: BaseException) -> str | None:
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        where = error.filename or "standard output"
        return f"cannot write {where}: {error.strerror}: make room"
    parsing = _locals_of([error], ("parse_args_and_arch",))
    if isinstance(error, KeyError) and any(parsing):
        return f"fairseq has no {error}: name --task, such as translation"
    for pattern, line in _KNOWN:
        if found := re.search(pattern, str(error), flags=re.DOTALL):
            return line.format(*found.groups())
    return _too_long(str(error))


def _too_long(text: str) -> str | None:
    """Say which side of a sentence pair is too long, source or target."""
    found = _TOO_LONG.search(text)
    if found is None:
        return None
    # NumPy 2 writes its numbers as np.int64(7).
    sizes, most = (map(int, _NUMBER.findall(each)) for each in found.groups()[1:])
    for size, limit in zip(sizes, most, strict=False):
        if size > limit:
            return (
                f"sentence {found[1]} of the data has {size} tokens, more than the"
                f" {limit} of the model: shorten it, or leave it out with"
                " --skip-invalid-size-inputs-valid-test"
            )
    return None


# fairseq does not put these names into what it raises, but its functions have them.
def _loaded_checkpoint(chain: list[BaseException]) -> str | None:
    for local in _locals_of(chain, _LOADERS):
        name = local.get("path") or local.get("filename")
        if isinstance(name, str):
            return name
    return None


def _data_folder(chain: list[BaseException]) -> str | None:
    for local in _locals_of(chain, ("setup_task",)):
        paths = local.get("paths")
        if isinstance(paths, list) and paths:
            return str(paths[0])
    return None


def _locals_of(
    chain: list[BaseException], functions: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for link in chain:
        for frame, _ in traceback.walk_tb(link.__traceback__):
            if frame.f_code.co_name in functions:
                yield frame.f_locals


def _chain(error: BaseException) -> Iterator[BaseException]:
    yield error
    behind = error.__cause__
    # When gradients are no numbers, fairseq goes through the update again to say where
    # first, which raises what it may.
    diverged = isinstance(error.__context__, FloatingPointError)
    if behind is None and (diverged or _WRAPPED in str(error)):
        behind = error.__context__
    if behind is not None:
        yield from _chain(behind)


def reason_for(error: BaseException) -> str:
    """Say why a file could not be written.

    Args:
        error: What was raised; torch's writer raises an error of its own after that of
            the system, which then is its context.

    Returns:
        What the system said, or else the first line of the error.
    """
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, OSError) and link.strerror:
            return link.strerror
        link = link.__cause__ or link.__context__
    return str(error).split("\n")[0]


def print_mistakes_in_one_line() -> None:
    """Make Python end with one line where a user's mistake stopped the program.

    Every other exception goes to the hook that was there before; so do those that the
    user's own program raises without fairseq: their texts may mean something else.
    """
    previous = sys.excepthook

    def hook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        ours = isinstance(error, AloneError) or _passed_a_command(trace)
        wanted = ours and not os.environ.get(TRACEBACK_VARIABLE)
        line = explain(error) if wanted else None
        if isinstance(error, BrokenPipeError):
            _forget_output()  # a reader that has enough, such as head, is no error
        elif line is None:
            previous(kind, error, trace)
        else:
            print(f"alone_fairseq: error: {line}", file=sys.stderr)
            # Half-built objects complain when they are thrown away after this.
            sys.unraisablehook = lambda _: None
            if isinstance(error, OSError):
                _forget_output()

    sys.excepthook = hook


def _passed_a_command(trace: TracebackType | None) -> bool:
    packages = (
        frame.f_globals.get("__package__") or ""
        for frame, _ in traceback.walk_tb(trace)
    )
    return any(package.partition(".")[0] in _COMMANDS for package in packages)


def _forget_output() -> None:
    """Keep Python from writing to a closed or full standard output at its end."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # replaced by something without a file
    os.dup2(os.open(os.devnull, os.O_WRONLY), output)
