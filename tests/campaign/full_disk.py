"""Writers without room at every place of their file, and paths that cannot be."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shutil
import subprocess
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fairseq import checkpoint_utils
from fairseq.file_io import PathManager

from alone_experiments.files import write_json, write_text, writing_folder
from alone_experiments.lines import write_parallel
from alone_experiments.mistakes import exit_status
from alone_experiments.results.figures import new_figure, save
from alone_experiments.results.result_files import write_translations
from alone_experiments.steps import Steps
from alone_experiments.tensor_files import write_tensors
from alone_experiments.word_vectors.vectors import write_word2vec
from alone_experiments.word_vectors.word_vectors import WordVectors

NOBODY = 65534
_PAGE = 4096
_STATE = {"model": {"a": torch.ones(40, 100), "b": torch.arange(9)}, "x": "y" * 3000}
_LINES = [f"line {number}" for number in range(2000)]


def _folder(path: Path) -> None:
    with writing_folder(path) as unfinished:
        (unfinished / "a").write_text("".join(_LINES))


def _figure(path: Path) -> None:
    figure = new_figure(4, 3)
    figure.add_subplot().plot([1, 2, 3])
    save(figure, path)


def _step(path: Path) -> None:
    steps = Steps(path.parent, path.parent / "finished")
    steps.run(path.stem, [], {}, lambda: "report " * 2000)


def _copy(path: Path) -> None:
    source = path.parent.with_name("source")
    PathManager.copy(str(source), str(path), overwrite=True)


WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: write_text(path, "\n".join(_LINES)),
    "JSON": lambda path: write_json(path, _LINES),
    "parallel texts": lambda path: write_parallel(
        [path, path.with_name("other")], zip(_LINES, _LINES, strict=True)
    ),
    "translations": lambda path: write_translations(
        [f"{np.random.RandomState(n).rand()}" for n in range(900)], path
    ),
    "word vectors": lambda path: write_word2vec(
        WordVectors(["a", "b"], np.random.RandomState(1).rand(2, 900)), path
    ),
    "tensors": lambda path: write_tensors(path, _STATE),
    "plots": _figure,
    "folders": _folder,
    "checkpoints of a training": lambda path: checkpoint_utils.torch_persistent_save(
        _STATE, str(path)
    ),
    "copies of checkpoints": _copy,
    "stamps of steps": _step,
}


def run(work: Path, seed: int, places: int) -> dict[str, Any]:
    """Let every writer run out of room at many places.

    Args:
        work: A folder for it.
        seed: Of nothing: nothing here is random.
        places: How many places in a file; on a small disk every page of it is one.

    Returns:
        ``rows``, one a kind of trouble, and ``failures``, which should be none.
    """
    del seed
    rows, failures = [], []
    for name, trouble in TROUBLES.items():
        tried, failed, reason = trouble(work / "disk", places)
        rows.append(
            {
                "trouble": name,
                "writers": len(WRITERS) if tried else 0,
                "writes": tried,
                "told in one line, nothing left": tried - len(failed),
                "remark": reason,
            }
        )
        failures += [f"{name}: {failure}" for failure in failed]
    return {"rows": rows, "failures": failures}


Outcome = tuple[int, list[str], str]


def _quota(folder: Path, places: int) -> Outcome:
    """A limit of bytes for each file, as a quota sets it."""
    failed, tried = [], 0
    for name, write in WRITERS.items():
        _make_room(folder)
        write(folder / "file")
        size = max(f.stat().st_size for f in folder.rglob("*") if f.is_file())
        for limit in sorted({size * place // places for place in range(places)}):
            tried += 1
            before = _start_anew(folder)

            def limited(limit: int = limit) -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            failed += _try(name, write, folder, before, limited, f"{limit} of {size}")
    return tried, failed, "RLIMIT_FSIZE"


def _full_disk(folder: Path, places: int) -> Outcome:
    """A small disk on which so many pages are free."""
    del places
    _make_room(folder)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return 0, [], "not run: needs the right to mount a tmpfs"
    failed, tried = [], 0
    try:
        for name, write in WRITERS.items():
            _empty(folder)
            write(folder / "file")
            size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
            for free in range(0, size - _PAGE, _PAGE):
                _empty(folder)
                before = _content(folder)
                _fill(folder, free)
                tried += 1
                failed += _try(name, write, folder, before, None, f"{free} of {size}")
    finally:
        subprocess.run(["umount", str(folder)], check=True)
    return tried, failed, "tmpfs, every page"


def _no_permission(folder: Path, places: int) -> Outcome:
    """A folder that a normal user may not write to."""
    del places
    failed = []
    for name, write in WRITERS.items():
        _make_room(folder)
        before = _start_anew(folder)
        folder.chmod(0o555)

        def become_nobody() -> None:
            if os.getuid() == 0:
                os.setgroups([])
                os.setuid(NOBODY)

        failed += _try(name, write, folder, before, become_nobody, "no permission")
        folder.chmod(0o755)
    return len(WRITERS), failed, "as a user without rights"


def _through_a_file(folder: Path, places: int) -> Outcome:
    """A path that goes through a file, and one to a system's folder."""
    del places
    failed, tried = [], 0
    for name, write in WRITERS.items():
        for place in ("a file/file", "/proc/nothing/file"):
            _make_room(folder)
            (folder / "a file").write_text("old")
            before = _content(folder)
            tried += 1
            failed += _try(name, write, folder, before, None, place, place)
    return tried, failed, ""


TROUBLES = {
    "no room, by a quota": _quota,
    "no room, on a full disk": _full_disk,
    "no permission": _no_permission,
    "a path through a file, or into /proc": _through_a_file,
}


def _make_room(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.with_name("source").write_bytes(b"checkpoint" * 2000)


def _start_anew(folder: Path) -> dict[str, bytes]:
    _make_room(folder)
    return _content(folder)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _fill(folder: Path, free: int) -> None:
    with (folder / "ballast").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(_PAGE)):
                continue
        except OSError:
            file.truncate(max(0, file.tell() - free))


def _content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "ballast"
    }


def _try(
    name: str,
    write: Callable[[Path], object],
    folder: Path,
    before: dict[str, bytes],
    limit: Callable[[], None] | None,
    detail: str,
    place: str = "file",
) -> list[str]:
    """Write in a process of its own; what went otherwise than it should."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if limit is not None:
                limit()
            answer = _outcome(write, folder / place)
            os.write(writer, json.dumps(answer).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    found = []
    kind, line = json.loads(said) if said else ("crash", "")
    if kind != "told" or "\n" in line:
        found.append(f"{name}, {detail}: {kind}: {line[-500:]}")
    # A folder keeps its unfinished parts for a reader, until the next try.
    left = {
        path: text
        for path, text in _content(folder).items()
        if name != "folders" or ".partial/" not in path
    }
    if left != before:
        found.append(f"{name}, {detail}: left {sorted(left)}")
    return found


def _outcome(write: Callable[[Path], object], path: Path) -> tuple[str, str]:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            status = exit_status(lambda: write(path))  # as a command does
        except Exception:
            return "traceback", traceback.format_exc()
    return ("told" if status == 1 else "no error"), said.getvalue().rstrip("\n")
