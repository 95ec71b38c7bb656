"""What a model says of its size, and sizes that follow from a share of look-up."""

import logging
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alone_fairseq.errors import AloneError
from alone_fairseq.size_report import describe, warn
from tests.fairseq.built_models import Built
from tests.fairseq.commands import Done

Build = Callable[..., Built]
WORDS = 34  # 30 and four special symbols
DIM = 32


@pytest.fixture
def started(build: Build, caplog: pytest.LogCaptureFixture) -> Callable[..., Any]:
    """A function that starts to train a model, and gives what is logged of its size."""

    def run(*flags: object, **data: Path) -> list[logging.LogRecord]:
        model = build(*flags, **data).model
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="alone_fairseq.size_report"):
            for training in (False, True, False, True):
                model.train(training)
        return list(caplog.records)

    return run


def test_one_line_a_training(started: Callable[..., Any]) -> None:
    (line,) = started("--alone-inter-dim", 1, "--alone-base-dim", 32)
    assert line.levelname == "INFO"
    assert (
        f"embedding (alone): 96 trained values, {96 / (WORDS * DIM):.1%} of the"
        f" {WORDS * DIM:,} of look-up, " in line.getMessage()
    )
    assert line.getMessage().endswith("; source and target and softmax 96")


def test_what_saves_nothing_is_told(started: Callable[..., Any]) -> None:
    line, warning = started("--alone-inter-dim", 64)
    assert "3,306.3%" not in line.getMessage()
    assert warning.levelname == "WARNING"
    # (34 * 32 / 2 - 512) / (512 + 32) is 0: D_o = 512 takes too much.
    assert "no --alone-inter-dim would be half of it" in warning.getMessage()
    _, warning = started("--alone-inter-dim", 64, "--alone-base-dim", 32)
    half = (WORDS * DIM // 2 - 32) // 64
    assert f"--alone-inter-dim {half} would be half of it" in warning.getMessage()


@pytest.mark.parametrize("method", ["lookup", "random"])
def test_a_method_without_a_size_is_not_warned_of(method: str, build: Build) -> None:
    assert warn(build("--embedding-method", method).model) is None


def test_the_size_for_these_spellings(
    build: Build, started: Callable[..., Any], tmp_path: Path
) -> None:
    """Words of two Chinese characters, of which there are more than in the paper."""
    first, count = 0x4E00, 300
    words = [chr(first + n) + chr(first + (n + 1) % count) for n in range(count)]
    text = "".join(f"{word} {1000 - n}\n" for n, word in enumerate(words))
    for language in "ab":
        (tmp_path / f"dict.{language}.txt").write_text(text, encoding="utf-8")
    flags = ("--embedding-method", "characters", "--characters-dim")
    half = build(*flags, "auto:0.5", data=tmp_path).args.characters_dim
    _, warning = started(*flags, 64, data=tmp_path)
    assert f"--characters-dim {half} would be half of it" in warning.getMessage()


def test_every_side_counts(build: Build) -> None:
    low_rank = ("separate", "--embedding-method", "low_rank", "--low-rank-dim", 2)
    model = build(*low_rank).model
    source, target = 2 * (34 + 32), 2 * (25 + 32)
    assert describe(model).endswith(
        f"; source {source}, target {target}, softmax {25 * 32:,} more of its own"
    )
    assert f": {source + target} trained values" in describe(model)
    biased = build(*low_rank, "--softmax-bias", "trained").model
    assert describe(biased).endswith(f", softmax {25 * 32 + 25:,} more of its own")
    tied = build(*low_rank, "--share-decoder-input-output-embed").model
    assert describe(tied).endswith(f"; source {source}, target and softmax {target}")


@pytest.mark.parametrize("words", [[], ["separate"], ["untied"]])
@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_auto_is_a_share_of_all_tables(
    words: list[str], share: float, build: Build
) -> None:
    flags = ("--embedding-method", "low_rank", "--low-rank-dim", f"auto:{share}")
    built = build(*words, *flags)
    tables = [e for e, _ in built.model.sides().values()]
    tables = list(dict.fromkeys(tables))
    whole = sum(e.num_embeddings * DIM for e in tables)
    step = sum(e.num_embeddings + DIM for e in tables)
    rank = built.args.low_rank_dim
    assert rank == int(share * whole) // step
    assert all(e.narrow.size(1) == rank for e in tables)


def test_what_cannot_be_is_refused(build: Build) -> None:
    with pytest.raises(AloneError, match=r"--alone-inter-dim auto:0\.1: every size"):
        build("--alone-inter-dim", "auto:0.1")
    with pytest.raises(AloneError, match="did you mean 'alone'"):
        build("--embedding-method", "alnoe", "--alone-inter-dim", "auto:0.5")


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    "size",
    ["toy", "multi30k", "tatoeba_en_de", "reuters_headlines", "acl_titles", "small"],
)
@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("alone", "alone_inter_dim"),
        ("low_rank", "low_rank_dim"),
        ("hashed", "hashed_buckets"),
        ("define", "define_input_dim"),
        ("deep_hash", "deep_hash_inter_dim"),
    ],
)
def test_small_presets_are_half(size: str, method: str, option: str) -> None:
    from fairseq.models import ARCH_CONFIG_REGISTRY

    from alone_fairseq.embeddings import TableSize, build
    from alone_fairseq.model_parts import resolve_sizes

    args = Namespace(share_all_embeddings=True)
    ARCH_CONFIG_REGISTRY[f"transformer_{method}_{size}"](args)
    words = [str(number) for number in range(5000)]
    table = TableSize(5000, args.encoder_embed_dim, symbols=words)
    resolve_sizes(args, [table])
    assert isinstance(getattr(args, option), int)
    made = build(method, args, table).footprint().trained_values
    assert 0.485 < made / (5000 * args.encoder_embed_dim) <= 0.5


@pytest.mark.slow
def test_a_checkpoint_has_the_number(
    train: Callable[..., Done],
    run_command: Callable[..., Done],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tiny_data: Path,
    tmp_path: Path,
) -> None:
    flags = ("--arch", "transformer_low_rank_toy", "--low-rank-dim", "auto:0.4")
    done = train(tmp_path, *flags, "--max-update", 2)
    rank = int(0.4 * 48 * 32) // (48 + 32)
    assert done.stdout.count("embedding (low_rank): ") == 1
    assert f"{rank * (48 + 32):,} trained values" in done.stdout
    file = tmp_path / "checkpoint_last.pt"
    state = read_checkpoint(file)
    assert state["cfg"]["model"].low_rank_dim == rank
    assert state["model"]["encoder.embed_tokens.narrow"].shape == (48, rank)
    # The same flags carry on; and the checkpoint itself says what it is.
    again = train(tmp_path, *flags, "--max-update", 4)
    assert "@ 2 updates" in again.stdout
    done = run_command("generate", tiny_data, "--path", file, "--max-len-b", 5)
    assert "Translated 101 sentences" in done.stdout
    assert "trained values" not in done.stdout
