"""Options of length control, and what they cannot be combined with."""

from argparse import Namespace
from dataclasses import dataclass, field
from typing import Any

from fairseq.dataclass import FairseqDataclass

from ..errors import AloneError


def _switch(text: str) -> Any:
    return field(default=False, metadata={"help": text})


@dataclass
class LengthControlConfig(FairseqDataclass):
    """Which positional encodings the decoder has.

    With neither LRPE nor LDPE the model is the ordinary one, with or without
    ``--length-ordinary``.
    """

    length_lrpe: bool = _switch(
        "length control: the decoder has the length-ratio positional encoding LRPE,"
        " sin and cos of pos / len^(2i/d) (Takase and Okazaki, 2019, eq. 6 and 7);"
        " needs --task translation_with_length"
    )
    length_ldpe: bool = _switch(
        "length control: the decoder has the length-difference positional encoding"
        " LDPE, sin and cos of (len - pos) / 10000^(2i/d) (eq. 4 and 5); needs"
        " --task translation_with_length"
    )
    length_ordinary: bool = _switch(
        "with --length-lrpe or --length-ldpe: the decoder has the ordinary encoding PE,"
        " sin and cos of pos / 10000^(2i/d), as well; all chosen ones are summed."
        " Without length control it always has it"
    )


def is_controlled(options: Any) -> bool:
    """Whether options ask for length control.

    Args:
        options: Namespace or configuration of a model; checkpoints made before length
            control existed lack the options.
    """
    chosen = LengthControlConfig.from_namespace(options)
    return bool(chosen.length_lrpe or chosen.length_ldpe)


def refuse_unsupported(args: Namespace, task: Any) -> None:
    """Refuse what length control cannot be combined with.

    Args:
        args: All options of the run or of the checkpoint.
        task: fairseq's task.

    Raises:
        AloneError: On the first contradiction, in one line with the remedy.
    """
    gives_length = bool(getattr(task, "gives_length", False))
    if not is_controlled(args):
        if gives_length:
            raise AloneError(
                "--task translation_with_length needs a model that reads the length:"
                " add --length-lrpe or --length-ldpe, or use --task translation"
            )
        return
    lrpe = LengthControlConfig.from_namespace(args).length_lrpe
    flag = "--length-lrpe" if lrpe else "--length-ldpe"
    if not gives_length:
        raise AloneError(
            f"the model has length control ({flag}): add"
            " --task translation_with_length, which gives it the length"
        )
    for name in ("decoder_learned_pos", "no_token_positional_embeddings"):
        if getattr(args, name, False):
            raise AloneError(
                f"{flag} makes the decoder's positional encoding: remove"
                f" --{name.replace('_', '-')}"
            )
    if args.decoder_embed_dim < 4:
        raise AloneError(
            f"{flag} needs --decoder-embed-dim of at least 4, not"
            f" {args.decoder_embed_dim}"
        )
