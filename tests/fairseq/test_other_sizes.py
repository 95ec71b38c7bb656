"""A state of other sizes is refused in one line that names the flags."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from alone_fairseq.embeddings import AloneEmbedding, LowRankEmbedding
from alone_fairseq.errors import AloneError
from tests.fairseq.built_models import Built

OTHERS = {
    "inner size": (["--alone-inter-dim", 48], "-inter-dim=64", "--alone-inter-dim=48"),
    "D_o": (["--alone-base-dim", 16], "alone-base-dim=512", "--alone-base-dim=16"),
    "layers of ALONE": (["--alone-num-layers", 3], "-layers=2", "--alone-num-layers=3"),
    "own values": (["--alone-own-dim", 4], "own-dim=0", "--alone-own-dim=4"),
    "layers": (["--decoder-layers", 2], "--decoder-layers=1", "--decoder-layers=2"),
    "inner size of layers": (
        ["--encoder-ffn-embed-dim", 48],
        "--encoder-ffn-embed-dim=64",
        "--encoder-ffn-embed-dim=48",
    ),
    "vectors": (
        ["--encoder-embed-dim", 16, "--decoder-embed-dim", 16],
        "has --decoder-embed-dim=32, --encoder-embed-dim=32; the",
        "--encoder-embed-dim=16",
    ),
    "method": (
        ["--embedding-method", "lookup"],
        "has --embedding-method=alone; the",
        "has --embedding-method=lookup:",
    ),
}


@pytest.mark.parametrize("case", OTHERS)
def test_a_model_of_other_sizes(case: str, build: Callable[..., Built]) -> None:
    flags, theirs, mine = OTHERS[case]
    state = build().model.state_dict()
    other = build(*flags).model
    with pytest.raises(AloneError) as caught:
        other.load_state_dict(state)
    line = str(caught.value)
    assert theirs in line
    assert mine in line
    assert "\n" not in line
    # Nothing else is said to differ.
    assert line.count("=") == (4 if case == "vectors" else 2)


def test_a_model_of_other_ranks(build: Callable[..., Built]) -> None:
    low_rank = ("--embedding-method", "low_rank", "--low-rank-dim")
    state = build(*low_rank, 5).model.state_dict()
    with pytest.raises(AloneError, match=r"=5; the model has --low-rank-dim=7"):
        build(*low_rank, 7).model.load_state_dict(state)


def test_a_model_of_another_joint_space(build: Callable[..., Built]) -> None:
    joint = ("--output-layer", "joint", "--joint-dim")
    state = build(*joint, 24).model.state_dict()
    with pytest.raises(AloneError, match=r"has --joint-dim=24; .* --joint-dim=16:"):
        build(*joint, 16).model.load_state_dict(state)
    for states in ((state, ()), (build().model.state_dict(), (*joint, 24))):
        with pytest.raises(AloneError, match="--output-layer=joint") as caught:
            build(*states[1]).model.load_state_dict(states[0])
        assert "no --joint-dim, --output-layer=tied" in str(caught.value)


@pytest.mark.parametrize(
    ("theirs", "line"),
    [
        (["tied"], "the checkpoint has --output-layer=tied;"),
        (["dense"], "the checkpoint has --output-layer=dense;"),
        (["bilinear"], "the checkpoint has --output-layer=bilinear;"),
        (
            ["joint", "--joint-structure", "output"],
            "the checkpoint has --joint-structure=output, --output-layer=joint;",
        ),
    ],
)
def test_a_model_with_another_output_layer(
    theirs: list[str], line: str, build: Callable[..., Built]
) -> None:
    mine = "dense" if theirs == ["tied"] else "tied"
    state = build("--output-layer", *theirs).model.state_dict()
    with pytest.raises(AloneError) as caught:
        build("--output-layer", mine).model.load_state_dict(state)
    assert line in str(caught.value)
    assert f"--output-layer={mine}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_no_flag_explains_is_said_by_torch(build: Callable[..., Built]) -> None:
    state: dict[str, Any] = build().model.state_dict()
    del state["encoder.layers.0.fc1.bias"]
    with pytest.raises(RuntimeError, match="Missing key"):
        build().model.load_state_dict(state)


def test_an_embedding_by_itself() -> None:
    small, large = (AloneEmbedding(20, 8, alone_inter_dim=h) for h in (5, 6))
    with pytest.raises(AloneError, match=r"=5; the model has --alone-inter-dim=6"):
        large.load_state_dict(small.state_dict())
    ranks = [LowRankEmbedding(20, 8, low_rank_dim=r) for r in (2, 3)]
    with pytest.raises(AloneError, match=r"=2; the model has --low-rank-dim=3"):
        ranks[1].load_state_dict(ranks[0].state_dict())


def test_a_part_of_a_state_can_be_loaded() -> None:
    made = AloneEmbedding(20, 8, alone_inter_dim=5)
    part = {n: t for n, t in made.state_dict().items() if not n.startswith("layers.1")}
    del part["base"]
    other = AloneEmbedding(20, 8, alone_inter_dim=5)
    other.load_state_dict(
        {"description_version": part["description_version"]}, strict=False
    )
    assert not torch.equal(other.layers[0].weight, made.layers[0].weight)
