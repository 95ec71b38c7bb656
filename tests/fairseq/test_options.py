"""fairseq's options of the Transformer work with every embedding, or are refused."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from fairseq import options, tasks
from fairseq.data import Dictionary
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.logging import metrics
from fairseq.sequence_generator import SequenceGenerator
from fairseq.trainer import Trainer

METHODS = ["lookup", "low_rank", "random", "alone-real", "alone-binary"]

VARIANTS = {
    "all tied": [],
    "decoder tied": ["separate", "--share-decoder-input-output-embed"],
    "decoder tied, one dictionary": ["untied", "--share-decoder-input-output-embed"],
    "nothing tied": ["separate"],
    "embeddings of two sizes": ["separate", "--decoder-embed-dim", 48],
    "unscaled": ["--no-scale-embedding"],
    "embeddings normalised": ["--layernorm-embedding"],
    "normalised after": ["after"],
    "learned positions": ["--encoder-learned-pos", "--decoder-learned-pos"],
    "no positions": ["--no-token-positional-embeddings"],
    "layer drop": ["--encoder-layerdrop", 0.5, "--decoder-layerdrop", 0.5],
    "noise, products": ["--quant-noise-pq", 0.1, "--quant-noise-pq-block-size", 4],
    "recomputed layers": ["--checkpoint-activations"],
    "half precision": ["--fp16", "--fp16-no-flatten-grads"],
    "half precision, thrifty": ["--memory-efficient-fp16"],
}


class Built(NamedTuple):
    """What fairseq makes of a command line."""

    cfg: Any
    task: Any
    model: Any
    criterion: Any


def write_dictionaries(folder: Path, sizes: tuple[int, int]) -> Path:
    """Write dictionaries, and no data, for languages a and b."""
    for language, size in zip("ab", sizes, strict=True):
        lines = "".join(f"w{number} {100 - number}\n" for number in range(size))
        (folder / f"dict.{language}.txt").write_text(lines)
    return folder


@pytest.fixture(scope="module")
def dictionaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with the same dictionary for both languages, and with two."""
    return {
        name: write_dictionaries(tmp_path_factory.mktemp("dictionaries"), sizes)
        for name, sizes in (("joint", (30, 30)), ("separate", (30, 21)))
    }


@pytest.fixture
def build(
    plugin: None, recipe: list[str], dictionaries: dict[str, Path]
) -> Callable[..., Built]:
    """A function from flags to a model, as fairseq-train builds it."""
    del plugin

    def run(*flags: object) -> Built:
        words = [str(flag) for flag in flags]
        base = list(recipe)
        if "separate" in words or "untied" in words:
            base.remove("--share-all-embeddings")
        if "after" in words:
            base.remove("--encoder-normalize-before")
            base.remove("--decoder-normalize-before")
        folder = dictionaries["separate" if "separate" in words else "joint"]
        words = [word for word in words if word not in ("separate", "untied", "after")]
        parser = options.get_training_parser()
        args = options.parse_args_and_arch(parser, [str(folder), *base, *words])
        cfg = convert_namespace_to_omegaconf(args)
        torch.manual_seed(1)
        task = tasks.setup_task(cfg.task)
        model = task.build_model(cfg.model)
        return Built(cfg, task, model, task.build_criterion(cfg.criterion))

    return run


