"""What output layers take: counted, and by the equations of Pappas et al. (2018)."""

import argparse
from argparse import Namespace

import pytest

from alone_experiments import params
from alone_experiments.output_layer_sizes import capacity, own_values
from alone_fairseq.errors import AloneError
from alone_fairseq.output import OUTPUT_LAYERS

# |V| = 32,000, d = d_h = 512, worked out by hand.
PAPER = {
    ("dense", None): 16_416_000,
    ("tied", None): 32_000,
    ("bilinear", None): 294_144,
    ("joint", 512): 556_288,
    ("joint", 2048): 2_129_152,
    ("joint", 4096): 4_226_304,
}


@pytest.mark.parametrize(("layer", "joint"), PAPER)
def test_capacities_of_the_paper(layer: str, joint: int | None) -> None:
    options = Namespace() if joint is None else Namespace(joint_dim=joint)
    size = (layer, options, 32_000, 512, 512)
    assert capacity(*size) == PAPER[layer, joint]
    # What is trained has no bias of V, and the joint layer two of d_j, which Eq. 16
    # leaves out.
    assert own_values(*size) + 32_000 - 2 * (joint or 0) == PAPER[layer, joint]


@pytest.mark.parametrize("structure", ["output", "context", "bilinear"])
def test_ablations_have_one_matrix(structure: str) -> None:
    options = Namespace(joint_structure=structure)
    assert own_values("joint", options, 100, 12, 10) == 120
    assert capacity("joint", options, 100, 12, 10) == 220


def run(*words: str) -> None:
    parser = argparse.ArgumentParser()
    params.add_arguments(parser)
    params.run(parser.parse_args(words))


def test_params_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--output-layer", "all", "--state-dim", "64", "--joint-dim", "32")
    run("--vocabulary", "1000", "--dim", "16", *flags)
    lines = {
        line.split()[0]: line.split()
        for line in capsys.readouterr().out.split("\n")
        if line
    }
    assert lines["joint"] == ["joint", "32", f"{16 * 32 + 32 * 64 + 64:,}", "3,560"]
    assert lines["bilinear"] == ["bilinear", "1,024", "2,024"]
    assert lines["tied"][-3:] == ["states", "of", "16"]
    assert {*OUTPUT_LAYERS} <= {*lines}


def test_bad_input() -> None:
    with pytest.raises(AloneError, match=r"'jont'.*did you mean 'joint'"):
        run("--output-layer", "jont")
    with pytest.raises(AloneError, match="--joint-dim must be at least 0, not -3"):
        run("--output-layer", "joint", "--joint-dim", "-3")
