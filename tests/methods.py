"""The embedding methods in forms small enough for tests: the one list of them."""

from dataclasses import dataclass, field
from typing import Any

from alone_fairseq.embeddings import CONFIGS


@dataclass(frozen=True)
class Case:
    """A method with some of its options.

    Attributes:
        method: Name of the method.
        options: Options with which an embedding of 50 words and 12 values is small.
        flags: Flags of fairseq's commands, beside the recipe of tests/fairseq, where
            models of it are trained there.
    """

    method: str
    options: dict[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] | None = None

    def arch(self) -> str:
        """Name the small preset that has none but the papers' options."""
        published = "_published" if CONFIGS[self.method].published_sizes else ""
        return f"transformer_{self.method}_toy{published}"


def symbols(count: int) -> list[str]:
    """Make up words: special symbols, then words of unlike lengths, some in pieces."""
    made = [f"{'ab' * (n % 4)}{n}{'@@' * (n % 3 == 0)}" for n in range(count)]
    return ["<s>", "<pad>", "</s>", "<unk>", *made][:count]


CASES = {
    "lookup": Case("lookup", flags=()),
    "low_rank": Case("low_rank", {"low_rank_dim": 5}, ("--low-rank-dim", "16")),
    "random": Case("random", flags=()),
    "codes": Case(
        "codes",
        {"codes_num_codebooks": 3, "codes_codebook_size": 5},
        ("--codes-num-codebooks", "8", "--codes-codebook-size", "8"),
    ),
    "codes-steps": Case(
        "codes",
        {
            **{"codes_num_codebooks": 3, "codes_codebook_size": 5},
            **{"codes_start": "steps"},
        },
    ),
    "hashed": Case("hashed", {"hashed_buckets": 9}, flags=("--hashed-buckets", "16")),
    "hashed-appended": Case(
        "hashed",
        {
            **{"hashed_buckets": 9, "hashed_num_hashes": 3},
            **{"hashed_append_weights": True, "hashed_weight_rows": 20},
        },
    ),
    "define": Case(
        "define",
        {"define_input_dim": 5, "define_max_groups": 6},
        ("--define-input-dim", "8"),
    ),
    "define-program": Case(
        "define",
        {
            **{"define_input_dim": 5, "define_form": "program"},
            **{"define_max_groups": 4, "define_num_layers": 3},
        },
    ),
    "deep_hash": Case(
        "deep_hash",
        {"deep_hash_num_hashes": 16, "deep_hash_inter_dim": 10},
        ("--deep-hash-inter-dim", "16"),
    ),
    "deep_hash-relu": Case(
        "deep_hash",
        {
            **{"deep_hash_num_hashes": 16, "deep_hash_inter_dim": 10},
            **{"deep_hash_activation": "relu", "deep_hash_normalisation": "none"},
        },
    ),
    "characters": Case("characters", {"characters_dim": 5}, ("--characters-dim", "16")),
    "characters-highway": Case("characters", {"characters_highway": True}),
    "alone-real": Case(
        "alone",
        {"alone_inter_dim": 20, "alone_filter": "real"},
        ("--alone-filter", "real"),
    ),
    "alone-binary": Case(
        "alone",
        {"alone_inter_dim": 20, "alone_filter": "binary"},
        ("--alone-filter", "binary"),
    ),
    "alone-deep": Case(
        "alone", {"alone_inter_dim": 20, "alone_base_dim": 7, "alone_num_layers": 3}
    ),
    "alone-centred": Case(
        "alone",
        {
            **{"alone_inter_dim": 20, "alone_filter": "binary", "alone_centre": True},
            **{"alone_own_dim": 3, "alone_initial_scale": "lookup_layer"},
        },
        (
            *("--alone-filter", "real", "--alone-centre", "--alone-own-dim", "8"),
            *("--alone-initial-scale", "lookup_layer"),
        ),
    ),
    "alone-flat": Case(
        "alone",
        {"alone_inter_dim": 20, "alone_num_layers": 1, "alone_freeze_base": True},
    ),
}

FLAGS = {
    name: ["--arch", case.arch(), *case.flags]
    for name, case in CASES.items()
    if case.flags is not None
}
"""Flags that choose each of the cases that tests/fairseq trains."""
