"""Compact word embeddings for fairseq's sequence-to-sequence models.

Importing the package, as fairseq does for ``--user-dir``, registers the model, its
presets and the repairs of fairseq that they rest on.
"""

import logging

# Importing fairseq prints a line about a package that only its speech tasks use.
logging.getLogger("fairseq.tasks.text_to_speech").setLevel(logging.WARNING)

from . import errors, fairseq_fixes  # noqa: E402 (after the silencing)

fairseq_fixes.apply_all()
errors.print_mistakes_in_one_line()

from . import (  # noqa: E402 (after the repairs)
    architectures,
    length_control,
    output,
    transformer,
)

__version__ = "0.1.0"
__all__ = [
    "architectures",
    "errors",
    "fairseq_fixes",
    "length_control",
    "output",
    "transformer",
]
