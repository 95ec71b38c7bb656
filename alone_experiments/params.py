"""The ``params`` command: what an embedding costs, before anything is trained."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import torch

from alone_experiments.arguments import whole_number
from alone_experiments.mistakes import Mistake
from alone_experiments.output_layer_sizes import list_output_layers
from alone_experiments.solved_sizes import (
    Row,
    add_wanted_arguments,
    refuse_given_sizes,
    solve,
    wanted,
)
from alone_experiments.vocabulary_sizes import number_or_path, read_tables
from alone_fairseq.embeddings import (
    CONFIGS,
    EMBEDDINGS,
    TableSize,
    add_flags,
    refuse_options_of_others,
)
from alone_fairseq.embeddings.alone_options import AloneConfig
from alone_fairseq.embeddings.free_size import lookup_values, measure_tables, resolve
from alone_fairseq.footprint import Footprint, measure
from alone_fairseq.names import find
from alone_fairseq.output import OUTPUT_LAYERS, layer_configs, refuse_other_options
from alone_fairseq.output.softmax_bias import KINDS, SoftmaxBias


def method_footprint(
    method: str, options: argparse.Namespace, tables: Sequence[TableSize]
) -> Footprint:
    """Size of embeddings and the softmax's bias, without memory for the former.

    Args:
        method: Registered embedding method.
        options: Namespace with the method's options and ``softmax_bias``, if any.
        tables: Size of each embedding; the last one's words are the softmax's.

    Returns:
        Trained values, stored values and stored bytes in 32-bit precision.

    Raises:
        Mistake: If the method does not exist, an option is out of range, or torch has
            no tensors of that size.
    """
    made = find(EMBEDDINGS, method, "--embedding-method")
    config = resolve(made, CONFIGS[method].from_namespace(options), tables)
    found = measure_tables(made, config, tables)
    kind = getattr(options, "softmax_bias", "none")
    if kind == "none":
        return found
    with torch.device("meta"):
        logits = torch.zeros(tables[-1].num_embeddings)
        return found + measure(SoftmaxBias(logits, kind == "trained"))


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
        type=number_or_path,
        metavar="V",
        default=32768,
        help="vocabulary size V, or a dictionary or data folder of fairseq-preprocess"
        " that has it [%(default)s]",
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
    parser.add_argument(
        "--output-layer",
        metavar="LAYER",
        help="also what an output layer takes: one of"
        f" {', '.join(OUTPUT_LAYERS)}, or all",
    )
    parser.add_argument(
        "--state-dim",
        type=whole_number(1),
        metavar="N",
        help="size of the decoder's states, for the output layer [that of --dim]",
    )
    add_wanted_arguments(parser)
    for config in (*layer_configs(), *CONFIGS.values()):
        add_flags(parser, config)


def run(args: argparse.Namespace) -> None:
    """Print Table 1 of the paper and the sizes of the methods, or solve for sizes."""
    tables = read_tables(args.vocabulary, args.dim)
    chosen = args.embedding_method
    if chosen != "all":
        find(EMBEDDINGS, chosen, "--embedding-method")
        refuse_options_of_others(args, [chosen])
    if args.output_layer not in (None, "all"):
        find(OUTPUT_LAYERS, args.output_layer, "--output-layer")
    _refuse_two_vocabularies(args, tables)
    methods = list(EMBEDDINGS) if chosen == "all" else [chosen]
    fits = wanted(args, tables)
    if fits is None:
        layers = _output_layers(args, tables[-1].num_embeddings)
        _print_all(methods, args, tables)
        for line in layers:
            print(line)
        return
    for flag, given in (
        ("--softmax-bias", args.softmax_bias != "none"),
        ("--output-layer", args.output_layer),
    ):
        if given:
            raise Mistake(
                f"{flag} takes the same of every method: leave it out where a size is"
                " solved for"
            )
    refuse_given_sizes(methods, args)
    _print_head(tables)
    _print_rows(solve(methods, args, tables, fits), tables)


def _refuse_two_vocabularies(args: argparse.Namespace, tables: list[TableSize]) -> None:
    # Which of two dictionaries is the target's a folder does not say.
    for flag, given in (
        ("--softmax-bias trained", args.softmax_bias == "trained"),
        ("--output-layer", args.output_layer),
    ):
        if given and len(tables) > 1:
            raise Mistake(
                f"{flag} is of the target's words, and {args.vocabulary} has two"
                " dictionaries: name the target's with --vocabulary"
            )


def _output_layers(args: argparse.Namespace, vocabulary: int) -> list[str]:
    if args.output_layer:
        layers = list_output_layers(args.output_layer, args, vocabulary, args.dim)
        return ["", *layers]
    if args.state_dim:
        raise Mistake("--state-dim is for --output-layer: name a layer, or remove it")
    refuse_other_options(args)
    return []


def _print_all(
    methods: list[str], args: argparse.Namespace, tables: list[TableSize]
) -> None:
    sizes = {m: method_footprint(m, args, tables) for m in methods}
    if len(tables) > 1:
        _print_head(tables)
    elif "alone" in sizes:
        # The paper's table knows no bias, which would be the same for all its rows.
        plain = argparse.Namespace(**{**vars(args), "softmax_bias": "none"})
        alone = method_footprint("alone", plain, tables)
        config = resolve(EMBEDDINGS["alone"], AloneConfig.from_namespace(args), tables)
        _print_memory(config, tables[0].num_embeddings, args.dim, alone)
    _print_rows([(name, "", size) for name, size in sizes.items()], tables)


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


def _print_head(tables: Sequence[TableSize]) -> None:
    vocabularies = " and ".join(f"{size.num_embeddings:,}" for size in tables)
    print(
        f"Look-up with V = {vocabularies}, D = {tables[0].embedding_dim}:"
        f" {lookup_values(tables):,} values"
    )


def _print_rows(rows: Sequence[Row], tables: Sequence[TableSize]) -> None:
    width = max(len(size) for _, size, _ in rows)
    width += 2 if width else 0
    print(
        f"{'method':<12}{'size' if width else '':<{width}}{'trained values':>16}"
        f"{'share':>9}{'stored bytes':>16}"
    )
    for name, size, found in rows:
        line = f"{name:<12}{size:<{width}}"
        if found is not None:
            share = found.trained_values / lookup_values(tables)
            line += f"{found.trained_values:>16,}{share:>9.2%}{found.stored_bytes:>16,}"
        print(line)
