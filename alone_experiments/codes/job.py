"""Runs from their settings to their files: looks, saves, and going on after a kill."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from alone_experiments.codes.balance import Balance
from alone_experiments.codes.fit import Check, CodeFit, Run, Schedule
from alone_experiments.codes.learner import refuse_what_does_not_fit
from alone_experiments.codes.sizes import size_of
from alone_experiments.devices import refuse_missing_gpu
from alone_experiments.files import write_json
from alone_experiments.provenance import origin
from alone_experiments.reconstruction import saved
from alone_experiments.reconstruction.saved import Reconstruction
from alone_experiments.reconstruction.targets import Targets
from alone_experiments.results.result_files import read_json
from alone_experiments.unfinished import Unfinished, refuse_other_settings
from alone_fairseq.embeddings.codes import CodesEmbedding


@dataclass(frozen=True)
class Job:
    """All that learning needs, but for which codes are learned.

    Attributes:
        targets: The given vectors.
        schedule: How to learn.
        source: Name of the vectors' file.
        device: ``cpu`` or ``cuda``.
        look_interval: Updates between lines about the runs, each at the next check.
        command: The command line, for the record.
        records: Folder for a record a run, if any.
        side: Of a model with two tables: whose these are.
        notes: What the records should say beside the numbers.
        force: Whether to replace what there is of other settings.
    """

    targets: Targets
    schedule: Schedule
    source: str
    device: str = "cpu"
    look_interval: int = 10_000
    command: tuple[str, ...] = ()
    records: Path | None = None
    side: str = ""
    notes: str = ""
    force: bool = False

    def row(self, run: Run) -> str:
        """Name what the record of a run is of."""
        return f"{run.shape}_{self.side}" if self.side else str(run.shape)

    def record_of(self, run: Run) -> Path:
        """Name the record of a run in the folder of records."""
        assert self.records is not None
        return self.records / f"{self.row(run)}--seed{run.seed}.json"

    def settings(self, run: Run) -> dict[str, Any]:
        """Name what the codes of a run depend on, as plain data."""
        return {
            "codes": str(run.shape),
            "seed": run.seed,
            **asdict(self.schedule),
            **self.targets.describe(),
        }


def learn_to_files(job: Job, files: dict[Run, Path]) -> dict[Run, Reconstruction]:
    """Learn codes and save them; go on where an earlier try was stopped.

    Runs with equally many codewords are computed together. While they are, their state
    is in the file of the first that is not done, with ``.unfinished`` added.

    Args:
        job: What to learn from, and how.
        files: The runs, and the file of each.

    Returns:
        The codes of each run, from its file if that was there already.

    Raises:
        Mistake: If the settings cannot work, or the files are of others.
    """
    made = {}
    for run in files if job.records and not job.force else ():
        record = job.record_of(run)
        if record.is_file():
            theirs = read_json(record).get("settings", {})
            refuse_other_settings(theirs, job.settings(run), record)
    for run, file in files.items():
        if file.exists() and not job.force:
            made[run] = saved.load(file)
            theirs = made[run].facts.get("settings", {})
            refuse_other_settings(theirs, job.settings(run), file)
            print(f"{file}: is done already")
            _tell(job, run, made[run], file)
    for group in _groups(files, set(files) - set(made), job.force):
        made |= _learn(job, {run: files[run] for run in group})
        for run in group:
            _tell(job, run, made[run], files[run])
    return {run: made[run] for run in files}


def _groups(
    files: dict[Run, Path], undone: set[Run], force: bool
) -> Iterator[list[Run]]:
    """Put runs together that can be learned at once, those of an earlier try first.

    With ``force`` there is no earlier try, and no look at what it left.
    """
    for codewords in sorted({run.shape.codewords for run in undone}):
        alike = [run for run in files if run.shape.codewords == codewords]
        begun: set[str] = set()
        for run in () if force else alike:
            if not begun and (state := Unfinished(files[run], {}).read()):
                # Stopped among the saves of a group, it has the state of all of them.
                begun = set(state.get("settings", {}).get("runs", "").split(", "))
        earlier = [run for run in alike if str(run) in begun]
        rest = [run for run in alike if run in undone and run not in earlier]
        yield from filter(None, (earlier, rest))


def _learn(job: Job, files: dict[Run, Path]) -> dict[Run, Reconstruction]:
    runs = list(files)
    refuse_missing_gpu(job.device)
    vectors = torch.from_numpy(job.targets.vectors)
    shapes, hidden = [run.shape for run in runs], job.schedule.hidden
    refuse_what_does_not_fit(shapes, vectors.size(1), hidden, job.device)
    fit = CodeFit(runs, vectors, job.targets.held_out, job.schedule, job.device)
    settings = {str(run): job.settings(run) for run in runs}
    together = {"runs": ", ".join(settings), **settings}
    unfinished = Unfinished(files[runs[0]], together)
    if state := unfinished.carry_on(job.force):
        fit.carry_on(state)
        print(f"{unfinished.path}: carrying on after {fit.iteration:,} updates")
    _run(fit, unfinished, job)
    seconds = unfinished.seconds
    made = {}
    for number, (codes, codewords) in enumerate(fit.best_codes()):
        facts = _facts(job, fit, number, codes, seconds)
        made[runs[number]] = _reconstruction(
            job.targets, runs[number], codes, codewords, facts
        )
        saved.save(made[runs[number]], files[runs[number]])
    unfinished.remove()
    return made


def _run(fit: CodeFit, unfinished: Unfinished, job: Job) -> None:
    # Now, so that a folder that cannot be written to costs no time.
    unfinished.save(fit.state())
    total = job.schedule.iterations
    with tqdm(total=total, initial=fit.iteration, unit="update", disable=None) as bar:
        while not fit.finished:
            looks = fit.iteration // job.look_interval
            fit.run_block()
            bar.update(fit.iteration - bar.n)
            unfinished.save(fit.state())
            if fit.iteration == total or fit.iteration // job.look_interval > looks:
                for number, run in enumerate(fit.runs):
                    found = fit.checks[number][-1]
                    bar.write(_look(run, found, bool(fit.held_out.any())))


def _look(run: Run, found: Check, any_kept_back: bool) -> str:
    shape = run.shape
    losses = {"kept back": found.kept_back} if any_kept_back else {}
    losses["all words"] = found.all_words
    return (
        f"{run.shape}, seed {run.seed}, {found.iteration:,} updates:"
        f" {_write(losses)}; largest probability"
        f" {found.largest_probability:.3f}; unused codewords {found.unused} of"
        f" {shape.codewords}; entropy {found.entropy_bits:.2f} of {shape.bits} bits"
    )


def _write(losses: dict[str, float]) -> str:
    return "; ".join(
        f"{words}: half sum of squares {loss:.4f}, mean of squares {2 * loss:.4f}"
        for words, loss in losses.items()
    )


def _facts(
    job: Job, fit: CodeFit, number: int, codes: Tensor, seconds: float
) -> dict[str, Any]:
    run, best = fit.runs[number], fit.best_check(number)
    balance = Balance.of(codes.cpu().numpy(), run.shape)
    dim = job.targets.vectors.shape[1]
    kept_back = best.kept_back if job.targets.held_out.any() else None
    return {
        "experiment": "codes",
        "row": job.row(run),
        "seed": run.seed,
        "source": job.source,
        "losses": {
            "half_sum_of_squares": {
                "kept_back": kept_back,
                "all_words": best.all_words,
            },
            "mean_of_squares": {
                "kept_back": None if kept_back is None else 2 * kept_back,
                "all_words": 2 * best.all_words,
            },
        },
        "best_update": best.iteration,
        "balance": balance.describe(),
        "size": asdict(size_of(run.shape, len(job.targets.symbols), dim)),
        "checks": {"fields": Check._fields, "values": [*map(list, fit.checks[number])]},
        "settings": job.settings(run),
        "learned_together": [str(each) for each in fit.runs],
        "seconds": round(seconds, 1),
        **origin(list(job.command), ()),
        "notes": job.notes,
    }


def _reconstruction(
    targets: Targets, run: Run, codes: Tensor, codewords: Tensor, facts: dict[str, Any]
) -> Reconstruction:
    dim, shape = codewords.size(1), run.shape
    embedding = CodesEmbedding(
        *(len(targets.symbols), dim, targets.padding_idx),
        codes_num_codebooks=shape.codebooks,
        codes_codebook_size=shape.values,
        codes_seed=run.seed,
    ).eval()
    # Symbols without a given vector keep random codes.
    every = embedding.codes().long()
    every[targets.rows] = codes.cpu()
    embedding.set_codes(every)
    embedding.set_codewords(codewords)
    return targets.reconstruction(embedding, facts)


def _tell(job: Job, run: Run, made: Reconstruction, file: Path) -> None:
    losses = made.facts["losses"]["half_sum_of_squares"]
    if not made.held_out:  # older files repeat there the loss of all words
        losses = {"all_words": losses["all_words"]}
    named = {name.replace("_", " "): loss for name, loss in losses.items()}
    print(f"{file}: best after {made.facts['best_update']:,} updates: {_write(named)}")
    if job.records:
        write_json(job.record_of(run), made.facts)


def name_files(output: Path, runs: Sequence[Run]) -> dict[Run, Path]:
    """Name the file of each run: with the run in its name where there are several."""
    if len(runs) == 1:
        return {runs[0]: output}
    return {
        run: output.with_name(f"{output.stem}.{run}{output.suffix}") for run in runs
    }
