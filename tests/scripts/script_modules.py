"""The Python files of scripts/, importable by tests."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"


def import_script(name: str) -> ModuleType:
    """Import ``scripts/<name>.py`` as Python does when it is run."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    return importlib.import_module(name)