def make_batch(task: Any) -> dict[str, Any]:
    """Make two sentences of which one is padded, in fairseq's form of a batch."""
    source_dictionary, target_dictionary = (
        task.source_dictionary,
        task.target_dictionary,
    )
    words = [[4, 5, 6, 7], [8, 9]]

    def stack(rows: list[list[int]], pad: int, left: bool) -> torch.Tensor:
        length = max(map(len, rows))
        padded = [
            [pad] * (length - len(r)) + r if left else r + [pad] * (length - len(r))
            for r in rows
        ]
        return torch.tensor(padded)

    eos, pad = target_dictionary.eos(), target_dictionary.pad()
    source = stack([[*w, eos] for w in words], source_dictionary.pad(), left=True)
    target = stack([[*w[::-1], eos] for w in words], pad, left=False)
    previous = stack([[eos, *w[::-1]] for w in words], pad, left=False)
    net_input = {
        "src_tokens": source,
        "src_lengths": torch.tensor([len(w) + 1 for w in words]),
        "prev_output_tokens": previous,
    }
    ntokens = sum(len(w) + 1 for w in words)
    sizes = {"ntokens": ntokens, "nsentences": len(words), "id": torch.arange(2)}
    return {**sizes, "net_input": net_input, "target": target}


def train(built: Built, updates: int) -> list[float]:
    """Train with fairseq's trainer on one batch; returns the loss of each update."""
    metrics.reset()
    trainer = Trainer(built.cfg, built.task, built.model, built.criterion)
    trainer._dummy_batch = make_batch(built.task)
    losses = []
    for _ in range(updates):
        logs = trainer.train_step([make_batch(built.task)])
        losses.append(float(logs["nll_loss"]))
    return losses


def logits(model: Any, batch: dict[str, Any]) -> torch.Tensor:
    model.eval()
    with torch.no_grad():
        output: torch.Tensor = model(**batch["net_input"])[0].float()
    return output


def trained_parameters(model: Any) -> dict[str, torch.Tensor]:
    named = model.named_parameters()
    return {n: p.detach().clone() for n, p in named if p.requires_grad}


FEW = {"low_rank": ["decoder tied", "nothing tied"], "random": ["decoder tied"]}


@pytest.mark.parametrize(
    ("method", "variant"),
    [
        (method, variant)
        for method in ("lookup", "low_rank", "random", "alone-real", "alone-binary")
        for variant in (
            VARIANTS if method == "alone-real" else FEW.get(method, ["all tied"])
        )
    ],
)
def test_option_works(
    method: str,
    variant: str,
    build: Callable[..., Built],
    methods: dict[str, list[str]],
) -> None:
    learning = ("--warmup-updates", 1, "--lr", 0.002, "--dropout", 0)
    built = build(*methods[method], *VARIANTS[variant], *learning)
    before = trained_parameters(built.model)
    losses = train(built, 3)
    assert losses[-1] < losses[0]
    if "layer drop" not in variant:  # a dropped layer learns nothing
        after = trained_parameters(built.model)
        unchanged = {n for n in before if torch.equal(after[n].float(), before[n])}
        # The softmax over positions does not see what is added to all keys.
        assert all(name.endswith("k_proj.bias") for name in unchanged)

    again = built.task.build_model(built.cfg.model)
    again.load_state_dict(built.model.state_dict())
    again.to(next(built.model.parameters()).dtype)
    batch = make_batch(built.task)
    torch.testing.assert_close(logits(again, batch), logits(built.model, batch))
    generator = SequenceGenerator(
        [built.model], built.task.target_dictionary, beam_size=2, max_len_b=5
    )
    found = generator.generate([built.model], batch)
    assert len(found) == 2
    assert all(torch.isfinite(sentence[0]["score"]) for sentence in found)


def test_tying_is_what_the_flags_say(build: Callable[..., Built]) -> None:
    def embeddings(model: Any) -> tuple[Any, Any]:
        return model.encoder.embed_tokens, model.decoder.embed_tokens

    model = build().model
    encoder, decoder = embeddings(model)
    assert encoder is decoder
    assert model.decoder.output_projection.embedding is decoder

    for words in ("separate", "untied"):
        model = build(words, "--share-decoder-input-output-embed").model
        encoder, decoder = embeddings(model)
        assert encoder is not decoder
        assert model.decoder.output_projection.embedding is decoder

    model = build("separate").model
    encoder, decoder = embeddings(model)
    assert encoder is not decoder
    assert type(model.decoder.output_projection) is torch.nn.Linear
    assert model.decoder.output_projection.weight.shape == (
        decoder.num_embeddings,
        decoder.embedding_dim,
    )


