"""Taggers from their settings to their records, and the search for rate and dropout."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from tqdm import tqdm

from alone_experiments.files import write_json
from alone_experiments.lines import sha256
from alone_experiments.mistakes import Mistake, say
from alone_experiments.provenance import origin
from alone_experiments.tagging.embeddings import (
    DIM,
    make_spelled,
    make_table,
    refuse_unused,
    take_given,
)
from alone_experiments.tagging.fit import DivergedError, Fit, Schedule, accuracy
from alone_experiments.tagging.scores import tell
from alone_experiments.tagging.tagger import Tagger
from alone_experiments.tagging.treebank import Treebank
from alone_experiments.unfinished import Unfinished, read_done
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq import saved_embedding
from alone_fairseq.embeddings import CompactEmbedding

SUMMARY = "summary.json"

OF_BEST = (
    *("rows", "footprint", "commit", "dirty"),
    *("created", "versions", "hardware", "threads"),
)
"""What a summary has of the record of the training that was chosen."""


@dataclass(frozen=True)
class Job:
    """Taggers with the same word vectors, on the same treebank.

    Attributes:
        args: Options of the ``tag`` command.
        treebank: The treebank.
        given: Vectors for the table of words, if any.
        row: What the records call them.
        command: The command line, for the records.
        started: The table of words that was brought close to given vectors last, by its
            seed: a fit may take longer than a training, and all of a seed begin so.
    """

    args: Namespace
    treebank: Treebank
    given: WordVectors | None
    row: str
    command: tuple[str, ...]
    started: dict[int, CompactEmbedding] = field(default_factory=dict)

    @classmethod
    def of(cls, args: Namespace, treebank: Treebank, command: tuple[str, ...]) -> Job:
        """Read the vectors that the command line names.

        Raises:
            AloneError: If options are given that no part of the tagger heeds.
            Mistake: If the file of vectors is none.
        """
        refuse_unused(args)
        given = VectorFile(args.vectors).read() if args.vectors else None
        row = args.row or args.output.resolve().name
        return cls(args, treebank, given, row, command)

    def words(self) -> list[str]:
        """List the words of the table: frequent ones first, then those with vectors."""
        others = self.given.words if self.given else []
        known = [word for word, _ in self.treebank.counts.most_common()]
        return list(dict.fromkeys([*known, *others]))

    def tagger(self, schedule: Schedule, start: bool = True) -> Tagger:
        """Make a tagger with its initial values, which follow from the seed.

        Args:
            schedule: How it is to be trained.
            start: Bring the table close to given vectors, if there are any, which is of
                no use where the values of an earlier try follow.
        """
        words, counts = self.words(), self.treebank.counts
        spelled, table = self.embeddings(words, schedule.seed)
        if start and table is not None and self.given is not None:
            if schedule.seed not in self.started:
                say(f"bringing the table close to {self.args.vectors}")
                take_given(table, words, self.given)
                self.started.clear()
                self.started[schedule.seed] = table
            table = deepcopy(self.started[schedule.seed])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(schedule.seed)
            return Tagger(
                spelled,
                table,
                words,
                [word for word, count in counts.items() if count == 1],
                len(self.treebank.tags),
                schedule.hidden,
                schedule.dropout,
                self.given.words if self.given else (),
            )

    def embeddings(
        self, words: Sequence[str], seed: int
    ) -> tuple[CompactEmbedding, CompactEmbedding | None]:
        """Make what gives vectors by spelling, and the table of words as it is drawn.

        Args:
            words: The words of the table.
            seed: Of the initial values.

        Raises:
            Mistake: If ``--dim`` is not the size of either.
        """
        asked = self.args.dim
        dim = self.given.dim if self.given else asked or DIM
        spelled = make_spelled(
            self.args, list(self.treebank.counts), asked or DIM, seed
        )
        table = make_table(self.args, words, dim, seed)
        used = {each.embedding_dim for each in (spelled, table) if each is not None}
        if asked and asked not in used:
            raise Mistake(
                f"--dim {asked}: the files say {' and '.join(map(str, sorted(used)))}:"
                " remove it"
            )
        return spelled, table

    def settings(self, schedule: Schedule) -> dict[str, Any]:
        """Name what a tagger depends on, as plain data."""
        student = self.args.student
        words = self.words()
        spelled, table = self.embeddings(words, schedule.seed)
        # A state is of rows: the same words in another order are another table.
        order = hashlib.sha256("\n".join(words).encode()).hexdigest()
        return {
            **asdict(schedule),
            "tags": self.args.tags,
            "table": None
            if table is None
            else {**saved_embedding.describe(table), "words": order},
            "vectors": {**self.given.checksums(), "any_case": True}
            if self.given
            else None,
            "spelled": saved_embedding.describe(spelled),
            "student": sha256(student) if student else None,
            "data": self.treebank.describe(),
        }


def search(job: Job, schedules: list[Schedule], seeds: list[int]) -> dict[str, Any]:
    """Train with all rates and dropouts, choose by the development sentences, test.

    Args:
        job: The taggers.
        schedules: What is to be tried, all of the first seed.
        seeds: Of the one that is chosen.

    Returns:
        The summary, which is written beside the records.

    Raises:
        Mistake: If all trainings diverge, or the chosen one with another seed.
    """
    tried = [tag_to_file(job, schedule) for schedule in schedules]
    learned = [record for record in tried if not record["diverged"]]
    if not learned:
        raise Mistake(f"every training diverged: {tried[0]['diverged']}")
    best = max(learned, key=lambda record: record["dev"]["accuracy"])
    chosen = schedules[tried.index(best)]
    records = [best] + [
        tag_to_file(job, Schedule(**{**asdict(chosen), "seed": seed}))
        for seed in seeds[1:]
    ]
    if lost := [record for record in records if record["diverged"]]:
        raise Mistake(
            f"the chosen training diverged with seed {lost[0]['seed']}:"
            f" {lost[0]['diverged']}"
        )
    summary = {
        "experiment": "tagging",
        "row": job.row,
        "tags": job.args.tags,
        "chosen": {"lr": chosen.lr, "dropout": chosen.dropout},
        "tried": [
            {name: record["settings"][name] for name in ("lr", "dropout")}
            | {"dev": None if record["diverged"] else record["dev"]["accuracy"]}
            for record in tried
        ],
        "seeds": seeds,
        **{
            part: [record[part]["accuracy"] for record in records]
            for part in ("dev", "test")
        },
        "test_unseen": [record["test"]["unseen"] for record in records],
        **{name: best[name] for name in OF_BEST},
        "command": list(job.command),
        "notes": job.args.notes,
    }
    write_json(job.args.output / SUMMARY, summary)
    return summary


def tag_to_file(job: Job, schedule: Schedule) -> dict[str, Any]:
    """Train a tagger and record it; go on where an earlier try was stopped.

    Args:
        job: Its word vectors and its treebank.
        schedule: How to train.

    Returns:
        The record, from its file if that was there already; ``diverged`` says why there
        are no scores in it, and is empty otherwise.

    Raises:
        Mistake: If the files are of other settings.
    """
    # With nearly all digits, or rates that are alike would share a file.
    rates = f"lr{schedule.lr:.15g}-dropout{schedule.dropout:.15g}"
    name = f"{rates}-seed{schedule.seed}.json"
    output = job.args.output / name
    settings = job.settings(schedule)
    if done := read_done(output, settings, job.args.force):
        return {"diverged": "", **done}  # which older records lack
    unfinished = Unfinished(output, settings)
    state = unfinished.carry_on(job.args.force)
    tagger = job.tagger(schedule, start=state is None).to(job.args.device)
    fit = Fit(tagger, job.treebank, schedule)
    if state:
        fit.carry_on(state)
        print(f"{unfinished.path}: carrying on after epoch {len(fit.dev)}")
    try:
        _train(fit, unfinished)
        results, diverged = _results(job, fit), ""
    except DivergedError as error:
        results, diverged = {}, str(error)
    record = {
        "experiment": "tagging",
        "row": job.row,
        "seed": schedule.seed,
        **results,
        "diverged": diverged,
        "settings": settings,
        **origin(list(job.command), ()),
        "seconds": round(unfinished.seconds, 1),
    }
    write_json(output, record)
    unfinished.remove()
    if diverged:
        print(f"{output}: diverged: {diverged}")
    else:
        print(f"{output}: {tell(record['dev'])} (dev), {tell(record['test'])} (test)")
    return record


def _train(fit: Fit, unfinished: Unfinished) -> None:
    # Now, so that a folder that cannot be written to costs no time.
    unfinished.save(fit.state())
    epochs = fit.schedule.epochs
    with tqdm(total=epochs, initial=len(fit.dev), unit="epoch", disable=None) as bar:
        while not fit.finished:
            fit.run_epoch()
            bar.update()
            unfinished.save(fit.state())


def _results(job: Job, fit: Fit) -> dict[str, Any]:
    fit.tagger.load_state_dict(fit.best)
    parts = {}
    for part in ("dev", "test"):
        right, unseen = accuracy(fit.tagger, job.treebank, part)
        parts[part] = {"accuracy": right, "unseen": unseen}
    embeddings = {"table": fit.tagger.table, "spelled": fit.tagger.spelled}
    sizes = {k: asdict(e.footprint()) for k, e in embeddings.items() if e is not None}
    table = fit.tagger.table
    return {
        **parts,
        "best_epoch": 1 + fit.dev.index(max(fit.dev)),
        "dev_by_epoch": fit.dev,
        "rows": {
            "table": 0 if table is None else table.num_embeddings,
            "characters": len(getattr(fit.tagger.spelled, "spellings", ())),
        },
        "footprint": sizes,
    }
