"""Side-by-side measurements: the look-up table, the published ALONE, and ours.

``bash scripts/benchmark.sh`` runs them. A measurement is a :class:`~.job.Job`, done in
a process of its own; the variants take turns, so that every figure can be a ratio of
neighbours on a machine that is never quiet.
"""
