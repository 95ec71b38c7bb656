"""hydra_plugins/: when it speaks up; tests/fairseq/test_bad_input.py has commands."""

import runpy
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Load = Callable[..., dict[str, Any]]


@pytest.fixture
def load(repo_root: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """A function that imports it as Hydra does, in a program with these arguments."""

    def run(*arguments: str, registered: str = "transformer") -> dict[str, Any]:
        models = ModuleType("fairseq.models")
        models.MODEL_REGISTRY = {registered: None}  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "fairseq.models", models)
        monkeypatch.setattr("sys.argv", ["fairseq-generate", *arguments])
        monkeypatch.setattr("sys.excepthook", sys.__excepthook__)
        return runpy.run_path(
            str(repo_root / "hydra_plugins/alone_fairseq_user_dir.py")
        )

    return run


def checkpoint(file: Path, *names: str) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{file.stem}/data.pkl", " ".join(names))
    return file


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return checkpoint(tmp_path / "a.pt", "encoder.embed_tokens.description_version")


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    return checkpoint(tmp_path / "b.pt", "encoder.embed_tokens.weight")


@pytest.mark.parametrize("words", ["--path {}", "--path={}", "--beam 5 --path b.pt:{}"])
def test_failure_is_explained(
    words: str, ours: Path, load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    load(*words.format(ours).split())
    assert sys.excepthook is not sys.__excepthook__
    sys.excepthook(ValueError, ValueError("weights only"), None)
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        f"alone_fairseq: error: {ours} holds a model of alone_fairseq:"
        ' add --user-dir "$(alone-fairseq user-dir)"'
    )


def test_traceback_on_request(
    ours: Path,
    load: Load,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load("--path", str(ours))
    monkeypatch.setenv("ALONE_TRACEBACK", "1")
    sys.excepthook(ValueError, ValueError("weights only"), None)
    first, last = capsys.readouterr().err.splitlines()
    assert first == "ValueError: weights only"
    assert last.startswith("alone_fairseq: error: ")


def test_plugin_that_is_loaded_later_has_its_own_errors(
    ours: Path,
    load: Load,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load("--path", str(ours))
    registry = sys.modules["fairseq.models"].MODEL_REGISTRY
    monkeypatch.setitem(registry, "transformer_compact", None)
    sys.excepthook(ValueError, ValueError("another"), None)
    assert capsys.readouterr().err == "ValueError: another\n"


def test_silent_otherwise(ours: Path, theirs: Path, load: Load, tmp_path: Path) -> None:
    damaged = tmp_path / "c.pt"
    damaged.write_bytes(ours.read_bytes()[:60])
    for words in ([], ["--path"], ["--path", str(theirs)], ["--path", str(damaged)]):
        load(*words)
        assert sys.excepthook is sys.__excepthook__
    load("--path", str(ours), registered="transformer_compact")
    assert sys.excepthook is sys.__excepthook__


def test_it_is_installed_as_a_namespace(
    repo_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr("setuptools.setup", lambda **words: given.update(words))
    monkeypatch.chdir(repo_root)
    runpy.run_path("setup.py")
    assert {"alone_fairseq", "hydra_plugins"} <= {*given["packages"]}
    assert not (repo_root / "hydra_plugins/__init__.py").exists()
