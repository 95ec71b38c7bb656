"""``--user-dir`` with ALONE's last layer trained in the metric of a table's Adam."""

# By its name of a package, since fairseq imports this folder as a package of its own.
from alone_experiments.trials.table_metric import task

__all__ = ["task"]
