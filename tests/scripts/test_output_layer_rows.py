"""configs/output_layers*: every row has the paper's size, trains and translates."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from fairseq.sequence_generator import SequenceGenerator

from alone_experiments.output_layer_sizes import own_values
from alone_experiments.params import method_footprint
from alone_experiments.results.record_result import describe_embeddings
from alone_experiments.training.experiment import read_flags, rows_of
from alone_fairseq.embeddings import TableSize
from alone_fairseq.output import chosen_output_layer
from tests.fairseq.built_models import (
    Built,
    build_from,
    make_batch,
    train,
    write_dictionaries,
)

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = (
    *("output_layers", "output_layers_lstm"),
    *("output_layers_tatoeba", "output_layers_lstm_tatoeba"),
)
FOLDERS = [ROOT / "configs" / name for name in EXPERIMENTS]
ROWS = [folder / f"{row}.flags" for folder in FOLDERS for row in rows_of(folder)]
SAMPLED = [row for row in ROWS if "_sampled_" in row.stem]
WORDS = 500  # so that 5 % are more than the target words of a batch
V, D = WORDS + 4, 128

# What a layer has of its own but the bias of |V|, with d = d_h = D: Pappas et al.
# (2018), Eq. 8 to 10; of joint layers Eq. 16, and the biases of the two maps.
OWN = {
    "tied": 0,
    "shared": 0,
    "lookup": 0,
    "dense": V * D,
    "bilinear": D * D,
    "output": D * D,
    "context": D * D,
    "joint": 2 * D * 512 + 2 * 512,
    "128": 2 * D * 128 + 2 * 128,
    "512": 2 * D * 512 + 2 * 512,
    "1024": 2 * D * 1024 + 2 * 1024,
}


def values_of_alone(row: Path) -> int:
    """Count o of 512, two matrices, and values of each word with their matrix."""
    inner, own = (496 if "tatoeba" in row.parent.name else 482), 32
    if row.stem.endswith("_shared"):
        inner, own = 978, 0
    return 512 + 512 * inner + inner * D + V * own + own * D


def row_id(row: Path) -> str:
    return f"{row.parent.name}-{row.stem}"


@pytest.fixture(scope="session")
def dictionaries_of_many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dictionaries(tmp_path_factory.mktemp("words"), (WORDS, WORDS))


@pytest.fixture
def build_row(plugin: None, dictionaries_of_many: Path) -> Callable[..., Built]:
    """A function from a row to what fairseq-train builds, with small dictionaries."""
    del plugin

    def run(row: Path) -> Built:
        flags = [*read_flags(row.parent / "recipe.flags"), *read_flags(row)]
        small = shlex.split("--source-lang a --target-lang b --cpu --dropout 0")
        small += ["--lr", "0.001", "--warmup-updates", "1"]
        return build_from([str(dictionaries_of_many), *flags, *small])

    return run


def test_the_layers_and_ablations_of_the_paper_are_there() -> None:
    for folder in FOLDERS:
        names = {row.stem for row in ROWS if row.parent == folder}
        assert {"lookup", "dense", "bilinear", "joint_output", "joint_context"} <= names
        assert {"joint_128", "joint_512", "joint_1024"} <= names
        assert {"alone_real_tied", "alone_real_joint"} <= names


@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_a_record_and_params_give_the_sizes_of_the_paper(
    row: Path, build_row: Callable[..., Built]
) -> None:
    built = build_row(row)
    options = built.args
    table = values_of_alone(row) if "alone" in row.stem else V * D
    layer = row.stem.split("_sampled_")[0].split("_")[-1]
    own = OWN[layer] + V
    record = describe_embeddings(built.model, options)
    assert record["footprint"]["trained_values"] == table + own
    assert record["lookup_values"] == V * D
    embedding = method_footprint(record["method"], options, [TableSize(V, D)])
    name = chosen_output_layer(options)
    assert embedding.trained_values + own_values(name, options, V, D, D) == table + own
    # Beside the values, a checkpoint has the description of the embedding, once, and
    # that of an output layer whose shapes do not tell which one it is.
    (embedded,) = built.model.compact_embeddings()
    described = sum(
        values.nbytes
        for key, values in built.model.state_dict().items()
        if key.endswith("output_projection.description_version")
    )
    assert bool(described) == (name in ("joint", "bilinear"))
    stored = embedded.footprint().stored_bytes + 4 * own + described
    assert record["footprint"]["stored_bytes"] == stored


@pytest.mark.parametrize("row", SAMPLED, ids=row_id)
def test_a_sample_has_its_share_of_the_words(
    row: Path, build_row: Callable[..., Built]
) -> None:
    built = build_row(row)
    share = int(row.stem.split("_sampled_")[1].partition("_")[0])
    batch = make_batch(built.task)
    target = batch["target"].unique()
    words, *_ = built.criterion.draw(target, 0)
    assert len(target) < len(words) == len(words.unique()) == V * share // 100
    # Fewer words in the softmax make a right word likelier, in training only.
    losses = {}
    for training in (True, False):
        *_, logged = built.criterion(built.model.train(training), batch)
        losses[training] = float(logged["nll_loss"])
    assert losses[True] < losses[False]


# Those of the other corpus differ in nothing that shows here.
@pytest.mark.slow
@pytest.mark.parametrize(
    "row", [row for row in ROWS if "tatoeba" not in row.parent.name], ids=row_id
)
def test_it_trains_and_translates(row: Path, build_row: Callable[..., Built]) -> None:
    built = build_row(row)
    losses = train(built, 4)
    assert losses[-1] < losses[0]
    built.model.eval()
    dictionary = built.task.target_dictionary
    generator = SequenceGenerator([built.model], dictionary, beam_size=5, max_len_b=5)
    assert len(generator.generate([built.model], make_batch(built.task))) == 2