# TorchScript, as fairseq's own tests of it export models


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tying", ["all tied", "nothing tied"])
def test_scripted_model_says_the_same(
    method: str,
    tying: str,
    build: Callable[..., Built],
    methods: dict[str, list[str]],
) -> None:
    built = build(*methods[method], *VARIANTS[tying])
    batch = make_batch(built.task)
    expected = logits(built.model, batch)
    scripted = reload(torch.jit.script(built.model))
    torch.testing.assert_close(logits(scripted, batch), expected)
    built.model.train()
    torch.jit.script(built.model)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", METHODS)
def test_scripted_generator_says_the_same(
    method: str, build: Callable[..., Built], methods: dict[str, list[str]]
) -> None:
    built = build(*methods[method])
    train(built, 2)
    batch = make_batch(built.task)
    beam = {"beam_size": 2, "max_len_b": 6}
    generator = SequenceGenerator([built.model], built.task.target_dictionary, **beam)
    expected = generator.forward(batch)
    scripted = reload(torch.jit.script(generator))
    tensors = {"net_input": batch["net_input"]}
    found = scripted.forward(tensors)
    for sentence, other in zip(found, expected, strict=True):
        for hypothesis, expected_one in zip(sentence, other, strict=True):
            assert torch.equal(hypothesis["tokens"], expected_one["tokens"])
            torch.testing.assert_close(hypothesis["score"], expected_one["score"])


def reload(scripted: Any) -> Any:
    """Save and load a scripted module."""
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


# what cannot work

REFUSED = {
    "encoder vectors": (["--encoder-embed-path", "x.vec"], "--encoder-embed-path"),
    "decoder vectors": (["--decoder-embed-path", "x.vec"], "--decoder-embed-path"),
    "adaptive softmax": (["--adaptive-softmax-cutoff", "10,20"], "--adaptive-softmax"),
    "adaptive input": (["--adaptive-input"], "--adaptive-input"),
    "adaptive weights": (["--tie-adaptive-weights"], "--tie-adaptive-weights"),
    "base layers": (["--base-layers", 1], "--base-layers"),
    "two sizes": (["--decoder-embed-dim", 48], "--decoder-embed-dim"),
    "output size": (["--decoder-output-dim", 48], "--decoder-output-dim"),
    "sharded": (["--ddp-backend", "fully_sharded"], "--ddp-backend"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_refused_before_data_are_read(case: str, build: Callable[..., Built]) -> None:
    """The folders of these tests hold dictionaries and no data."""
    from alone_fairseq.errors import AloneError

    flags, name = REFUSED[case]
    with pytest.raises(AloneError) as caught:
        build(*flags)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_different_dictionaries_are_not_shared(
    build: Callable[..., Built], dictionaries: dict[str, Path]
) -> None:
    from alone_fairseq.errors import AloneError

    assert Dictionary.load(str(dictionaries["separate"] / "dict.a.txt")) != (
        Dictionary.load(str(dictionaries["separate"] / "dict.b.txt"))
    )
    with pytest.raises(AloneError, match="--joined-dictionary"):
        build("separate", "--share-all-embeddings")


@pytest.mark.slow
@pytest.mark.parametrize("case", list(REFUSED))
def test_training_refuses_in_one_line(
    case: str,
    train_with: Callable[..., Any],
) -> None:
    flags, name = REFUSED[case]
    train_with(*flags).assert_refused(name)


@pytest.fixture
def train_with(
    run_command: Callable[..., Any],
    recipe: list[str],
    dictionaries: dict[str, Path],
    tmp_path: Path,
) -> Callable[..., Any]:
    """A function that starts fairseq-train where there are no data."""

    def run(*flags: object) -> Any:
        words = (dictionaries["joint"], *recipe, "--save-dir", tmp_path, *flags)
        return run_command("train", *words, check=False)

    return run
