"""Record a scored run as one JSON file: the numbers and what made them.

The fields are described in results/README.md.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fairseq import checkpoint_utils
from torch import nn

from alone_experiments.arguments import whole_number
from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import size_of
from alone_experiments.files import write_json
from alone_experiments.lines import read_lines, sha256
from alone_experiments.provenance import describe_surroundings
from alone_experiments.reconstruction import saved
from alone_experiments.results.headline_results import (
    by_name,
    checksums_of_test_sets,
    read_rouge,
)
from alone_experiments.results.result_files import write_translations
from alone_experiments.training.describe_training import describe_training
from alone_fairseq.compact_model import CompactModel
from alone_fairseq.embeddings import CompactEmbedding
from alone_fairseq.embeddings.codes import CodesEmbedding
from alone_fairseq.footprint import measure


def checksums(data: Path) -> dict[str, str]:
    """Compute the SHA-256 of the raw text, the merges and the dictionaries.

    Args:
        data: Folder of a prepared corpus.

    Returns:
        Checksums by file name relative to the folder.
    """
    files = [*data.glob("raw/*.*"), data / "bpe/codes", *data.glob("bin/dict.*.txt")]
    return {
        str(file.relative_to(data)): sha256(file)
        for file in sorted(files)
        if file.is_file()
    }


def find_embeddings(model: Any) -> list[nn.Module]:
    """Find all modules of a model that stand between its states and words.

    Args:
        model: A :class:`CompactModel`, or fairseq's ``fconv``.

    Returns:
        The compact embeddings, a shared one once, and the output layer, with the
        matrices, maps and bias that it has of its own; of ``fconv`` both tables and the
        output layer.
    """
    if isinstance(model, CompactModel):
        return [*model.compact_embeddings(), model.output_layer()]
    return [model.encoder.embed_tokens, model.decoder.embed_tokens, model.decoder.fc3]


def measure_embeddings(checkpoint: Path, data: Path) -> dict[str, Any]:
    """Measure the embeddings of a trained model.

    Args:
        checkpoint: Checkpoint of a model that :func:`find_embeddings` knows.
        data: Folder of the prepared corpus.

    Returns:
        What :func:`describe_embeddings` says of it.
    """
    models, cfg, _ = checkpoint_utils.load_model_ensemble_and_task(
        [str(checkpoint)], arg_overrides={"data": str(data / "bin")}
    )
    return describe_embeddings(models[0], cfg.model)


def describe_embeddings(model: Any, options: Any) -> dict[str, Any]:
    """Describe the embeddings of a model, output layer included, a shared one once.

    Args:
        model: A model that :func:`find_embeddings` knows.
        options: Its options.

    Returns:
        The method, its footprint, the values of look-up tables in its place, the
        trained values of the whole model, the inner size of a network, and of codes the
        bytes that they take when they are packed.
    """
    footprint = measure(nn.ModuleList(find_embeddings(model)))
    compact = model.compact_embeddings() if isinstance(model, CompactModel) else []
    tables = sum(each.num_embeddings * each.embedding_dim for each in compact)
    return {
        "method": getattr(options, "embedding_method", options.arch),
        "footprint": asdict(footprint),
        "lookup_values": tables or footprint.trained_values,
        "total_values": measure(model).trained_values,
        **_inner_size(compact),
        **_describe_codes(compact),
    }


def _inner_size(found: list[CompactEmbedding]) -> dict[str, int]:
    # A command may leave it to be solved for.
    name = found[0].config.free_size() if found else None
    if name is None or not name.endswith("_inter_dim"):
        return {}
    return {"inner_size": getattr(found[0].config, name)}


def _describe_codes(found: list[CompactEmbedding]) -> dict[str, int]:
    codes = [module for module in found if isinstance(module, CodesEmbedding)]
    sizes = [
        size_of(Shape.of(each.config), each.num_embeddings, each.embedding_dim)
        for each in codes
    ]
    return {"packed_bytes": sum(size.bytes for size in sizes)} if codes else {}


def read_scores(args: argparse.Namespace) -> dict[str, Any]:
    """Read what the test set was scored with, and keep headlines beside the record.

    Args:
        args: Options of this command.

    Returns:
        What alone-fairseq bleu said of translations; or for headlines, under ``rouge``,
        what alone-fairseq rouge said of each desired length.
    """
    test = args.run / "test"
    if args.headlines:
        names = sorted(args.headlines, key=by_name)
        return {"rouge": {name: read_rouge(test, name, args.output) for name in names}}
    score = json.loads((test / "bleu.json").read_text())
    first = ("bleu", "signature", "sentences", "test_set", "compound_split")
    return {name: score[name] for name in first}


def keep_translations(args: argparse.Namespace) -> dict[str, Any]:
    """Keep translations beside the record, where there are any.

    Args:
        args: Options of this command.

    Returns:
        What the record says of them.
    """
    if args.translations is None:
        return {}
    beside = args.output.with_suffix(f"{args.translations.suffix}.gz")
    return {"translations": write_translations(read_lines(args.translations), beside)}


def describe_start(run: Path) -> dict[str, Any]:
    """Describe the embedding that a training started from, where it had one.

    Args:
        run: Folder of the run.

    Returns:
        Under ``start`` what is known of the file, see :func:`saved.origin_of`.
    """
    start = run / "start.pt"
    return {"start": saved.origin_of(start)} if start.is_file() else {}


def make_record(args: argparse.Namespace) -> dict[str, Any]:
    """Put the whole record together.

    Args:
        args: Options of this command.

    Returns:
        All fields, in the order of results/README.md.
    """
    record = {
        "experiment": args.experiment,
        "row": args.row,
        "seed": args.seed,
        **measure_embeddings(args.run / "averaged.pt", args.data),
        **describe_training(args.run),
        "test": {
            **read_scores(args),
            "checkpoints_averaged": args.averaged,
            **keep_translations(args),
        },
        **describe_start(args.run),
        **describe_surroundings(),
        "data": {**checksums(args.data), **checksums_of_test_sets(args.test_data)},
        "notes": args.notes,
    }
    first = ("experiment", "row", "method", "seed", "test", "footprint")
    return {name: record[name] for name in (*first, *record)}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiment", required=True)
    parser.add_argument("--row", required=True)
    parser.add_argument("--seed", required=True, type=whole_number())
    parser.add_argument("--run", required=True, type=Path, help="folder of the run")
    parser.add_argument("--data", required=True, type=Path, help="prepared corpus")
    parser.add_argument(
        "--translations", type=Path, help="what was scored with BLEU, to be kept"
    )
    add = parser.add_argument
    add("--headlines", nargs="+", help="folders in RUN/test, one a desired length")
    add("--test-data", nargs="*", type=Path, default=[], help="other corpora scored on")
    parser.add_argument(
        "--averaged",
        required=True,
        type=whole_number(1),
        help="number of checkpoints averaged",
    )
    parser.add_argument("--notes", default="")
    parser.add_argument("--output", required=True, type=Path)
    return parser.parse_args()


def main() -> None:
    """Write the record; it appears whole or not at all."""
    args = parse_arguments()
    write_json(args.output, make_record(args))


if __name__ == "__main__":
    main()
