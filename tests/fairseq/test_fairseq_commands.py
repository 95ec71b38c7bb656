"""``alone-fairseq train`` and its like: fairseq's commands, with recipes and quiet."""

import logging
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from alone_experiments import fairseq_commands, foreign_warnings
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import user_dir
from alone_experiments.training.experiment import flag_value
from alone_experiments.training.recipes import recipes, rows_of_recipe, with_recipe


def test_a_recipe_comes_before_what_the_user_says() -> None:
    words = with_recipe(["data-bin", "--recipe", "small", "--max-update", "7"])
    assert words[-3:] == ["data-bin", "--max-update", "7"]
    assert flag_value("--arch", words) == "transformer_alone_small"
    assert flag_value("--alone-inter-dim", words) == "auto:0.5"
    assert flag_value("--max-update", words) == "7"
    lookup = with_recipe(["--recipe=small/lookup", "data-bin"])
    assert flag_value("--arch", lookup) == "transformer_lookup_small"
    assert with_recipe(["data-bin", "--lr", "1"]) == ["data-bin", "--lr", "1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny", "no recipe tiny; there are: large small"),
        ("", "no recipe without a name"),
        ("small/alnoe", "recipe small has no row alnoe; there are: lookup alone"),
    ],
)
def test_unknown_recipes_are_refused(name: str, message: str) -> None:
    with pytest.raises(Mistake, match=message):
        with_recipe(["data-bin", "--recipe", name])


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("recipe", recipes())
def test_fairseq_reads_every_row_of_a_recipe(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairseq import options

    monkeypatch.setattr(sys, "argv", ["fairseq-train"])
    folder = rows_of_recipe(recipe, ["lookup"])[0].folder
    rows = [file.stem for file in folder.glob("*.flags")]
    for row in sorted({*rows} - {"recipe", "average", "generate"}):
        words = with_recipe(["data-bin", "--recipe", f"{recipe}/{row}"])
        args = options.parse_args_and_arch(options.get_training_parser(), words)
        assert args.share_all_embeddings
        assert args.arch.startswith(f"transformer_{row.split('_binary')[0]}"[:17])


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("given", "gone", "kept"),
    [
        ("--optimizer adam", "--muon-for", "--adam-betas"),
        ("--lr-scheduler inverse_sqrt", "--total-num-update", "--warmup-updates"),
        ("--lr-scheduler=fixed", "--total-num-update", "--warmup-updates"),
        ("--criterion cross_entropy", "--label-smoothing", "--muon-for"),
        ("--arch lstm_alone_toy", "--encoder-normalize-before", "--alone-own-dim"),
        ("--arch transformer_alone_toy --max-update 7", "", "--total-num-update"),
    ],
)
def test_what_another_choice_does_not_know_is_left_out(
    given: str, gone: str, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairseq import options

    monkeypatch.setattr(sys, "argv", ["fairseq-train"])
    words = with_recipe(["data-bin", "--recipe", "small", *given.split()])
    assert gone not in words
    assert kept in words
    assert words[-len(given.split()) :] == given.split()
    args = options.parse_args_and_arch(options.get_training_parser(), words)
    assert args.data == "data-bin"


def test_help_has_our_flags_first(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fairseq_commands.run("train", ["--help"])
    printed = capsys.readouterr().out
    ours = printed.index("--alone-inter-dim")
    assert printed.index("--recipe") < ours < printed.index("--tensorboard-logdir")


def test_only_what_is_named_is_silenced() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        foreign_warnings.silence()
        for message in (*foreign_warnings.HYDRA, *foreign_warnings.TORCH):
            warnings.warn(f"{message} and so on", UserWarning, stacklevel=1)
        warnings.warn("the embedding is larger than a table", stacklevel=1)
    assert [str(each.message) for each in shown] == [
        "the embedding is larger than a table"
    ]
    reasons = {**foreign_warnings.HYDRA, **foreign_warnings.TORCH}
    assert all(reasons.values())
    for name in foreign_warnings.LOGGERS:
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)
        assert logging.getLogger(name).isEnabledFor(logging.WARNING)


SMALL = [
    *("--encoder-layers", "1", "--decoder-layers", "1", "--optimizer", "adam"),
    *("--lr", "0.001", "--max-tokens", "500", "--max-update", "4", "--no-save"),
    *("--log-interval", "2", "--cpu", "--num-workers", "0"),
]
NUMBERS = re.compile(
    r"^\d{4}[^|]*|(?:wps|ups|wall|train_wall)[ =][\d.]+|[\d.]+ seconds"
)


@pytest.mark.slow
def test_train_logs_as_fairseq_does(tiny_data: Path, tmp_path: Path) -> None:
    """The same lines on the same streams, but for the warnings of others."""
    flags = ["--arch", "transformer_lookup_toy", "--share-all-embeddings", *SMALL]
    words = [str(tiny_data), *flags, "--save-dir", str(tmp_path / "run")]
    folder = Path(sys.executable).parent
    lines: dict[str, list[str]] = {}
    for name, command in (
        (
            "theirs",
            ["fairseq-train", *words, "--user-dir", user_dir()],
        ),
        ("ours", ["alone-fairseq", "train", *words]),
    ):
        command[0] = str(folder / command[0])
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        lines[name] = [NUMBERS.sub("", line) for line in done.stdout.splitlines()]
        if name == "ours":
            assert done.stderr == ""
    theirs = [line for line in lines["theirs"] if "tensorboardX" not in line]
    assert lines["ours"] == theirs
    assert any("train_inner" in line for line in theirs)
