"""Models of some layers of a checkpoint: ``--{encoder,decoder}-layers-to-keep``.

fairseq's own function takes whatever is called ``layers`` for a Transformer's, and so
the networks of embeddings; it drops all layers of a side that keeps its own, and prunes
a second time what was saved pruned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def keep_layers(state: Mapping[str, Any], options: Any) -> Mapping[str, Any]:
    """Pick the layers that a model of some layers has (Fan et al., 2020, LayerDrop).

    Args:
        state: State of a model, or of such a one already.
        options: Of the model that it is to be loaded into; may be ``None``.

    Returns:
        The state, with the layers that are kept numbered from 0.
    """
    for side in ("encoder", "decoder"):
        text = getattr(options, f"{side}_layers_to_keep", None)
        kept = sorted(int(number) for number in text.split(",")) if text else []
        layer = re.compile(rf"({side}\.layers\.)(\d+)(\..*)")
        found = {name: layer.fullmatch(name) for name in state}
        there = {int(match[2]) for match in found.values() if match}
        if not kept or len(there) == len(kept):
            continue
        state = {
            f"{match[1]}{kept.index(int(match[2]))}{match[3]}" if match else name: value
            for (name, match), value in zip(found.items(), state.values(), strict=True)
            if not match or int(match[2]) in kept
        }
    return state
