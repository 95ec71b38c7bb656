"""Presets with the options that make a method learn: ALONE's, and ``..._small``."""

import re
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


LEARNS = {
    "softmax_bias": "unigram",
    "alone_centre": True,
    "alone_initial_scale": "lookup_layer",
}
OF_SMALL = {**LEARNS, "alone_own_dim": 32, "alone_relu_dropout": 0.0}


def presets_of_alone() -> list[str]:
    from fairseq.models import ARCH_CONFIG_REGISTRY

    family = "(transformer|transformer_lm|lstm|fconv)"
    return [x for x in ARCH_CONFIG_REGISTRY if re.match(f"{family}_alone_", x)]


def test_every_preset_of_alone_has_what_learns_and_one_as_published() -> None:
    names = presets_of_alone()
    assert len(names) > 30
    for name in names:
        args = vars(parse("--arch", name))
        found = {x: args[x] for x in OF_SMALL if x in args}
        large = name.endswith(("_wmt_en_de", "_iwslt_de_en", "_gigaword", "_base"))
        if name.endswith("_published"):
            assert found == {}
        else:
            assert found == (LEARNS if large else OF_SMALL)
            assert name.endswith("_small") or f"{name}_published" in names


def test_they_differ_in_nothing_else() -> None:
    for name in presets_of_alone():
        if name.endswith("_published"):
            published = vars(parse("--arch", name))
            args = vars(parse("--arch", name.removesuffix("_published")))
            both = args.keys() | published.keys()
            assert {x for x in both if args.get(x) != published.get(x)} == {
                "arch",
                *(x for x in OF_SMALL if x in args),
            }


def test_other_methods_learn_as_published() -> None:
    for method in EMBEDDINGS:
        if method != "alone":
            args = parse("--arch", f"transformer_{method}_multi30k")
            assert getattr(args, "softmax_bias", "none") == "none"


def test_another_method_than_that_of_the_published_preset() -> None:
    arch = "transformer_alone_multi30k_published"
    args = parse("--arch", arch, "--embedding-method", "low_rank")
    assert args.low_rank_dim == "auto:0.5"


def test_a_model_older_than_an_option_is_left_alone() -> None:
    """fairseq runs the preset on the options of a checkpoint, too."""
    from fairseq.models import ARCH_CONFIG_REGISTRY

    for arch in ("transformer_alone_toy", "transformer_alone_small"):
        args = Namespace(_name=arch, arch=arch, embedding_method="alone")
        ARCH_CONFIG_REGISTRY[arch](args)
        assert not {*OF_SMALL} & {*vars(args)}
