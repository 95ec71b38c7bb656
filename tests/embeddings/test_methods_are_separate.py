"""A method is one file: nothing else in the package knows of it."""

import dataclasses
import re
from pathlib import Path

import pytest

import alone_fairseq
from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS

PACKAGE = Path(alone_fairseq.__file__).parent
# The import that registers it.
MAY_NAME_METHODS = {"embeddings/__init__.py"}


@pytest.mark.parametrize("method", EMBEDDINGS)
def test_only_its_own_file_knows_a_method(method: str) -> None:
    classes = EMBEDDINGS[method], CONFIGS[method]
    module, *others = (each.__module__.rsplit(".", 1)[1] for each in classes)
    fields = [f.name for f in dataclasses.fields(CONFIGS[method]) if f.name[0] != "_"]
    names = "|".join([*fields, EMBEDDINGS[method].__name__, CONFIGS[method].__name__])
    imported = rf"import .*\b{module}\b|from \.(embeddings\.)?{module}\b"
    knowing = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(rf"\b({names})\b|{imported}", path.read_text())
    }
    own = {f"embeddings/{name}.py" for name in (module, *others)}
    assert knowing - own <= MAY_NAME_METHODS
