"""Files of tensors are read whole, finite and as data only, or refused in one line."""

import os
import pickle
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import OmegaConf

from alone_fairseq import checkpoints
from alone_fairseq.errors import AloneError

STATE = {
    "model": {"layer.weight": torch.randn(200, 30), "layer.bias": torch.ones(30)},
    "last_optimizer_state": {"state": {0: {"exp_avg": torch.ones(30)}}},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "checkpoint_last.pt"
    torch.save(STATE, path)
    return path


def refusal(path: Path, read: Callable[[Path], Any] = checkpoints.read) -> str:
    with pytest.raises(AloneError) as caught:
        read(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line


def test_what_is_whole_is_read(file: Path) -> None:
    model = checkpoints.load(file)["model"]
    torch.testing.assert_close(model, STATE["model"], rtol=0, atol=0)


@pytest.mark.parametrize("share", [0, 1e-9, 0.01, 0.3, 0.5, 0.9, 0.99, 1.0])
def test_a_file_cut_short_is_refused(share: float, file: Path) -> None:
    whole = file.read_bytes()
    kept = min(int(len(whole) * share) + (share > 0), len(whole) - 1)
    file.write_bytes(whole[:kept])
    assert "damaged" in refusal(file)


def test_one_flipped_bit_of_a_tensor_is_seen(file: Path) -> None:
    content = bytearray(file.read_bytes())
    place = content.index(STATE["model"]["layer.weight"][7].numpy().tobytes())
    content[place] ^= 1
    file.write_bytes(content)
    assert "damaged" in refusal(file)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("part", ["model", "last_optimizer_state"])
def test_values_that_are_not_finite_are_named(
    value: float, part: str, tmp_path: Path
) -> None:
    tensors = {"layer.bias": torch.tensor([1.0, value])}
    torch.save({"model": {}, part: tensors}, tmp_path / "a.pt")
    assert f"'{part}.layer.bias' holds values" in refusal(tmp_path / "a.pt")


def test_the_newest_whole_checkpoint_is_named(file: Path) -> None:
    file.write_bytes(b"")
    for age, name in enumerate(("checkpoint_best", "checkpoint_1_6", "checkpoint_1_3")):
        path = file.with_name(f"{name}.pt")
        torch.save(STATE, path)
        os.utime(path, (10_000 - age, 10_000 - age))
    torch.save({"x": torch.tensor(float("nan"))}, file.with_name("checkpoint_best.pt"))
    assert f"{file.with_name('checkpoint_1_6.pt')} is whole" in refusal(file)
    for path in file.parent.glob("checkpoint_1_*.pt"):
        path.write_bytes(b"no")
    assert "none of the others in its folder is whole" in refusal(file)


class Trap:
    """Touches a file when it is unpickled by what runs code."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.system, (f"touch '{self.file}'",)


@pytest.mark.parametrize("new", [True, False])
def test_code_is_refused_by_its_name(new: bool, tmp_path: Path) -> None:
    mark, path = tmp_path / "executed", tmp_path / "a.pt"
    state = {"model": {}, "trap": Trap(mark)}
    torch.save(state, path, _use_new_zipfile_serialization=new)
    assert "more than data (GLOBAL posix.system)" in refusal(path)
    path.write_bytes(pickle.dumps(state))
    refusal(path)
    assert not mark.exists()


CODE = "__import__('pathlib').Path('executed').touch() or [(8, 3)]"


@pytest.mark.parametrize(
    "options",
    [
        {"args": Namespace(arch="fconv", encoder_layers=CODE)},
        {"cfg": {"model": Namespace(decoder_attention=f" {CODE}")}},
        {"cfg": {"model": {"layers": [CODE]}, "task": {"data": "bin"}}},
        {"cfg": OmegaConf.create({"model": {"a": CODE, "seed": "${common.seed}"}})},
    ],
)
def test_code_in_an_option_is_refused(options: Any, tmp_path: Path) -> None:
    # fairseq gives such options to eval when it builds the model.
    with pytest.raises(AloneError, match=r"its option .* holds code"):
        checkpoints.refuse_other_kinds({"model": {}, **options}, tmp_path / "a.pt")


def test_what_options_are_is_no_code(tmp_path: Path) -> None:
    options = {
        "encoder_layers": "[(512, 3)] * 4 + [(768, 3)]",
        "adam_betas": "(0.9, 0.98)",
        "decoder_attention": "True",
        "save_dir": "runs(2)",
        "embedding_initialised_from": "runs(2)/vectors.pt",
        "desired_lengths": "runs(2)/lengths.txt",
        "eval_bleu_args": '{"beam": 5}',
        "source_lang": "en",
    }
    state = {"model": {}, "cfg": {"model": Namespace(**options), "task": options}}
    assert checkpoints.refuse_other_kinds(state, tmp_path / "a.pt") is state


@pytest.mark.parametrize("text", ["cos\nsystem\n", "not a checkpoint\n", "{}", "\x80"])
def test_what_is_no_checkpoint_is_not_called_code(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(text.encode("latin-1"))
    assert "damaged, unfinished or of another kind" in refusal(path)


@pytest.mark.parametrize("state", [{}, {"model": 1}, {"model": {"a": 1}}, [1], 3])
def test_other_data_is_no_checkpoint(state: object, tmp_path: Path) -> None:
    torch.save(state, tmp_path / "a.pt")
    assert "model" in refusal(tmp_path / "a.pt", checkpoints.load)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "a.pt")
    assert "cannot be read" in refusal(tmp_path)
