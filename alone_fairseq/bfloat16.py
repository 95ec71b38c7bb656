"""``--bf16`` on GPUs and CPUs."""

from __future__ import annotations

import importlib.util
from argparse import Namespace


def stay_off_tpus(args: Namespace) -> None:
    """Undo what fairseq takes ``--bf16`` for: a wish to run on a TPU.

    fairseq's optimisers and models work in bfloat16 on any device, but its command
    line turns ``--tpu`` on with ``--bf16`` and then needs torch_xla. Where that is not
    installed no TPU can be meant. Presets are the first to see the options after that.

    Args:
        args: All options of the command line; ``tpu`` is changed.
    """
    bfloat16 = getattr(args, "bf16", False)
    if bfloat16 and importlib.util.find_spec("torch_xla") is None:
        args.tpu = False
