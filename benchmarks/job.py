"""What is measured: a variant of the embedding, and one job with it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, replace
from typing import Any

import torch

from alone_fairseq.embeddings import CONFIGS
from alone_fairseq.embeddings.options import flag_of

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


JOINT_DIM = 512
LEARN = ("_levers", "_recipe")
"""Endings of variants of ALONE that Muon trains; see :class:`Variant`."""
HALF = "_half"
HALF_FLAGS = {
    "alone": ["--alone-filter", "real", "--alone-relu-dropout", "0"],
    "codes": ["--codes-codebook-size", "64"],
}
"""Of the variants at half of look-up's values: what is not a method's default."""


@dataclass(frozen=True)
class Variant:
    """One of the embeddings that are compared.

    Attributes:
        name: ``lookup``, ``published``, ``alone_real`` or ``alone_binary``; the last
            two also with ``_compiled``, for a table built by ``torch.compile``; all but
            ``published`` also with ``_chunked`` or ``_sampled``, for criteria of ours;
            ``lookup`` before these with ``_dense`` or ``_joint``, for a softmax matrix
            of its own or a joint layer of 512;
            ALONE also with ``_levers``, for the options that make it learn
            (docs/learning.md), or ``_recipe``, with 32 own values a word and Muon for
            the Transformer's layers as well, as ``--recipe small`` has them.
            Or ``codes_MxK``, which scores words through the table, and
            ``codes_MxK_sums``, which adds the scores of codewords. Or a method with
            ``_half``, of the size that has half of look-up's values; or ``random``.
        inter_dim: Inner size ``H`` of ALONE's network; 0 for the look-up table.
        relu_dropout: ALONE's dropout on input look-ups while training.
    """

    name: str
    inter_dim: int = 0
    relu_dropout: float = 0.0

    @property
    def method(self) -> str:
        """Its name for ``--embedding-method``."""
        if self.name.endswith(HALF):
            return self.name.removesuffix(HALF)
        return self.name.partition("_")[0]

    @property
    def compiled(self) -> bool:
        """Whether ``torch.compile`` builds its table."""
        return self.name.endswith("_compiled")

    @property
    def plain(self) -> Variant:
        """The same without such an ending; itself if it has none."""
        name = self.name
        for ending in ("_compiled", "_chunked", "_sampled", *LEARN, "_sums"):
            name = name.removesuffix(ending)
        return replace(self, name=name)

    @property
    def criterion(self) -> str:
        """The criterion's name for ``--criterion``."""
        ending = self.name.rpartition("_")[2]
        kind = f"{ending}_" if ending in ("chunked", "sampled") else ""
        return f"{kind}label_smoothed_cross_entropy"

    @property
    def output_layer(self) -> str:
        """The layer's name for ``--output-layer``."""
        named = (n for n in ("dense", "joint") if n in self.name.split("_"))
        return next(named, "tied")

    @property
    def label(self) -> str:
        """Its name in tables."""
        words = [self.name.replace("_", " ")]
        words += [f"H={self.inter_dim}"] if self.inter_dim else []
        words += [f"dropout {self.relu_dropout:g}"] if self.relu_dropout else []
        return " ".join(words)

    def flags(self) -> list[str]:
        """Its flags for fairseq's commands."""
        flags = ["--embedding-method", self.method]
        if self.inter_dim:
            kind = "binary" if self.name.startswith("alone_binary") else "real"
            flags += ["--alone-filter", kind, "--alone-inter-dim", str(self.inter_dim)]
            flags += ["--alone-relu-dropout", str(self.relu_dropout)]
        if self.name.endswith(HALF):
            size = CONFIGS[self.method]().free_size()
            assert size is not None  # else it would be no such variant
            flags += [flag_of(size), "auto:0.5", *HALF_FLAGS.get(self.method, [])]
        elif self.method == "codes":
            books, values = self.name.split("_")[1].split("x")
            flags += ["--codes-num-codebooks", books, "--codes-codebook-size", values]
        if self.output_layer != "tied":
            flags += ["--output-layer", self.output_layer]
        if self.output_layer == "joint":
            flags += ["--joint-dim", str(JOINT_DIM)]
        if self.name.endswith(LEARN):
            flags += ["--alone-centre", "--alone-initial-scale", "lookup_layer"]
            flags += ["--softmax-bias", "unigram"]
        if self.name.endswith("_recipe"):
            flags += ["--alone-own-dim", "32"]
        return flags

    @property
    def muon_for(self) -> str:
        """What Muon trains, for ``--muon-for``; nothing where Adam trains all."""
        if self.name.endswith("_recipe"):
            return "network,hidden"
        return "network" if self.name.endswith("_levers") else ""


@dataclass(frozen=True)
class Model:
    """Sizes of the Transformer around the embedding; the defaults are its base size."""

    dim: int = 512
    ffn_dim: int = 2048
    layers: int = 6
    heads: int = 8

    def flags(self, language_model: bool = False) -> list[str]:
        """Its flags for fairseq's commands.

        Args:
            language_model: Whether it is the decoder alone.
        """
        flags = ["--arch", "transformer_compact", "--share-all-embeddings"]
        if language_model:
            flags = ["--arch", "transformer_lm_compact"]
            flags += ["--share-decoder-input-output-embed"]
        for side in ("decoder",) if language_model else ("encoder", "decoder"):
            flags += [f"--{side}-embed-dim", str(self.dim)]
            flags += [f"--{side}-ffn-embed-dim", str(self.ffn_dim)]
            flags += [f"--{side}-layers", str(self.layers)]
            flags += [f"--{side}-attention-heads", str(self.heads)]
        return flags


@dataclass(frozen=True)
class Job:
    """One measurement, to be done in a process of its own.

    Attributes:
        kind: What to do: a key of ``job_kinds.KINDS``.
        variant: The embedding; ``None`` where none is needed.
        model: Sizes of the model; its ``dim`` is that of the embedding too.
        vocabulary: Vocabulary size ``V``.
        tokens: Target tokens of a micro-batch.
        update_freq: Micro-batches of an update.
        length: Tokens of a sentence, its end included.
        steps: How often to do the thing while the clock runs.
        warm_up: How often to do it before.
        sentences: Sentences to translate; in decoding, after the first batch.
        batch: Sentences translated together.
        matrix_size: Side of the square matrices whose product gives the matrix rate.
        seed: Seed of weights, batches and dropout.
        threads: Threads of the process.
        precision: A key of ``DTYPES``.
        device: ``cpu`` or ``cuda``.
        folder: Folder with the corpus, and for checkpoints.
        language_model: Whether the model is a language model.
        sampled_words: Words of a sampled softmax; 0 for all.
    """

    kind: str
    variant: Variant | None = None
    model: Model = dataclasses.field(default_factory=Model)
    vocabulary: int = 0
    tokens: int = 0
    update_freq: int = 1
    length: int = 32
    steps: int = 1
    warm_up: int = 1
    sentences: int = 0
    batch: int = 0
    matrix_size: int = 0
    seed: int = 1
    threads: int = 1
    precision: str = "fp32"
    device: str = "cpu"
    folder: str = ""
    language_model: bool = False
    sampled_words: int = 0

    def to_json(self) -> str:
        """Write it in one line, always the same for the same job."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Job:
        """Read what :meth:`to_json` wrote."""
        fields: dict[str, Any] = json.loads(text)
        variant = fields["variant"] and Variant(**fields["variant"])
        return cls(**{**fields, "variant": variant, "model": Model(**fields["model"])})
