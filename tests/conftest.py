"""What all tests share."""

import argparse
import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.scripts.stand_in_fairseq import Project
from tests.warm_python import warm_environment

# What is started in the background, as a CI may do, ignores interrupts, and so would
# the scripts that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
# Tests in these folders use models, flags or commands that the plugin registers.
NEED_PLUGIN = tuple(
    ROOT / "tests" / name
    for name in (
        *("embeddings", "output", "length_control", "fairseq"),
        *("reconstruction", "word_vectors", "tagging", "experiments"),
    )
)


def pytest_collection_finish() -> None:
    """Keep each later garbage collection from walking through all that is imported."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture
def project(tmp_path: Path, repo_root: Path) -> Project:
    """A folder of experiments whose fairseq is a stand-in."""
    return Project(tmp_path, repo_root)


@pytest.fixture(scope="session")
def warm_venv(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """For ``ALONE_VENV``: an environment whose Python has imported fairseq already."""
    with warm_environment(tmp_path_factory.mktemp("warm") / "venv") as folder:
        yield folder


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """A function from the name of a data set to its folder; skips without it.

    The data are not part of the project: they are looked for beside it, in
    ``../shared/data``, or in the folder ``ALONE_SHARED_DATA``.
    """
    parent = Path(os.environ.get("ALONE_SHARED_DATA", ROOT.parent / "shared" / "data"))

    def folder(name: str) -> Path:
        if not (parent / name).is_dir():
            pytest.skip(f"no data: {parent / name} (set ALONE_SHARED_DATA)")
        return parent / name

    return folder


@pytest.fixture(scope="session")
def plugin() -> None:
    """The plugin, registered with fairseq as ``--user-dir`` does it."""
    # Here, because it takes seconds that tests without fairseq do not need.
    from fairseq.utils import import_user_module

    import_user_module(argparse.Namespace(user_dir=str(ROOT / "alone_fairseq")))


@pytest.fixture(autouse=True)
def _gpu_where_needed(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("gpu"):
        # Here, because it takes seconds that most tests do not need.
        import torch

        if not torch.cuda.is_available():
            pytest.skip("torch finds no GPU")


@pytest.fixture(autouse=True)
def _plugin_where_needed(request: pytest.FixtureRequest) -> None:
    if any(folder in request.path.parents for folder in NEED_PLUGIN):
        request.getfixturevalue("plugin")
