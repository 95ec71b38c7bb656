"""Which checkpoints of a run are averaged before it is evaluated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.evaluation.parts import Part, state_of_checkpoints
from alone_experiments.mistakes import Mistake
from alone_experiments.training.run import Run

_FILES = {
    "--num-epoch-checkpoints": re.compile(r"checkpoint(\d+)\.pt"),
    "--num-update-checkpoints": re.compile(r"checkpoint_\d+_(\d+)\.pt"),
}


@dataclass(frozen=True)
class Averaging:
    """The checkpoints to average.

    Attributes:
        inputs: Arguments of ``alone-fairseq average --inputs``.
        count: How many checkpoints these are.
        files: The checkpoints, as far as they exist.
    """

    inputs: list[str]
    count: int
    files: list[Path]

    def part(self, run: Run) -> Part:
        """Make the part of the evaluation that averages them."""
        output = f"{run.save_dir}/averaged.pt"
        return Part(
            name="average",
            command=[
                *("alone-fairseq", "average", "--inputs", *self.inputs),
                *("--output", output),
            ],
            files=[run.folder / "averaged.pt"],
            sources=state_of_checkpoints(self.files),
            message=f"averaging {self.count} checkpoints of {run.save_dir}",
        )


def choose_checkpoints(run: Run, flags: list[str]) -> Averaging:
    """Choose the last checkpoints of a run, or all of them if there are fewer.

    Args:
        run: The run, which need not have any.
        flags: Flags of average.flags.

    Returns:
        The checkpoints; the last one alone where no other has been kept.

    Raises:
        Mistake: If the flags do not say how many.
    """
    settings = run.row.folder / "average.flags"
    kind, wanted = [*flags, "", ""][:2]
    if kind not in _FILES:
        raise Mistake(
            f"{settings} must say --num-epoch-checkpoints N or"
            " --num-update-checkpoints N"
        )
    if not re.fullmatch("[1-9][0-9]*", wanted):
        raise Mistake(f"{settings}: {kind} needs a number")
    numbered = [
        (int(found[1]), file)
        for file in run.folder.glob("checkpoint*.pt")
        if (found := _FILES[kind].fullmatch(file.name))
    ]
    files = [file for _, file in sorted(numbered)[-int(wanted) :]]
    last = run.folder / "checkpoint_last.pt"
    if last.is_file() and not files:
        return Averaging([f"{run.save_dir}/{last.name}"], 1, [last])
    count = len(files) or int(wanted)
    return Averaging([run.save_dir, kind, str(count)], count, files)
