"""Length control through fairseq's own commands."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fairseq.conftest import SIZES
from tests.fairseq.test_commands import parse

pytestmark = pytest.mark.slow

TASK = ("--task", "translation_with_length")
FLAGS = (*TASK, "--length-lrpe", "--length-ldpe", "--length-ordinary")
LANGUAGES = ("--source-lang", "a", "--target-lang", "b")
SEARCH = ("--beam", 4, "--max-len-b", 30)
TEST_SENTENCES = SIZES["test"]


@pytest.fixture(scope="session")
def checkpoint(
    tmp_path_factory: pytest.TempPathFactory, train: Callable[..., Any]
) -> Path:
    """A model with length control that has learned to end where it should."""
    folder = tmp_path_factory.mktemp("controlled")
    bleu = ("--eval-bleu", "--eval-bleu-args", '{"beam": 1, "max_len_b": 12}')
    done = train(folder, *FLAGS, "--max-update", 200, *bleu)
    assert float(done.log("valid")[-1]["valid_bleu"]) >= 0
    return folder / "checkpoint_last.pt"


@pytest.fixture(scope="session")
def generate(
    checkpoint: Path, run_command: Callable[..., Any], tiny_data: Path
) -> Callable[..., Any]:
    """A function that translates the test set, with more flags."""

    def run(*flags: object, data: Path = tiny_data, **more: Any) -> Any:
        path = ("--path", checkpoint)
        words = (data, *TASK, *LANGUAGES, *path, *SEARCH, "--cpu", *flags)
        return run_command("generate", *words, **more)

    return run


def tokens_of(done: Any) -> list[int]:
    """The number of tokens of each translation, in the order of the test set."""
    found = parse(done.stdout)
    assert sorted(found) == list(range(TEST_SENTENCES))
    return [len(found[number].text.split()) for number in range(TEST_SENTENCES)]


def test_one_length_a_sentence_whatever_the_batches(
    generate: Callable[..., Any], tmp_path: Path
) -> None:
    wanted = [2 + number % 7 for number in range(TEST_SENTENCES)]
    file = tmp_path / "desired lengths.txt"
    file.write_text("".join(f"{length}\n" for length in wanted))
    texts = []
    for batch_size in (1, 16):
        done = generate("--desired-lengths", file, "--batch-size", batch_size)
        lengths = tokens_of(done)
        differences = [abs(x - y) for x, y in zip(lengths, wanted, strict=True)]
        assert sum(differences) < TEST_SENTENCES / 2
        texts.append({n: found.text for n, found in parse(done.stdout).items()})
    assert texts[0] == texts[1]


def test_nbest_sampling_and_ensemble(
    generate: Callable[..., Any], checkpoint: Path
) -> None:
    both = ("--path", f"{checkpoint}:{checkpoint}")
    done = generate("--desired-length", 6, "--sampling", "--nbest", 4, *both)
    lengths = [
        len(line.split("\t")[2].split())
        for line in done.stdout.splitlines()
        if line.startswith("H-")
    ]
    assert len(lengths) == TEST_SENTENCES * 4
    assert sum(abs(length - 6) for length in lengths) < len(lengths)


def test_interactive_says_what_generate_does(
    generate: Callable[..., Any],
    checkpoint: Path,
    run_command: Callable[..., Any],
    tiny_data: Path,
) -> None:
    lines = (tiny_data.parent / "test.a").read_text().splitlines()[:20]
    words = (tiny_data, *TASK, *LANGUAGES, "--path", checkpoint, *SEARCH, "--cpu")
    buffer = ("--buffer-size", 8, "--batch-size", 3)
    expected = {wanted: generate("--desired-length", wanted) for wanted in (4, 7)}
    # Lines with a length of their own, and lines with that of the flag.
    text = "".join(f"{x}\t4\n" if n % 2 else f"{x}\n" for n, x in enumerate(lines))
    done = run_command(
        "interactive", *words, *buffer, "--desired-length", 7, stdin=text
    )
    typed = parse(done.stdout)
    assert sorted(typed) == list(range(20))
    for number, found in typed.items():
        same = parse(expected[4 if number % 2 else 7].stdout)[number]
        assert found.text == same.text
        assert found.score == pytest.approx(same.score, abs=1e-4)
    done = run_command("interactive", *words, stdin="w1\t3\nw1\n", check=False)
    done.assert_refused("line 2", "--desired-length")


def test_scoring_validation_and_gold_length(
    generate: Callable[..., Any],
    checkpoint: Path,
    run_command: Callable[..., Any],
    tiny_data: Path,
) -> None:
    scored = generate("--score-reference")
    scores = [x for found in parse(scored.stdout).values() for x in found.token_scores]
    expected = -sum(scores) / len(scores)
    common = (tiny_data, "--path", checkpoint, "--valid-subset", "test", *TASK)
    log = ("--batch-size", 1, "--cpu", "--log-format", "json")
    done = run_command("validate", *common, *LANGUAGES, *log)
    loss = float(done.log("test")[-1]["test_nll_loss"])
    assert loss == pytest.approx(expected, abs=1e-3)
    assert expected < math.log2(40)
    lines = (tiny_data.parent / "test.b").read_text().splitlines()
    lengths = tokens_of(generate("--desired-length", "gold"))
    gold = [len(line.split()) for line in lines]
    differences = [abs(x - y) for x, y in zip(lengths, gold, strict=True)]
    assert sum(differences) < TEST_SENTENCES / 2


def test_bad_lengths_are_refused_in_one_line(
    generate: Callable[..., Any], tmp_path: Path
) -> None:
    short = tmp_path / "short.txt"
    short.write_text("5\n" * 100)
    for flags, names in [
        ((), ("--desired-length N", "--desired-lengths FILE", "gold")),
        (("--desired-lengths", short), ("100 lengths", "101 sentences")),
        (("--task", "translation"), ("--task translation_with_length",)),
    ]:
        generate(*flags, check=False).assert_refused(*names)


def test_without_a_reference(
    generate: Callable[..., Any], run_command: Callable[..., Any], tiny_data: Path
) -> None:
    folder = tiny_data.parent / "source only"
    run_command(
        "preprocess",
        *LANGUAGES,
        "--only-source",
        "--testpref",
        tiny_data.parent / "test",
        "--srcdict",
        tiny_data / "dict.a.txt",
        "--destdir",
        folder,
        plugin=False,
    )
    (folder / "dict.b.txt").write_text((tiny_data / "dict.b.txt").read_text())
    generate("--desired-length", 4, data=folder)
    done = generate("--desired-length", "gold", data=folder, check=False)
    done.assert_refused("--desired-length", "references")


def test_training_refuses_other_architectures(
    run_command: Callable[..., Any], recipe: list[str], tiny_data: Path, tmp_path: Path
) -> None:
    ours = recipe[recipe.index("--encoder-layers") :]
    del ours[ours.index("--alone-inter-dim") : ours.index("--dropout")]
    words = (*TASK, *LANGUAGES, "--save-dir", tmp_path, "--arch", "transformer_tiny")
    done = run_command("train", tiny_data, *words, *ours, check=False)
    done.assert_refused("--arch transformer_<method>")
