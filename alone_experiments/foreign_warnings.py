"""What other packages say that a user can do nothing about, each with its reason."""

from __future__ import annotations

import logging
import re
import warnings

HYDRA = {
    "hydra.experimental.initialize() is no longer experimental": "fairseq has"
    " Hydra's old names for them; they still work",
    "hydra.experimental.compose() is no longer experimental": "likewise",
    "\nThe version_base parameter is not specified": "fairseq names none, and"
    " gets what it needs",
    "In 'config': Usage of deprecated keyword in package header": "a line in a file of"
    " fairseq's own",
    "\n'config' is validated against ConfigStore schema": "a name in a file of"
    " fairseq's own",
    "\nThe strict flag in the compose API is deprecated": "fairseq gives it, which does"
    " nothing",
}
"""Beginnings of warnings, and why they are not shown."""

TORCH = {
    "'pin_memory' argument is set as true but no accelerator is found": "fairseq always"
    " asks for it; on a CPU it does nothing",
    "`torch.cuda.amp.autocast(args...)` is deprecated": "fairseq calls it by its old"
    " name, which does the same",
    "`torch.cuda.amp.GradScaler(args...)` is deprecated": "likewise",
    "Support for mismatched key_padding_mask and attn_mask is deprecated": "fairseq's"
    " masks are of two types, which give the same sums",
}
"""The same of torch's."""

OTHERS = {
    "pkg_resources is deprecated as an API": "packages that fairseq needs import it",
}

LOGGERS = {
    "fairseq.tasks.text_to_speech": "it asks for tensorboardX, which only fairseq's"
    " speech tasks use",
    "matplotlib": "fairseq leaves the root logger open for what is for developers only",
}
"""Loggers whose information, but not whose warnings, stays unsaid."""


def silence() -> None:
    """Keep all of these from being shown; nothing else, and no warning of ours."""
    for message in (*HYDRA, *TORCH, *OTHERS):
        warnings.filterwarnings("ignore", message=re.escape(message))
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
