"""Mistakes are told in one line that names the thing, and stop the program."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from alone_fairseq import checkpoints
from alone_fairseq.errors import AloneError

pytestmark = pytest.mark.slow

LANGUAGES = ("--source-lang", "a", "--target-lang", "b")
TRAINING_FILES = [
    f"train.a-b.{side}.{kind}" for side in "ab" for kind in ("bin", "idx")
]


@pytest.fixture
def refused(train: Callable[..., Any], tmp_path: Path) -> Callable[..., None]:
    """A function that asserts that a training is refused, with words in the line."""

    def run(flags: tuple[object, ...], *words: str, **more: Any) -> None:
        folder = tmp_path / "run"
        done = train(folder, *flags, "--max-update", 1, check=False, **more)
        done.assert_refused(*words)
        assert not list(folder.glob("checkpoint*"))

    return run


OUT_OF_RANGE = [
    ("--alone-inter-dim", 0),
    ("--alone-inter-dim", -5),
    ("--alone-codebook-size", 0),
    ("--alone-num-codebooks", -1),
    ("--alone-zero-prob", 0),
    ("--alone-zero-prob", 1),
    ("--alone-zero-prob", "nan"),
    ("--alone-seed", -1),
    ("--alone-filter", "reel"),
]


@pytest.mark.parametrize(("flag", "value"), OUT_OF_RANGE)
def test_value_out_of_range(
    flag: str, value: object, refused: Callable[..., None]
) -> None:
    refused((flag, value), flag, str(value))


def test_low_rank_out_of_range(refused: Callable[..., None]) -> None:
    flags = ("--arch", "transformer_low_rank_toy", "--low-rank-dim", 0)
    refused(flags, "--low-rank-dim", "0")


def test_misspelt_method_is_answered_with_a_proposal(
    refused: Callable[..., None],
) -> None:
    refused(("--embedding-method", "alnoe"), "'alnoe'", "did you mean 'alone'?")


def test_a_dictionary_without_counts(
    refused: Callable[..., None], tiny_data: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(tiny_data, data)
    for file in data.glob("dict.*.txt"):
        words = [line.split()[0] for line in file.read_text().splitlines()]
        file.write_text("".join(f"{word} 1\n" for word in words))
    refused(("--softmax-bias", "unigram"), "--softmax-bias unigram needs", data=data)


def test_misspelt_preset(train: Callable[..., Any], tmp_path: Path) -> None:
    """The words are those of Python's own parser of command lines."""
    done = train(tmp_path, "--arch", "transformer_alnoe_toy", check=False)
    assert done.returncode == 2
    assert "invalid choice: 'transformer_alnoe_toy'" in done.last_line
    assert "Traceback" not in done.stderr


def test_batches_without_a_size(
    run_command: Callable[..., Any], recipe: list[str], tiny_data: Path
) -> None:
    where = recipe.index("--max-tokens")
    words = recipe[:where] + recipe[where + 2 :]
    done = run_command("train", tiny_data, *words, "--no-save", check=False)
    done.assert_refused("--max-tokens", "--batch-size")


# data


def test_missing_folder(refused: Callable[..., None], tmp_path: Path) -> None:
    refused((), str(tmp_path / "nowhere"), data=tmp_path / "nowhere")


