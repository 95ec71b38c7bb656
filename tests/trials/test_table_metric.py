"""ALONE's last layer in the metric of a table's Adam: the step, and a training."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from alone_experiments.trials.table_metric.adam import PulledBackAdam
from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.errors import AloneError
from tests.scripts.chain import Chain

WORDS, DIM, INNER, RATE, DAMPING = 30, 6, 5, 0.1, 1e-3


def make(**options: Any) -> AloneEmbedding:
    torch.manual_seed(1)
    settings = {
        **{"alone_base_dim": 16, "alone_inter_dim": INNER, "alone_centre": True},
        **{"alone_filter": "real", "alone_relu_dropout": 0.0, **options},
    }
    embedding = AloneEmbedding(WORDS, DIM, **settings)
    embedding.serves_softmax = True
    return embedding.double()


def back(embedding: AloneEmbedding, tokens: torch.Tensor) -> torch.Tensor:
    """Let a loss of input and softmax go back; gives the table's gradient."""
    with embedding.one_table():
        states = embedding(tokens)
        table = embedding.softmax_factors(states)[1]
        table.retain_grad()
        embedding.tied_logits(states.tanh()).logsumexp(-1).sum().backward()
    assert table.grad is not None
    return table.grad


def test_a_step_is_the_closest_to_that_of_adam_for_a_table() -> None:
    embedding = make()
    adam = PulledBackAdam(embedding, DAMPING)
    gradient = back(embedding, torch.tensor([[1, 2, 3, 3], [0, 7, 9, 29]]))
    for parameter in embedding.parameters():
        assert parameter.grad is not None
        parameter.grad *= 0.25  # tokens, and clipping
    gradient = gradient * 0.25
    before = adam.matrix.detach().clone()
    with torch.no_grad():
        # The table is linear in the matrix, so units of it show the inner values.
        adam.matrix.zero_()
        columns = []
        for unit in torch.eye(INNER, dtype=torch.float64):
            adam.matrix[0] = unit
            columns.append(embedding.table()[:, 0])
        features = torch.stack(columns, dim=1)
        adam.matrix.copy_(before)
    # Least squares in both moments of one gradient: E would move by -lr G / root.
    root = gradient.square().mean(dim=1).sqrt()
    weights = root.sqrt()[:, None]
    ridge = DAMPING * (features.square() * root[:, None]).sum(dim=0).mean()
    rows = torch.cat([weights * features, ridge.sqrt() * torch.eye(INNER).double()])
    goal = torch.cat([-RATE * gradient / weights, torch.zeros(INNER, DIM).double()])
    expected = torch.linalg.lstsq(rows, goal).solution.T
    adam.step(RATE)
    torch.testing.assert_close(adam.matrix.detach() - before, expected)
    assert adam.matrix.grad is None
    assert adam.updates == 1


def test_moments_are_adams() -> None:
    # Of one and the same gradient, with its bias taken out, they are the gradient.
    embedding = make()
    adam, tokens = PulledBackAdam(embedding, DAMPING), torch.tensor([[4, 5, 6, 8]])
    moves = []
    for _ in range(3):
        embedding.zero_grad()
        back(embedding, tokens)
        before = adam.matrix.detach().clone()
        adam.step(RATE)
        moves.append(adam.matrix.detach() - before)
        with torch.no_grad():
            adam.matrix.copy_(before)
    torch.testing.assert_close(moves[1], moves[0])
    torch.testing.assert_close(moves[2], moves[0])


@pytest.mark.parametrize(
    "options",
    [{"alone_num_layers": 3, "alone_centre": False}, {"alone_relu_dropout": 0.1}],
)
def test_other_forms_of_alone_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(AloneError, match="translation_table_metric needs"):
        PulledBackAdam(make(**options), DAMPING)


def test_several_micro_batches_are_refused() -> None:
    embedding, tokens = make(), torch.tensor([[4, 5, 6, 8]])
    adam = PulledBackAdam(embedding, DAMPING)
    back(embedding, tokens)
    with pytest.raises(AloneError, match="--update-freq 1"):
        back(embedding, tokens)
    assert adam.updates == 0


def test_a_step_needs_the_tables_gradient() -> None:
    adam = PulledBackAdam(make(), DAMPING)
    before = adam.matrix.detach().clone()
    with pytest.raises(AloneError, match="no gradient came through the table"):
        adam.step(RATE)
    assert adam.matrix.equal(before)


@pytest.mark.parametrize("damping", [0.0, -1.0, float("nan")])
def test_damping_is_above_zero(damping: float) -> None:
    with pytest.raises(AloneError, match="--table-metric-damping"):
        PulledBackAdam(make(), damping)


@pytest.mark.slow
def test_a_trial(tmp_path: Path, repo_root: Path, warm_venv: Path) -> None:
    chain = Chain(tmp_path, repo_root, warm_venv)
    chain.prepare()

    def tune(row: str, factor: int) -> subprocess.CompletedProcess[str]:
        trial = ["tune", row, "--grid", f"table-metric-lr-factor={factor}"]
        flags = ["--max-update", 12, "--max-tokens", 512]
        flags += ["--user-dir", "alone_experiments/trials/table_metric"]
        flags += ["--task", "translation_table_metric"]
        command = [*trial, "--results", tmp_path / "tuned", "--", *flags]
        return subprocess.run(
            [f"{warm_venv}/bin/python", "-m", "alone_experiments", *map(str, command)],
            cwd=repo_root,
            env=chain.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    done = tune("configs/toy/alone_real_shared.flags", 1)
    assert done.returncode == 0, done.stderr[-3000:]
    (file,) = (tmp_path / "tuned").glob("*.json")
    record = json.loads(file.read_text())
    assert not record["diverged"]
    assert record["updates"] == 12
    refused = tune("configs/toy/lookup.flags", 1)
    assert refused.returncode != 0
    assert "translation_table_metric needs" in refused.stdout + refused.stderr
    refused = tune("configs/toy/alone_real_shared.flags", 0)
    assert refused.returncode != 0
    assert "--table-metric-lr-factor must be above 0" in refused.stdout + refused.stderr
