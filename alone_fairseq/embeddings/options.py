"""Options of embedding methods: each declared, with its range, in one place."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, TypeGuard, get_type_hints

import numpy as np

from ..errors import AloneError

SEEDS = 2**32
"""NumPy's frozen generator takes seeds below this."""

AUTO = "auto:"
"""Begins the value of a size that is to follow from a share of a look-up table."""

NO_SIZES: Mapping[str, Mapping[str, Any]] = {}
"""Methods whose defaults fit all presets."""

SMALL_PRESETS = ("acl_titles", "multi30k", "reuters_headlines", "tatoeba_en_de", "toy")
"""Sizes of presets for corpora that a CPU can train on."""

LARGE_PRESETS = ("base", "gigaword", "iwslt_de_en", "wmt_en_de")
"""All other sizes of presets, for corpora that want GPUs."""

FAST_PRESET = "small"
"""Size of the preset that has what was found to make a method learn fast, too."""


def in_small_presets(
    fast: Mapping[str, Any] | None = None, /, **values: Any
) -> dict[str, Mapping[str, Any]]:
    """Give options the same values in all small presets.

    The one that learns fast has the words' frequencies on the logits besides, as the
    rows that were compared have, but for look-up and the random table.

    Args:
        fast: Values in that one, beside or in place of the others.
        **values: Values by the names of the options, ``auto:0.5`` for the free size.

    Returns:
        What :attr:`MethodOptions.sizes` of a method needs.
    """
    of_fast = {**values, "softmax_bias": "unigram", **(fast or {})}
    return {**dict.fromkeys(SMALL_PRESETS, values), FAST_PRESET: of_fast}


@dataclass(frozen=True)
class Range:
    """The values that an option may have.

    Attributes:
        at_least: Smallest value, if there is one.
        above: Number that all values lie above.
        at_most: Largest value.
        below: Number that all values lie below.
        choices: The values, if they can be listed.
    """

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    choices: Sequence[str] = ()

    def holds(self, value: Any) -> bool:
        """Tell whether ``value`` lies in the range; NaN never does."""
        if self.choices:
            return value in self.choices
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        """Say what a value must do, as the end of a sentence that begins with it."""
        if self.choices:
            return f"must be {' or '.join(map(repr, self.choices))}"
        low = self.above if self.at_least is None else self.at_least
        high = self.below if self.at_most is None else self.at_most
        if high is None:
            return f"must be {'at least' if self.above is None else 'above'} {low}"
        opening = "[" if self.above is None else "("
        closing = "]" if self.below is None else ")"
        return f"must lie in {opening}{low}, {high}{closing}"


def option(default: Any, text: str, **limits: Any) -> Any:
    """Declare a field of a method's options.

    Args:
        default: Its default; the command line's type follows from the annotation.
        text: Help text, with the paper's symbol; the default is added to it.
        **limits: What it may be, see :class:`Range`.

    Returns:
        A dataclass field.
    """
    metadata = {"help": f"{text} [{default}]", "range": Range(**limits)}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass
class MethodOptions:
    """The options of a method: a dataclass of fields made by :func:`option`.

    Attributes:
        sizes: Values other than the defaults in presets, by the preset's size: those
            with which the small models have half of the values of a look-up table, and
            Gigaword's as many as the paper's. They may be options of the model, too.
        published_sizes: The same for presets ``..._published``, which a method has
            whose others learn otherwise than its paper's; empty where there are none.

    Raises:
        AloneError: If a value is out of its range.
    """

    sizes = NO_SIZES
    published_sizes = NO_SIZES

    @classmethod
    def in_preset(cls, size: str, published: bool) -> Mapping[str, Any]:
        """Give the values other than the defaults in a preset.

        Args:
            size: Name of the preset's size.
            published: Whether the method is to learn as its paper does.

        Returns:
            Values by the names of the options, for the method itself and the model.
        """
        of_paper = published and cls.published_sizes
        return (of_paper or cls.sizes).get(size, {})

    def free_size(self) -> str | None:
        """Name the option by which the number of values is chosen, if there is one.

        It is a whole number, and may be given as ``auto:SHARE``.
        """
        return None

    @staticmethod
    def sizes_in(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """Read options off the shapes of stored tensors.

        Args:
            shapes: Shapes by the names of the tensors; some may be missing.

        Returns:
            The options that the shapes follow from, by name, as far as they are there.
        """
        del shapes
        return {}

    def __post_init__(self) -> None:
        """Check all values; numbers become those of the option's type."""
        types = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            value = _of_type(types[field.name], getattr(self, field.name))
            setattr(self, field.name, value)
            limits = field.metadata["range"]
            flag = flag_of(field.name)
            if is_auto(value):
                free = self.free_size()
                if field.name != free:
                    instead = f", as {flag_of(free)} can" if free else ""
                    raise AloneError(f"{flag} cannot be {value}{instead}")
                if not 0 < share_of(value) <= 1:
                    raise AloneError(
                        f"{flag} {value}: the share must be above 0 and at most 1"
                    )
            elif not limits.holds(value):
                raise AloneError(f"{flag} {limits}, not {value!r}")

    @classmethod
    def from_namespace(cls, namespace: Any) -> Self:
        """Take the options that an object has as attributes; others get their defaults.

        Args:
            namespace: fairseq's, of a command line or from a checkpoint.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        return cls(**{n: getattr(namespace, n) for n in names if hasattr(namespace, n)})


def _of_type(kind: type, value: Any) -> Any:
    """Make an equal number one of a type: 1 is 1.0, and NumPy's are Python's.

    Checkpoints hold options as text, where these differ.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float) or not math.isfinite(value):
        return value
    return kind(value) if kind is not str and kind(value) == value else value


def flag_of(name: str) -> str:
    """Name the flag of an option."""
    return f"--{name.replace('_', '-')}"


def is_auto(value: object) -> TypeGuard[str]:
    """Tell whether a value of an option is ``auto:SHARE``."""
    return isinstance(value, str) and value.startswith(AUTO)


def share_of(value: str) -> Fraction:
    """Read the share of ``auto:SHARE``, exactly; 0 where it is none."""
    text = value.removeprefix(AUTO)
    try:
        # Numbers far out of range take a Fraction all memory.
        return Fraction(text) if 0 < float(text) < 100 else Fraction(0)
    except ValueError:
        return Fraction(0)


def _whole_number(text: str) -> int | str:
    try:
        return text if is_auto(text) else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None


def add_flags(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup,
    config: type[MethodOptions],
    defaults: bool = True,
) -> None:
    """Add a flag for each option of a method.

    Args:
        parser: Parser, or a group of one.
        config: Options of the method.
        defaults: Whether an option that is not given gets its default. If not, it gets
            what the parser gives such options, so that presets can fill them in.
    """
    types = get_type_hints(config)
    for field in dataclasses.fields(config):
        how: dict[str, Any] = {"help": field.metadata["help"]}
        if defaults:
            how["default"] = field.default
        if types[field.name] is bool:
            how["action"] = "store_true"
        else:
            kind = types[field.name]
            how["type"] = _whole_number if kind is int else kind
        parser.add_argument(flag_of(field.name), **how)
