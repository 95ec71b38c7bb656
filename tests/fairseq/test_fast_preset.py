"""The presets ``..._small``: a method with the options that make it learn fast."""

from argparse import Namespace
from pathlib import Path

import pytest

from alone_experiments.training.experiment import read_flags
from alone_fairseq.embeddings import EMBEDDINGS

pytestmark = pytest.mark.usefixtures("plugin")

ROWS = "configs/multi30k_cpu"


def parse(*words: str) -> Namespace:
    from fairseq import options

    parser = options.get_training_parser()
    return options.parse_args_and_arch(parser, ["data-bin", *words])


@pytest.mark.parametrize(
    ("row", "own"),
    [
        (
            "alone_real_half_hidden",
            ["--alone-filter", "real", "--alone-inter-dim", "482"],
        ),
        (
            "alone_binary_half_hidden",
            ["--alone-filter", "binary", "--alone-inter-dim", "482"],
        ),
        ("low_rank_half_hidden", ["--low-rank-dim", "64"]),
        ("define_half_hidden", ["--define-input-dim", "57"]),
        ("characters_half_hidden", ["--characters-dim", "187"]),
        ("lookup_hidden", []),
    ],
)
def test_they_are_the_models_of_the_rows(
    row: str, own: list[str], repo_root: Path
) -> None:
    flags = read_flags(repo_root / ROWS / f"{row}.flags")
    measured = vars(parse(*flags))
    method = measured["embedding_method"]
    at = flags.index("--optimizer")
    preset = ["--arch", f"transformer_{method}_small", "--share-all-embeddings"]
    made = vars(parse(*preset, *own, *flags[at:]))
    assert made.pop("arch") != measured.pop("arch")
    assert made == measured


@pytest.mark.parametrize("method", list(EMBEDDINGS))
def test_word_frequencies_are_for_all_but_the_controls(method: str) -> None:
    args = parse("--arch", f"transformer_{method}_small")
    bias = getattr(args, "softmax_bias", "none")
    assert bias == ("none" if method in {"lookup", "random"} else "unigram")


def test_what_is_given_stays() -> None:
    given = ("--alone-own-dim", "0", "--softmax-bias", "none")
    args = parse("--arch", "transformer_alone_small", *given)
    assert args.alone_own_dim == 0
    assert args.softmax_bias == "none"
    assert args.alone_centre


def test_another_method_has_its_own_options() -> None:
    args = parse("--arch", "transformer_alone_small", "--embedding-method", "lookup")
    assert getattr(args, "softmax_bias", "none") == "none"
    assert not hasattr(args, "alone_own_dim")
    args = parse("--arch", "transformer_lookup_small", "--embedding-method", "low_rank")
    assert args.low_rank_start == "steps"


def test_the_other_presets_learn_as_published() -> None:
    for size in ("multi30k", "toy", "wmt_en_de"):
        args = parse("--arch", f"transformer_alone_{size}")
        for name in ("softmax_bias", "alone_centre", "alone_own_dim"):
            assert not hasattr(args, name)
