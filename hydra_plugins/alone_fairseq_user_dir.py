"""One clear line where a model of alone_fairseq is loaded without ``--user-dir``.

fairseq's commands read their settings with Hydra, and Hydra imports the modules of this
namespace package by itself: the only hook there is before fairseq loads a checkpoint
whose plugin it was not told of, and ends in a traceback that does not name the plugin.
Other Hydra programs pass through here too, so nothing is imported but the standard
library, and nothing is changed.
"""

import os
import sys
import zipfile
from collections.abc import Sequence

# Each model of ours has this tensor beside its embedding's weights.
MARK = b".description_version"


def is_ours(checkpoint: str) -> bool:
    """Tell whether a file is a checkpoint of one of our models.

    The names in it are searched as bytes; no code in the file is run, and a file that
    cannot be read is left to fairseq, which has an error for it.
    """
    try:
        with zipfile.ZipFile(checkpoint) as archive:
            pickles = [each for each in archive.namelist() if each.endswith("data.pkl")]
            return any(MARK in archive.read(each) for each in pickles)
    except (OSError, zipfile.BadZipFile):
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


def refuse_forgotten_user_dir() -> None:
    """End a fairseq command that is about to load our model without the plugin.

    Raises:
        SystemExit: With the line to print.
    """
    if "fairseq" not in sys.modules or "alone_fairseq" in sys.modules:
        return
    for checkpoint in given_checkpoints(sys.argv):
        if is_ours(checkpoint):
            sys.exit(
                f"alone_fairseq: error: {checkpoint} holds a model of alone_fairseq:"
                ' add --user-dir "$(alone-fairseq user-dir)"'
            )


refuse_forgotten_user_dir()
