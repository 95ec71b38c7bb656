"""Compact embeddings fitted to given word vectors, and what such vectors are worth."""
