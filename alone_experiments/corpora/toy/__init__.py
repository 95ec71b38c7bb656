"""A small invented fragment of English and German, for making parallel text.

The words and the rules are data: ``data-prep/toy_en_de.toml``.
"""
