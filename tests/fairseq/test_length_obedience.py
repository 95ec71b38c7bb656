"""A small model trained on characters writes as many of them as it is told."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alone_experiments.corpora.toy_text import Size, write_corpus
from alone_experiments.repository import ROOT
from tests.fairseq.test_commands import parse

pytestmark = pytest.mark.slow

SIZES = {"train": 4000, "valid": 40, "test": 40}
LANGUAGES = ("--source-lang", "en", "--target-lang", "de")
# A few hundred updates: enough to know where to end, though hardly any word.
RECIPE_TEXT = """
--task translation_with_length --arch transformer_lookup_toy --share-all-embeddings
--encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 64 --decoder-embed-dim 64
--encoder-ffn-embed-dim 128 --decoder-ffn-embed-dim 128 --encoder-normalize-before
--decoder-normalize-before --dropout 0 --optimizer adam --lr 0.005
--lr-scheduler polynomial_decay --total-num-update 400 --warmup-updates 40
--clip-norm 1.0 --criterion label_smoothed_cross_entropy --label-smoothing 0.1
--max-tokens 1500 --max-update 400 --length-ldpe --length-ordinary --seed 1 --cpu
--num-workers 0 --no-epoch-checkpoints
"""


def to_words(line: str) -> str:
    return " ".join(re.findall(r"\w+|[^\w\s]", line))


def to_characters(line: str) -> str:
    return " ".join("@@@@" if character == " " else character for character in line)


@pytest.fixture(scope="module")
def corpus(
    tmp_path_factory: pytest.TempPathFactory, run_command: Callable[..., Any]
) -> Path:
    """The toy corpus, English words to German characters, binarised."""
    folder = tmp_path_factory.mktemp("characters")
    size = Size(**SIZES, min_count=1, seed=1)
    write_corpus(folder, ROOT / "data-prep/toy_en_de.toml", size)
    for path in (folder / "raw").iterdir():
        split = to_words if path.suffix == ".en" else to_characters
        lines = path.read_text().splitlines()
        (folder / path.name).write_text("".join(f"{split(line)}\n" for line in lines))
    parts = [word for part in SIZES for word in (f"--{part}pref", folder / part)]
    words = (*LANGUAGES, *parts, "--joined-dictionary", "--destdir", folder / "bin")
    run_command("preprocess", *words, plugin=False)
    return folder / "bin"


def test_obeys_within_two_characters(
    corpus: Path, run_command: Callable[..., Any], tmp_path: Path
) -> None:
    run_command(
        "train", corpus, *LANGUAGES, *RECIPE_TEXT.split(), "--save-dir", tmp_path
    )
    flags = ("--task", "translation_with_length", *LANGUAGES, "--cpu", "--beam", 4)
    path = ("--path", tmp_path / "checkpoint_last.pt")
    for wanted in (20, 30, 40):
        length = ("--desired-length", wanted)
        done = run_command("generate", corpus, *flags, *path, *length)
        found = [len(line.text.split()) for line in parse(done.stdout).values()]
        assert len(found) == SIZES["test"]
        difference = sum(abs(length - wanted) for length in found) / len(found)
        assert difference < 2, f"{difference:.2f} characters from {wanted}"
