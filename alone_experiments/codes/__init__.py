"""Compositional codes: learned, packed, shown (Shu and Nakayama, 2018)."""
