"""Everything that reads a file of a user's, with a good file of each kind."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import math
import struct
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from alone_experiments.codes import code_file
from alone_experiments.codes.shapes import Shape
from alone_experiments.corpora.description import read_archives, read_description
from alone_experiments.corpora.options import make_parser
from alone_experiments.evaluation.generation import parse_generation, parse_nbest
from alone_experiments.lines import read_lines
from alone_experiments.reconstruction import saved
from alone_experiments.reconstruction.target_arguments import load_dictionary
from alone_experiments.results.result_files import read_records
from alone_experiments.tagging.treebank import read_sentences
from alone_experiments.text.subwords import Subwords
from alone_experiments.training.experiment import read_flags
from alone_experiments.training.training_log import read_training_log
from alone_experiments.word_vectors.analogy import read_questions
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_lists import read_word_list
from alone_experiments.word_vectors.word_pairs import read_pairs
from alone_fairseq import checkpoints
from alone_fairseq.embeddings import TableSize, build
from tests.fairseq.conftest import ROOT


@dataclass(frozen=True)
class Reader:
    """A reader of files.

    Attributes:
        name: What it reads.
        read: Reads a file, and asserts what must hold of whatever it returns.
        good: Files that it reads.
        ending: Of the file's name, where that matters.
    """

    name: str
    read: Callable[[Path], Any]
    good: Sequence[bytes]
    ending: str = ""


def _vectors(path: Path) -> None:
    found = VectorFile(path).read()
    assert found.vectors.shape[0] == len(found.words) == len(set(found.words)) > 0
    assert np.isfinite(found.vectors).all()


def _pairs(path: Path) -> None:
    pairs = read_pairs(path)
    assert pairs
    assert all(math.isfinite(pair.score) and pair.first for pair in pairs)


def _questions(path: Path) -> None:
    assert all(len(question.words) == 4 for question in read_questions(path))


def _word_list(path: Path) -> None:
    words = read_word_list(path)
    assert len(words) == len(set(words)) > 0


def _generated(path: Path) -> None:
    lines = read_lines(path)
    for kind in "HDT":
        for hypotheses in parse_nbest(lines, kind).values():
            assert all(math.isfinite(each.score) for each in hypotheses)
    parse_generation(lines)


def _codes(path: Path) -> None:
    subwords = Subwords(path)
    line = "the lowest wider prices"
    assert subwords.split(line).replace("@@ ", "") == line


def _packed(path: Path) -> None:
    packed = code_file.read(path)
    assert len(packed.words) == len(packed.vectors()) > 0
    assert np.isfinite(packed.vectors()).all()


def _treebank(path: Path) -> None:
    for sentence in read_sentences(path, "upos"):
        assert len(sentence.words) == len(sentence.tags) > 0
        assert all(sentence.words)


def _checkpoint(path: Path) -> None:
    for tensor in checkpoints.load(path)["model"].values():
        assert not tensor.is_floating_point() or tensor.isfinite().all()


def _reconstruction(path: Path) -> None:
    found = saved.load(path).word_vectors()
    assert len(found.words) == len(found.vectors)


def _description(path: Path) -> None:
    make_parser(read_description(path))


def _log(path: Path) -> None:
    log = read_training_log(path.read_text(errors="replace").split("\n"))
    assert log.updates >= 0


def _records(path: Path) -> None:
    read_records(path.parent)


def _tensors(state: object, new: bool = True) -> bytes:
    buffer = io.BytesIO()
    torch.save(state, buffer, _use_new_zipfile_serialization=new)
    return buffer.getvalue()


def _checkpoints() -> list[bytes]:
    torch.manual_seed(1)
    model = {"a.weight": torch.randn(4, 5), "b": torch.arange(3)}
    options = argparse.Namespace(arch="transformer_alone_toy")
    state = {"model": model, "args": options, "extra_state": {"epoch": 1}}
    return [_tensors(state), _tensors(state, new=False)]


def _reconstructions() -> list[bytes]:
    from alone_fairseq.saved_embedding import to_state

    torch.manual_seed(1)
    small = argparse.Namespace(alone_inter_dim=4, alone_base_dim=4)
    embedding = build("alone", small, TableSize(6, 4, 0))
    rest = {"specials": 0, "fitted": torch.arange(6), "facts": {}}
    rest["held_out"] = torch.zeros(0, dtype=torch.int64)
    return [_tensors({**to_state(embedding, [*"abcdef"]), **rest})]


def _packed_codes() -> list[bytes]:
    random = np.random.RandomState(1)
    codes = random.randint(0, 4, (5, 3)).astype(np.uint16)
    codewords = random.randn(12, 6).astype(np.float32)
    packed = code_file.PackedCodes(Shape(3, 4), [*"abcde"], codes, codewords)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "codes"
        made = []
        for precision in code_file.PRECISIONS:
            code_file.write(packed, file, precision)
            made.append(file.read_bytes())
    return made


_TEXT = b"the 0.1 -2.5 3e-2\nof 1 2 3\n\xc3\xa9t\xc3\xa9 0 0 .5\n"
_BINARY = b"2 3\n" + b"".join(
    word + b" " + struct.pack("<3f", 0.5, -1, 2) + b"\n" for word in (b"the", b"of")
)
_GENERATED = (
    b"2026-01-01 | INFO | x\nS-0\tThe dog\nT-0\tDer Hund\nH-0\t-0.5\tDer H@@ und\n"
    b"D-0\t-0.5\tDer Hund\nP-0\t-0.1 -0.2\nH-1\t-1\t\nH-2\t-3.5e-1\ta\n"
)
_PAIRS = [
    b"word1\tword2\tPOS\tSimLex999\nold\tnew\tA\t1.58\nbig\tlarge\tA\t9.5\n",
    b"# a comment\nsun-n sunlight-n 50.000000\nriver-n water-n 49.0\n",
    b"gem;jewel;3.94\ncord;smile;0.02\n",
]
_LOG = b"""2026-01-01 10:00:00 | INFO | fairseq_cli.train | training on 1 devices
2026-01-01 10:00:05 | INFO | train_inner | {"num_updates": "10", "wps": "100.5"}
2026-01-01 10:00:09 | INFO | valid | {"valid_loss": "3.5", "valid_ppl": "9", \
"valid_num_updates": "10"}
2026-01-01 10:00:11 | INFO | train | {"train_wps": "99"}
"""


def readers() -> list[Reader]:
    """List all of them."""
    toml = [path.read_bytes() for path in sorted((ROOT / "data-prep").glob("*.toml"))]
    described = [text for text in toml if b"\nraw = " in text]
    archives = [text for text in toml if b"[[archive]]" in text]
    flags = [
        (ROOT / "configs" / name).read_bytes()
        for name in ("toy/recipe.flags", "toy/alone_real.flags")
    ]
    record = sorted((ROOT / "results" / "toy").glob("*--seed1.json"))[0].read_bytes()
    return [
        Reader("word vectors, text", _vectors, [_TEXT, b"3 3\n" + _TEXT]),
        Reader("word vectors, binary", _vectors, [_BINARY]),
        Reader("word vectors, gzipped", _vectors, [gzip.compress(_TEXT * 9, mtime=0)]),
        Reader("word pairs", _pairs, _PAIRS),
        Reader("analogy questions", _questions, [b": capital\na b c d\ne f g h\n"]),
        Reader("word lists", _word_list, [b"the 10\nof 7\nand 7\n", b"the\nof\n"]),
        Reader("dictionaries", load_dictionary, [b"the 10\nof 7\nx 1 #fairseq:dup\n"]),
        Reader("output of generation", _generated, [_GENERATED]),
        Reader("subword codes", _codes, [b"#version: 0.2\nl o\nlo w</w>\ne r</w>\n"]),
        Reader("treebanks", _treebank, [b"1\tdog\t_\tNOUN" + b"\t_" * 6 + b"\n\n"]),
        Reader("checkpoints", _checkpoint, _checkpoints()),
        Reader("packed codes", _packed, _packed_codes()),
        Reader("reconstructions", _reconstruction, _reconstructions()),
        Reader("descriptions of corpora", _description, described, ".toml"),
        Reader("tables of archives", read_archives, archives, ".toml"),
        Reader("files of flags", read_flags, flags),
        Reader("logs of trainings", _log, [_LOG]),
        Reader("records", _records, [record, json.dumps({"row": 1}).encode()], ".json"),
    ]
