"""Options that cannot work are refused before any data is read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fairseq.data import Dictionary

from tests.fairseq.built_models import Built

REFUSED = {
    "encoder vectors": (["--encoder-embed-path", "x.vec"], "--encoder-embed-path"),
    "decoder vectors": (["--decoder-embed-path", "x.vec"], "--decoder-embed-path"),
    "adaptive softmax": (["--adaptive-softmax-cutoff", "10,20"], "--adaptive-softmax"),
    "adaptive input": (["--adaptive-input"], "--adaptive-input"),
    "adaptive weights": (["--tie-adaptive-weights"], "--tie-adaptive-weights"),
    "base layers": (["--base-layers", 1], "--base-layers"),
    "two sizes": (["--decoder-embed-dim", 48], "--decoder-embed-dim"),
    "output size": (["--decoder-output-dim", 48], "--decoder-output-dim"),
    "no output": (["--decoder-output-dim", 0], "--decoder-output-dim"),
    "no inner layer": (["--encoder-ffn-embed-dim", 0], "--encoder-ffn-embed-dim"),
    "no heads": (["--decoder-attention-heads", 0], "--decoder-attention-heads"),
    "heads that do not fit": (["--encoder-attention-heads", 3], "--encoder-attention"),
    "merged": (["--merge-src-tgt-embed"], "--merge-src-tgt-embed"),
    "noise of scalars": (["--quant-noise-scalar", 0.1], "--quant-noise-scalar"),
    "sharded": (["--ddp-backend", "fully_sharded"], "--ddp-backend"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_refused_before_data_are_read(case: str, build: Callable[..., Built]) -> None:
    """The folders of these tests hold dictionaries and no data."""
    from alone_fairseq.errors import AloneError

    flags, name = REFUSED[case]
    with pytest.raises(AloneError) as caught:
        build(*flags)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_output_size_that_is_the_embeddings(build: Callable[..., Built]) -> None:
    model = build("--decoder-output-dim", 32).model
    assert model.decoder.output_projection.embedding is model.decoder.embed_tokens


FOREIGN = [
    (["--low-rank-dim", 7], "--low-rank-dim belongs to --embedding-method low_rank,"),
    (["--hashed-append-weights"], "--hashed-append-weights belongs to"),
    (["--low-rank-dim", "auto:0.3"], "--low-rank-dim belongs to"),
    (
        ["--embedding-method", "lookup", "--alone-seed", 2],
        "and the model has lookup: name that method, or remove the flag",
    ),
    (
        [
            *("--arch", "transformer_compact", "--embedding-method", "lookup"),
            *("--alone-inter-dim", "auto:0.5"),
        ],
        "--alone-inter-dim belongs to",
    ),
]


@pytest.mark.parametrize(("flags", "line"), FOREIGN, ids=str)
def test_options_of_another_method(
    flags: list[object], line: str, build: Callable[..., Built]
) -> None:
    from alone_fairseq.errors import AloneError

    with pytest.raises(AloneError, match=line) as caught:
        build(*flags)
    assert "\n" not in str(caught.value)


def test_the_loss_of_an_adaptive_softmax(build: Callable[..., Built]) -> None:
    from alone_fairseq.errors import AloneError

    built = build()
    # The recipe of these tests has a flag that this loss does not know.
    built.args.criterion = "adaptive_loss"
    with pytest.raises(AloneError, match="another --criterion than adaptive_loss"):
        built.task.build_model(built.args)


@pytest.mark.parametrize("method", ["low_rank", "codes", "lookup"])
def test_what_presets_fill_in_is_not_refused(
    method: str, build: Callable[..., Built]
) -> None:
    """Those of other methods neither, also in the options of an old model."""
    arch = "transformer_alone_multi30k"
    built = build("--arch", arch, "--embedding-method", method)
    # A preset's number of an older version.
    built.cfg.model.alone_inter_dim = 978
    built.cfg.model.hashed_buckets = 31
    again = built.task.build_model(built.cfg.model)
    again.load_state_dict(built.model.state_dict())


def test_different_dictionaries_are_not_shared(
    build: Callable[..., Built], dictionaries: dict[str, Path]
) -> None:
    from alone_fairseq.errors import AloneError

    assert Dictionary.load(str(dictionaries["separate"] / "dict.a.txt")) != (
        Dictionary.load(str(dictionaries["separate"] / "dict.b.txt"))
    )
    with pytest.raises(AloneError, match="--joined-dictionary"):
        build("separate", "--share-all-embeddings")


@pytest.mark.slow
@pytest.mark.parametrize("case", list(REFUSED))
def test_training_refuses_in_one_line(
    case: str,
    train_with: Callable[..., Any],
) -> None:
    flags, name = REFUSED[case]
    train_with(*flags).assert_refused(name)


@pytest.fixture
def train_with(
    run_command: Callable[..., Any],
    recipe: list[str],
    dictionaries: dict[str, Path],
    tmp_path: Path,
) -> Callable[..., Any]:
    """A function that starts fairseq-train where there are no data."""

    def run(*flags: object) -> Any:
        words = (dictionaries["joint"], *recipe, "--save-dir", tmp_path, *flags)
        return run_command("train", *words, check=False)

    return run
