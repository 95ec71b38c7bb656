"""What these tests build without a command is what fairseq would compose and build."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import fairseq.dataclass.utils
import pytest
import torch
from fairseq import options, tasks
from hydra.experimental import compose, initialize
from omegaconf import OmegaConf

from tests.fairseq.built_models import Built
from tests.methods import FLAGS

# Numbers, a list, words, none, and a text with marks that Hydra's grammar knows.
OTHERS = ["--lr", "0.5,0.25", "--update-freq", "3,2", "--seed", "7", "--fp16"]
OTHERS += ["--patience", "4", "--max-tokens-valid", "99", "--save-dir", "a b=[c],{d}"]


@pytest.mark.parametrize("others", [[], OTHERS], ids=["first", "others"])
def test_it_is_the_composed_one(
    others: list[str], recipe: list[str], dictionaries: dict[str, Path], plugin: None
) -> None:
    del plugin
    words = [str(dictionaries["joint"]), *recipe]

    def arguments(*more: str) -> Namespace:
        parser = options.get_training_parser()
        return options.parse_args_and_arch(parser, [*words, *more])

    convert = fairseq.dataclass.utils.convert_namespace_to_omegaconf
    convert(arguments())
    args = arguments(*others)
    remembered = convert(args)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fairseq.dataclass.utils, "compose", compose)
        patch.setattr(fairseq.dataclass.utils, "initialize", initialize)
        composed = convert(args)
    found, expected = (
        OmegaConf.to_container(config) for config in (remembered, composed)
    )
    # Types too: a number is not its text.
    assert repr(found) == repr(expected)
    assert found["optimization"]["lr"] == ([0.5, 0.25] if others else [0.005])


@pytest.mark.parametrize("method", FLAGS)
def test_a_model_of_the_arguments_is_that_of_the_configuration(
    method: str, build: Callable[..., Built]
) -> None:
    """Commands build of the configuration, these tests of what it is made of."""
    flags = ("--dropout", 0.3, "--criterion", "chunked_label_smoothed_cross_entropy")
    built = build(*FLAGS[method], *flags, "--softmax-bias", "trained")
    torch.manual_seed(1)
    task = tasks.setup_task(built.cfg.task)
    model = task.build_model(built.cfg.model)
    assert str(model) == str(built.model)
    found, expected = model.state_dict(), built.model.state_dict()
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in found)
    criteria = task.build_criterion(built.cfg.criterion), built.criterion
    settings = [
        {key: value for key, value in vars(each).items() if isinstance(value, float)}
        for each in criteria
    ]
    assert settings[0] == settings[1] != {}
    given = {**vars(built.task.cfg), "_name": built.args.task}
    assert {name: task.cfg[name] for name in given} == given
