"""The repairs of fairseq: what they mend, and that it is broken without them."""

import argparse
import importlib.util
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import fairseq
import numpy as np
import pytest
import torch
from fairseq import utils
from fairseq.distributed.utils import _split_tensors_from_obj
from fairseq.file_io import PathManager
from fairseq.logging import metrics
from fairseq.trainer import Trainer
from omegaconf import OmegaConf

from tests.fairseq.built_models import Built, make_batch

LANGUAGES = ("--source-lang", "a", "--target-lang", "b")
VALIDATE = (*LANGUAGES, "--task", "translation", "--batch-size", 50)


def test_the_repairs_are_for_the_installed_fairseq(plugin: None) -> None:
    del plugin
    import importlib.metadata

    from alone_fairseq.fairseq_fixes import REPAIRED_VERSION

    assert importlib.metadata.version("fairseq-fixed") == REPAIRED_VERSION


# torch's safe loader


@pytest.fixture
def stock_loader(plugin: None) -> Iterator[None]:
    """Take back what the plugin lets torch's safe loader read."""
    del plugin
    allowed = torch.serialization.get_safe_globals()
    torch.serialization.clear_safe_globals()
    yield
    torch.serialization.clear_safe_globals()
    torch.serialization.add_safe_globals(allowed)


CHECKPOINT_PARTS = {
    "options": argparse.Namespace(arch="transformer_alone_toy"),
    "counts of --eval-bleu": np.array([1, 2, 3]),
    "score of --eval-bleu": np.float64(3.5),
    "single-precision score": np.float32(3.5),
    "configuration sent to other processes": _split_tensors_from_obj(
        {
            "cfg": OmegaConf.create(
                {"model": argparse.Namespace(arch="toy"), "sizes": [1, {"b": 2.0}]},
                flags={"allow_objects": True},
            ),
            "model": {"base": torch.ones(2)},
        },
        [],
    ),
}


@pytest.mark.parametrize("part", list(CHECKPOINT_PARTS))
def test_safe_loader_reads_what_fairseq_writes(
    part: str, stock_loader: None, tmp_path: Path
) -> None:
    del stock_loader
    from alone_fairseq.fairseq_fixes.checkpoints import allow_checkpoint_types

    file = tmp_path / "checkpoint.pt"
    torch.save(CHECKPOINT_PARTS[part], file)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    allow_checkpoint_types()
    assert str(torch.load(file)) == str(CHECKPOINT_PARTS[part])


@pytest.fixture(scope="session")
def scored_run(
    tmp_path_factory: pytest.TempPathFactory, train: Callable[..., Any]
) -> Path:
    """A run whose validation scores BLEU, which leaves NumPy numbers behind."""
    folder = tmp_path_factory.mktemp("scored")
    bleu = ("--eval-bleu", "--eval-bleu-detok", "space", "--eval-bleu-args")
    best = ("--best-checkpoint-metric", "bleu", "--maximize-best-checkpoint-metric")
    train(folder, *bleu, '{"max_len_b": 10}', *best, "--max-update", 5)
    return folder


@pytest.mark.slow
def test_safe_loader_reads_a_checkpoint_after_eval_bleu(
    scored_run: Path,
    train: Callable[..., Any],
    run_command: Callable[..., Any],
    start: Callable[..., Any],
    tiny_data: Path,
    tmp_path: Path,
) -> None:
    file = shutil.copy(scored_run / "checkpoint_last.pt", tmp_path)
    stock = start(f"import torch\ntorch.load({str(file)!r})").wait()
    assert "Weights only load failed" in stock.stderr
    resumed = train(tmp_path, "--eval-bleu", "--max-update", 6)
    assert "Loaded checkpoint" in resumed.stdout
    run_command("validate", tiny_data, *VALIDATE, "--path", file)
    run_command("generate", tiny_data, "--path", file, "--max-len-b", 10)
    generation = (*LANGUAGES, "--max-len-b", 10, "--path", file)
    run_command("interactive", tiny_data, *generation, stdin="w1 w2\n")


@pytest.fixture
def trapped_run(
    trained: Callable[[str], Path],
    make_trap: Callable[[Path], object],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tmp_path: Path,
) -> tuple[Path, Path]:
    """A run whose last checkpoint makes a file when it is unpickled, and the file."""
    proof = tmp_path / "proof"
    state = read_checkpoint(trained("alone-real") / "checkpoint_last.pt")
    state["extra_state"]["trap"] = make_trap(proof)
    folder = tmp_path / "run"
    folder.mkdir()
    torch.save(state, folder / "checkpoint_last.pt")
    torch.load(folder / "checkpoint_last.pt", weights_only=False)
    assert proof.exists()  # the trap works
    proof.unlink()
    return folder, proof


