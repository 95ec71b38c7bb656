"""A task that a small model learns in seconds, and fairseq's commands to run it."""

import copy
import fcntl
import os
import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import fairseq.dataclass.utils
import pytest
import torch
from hydra import initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from tests.fairseq.built_models import (
    build,  # noqa: F401 (a fixture)
    dictionaries,  # noqa: F401 (a fixture)
    without_others,
)
from tests.fairseq.commands import Commands, Done, Running
from tests.methods import FLAGS

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "alone_fairseq"
SIZES = {"train": 2000, "valid": 100, "test": 101}
WORDS = [f"w{number}" for number in range(40)]

RECIPE_TEXT = """
--arch transformer_alone_toy_published --share-all-embeddings
--source-lang a --target-lang b --encoder-layers 1 --decoder-layers 1
--encoder-embed-dim 32 --decoder-embed-dim 32
--encoder-ffn-embed-dim 64 --decoder-ffn-embed-dim 64 --encoder-normalize-before
--decoder-normalize-before --alone-inter-dim 64 --dropout 0.1 --optimizer adam
--lr 0.005 --lr-scheduler inverse_sqrt --warmup-updates 50 --clip-norm 1.0
--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --max-tokens 1000
--update-epoch-batch-itr True --cpu --no-progress-bar --log-format json
--num-workers 0 --seed 3
"""
RECIPE = RECIPE_TEXT.split()


def write_corpus(folder: Path, sizes: dict[str, int], words: list[str]) -> None:
    """Write sentences of made-up words; side b is side a in reverse order."""
    chooser = random.Random(1)
    for split, size in sizes.items():
        lines = [chooser.choices(words, k=chooser.randint(2, 9)) for _ in range(size)]
        for side, step in (("a", 1), ("b", -1)):
            text = "".join(" ".join(line[::step]) + "\n" for line in lines)
            (folder / f"{split}.{side}").write_text(text)


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    # Models this small only wait for one another on several threads.
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def _compose_once() -> Iterator[None]:
    # Hydra takes ten times as long to make a configuration of a command line as a
    # model takes to be built. So those with the same parts are made of the first one.
    made: dict[tuple[str, ...], tuple[list[str], Any]] = {}
    compose = fairseq.dataclass.utils.compose
    folder = str(Path(fairseq.__file__).parent / "config")

    def remember(name: str, overrides: list[str], **more: Any) -> Any:
        # "task=translation" chooses a part; "task.data='bin'" is a value of one.
        words = [word.partition("=") for word in overrides]
        parts = tuple(key if "." in key else key + value for key, _, value in words)
        if parts not in made:
            with initialize_config_dir(folder):
                made[parts] = overrides, compose(name, overrides=overrides, **more)
        first, config = made[parts]
        config = copy.deepcopy(config)
        changed = [new for new, old in zip(overrides, first, strict=True) if new != old]
        for value in OverridesParser.create().parse_overrides(changed):
            OmegaConf.update(config, value.key_or_group, value.value())
        return config

    def nothing(**_: Any) -> Any:
        # The real one looks for its caller's file, which takes long under pytest.
        return nullcontext()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fairseq.dataclass.utils, "compose", remember)
        patch.setattr(fairseq.dataclass.utils, "initialize", nothing)
        yield


@pytest.fixture(scope="session")
def start(
    tmp_path_factory: pytest.TempPathFactory, warm_venv: Path
) -> Callable[..., Running]:
    """A function that starts Python code as a program, fairseq already imported."""
    return Commands(tmp_path_factory.mktemp("commands"), warm_venv).start


@pytest.fixture(scope="session")
def start_command(start: Callable[..., Running]) -> Callable[..., Running]:
    """A function that starts a fairseq command; ``before`` is run in it first."""

    def run(
        command: str,
        *arguments: object,
        plugin: bool = True,
        before: str = "",
        stdin: str = "",
    ) -> Running:
        code = f"{before}\nfrom fairseq_cli.{command} import cli_main\ncli_main()\n"
        user_dir = ("--user-dir", PLUGIN) if plugin else ()
        words = without_others(arguments) if command == "train" else arguments
        return start(code, *words, *user_dir, stdin=stdin)

    return run


