"""Translation whose updates let :class:`PulledBackAdam` move ALONE's last matrix."""

# No "from __future__ import annotations": fairseq reads the fields' types.

from dataclasses import dataclass, field
from typing import Any

from fairseq.tasks import register_task
from fairseq.tasks.translation import TranslationConfig, TranslationTask

from alone_experiments.trials.table_metric.adam import PulledBackAdam
from alone_fairseq.errors import AloneError


@dataclass
class TableMetricConfig(TranslationConfig):
    """Options of the task, beside those of fairseq's translation task."""

    table_metric_lr_factor: float = field(
        default=1.0,
        metadata={"help": "learning rate of the last matrix, as a multiple of --lr"},
    )
    table_metric_damping: float = field(
        default=0.03,
        metadata={"help": "added to the metric, as a multiple of its mean diagonal"},
    )


@register_task("translation_table_metric", dataclass=TableMetricConfig)
class TableMetricTask(TranslationTask):
    """fairseq's translation task; the optimizer moves all but ALONE's last matrix."""

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        """Build the model, and watch the table of its embedding.

        Raises:
            AloneError: If the model's embedding is not of the form that is needed, or
                an option is out of range.
        """
        factor = self.cfg.table_metric_lr_factor
        if not 0.0 < factor < float("inf"):
            raise AloneError(
                f"--table-metric-lr-factor must be above 0 and finite, not {factor}"
            )
        model = super().build_model(cfg, from_checkpoint)
        embedding = model.decoder.embed_tokens
        self.last = PulledBackAdam(embedding, self.cfg.table_metric_damping)
        return model

    def optimizer_step(self, optimizer: Any, model: Any, update_num: int) -> None:
        """Move the last matrix, then all else.

        Raises:
            AloneError: If the training was carried on from a checkpoint.
        """
        if self.last.updates != update_num:
            raise AloneError(
                "--task translation_table_metric: the moments of the last matrix are in"
                " no checkpoint: train anew (tune --force, or another --save-dir)"
            )
        self.last.step(optimizer.get_lr() * self.cfg.table_metric_lr_factor)
        super().optimizer_step(optimizer, model, update_num)
