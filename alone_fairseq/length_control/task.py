"""Translation where the model is told the length of its output."""

# No "from __future__ import annotations": fairseq reads the fields' types.

from dataclasses import dataclass, field
from typing import Any, Optional

import torch
from fairseq.data import Dictionary, LanguagePairDataset
from fairseq.models import BaseFairseqModel
from fairseq.sequence_generator import SequenceGenerator
from fairseq.tasks import register_task
from fairseq.tasks.translation import TranslationConfig, TranslationTask
from torch import Tensor

from ..errors import AloneError
from .desired import GOLD, DesiredLengths, split_lines
from .encoder import TARGET_LENGTHS, LengthEncoder

_MISSING = (
    "the desired length is missing: give --desired-length N for all sentences, or"
    " --desired-lengths FILE with one a line"
)


@dataclass
class TranslationWithLengthConfig(TranslationConfig):
    """Options of the task, beside those of fairseq's translation task."""

    desired_length: Optional[str] = field(  # noqa: UP045 (fairseq reads this form)
        default=None,
        metadata={
            "help": "in generation: number of target tokens (characters, where the"
            " target is split into them) that each output is to have, end of sentence"
            f" not counted; or '{GOLD}', the length of each reference, which no system"
            " knows in practice. In training only --eval-bleu heeds it; the loss is"
            " always taken with the reference's length"
        },
    )
    desired_lengths: Optional[str] = field(  # noqa: UP045
        default=None,
        metadata={
            "help": "in generation: file with such a number for each sentence, one a"
            " line, in the order of the text that was binarised. In interactive mode"
            " a tab and the number follow the sentence instead"
        },
    )


