"""A small invented fragment of English and German, for making parallel text.

Every module is stand-alone (standard library only). Data: ``nouns``, ``compounds``,
``adjectives``, ``verbs``, ``numerals``, ``adverbials``. Grammar: ``english`` and
``german`` (word forms), ``noun_phrases``, ``clauses`` (word order), ``sentences``.
"""
