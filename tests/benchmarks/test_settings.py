"""The command line: defaults, changes, refusals; and the plan made from them."""

from pathlib import Path
from typing import Any

import pytest

from alone_experiments.mistakes import Mistake
from alone_fairseq.embeddings import CONFIGS
from benchmarks.benchmark import recorded_command
from benchmarks.command_line import parse
from benchmarks.plan import plan, reason_not_trained
from benchmarks.settings import METHODS, Settings, default_settings, variants_of

CPU = ["--device", "cpu", "--output", "somewhere"]
STEP = ("--parts", "step", "--inter-dim", "8")


def settings(*words: str) -> Settings:
    return parse([*CPU, *words])[1]


def test_full_mode_has_the_published_shapes() -> None:
    full = settings()
    assert (full.vocabulary, full.model.dim, full.inter_dims) == (
        32768,
        512,
        (4096, 8192),
    )
    assert (full.tokens, full.precision, full.growth[-1]) == (3584, "fp32", 4 * 2**20)
    gpu = default_settings(quick=False, device="cuda")
    assert (gpu.tokens, gpu.precision) == (8192, "fp16")


def test_flags_change_settings() -> None:
    changed = settings(
        *("--quick", "--rounds", "9", "--inter-dim", "8,16", "--max-gigabytes", "2"),
        *("--parts", "table,growth", "--relu-dropout", "0.5", "--threads", "3"),
    )
    assert (changed.rounds, changed.inter_dims, changed.threads) == (9, (8, 16), 3)
    assert (changed.parts, changed.max_bytes) == (("table", "growth"), 2 * 2**30)
    assert changed.relu_dropouts == (0.5,)
    assert changed.vocabulary == settings("--quick").vocabulary


@pytest.mark.parametrize("output", [["--output", "/a"], ["--output=/a"]])
def test_recorded_command_names_no_folder(output: list[str]) -> None:
    command = recorded_command(["--quick", *output, "--seed", "2"])
    assert command == ["bash", "scripts/benchmark.sh", "--quick", "--seed", "2"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--parts", "tables"], "--parts has 'tables', not one of table, step"),
        (["--variants", "hash"], "--variants has 'hash'"),
        (["--max-seconds", "0"], "--max-seconds must be above 0"),
        (["--tokens", "31"], "--tokens must hold a sentence of 32, not 31"),
        (["--sentences", "31"], "lower --batch-size"),
        (["--relu-dropout", "1"], "--relu-dropout must lie in"),
        (["--max-gigabytes", "inf"], "--max-gigabytes must be finite, not inf"),
        (["--max-gigabytes", "nan"], "--max-gigabytes must be finite, not nan"),
        (["--precision", "fp16"], "--precision fp16 needs a GPU"),
        (["--variants", "alone_real_compiled"], "add --parts table"),
        (["--sampled-words", "10001"], "smallest vocabulary of --sampling has, 10000"),
        (["--variants", "lookup_chunked"], "add --parts step,train"),
        (["--variants", "alone_real_levers"], "add --parts step,train"),
        (["--variants", "define_half"], "add --parts step,train"),
    ],
)
def test_refused(words: list[str], line: str) -> None:
    with pytest.raises(Mistake) as caught:
        settings(*words)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_method_at_half() -> None:
    chosen = settings("--variants", ",".join(("lookup", *METHODS)), *STEP)
    found = variants_of(chosen, (0.0, 0.1))  # no size, no dropout of ALONE's
    first, *halves, last = found
    assert first.name == "lookup"
    assert last.flags() == ["--embedding-method", "random"]
    for variant in halves:
        assert variant.plain == variant
        flags = variant.flags()
        assert flags[:2] == ["--embedding-method", variant.name.removesuffix("_half")]
        assert "auto:0.5" in flags
    assert {variant.method for variant in found} == {*CONFIGS}


