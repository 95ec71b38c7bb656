"""A classifier from its settings to its record: saves, and going on after a kill."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from numpy.random import RandomState
from tqdm import tqdm

from alone_experiments.devices import refuse_missing_gpu
from alone_experiments.files import write_json
from alone_experiments.lines import sha256
from alone_experiments.mistakes import Mistake
from alone_experiments.provenance import origin
from alone_experiments.results.result_files import write_translations
from alone_experiments.sentiment.fit import SPLIT_SEED, Fit, Schedule, split
from alone_experiments.sentiment.reviews import Review, encode, read_reviews
from alone_experiments.sentiment.sizes import describe_size, describe_start
from alone_experiments.unfinished import Unfinished, read_done
from alone_experiments.word_vectors.sources import read_source
from alone_experiments.word_vectors.word_vectors import WordVectors

_TRAIN_STREAM, _TEST_STREAM = 1, 2


@dataclass(frozen=True)
class Job:
    """All that a run needs.

    Attributes:
        args: Options of ``sentiment train``, among them those of the vectors.
        schedule: How to learn.
        row: What the record calls the run.
        command: The command line, for the record.
    """

    args: Namespace
    schedule: Schedule
    row: str
    command: tuple[str, ...]

    def settings(self, vectors: WordVectors) -> dict[str, Any]:
        """Name what the classifier depends on, as plain data."""
        return {
            **asdict(self.schedule),
            "train_reviews": self.args.train_reviews,
            "test_reviews": self.args.test_reviews,
            "words": len(vectors.words),
            "dim": vectors.dim,
            **{f"{name}_sha256": s for name, s in vectors.checksums().items()},
            "data": self.data(),
        }

    def data(self) -> dict[str, str]:
        """Compute the SHA-256 of the reviews."""
        names = ("train.tsv", "test.tsv")
        return {name: sha256(self.args.reviews / name) for name in names}


def classify_to_file(job: Job, output: Path) -> dict[str, Any]:
    """Train a classifier, test it, and record it; go on where it was stopped.

    Args:
        job: What to do.
        output: File of the record.

    Returns:
        The record, from its file if that was there already.

    Raises:
        Mistake: If the settings cannot work, or the files are of others.
    """
    args = job.args
    vectors = read_source(args)
    settings = job.settings(vectors)
    if done := read_done(output, settings, args.force):
        _tell(done, output)
        return done
    # Before the training, which a bad test set would make useless.
    test = _read(args, "test", _TEST_STREAM)
    fit = _make_fit(job, vectors)
    unfinished = Unfinished(output, settings)
    if state := unfinished.carry_on(args.force):
        fit.carry_on(state)
        print(f"{unfinished.path}: carrying on after {fit.updates:,} updates")
    _train(fit, unfinished, args.save_interval)
    fit.take_best()
    loss, right = fit.evaluate(encode(test, vectors, job.schedule.longest))
    record = _record(job, fit, settings, output, loss, right)
    record |= describe_size(args, vectors) | describe_start(args.vectors)
    record["seconds"] = round(unfinished.seconds, 1)
    write_json(output, record)
    unfinished.remove()
    _tell(record, output)
    return record


def _read(args: Namespace, part: str, stream: int) -> list[Review]:
    found = read_reviews(args.reviews / f"{part}.tsv")
    wanted = getattr(args, f"{part}_reviews") or len(found)
    if wanted > len(found):
        raise Mistake(f"--{part}-reviews {wanted}: there are {len(found):,}")
    order = RandomState([SPLIT_SEED, stream]).permutation(len(found))
    return [found[i] for i in np.sort(order[:wanted])]


def _make_fit(job: Job, vectors: WordVectors) -> Fit:
    args, schedule = job.args, job.schedule
    refuse_missing_gpu(args.device)
    reviews = encode(_read(args, "train", _TRAIN_STREAM), vectors, schedule.longest)
    # The last row is for reviews without any known word.
    table = np.vstack([vectors.vectors, np.zeros((1, vectors.dim), np.float32)])
    parts = split(reviews, schedule.hold_out)
    return Fit(torch.from_numpy(table), *parts, schedule, args.device)


def _train(fit: Fit, unfinished: Unfinished, interval: int) -> None:
    # Now, so that a folder that cannot be written to costs no time.
    unfinished.save(fit.state())
    total = fit.schedule.epochs * fit.epoch_updates
    with tqdm(total=total, initial=fit.updates, unit="update", disable=None) as bar:
        while not fit.finished:
            fit.run(interval)
            bar.update(fit.updates - bar.n)
            unfinished.save(fit.state())
            if fit.update == 0:
                done = fit.epochs[-1]
                bar.write(
                    f"epoch {len(fit.epochs)}: loss {done.train:.4f}, kept back"
                    f" {done.valid:.4f}, accuracy {100 * done.accuracy:.2f}"
                )


def _record(
    job: Job,
    fit: Fit,
    settings: dict[str, Any],
    output: Path,
    loss: float,
    right: npt.NDArray[np.bool_],
) -> dict[str, Any]:
    kept = output.with_name(f"{output.name.removesuffix('.json')}.right.gz")
    return {
        "experiment": "sentiment",
        "row": job.row,
        "seed": job.schedule.seed,
        "compared_with": job.args.compared_with,
        "source": job.args.vectors.name,
        "test": {
            "accuracy": 100 * float(right.mean()),
            "loss": loss,
            "reviews": len(right),
            "right": write_translations([f"{int(each)}" for each in right], kept),
        },
        "best_epoch": fit.best_epoch,
        "valid": {
            "reviews": len(fit.valid.rows),
            "fields": ["train loss", "loss", "accuracy"],
            "epochs": [list(epoch) for epoch in fit.epochs],
        },
        "updates": fit.updates,
        "settings": settings,
        "data": settings["data"],
        **origin(list(job.command), ("nltk",)),
        "notes": job.args.notes,
    }


def _tell(record: dict[str, Any], output: Path) -> None:
    test = record["test"]
    print(
        f"{output}: accuracy {test['accuracy']:.2f} of {test['reviews']:,} reviews, by"
        f" the state after epoch {record['best_epoch']}"
    )
