"""Word vectors: reading them, and what they are worth."""