@register_task("translation_with_length", dataclass=TranslationWithLengthConfig)
class TranslationWithLengthTask(TranslationTask):
    """fairseq's translation task, which tells the model the length of its output.

    In training, validation and scoring that is the length of the reference with its end
    of sentence; in generation the desired length and 1. Lengths are put into each batch
    when it is used, so that no sorting, filtering or sharding parts them from their
    sentence.

    Args:
        cfg: Options.
        src_dict: Dictionary of the source.
        tgt_dict: Dictionary of the target.

    Raises:
        AloneError: If the desired lengths cannot be understood.
    """

    gives_length = True

    def __init__(
        self,
        cfg: TranslationWithLengthConfig,
        src_dict: Dictionary,
        tgt_dict: Dictionary,
    ) -> None:
        """Read the desired lengths."""
        super().__init__(cfg, src_dict, tgt_dict)
        self.desired = DesiredLengths.from_options(
            cfg.desired_length, cfg.desired_lengths
        )
        self.longest: int | None = None
        self.lines_read = 0
        self.typed: list[int] | None = None
        self.typed_lengths_in_constraints = False

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> BaseFairseqModel:
        """Build the model; it must be one with length control.

        Raises:
            AloneError: If it is not, or if a training is given a file of lengths.
        """
        if not from_checkpoint and self.desired.file is not None:
            raise AloneError(
                "--desired-lengths is for generation; training takes the lengths of the"
                " references: remove it"
            )
        model = super().build_model(cfg, from_checkpoint)
        if not isinstance(getattr(model, "encoder", None), LengthEncoder):
            raise AloneError(
                "--task translation_with_length needs a model that reads the length:"
                " --arch transformer_<method>_<size> with --length-lrpe or"
                " --length-ldpe; or use --task translation"
            )
        return model

    def load_dataset(
        self, split: str, epoch: int = 1, combine: bool = False, **more: Any
    ) -> None:
        """Load a data set; see fairseq's task.

        Raises:
            AloneError: If the lengths do not fit it.
        """
        super().load_dataset(split, epoch=epoch, combine=combine, **more)
        dataset = self.datasets[split]
        self.desired.check_number(len(dataset), split)
        if self.desired.gold and dataset.tgt is None:
            raise AloneError(
                f"--desired-length {GOLD} needs references, '{split}' has none: give a"
                " number, or --desired-lengths FILE"
            )

    def build_generator(
        self, models: list[BaseFairseqModel], args: Any, *more: Any, **options: Any
    ) -> Any:
        """Build what translates; see fairseq's task.

        Raises:
            AloneError: If the desired length is missing or above what can be written,
                or if something else sets the length.
        """
        if getattr(args, "match_source_len", False):
            raise AloneError(
                "--match-source-len gives each output the length of its source in place"
                " of the desired one: remove it"
            )
        generator = super().build_generator(models, args, *more, **options)
        if isinstance(generator, SequenceGenerator):
            # In training no data set is loaded yet, in interactive mode there is none.
            if self.datasets and self.desired.missing:
                raise AloneError(f"{_MISSING}; '{GOLD}' takes those of the references")
            self.longest = generator.max_len - 1
            if generator.max_len_a == 0:
                self.longest = min(self.longest, int(generator.max_len_b))
            self.desired.check_longest(self.longest)
        return generator

    def train_step(
        self, sample: dict[str, Any], *arguments: Any, **more: Any
    ) -> tuple[Any, Any, Any]:
        """Train on a batch with the lengths of its references; see fairseq's task."""
        sample = with_target_lengths(sample, self.gold_lengths(sample))
        return super().train_step(sample, *arguments, **more)  # type: ignore[no-any-return]

    def valid_step(
        self, sample: dict[str, Any], *arguments: Any, **more: Any
    ) -> tuple[Any, Any, Any]:
        """Validate on a batch, likewise; see fairseq's task."""
        sample = with_target_lengths(sample, self.gold_lengths(sample))
        return super().valid_step(sample, *arguments, **more)  # type: ignore[no-any-return]

    def inference_step(
        self,
        generator: Any,
        models: list[BaseFairseqModel],
        sample: dict[str, Any],
        prefix_tokens: Tensor | None = None,
        constraints: Tensor | None = None,
    ) -> Any:
        """Translate or score a batch with the desired lengths; see fairseq's task.

        Raises:
            AloneError: If there is neither a desired length nor a reference.
        """
        if self.typed_lengths_in_constraints:
            given = sample["constraints"] if constraints is None else constraints
            lengths, constraints = given[:, 0] + 1, None
        else:
            lengths = self.wanted_lengths(sample)
        sample = with_target_lengths(sample, lengths)
        return super().inference_step(
            generator, models, sample, prefix_tokens, constraints
        )

    def wanted_lengths(self, sample: dict[str, Any]) -> Tensor:
        """Find the lengths of a batch's outputs, end of sentence counted.

        Args:
            sample: Batch as fairseq's data sets make it.

        Returns:
            Lengths, ``(B,)``: the desired ones, or where none are given (in scoring and
            for ``--eval-bleu``) those of the references.

        Raises:
            AloneError: If there is neither a desired length nor a reference.
        """
        tokens: Tensor = sample["net_input"]["src_tokens"]
        if self.desired.same is not None:
            return tokens.new_full((tokens.size(0),), self.desired.same + 1)
        if self.desired.each is not None:
            numbers = sample["id"].tolist()
            return tokens.new_tensor([self.desired.each[i] + 1 for i in numbers])
        if sample.get("target") is None:
            raise AloneError(_MISSING)
        return self.gold_lengths(sample)

    def gold_lengths(self, sample: dict[str, Any]) -> Tensor:
        """Count the tokens of a batch's references with their ends, ``(B,)``."""
        lengths: Tensor = sample["target"].ne(self.target_dictionary.pad()).sum(dim=1)
        return lengths

    def get_interactive_tokens_and_lengths(
        self, lines: list[str], encode_fn: Any
    ) -> tuple[list[Tensor], list[int]]:
        r"""Read typed lines, ``text`` or ``text\tlength``; see fairseq's task.

        Raises:
            AloneError: If a line has no length, or one that cannot be understood.
        """
        if self.desired.gold or self.desired.file is not None:
            raise AloneError(
                f"--desired-length {GOLD} and --desired-lengths are for data sets: in"
                " interactive mode give --desired-length N, or a tab and the length"
                " after each line"
            )
        texts, self.typed = split_lines(
            lines, self.lines_read + 1, self.desired.same, self.longest
        )
        self.lines_read += len(lines)
        return super().get_interactive_tokens_and_lengths(  # type: ignore[no-any-return]
            texts, encode_fn
        )

    def build_dataset_for_inference(
        self,
        src_tokens: list[Tensor],
        src_lengths: list[int],
        constraints: Tensor | None = None,
    ) -> LanguagePairDataset:
        """Build a data set of typed lines; see fairseq's task.

        fairseq's interactive command passes nothing of a batch on but the source and
        the constraints, so that the lengths of the lines travel as the latter. With
        ``--constraints`` only ``--desired-length`` can give the length: tabs separate
        the constraints then.
        """
        self.typed_lengths_in_constraints = (
            self.typed is not None and constraints is None
        )
        if self.typed_lengths_in_constraints:
            constraints = torch.tensor(self.typed).view(-1, 1)
        self.typed = None
        return super().build_dataset_for_inference(
            src_tokens, src_lengths, constraints=constraints
        )


def with_target_lengths(sample: dict[str, Any], lengths: Tensor) -> dict[str, Any]:
    """Copy a batch and add the lengths to what the model gets.

    Args:
        sample: Batch as fairseq's data sets make it.
        lengths: Target tokens with the end of sentence, ``(B,)``.

    Returns:
        The batch with ``net_input["target_lengths"]``; tensors are shared.
    """
    net_input = {**sample["net_input"], TARGET_LENGTHS: lengths}
    return {**sample, "net_input": net_input}
