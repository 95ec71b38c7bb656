"""What these tests remember of a configuration is what fairseq would compose."""

from argparse import Namespace
from pathlib import Path

import fairseq.dataclass.utils
import pytest
from fairseq import options
from hydra.experimental import compose, initialize
from omegaconf import OmegaConf

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
