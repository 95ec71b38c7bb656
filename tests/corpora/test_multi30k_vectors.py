"""data-prep/multi30k_vectors.sh: the fits, and what happens the second time."""

import json
from pathlib import Path

import pytest
import torch

from tests.corpora.tiny_multi30k import WORDS, Corpus


@pytest.fixture
def corpus(tmp_path: Path, repo_root: Path) -> Corpus:
    return Corpus(tmp_path, repo_root, "multi30k_vectors.sh")


def write_vectors(file: Path, seed: int, dim: int = 300) -> Path:
    values = torch.randn(6, dim, generator=torch.Generator().manual_seed(seed))
    words = WORDS["en"].split()
    lines = (
        f"{word} {' '.join(f'{value:.4f}' for value in row)}\n"
        for word, row in zip(words, values.tolist(), strict=True)
    )
    file.write_text("".join(lines))
    return file


def test_missing_vectors_are_told_before_anything_is_done(corpus: Corpus) -> None:
    message = corpus.error("--from", corpus.given, "--vectors", "nowhere.txt")
    assert message == "alone-fairseq: error: --vectors: no file nowhere.txt"
    assert not corpus.output.exists()


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("corpus", "unrecognized arguments: corpus; see --help"),
        ("--merges", "unrecognized arguments: --merges; see --help"),
        ("--vectors", "argument --vectors: expected one argument; see --help"),
    ],
)
def test_bad_arguments(corpus: Corpus, argument: str, message: str) -> None:
    command = "alone-fairseq prepare multi30k"
    assert corpus.error(argument) == f"{command}: error: {message}"


@pytest.mark.slow
def test_fits_are_made_kept_and_checked(
    corpus: Corpus, tmp_path: Path, warm_venv: Path
) -> None:
    corpus.venv = warm_venv
    vectors = write_vectors(tmp_path / "v.txt", seed=1)
    options = ("--from", corpus.given, "--vectors", vectors)
    status, said = corpus.run(*options)
    assert status == 0, said
    for name, method in (("lookup", "lookup"), ("alone_real_half", "alone")):
        facts = json.loads((corpus.output / f"{name}.json").read_text())
        assert facts["settings"]["method"] == method
        assert facts["settings"]["embedding_dim"] == 300
        assert (corpus.output / f"{name}.pt").exists()
    made = (corpus.output / "lookup.pt").stat().st_mtime_ns
    for again in (options, ("--from", corpus.given)):
        assert corpus.run(*again)[0] == 0
        assert (corpus.output / "lookup.pt").stat().st_mtime_ns == made
    other = write_vectors(tmp_path / "other.txt", seed=2)
    status, said = corpus.run("--from", corpus.given, "--vectors", other)
    assert status != 0
    assert "lookup.pt" in said.splitlines()[-1]
    assert (corpus.output / "lookup.pt").stat().st_mtime_ns == made
