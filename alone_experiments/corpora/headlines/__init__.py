"""Corpora of headlines: reading, cleaning and splitting them.

Gigaword: ``annotated_gigaword``, ``gigaword_files``, ``gigaword_rules``,
``public_pairs``. DUC-2004: ``duc2004``, ``first_sentence``. Corpora without splits:
``cleaning``, ``near_duplicates``, ``splits``. What becomes of all of them:
``headline_units``.
"""