def test_folder_without_data(refused: Callable[..., None], tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    refused((), str(folder), data=folder)


def test_folder_without_data_where_no_language_is_named(
    run_command: Callable[..., Any], recipe: list[str], tmp_path: Path
) -> None:
    where = recipe.index("--source-lang")
    flags = [*recipe[:where], *recipe[where + 4 :]]
    done = run_command("train", tmp_path, *flags, check=False)
    done.assert_refused(f"{tmp_path}: holds no data whose languages could be seen")


def test_dictionaries_without_data(
    refused: Callable[..., None], tiny_data: Path, tmp_path: Path
) -> None:
    for language in "ab":
        shutil.copy(tiny_data / f"dict.{language}.txt", tmp_path)
    refused((), "valid", str(tmp_path), data=tmp_path)


def test_missing_split(
    refused: Callable[..., None], tiny_data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "bin"
    shutil.copytree(tiny_data, folder, ignore=lambda *_: TRAINING_FILES)
    refused((), "train", str(folder), data=folder)


@pytest.fixture(scope="session")
def empty_training_data(preprocess: Callable[..., Path], tiny_data: Path) -> Path:
    """A corpus whose training set has no sentence."""
    dictionary = ("--srcdict", tiny_data / "dict.a.txt")
    return preprocess({"train": 0, "valid": 3}, *dictionary)


def test_empty_training_set(
    refused: Callable[..., None], empty_training_data: Path
) -> None:
    refused((), "empty", data=empty_training_data)


def test_missing_test_set(
    run_command: Callable[..., Any], trained: Callable[[str], Path], tiny_data: Path
) -> None:
    path = ("--path", trained("alone-real") / "checkpoint_last.pt")
    flags = (*path, *LANGUAGES, "--gen-subset", "tset")
    done = run_command("generate", tiny_data, *flags, check=False)
    done.assert_refused("tset", str(tiny_data))


# checkpoints


@pytest.fixture(scope="session")
def other_data(preprocess: Callable[..., Path]) -> Path:
    """The corpus with a larger dictionary."""
    words = [f"w{number}" for number in range(60)]
    return preprocess({"train": 300, "valid": 20, "test": 20}, words=words)


OTHER_FLAGS = {
    "filter": (("--alone-filter", "binary"), ("filter=real", "filter=binary")),
    "seed": (("--alone-seed", 2), ("seed=1", "seed=2")),
    "codebooks": (("--alone-num-codebooks", 7), ("-codebooks=8", "-codebooks=7")),
    "size": (("--alone-codebook-size", 32), ("codebook-size=64", "codebook-size=32")),
    "deviation": (("--alone-filter-std", 2), ("filter-std=1.0", "filter-std=2.0")),
    "base": (("--alone-base-dim", 16), ("base-dim=512", "--alone-base-dim=16")),
    "inner size": (
        ("--alone-inter-dim", 48),
        ("has --alone-inter-dim=64; the model has --alone-inter-dim=48: use",),
    ),
    "layers of ALONE": (
        ("--alone-num-layers", 3),
        ("has --alone-num-layers=2; the model has --alone-num-layers=3: use",),
    ),
    "own values": (("--alone-own-dim", 4), ("own-dim=0", "--alone-own-dim=4")),
    "layers": (
        ("--decoder-layers", 2),
        ("has --decoder-layers=1; the model has --decoder-layers=2: use",),
    ),
    "vectors": (
        ("--encoder-embed-dim", 16, "--decoder-embed-dim", 16),
        ("--encoder-embed-dim=32", "--encoder-embed-dim=16"),
    ),
    "method": (("--arch", "transformer_random_toy"), ("method=alone", "method=random")),
    "lookup": (("--arch", "transformer_lookup_toy"), ("method=alone", "method=lookup")),
}


@pytest.fixture
def begun(trained: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """A function that copies the last checkpoint of a method's run."""

    def copy(method: str) -> Path:
        folder = tmp_path / method
        folder.mkdir()
        shutil.copy(trained(method) / "checkpoint_last.pt", folder)
        return folder

    return copy


@pytest.mark.parametrize("case", list(OTHER_FLAGS))
def test_resume_with_another_embedding(
    case: str, begun: Callable[[str], Path], train: Callable[..., Any]
) -> None:
    flags, words = OTHER_FLAGS[case]
    folder = begun("alone-real")
    before = (folder / "checkpoint_last.pt").read_bytes()
    train(folder, *flags, check=False).assert_refused(*words)
    assert [path.name for path in folder.iterdir()] == ["checkpoint_last.pt"]
    assert (folder / "checkpoint_last.pt").read_bytes() == before


def test_resume_with_another_share_of_zeros(
    begun: Callable[[str], Path], train: Callable[..., Any]
) -> None:
    flags = ("--alone-filter", "binary", "--alone-zero-prob", 0.7)
    done = train(begun("alone-binary"), *flags, check=False)
    done.assert_refused("--alone-zero-prob=0.5", "--alone-zero-prob=0.7")


def test_resume_with_another_rank(
    begun: Callable[[str], Path], train: Callable[..., Any]
) -> None:
    flags = ("--arch", "transformer_low_rank_toy", "--low-rank-dim", 5)
    done = train(begun("low_rank"), *flags, check=False)
    done.assert_refused("has --low-rank-dim=16; the model has --low-rank-dim=5: use")


def test_resume_a_stock_transformer(
    run_command: Callable[..., Any],
    train: Callable[..., Any],
    tiny_data: Path,
    recipe: list[str],
    tmp_path: Path,
) -> None:
    where = recipe.index("--alone-inter-dim")
    stock = (*recipe[:where], *recipe[where + 2 :], "--arch", "transformer")
    saving = ("--save-dir", tmp_path, "--max-update", 1)
    run_command("train", tiny_data, *stock, *saving)
    done = train(tmp_path, "--arch", "transformer_lookup_toy", check=False)
    done.assert_refused("checkpoint", "--arch")


def test_resume_with_another_dictionary(
    begun: Callable[[str], Path], train: Callable[..., Any], other_data: Path
) -> None:
    done = train(begun("alone-real"), data=other_data, check=False)
    done.assert_refused("vocabulary=48", "vocabulary=64")


@pytest.mark.parametrize("command", ["generate", "interactive", "validate"])
def test_other_dictionary(
    command: str,
    run_command: Callable[..., Any],
    trained: Callable[[str], Path],
    other_data: Path,
) -> None:
    flags = ("--path", trained("alone-real") / "checkpoint_last.pt", *LANGUAGES)
    more = ("--task", "translation", "--batch-size", 8) if command == "validate" else ()
    done = run_command(command, other_data, *flags, *more, stdin="w1\n", check=False)
    done.assert_refused("vocabulary=48", "vocabulary=64")


def test_generate_with_another_seed(
    run_command: Callable[..., Any], trained: Callable[[str], Path], tiny_data: Path
) -> None:
    path = ("--path", trained("alone-real") / "checkpoint_last.pt")
    overrides = ("--model-overrides", "{'alone_seed': 2}")
    done = run_command("generate", tiny_data, *path, *overrides, check=False)
    done.assert_refused("seed=1", "seed=2")


def test_generate_with_another_size(
    run_command: Callable[..., Any], trained: Callable[[str], Path], tiny_data: Path
) -> None:
    path = ("--path", trained("alone-real") / "checkpoint_last.pt")
    overrides = ("--model-overrides", "{'alone_inter_dim': 9}")
    done = run_command("generate", tiny_data, *path, *overrides, check=False)
    done.assert_refused("--alone-inter-dim=64", "--alone-inter-dim=9")


@pytest.mark.parametrize("damage", ["truncated", "missing", "text"])
def test_damaged_checkpoint(
    damage: str,
    run_command: Callable[..., Any],
    begun: Callable[[str], Path],
    tiny_data: Path,
) -> None:
    file = begun("alone-real") / "checkpoint_last.pt"
    if damage == "missing":
        file.unlink()
    elif damage == "text":
        file.write_text("not a checkpoint\n")
    else:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    done = run_command("generate", tiny_data, "--path", file, check=False)
    done.assert_refused("checkpoint")


@pytest.mark.parametrize("kept", [0, 30_000, 66_000])
def test_restoring_a_checkpoint_cut_short_names_a_whole_one(
    kept: int, begun: Callable[[str], Path], train: Callable[..., Any]
) -> None:
    file = begun("alone-real") / "checkpoint_last.pt"
    whole = file.with_name("checkpoint_1_7.pt")
    shutil.copy(file, whole)
    file.write_bytes(file.read_bytes()[:kept])
    done = train(file.parent, check=False)
    done.assert_refused(str(file), "damaged", f"{whole} is whole")


@pytest.mark.parametrize("command", ["generate", "train"])
def test_values_that_are_no_numbers(
    command: str,
    run_command: Callable[..., Any],
    train: Callable[..., Any],
    begun: Callable[[str], Path],
    tiny_data: Path,
) -> None:
    file = begun("alone-real") / "checkpoint_last.pt"
    state = torch.load(file, weights_only=True)
    name = "encoder.layers.0.fc1.bias"
    state["model"][name][3] = float("nan")
    torch.save(state, file)
    if command == "train":
        done = train(file.parent, check=False)
    else:
        done = run_command("generate", tiny_data, "--path", file, check=False)
    done.assert_refused(str(file), f"'model.{name}'", "not finite")


def test_a_number_of_the_log_may_be_infinite(tmp_path: Path) -> None:
    meter = {"val": torch.tensor(float("inf"))}
    state = {"model": {"w": torch.ones(2)}, "extra_state": {"metrics": {"m": [meter]}}}
    torch.save(state, tmp_path / "a.pt")
    assert checkpoints.read(tmp_path / "a.pt")["model"]["w"].tolist() == [1, 1]
    state["extra_state"] = {"ema": {"w": torch.tensor(float("nan"))}}
    torch.save(state, tmp_path / "a.pt")
    with pytest.raises(AloneError, match=r"extra_state\.ema\.w' holds values that"):
        checkpoints.read(tmp_path / "a.pt")


# disks

# Each file may have as many bytes, as with a full disk.
LITTLE_ROOM = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, resource.RLIM_INFINITY))
"""


@pytest.mark.parametrize("room", [0, 5_000, 40_000])
def test_a_training_that_cannot_save_says_so_and_keeps_what_it_has(
    room: int,
    begun: Callable[[str], Path],
    train: Callable[..., Any],
    start_command: Callable[..., Any],
    tiny_data: Path,
    recipe: list[str],
) -> None:
    file = begun("alone-real") / "checkpoint_last.pt"
    before = file.read_bytes()
    words = (*recipe, "--save-dir", file.parent, "--max-update", 122)
    limit = LITTLE_ROOM.format(bytes=room)
    # What it prints would hit the limit too.
    quiet = "import os; os.dup2(os.open('/dev/null', os.O_WRONLY), 1)\n"
    done = start_command("train", tiny_data, *words, before=quiet + limit).wait()
    assert done.returncode == 1
    if room >= 5_000:
        done.assert_refused(f"cannot save {file.parent}", "File too large")
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert file.read_bytes() == before
    train(file.parent, "--max-update", 122)


@pytest.mark.parametrize("folder", ["/proc/nothing", "file/folder", "file"])
def test_a_save_dir_that_cannot_be(
    folder: str, train: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = train(tmp_path / folder, "--max-update", 1, check=False)
    done.assert_refused("--save-dir", str(tmp_path / folder), "cannot be written to")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# the plugin itself


def test_our_command_needs_no_user_dir(
    run_tool: Callable[..., Any], tiny_data: Path, recipe: list[str], tmp_path: Path
) -> None:
    flags = (*recipe, "--max-update", 1, "--save-dir", tmp_path)
    done = run_tool("train", tiny_data, *flags)
    assert done.returncode == 0, str(done)
    file = tmp_path / "checkpoint_last.pt"
    done = run_tool("generate", tiny_data, "--path", file, "--max-len-b", 5)
    assert "Translated 101 sentences" in done.stdout, str(done)


def test_forgotten_user_dir(
    run_command: Callable[..., Any], tiny_data: Path, recipe: list[str]
) -> None:
    """The words are fairseq's own; the README quotes them with the remedy."""
    done = run_command("train", tiny_data, *recipe, plugin=False, check=False)
    assert done.returncode != 0
    assert "transformer_alone_toy" in done.last_line


def test_the_plugin_works_under_another_name(
    run_command: Callable[..., Any],
    begun: Callable[[str], Path],
    tiny_data: Path,
    repo_root: Path,
    tmp_path: Path,
) -> None:
    alias = tmp_path / "compact"
    alias.symlink_to(repo_root / "alone_fairseq")
    file = begun("lookup") / "checkpoint_last.pt"
    flags = ("--path", file, "--user-dir", alias, "--max-len-b", 5)
    done = run_command("generate", tiny_data, *flags, plugin=False)
    assert "Translated 101 sentences" in done.stdout


def test_a_fault_of_the_program_keeps_its_traceback(
    start_command: Callable[..., Any], tiny_data: Path, recipe: list[str]
) -> None:
    broken = "import fairseq.trainer\nfairseq.trainer.Trainer = None\n"
    done = start_command("train", tiny_data, *recipe, before=broken).wait()
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "alone_fairseq: error:" not in done.stderr
