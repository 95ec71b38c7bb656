"""ALONE as it was published, as the thing to beat: ``--user-dir benchmarks/published``.

It adds the embedding method ``published`` to those of the plugin. Written from the
paper and from a description of what the authors' program computes, plainly and without
any of the savings of ``alone_fairseq/embeddings/alone.py``.
"""

from .embedding import PublishedEmbedding

__all__ = ["PublishedEmbedding"]
