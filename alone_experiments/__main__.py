"""``python -m alone_experiments``: the same as the command ``alone-fairseq``."""

from alone_experiments.cli import command

command()
