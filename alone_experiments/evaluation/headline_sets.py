"""What an experiment with headlines generates and scores, read from its settings.

The settings are in headlines.flags beside the rows, those of further test sets in files
headlines_NAME.flags:

    --desired-lengths N,M   in characters; everything is done for each of them
    --preset NAME           of alone-fairseq rouge
    --stem                  re-rank by Porter stems
    --test-data NAME        another corpus than the training's, in output/data
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.mistakes import Mistake
from alone_experiments.repository import ROOT, output_folder, shown
from alone_experiments.training.experiment import flag_value, read_flags
from alone_experiments.training.run import Run


@dataclass(frozen=True)
class HeadlineSet:
    """A test set, and what is to be generated for it.

    Attributes:
        name: Of the set; empty for the experiment's first.
        lengths: Desired lengths in characters.
        preset: How ROUGE is computed.
        stem: Whether headlines are re-ranked by Porter stems.
        data: Folder of the corpus, as the project's folder sees it.
    """

    name: str
    lengths: list[int]
    preset: str
    stem: bool
    data: str

    @property
    def corpus(self) -> Path:
        """Where the corpus is."""
        return ROOT / self.data

    def names(self) -> list[str]:
        """Name what is generated, by its folder in the run's ``test``."""
        prefix = f"{self.name}/" if self.name else ""
        return [f"{prefix}{length}" for length in self.lengths]

    def references(self, target: str) -> list[str]:
        """Find the references: test.ref0 and so on where there are several."""
        several = sorted((self.corpus / "raw").glob("test.ref[0-9]*"))
        return [shown(file) for file in several] or [f"{self.data}/raw/test.{target}"]

    def has_masked_sources(self) -> bool:
        """Whether # in a headline has to become a number again, as references have."""
        unmasked, source = (
            self.corpus / f"raw/test.{name}" for name in ("unmasked", "article")
        )
        return unmasked.is_file() and not (
            source.is_file() and unmasked.read_bytes() == source.read_bytes()
        )

    def check(self, run: Run, target: str) -> None:
        """Check that the model can be tested on the corpus.

        Raises:
            Mistake: If the corpus is not prepared, or with another dictionary.
        """
        again = f"run: bash data-prep/{self.corpus.name}.sh --from DIR"
        dictionary = f"bin/dict.{target}.txt"
        files = [self.corpus / name for name in ("raw/test.article", dictionary)]
        if not all(file.is_file() for file in files):
            raise Mistake(f"no prepared test set in {self.data}; {again}")
        if files[1].read_bytes() != (run.corpus / dictionary).read_bytes():
            raise Mistake(
                f"{self.data} has another dictionary than {run.data}, which the model"
                f" has learned; {again} --training {run.data}"
            )


def read_headline_sets(run: Run) -> list[HeadlineSet]:
    """Read all test sets of a run's experiment.

    Args:
        run: The run.

    Returns:
        The sets, the experiment's first one first; none if it is not about headlines.

    Raises:
        Mistake: If a file does not say which lengths are desired.
    """
    first = run.row.folder / "headlines.flags"
    if not first.is_file():
        return []
    others = sorted(run.row.folder.glob("headlines_*.flags"))
    return [_read_set(file, run) for file in (first, *others)]


def _read_set(file: Path, run: Run) -> HeadlineSet:
    flags = read_flags(file)
    lengths = flag_value("--desired-lengths", flags) or ""
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", lengths):
        raise Mistake(f"{file} must say --desired-lengths N or N,M")
    other = flag_value("--test-data", flags)
    return HeadlineSet(
        name=file.stem.removeprefix("headlines").removeprefix("_"),
        lengths=[int(length) for length in lengths.split(",")],
        preset=flag_value("--preset", flags) or "",
        stem="--stem" in flags,
        data=shown((output_folder() / "data" / other).resolve()) if other else run.data,
    )
