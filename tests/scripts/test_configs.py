"""configs/: every file is read, and every row has the size that its header states."""

import argparse
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ROWS = sorted(
    path
    for path in (ROOT / "configs").glob("*/*.flags")
    if path.stem not in ("recipe", "average", "generate")
    # Those of headlines: test_headline_configs.py.
    and not (path.parent / "headlines.flags").exists()
)
# Entries of the dictionary that data-prep/<experiment>.sh makes.
VOCABULARY = {"multi30k": 9800, "toy": 3552}


def training_command(config: Path) -> list[str]:
    command = ["bash", str(ROOT / "scripts/train.sh"), str(config), "--dry-run"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return shlex.split(done.stdout)


def parse(config: Path, monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    from fairseq import options

    # fairseq looks for --user-dir, given from the project's folder, in sys.argv too.
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.argv", ["fairseq-train"])
    words = training_command(config)[1:]
    parser = options.get_training_parser()
    args: argparse.Namespace = options.parse_args_and_arch(parser, words)
    return args


def embedding_values(args: argparse.Namespace, vocabulary: int) -> int:
    from alone_fairseq.embeddings import build

    def build_it(method: str, options: Any) -> Any:
        return build(method, options, vocabulary, args.encoder_embed_dim, 1)

    values: int = build_it(args.embedding_method, args).footprint().trained_values
    return values


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    "config", ROWS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_row(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = parse(config, monkeypatch)
    assert args.criterion == "label_smoothed_cross_entropy"
    assert "Run: bash scripts/" in config.read_text()
    if config.stem == "convs2s":  # fairseq's own
        assert not hasattr(args, "embedding_method")
        return
    assert args.share_all_embeddings
    vocabulary = VOCABULARY[config.parent.name]
    values = embedding_values(args, vocabulary)
    share = values / (vocabulary * args.encoder_embed_dim)
    header = " ".join(config.read_text().split("\n--")[0].split())
    stated = re.search(r"(\d+) % of look-up", header)
    if stated:
        assert round(100 * share) == int(stated[1])
    if config.stem.startswith(("alone", "low_rank")):
        assert share <= 0.51


def test_multi30k_is_transformer_tiny(
    monkeypatch: pytest.MonkeyPatch, plugin: None
) -> None:
    del plugin
    args = parse(ROOT / "configs/multi30k/lookup.flags", monkeypatch)
    for side in ("encoder", "decoder"):
        assert getattr(args, f"{side}_layers") == 4
        assert getattr(args, f"{side}_embed_dim") == 128
        assert getattr(args, f"{side}_ffn_embed_dim") == 256
        assert getattr(args, f"{side}_attention_heads") == 4
    assert (args.dropout, args.lr, args.warmup_updates) == (0.3, [0.005], 2000)
    assert (args.max_tokens, args.max_update) == (4096, 8000)
