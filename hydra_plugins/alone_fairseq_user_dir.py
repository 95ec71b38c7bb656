"""One clear line where a model of alone_fairseq is loaded without ``--user-dir``.

fairseq's commands read their settings with Hydra, and Hydra imports the modules of this
namespace package by itself: the only hook there is before fairseq loads a checkpoint
whose plugin it was not told of, and ends in a traceback that does not name the plugin.
Other Hydra programs pass through here too, so nothing is imported but the standard
library, and all that is done is to name the remedy after a command has failed.
"""

import os
import sys
import zipfile
from collections.abc import Sequence
from types import TracebackType

# Each model of ours has this tensor beside its embedding's weights.
MARK = b".description_version"


def is_ours(checkpoint: str) -> bool:
    """Tell whether a file is a checkpoint of one of our models.

    The names in it are searched as bytes; no code in the file is run.
    """
    try:
        with zipfile.ZipFile(checkpoint) as archive:
            pickles = [each for each in archive.namelist() if each.endswith("data.pkl")]
            return any(MARK in archive.read(each) for each in pickles)
    except Exception:
        # Missing, damaged, of another kind: fairseq has an error for each of them.
        return False


def given_checkpoints(arguments: Sequence[str]) -> list[str]:
    """List the files in the value of ``--path``, where fairseq takes several."""
    value = ""
    for number, argument in enumerate(arguments):
        if argument == "--path":
            value = "".join(arguments[number + 1 : number + 2])
        elif argument.startswith("--path="):
            value = argument.removeprefix("--path=")
    return value.split(os.pathsep)


def plugin_is_loaded() -> bool:
    """Tell whether our model is registered, from whatever folder."""
    models = getattr(sys.modules.get("fairseq.models"), "MODEL_REGISTRY", {})
    return "transformer_compact" in models


def tell_of_forgotten_user_dir() -> None:
    """Print one line in place of the traceback, should the command fail for that."""
    ours = [file for file in given_checkpoints(sys.argv) if is_ours(file)]
    if "fairseq" not in sys.modules or plugin_is_loaded() or not ours:
        return
    before = sys.excepthook

    def tell(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        others_fault = plugin_is_loaded() or issubclass(kind, KeyboardInterrupt)
        # The variable by which the plugin's own errors show their tracebacks.
        if others_fault or os.environ.get("ALONE_TRACEBACK"):
            before(kind, error, trace)
        if not others_fault:
            sys.stderr.write(
                f"alone_fairseq: error: {ours[0]} holds a model of alone_fairseq:"
                ' add --user-dir "$(alone-fairseq user-dir)"\n'
            )

    sys.excepthook = tell


tell_of_forgotten_user_dir()
