"""``python -m alone_fairseq``: the same as the command ``alone-fairseq``."""

from .cli import main

main()
