"""Compact embeddings fitted to given word vectors."""
