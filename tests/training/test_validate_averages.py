"""Averages of checkpoints of a real training, validated and recorded."""

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from alone_experiments.cli import main
from alone_experiments.mistakes import Mistake
from tests.scripts.chain import Chain


@pytest.mark.slow
def test_averages_of_a_trial(
    tmp_path: Path,
    repo_root: Path,
    shared_data: Callable[[str], Path],
    warm_venv: Path,
) -> None:
    corpus, chain = shared_data("multi30k"), Chain(tmp_path, repo_root, warm_venv)
    (chain.data / "raw").mkdir(parents=True)
    for part, (name, count) in {"train": ("train", 300), "valid": ("val", 30)}.items():
        for language in ("en", "de"):
            lines = (corpus / f"{name}.{language}").read_text().split("\n")[:count]
            text = "".join(f"{line}\n" for line in lines)
            (chain.data / "raw" / f"{part}.{language}").write_text(text)
            (chain.data / "raw" / f"test.{language}").write_text(text)
    chain.run("data-prep/prepare_bpe.sh", "--output", chain.data, "--merges", 200)
    row, results = "configs/toy/alone_binary.flags", tmp_path / "tuned"
    flags = ["--max-update", 12, "--save-interval-updates", 2, "--max-tokens", 512]
    tune = ["tune", row, "--grid", "lr=0.005", "--averages", "1,3"]
    given = ["--results", results, "--", *flags, "--store-ema", "--ema-decay", 0.5]
    done = subprocess.run(
        [
            f"{warm_venv}/bin/python",
            *("-m", "alone_experiments", *map(str, [*tune, *given])),
        ],
        cwd=repo_root,
        env=chain.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    records = {
        record["setting"]["averaged"]: record
        for record in (json.loads(file.read_text()) for file in results.glob("*.json"))
    }
    assert records.keys() == {"1", "3", "moving"}
    ppl = {name: record["valid"]["ppl"] for name, record in records.items()}
    for numbers in ppl.values():
        assert [update for update, _ in numbers] == [12]
    assert len({numbers[0][1] for numbers in ppl.values()}) == 3
    # The last checkpoint alone has what the training's own validation said of it.
    log = next(tmp_path.rglob("train.log")).read_text()
    said = [
        json.loads("{" + line.partition("{")[2])
        for line in log.splitlines()
        if " | valid | " in line
    ]
    assert math.isclose(float(said[-1]["valid_ppl"]), ppl["1"][0][1], rel_tol=1e-3)
    assert (results / "table.md").read_text().count("averaged") == 3


def test_what_moves_is_taken_from_one_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moving, file = {"w": torch.ones(2)}, tmp_path / "checkpoint_last.pt"
    state = {"model": {"w": torch.zeros(2)}, "extra_state": {"ema": moving, "x": 1}}
    torch.save({**state, "last_optimizer_state": {"a": 1}}, file)
    output = tmp_path / "moving.pt"
    words = ["average", "--moving", "--inputs", str(file), "--output", str(output)]
    main(words)
    assert "moving.pt: the moving average of checkpoint_last.pt" in (
        capsys.readouterr().out
    )
    found = torch.load(output)
    assert torch.equal(found["model"]["w"], moving["w"])
    assert found["extra_state"] == {"x": 1}
    assert "last_optimizer_state" not in found
    with pytest.raises(Mistake, match=r"moving.pt: has no moving average: train with"):
        main([*words[:3], str(output), "--output", str(tmp_path / "again.pt")])
    torch.save({**state, "extra_state": {"ema": {}}}, file)
    with pytest.raises(Mistake, match="its moving average has no 'w' "):
        main(words)
    with pytest.raises(Mistake, match="--moving takes one checkpoint"):
        main([*words[:3], str(tmp_path), *words[4:]])
