"""Corpora of headlines: reading, cleaning and splitting them.

Every module is stand-alone but for ``errors`` and ``text_files`` (standard library and
tqdm). ``annotated_gigaword``, ``gigaword_rules`` and ``public_pairs`` are for Gigaword;
``duc2004`` and ``first_sentence`` for DUC-2004; ``cleaning``, ``near_duplicates`` and
``splits`` for corpora that come without splits; ``digits`` and ``treebank`` for all.
"""
