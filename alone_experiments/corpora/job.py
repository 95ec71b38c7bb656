"""A corpus that is being prepared."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.corpora.description import Description
from alone_experiments.corpora.fetch import Source
from alone_experiments.mistakes import Mistake
from alone_experiments.steps import Steps


@dataclass(frozen=True)
class Job:
    """What all steps need to know.

    Attributes:
        description: The corpus.
        settings: What :func:`.options.parse` returned.
        folder: Folder of the corpus.
        steps: The steps that are done there.
    """

    description: Description
    settings: argparse.Namespace
    folder: Path
    steps: Steps

    @classmethod
    def of(cls, description: Description, settings: argparse.Namespace) -> Job:
        """Begin, or carry on where an earlier run ended."""
        folder = settings.output
        steps = Steps(folder / "steps", finished=folder / "prepared")
        return cls(description, settings, folder, steps)

    @property
    def given(self) -> Path | None:
        """The user's folder with the files of the corpus."""
        folder: Path | None = self.settings.given
        return folder

    @property
    def raw(self) -> Path:
        """Folder of the text as it came."""
        return self.folder / "raw"

    def given_folder(self, files: Sequence[Path]) -> Path | None:
        """Return the user's folder, without which nothing can be made of anything.

        Args:
            files: The raw text that is to be made.

        Returns:
            The folder; ``None`` to take the raw text of an earlier run as it is.

        Raises:
            Mistake: If there is neither.
        """
        if self.given is None and not all(file.is_file() for file in files):
            raise Mistake(
                f"--from is missing: nothing is downloaded for {self.description.name};"
                " see --help"
            )
        return self.given

    @property
    def report(self) -> Path:
        """File that tells how raw text was split and what was left out."""
        return self.folder / "splits.txt"

    @property
    def source(self) -> Source:
        """Where files come from."""
        return Source(self.folder / "downloads", self.given, self.settings.url)
