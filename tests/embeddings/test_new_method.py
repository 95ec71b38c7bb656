"""A registered method has flags, presets and a row in each table, and nothing to add.

tests/embeddings/test_embedding_contract.py holds it to the contract of all methods.
"""

import argparse
from argparse import Namespace

import pytest
from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_REGISTRY

from alone_experiments import params
from alone_fairseq.embeddings import TableSize, build
from alone_fairseq.errors import AloneError
from alone_fairseq.presets import SIZES
from alone_fairseq.transformer import CompactTransformerModel


def test_its_options_are_flags_of_the_model(made_up: str) -> None:
    parser = argparse.ArgumentParser()
    CompactTransformerModel.add_args(parser)
    options = {action.dest: action for action in parser._actions}
    assert options["made_up_waves"].option_strings == ["--made-up-waves"]
    assert options["made_up_waves"].help == "number of waves [6]"
    assert made_up in str(options["embedding_method"].help)


def test_it_has_a_preset_of_every_size(made_up: str) -> None:
    for size in SIZES:
        name = f"transformer_{made_up}_{size}"
        assert ARCH_MODEL_REGISTRY[name] is CompactTransformerModel
        args = Namespace()
        ARCH_CONFIG_REGISTRY[name](args)
        assert args.embedding_method == made_up
        assert not hasattr(args, "made_up_waves")


def test_params_tells_its_size(
    made_up: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    params.add_arguments(parser)
    params.run(parser.parse_args(["--made-up-waves", "10", "--dim", "512"]))
    (row,) = (x for x in capsys.readouterr().out.splitlines() if made_up in x)
    assert "5,120" in row


def test_its_ranges_are_checked(made_up: str) -> None:
    with pytest.raises(AloneError, match="--made-up-waves must be at least 1, not 0"):
        build(made_up, Namespace(made_up_waves=0), TableSize(10, 4, 1))


@pytest.mark.usefixtures("made_up")
def test_its_name_is_taken() -> None:
    with pytest.raises(AloneError, match="did you mean 'made_up'"):
        build("madeup", Namespace(), TableSize(10, 4, 1))


def test_afterwards_it_is_gone() -> None:
    assert not [name for name in ARCH_CONFIG_REGISTRY if "made_up" in name]
