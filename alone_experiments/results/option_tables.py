"""Tables of the flags that the plugin adds to fairseq's, for the pages."""

from __future__ import annotations

import argparse
from pathlib import Path

from alone_experiments.results.code_tables import rows

Flag = tuple[argparse.Action, object]
"""A flag and its default, which the parser leaves to the presets."""


def options(root: Path, *groups: str) -> str:
    """List the flags that the plugin adds to fairseq's.

    Args:
        root: Not used.
        *groups: Keys of what :func:`flags` returns, in one table; without any all of
            them, each below a heading.

    Returns:
        Flag, default and meaning of each.
    """
    del root
    found = flags()
    if groups:
        return _table([flag for group in groups for flag in found[group]])
    return "\n\n".join(f"## {name}\n\n{_table(each)}" for name, each in found.items())


def _table(found: list[Flag]) -> str:
    return rows(("flag", "default", "meaning"), [_describe(*each) for each in found])


def flags() -> dict[str, list[Flag]]:
    """Gather the plugin's flags with their defaults.

    Returns:
        Flags by what they belong to: ``All models``, ``Length control``, and what a
        flag of fairseq's chooses, such as ``--optimizer adam_muon``.
    """
    return _model_groups() | _registered_groups()


def _model_groups() -> dict[str, list[Flag]]:
    from alone_fairseq.embeddings import CONFIGS
    from alone_fairseq.output import OUTPUT_LAYERS, layer_configs

    configs = (*CONFIGS.values(), *layer_configs())
    defaults = {k: v for config in configs for k, v in vars(config()).items()}
    groups = {f"{name}_": f"`--embedding-method {name}`" for name in CONFIGS}
    groups |= {f"{name}_": f"`--output-layer {name}`" for name in OUTPUT_LAYERS}
    groups["length_"] = "Length control"
    found: dict[str, list[Flag]] = {"All models": []}
    for action in _model_flags():
        names = (groups[prefix] for prefix in groups if action.dest.startswith(prefix))
        group = found.setdefault(next(names, "All models"), [])
        group.append((action, defaults.get(action.dest)))
    return found


def _registered_groups() -> dict[str, list[Flag]]:
    from fairseq.registry import REGISTRIES
    from fairseq.tasks import TASK_DATACLASS_REGISTRY

    registries = {"task": TASK_DATACLASS_REGISTRY}
    for kind in ("criterion", "optimizer"):
        registries[kind] = REGISTRIES[kind]["dataclass_registry"]
    return {
        f"`--{kind} {name}`": own
        for kind, registry in registries.items()
        for name, config in registry.items()
        if (own := _own_flags(config))
    }


def _model_flags() -> list[argparse.Action]:
    from fairseq.models.transformer import TransformerModel

    from alone_fairseq.transformer import CompactTransformerModel

    theirs, ours = argparse.ArgumentParser(), argparse.ArgumentParser()
    TransformerModel.add_args(theirs)
    CompactTransformerModel.add_args(ours)
    names = {action.dest for action in theirs._actions}
    return [action for action in ours._actions if action.dest not in names]


def _own_flags(config: type) -> list[Flag]:
    from fairseq.dataclass.utils import gen_parser_from_dataclass

    own = {
        name
        for each in config.__mro__
        if each.__module__.startswith("alone_fairseq")
        for name in each.__annotations__
    }
    if not own:
        return []
    parser = argparse.ArgumentParser()
    gen_parser_from_dataclass(parser, config())
    return [(each, each.default) for each in parser._actions if each.dest in own]


def _describe(action: argparse.Action, default: object) -> tuple[str, str, str]:
    meaning = (action.help or "").removesuffix(f" [{default}]")
    shown = "" if default is None else f"`{default}`"
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    return names, "off" if action.nargs == 0 else shown, meaning
