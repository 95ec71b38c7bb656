"""What a run of the benchmark measures: sizes, repetitions, limits."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any

from alone_experiments.mistakes import Mistake

from .batches import SPECIAL_SYMBOLS
from .job import HALF, LEARN, Model, Variant

PARTS = ("table", "step", "train", "decode", "generate", "growth", "sampling", "codes")
SMALLEST_VOCABULARY = 2 * SPECIAL_SYMBOLS
VARIANTS = ("lookup", "published", "alone_real", "alone_binary")
COMPILED = ("alone_real_compiled", "alone_binary_compiled")
"""Further variants, of the part ``table`` only."""
CHUNKED = ("lookup_chunked", "alone_real_chunked", "alone_binary_chunked")
LEVERS = tuple(f"alone_{kind}{how}" for how in LEARN for kind in ("real", "binary"))
_HALVED = ("alone", "low_rank", "define", "hashed", "deep_hash", "codes", "characters")
METHODS = (*(f"{method}{HALF}" for method in _HALVED), "random")
"""Further variants, as ``CHUNKED`` and ``LEVERS`` are, of the parts ``step`` and
``train`` only: every method with half of look-up's values, and the one that has none.
"""
LAYERS = ("lookup_dense", "lookup_joint")
"""Further variants, of the part ``sampling`` only: other output layers."""
CODES = tuple(
    f"codes_{size}{way}"
    for size in ("8x16", "8x64", "16x32", "32x16", "64x8")
    for way in ("", "_sums")
)
"""What the part ``codes`` compares, whatever the variants."""
MODELS = {"base": Model(), "tiny": Model(dim=128, ffn_dim=256, layers=4, heads=4)}
"""The Transformer of the paper, and Transformer-Tiny of ``configs/multi30k``."""


@dataclass(frozen=True)
class Settings:
    """All that a run depends on; the defaults are the full mode on a CPU.

    Attributes:
        parts: What to measure, of ``PARTS``.
        variants: With which embeddings, of ``VARIANTS``, ``COMPILED``, ``CHUNKED``,
            ``LEVERS``, ``METHODS`` and ``LAYERS``.
        model: Sizes of the Transformer.
        vocabulary: Vocabulary size ``V``.
        inter_dims: Inner sizes ``H``.
        relu_dropouts: ALONE's dropouts for the training step; the first one is that of
            whole trainings.
        tokens: Target tokens of a micro-batch.
        length: Tokens of a sentence, its end included.
        rounds: Rounds of ``table`` and ``step``.
        run_rounds: Rounds of ``train``, ``decode``, ``generate`` and ``growth``.
        memory_rounds: Rounds for peaks of memory.
        steps: Repetitions under the clock within one measurement.
        warm_up: Repetitions before.
        updates: Updates of a whole training that count.
        skipped_updates: Updates before, that do not.
        update_freq: Micro-batches of an update of a whole training; the paper's recipe
            has 128 in all, over its GPUs. A step has one.
        decoded_batches: Batches that ``decode`` translates after the first.
        sentences: Sentences that ``generate`` translates.
        published_sentences: As many for the published formulation; 0 for one batch.
        batch_sizes: Sentences translated together.
        growth: Vocabulary sizes of ``growth``.
        growth_tokens: Tokens of its micro-batch, and of that of ``sampling``; states of
            ``codes`` in training.
        sampling: Vocabulary sizes of ``sampling``, the full against a sampled softmax.
        sampled_words: Words of the sampled softmax, one or several numbers.
        max_bytes: Memory that a measurement of ``growth`` or ``sampling`` may be
            expected to take.
        max_seconds: Time that one repetition of it may be expected to take.
        matrix_size: Side of the matrices that give the matrix rate.
        seed: Seed of everything random.
        threads: Threads of a process.
        device: ``cpu`` or ``cuda``.
        precision: A key of ``job.DTYPES``.
    """

    parts: tuple[str, ...] = PARTS
    variants: tuple[str, ...] = VARIANTS
    model: Model = dataclasses.field(default_factory=Model)
    vocabulary: int = 32768
    inter_dims: tuple[int, ...] = (4096, 8192)
    relu_dropouts: tuple[float, ...] = (0.0, 0.1)
    tokens: int = 3584
    length: int = 32
    rounds: int = 5
    run_rounds: int = 3
    memory_rounds: int = 1
    steps: int = 1
    warm_up: int = 1
    updates: int = 1
    skipped_updates: int = 1
    update_freq: int = 8
    decoded_batches: int = 10
    sentences: int = 128
    published_sentences: int = 0
    batch_sizes: tuple[int, ...] = (1, 32)
    growth: tuple[int, ...] = (2**13, 2**15, 2**17, 2**19, 2**21, 2**22)
    growth_tokens: int = 512
    sampling: tuple[int, ...] = (10_000, 2**15, 2**17, 2**19, 2**21, 4_000_000)
    sampled_words: tuple[int, ...] = (8192,)
    max_bytes: int = 8 * 2**30
    max_seconds: float = 60.0
    matrix_size: int = 2048
    seed: int = 1
    threads: int = 1
    device: str = "cpu"
    precision: str = "fp32"

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain values, tuples as lists."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self).items()
        }


QUICK: dict[str, Any] = {
    "model": Model(dim=64, ffn_dim=128, layers=1, heads=2),
    "vocabulary": 4096,
    "inter_dims": (512,),
    "relu_dropouts": (0.0,),
    "tokens": 512,
    "length": 16,
    "rounds": 3,
    "run_rounds": 2,
    "steps": 3,
    "updates": 3,
    "update_freq": 4,
    "decoded_batches": 4,
    "sentences": 16,
    "batch_sizes": (8,),
    "growth": (2**11, 2**13, 2**15),
    "growth_tokens": 256,
    "sampling": (2**11, 2**13, 2**15),
    "sampled_words": (512,),
    "max_seconds": 5.0,
    "matrix_size": 512,
}
"""What ``--quick`` changes: shapes that show that it works, and nothing else."""

GPU: dict[str, Any] = {
    "tokens": 8192,
    "steps": 10,
    "warm_up": 3,
    "updates": 40,
    "skipped_updates": 10,
    "sentences": 512,
    "growth_tokens": 4096,
    "matrix_size": 8192,
    "precision": "fp16",
}
"""What a GPU changes."""


def default_settings(quick: bool, device: str) -> Settings:
    """Choose the settings of a mode.

    Args:
        quick: Whether to take the shapes of ``--quick``.
        device: ``cpu`` or ``cuda``.

    Returns:
        The settings, with all cores that this process may use and half of the
        machine's memory.
    """
    changes = {**(GPU if device == "cuda" else {}), **(QUICK if quick else {})}
    threads = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    mine = {"threads": threads, "device": device, "max_bytes": memory // 2}
    return Settings(**{**mine, **changes})


def check(settings: Settings) -> None:
    """Refuse settings that cannot work.

    Args:
        settings: The settings.

    Raises:
        Mistake: On the first that is wrong, in one line with the flag.
    """
    variants = (*VARIANTS, *COMPILED, *CHUNKED, *LEVERS, *METHODS, *LAYERS)
    for flag, known in (("parts", PARTS), ("variants", variants)):
        for name in getattr(settings, flag):
            if name not in known:
                raise Mistake(f"--{flag} has {name!r}, not one of {', '.join(known)}")
    trained = ("step", "train")
    for some, parts in (
        (COMPILED, ("table",)),
        (LAYERS, ("sampling",)),
        *((some, trained) for some in (CHUNKED, LEVERS, METHODS)),
    ):
        if {*settings.variants} & {*some} and {*settings.parts} - {*parts}:
            raise Mistake(
                f"--variants {','.join(some)} are measured in some parts only: add"
                f" --parts {','.join(parts)}"
            )
    if settings.tokens < settings.length:
        raise Mistake(
            f"--tokens must hold a sentence of {settings.length}, not {settings.tokens}"
        )
    if settings.sentences < max(settings.batch_sizes):
        raise Mistake(
            f"--sentences {settings.sentences} is less than one batch of"
            f" {max(settings.batch_sizes)}: lower --batch-size"
        )
    most = max(settings.sampled_words)
    if "sampling" in settings.parts and most > min(settings.sampling):
        raise Mistake(
            f"--sampled-words {most} is more than the smallest"
            f" vocabulary of --sampling has, {min(settings.sampling)}: lower it"
        )
    if settings.max_bytes <= 0 or settings.max_seconds <= 0:
        raise Mistake("--max-gigabytes and --max-seconds must be above 0")
    if any(not 0 <= rate < 1 for rate in settings.relu_dropouts):
        raise Mistake("--relu-dropout must lie in [0, 1)")
    if settings.parts == ("codes",) and settings.device != "cpu":
        raise Mistake(
            "--parts codes compares two ways of which a GPU takes one: add --device cpu"
        )
    if settings.precision == "fp16" and settings.device == "cpu":
        raise Mistake("--precision fp16 needs a GPU: leave it out")


def variants_of(settings: Settings, relu_dropouts: tuple[float, ...]) -> list[Variant]:
    """List the variants in the order in which they take turns.

    Args:
        settings: The settings.
        relu_dropouts: Dropouts for each of ALONE's variants.

    Returns:
        Those without an inner size to choose, then the others for each inner size and
        dropout.
    """
    tables = [n for n in settings.variants if n.startswith("lookup") or n in METHODS]
    others = [name for name in settings.variants if name not in tables]
    return [Variant(name) for name in tables] + [
        Variant(name, inter_dim, dropout)
        for inter_dim in settings.inter_dims
        for dropout in relu_dropouts
        for name in others
    ]
