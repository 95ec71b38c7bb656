"""From word vectors to a translation model."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fairseq.data import Dictionary

import alone_fairseq
from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.reconstruction.target_arguments import load_dictionary
from alone_experiments.word_vectors.vectors import VectorFile
from alone_fairseq.embeddings import TableSize
from alone_fairseq.embeddings import build as build_embedding
from alone_fairseq.errors import AloneError
from alone_fairseq.initial_values import initialise
from tests.fairseq.built_models import Built
from tests.fairseq.commands import Done, Running

PACKAGE = Path(alone_fairseq.__file__).resolve().parents[1]
DIM = 32
ALONE = ("--alone-inter-dim", 64, "--alone-base-dim", 512)
QUICK = ("--epochs", 40, "--batch-size", 8)


def reconstruct(*arguments: object) -> None:
    cli.main(["reconstruct", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of some words of the dictionaries, and of others."""
    path = tmp_path_factory.mktemp("vectors") / "given.vec"
    values = np.random.default_rng(1).normal(size=(25, DIM))
    lines = (
        f"w{n} {' '.join(map(repr, row.tolist()))}" for n, row in enumerate(values)
    )
    path.write_text("other " + " ".join(["0.5"] * DIM) + "\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def made(
    vectors: Path, dictionaries: dict[str, Path], tmp_path_factory: Any
) -> Callable[..., Path]:
    """A function that fits the rows of a dictionary."""

    def run(dictionary: str, *flags: object) -> Path:
        output: Path = tmp_path_factory.mktemp("made") / "made.pt"
        file = dictionaries[dictionary[:-2]] / f"dict.{dictionary[-1]}.txt"
        reconstruct(vectors, "--dictionary", file, "--output", output, *QUICK, *flags)
        return output

    return run


@pytest.fixture(scope="session")
def joint(made: Callable[..., Path]) -> Path:
    return made("joint.a", *ALONE)


def test_rows_follow_the_dictionary(joint: Path, vectors: Path) -> None:
    found = saved.load(joint)
    assert found.symbols[:5] == ["<s>", "<pad>", "</s>", "<unk>", "w0"]
    assert found.fitted == list(range(4, 29))
    table = found.embedding.table().detach().numpy()
    given = VectorFile(vectors).read()
    rows = np.stack(
        [given.vectors[given.exact[found.symbols[r]]] for r in range(4, 29)]
    )
    scaled = rows * DIM**-0.5 / rows.std()
    assert np.linalg.norm(table[4:29] - scaled) < 0.6 * np.linalg.norm(scaled)


def test_training_starts_from_the_reconstruction(
    joint: Path, build: Callable[..., Built]
) -> None:
    built = build("--alone-init", joint)
    expected = saved.load(joint).embedding
    found = built.model.encoder.embed_tokens
    assert torch.equal(found.table(), expected.table())
    assert built.model.decoder.embed_tokens is found
    # A checkpoint must not ask for the file.
    assert built.args.embedding_init is None
    assert built.args.embedding_initialised_from == str(joint)


def test_values_that_would_be_lost_are_refused() -> None:
    args = Namespace(embedding_init="a.pt", finetune_from_model="b.pt")
    with pytest.raises(AloneError, match=r"--embedding-init would be lost.*remove one"):
        initialise(None, args)


@pytest.mark.slow
def test_two_dictionaries_take_two_files(
    made: Callable[..., Path], build: Callable[..., Built]
) -> None:
    first, second = made("separate.a", *ALONE), made("separate.b", *ALONE)
    model = build("separate", "--embedding-init", f"{second}:{first}").model
    for side, file in ((model.encoder, first), (model.decoder, second)):
        expected = saved.load(file).embedding.table()
        assert torch.equal(side.embed_tokens.table(), expected)
    alone = build("separate", "--embedding-init", first).model
    assert not torch.equal(alone.decoder.embed_tokens.table(), expected)
    with pytest.raises(AloneError, match="the source embedding starts from"):
        build("separate", "--embedding-init", f"{first}:{first}")


@pytest.mark.slow
def test_any_method_can_be_initialised(
    made: Callable[..., Path], build: Callable[..., Built]
) -> None:
    low_rank = ("--embedding-method", "low_rank", "--low-rank-dim", 16)
    file = made("joint.a", *low_rank)
    model = build(*low_rank, "--embedding-init", file).model
    assert torch.equal(
        model.encoder.embed_tokens.table(), saved.load(file).embedding.table()
    )


def stand_in(method: str, dim: int, dictionary: Dictionary, **changes: Any) -> Any:
    """Make as much of a model as the bridge looks at."""
    given = {"alone_inter_dim": 64, "alone_base_dim": 512, **changes}
    size = TableSize(len(dictionary), dim, 1)
    embedding = build_embedding(method, Namespace(**given), size)
    sides = dict.fromkeys(("source", "target"), (embedding, dictionary))
    return Namespace(sides=lambda: sides)


