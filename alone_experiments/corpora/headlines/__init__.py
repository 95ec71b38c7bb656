"""Corpora of headlines: reading, cleaning and splitting them.

Gigaword: ``annotated_gigaword``, ``gigaword_files``, ``gigaword_rules``,
``public_pairs``. DUC-2004: ``duc2004``, ``first_sentence``. Corpora without splits:
``cleaning``, ``near_duplicates``, ``splits``. All: ``digits``, ``evenly``,
``treebank``, ``text_files``, ``errors``. They need the standard library and tqdm only.
"""
