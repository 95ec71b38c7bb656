"""Models written out: as an ordinary Transformer, and as safetensors."""

import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq import models, tasks

from alone_experiments import cli
from alone_experiments.export.ordinary_transformer import make_ordinary
from alone_experiments.mistakes import Mistake
from tests.fairseq.built_models import Built, make_batch
from tests.methods import FLAGS

Build = Callable[..., Built]
TYINGS = {
    "all": (),
    "decoder": ("untied", "--share-decoder-input-output-embed"),
    "none": ("untied",),
    "separate": ("separate",),
    "dense": ("--output-layer", "dense"),
    "late": ("untied", "--output-layer", "tied"),
}
BIASES = ("none", "unigram", "trained")


def shaken(built: Built) -> Built:
    """Give all parameters of a model values that no initialisation gives."""
    generator = torch.Generator().manual_seed(2)
    for parameter in built.model.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.data += 0.2 * noise
    return built


def ordinary(built: Built, state: dict[str, Any] | None = None) -> Any:
    """Export a model, and build fairseq's own from what is in the file."""
    state = {"model": built.model.state_dict(), **(state or {})}
    made = make_ordinary(state, built.model, built.args)
    options = made["args"]
    task = tasks.setup_task(options)
    model = models.build_model(options, task)
    assert type(model) is models.transformer.TransformerModel
    model.load_state_dict(made["model"])
    return model


def scores(built: Built, model: Any) -> torch.Tensor:
    """Score the words of a batch; what follows the end of a sentence is nobody's."""
    batch = make_batch(built.task)
    words = batch["net_input"]["prev_output_tokens"]
    model.eval()
    with torch.no_grad():
        found: torch.Tensor = model(**batch["net_input"])[0]
    return found[words.ne(built.task.target_dictionary.pad())]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    ("method", "tying"),
    [
        *((method, "all") for method in FLAGS),
        *(("alone-real", tying) for tying in TYINGS if tying != "all"),
    ],
)
def test_logits_are_the_same(method: str, tying: str, bias: str, build: Build) -> None:
    built = shaken(build(*TYINGS[tying], *FLAGS[method], "--softmax-bias", bias))
    expected = scores(built, built.model)
    torch.testing.assert_close(
        scores(built, ordinary(built)), expected, rtol=1e-6, atol=1e-5
    )


