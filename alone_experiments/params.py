"""The ``params`` command: what an embedding costs, before anything is trained."""

from __future__ import annotations

import argparse
import math

import torch

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS, TableSize, add_flags, build
from alone_fairseq.embeddings.alone_options import AloneConfig
from alone_fairseq.footprint import Footprint, measure
from alone_fairseq.output.softmax_bias import KINDS, SoftmaxBias

PADDING_IDX = 1  # fairseq's; it has no influence on sizes


def method_footprint(
    method: str, options: argparse.Namespace, vocabulary: int, dim: int
) -> Footprint:
    """Size of an embedding and its softmax's bias, without memory for the former.

    Args:
        method: Registered embedding method.
        options: Namespace with the method's options and ``softmax_bias``, if any.
        vocabulary: Vocabulary size ``V``.
        dim: Vector size ``D``.

    Returns:
        Trained values, stored values and stored bytes in 32-bit precision.

    Raises:
        Mistake: If the method does not exist, an option is out of range, or torch has
            no tensors of that size.
    """
    size = TableSize(vocabulary, dim, PADDING_IDX)
    kind = getattr(options, "softmax_bias", "none")
    try:
        with torch.device("meta"):
            found = build(method, options, size).footprint()
        if kind != "none":
            found += measure(SoftmaxBias(torch.zeros(vocabulary), kind == "trained"))
    except (RuntimeError, TypeError, OverflowError) as error:
        raise Mistake(
            f"no table of {method} can be as large as these --vocabulary, --dim and"
            " options of the method"
        ) from error
    return found


def memory_table(
    config: AloneConfig, vocabulary: int, dim: int, network_values: int
) -> dict[str, int]:
    """Memory for word representation: Takase and Kobayashi (2020), Table 1.

    Args:
        config: ALONE's options.
        vocabulary: Vocabulary size ``V``.
        dim: Vector size ``D_e``.
        network_values: Values of ``o`` and of the feed-forward network.

    Returns:
        Values a method keeps in memory, by the paper's names.
    """
    base_dim = config.alone_base_dim or dim
    source = config.alone_num_codebooks * config.alone_codebook_size * base_dim
    return {
        "conventional way": dim * vocabulary,
        "ALONE (naive)": network_values + base_dim * vocabulary,
        "ALONE (proposed)": network_values + source,
        "ALONE (proposed (volatile))": network_values,
    }


def collision_probability(vocabulary: int, codebooks: int, size: int) -> float:
    """Probability that two words share a filter: ``1 - exp(-V^2 / (2 c^M))``.

    The birthday bound of Takase and Kobayashi (2020), section 2.1.

    Args:
        vocabulary: Vocabulary size ``V``.
        codebooks: Number of codebooks ``M``.
        size: Rows ``c`` of a codebook.

    Returns:
        A probability in ``[0, 1]``.
    """
    log_ratio = 2 * math.log(vocabulary) - math.log(2) - codebooks * math.log(size)
    # Beyond e^7 expected collisions the probability is 1 in double precision.
    return -math.expm1(-math.exp(min(log_ratio, 7.0)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments, among them every method's own."""
    parser.add_argument(
        "--vocabulary",
        type=whole_number(2),
        default=32768,
        help="vocabulary size V [%(default)s]",
    )
    parser.add_argument(
        "--dim",
        type=whole_number(1),
        default=512,
        help="embedding size D = D_e [%(default)s]",
    )
    parser.add_argument(
        "--embedding-method",
        metavar="METHOD",
        default="all",
        help=f"one of {', '.join(EMBEDDINGS)}, or all [%(default)s]",
    )
    parser.add_argument(
        "--softmax-bias",
        choices=KINDS,
        default="none",
        help="count a bias of the softmax too: trained, it has V values [%(default)s]",
    )
    for config in CONFIGS.values():
        add_flags(parser, config)


def run(args: argparse.Namespace) -> None:
    """Print Table 1 of the paper and the sizes of the methods."""
    config = AloneConfig.from_namespace(args)
    chosen = args.embedding_method
    methods = list(EMBEDDINGS) if chosen == "all" else [chosen]
    sizes = {m: method_footprint(m, args, args.vocabulary, args.dim) for m in methods}
    if "alone" in sizes:
        # The paper's table knows no bias, which would be the same for all its rows.
        plain = argparse.Namespace(**{**vars(args), "softmax_bias": "none"})
        alone = method_footprint("alone", plain, args.vocabulary, args.dim)
        _print_memory(config, args.vocabulary, args.dim, alone)
    _print_sizes(sizes, args.vocabulary * args.dim)


def _print_memory(
    config: AloneConfig, vocabulary: int, dim: int, alone: Footprint
) -> None:
    table = memory_table(config, vocabulary, dim, alone.stored_values)
    print(f"{'Memory for word representation':<32}{'values':>16}{'bytes, fp32':>18}")
    for name, values in table.items():
        print(f"{name:<32}{values:>16,}{4 * values:>18,}")
    codebooks, size = config.alone_num_codebooks, config.alone_codebook_size
    probability = collision_probability(vocabulary, codebooks, size)
    print(
        f"Probability that any two of {vocabulary:,} words share a filter"
        f" (M = {codebooks}, c = {size}): {probability:.2g}\n"
    )


def _print_sizes(sizes: dict[str, Footprint], lookup_values: int) -> None:
    print(f"{'method':<12}{'trained values':>16}{'share':>9}{'stored bytes':>16}")
    for method, size in sizes.items():
        share = size.trained_values / lookup_values
        print(
            f"{method:<12}{size.trained_values:>16,}{share:>9.2%}"
            f"{size.stored_bytes:>16,}"
        )
