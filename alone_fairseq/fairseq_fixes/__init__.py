"""Repairs of fairseq itself, for fairseq-fixed 0.12.3.1.

fairseq offers no hook for any of these; each function says what goes wrong without
it. All are applied once, when fairseq imports this package.
"""

from __future__ import annotations

import importlib.metadata

from fairseq.file_io import PathManager

from ..errors import AloneError
from . import checkpoints, data, training

REPAIRED_VERSION = "0.12.3.1"


def apply_all() -> None:
    """Apply every repair; a second call changes nothing.

    Raises:
        AloneError: If another fairseq than the one they were made for is installed.
    """
    if getattr(PathManager, "repaired_by_alone_fairseq", False):
        return
    found = importlib.metadata.version("fairseq-fixed")
    if found != REPAIRED_VERSION:
        raise AloneError(
            f"fairseq-fixed {found} is installed, {REPAIRED_VERSION} is needed: run"
            f" pip install fairseq-fixed=={REPAIRED_VERSION}"
        )
    checkpoints.allow_checkpoint_types()
    data.keep_last_batch()
    data.cut_text_at_sentences()
    checkpoints.read_checkpoints_as_we_do()
    checkpoints.save_whole_or_not_at_all()
    checkpoints.prepare_save_dir()
    checkpoints.keep_tied_tensors_tied()
    data.end_workers_with_their_epoch()
    data.stop_prefetching_at_exit()
    training.unscale_once()
    training.load_states_by_the_optimiser()
    training.begin_moving_averages_with_the_model()
    training.end_where_all_is_done()
    data.end_lines_at_line_feeds()
    PathManager.repaired_by_alone_fairseq = True
