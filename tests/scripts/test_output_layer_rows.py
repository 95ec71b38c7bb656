"""configs/output_layers*: every row trains and translates."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from fairseq.sequence_generator import SequenceGenerator

from alone_experiments.results.record_result import describe_embeddings
from alone_experiments.training.experiment import read_flags, rows_of
from tests.fairseq.built_models import (  # noqa: F401 (a fixture)
    Built,
    build_from,
    dictionaries,
    make_batch,
    train,
)

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ("output_layers", "output_layers_lstm")
FOLDERS = [ROOT / "configs" / name for name in EXPERIMENTS]
ROWS = [folder / f"{row}.flags" for folder in FOLDERS for row in rows_of(folder)]


def row_id(row: Path) -> str:
    return f"{row.parent.name}-{row.stem}"


@pytest.fixture
def build_row(plugin: None, dictionaries: dict[str, Path]) -> Callable[..., Built]:  # noqa: F811
    """A function from a row to what fairseq-train builds, with small dictionaries."""
    del plugin

    def run(row: Path) -> Built:
        flags = [*read_flags(row.parent / "recipe.flags"), *read_flags(row)]
        small = shlex.split("--source-lang a --target-lang b --cpu --dropout 0")
        small += ["--lr", "0.001", "--warmup-updates", "1"]
        return build_from([str(dictionaries["joint"]), *flags, *small])

    return run


def test_the_layers_and_ablations_of_the_paper_are_there() -> None:
    for folder in FOLDERS:
        names = {row.stem for row in ROWS if row.parent == folder}
        assert {"lookup", "dense", "bilinear", "joint_output", "joint_context"} <= names
        assert {"joint_128", "joint_512", "joint_1024"} <= names
        assert {"alone_real_tied", "alone_real_joint"} <= names


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_it_trains_and_translates(row: Path, build_row: Callable[..., Built]) -> None:
    built = build_row(row)
    losses = train(built, 4)
    assert losses[-1] < losses[0]
    built.model.eval()
    dictionary = built.task.target_dictionary
    generator = SequenceGenerator([built.model], dictionary, beam_size=5, max_len_b=5)
    assert len(generator.generate([built.model], make_batch(built.task))) == 2
    values = describe_embeddings(built.model, built.cfg.model)["footprint"]
    vocabulary, dim = len(dictionary), 128
    table = vocabulary * (dim + 1)  # with the bias of the softmax
    if "alone" not in row.stem:
        dense = "dense" in row.stem
        assert values["trained_values"] == table + (vocabulary * dim if dense else 0)
