"""Who imports whom: a plugin that runs without a laboratory, parts without fairseq."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import alone_fairseq

PACKAGE = Path(alone_fairseq.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
WITHOUT_FAIRSEQ = [
    path
    for path in FILES
    if path.parent.is_relative_to(PACKAGE / "embeddings")
    or path.parent.is_relative_to(PACKAGE / "output")
    or path.name in ("errors.py", "footprint.py", "names.py", "replacement.py")
    if path.name not in ("chunked_criterion.py", "sampled_criterion.py")
]


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def imported(path: Path) -> Iterator[str]:
    """Name the modules that a file imports anywhere; relative ones in full."""
    package = ["alone_fairseq", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else []
            module = [*start, *(node.module or "").split(".")]
            base = ".".join(part for part in module if part)
            yield from (f"{base}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_plugin_never_imports_the_laboratory(path: Path) -> None:
    assert not [name for name in imported(path) if "alone_experiments" in name]


@pytest.mark.parametrize("path", WITHOUT_FAIRSEQ, ids=name_of)
def test_embeddings_and_output_layers_do_without_fairseq(path: Path) -> None:
    ours = tuple(
        f"alone_fairseq.{part}."
        for part in ("embeddings", "output", "errors", "footprint", "names")
    )
    for name in imported(path):
        library = name.split(".")[0]
        known = library in {"torch", "numpy"} | sys.stdlib_module_names
        assert known or f"{name}.".startswith(ours), f"{name_of(path)}: {name}"
