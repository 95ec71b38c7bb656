"""Compact word embeddings for fairseq's sequence-to-sequence models.

Importing the package, as fairseq does for ``--user-dir``, registers the model, its
presets and the repairs of fairseq that they rest on. Where fairseq is not installed,
nothing is registered, and ``alone_fairseq.embeddings`` serves any PyTorch model.
"""

import importlib.util
import logging

__version__ = "0.1.0"

if importlib.util.find_spec("fairseq") is not None:
    # Importing fairseq prints a line about a package that only its speech tasks use.
    logging.getLogger("fairseq.tasks.text_to_speech").setLevel(logging.WARNING)

    from . import errors, fairseq_fixes

    fairseq_fixes.apply_all()
    errors.print_mistakes_in_one_line()

    from . import length_control, optim, presets  # noqa: F401 (they register)
    from .output import sampled_criterion  # noqa: F401 (registers it and the chunked)
