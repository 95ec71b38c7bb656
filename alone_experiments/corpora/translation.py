"""From the raw text of a translation corpus to fairseq's binary data."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path

from alone_experiments import lines
from alone_experiments.corpora import (
    binarise,
    filters,
    raw_text,
    segmentation,
    subwords,
    tokens,
    words,
)
from alone_experiments.corpora.description import PARTS
from alone_experiments.corpora.job import Job
from alone_experiments.mistakes import Mistake, say
from alone_experiments.steps import Steps, made_by


@dataclass(frozen=True)
class Settings:
    """What the result depends on, beside the raw text.

    Attributes:
        languages: Source and target.
        segmentation: Key of ``SEGMENTATIONS``.
        merges: Merges or pieces that it learns.
        limits: Which training pairs stay.
        entries: Most entries of the dictionary; 0 = no limit.
    """

    languages: tuple[str, str] = ("en", "de")
    segmentation: str = "bpe"
    merges: int = 10000
    limits: filters.PairFilter = field(default_factory=filters.PairFilter)
    entries: int = 0


class Preparation:
    """The steps for one corpus; each is skipped when it is done.

    Args:
        folder: Folder of the corpus, which has ``raw``.
        settings: What to make of it.
        steps: The steps that are done there.
        workers: Processes at once.
    """

    def __init__(
        self, folder: Path, settings: Settings, steps: Steps, workers: int
    ) -> None:
        """Begin where an earlier run ended; see the class."""
        self.folder, self.settings, self.steps = folder, settings, steps
        self.workers = workers
        self.units, self.binary = folder / "bpe", folder / "bin"
        self.model = folder / "bpe" / "codes"
        self.pairs = 0

    def run(self) -> None:
        """Do all steps that are not done.

        Raises:
            Mistake: If the raw text is not as it should be, or a step fails.
        """
        self.pairs = raw_text.check(self.folder / "raw", self.settings.languages)
        token_keys = self._tokenise_all()
        learnt = self._learn(token_keys["train"])
        trained = self._split_training_set(learnt)
        others = [
            self._split(part, trained, token_keys[part]) for part in ("valid", "test")
        ]
        self._binarise([trained, *others])

    def _files(self, name: str) -> tuple[Path, Path]:
        source, target = self.settings.languages
        return self.units / f"{name}.{source}", self.units / f"{name}.{target}"

    def _workers(self) -> int:
        return max(1, min(self.workers, self.pairs // tokens.CHUNK))

    def _tokenise_all(self) -> dict[str, list[str]]:
        keys: dict[str, list[str]] = {}
        for part in PARTS:
            for language, file in zip(
                self.settings.languages, self._files(f"{part}.tokens"), strict=True
            ):
                keys.setdefault(part, []).append(self._tokenise(part, language, file))
        return keys

    def _tokenise(self, part: str, language: str, file: Path) -> str:
        raw = self.folder / "raw" / f"{part}.{language}"
        workers = self._workers() if part == "train" else 1

        def make() -> str | None:
            bad = tokens.tokenise_file(raw, file, language, workers)
            if not bad:
                return None
            return (
                f"{raw}: {len(bad)} lines are not UTF-8 text, the first is line"
                f" {bad[0]}; their pairs are left out"
            )

        depends = {"raw": lines.sha256(raw), "by": made_by(tokens, "sacremoses")}
        message = f"tokenising {self.pairs:,} pairs" if part == "train" else None
        return self.steps.run(
            f"tokens.{part}.{language}", [file], depends, make, message
        )

    def _learn(self, token_keys: list[str]) -> str:
        method = segmentation.SEGMENTATIONS[self.settings.segmentation]

        def make() -> None:
            counts = words.count_words(self._files("train.tokens"))
            method.learn(counts, self.settings.merges, self.model)

        depends = {
            "tokens": token_keys,
            "segmentation": [self.settings.segmentation, self.settings.merges],
            "by": made_by(segmentation, words, method.distribution),
        }
        message = (
            f"learning subword units: {self.settings.segmentation},"
            f" size {self.settings.merges:,}"
        )
        return self.steps.run("segmentation", [self.model], depends, make, message)

    def _split_training_set(self, learnt: str) -> str:
        splitter = subwords.Splitter(self.settings.segmentation, self.model)
        vocabularies = self._files("vocabulary")

        def make() -> str:
            found = subwords.split_training_set(
                self._files("train.tokens"),
                self._files("train"),
                splitter,
                self.settings.limits,
                self._workers(),
            )
            for units, file in zip(found.units, vocabularies, strict=True):
                words.write_counts(units, file)
            report = filters.describe(found.pairs, found.left_out)
            if found.left_out.total() == found.pairs:
                raise Mistake(f"{report}; look at the text, or change the limits")
            return report

        limits = self.settings.limits
        depends = {
            "learnt": learnt,
            "limits": [limits.max_length, limits.max_ratio],
            "by": made_by(subwords, filters),
        }
        files = [*self._files("train"), *vocabularies]
        return self.steps.run("train", files, depends, make, "splitting words")

    # With the vocabulary of the training text, merges that would make an unknown unit
    # in valid or test are undone.
    def _split(self, part: str, trained: str, token_keys: list[str]) -> str:
        def make() -> None:
            for found, file, vocabulary in zip(
                self._files(f"{part}.tokens"),
                self._files(part),
                self._files("vocabulary"),
                strict=True,
            ):
                splitter = subwords.Splitter(
                    self.settings.segmentation, self.model, vocabulary
                )
                subwords.split_file(found, file, splitter)

        depends = {"trained": trained, "tokens": token_keys}
        return self.steps.run(part, self._files(part), depends, make)

    def _binarise(self, units: list[str]) -> None:
        make = functools.partial(
            binarise.preprocess,
            self.units,
            self.settings.languages,
            self.binary,
            self._workers(),
            entries=self.settings.entries,
        )
        depends = {
            "units": units,
            "entries": self.settings.entries,
            "by": made_by(binarise, "fairseq-fixed"),
        }
        message = "writing fairseq's binary data"
        self.steps.run("binary", [self.binary], depends, make, message)


def prepare(job: Job) -> None:
    """Prepare a corpus whose raw text is there, and say what came out.

    Raises:
        Mistake: If the raw text is not as it should be, or a step fails.
    """
    given = job.settings
    segmentation.SEGMENTATIONS[given.segmentation].check()
    settings = Settings(
        languages=(given.source, given.target),
        segmentation=given.segmentation,
        merges=given.merges,
        limits=filters.PairFilter(given.max_length, given.max_ratio),
        entries=given.dictionary,
    )
    Preparation(job.folder, settings, job.steps, given.workers).run()
    entries = binarise.dictionary_entries(job.folder / "bin")
    if job.steps.done and entries < settings.entries:
        say(
            f"fewer than {settings.entries:,} entries: the text has no more different"
            " subword units; models get embeddings of this size"
        )