@pytest.mark.slow
@pytest.mark.parametrize("user", ["resume", "generate", "interactive", "validate"])
def test_fairseq_runs_no_code_from_a_checkpoint(
    user: str,
    trapped_run: tuple[Path, Path],
    train: Callable[..., Any],
    run_command: Callable[..., Any],
    tiny_data: Path,
) -> None:
    folder, proof = trapped_run
    if user == "resume":
        done = train(folder, check=False)
    else:
        flags = VALIDATE if user == "validate" else LANGUAGES
        path = ("--path", folder / "checkpoint_last.pt")
        done = run_command(user, tiny_data, *path, *flags, stdin="w1\n", check=False)
    done.assert_refused("refused", "system")
    assert not proof.exists()


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["average", "neighbours"])
def test_our_tools_run_no_code_from_a_checkpoint(
    tool: str,
    trapped_run: tuple[Path, Path],
    run_tool: Callable[..., Any],
    tiny_data: Path,
) -> None:
    folder, proof = trapped_run
    file = folder / "checkpoint_last.pt"
    flags = {
        "average": ("--inputs", file, "--output", folder / "average.pt"),
        "neighbours": (file, "w1", "--data", tiny_data),
    }
    run_tool(tool, *flags[tool]).assert_refused("refused", "system")
    assert not proof.exists()
    assert not (folder / "average.pt").exists()


# copies


def read_again(module: ModuleType) -> ModuleType:
    """Read one of fairseq's modules a second time: as it is without the repairs."""
    spec = importlib.util.spec_from_file_location("stock", str(module.__file__))
    assert spec is not None
    assert spec.loader is not None
    stock = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stock)
    return stock


@pytest.fixture(scope="session")
def stock_file_io() -> ModuleType:
    """fairseq's own module of file operations."""
    return read_again(fairseq.file_io)


@pytest.fixture
def disk_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every copy of a file ends after one byte."""

    def copyfile(source: str, target: str) -> None:
        Path(target).write_bytes(Path(source).read_bytes()[:1])
        raise OSError("no space left on device")

    monkeypatch.setattr(shutil, "copyfile", copyfile)


def test_copies_appear_whole_or_not_at_all(
    stock_file_io: ModuleType, disk_full: None, tmp_path: Path
) -> None:
    del disk_full
    source, target = tmp_path / "new.pt", tmp_path / "checkpoint_last.pt"
    source.write_text("the new checkpoint")
    for copy, left in (
        (PathManager.copy, "the old checkpoint"),
        (stock_file_io.PathManager.copy, "t"),
    ):
        target.write_text("the old checkpoint")
        with pytest.raises((OSError, ValueError), match="no space left"):
            copy(str(source), str(target), overwrite=True)
        assert target.read_text() == left


def test_copies_are_copies(tmp_path: Path) -> None:
    source, target = tmp_path / "new.pt", tmp_path / "checkpoint_last.pt"
    source.write_text("new")
    assert PathManager.copy(str(source), str(target))
    assert target.read_text() == "new"
    source.write_text("newer")
    assert not PathManager.copy(str(source), str(target))
    assert target.read_text() == "new"
    assert PathManager.copy(str(source), str(target), overwrite=True)
    assert target.read_text() == "newer"
    assert sorted(path.name for path in tmp_path.iterdir()) == [target.name, "new.pt"]


# the end of the program

PREFETCHING = """
import sys
import torch
from fairseq.data.iterators import BufferedIterator

class Endless:
    def __len__(self):
        return 10**6

    def __iter__(self):
        while True:
            yield torch.stack([torch.randn(300, 300) for _ in range(3)])

