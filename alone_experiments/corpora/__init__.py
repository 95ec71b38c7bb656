"""From the files of a translation corpus to fairseq's binary data.

Every step keeps one line a sentence on each side; only :mod:`.filters` leaves pairs
out, both sides at once, so that no step can shift one side against the other.
"""

import os
import sys

# Read when tqdm is first imported, by subword-nmt too: a log file needs few lines.
if not sys.stderr.isatty():
    os.environ.setdefault("TQDM_MININTERVAL", "60")
    os.environ.setdefault("TQDM_DELAY", "60")
