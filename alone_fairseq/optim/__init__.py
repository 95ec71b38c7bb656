"""Optimisers for networks inside embeddings; importing this registers them."""

from . import adam_muon, adam_shared_moment, adam_soap

__all__ = ["adam_muon", "adam_shared_moment", "adam_soap"]
