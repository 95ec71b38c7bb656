"""The embeddings serve any PyTorch model, also where fairseq is not installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.slow

# What comes before all else: Python then says that there is no fairseq.
NO_FAIRSEQ = """
import sys
for name in ("fairseq", "fairseq_cli", "hydra", "omegaconf"):
    sys.modules[name] = None
"""

ALL_METHODS = """
from alone_fairseq.embeddings import EMBEDDINGS

words = [f"word{number}" for number in range(100)]
for method in EMBEDDINGS:
    torch.manual_seed(1)
    model = Tagger(EMBEDDINGS[method](100, 32, padding_idx=0, symbols=words))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    tokens = torch.randint(1, 100, (8, 10))
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        logits = model(tokens)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0], (method, losses)

    torch.save(model.state_dict(), f"{method}.pt")
    torch.manual_seed(2)
    again = Tagger(EMBEDDINGS[method](100, 32, padding_idx=0, symbols=words))
    again.load_state_dict(torch.load(f"{method}.pt"))
    with torch.no_grad():
        assert torch.equal(again.eval()(tokens), model.eval()(tokens)), method
    print("same logits:", method)
"""


def programs(repo_root: Path) -> list[str]:
    """The programs in docs/pytorch.md."""
    page = (repo_root / "docs/pytorch.md").read_text()
    return re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)


@pytest.fixture(scope="session")
def example(repo_root: Path) -> str:
    """The first of them."""
    return programs(repo_root)[0]


def run(program: str, repo_root: Path, folder: Path) -> str:
    code = f"{NO_FAIRSEQ}\nsys.path.insert(0, {str(repo_root)!r})\n{program}"
    command = [sys.executable, "-W", "error::UserWarning:alone_fairseq", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def printed(
    example: str, repo_root: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """What the example prints, its last loss, and what all methods do in its model."""
    program = f"{example}\nprint(loss.item())\n{ALL_METHODS}"
    return run(program, repo_root, tmp_path_factory.mktemp("example")).splitlines()


def test_the_example_runs_as_it_is_printed(example: str, printed: list[str]) -> None:
    promised = re.search(r"# (\d+); nn.Embedding: (\d+)", example)
    assert promised
    assert printed[0] == promised[1]
    assert int(promised[2]) == 1000 * 32
    assert float(printed[1]) < 6.0  # it starts at log 1000 = 6.9


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="this torch has no Muon")
def test_what_makes_alone_learn(example: str, repo_root: Path, tmp_path: Path) -> None:
    learns = programs(repo_root)[1]
    assert "torch.optim.Muon" in learns
    told = learns.replace("for _ in", "losses = []\nfor _ in")
    told += """
    losses.append(loss.item())
print(losses[0], losses[-1], embedding.footprint().trained_values)
print("output.bias.values" in model.state_dict())
"""
    printed = run(f"{example}\n{told}", repo_root, tmp_path).splitlines()
    first, last, values = map(float, printed[1].split())
    assert last < 0.9 * first
    assert 0.48 * 32_000 < values <= 16_000
    assert printed[2] == "False"  # the bias follows from the words' frequencies


def test_every_method_learns_and_comes_back(printed: list[str]) -> None:
    from alone_fairseq.embeddings import EMBEDDINGS

    assert printed[2:] == [f"same logits: {method}" for method in EMBEDDINGS]


def test_only_a_missing_fairseq_is_passed_over(repo_root: Path, tmp_path: Path) -> None:
    (tmp_path / "fairseq").mkdir()
    (tmp_path / "fairseq" / "__init__.py").write_text("import not_there\n")
    code = "import alone_fairseq"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": f"{tmp_path}:{repo_root}"},
        capture_output=True,
        text=True,
    )
    assert "No module named 'not_there'" in done.stderr
