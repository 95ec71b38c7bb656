"""The package data-prep/corpus, importable by tests."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

DATA_PREP = Path(__file__).resolve().parent.parent.parent / "data-prep"


def import_corpus(name: str) -> ModuleType:
    """Import ``corpus.<name>`` as the scripts do."""
    if str(DATA_PREP) not in sys.path:
        sys.path.append(str(DATA_PREP))
    return importlib.import_module(f"corpus.{name}")