def test_the_recipes_that_learn_in_a_small_model() -> None:
    both = "alone_real_levers,alone_real_recipe"
    chosen = settings("--model", "tiny", "--inter-dim", "8", "--variants", both, *STEP)
    assert chosen.model.dim == 128
    levers, recipe = variants_of(chosen, (0.0,))
    assert levers.plain == recipe.plain
    trained = [each.muon_for for each in (recipe, levers, levers.plain)]
    assert trained == ["network,hidden", "network", ""]
    assert {*levers.flags()} - {*levers.plain.flags()} == {
        *("--alone-centre", "--alone-initial-scale", "lookup_layer"),
        *("--softmax-bias", "unigram"),
    }
    assert {*recipe.flags()} - {*levers.flags()} == {"--alone-own-dim", "32"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--rounds", "0"], "--rounds: must be a whole number from 1, not 0"),
        (["--threads", "-1"], "--threads: must be a whole number from 1, not -1"),
        (["--inter-dim", "8,0"], "--inter-dim: must be a whole number from 1, not 0"),
        (["--vocabulary", "7"], "--vocabulary: must be a whole number from 8, not 7"),
        (["--growth", "100,2"], "--growth: must be a whole number from 8, not 2"),
    ],
)
def test_numbers_out_of_range(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        settings(*words)
    told = capsys.readouterr().err
    assert line in told
    assert told.count("\n") == 1


def test_missing_gpu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(Mistake, match="torch finds no GPU"):
        parse(["--output", "x", "--device", "cuda"])


def test_variants_take_turns() -> None:
    chosen = settings("--inter-dim", "8,16", "--relu-dropout", "0,0.5")
    labels = [v.label for v in variants_of(chosen, chosen.relu_dropouts)]
    assert labels[:4] == [
        "lookup",
        "published H=8",
        "alone real H=8",
        "alone binary H=8",
    ]
    assert len(labels) == 1 + 2 * 2 * 3
    assert labels[-1] == "alone binary H=16 dropout 0.5"


def test_a_table_to_look_up_in_has_no_inner_size() -> None:
    words = ("--variants", "lookup,alone_real,lookup_chunked,alone_real_chunked")
    chosen = settings(*words, "--parts", "step", "--inter-dim", "8,16")
    found = variants_of(chosen, (0.0,))
    assert [v.label for v in found] == [
        *("lookup", "lookup chunked", "alone real H=8", "alone real chunked H=8"),
        *("alone real H=16", "alone real chunked H=16"),
    ]
    assert {v.criterion for v in found if "chunked" in v.name} == {
        "chunked_label_smoothed_cross_entropy"
    }
    assert {v.method for v in found} == {"lookup", "alone"}


def test_every_round_has_every_variant(tmp_path: Path) -> None:
    for part in ("table", "step", "train"):
        chosen = settings("--quick", "--parts", part)
        rounds: dict[Any, list[Any]] = {}
        for measurement in plan(chosen, tmp_path):
            if measurement.purpose == "time":
                rounds.setdefault(measurement.round, []).append(measurement.job)
        assert len(rounds) == (chosen.run_rounds if part == "train" else chosen.rounds)
        first, *others = rounds.values()
        assert all(other == first for other in others)
        methods = [job.variant.method for job in first if job.variant]
        assert methods[:3] == ["lookup", "published", "alone"]


def test_published_decodes_once_and_the_others_in_every_round(tmp_path: Path) -> None:
    chosen = settings("--quick", "--parts", "decode", "--decoded-batches", "5")
    jobs = [measurement.job for measurement in plan(chosen, tmp_path)]
    assert [job.variant.method for job in jobs if job.variant] == [
        *("lookup", "published", "alone", "alone"),
        *("lookup", "alone", "alone"),
    ]
    assert [job.sentences for job in jobs] == [40, 0, 40, 40, 40, 40, 40]
    assert {job.batch for job in jobs} == {8}


def test_a_checkpoint_is_made_before_it_is_translated_with(tmp_path: Path) -> None:
    chosen = settings("--quick", "--parts", "generate")
    kinds = [measurement.job.kind for measurement in plan(chosen, tmp_path)]
    assert kinds == ["whole_training"] * 4 + ["whole_generation"] * 8


def test_a_model_that_was_not_trained_does_not_translate(tmp_path: Path) -> None:
    planned = plan(settings("--quick", "--parts", "generate"), tmp_path)
    trained, skipped, *_ = planned
    done = {trained: {"seconds": 1.0}, skipped: {"skipped": "killed"}}
    reasons = {m.job.variant: reason_not_trained(m, done) for m in planned[4:]}
    assert reasons[trained.job.variant] is None
    assert reasons[skipped.job.variant] == "its training was skipped: killed"
    assert not any(reason_not_trained(m, done) for m in planned[:4])


def test_published_translates_one_batch_unless_told(tmp_path: Path) -> None:
    def sentences(*words: str) -> dict[str, int]:
        chosen = settings("--quick", "--parts", "generate", *words)
        jobs = [m.job for m in plan(chosen, tmp_path) if m.job.sentences]
        return {job.variant.method: job.sentences for job in jobs if job.variant}

    assert sentences() == {"lookup": 16, "published": 8, "alone": 16}
    assert sentences("--published-sentences", "12")["published"] == 12
