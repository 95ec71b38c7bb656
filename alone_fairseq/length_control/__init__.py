"""Headlines of a desired length: target characters, positions, re-ranking."""
