"""Starting what is killed: fairseq's commands, ours, and the scripts."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.fairseq.commands import Commands, Done, Running
from tests.fairseq.conftest import PLUGIN, ROOT, WORDS, write_corpus
from tests.scripts.chain import Chain
from tests.warm_python import warm_environment

PATIENCE = 600.0  # seconds for one program on a busy machine


class Program(Protocol):
    """A program that was started."""

    @property
    def ended(self) -> bool:
        """Whether it is over."""

    @property
    def stdout(self) -> str:
        """What it has written so far, errors of a script included."""

    def send(self, number: int, to_all: bool = True) -> None:
        """Send a signal to it, and to all that it started unless told otherwise."""

    def wait(self) -> Done:
        """Wait for its end."""


class Script:
    """A script of the project in a process group of its own."""

    def __init__(
        self, command: list[str], environment: dict[str, str], log: Path
    ) -> None:
        """Start it; what it says goes to the end of a file."""
        self._start = log.stat().st_size if log.exists() else 0
        self._log = log
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self._process.poll() is not None

    @property
    def stdout(self) -> str:
        """What it has written so far."""
        with self._log.open("rb") as said:
            said.seek(self._start)
            return said.read().decode(errors="replace")

    def send(self, number: int, to_all: bool = True) -> None:
        """Send a signal to its group, or to the script alone."""
        if to_all:
            os.killpg(self._process.pid, number)
        else:
            self._process.send_signal(number)

    def wait(self) -> Done:
        """Wait for its end."""
        status = self._process.wait(PATIENCE)
        return Done(status, self.stdout, self.stdout)

    def end_all(self) -> None:
        """Kill what a signal to the script alone has left running."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


class Programs:
    """What the jobs share: how programs start, and what they work on.

    Args:
        folder: For all of it.
        venv: An environment whose Python has imported fairseq already.
    """

    def __init__(self, folder: Path, venv: Path) -> None:
        """Prepare nothing yet but the word vectors."""
        self.folder, self.commands = folder, Commands(folder / "commands", venv)
        self.corpus = folder / "corpus" / "bin"
        self.trained = folder / "trained"
        self.vectors = folder / "vectors.txt"
        self.toy = folder / "toy" / "data" / "toy"
        self.row = folder / "toy" / "runs" / "toy" / "lookup--seed1"

    def fairseq(self, command: str, *arguments: object) -> Running:
        """Start a command of fairseq's."""
        code = f"from fairseq_cli.{command} import cli_main\ncli_main()\n"
        return self.commands.start(code, *arguments, "--user-dir", PLUGIN)

    def tool(self, *arguments: object, stdin: str = "") -> Running:
        """Start a command of ``alone-fairseq``."""
        path = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
        code = f"{path}\nfrom alone_experiments.cli import command\ncommand()\n"
        return self.commands.start(code, *arguments, stdin=stdin)

    def script(self, name: str, output: Path, *arguments: object) -> Script:
        """Start a script, with a folder of its own for all output."""
        chain = Chain(output, ROOT)
        log = output.with_name(f"{output.name}.said")
        return Script(chain.command(name, *arguments), chain.environment, log)

    def prepare_small(self) -> None:
        """Make the corpus, the checkpoints and the vectors of the quick jobs."""
        chooser = random.Random(2)
        lines = [
            " ".join([f"w{word}", *(f"{chooser.gauss(0, 1):.4f}" for _ in range(16))])
            for word in range(60)
        ]
        self.vectors.write_text("".join(f"{line}\n" for line in lines))
        text = self.corpus.parent
        text.mkdir(parents=True)
        write_corpus(text, {"train": 200, "valid": 20, "test": 20}, WORDS)
        files = [(f"--{part}pref", text / part) for part in ("train", "valid", "test")]
        words = ["--source-lang", "a", "--target-lang", "b", "--joined-dictionary"]
        code = "from fairseq_cli.preprocess import cli_main\ncli_main()\n"
        prefixes = [word for pair in files for word in pair]
        made = self.commands.start(code, *words, *prefixes, "--destdir", self.corpus)
        done = made.wait()
        assert done.returncode == 0, done

    def prepare_scripts(self) -> None:
        """Prepare the toy corpus, and train a row of it, unless that is done."""
        if self.row.exists():
            return
        chain = Chain(self.folder / "toy", ROOT)
        chain.prepare()
        chain.train("lookup")
        chain.say_that_the_corpus_is_new()


@contextmanager
def programs(folder: Path) -> Iterator[Programs]:
    """Provide a new folder with what the jobs need; it is removed at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with warm_environment(folder / "venv") as venv:
        yield Programs(folder, venv)
    shutil.rmtree(folder, ignore_errors=True)
