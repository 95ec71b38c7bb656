"""What older versions wrote is still read, with the values that they gave.

``old_checkpoints`` has a file of each writer, named by the commit that wrote
it: 81842c5 has the first models, 427233c the last format before the checks on reading.
``expected.json`` has what the writer's own code made of it: the logits of one sentence,
or the vectors of a reconstruction.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq import checkpoint_utils

from alone_experiments.reconstruction import saved
from alone_experiments.training.average import average
from alone_fairseq import checkpoints

FOLDER = Path(__file__).with_name("old_checkpoints")
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
MODELS = [name for name in EXPECTED if not name.endswith("_reconstruct")]
SOURCE, PREVIOUS = torch.tensor([[4, 5, 6, 2]]), torch.tensor([[2, 6, 5, 4]])


@pytest.fixture
def unpack(tmp_path: Path) -> Any:
    def run(name: str) -> Path:
        file = tmp_path / f"{name}.pt"
        file.write_bytes(gzip.decompress((FOLDER / f"{name}.pt.gz").read_bytes()))
        return file

    return run


def test_every_file_has_its_expected_values() -> None:
    files = {path.name.removesuffix(".pt.gz") for path in FOLDER.glob("*.pt.gz")}
    assert files == set(EXPECTED)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_the_logits_that_it_gave(name: str, unpack: Any) -> None:
    models, _, _ = checkpoint_utils.load_model_ensemble_and_task(
        [str(unpack(name))], arg_overrides={"data": str(FOLDER)}
    )
    with torch.no_grad():
        logits = models[0].eval()(SOURCE, torch.tensor([4]), PREVIOUS)[0][0]
    expected = torch.tensor(EXPECTED[name])
    torch.testing.assert_close(logits, expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_can_be_averaged(name: str, unpack: Any) -> None:
    file = unpack(name)
    averaged, alone = average([file, file])["model"], checkpoints.load(file)["model"]
    torch.testing.assert_close(averaged, alone, rtol=1e-6, atol=0)


def test_a_reconstruction_gives_the_vectors_that_it_gave(unpack: Any) -> None:
    vectors = saved.load(unpack("427233c_reconstruct")).word_vectors().vectors
    expected = torch.tensor(EXPECTED["427233c_reconstruct"])
    torch.testing.assert_close(torch.from_numpy(vectors), expected, rtol=0, atol=2e-5)
