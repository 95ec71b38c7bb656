"""What is killed: a job, what it works on, and what must be the same at its end."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from alone_experiments.lines import sha256
from alone_fairseq import checkpoints
from tests.campaign.programs import Program, Programs

UPDATES, SAVE_INTERVAL = 24, 4
_TRAINING = f"""
--arch transformer_alone_toy --share-all-embeddings --source-lang a --target-lang b
--encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 32 --decoder-embed-dim 32
--encoder-ffn-embed-dim 64 --decoder-ffn-embed-dim 64 --alone-inter-dim 64
--dropout 0.1 --optimizer adam --lr 0.005 --clip-norm 1.0
--criterion label_smoothed_cross_entropy --label-smoothing 0.1 --max-tokens 200
--update-epoch-batch-itr True --cpu --no-progress-bar --log-format json --log-interval 1
--num-workers 0 --seed 3 --max-update {UPDATES}
--save-interval-updates {SAVE_INTERVAL} --keep-interval-updates 3
""".split()
_CLOCKS = {"created", "seconds", "train_seconds", "train_tokens_per_second"}
_LOGS = {"lock", "prepare.log", "evaluation.log", "errors", "train.log", "code"}


@dataclass(frozen=True)
class Job:
    """Something that a user starts, and starts again after a kill.

    Attributes:
        name: What it is called in the record.
        start: Starts it in a folder: one program, or several that work together.
        result: What must be the same after kills as without, of that folder.
        begin: Puts into a new folder what is there before the first start.
        cost: Seconds of a kill, about, on one core: how a number of kills is shared.
    """

    name: str
    start: Callable[[Programs, Path], list[Program]]
    result: Callable[[Path], object]
    begin: Callable[[Programs, Path], None] = lambda *_: None
    cost: float = 3.0


def digest(value: Any) -> str:
    """Give one checksum of tensors and plain data, the same for equal values."""
    found = hashlib.sha256()
    _add(value, found.update)
    return found.hexdigest()


def _add(value: Any, update: Callable[[bytes], None]) -> None:
    if isinstance(value, torch.Tensor):
        update(value.contiguous().flatten().view(torch.uint8).numpy().tobytes())
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            update(f"{key}:".encode())
            _add(value[key], update)
    elif isinstance(value, list | tuple):
        for part in value:
            _add(part, update)
    else:
        update(f"{value!r};".encode())


def _checkpoint(path: Path) -> dict[str, str]:
    state = checkpoints.load(path)
    extra = state.get("extra_state", {})
    parts = {
        "model": state["model"],
        "optimiser": state.get("last_optimizer_state"),
        # The history has an entry for each start.
        "schedule": state["optimizer_history"][-1],
        "data": extra["train_iterator"],
        "best": extra["best"],
    }
    return {name: digest(part)[:12] for name, part in parts.items()}


def _names(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))


# training


def train(programs: Programs, folder: Path) -> list[Program]:
    """Start a small training, which saves to ``run`` in a folder."""
    flags = [programs.corpus, *_TRAINING, "--save-dir", folder / "run"]
    return [programs.fairseq("train", *flags)]


def _train_on_two(programs: Programs, folder: Path) -> list[Program]:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    group = ["--distributed-world-size", 2, "--distributed-no-spawn"]
    group += ["--distributed-init-method", f"tcp://localhost:{port}"]
    group += ["--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp"]
    flags = [programs.corpus, *_TRAINING, *group, "--save-dir", folder / "run"]
    return [
        programs.fairseq("train", *flags, "--distributed-rank", rank)
        for rank in range(2)
    ]


def _trained(folder: Path) -> object:
    return _names(folder / "run"), _checkpoint(folder / "run" / "checkpoint_last.pt")


# averaging and reconstruction


def _begin_average(programs: Programs, folder: Path) -> None:
    if not programs.trained.exists():
        [trained] = train(programs, programs.trained.parent / "for averages")
        assert trained.wait().returncode == 0
        (programs.trained.parent / "for averages" / "run").rename(programs.trained)
    for file in programs.trained.glob("checkpoint_*.pt"):
        shutil.copy(file, folder)


def _average(programs: Programs, folder: Path) -> list[Program]:
    flags = ["--num-update-checkpoints", 3, "--output", folder / "averaged.pt"]
    return [programs.tool("average", "--inputs", folder, *flags)]


def _averaged(folder: Path) -> object:
    return _names(folder), sha256(folder / "averaged.pt")


def _reconstruct(programs: Programs, folder: Path) -> list[Program]:
    flags = ["--words", 60, "--epochs", 150, "--save-interval", 10, "--batch-size", 16]
    flags += ["--alone-inter-dim", 64, "--json", folder / "facts.json"]
    flags += ["--vectors-out", folder / "made.vec", "--output", folder / "fit.pt"]
    return [programs.tool("reconstruct", programs.vectors, *flags)]


def _reconstructed(folder: Path) -> object:
    state = checkpoints.read(folder / "fit.pt")
    return _names(folder), digest(state["embedding"]), sha256(folder / "made.vec")


def _learn_codes(programs: Programs, folder: Path) -> list[Program]:
    flags = ["--codes", "4x4", "--seed", "1,2", "--words", 60, "--iterations", 400]
    flags += ["--check-interval", 40, "--batch-size", 16, "--records", folder / "made"]
    flags += ["--output", folder / "codes.pt"]
    return [programs.tool("codes", "learn", programs.vectors, *flags)]


def _learned(folder: Path) -> object:
    files = sorted(folder.glob("*.pt"))
    states = {file.name: digest(checkpoints.read(file)["embedding"]) for file in files}
    return _names(folder), states


def _begin_tagging(programs: Programs, folder: Path) -> None:
    del programs
    text = "a/DET dog/NOUN barks/VERB and/CCONJ the/DET dogs/NOUN bark/VERB too/ADV"
    rows = [
        f"{number}\t{word.replace('/', chr(9) + '_' + chr(9))}" + "\t_" * 6
        for number, word in enumerate(text.split(), 1)
    ]
    (folder / "treebank").mkdir(parents=True)
    for part, count in (("train", 60), ("dev", 20), ("test", 20)):
        sentences = ["\n".join(rows[i % 6 :]) + "\n\n" for i in range(count)]
        file = folder / "treebank" / f"x-{part}.conllu"
        file.write_text("".join(sentences))


def _tag(programs: Programs, folder: Path) -> list[Program]:
    flags = ["--lr", "0.001,0.002", "--dropout", "0.3", "--seed", "1,2"]
    flags += ["--epochs", 8, "--batch-size", 4, "--hidden", 8, "--dim", 8]
    flags += ["--embedding-method", "hashed", "--output", folder / "tags"]
    return [programs.tool("tag", folder / "treebank", *flags)]


def _tagged(folder: Path) -> object:
    return _names(folder), sha256(folder / "tags" / "summary.json")


def _begin_sentiment(programs: Programs, folder: Path) -> None:
    del programs
    (folder / "reviews").mkdir(parents=True)
    for part, count in (("train", 60), ("test", 20)):
        lines = [
            f"{i % 2}\tw{i % 7} w{i % 2} w{i % 11}{' w5' * (i % 4)}\n"
            for i in range(count)
        ]
        (folder / "reviews" / f"{part}.tsv").write_text("".join(lines))


def _classify(programs: Programs, folder: Path) -> list[Program]:
    flags = ["--epochs", 12, "--hidden", 8, "--batch-size", 4, "--lr", "0.01"]
    flags += ["--save-interval", 3, "--output", folder / "record.json"]
    reviews = ["--reviews", folder / "reviews"]
    return [programs.tool("sentiment", "train", programs.vectors, *reviews, *flags)]


def _classified(folder: Path) -> object:
    record = json.loads((folder / "record.json").read_text())
    return _names(folder), record["valid"], record["test"]


# the project's scripts


def _begin_preparation(programs: Programs, folder: Path) -> None:
    programs.prepare_scripts()
    shutil.copytree(programs.toy / "raw", folder / "raw")


def _prepare(programs: Programs, folder: Path) -> list[Program]:
    flags = ["--output", folder, "--merges", 300, "--workers", 2]
    return [programs.script("data-prep/prepare_bpe.sh", folder.parent, *flags)]


def _prepared(folder: Path) -> object:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {
        str(file.relative_to(folder)): sha256(file)
        for file in files
        if file.name not in _LOGS
    }


def _begin_row(programs: Programs, folder: Path) -> None:
    programs.prepare_scripts()
    shutil.copytree(programs.toy, folder / "data" / "toy", dirs_exist_ok=True)


def _begin_evaluation(programs: Programs, folder: Path) -> None:
    _begin_row(programs, folder)
    shutil.copytree(programs.row, folder / "runs" / "toy" / "lookup--seed1")


def _evaluate(programs: Programs, folder: Path) -> list[Program]:
    return [programs.script("scripts/evaluate.sh", folder, "configs/toy/lookup.flags")]


def _reproduce(programs: Programs, folder: Path) -> list[Program]:
    flags = ["toy", "--rows", "lookup", "--max-update", 3]
    return [programs.script("scripts/reproduce.sh", folder, *flags)]


def _recorded(folder: Path) -> object:
    file = folder / "results" / "toy" / "lookup--seed1.json"
    record = json.loads(file.read_text())
    # Paths of this folder, and what fairseq's own clock said, are not the result.
    kept = {k: v for k, v in record.items() if k not in {*_CLOCKS, "command"}}
    texts = [sha256(path) for path in sorted(file.parent.glob("*.gz"))]
    return re.sub(re.escape(str(folder)), "", json.dumps(kept, sort_keys=True)), texts


JOBS = (
    Job("training", train, _trained),
    Job("training, two processes", _train_on_two, _trained, cost=6),
    Job("averaging", _average, _averaged, _begin_average, cost=1),
    Job("reconstruction", _reconstruct, _reconstructed, cost=2),
    Job("codes learn", _learn_codes, _learned, cost=3),
    Job("sentiment", _classify, _classified, _begin_sentiment, cost=3),
    Job("tagging", _tag, _tagged, _begin_tagging, cost=3),
    Job("corpus preparation", _prepare, _prepared, _begin_preparation, cost=10),
    Job("evaluation", _evaluate, _recorded, _begin_evaluation, cost=25),
    Job("reproduce.sh", _reproduce, _recorded, _begin_row, cost=40),
)
"""All jobs; a new command that works for long is one line here."""
