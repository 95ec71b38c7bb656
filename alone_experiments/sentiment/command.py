"""The ``sentiment`` command: a table of its actions, imported when called."""

ACTIONS = {
    "prepare": ("sentiment.prepare", "split film reviews into words, once for all"),
    "train": ("sentiment.train", "train a classifier of reviews on word vectors"),
}
"""As ``TOOLS`` of :mod:`alone_experiments.cli`."""
