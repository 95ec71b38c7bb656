"""The laboratory: corpora, trainings, scores, records, and the command for them all.

It uses the plugin, ``alone_fairseq``, which knows nothing of it. What needs neither
torch nor fairseq does not import them, so that such commands answer at once.
"""