@pytest.fixture(scope="session")
def run_command(start_command: Callable[..., Running]) -> Callable[..., Done]:
    """A function that runs a fairseq command to its end."""

    def run(command: str, *arguments: object, check: bool = True, **more: Any) -> Done:
        done = start_command(command, *arguments, **more).wait()
        assert done.returncode == 0 or not check, f"{command} failed: {done}"
        return done

    return run


@pytest.fixture(scope="session")
def run_tool(start: Callable[..., Running]) -> Callable[..., Done]:
    """A function that runs the ``alone-fairseq`` command."""

    def run(*arguments: object) -> Done:
        path = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
        code = f"{path}\nfrom alone_experiments.cli import command\ncommand()\n"
        return start(code, *arguments).wait()

    return run


@pytest.fixture(scope="session")
def preprocess(
    tmp_path_factory: pytest.TempPathFactory, run_command: Callable[..., Done]
) -> Callable[..., Path]:
    """A function that makes and binarises a corpus of given sizes."""

    def run(
        sizes: dict[str, int],
        *more: object,
        words: list[str] = WORDS,
        joined: bool = True,
    ) -> Path:
        folder = tmp_path_factory.mktemp("corpus")
        write_corpus(folder, sizes, words)
        files = [(f"--{split}pref", folder / split) for split in sizes]
        languages = (
            "--source-lang",
            "a",
            "--target-lang",
            "b",
            "--destdir",
            folder / "bin",
        )
        shared = ["--joined-dictionary"] if joined else []
        prefixes = [word for pair in files for word in pair]
        run_command("preprocess", *languages, *prefixes, *shared, *more, plugin=False)
        return folder / "bin"

    return run


@pytest.fixture(scope="session")
def tiny_data(preprocess: Callable[..., Path]) -> Path:
    """The binarised corpus, with one dictionary for both sides."""
    return preprocess(SIZES)


@pytest.fixture(scope="session")
def separate_data(preprocess: Callable[..., Path]) -> Path:
    """A small binarised corpus, with a dictionary of its own for each side."""
    sizes = {"train": 200, "valid": 20}
    return preprocess(sizes, "--nwordssrc", 32, joined=False)


@pytest.fixture(scope="session")
def recipe() -> list[str]:
    """The flags with which a small model learns the task."""
    return list(RECIPE)


@pytest.fixture(scope="session")
def methods() -> dict[str, list[str]]:
    """The embedding methods, and the flags that choose them."""
    return dict(FLAGS)


@pytest.fixture(scope="session")
def train(tiny_data: Path, run_command: Callable[..., Done]) -> Callable[..., Done]:
    """A function that trains with the recipe and more flags."""

    def run(
        save_dir: Path,
        *flags: object,
        data: Path = tiny_data,
        recipe: list[str] = RECIPE,
        **more: Any,
    ) -> Done:
        folder = ("--save-dir", save_dir)
        return run_command("train", data, *recipe, *folder, *flags, **more)

    return run


@pytest.fixture(scope="session")
def trained(
    tmp_path_factory: pytest.TempPathFactory, train: Callable[..., Done]
) -> Callable[[str], Path]:
    """A function from a method to the folder of a run that has learned something."""
    base = tmp_path_factory.getbasetemp()
    # All processes of xdist read the same runs, and the first to need one trains it.
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def run(method: str) -> Path:
        folder = shared / f"trained-{method}"
        with (shared / f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished = shared / f"{folder.name}.unfinished"
                saving = ("--save-interval-updates", 20, "--log-interval", 5)
                train(unfinished, *FLAGS[method], "--max-update", 120, *saving)
                unfinished.rename(folder)
        return folder

    return run


@pytest.fixture(scope="session")
def read_checkpoint() -> Callable[[Path], dict[str, Any]]:
    """A function that reads a checkpoint with torch's safe loader."""

    def read(path: Path) -> dict[str, Any]:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        return state

    return read


class Trap:
    """An object that runs a command when it is unpickled."""

    def __init__(self, file: Path) -> None:
        """Choose the file that the command makes."""
        self.file = file

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        """Name the call that pickle makes."""
        return os.system, (f"touch '{self.file}'",)


@pytest.fixture(scope="session")
def make_trap() -> Callable[[Path], Trap]:
    """A function that makes an object which touches a file when it is unpickled."""
    return Trap
