"""The ``codes`` command: a table of its actions, each module imported when called."""

ACTIONS = {
    "learn": ("codes.learn", "learn codes from word vectors or a trained model"),
    "export": ("codes.export", "pack learned or trained codes into one small file"),
    "unpack": ("codes.unpack", "turn such a file into word vectors or a checkpoint"),
    "show": ("codes.show", "print words with their codes, and how codes are used"),
    "sizes": ("codes.sizes", "print what codes take (Tables 2 and 3 of the paper)"),
}
"""As ``TOOLS`` of :mod:`alone_experiments.cli`."""
