"""Reading and showing the log of a training."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.training import training_log
from alone_experiments.training.describe_training import (
    describe_training,
    describe_trial,
)
from alone_experiments.training.progress import Progress

START = "2026-01-01 {} | INFO | fairseq_cli.train | training on 1 devices (GPUs/TPUs)\n"


def line(time: str, kind: str, **numbers: object) -> str:
    return f"2026-01-01 {time} | INFO | {kind} | {json.dumps(numbers)}\n"


def inner(time: str, update: int, speed: float) -> str:
    numbers = {"num_updates": str(update), "wps": str(speed), "ups": "2", "loss": "5"}
    return line(time, "train_inner", **numbers)


def valid(time: str, update: int, loss: float) -> str:
    numbers = {"valid_loss": str(loss), "valid_ppl": str(2.0**loss)}
    return line(time, "valid", valid_num_updates=str(update), **numbers)


KILLED_AND_CARRIED_ON = [
    START.format("10:00:00"),
    inner("10:00:10", 10, 900.0),
    valid("10:00:12", 10, 5.0),
    inner("10:00:22", 20, 100.0),
    inner("10:00:22", 20, 100.0)[:-9],  # the kill
    START.format("11:00:00"),
    "TransformerModel(\n",
    inner("11:00:08", 20, 1000.0),
    valid("11:00:10", 20, 4.0),
    inner("11:00:20", 30, 1100.0),
    valid("11:00:21", 30, 3.5),
    "2026-01-01 11:09:00 | INFO | fairseq_cli.train | done training in 20.0 seconds\n",
]


def test_course_of_a_killed_training() -> None:
    log = training_log.read_training_log(KILLED_AND_CARRIED_ON)
    assert log.updates == 30
    assert log.valid_loss == [(10, 5.0), (20, 4.0), (30, 3.5)]
    assert log.valid_ppl == [(10, 32.0), (20, 16.0), (30, pytest.approx(11.3137, 1e-5))]
    assert log.seconds == 22 + 21
    assert log.tokens_per_second == 1000.0


def test_training_shorter_than_an_interval_of_the_log() -> None:
    end = line("10:00:09", "train", train_wps="700.5", train_num_updates="5")
    lines = [START.format("10:00:00"), valid("10:00:08", 5, 6.0), end]
    log = training_log.read_training_log(lines)
    assert (log.updates, log.seconds, log.tokens_per_second) == (5, 9.0, 700.5)


def test_empty_log() -> None:
    log = training_log.read_training_log([])
    assert (log.updates, log.seconds, log.tokens_per_second) == (0, 0.0, 0.0)
    assert (log.valid_loss, log.valid_ppl) == ([], [])


@given(st.text())
def test_any_line_is_read_or_passed_over(text: str) -> None:
    for wrapped in (text, f"now | INFO | valid | {text}"):
        found = training_log.parse_line(wrapped)
        assert found is None or isinstance(found[1], dict)


@given(st.integers(0, len("".join(KILLED_AND_CARRIED_ON))))
def test_log_cut_off_anywhere_is_read(length: int) -> None:
    text = "".join(KILLED_AND_CARRIED_ON)[:length]
    log = training_log.read_training_log(text.splitlines())
    assert 0 <= log.updates <= 30


def test_progress_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    log.write_text(valid("09:00:00", 5, 9.0))  # of an earlier start
    shown = Progress(log, max_update=40)
    text = "".join(KILLED_AND_CARRIED_ON)
    with log.open("a") as file:
        for part in (text[:150], text[150:]):  # a line that is still being written
            file.write(part)
            file.flush()
            shown.show()
    printed = capsys.readouterr()
    lines = [line.strip() for line in printed.err.splitlines()]
    assert lines[0] == "update 10/40  loss 5  900 tokens/s  0.2 min left"
    assert "update 30/40  validation loss 3.5  ppl 11.313708498984761" in lines
    assert printed.out == ""
    shown.show()
    assert capsys.readouterr().err == ""


def test_lines_that_a_kill_cut_are_passed_over() -> None:
    lines = [
        "2026-01-01 10:0" + START.format("10:00:00"),
        START.format("10:00:00"),
        '2026-01-01 10:00:05 | INFO | valid | {"valid_loss": "3"}',
        '2026-01-01 10:00:06 | INFO | train_inner | {"num_updates": "x", "wps": "1"}',
        '2026-01-01 10:00:09 | INFO | train_inner | {"num_updates": "7", "wps": "1"}',
    ]
    log = training_log.read_training_log(lines)
    assert (log.updates, log.seconds, log.valid_loss) == (7, 9.0, [])


def test_a_stopped_training_has_the_updates_of_its_checkpoint(tmp_path: Path) -> None:
    saved = "2026-01-01 10:00:00 | INFO | x | Saved checkpoint a.pt @ 500 updates\n"
    later = '2026-01-01 10:00:01 | INFO | train_inner | {"num_updates": "900"}\n'
    (tmp_path / "train.log").write_text(saved + later.replace("}", ', "wps": "1"}'))
    (tmp_path / "code").write_text("0123456789 clean\n")
    (tmp_path / "command").touch()
    (tmp_path / "checkpoint_last.pt").touch()
    assert describe_training(tmp_path)["updates"] == 500


def test_a_loss_that_is_no_number_is_told_and_ends_what_is_read(
    tmp_path: Path,
) -> None:
    text = "".join(
        f'2026-01-01 10:00:{update} | INFO | valid | {{"valid_loss": "{loss}",'
        f' "valid_ppl": "9", "valid_num_updates": "{update}"}}\n'
        for update, loss in ((10, 3), (20, "nan"), (30, 4))
    )
    log = training_log.read_training_log(text.splitlines())
    assert (log.valid_loss, log.updates) == ([(10, 3.0)], 10)
    (tmp_path / "train.log").write_text(text)
    (tmp_path / "code").write_text("0123456789 clean\n")
    (tmp_path / "command").touch()
    with pytest.raises(Mistake, match="valid_loss nan: it diverged"):
        describe_training(tmp_path)
    assert describe_trial(tmp_path)["diverged"]