@pytest.mark.parametrize(
    ("method", "dim", "changes", "words"),
    [
        (
            "alone",
            DIM,
            {"alone_seed": 2},
            "--alone-seed=1; the model has --alone-seed=2",
        ),
        (
            "alone",
            DIM,
            {"alone_filter": "binary"},
            "the model has --alone-filter=binary",
        ),
        (
            "alone",
            DIM,
            {"alone_base_dim": 64},
            "has --alone-base-dim=64: give the flags",
        ),
        ("alone", DIM, {"alone_inter_dim": 8}, "--alone-inter-dim=64; the model has"),
        ("lookup", DIM, {}, "the model has --embedding-method=lookup"),
        ("alone", 48, {}, "have 32 values, the model's 48: set --encoder-embed-dim"),
    ],
)
def test_another_model_is_refused(
    method: str, dim: int, changes: dict[str, Any], words: str, joint: Path,
    dictionaries: dict[str, Path],
) -> None:  # fmt: skip
    dictionary = Dictionary.load(str(dictionaries["joint"] / "dict.a.txt"))
    model = stand_in(method, dim, dictionary, **changes)
    with pytest.raises(AloneError) as caught:
        initialise(model, Namespace(embedding_init=str(joint)))
    assert words in str(caught.value)
    assert f"--embedding-init {joint}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda symbols: symbols[:-1], "has 33 symbols, the file's 34"),
        (
            lambda symbols: [*symbols[:-1], "x"],
            "has 'x' as symbol 33, the file's 'w29'",
        ),
    ],
)
def test_another_dictionary_is_refused(
    change: Callable[[list[str]], list[str]], words: str, joint: Path,
    dictionaries: dict[str, Path],
) -> None:  # fmt: skip
    dictionary = Dictionary.load(str(dictionaries["joint"] / "dict.a.txt"))
    model = stand_in("alone", DIM, dictionary)
    dictionary.symbols = change(dictionary.symbols)
    with pytest.raises(AloneError, match=f"source dictionary {words}"):
        initialise(model, Namespace(embedding_init=str(joint)))


def test_a_file_of_another_kind_is_refused(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    torch.save({"model": {}}, tmp_path / "a.pt")
    with pytest.raises(AloneError, match="is no reconstruction; make one with"):
        build("--alone-init", tmp_path / "a.pt")
    with pytest.raises(AloneError, match="no such file"):
        build("--alone-init", tmp_path / "b.pt")


def test_vectors_of_a_reconstruction_are_scored(
    joint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs").write_text("w0 w1 1\nw2 w3 2\nw4 W5 3\nw4 other 3\n")
    words = ["similarity", joint, "--pairs", tmp_path / "pairs"]
    cli.main([str(word) for word in words])
    shown = capsys.readouterr().out.splitlines()[1].split()
    made = saved.load(joint).word_vectors()
    units = made.vectors / np.linalg.norm(made.vectors, axis=1, keepdims=True)
    pairs = [("w0", "w1"), ("w2", "w3"), ("w4", "w5")]
    cosines = [units[made.exact[a]] @ units[made.exact[b]] for a, b in pairs]
    rho = np.corrcoef(np.argsort(np.argsort(cosines)), [0, 1, 2])[0, 1]
    assert shown == ["pairs", f"{rho:.3f}", "3", "4"]


@pytest.mark.slow
def test_kill_and_the_same_command_again(
    vectors: Path, start: Callable[..., Running], tmp_path: Path
) -> None:
    path = f"import sys; sys.path.insert(0, {str(PACKAGE)!r})"
    code = f"{path}\nfrom alone_experiments.cli import command\ncommand()\n"

    def begin(output: Path) -> Running:
        flags = ("--words", 20, "--epochs", 200, "--batch-size", 8, *ALONE)
        saving = ("--save-interval", 20, "--output", output)
        return start(code, "reconstruct", vectors, *flags, *saving)

    whole, cut = tmp_path / "whole.pt", tmp_path / "cut.pt"
    unfinished = tmp_path / "cut.pt.unfinished"
    running = begin(cut)
    running.await_that(lambda: unfinished.exists() and epoch_of(unfinished) >= 40)
    running.kill()
    assert not cut.exists()
    done = begin(cut).wait()
    assert done.returncode == 0, str(done)
    assert "carrying on after epoch" in done.stdout
    assert begin(whole).wait().returncode == 0
    assert saved.load(cut).facts["loss"] == saved.load(whole).facts["loss"]
    assert not unfinished.exists()


def epoch_of(unfinished: Path) -> int:
    epoch: int = saved.read(unfinished)["fit"]["epoch"]
    return epoch


@pytest.mark.slow
def test_train_generate_and_go_on_without_the_file(
    joint_file: Path, train: Callable[..., Done], run_command: Any, tiny_data: Path,
    tmp_path: Path, read_checkpoint: Callable[[Path], dict[str, Any]],
) -> None:  # fmt: skip
    folder = tmp_path / "run"
    flags = ("--alone-init", joint_file, "--alone-base-dim", 512, "--lr", 1e-9)
    done = train(folder, *flags, "--max-update", 2)
    assert f"source embedding: initial values from {joint_file}" in done.stdout
    trained = read_checkpoint(folder / "checkpoint_last.pt")["model"]
    start = saved.load(joint_file).embedding.state_dict()
    torch.testing.assert_close(
        trained["encoder.embed_tokens.base"], start["base"], rtol=1e-3, atol=1e-5
    )
    joint_file.unlink()
    translated = run_command(
        *("generate", tiny_data, "--path", folder / "checkpoint_last.pt"),
        *("--source-lang", "a", "--target-lang", "b", "--cpu", "--quiet"),
    )
    assert "Translated 101 sentences" in translated.stdout


@pytest.fixture
def joint_file(vectors: Path, tiny_data: Path, tmp_path: Path) -> Path:
    output = tmp_path / "init.pt"
    file = ("--dictionary", tiny_data / "dict.a.txt")
    reconstruct(vectors, *file, "--output", output, *QUICK, *ALONE)
    return output


def test_an_empty_word_of_a_dictionary_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "dict.txt"
    file.write_text("dog 3\n 4\n")
    with pytest.raises(Mistake, match=r"dict\.txt, line 2: has no word"):
        load_dictionary(file)
    file.write_text("dog 3\n")
    assert load_dictionary(file).symbols[4:] == ["dog"]
