"""A language model with millions of words, on text of a known source."""
