"""The moving average and the average of checkpoints leave the filters alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq import checkpoint_utils

pytestmark = pytest.mark.slow

GENERATION = ("--max-len-b", 12, "--beam", 1)


def descriptions(model: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    found = {name: x for name, x in model.items() if "_version" in name}
    found = {name: x for name, x in found.items() if x.dtype == torch.int32}
    assert found
    return found


def assert_same_descriptions(
    mine: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]
) -> None:
    assert descriptions(mine).keys() == descriptions(expected).keys()
    for name, tensor in descriptions(mine).items():
        assert tensor.dtype == torch.int32
        assert torch.equal(tensor, descriptions(expected)[name])


# the moving average


@pytest.mark.parametrize("precision", [(), ("--ema-fp32",)], ids=["", "fp32"])
@pytest.mark.parametrize(
    ("filters", "optimizer"), [("real", "adam"), ("binary", "adam_muon")]
)
def test_moving_average(
    precision: tuple[str, ...],
    filters: str,
    optimizer: str,
    train: Callable[..., Any],
    run_command: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tiny_data: Path,
    tmp_path: Path,
) -> None:
    ema = ("--store-ema", "--ema-decay", 0.5, *precision, "--alone-filter", filters)
    ema += ("--optimizer", optimizer)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(whole, *ema, "--max-update", 9)
    train(parts, *ema, "--max-update", 5)
    resumed = train(parts, *ema, "--max-update", 9)
    assert "(epoch 1 @ 5 updates)" in resumed.stdout

    state = read_checkpoint(parts / "checkpoint_last.pt")
    average = state["extra_state"]["ema"]
    assert_same_descriptions(average, state["model"])
    assert not torch.equal(
        average["encoder.embed_tokens.base"],
        state["model"]["encoder.embed_tokens.base"],
    )
    at_once = read_checkpoint(whole / "checkpoint_last.pt")
    for name, tensor in at_once["extra_state"]["ema"].items():
        torch.testing.assert_close(average[name], tensor, rtol=1e-6, atol=1e-6)

    taken = tmp_path / "ema.pt"
    torch.save(
        checkpoint_utils.load_ema_from_checkpoint(str(parts / "checkpoint_last.pt")),
        taken,
    )
    done = run_command("generate", tiny_data, "--path", taken, *GENERATION)
    assert "Translated 101 sentences" in done.stdout


# the average of checkpoints


def independent_mean(
    states: list[dict[str, torch.Tensor]],
) -> dict[str, torch.Tensor]:
    """Average floating-point tensors by NumPy, one by one."""
    means = {}
    for name, tensor in states[0].items():
        arrays = [state[name].numpy() for state in states]
        if tensor.is_floating_point():
            mean = sum(array.astype("float64") for array in arrays) / len(arrays)
            means[name] = torch.from_numpy(mean.astype("float32"))
        else:
            assert all((array == arrays[0]).all() for array in arrays)
            means[name] = tensor
    return means


@pytest.mark.parametrize("method", ["lookup", "alone-real", "alone-binary", "codes"])
def test_average_of_the_last_checkpoints(
    method: str,
    trained: Callable[[str], Path],
    run_tool: Callable[..., Any],
    run_command: Callable[..., Any],
    read_checkpoint: Callable[[Path], dict[str, Any]],
    tiny_data: Path,
    tmp_path: Path,
) -> None:
    folder, output = trained(method), tmp_path / "new" / "average.pt"
    last = ("--num-update-checkpoints", 3)
    done = run_tool("average", "--inputs", folder, *last, "--output", output)
    assert done.returncode == 0, done.stderr
    names = sorted(
        (path.name for path in folder.glob("checkpoint_*_*.pt")),
        key=lambda name: int(name.rsplit("_", 1)[1].removesuffix(".pt")),
    )[-3:]
    assert all(name in done.stdout for name in names)

    states = [read_checkpoint(folder / name)["model"] for name in names]
    average = read_checkpoint(output)
    expected = independent_mean(states)
    assert average["model"].keys() == expected.keys()
    for name, tensor in average["model"].items():
        torch.testing.assert_close(tensor, expected[name], rtol=1e-6, atol=1e-7)
        assert tensor.dtype == states[0][name].dtype
    assert_same_descriptions(average["model"], states[0])

    # What shared memory still does: the file is no larger than one model.
    def groups(model: dict[str, torch.Tensor]) -> dict[int, list[str]]:
        by_address: dict[int, list[str]] = {}
        for name, tensor in model.items():
            by_address.setdefault(tensor.data_ptr(), []).append(name)
        return by_address

    assert sorted(groups(average["model"]).values()) == sorted(
        groups(states[0]).values()
    )
    assert max(len(names) for names in groups(average["model"]).values()) > 1
    first = read_checkpoint(folder / names[-1])
    del first["last_optimizer_state"]
    torch.save(first, tmp_path / "one.pt")
    assert output.stat().st_size < 1.05 * (tmp_path / "one.pt").stat().st_size
    assert not list(output.parent.glob("*.tmp"))

    done = run_command("generate", tiny_data, "--path", output, *GENERATION)
    assert "Translated 101 sentences" in done.stdout


def test_average_refuses_other_filters(
    trained: Callable[[str], Path],
    train: Callable[..., Any],
    run_tool: Callable[..., Any],
    tmp_path: Path,
) -> None:
    train(tmp_path, "--alone-seed", 2, "--max-update", 1)
    mine, other = trained("alone-real"), tmp_path / "checkpoint_last.pt"
    output = tmp_path / "average.pt"
    files = (mine / "checkpoint_last.pt", other)
    done = run_tool("average", "--inputs", *files, "--output", output)
    done.assert_refused(str(other), "another model")
    files = (mine / "checkpoint_last.pt", trained("lookup") / "checkpoint_last.pt")
    done = run_tool("average", "--inputs", *files, "--output", output)
    done.assert_refused(str(files[1]), "another model")
    assert not output.exists()


def test_find_picks_the_last_checkpoints(plugin: None, tmp_path: Path) -> None:
    del plugin
    from alone_experiments.mistakes import Mistake
    from alone_experiments.training.average import find

    for name in ("1", "2", "9", "10", "_1_20", "_2_100", "_2_90", "_best"):
        (tmp_path / f"checkpoint{name}.pt").touch()
    (tmp_path / "checkpoint11.pt.tmp").touch()
    (tmp_path / "checkpoint.best_loss_1.0.pt").touch()

    def names(**choice: int) -> list[str]:
        return [
            path.stem.removeprefix("checkpoint") for path in find(tmp_path, **choice)
        ]

    assert names(epochs=3) == ["10", "9", "2"]
    assert names(epochs=2, upper_bound=9) == ["9", "2"]
    assert names(updates=2) == ["_2_100", "_2_90"]
    assert names(updates=2, upper_bound=99) == ["_2_90", "_1_20"]
    with pytest.raises(Mistake, match="has 4 epoch checkpoints, 5 were asked for"):
        find(tmp_path, epochs=5)
    with pytest.raises(Mistake, match="has 1 update checkpoints, 2 were"):
        find(tmp_path, updates=2, upper_bound=89)
    with pytest.raises(Mistake, match="no such folder"):
        find(tmp_path / "nowhere", epochs=1)


@pytest.mark.parametrize(
    ("updates", "expected"),
    [
        (100, ["_2_100", "_2_90"]),  # the same state as the last numbered one
        (110, ["_last", "_2_100"]),  # the end of an epoch took its name
        (115, ["_2_100", "_2_90"]),  # no multiple of --save-interval-updates
    ],
)
def test_the_last_state_is_found_where_an_epoch_ends_too(
    updates: int, expected: list[str], plugin: None, tmp_path: Path
) -> None:
    del plugin
    from alone_experiments.training.average import find

    for name in ("_2_100", "_2_90"):
        (tmp_path / f"checkpoint{name}.pt").touch()
    state = {
        "model": {"a": torch.zeros(1)},
        "cfg": {"checkpoint": {"save_interval_updates": 10}},
        "optimizer_history": [{"num_updates": updates}],
    }
    torch.save(state, tmp_path / "checkpoint_last.pt")
    found = [path.stem.removeprefix("checkpoint") for path in find(tmp_path, None, 2)]
    assert found == expected
    assert [path.stem for path in find(tmp_path, None, 1, 99)] == ["checkpoint_2_90"]


def test_average_refuses_another_run(plugin: None, tmp_path: Path) -> None:
    del plugin
    from alone_experiments.mistakes import Mistake
    from alone_experiments.training.average import average

    paths = [tmp_path / f"{seed}.pt" for seed in (1, 2)]
    for seed, path in enumerate(paths, start=1):
        cfg = {"common": {"seed": seed}}
        torch.save({"model": {"a": torch.zeros(1)}, "cfg": cfg}, path)
    with pytest.raises(Mistake, match=r"2\.pt: is of another run \(seed 2, .* is 1"):
        average(paths)


@pytest.mark.parametrize(
    ("names", "more", "line"),
    [
        (["a.pt", "b.pt", "b.pt"], [], r"b\.pt: is given twice"),
        (
            ["a.pt", "b.pt"],
            ["--checkpoint-upper-bound", "1"],
            "--checkpoint-upper-bound needs --num-",
        ),
    ],
)
def test_files_that_cannot_be_averaged_so(
    names: list[str], more: list[str], line: str, tmp_path: Path
) -> None:
    from alone_experiments import cli
    from alone_experiments.mistakes import Mistake

    inputs = [str(tmp_path / name) for name in names]
    out = ["--output", str(tmp_path / "o.pt"), *more]
    with pytest.raises(Mistake, match=line):
        cli.main(["average", "--inputs", *inputs, *out])


def test_too_few_checkpoints_are_told_in_one_line(
    run_tool: Callable[..., Any], trained: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = trained("alone-real")
    last = ("--num-update-checkpoints", 99)
    done = run_tool("average", "--inputs", folder, *last, "--output", tmp_path / "a.pt")
    done.assert_refused(str(folder), "99 were asked for")
    assert not (tmp_path / "a.pt").exists()
