"""A method of another plugin's: no more than a new method has to write."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn

from alone_fairseq.embeddings import (
    CONFIGS,
    EMBEDDINGS,
    CompactEmbedding,
    MethodOptions,
    TableSize,
    option,
    register_embedding,
)

NAME = "made_up"


@dataclass
class MadeUpConfig(MethodOptions):
    """Options of the made-up method."""

    made_up_waves: int = option(6, "number of waves", at_least=1)


class MadeUpEmbedding(CompactEmbedding):
    """Words on waves of several frequencies, and a matrix."""

    def lay_out(self, config: MadeUpConfig, size: TableSize) -> None:
        self.waves = config.made_up_waves
        self.matrix = nn.Parameter(torch.empty(self.waves, size.embedding_dim))

    def reset_parameters(self) -> None:
        nn.init.normal_(self.matrix)

    def rows(self, tokens: Tensor) -> Tensor:
        frequencies = torch.arange(1, self.waves + 1, device=tokens.device)
        angles = (tokens + 1).unsqueeze(-1) * frequencies
        return angles.float().sin().to(self.matrix.dtype) @ self.matrix


@pytest.fixture
def made_up() -> Iterator[str]:
    """The name of the made-up method, which is registered for one test."""
    from fairseq import models

    registries = [EMBEDDINGS, CONFIGS, models.ARCH_CONFIG_REGISTRY]
    registries += [models.ARCH_MODEL_REGISTRY, models.ARCH_MODEL_NAME_REGISTRY]
    before = [dict(registry) for registry in registries]
    presets = {k: [*v] for k, v in models.ARCH_MODEL_INV_REGISTRY.items()}
    register_embedding(NAME, MadeUpConfig)(MadeUpEmbedding)
    yield NAME
    for registry, content in zip(registries, before, strict=True):
        registry.clear()
        registry.update(content)
    models.ARCH_MODEL_INV_REGISTRY.update(presets)
