"""The parts of an evaluation of headlines: n best at each length, one chosen, ROUGE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from alone_experiments.evaluation.headline_sets import HeadlineSet
from alone_experiments.evaluation.parts import Part, state_of_corpus
from alone_experiments.evaluation.translations import generation
from alone_experiments.lines import count_lines
from alone_experiments.training.experiment import flag_value
from alone_experiments.training.run import Run

# $1: sources with their digits, $2: headlines, $3: headlines with digits
RESTORE = 'alone-fairseq restore-digits --source "$1" <"$2" >"$3"'


def headline_parts(run: Run, tested: HeadlineSet) -> list[Part]:
    """Make the parts that generate, choose and score the headlines of a test set.

    Args:
        run: The run.
        tested: The test set.

    Returns:
        The parts, to be done after the part ``average``; what is done for one length
        does not depend on another.
    """
    parts = []
    for length, name in zip(tested.lengths, tested.names(), strict=True):
        made = _Headlines(run, tested, length, name)
        generate = made.generate()
        rerank = made.rerank(after=generate)
        restore = [made.restore(after=rerank)] if tested.has_masked_sources() else []
        score = made.score(after=[rerank, *restore][-1])
        parts += [generate, rerank, *restore, score]
    return parts


@dataclass(frozen=True)
class _Headlines:
    """The headlines of one length; ``name`` is their folder in the run's ``test``."""

    run: Run
    tested: HeadlineSet
    length: int
    name: str

    @property
    def folder(self) -> str:
        return f"{self.run.save_dir}/test/{self.name}"

    def part(
        self, kind: str, command: list[str], files: list[str], **more: Any
    ) -> Part:
        place = self.run.folder / "test" / self.name
        found = [place / file for file in files]
        step = self.name.replace("/", "-")
        return Part(name=f"{kind}-{step}", command=command, files=found, **more)

    def generate(self) -> Part:
        tested, source = self.tested, self.tested.corpus / "raw/test.article"
        lines = count_lines(source) if source.is_file() else 0
        wanted = f"desired length {self.length}"
        wanted += f" ({tested.name})" if tested.name else ""
        return self.part(
            "generate",
            _generation(self.run, tested, self.length, self.folder),
            ["generate-test.txt"],
            after=["average"],
            sources=state_of_corpus(tested.corpus),
            message=f"generating {lines} headlines, {wanted}",
            folder=self.run.folder / "test" / self.name,
        )

    def rerank(self, after: Part) -> Part:
        tested, folder = self.tested, self.folder
        chosen = "chosen.txt" if tested.has_masked_sources() else "headlines.txt"
        command = [
            *("alone-fairseq", "rerank", "--generated", f"{folder}/generate-test.txt"),
            *("--source", f"{tested.data}/raw/test.article"),
            *(["--stem"] if tested.stem else []),
            *("--output", f"{folder}/{chosen}"),
        ]
        return self.part("rerank", command, [chosen], after=[after.name])

    def restore(self, after: Part) -> Part:
        unmasked = f"{self.tested.data}/raw/test.unmasked"
        names = [f"{self.folder}/{name}.txt" for name in ("chosen", "headlines")]
        command = ["bash", "-c", RESTORE, "restore", unmasked, *names]
        return self.part("restore", command, ["headlines.txt"], after=[after.name])

    def score(self, after: Part) -> Part:
        tested, folder = self.tested, self.folder
        command = [
            *("alone-fairseq", "rouge", "--system", f"{folder}/headlines.txt"),
            *("--references", *tested.references(self.run.languages()[1])),
            *("--preset", tested.preset, "--desired-length", str(self.length)),
            *("--json", f"{folder}/rouge.json", "--per-line", f"{folder}/lines.tsv"),
        ]
        files = ["rouge.json", "lines.tsv"]
        return self.part("score", command, files, after=[after.name], report="ROUGE-1")


def _generation(run: Run, tested: HeadlineSet, length: int, folder: str) -> list[str]:
    task = flag_value("--task", run.row.recipe() + run.row.flags()) or ""
    # A model without length control is not told the length.
    controlled = task == "translation_with_length"
    wanted = ["--desired-length", str(length)] if controlled else []
    return generation(run, tested.data, folder, ["--task", task], wanted)
