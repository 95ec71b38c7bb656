"""A fit from its settings to its file: looks, saves, and going on after a kill."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tqdm import tqdm

from alone_experiments.devices import refuse_missing_gpu
from alone_experiments.files import write_json
from alone_experiments.mistakes import Mistake
from alone_experiments.provenance import origin
from alone_experiments.reconstruction import report, saved
from alone_experiments.reconstruction.fit import (
    Fit,
    Schedule,
    build_seeded,
    given_options,
)
from alone_experiments.reconstruction.saved import Reconstruction
from alone_experiments.reconstruction.targets import Targets
from alone_experiments.unfinished import Unfinished, refuse_other_settings
from alone_experiments.word_vectors.similarity import show
from alone_fairseq import saved_embedding
from alone_fairseq.embeddings import refuse_options_of_others

PUBLISHED_INTER_DIM = 2400
"""The largest of Figure 3; its others are 600, 1200 and 1800."""

_BEFORE = asdict(Schedule())
"""Files of before some of them were settings are of the published ones."""


@dataclass(frozen=True)
class Job:
    """All that a fit needs.

    Attributes:
        method: Embedding method.
        options: Its options as far as they are given.
        targets: What is to be fitted.
        schedule: How.
        source: Name of the vectors' file.
        device: ``cpu`` or ``cuda``.
        look_interval: Epochs between looks at loss and scores.
        save_interval: Epochs between saves.
        command: The command line, for the record.
        json: Where to write the record too, if anywhere.
        force: Whether to replace a finished or unfinished fit of other settings.
    """

    method: str
    options: dict[str, Any]
    targets: Targets
    schedule: Schedule
    source: str
    device: str
    look_interval: int
    save_interval: int
    command: list[str]
    json: Path | None = None
    force: bool = False


def job_from(args: Namespace, targets: Targets) -> Job:
    """Gather what :func:`fit_to_file` needs from the command line.

    Args:
        args: Options of the ``reconstruct`` command.
        targets: What is to be fitted.
    """
    method = args.embedding_method
    refuse_options_of_others(args, [method])
    options = given_options(args, method)
    if method == "alone":
        options.setdefault("alone_inter_dim", PUBLISHED_INTER_DIM)
    schedule = {field.name: getattr(args, field.name) for field in fields(Schedule)}
    return Job(
        method,
        options,
        targets,
        Schedule(**schedule),
        source=args.vectors.name,
        device=args.device,
        look_interval=args.look_interval,
        save_interval=args.save_interval,
        command=["alone-fairseq", *sys.argv[1:]],
        json=args.json,
        force=args.force,
    )


def fit_to_file(job: Job, output: Path, pairs: report.PairSets) -> Reconstruction:
    """Fit an embedding and save it; go on where an earlier try was stopped.

    While the fit runs, its state is in ``output`` with ``.unfinished`` added.

    Args:
        job: What to do.
        output: File of the reconstruction.
        pairs: Judged word pairs by name, for looks and for the record.

    Returns:
        The reconstruction, from ``output`` if it was there already.

    Raises:
        Mistake: If the settings cannot work, or the files are of others.
    """
    fit = _make_fit(job)
    settings = _settings(job, fit)
    if output.exists() and not job.force:
        found = saved.load(output)
        theirs = {**_BEFORE, **found.facts.get("settings", {})}
        refuse_other_settings(theirs, settings, output)
        print(f"{output}: is done already")
        if missing := sorted(pairs.keys() - found.facts.get("similarity", {}).keys()):
            raise Mistake(
                f"{output}: was fitted without --pairs {', '.join(missing)}: have it"
                " judged with alone-fairseq similarity, or add --force to fit it again"
            )
    else:
        unfinished = Unfinished(output, settings)
        looks: list[dict[str, Any]] = []
        if state := unfinished.carry_on(job.force, usual=_BEFORE):
            fit.carry_on(state)
            looks = state.get("looks", [])
            print(f"{unfinished.path}: carrying on after epoch {fit.epoch}")
        _run(fit, unfinished, job, pairs, looks)
        found = _finish(fit, settings, job, looks, unfinished.seconds)
        saved.save(found, output)
        unfinished.remove()
    if job.json:
        write_json(job.json, found.facts)
    print(f"{output}: loss {found.facts['loss']:.6g}")
    return found


def _make_fit(job: Job) -> Fit:
    targets = job.targets
    job.schedule.check(int((~targets.held_out).sum()))
    options = Namespace(**job.options)
    embedding = build_seeded(job.method, options, targets.size(), job.schedule.seed)
    refuse_missing_gpu(job.device)
    return Fit(embedding.to(job.device), *targets.fitted(), job.schedule)


def _settings(job: Job, fit: Fit) -> dict[str, Any]:
    return {
        **saved_embedding.describe(fit.embedding),
        **asdict(job.schedule),
        **job.targets.describe(),
    }


def _run(
    fit: Fit,
    unfinished: Unfinished,
    job: Job,
    pairs: report.PairSets,
    looks: list[dict[str, Any]],
) -> None:
    epochs = job.schedule.epochs

    def save() -> None:
        unfinished.save({**fit.state(), "looks": looks})

    save()  # now, so that a folder that cannot be written to costs no time
    bar = tqdm(total=epochs, initial=fit.epoch, unit="epoch", disable=None)

    def after_epoch(fit: Fit) -> None:
        bar.update()
        if fit.epoch == epochs or fit.epoch % job.look_interval == 0:
            look(fit)
        if fit.epoch < epochs and fit.epoch % job.save_interval == 0:
            save()

    def look(fit: Fit) -> None:
        looks.append({"epoch": fit.epoch, **_measure(fit, job, pairs)})
        bar.write(_tell(looks[-1]))
        sys.stdout.flush()

    with bar:
        if fit.epoch == 0 and not looks:
            look(fit)
        fit.run(epochs, after_epoch)


def _tell(found: dict[str, Any]) -> str:
    scores = [f"epoch {found['epoch']:,}", f"loss {found['loss']:.5g}"]
    scores += [f"cosine {found['cosine']:.3f}"]
    if "held_out" in found:
        kept_back = found["held_out"]
        scores += [f"held out: cosine {kept_back['cosine']:.3f}"]
    for name, score in found["similarity"].items():
        rho, source = show(score["rho"]), show(score["source_rho"])
        scores += [f"{name} {rho} (source {source}, {score['covered']} pairs)"]
    return "  ".join(scores)


def _early(look: dict[str, Any]) -> dict[str, Any]:
    """Keep what is told of a look, and leave what is the same at all of them."""
    rho = {name: score["rho"] for name, score in look["similarity"].items()}
    return {name: look[name] for name in ("epoch", "loss", "cosine")} | {"rho": rho}


def _measure(fit: Fit, job: Job, pairs: report.PairSets) -> dict[str, Any]:
    made = job.targets.reconstruction(fit.embedding, {}).word_vectors()
    return report.measure(job.targets, made, job.schedule.distance, pairs)


def _finish(
    fit: Fit,
    settings: dict[str, Any],
    job: Job,
    looks: list[dict[str, Any]],
    seconds: float,
) -> Reconstruction:
    last = {name: found for name, found in looks[-1].items() if name != "epoch"}
    facts = {
        "source": job.source,
        **last,
        "looks": [_early(look) for look in looks],
        "footprint": asdict(fit.embedding.footprint()),
        "settings": settings,
        "updates": job.schedule.updates(fit.epoch, len(fit.rows)),
        "seconds": round(seconds, 1),
        **origin(job.command, ("scipy",)),
    }
    return job.targets.reconstruction(fit.embedding, facts)