@pytest.mark.parametrize("after", [(), ("after",)], ids=["before", "after"])
def test_a_bias_is_held_exactly(after: tuple[str, ...], build: Build) -> None:
    built = shaken(build(*after, *FLAGS["low_rank"], "--softmax-bias", "trained"))
    found = ordinary(built)
    expected = scores(built, built.model.double())
    assert expected.std() > 1
    # The file holds single precision.
    torch.testing.assert_close(
        scores(built, found.double()), expected, rtol=0, atol=2e-6
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--softmax-bias", "unigram", "--no-decoder-final-norm"), "has a bias"),
        (
            ("untied", "--softmax-bias", "trained", "--decoder-output-dim", 16),
            "has a bias",
        ),
        (
            ("--length-ldpe", "--task", "translation_with_length"),
            "has length control",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(
    flags: tuple[object, ...], message: str, build: Build
) -> None:
    built = build(*FLAGS["lookup"], *flags)
    with pytest.raises(Mistake, match=message):
        ordinary(built)


def test_other_output_layers_are_refused(build: Build) -> None:
    built = build(*FLAGS["lookup"])
    built.model.output_layer().matrix = lambda: None
    options = Namespace(**{**vars(built.args), "output_layer": "other"})
    with pytest.raises(Mistake, match="--output-layer other is more than a matrix"):
        make_ordinary({"model": {}}, built.model, options)


def test_models_of_fairseqs_own_are_refused() -> None:
    with pytest.raises(Mistake, match="read such a checkpoint as it is"):
        make_ordinary({"model": {}}, torch.nn.Module(), Namespace(arch="fconv"))


# As on a machine without the plugin and the laboratory.
ALONE = """
import sys
sys.modules["alone_fairseq"] = sys.modules["alone_experiments"] = None
from fairseq_cli.generate import cli_main
sys.exit(cli_main())
"""
# By itself fairseq loses the last sentences of a test set whose size is no multiple.
EACH = ("--required-batch-size-multiple", 1, "--beam", 4, "--batch-size", 20, "--cpu")
HYPOTHESIS = re.compile(r"^H-(\d+)\t(\S+)\t(.*)$", re.MULTILINE)


def hypotheses(printed: str) -> dict[int, tuple[float, str]]:
    """Read the scores and translations of fairseq-generate."""
    found = HYPOTHESIS.findall(printed)
    return {int(number): (float(score), text) for number, score, text in found}


def generate_without_plugin(venv: Path, data: Path, checkpoint: Path) -> str:
    words = [data, "--path", checkpoint, "--gen-subset", "test", *EACH]
    command = [str(venv / "bin/python"), "-c", ALONE, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def biased(tmp_path_factory: pytest.TempPathFactory, train: Callable[..., Any]) -> Path:
    """A checkpoint of ALONE by the recipe that learns, after its first updates."""
    folder = tmp_path_factory.mktemp("biased")
    levers = ("--softmax-bias", "unigram", "--alone-centre", "--alone-own-dim", 8)
    muon = ("--optimizer", "adam_muon", "--max-update", 120, "--no-epoch-checkpoints")
    train(folder, *FLAGS["alone-real"], *levers, *muon)
    return folder / "checkpoint_last.pt"


@pytest.fixture
def checkpoint(request: pytest.FixtureRequest, trained: Callable[[str], Path]) -> Path:
    """The checkpoint that a test asks for by name."""
    if request.param == "biased":
        found: Path = request.getfixturevalue("biased")
        return found
    return trained(request.param) / "checkpoint_last.pt"


@pytest.fixture
def exported(checkpoint: Path, tiny_data: Path, tmp_path: Path) -> Path:
    """The same as an ordinary Transformer."""
    file = tmp_path / "ordinary.pt"
    words = ["export", checkpoint, "--to", "fairseq", "--data", tiny_data]
    cli.main([*map(str, words), "--output", str(file)])
    return file


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", ["alone-binary", "biased"], indirect=True)
def test_an_exported_model_needs_no_plugin(
    checkpoint: Path,
    exported: Path,
    tiny_data: Path,
    run_command: Callable[..., Any],
    warm_venv: Path,
) -> None:
    done = run_command("generate", tiny_data, "--path", checkpoint, *EACH)
    expected = hypotheses(done.stdout)
    found = hypotheses(generate_without_plugin(warm_venv, tiny_data, exported))
    assert found.keys() == expected.keys() == set(range(101))
    for number, (score, text) in expected.items():
        assert found[number][1] == text
        assert found[number][0] == pytest.approx(score, abs=1e-6)
    with pytest.raises(AssertionError):
        generate_without_plugin(warm_venv, tiny_data, checkpoint)


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", ["biased"], indirect=True)
def test_ctranslate2_translates_alike(
    checkpoint: Path,
    exported: Path,
    tiny_data: Path,
    tmp_path: Path,
    run_command: Callable[..., Any],
) -> None:
    ctranslate2 = pytest.importorskip("ctranslate2")
    converter = Path(sys.executable).with_name("ct2-fairseq-converter")
    command = [converter, "--model_path", exported, "--data_dir", tiny_data]
    command += ["--source_lang", "a", "--target_lang", "b"]
    command += ["--output_dir", tmp_path / "ct2"]
    subprocess.run([*map(str, command)], check=True, capture_output=True)
    # Without a division of scores by lengths, in which the two count differently: that
    # decides where a model that has learned little cannot.
    plain = (*EACH, "--unnormalized")
    done = run_command("generate", tiny_data, "--path", checkpoint, *plain)
    lines = (tiny_data.parent / "test.a").read_text().splitlines()
    translator = ctranslate2.Translator(str(tmp_path / "ct2"), compute_type="float32")
    results = translator.translate_batch(
        [line.split() for line in lines],
        beam_size=4,
        length_penalty=0,
        max_decoding_length=200,
    )
    found = [" ".join(result.hypotheses[0]) for result in results]
    expected = [hypotheses(done.stdout)[number][1] for number in range(len(lines))]
    # Where a model that has learned little never comes to an end, the two searches cut
    # it off in ways of their own.
    ended = [number for number, text in enumerate(expected) if len(text.split()) < 20]
    assert len(ended) > 90
    assert [found[n] for n in ended] == [expected[n] for n in ended]


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", ["alone-real", "biased"], indirect=True)
def test_safetensors_come_back(
    checkpoint: Path, tiny_data: Path, tmp_path: Path, run_command: Callable[..., Any]
) -> None:
    pytest.importorskip("safetensors")
    compact, back = tmp_path / "model.safetensors", tmp_path / "back.pt"
    for source, form, target in (
        (checkpoint, "safetensors", compact),
        (compact, "checkpoint", back),
    ):
        words = ["export", source, "--to", form, "--output", target]
        cli.main([str(word) for word in words])
    parameters = sum(
        tensor.numel()
        for tensor in {
            tensor.data_ptr(): tensor
            for tensor in torch.load(checkpoint)["model"].values()
        }.values()
    )
    assert 4 * parameters < compact.stat().st_size < 4 * parameters + 60_000
    first, second = (
        run_command("generate", tiny_data, "--path", path, *EACH)
        for path in (checkpoint, back)
    )
    assert hypotheses(first.stdout) == hypotheses(second.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("checkpoint", ["biased"], indirect=True)
def test_from_pretrained_translates(
    checkpoint: Path,
    exported: Path,
    tiny_data: Path,
    tmp_path: Path,
    run_command: Callable[..., Any],
) -> None:
    from alone_fairseq.transformer import CompactTransformerModel

    lines = (tiny_data.parent / "test.a").read_text().splitlines()[:20]
    done = run_command("generate", tiny_data, "--path", checkpoint, *EACH)
    expected = [hypotheses(done.stdout)[number][1] for number in range(20)]
    for path, kind in (
        (checkpoint, CompactTransformerModel),
        (exported, models.transformer.TransformerModel),
    ):
        shutil.copy(path, tmp_path / "model.pt")
        translator = kind.from_pretrained(
            str(tmp_path), "model.pt", data_name_or_path=str(tiny_data)
        )
        assert translator.translate(lines, beam=4) == expected


def test_a_name_that_could_not_be_read_again_is_refused(tmp_path: Path) -> None:
    words = ["export", "model.pt", "--to", "safetensors", "--output"]
    with pytest.raises(Mistake, match=r"m\.st has to end in \.safetensors"):
        cli.main([*words, str(tmp_path / "m.st")])


def test_bad_files_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    from safetensors.torch import save_file

    other, damaged = tmp_path / "other.safetensors", tmp_path / "bad.safetensors"
    save_file({"w": torch.ones(2)}, other)
    damaged.write_bytes(b"nothing")
    missing = tmp_path / "missing.safetensors"
    for file, message in (
        (other, "was not written by alone-fairseq export"),
        (damaged, "is no whole file of safetensors"),
        (missing, "no such file"),
    ):
        output = tmp_path / "out.pt"
        words = ["export", file, "--to", "checkpoint", "--output", output]
        with pytest.raises(Mistake, match=message):
            cli.main([str(word) for word in words])
        assert not output.exists()