batches = BufferedIterator(10**6, Endless())
next(iter(batches))
print("done")
"""


@pytest.mark.slow
def test_ending_while_batches_are_made_is_no_failure(repo_root: Path) -> None:
    # Programs of the fixture "start" do not end as Python does.
    def end_of(code: str) -> tuple[int, str]:
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    plugin = (
        f"import sys\nsys.path.insert(0, {str(repo_root)!r})\nimport alone_fairseq\n"
    )
    assert end_of(plugin + PREFETCHING) == (0, "done\n")
    assert end_of(PREFETCHING) == (-6, "done\n")  # abort


def test_a_tied_embedding_is_written_once_in_half_precision(tmp_path: Path) -> None:
    shared = torch.nn.Linear(300, 300, bias=False).half()
    model = torch.nn.ModuleDict({"encoder": shared, "decoder": shared})
    stock = utils.move_to_cpu.__wrapped__  # functools.wraps keeps fairseq's own
    for name, move in (("tied", utils.move_to_cpu), ("stock", stock)):
        torch.save(move(model.state_dict()), tmp_path / name)
    tied, twice = ((tmp_path / name).stat().st_size for name in ("tied", "stock"))
    assert 4 * 300 * 300 < tied < 4 * 300 * 300 + 3000
    assert twice > 2 * 4 * 300 * 300
    moved = utils.move_to_cpu(model.state_dict())
    assert torch.equal(moved["encoder.weight"], shared.weight.float())


def test_move_to_cpu_still_takes_anything_apart() -> None:
    sample = {
        "a": [torch.ones(2), None],
        "b": {"c": torch.zeros(0), "d": torch.tensor(2.0)},
        "n": 3,
    }
    moved = utils.move_to_cpu(sample)
    assert torch.equal(moved["a"][0], torch.ones(2))
    assert moved["a"][1] is None
    assert moved["b"]["c"].shape == (0,)
    assert moved["b"]["d"].item() == 2.0
    assert moved["n"] == 3


# fairseq-interactive


@pytest.mark.parametrize("place", ["file", "standard input"])
def test_only_a_line_feed_ends_a_line_to_translate(
    place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the repair a form feed or a carriage return would end one, too."""
    from fairseq_cli import interactive

    from alone_fairseq.errors import AloneError
    from alone_fairseq.fairseq_fixes.data import end_lines_at_line_feeds

    stock = interactive.buffered_read
    monkeypatch.setattr(interactive, "buffered_read", stock)
    text = "a\rb\n\nc\x0bd\x0ce\x1cf\u2028g \nlast".encode()
    path = tmp_path / "text"
    path.write_bytes(text)
    assert sum(map(len, stock(str(path), 2))) > 4
    end_lines_at_line_feeds()
    if place == "standard input":
        monkeypatch.setattr("sys.stdin", path.open())
    name = str(path) if place == "file" else "-"
    found = list(interactive.buffered_read(name, 3))
    lines = ["a\rb", "", "c\x0bd\x0ce\x1cf\u2028g"]
    assert found == [lines, ["last"]]
    path.write_bytes(b"a\n\xff\n")
    with pytest.raises(AloneError, match="line 2 of the input is not UTF-8"):
        list(interactive.buffered_read(str(path), 1))


# sentences of language models


def test_text_is_cut_at_sentences_as_with_numpy_1(
    plugin: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    del plugin
    from fairseq.data import TokenBlockDataset, token_block_dataset

    sentences = [torch.tensor(words) for words in ([5, 6, 2], [2], [7, 8, 9, 2])]

    def blocks(dataset: Any, mode: str) -> list[list[int]]:
        cut = dataset(sentences, [3, 1, 4], 5, pad=1, eos=2, break_mode=mode)
        assert cut.sizes.tolist() == [len(block) for block in cut]
        return [block.tolist() for block in cut]

    stock = read_again(token_block_dataset)
    if not hasattr(np, "compat"):
        with pytest.raises(AttributeError, match="compat"):
            blocks(stock.TokenBlockDataset, "eos")
        names = vars(np) | {"compat": argparse.Namespace(long=np.int64)}
        monkeypatch.setattr(stock, "np", argparse.Namespace(**names))
    for mode in ("eos", "none", "complete"):
        found = blocks(TokenBlockDataset, mode)
        assert found == blocks(stock.TokenBlockDataset, mode)
        assert (found == [x.tolist() for x in sentences]) == (mode == "eos")


@pytest.mark.parametrize("precision", [(), ("--ema-fp32",)], ids=["", "fp32"])
def test_a_moving_average_begins_with_the_model(
    precision: tuple[str, ...],
    build: Callable[..., Built],
    methods: dict[str, list[str]],
    tmp_path: Path,
) -> None:
    """Of a checkpoint that has none, such as an average of others."""
    metrics.reset()
    path = str(tmp_path / "checkpoint.pt")
    written = build(*methods["alone-real"])
    trainer = Trainer(written.cfg, written.task, written.model, written.criterion)
    trainer.consolidate_optimizer()
    place = {"epoch": 1, "iterations_in_epoch": 0, "version": 2}
    trainer.save_checkpoint(path, {"train_iterator": place})

    ema = ("--store-ema", "--ema-decay", 0.5, *precision)
    built = build(*methods["alone-real"], *ema)
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    with torch.no_grad():
        for parameter in built.model.parameters():
            parameter.add_(1.0)  # not the start of the checkpoint's model
    trainer.load_checkpoint(path)
    expected = written.model.state_dict()
    for name, tensor in trainer.ema.get_model().state_dict().items():
        torch.testing.assert_close(tensor, expected[name], rtol=0, atol=0)
    trainer._dummy_batch = make_batch(built.task)
    assert trainer.train_step([make_batch(built.task)]) is not None
