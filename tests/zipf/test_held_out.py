"""What words cost a model, and the command that makes the comparison."""

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from alone_experiments.word_vectors.trained_models import load_all
from alone_experiments.zipf import command, held_out
from alone_experiments.zipf.corpus import (
    LENGTH,
    SPECIAL_SYMBOLS,
    read_text,
    write_corpus,
)
from alone_experiments.zipf.source import ZipfSource

VOCABULARY = 1200
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(repo_root: Path, tmp_path: Path, warm_venv: Path) -> Run:
    environment = {
        **os.environ,
        "ALONE_OUTPUT": str(tmp_path),
        "ALONE_VENV": str(warm_venv),
        "OMP_NUM_THREADS": "1",
    }

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "scripts/reproduce.sh", "zipf", *words],
            cwd=repo_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_the_corpus_is_the_text(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    write_corpus(folder, VOCABULARY, sentences=5, held_out=3)
    source = ZipfSource(VOCABULARY - SPECIAL_SYMBOLS)
    assert np.array_equal(read_text(folder, "train"), source.draw(5, LENGTH, seed=1))
    assert read_text(folder, "valid").shape == (3, LENGTH)
    counts = [int(line.split()[1]) for line in (folder / "dict.txt").open()]
    assert len(counts) == VOCABULARY - SPECIAL_SYMBOLS
    assert np.array(counts) / sum(counts) == pytest.approx(source.frequencies, abs=1e-8)
    before = (folder / "train.bin").stat().st_mtime_ns
    write_corpus(folder, VOCABULARY, sentences=5, held_out=3)
    assert (folder / "train.bin").stat().st_mtime_ns == before


def test_words_of_a_text_that_were_seen() -> None:
    found = held_out.seen(np.array([[1, 3], [3, 5]]), np.array([[1, 2, 3]]), 6)
    assert found.tolist() == [[True, False, True]]


@pytest.mark.slow
def test_a_model_beats_frequencies_and_its_losses_are_those_of_a_softmax(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    less = ["--vocabulary", str(VOCABULARY), "--max-update", "120"]
    less += ["--sampled-words", "300", "--sentences", "4000", "--held-out", "20"]
    done = run(*less)
    assert done.returncode == 0, done.stderr[-3000:]
    name = f"alone_v{VOCABULARY}--seed1"
    record = json.loads((tmp_path / "results" / "zipf" / f"{name}.json").read_text())
    losses = {each: found["seen"] for each, found in record["losses"].items()}
    assert losses["source"] < losses["model"] < losses["unigram"] - 0.2
    assert record["footprint"]["trained_values"] == 512 + 244 * (512 + 128)
    assert f"| {VOCABULARY:,} |" in done.stdout

    # In slices, against the whole table and torch's own softmax.
    data = tmp_path / "data" / "zipf" / f"v{VOCABULARY}--4000--20"
    checkpoint = tmp_path / "runs" / "zipf" / name / "checkpoint_last.pt"
    text = read_text(data, "valid")[:4]
    monkeypatch.setattr(held_out, "WORDS_AT_ONCE", 500)
    monkeypatch.setattr(held_out, "TOKENS_AT_ONCE", 100)
    found = held_out.losses(checkpoint, data, text)
    model, _, task = load_all(checkpoint, data)
    words = torch.from_numpy(text + SPECIAL_SYMBOLS)
    end = torch.full((4, 1), task.source_dictionary.eos())
    with torch.no_grad():
        logits = model.eval()(torch.cat([end, words[:, :-1]], 1))[0]
    whole = -logits.log_softmax(-1).gather(2, words[..., None])[..., 0]
    assert found == pytest.approx(whole.numpy(), abs=1e-4)

    again = run(*less)
    assert again.returncode == 0
    assert f"{name} is done already" in again.stderr
    other = run(*less, "--sampled-words", "200")
    assert other.returncode == 1
    assert "- 300 + 200" in other.stderr
    shutil.rmtree(tmp_path / "runs" / "zipf" / name)
    without_run = run(*less, "--sampled-words", "200")
    assert without_run.returncode == 1
    assert "was made with other options than these" in without_run.stderr
    many = run(*less, "--sampled-words", "2000", "--dry-run")
    assert many.returncode == 1
    assert "--sampled-words 2000: a vocabulary of 1,200 words" in many.stderr


def test_all_is_in_the_checkout_wherever_the_command_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, here = tmp_path / "checkout", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("ALONE_OUTPUT", str(checkout / "output"))
    for module in ("repository", "zipf.command"):
        monkeypatch.setattr(f"alone_experiments.{module}.ROOT", checkout)
    for name in ("do_jobs", "show_results"):
        monkeypatch.setattr(command, name, lambda *_, **__: None)
    monkeypatch.setattr("alone_experiments.zipf.record.make_record", lambda *_: {})
    words = ["--vocabulary", "1200", "--sampled-words", "300", "--sentences", "40"]
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    command.run(parser.parse_args([*words, "--held-out", "2"]))
    assert not any(here.iterdir())
    assert (checkout / "output/data/zipf/v1200--40--2/train.bin").is_file()
    assert (checkout / "output/results/zipf/alone_v1200--seed1.json").is_file()
