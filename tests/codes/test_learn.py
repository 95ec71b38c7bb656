"""Learning codes: recovery, kills, the best state, files that others read."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from alone_experiments import cli
from alone_experiments.codes import code_file
from alone_experiments.codes.balance import Balance
from alone_experiments.codes.fit import CodeFit, Run, Schedule
from alone_experiments.codes.job import Job, learn_to_files, name_files
from alone_experiments.codes.learner import add_codewords
from alone_experiments.codes.revive import revive
from alone_experiments.codes.shapes import Shape
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved, targets
from alone_experiments.unfinished import Unfinished
from alone_experiments.word_vectors.vectors import write_word2vec
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq import saved_embedding
from alone_fairseq.embeddings.codes import CodesEmbedding
from alone_fairseq.errors import AloneError

SHORT = Schedule(iterations=50, batch_size=16, check_interval=20, lr=0.01)
RUNS = [Run(Shape(3, 4), 1), Run(Shape(3, 4), 2), Run(Shape(4, 3), 1)]


def some_vectors(words: int = 60, dim: int = 6) -> WordVectors:
    values = np.random.default_rng(5).normal(size=(words, dim)).astype(np.float32)
    return WordVectors([f"w{number}" for number in range(words)], values)


def make_job(**changes: Any) -> Job:
    given = targets.hold_out(targets.from_words(some_vectors()), 0.2, seed=1)
    return Job(**{"targets": given, "schedule": SHORT, "source": "made up", **changes})


def states(folder: Path) -> dict[str, dict[str, torch.Tensor]]:
    return {
        path.name: saved.load(path).embedding.state_dict()
        for path in sorted(folder.iterdir())
    }


@pytest.mark.slow
def test_known_codes_are_recovered() -> None:
    """Learners end in different places, so by some of several seeds."""
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(4, (1000, 4), generator=generator)
    vectors = add_codewords(codes, torch.randn(16, 16, generator=generator))
    variance = (vectors - vectors.mean(0)).square().sum(-1).mean()
    held_out = torch.arange(1000) < 100
    # The published hidden layer has MK/2 = 8 values, but four free choices among four
    # span 12 directions.
    schedule = Schedule(
        *(3000, 512, 0.02, 1000, 32), tau=3, tau_end=0.3, straight_through=True
    )
    runs = [Run(Shape(4, 4), seed) for seed in range(1, 9)]
    fit = CodeFit(runs, vectors, held_out, schedule)
    while not fit.finished:
        fit.run_block()
    losses = [2 * fit.best_check(number).kept_back for number in range(len(runs))]
    assert sum(loss < 0.01 * variance for loss in losses) >= 2
    assert min(losses) < 1e-3 * variance


class Killed(BaseException):
    """Stands for a kill: nothing in the program may catch it."""


@pytest.mark.parametrize("revive", [False, True])
def test_what_was_killed_ends_as_what_was_not(
    revive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = Schedule(**{**vars(SHORT), "revive": revive, "tau_end": 0.5})
    job, whole, cut = make_job(schedule=schedule), tmp_path / "a", tmp_path / "b"
    for folder in (whole, cut):
        folder.mkdir()
    learn_to_files(job, name_files(whole / "codes.pt", RUNS))
    run_block = CodeFit.run_block

    def dies(fit: CodeFit) -> None:
        if fit.block == 2:
            raise Killed
        run_block(fit)

    monkeypatch.setattr(CodeFit, "run_block", dies)
    with pytest.raises(Killed):
        learn_to_files(job, name_files(cut / "codes.pt", RUNS))
    monkeypatch.undo()
    assert [path.suffix for path in cut.iterdir()] == [".unfinished"]
    learn_to_files(job, name_files(cut / "codes.pt", RUNS))
    mine, theirs = states(cut), states(whole)
    assert list(mine) == list(theirs)
    for name, state in mine.items():
        for key, value in state.items():
            assert torch.equal(value, theirs[name][key])


@pytest.mark.parametrize("done_before", [0, 1])
def test_a_kill_among_the_saves_of_a_group_costs_nothing(
    done_before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a run had been learned by itself before those of the group."""
    files = name_files(tmp_path / "codes.pt", RUNS)
    learn_to_files(make_job(), {run: files[run] for run in RUNS[:done_before]})
    save = saved.save

    def dies(made: saved.Reconstruction, path: Path) -> None:
        if path == files[RUNS[done_before + 1]]:
            raise Killed
        save(made, path)

    monkeypatch.setattr(saved, "save", dies)
    with pytest.raises(Killed):
        learn_to_files(make_job(), files)
    monkeypatch.undo()
    monkeypatch.setattr(CodeFit, "run_block", None)  # nothing is left to be learned
    learn_to_files(make_job(), files)
    assert all(file.exists() for file in files.values())
    assert not list(tmp_path.glob("*.unfinished"))


def test_looks_come_with_the_first_check_after_their_time(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job = make_job(look_interval=30)
    learn_to_files(job, name_files(tmp_path / "codes.pt", RUNS[:1]))
    said = capfd.readouterr()
    assert re.findall(r"seed 1, (\d+) updates: ", said.out + said.err) == ["40", "50"]


def test_the_best_state_is_kept() -> None:
    job = make_job()
    vectors = torch.from_numpy(job.targets.vectors)
    fit = CodeFit(RUNS[:1], vectors, job.targets.held_out, SHORT)
    fit.run_block()
    codes, codewords = fit.best_codes()[0]
    built = add_codewords(codes, codewords)
    losses = 0.5 * (built - vectors).square().sum(-1)
    check = fit.best_check(0)
    assert check.all_words == pytest.approx(float(losses.mean()), rel=1e-5)
    kept_back = float(losses[job.targets.held_out].mean())
    assert check.kept_back == pytest.approx(kept_back, rel=1e-5)
    # What comes after is worse.
    worse = {k: v + 1 for k, v in fit.learner.state_dict().items()}
    fit.learner.load_state_dict(worse)
    fit.run_block()
    assert fit.best_check(0) == check
    assert torch.equal(fit.best_codes()[0][0], codes)


def still_fit(tau: float = 1.0) -> CodeFit:
    """A fit that hardly moves: the first 12 of 60 words, at 1, are kept back."""
    vectors = torch.cat([torch.ones(12, 6), -torch.ones(48, 6)])
    schedule = Schedule(**{**vars(SHORT), "lr": 1e-12, "tau": tau})
    return CodeFit(RUNS[:1], vectors, torch.arange(60) < 12, schedule)


def check_with_all_words_at(place: float, fit: CodeFit) -> None:
    with torch.no_grad():
        fit.learner.codewords.fill_(place / RUNS[0].shape.codebooks)
    fit.run_block()


def test_words_kept_back_choose_the_best_state_also_after_a_kill() -> None:
    fit = still_fit()
    for place in (0.0, 0.5, -0.5):  # the last is the best for all words
        check_with_all_words_at(place, fit)
    kept_back, all_words = zip(*(check[2:4] for check in fit.checks[0]), strict=True)
    assert kept_back == pytest.approx([3.0, 0.75, 6.75])
    assert all_words == pytest.approx([3.0, 5.55, 1.95])
    again = still_fit()
    again.carry_on(fit.state())
    for each in (fit, again):
        assert each.best_check(0).iteration == 40
        codes, codewords = each.best_codes()[0]
        assert add_codewords(codes, codewords).mean() == pytest.approx(0.5)


@pytest.mark.parametrize(("tau", "low", "high"), [(1e-3, 0.98, 1.0), (1e3, 0.25, 0.26)])
def test_the_largest_probability(tau: float, low: float, high: float) -> None:
    """Of four values: one is certain without a temperature, all are alike at a high."""
    fit = still_fit(tau)
    fit.run_block()
    assert low <= fit.checks[0][0].largest_probability <= high


def test_the_schedule_is_the_published_one() -> None:
    usual = Schedule()
    assert (usual.iterations, usual.batch_size, usual.lr) == (200_000, 128, 1e-4)
    assert (usual.check_interval, usual.tau, usual.hidden) == (1000, 1.0, 0)
    assert (usual.straight_through, usual.revive) == (False, False)
    assert usual.temperature(150_000) == 1.0
    falling = Schedule(iterations=100, tau=3.0, tau_end=0.03)
    found = [falling.temperature(iteration) for iteration in (0, 50, 100)]
    assert found == pytest.approx([3.0, 0.3, 0.03])


def test_runs_learned_together_are_those_learned_alone() -> None:
    job = make_job()
    vectors = torch.from_numpy(job.targets.vectors)
    fits = [
        CodeFit(runs, vectors, job.targets.held_out, SHORT)
        for runs in (RUNS, *([run] for run in RUNS))
    ]
    for fit in fits:
        fit.run_block()
    together, *alone = (fit.learner.state_dict() for fit in fits)
    for number, own in enumerate(alone):
        for name, values in own.items():
            torch.testing.assert_close(together[name][number], values[0])
    kept_back = [fit.checks[0][-1].kept_back for fit in fits[1:]]
    assert len(set(kept_back)) == len(RUNS)  # other sizes, other seeds


def test_a_run_is_made_again_from_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_word2vec(some_vectors(), Path("given.vec"))
    words = ["alone-fairseq", "codes", "learn", "given.vec", "--codes", "3x4,4x3"]
    words += ["--seed", "3", "--iterations", "40", "--check-interval", "20"]
    words += ["--tau", "0.7", "--straight-through", "--output", "out/c.pt"]
    monkeypatch.setattr("sys.argv", [*words, "--records", "records"])
    cli.main()
    first = states(tmp_path / "out")
    record = json.loads(Path("records/3x4--seed3.json").read_text())
    assert {"commit", "dirty", "versions"} <= record.keys()
    shutil.rmtree("out")
    monkeypatch.setattr("sys.argv", record["command"])
    cli.main()
    again = states(tmp_path / "out")
    assert list(again) == ["c.3x4--seed3.pt", "c.4x3--seed3.pt"]
    for name, state in again.items():
        for key, value in state.items():
            assert torch.equal(value, first[name][key])
    losses = record["losses"]
    record = json.loads(Path("records/3x4--seed3.json").read_text())
    assert record["losses"] == losses


def test_words_kept_back_are_not_learned_from() -> None:
    job, results = make_job(), []
    for change in (0.0, 3.0):
        vectors = torch.from_numpy(job.targets.vectors).clone()
        vectors[job.targets.held_out] += change
        fit = CodeFit(RUNS[:1], vectors, job.targets.held_out, SHORT)
        fit.run_block()
        results.append(fit.learner.state_dict()["codewords"])
    assert torch.equal(*results)


def test_without_words_kept_back_no_loss_is_said_to_be_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.vec"
    write_word2vec(some_vectors(), given)
    words = ["codes", "learn", str(given), "--codes", "3x4", "--hold-out", "0"]
    words += ["--iterations", "20", "--check-interval", "20"]
    words += ["--output", str(tmp_path / "c.pt")]
    words += ["--records", str(tmp_path / "records")]
    cli.main(words)
    said = capsys.readouterr().out
    assert "all words: half sum of squares" in said
    assert "kept back" not in said
    record = json.loads((tmp_path / "records" / "3x4--seed1.json").read_text())
    assert record["losses"]["half_sum_of_squares"]["kept_back"] is None
    cli.main(["table", str(tmp_path / "records")])
    assert "| 3x4" in capsys.readouterr().out


def test_dead_codewords_are_revived() -> None:
    """They become used, other words and other runs keep their codes."""
    vectors = torch.from_numpy(some_vectors(300).vectors)
    none = torch.zeros(300, dtype=torch.bool)
    schedule = Schedule(100, 32, 0.003, check_interval=20)
    fit = CodeFit([Run(Shape(3, 8), 1), Run(Shape(3, 8), 2)], vectors, none, schedule)
    fit.run_block()
    before, untouched = fit.codes()
    dead = fit.checks[0][-1].unused
    assert dead > 3
    losses = [fit.checks[0][-1].all_words]
    made = revive(fit.learner, fit.optimizer, 0, vectors, np.random.RandomState(1))
    after, other = fit.codes()
    assert made == dead
    assert Balance.of(after.numpy(), Shape(3, 8)).unused < 0.4 * dead
    assert torch.equal(other, untouched)
    built = add_codewords(after, fit.learner.codewords[0].detach())
    losses.append(float(0.5 * (vectors - built).square().sum(-1).mean()))
    assert losses[1] < losses[0], losses
    assert 0.2 < (after == before).float().mean() < 1


@pytest.mark.slow
def test_revival_leaves_fewer_dead_codewords_in_the_end() -> None:
    vectors = torch.from_numpy(some_vectors(300).vectors)
    none = torch.zeros(300, dtype=torch.bool)
    unused = []
    for revives in (False, True):
        schedule = Schedule(1200, lr=0.003, check_interval=100, revive=revives)
        fit = CodeFit([Run(Shape(4, 32), n) for n in (1, 2)], vectors, none, schedule)
        while not fit.finished:
            fit.run_block()
        unused.append(sum(checks[-1].unused for checks in fit.checks))
    assert unused[0] > 20
    assert unused[1] < 0.7 * unused[0]


def test_the_file_serves_the_other_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.vec"
    write_word2vec(some_vectors(), given)
    words = ["codes", "learn", given, "--codes", "3x4", "--iterations", 40]
    words += ["--check-interval", 20, "--output", tmp_path / "c.pt"]
    words += ["--records", tmp_path]
    cli.main([*map(str, words)])
    said = capsys.readouterr().out
    for each in ("half sum of squares", "mean of squares", "all words", "kept back"):
        assert each in said
    for each in ("largest probability 0.", "unused codewords ", "entropy "):
        assert each in said
    record = json.loads((tmp_path / "3x4--seed1.json").read_text())
    whole, halves = (
        record["losses"][name] for name in ("mean_of_squares", "half_sum_of_squares")
    )
    assert whole == {name: pytest.approx(2 * loss) for name, loss in halves.items()}
    last = said.splitlines()[-1]
    numbers = [float(number) for number in re.findall(r"squares ([\d.]+)", last)]
    expected = [loss for name in halves for loss in (halves[name], whole[name])]
    assert numbers == pytest.approx(expected, abs=1e-4)
    assert f"best after {record['best_update']} updates" in last
    found = saved.load(tmp_path / "c.pt")
    assert isinstance(found.embedding, CodesEmbedding)
    assert found.embedding(torch.tensor([0])).any()  # a word as any, no padding
    assert found.symbols == some_vectors().words
    assert len(found.held_out) == 3
    (tmp_path / "pairs").write_text("w0 w1 1\nw2 w3 2\nw4 w5 3\n")
    pairs = ["--pairs", str(tmp_path / "pairs")]
    cli.main(["similarity", str(tmp_path / "c.pt"), *pairs])
    assert capsys.readouterr().out.splitlines()[-2].split()[2:] == ["3", "3"]
    cli.main([*map(str, words)])
    assert "is done already" in capsys.readouterr().out
    with pytest.raises(Mistake, match=r"other settings \(iterations: 40, now 60"):
        cli.main([*map(str, words), "--iterations", "60"])


def test_words_of_a_dictionary_without_vectors_are_in_no_packed_file(
    tmp_path: Path,
) -> None:
    """Nobody learned their codes."""
    given, packed = tmp_path / "v.vec", tmp_path / "packed"
    write_word2vec(some_vectors(), given)
    (tmp_path / "dict.txt").write_text("w3 9\nnone 8\nw1 7\n")
    words = ["codes", "learn", given, "--codes", "3x4", "--iterations", 20]
    words += ["--check-interval", 20, "--dictionary", tmp_path / "dict.txt"]
    words += ["--hold-out", 0, "--output", tmp_path / "c.pt"]
    cli.main([*map(str, words)])
    cli.main(["codes", "export", str(tmp_path / "c.pt"), "--output", str(packed)])
    found, learned = code_file.read(packed), saved.load(tmp_path / "c.pt")
    assert found.words[found.specials :] == ["w3", "w1"]
    expected = learned.word_vectors(learned.specials)
    np.testing.assert_allclose(found.word_vectors().vectors, expected.vectors, 1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "1,1"], "name a run twice"),
        (["--data", "."], "need a checkpoint"),
        (
            ["--checkpoint-out", "no/c.pt"],
            "--checkpoint-out no/c.pt: there",
        ),
        (["--lr", "0"], "--lr must be above 0, not 0.0"),
        (["--hold-out", "1"], r"--hold-out must lie in \[0, 1\)"),
        (["--lr", "1e30"], "the loss is not finite; lower --lr"),
        (["--codes", "512x4096"], r"--codes 512x4096: to learn them takes [\d,]+ GiB"),
        (["--words", "61"], "holds 60 words, 61 were asked for"),
    ],
)
def test_bad_input(words: list[str], message: str, tmp_path: Path) -> None:
    given = tmp_path / "given.vec"
    write_word2vec(some_vectors(), given)
    usual = ["--codes", "3x4", "--iterations", "40", "--check-interval", "20"]
    output = ["--output", str(tmp_path / "c.pt")]
    with pytest.raises(Mistake, match=message):
        cli.main(["codes", "learn", str(given), *usual, *output, *words])
    assert not (tmp_path / "c.pt").exists()


@pytest.mark.parametrize("name", ["--word-list", "--dictionary"])
def test_no_list_is_replaced(name: str, tmp_path: Path) -> None:
    given, words = tmp_path / "given.vec", tmp_path / "words.3x4--seed1.txt"
    write_word2vec(some_vectors(), given)
    words.write_text("w1 2\n")
    command = ["codes", "learn", given, "--codes", "3x4", "--seed", "1,2", name, words]
    with pytest.raises(Mistake, match="would replace what it is made of"):
        cli.main([*map(str, command), "--output", str(tmp_path / "words.txt")])


def test_no_input_is_replaced(tmp_path: Path) -> None:
    given, made, packed = (tmp_path / name for name in ("given.vec", "c.pt", "c.codes"))
    write_word2vec(some_vectors(), given)
    learn = ["codes", "learn", str(given), "--codes", "3x4", "--iterations", "20"]
    learn += ["--check-interval", "20", "--output"]
    cli.main([*learn, str(made)])
    cli.main(["codes", "export", str(made), "--output", str(packed)])
    whole = [path.read_bytes() for path in (given, made, packed)]
    for words in (
        [*learn, str(given), "--force"],
        ["codes", "export", str(packed), "--output", str(packed)],
        ["codes", "unpack", str(packed), "--vectors-out", str(packed)],
        ["codes", "show", str(packed), "--heat-map", str(packed)],
        ["reconstruct", str(given), "--output", str(made), "--vectors-out", str(given)],
    ):
        with pytest.raises(Mistake, match="would replace what it is made of"):
            cli.main(words)
    twice = ["--vectors-out", str(tmp_path / "x"), "--embedding-out"]
    with pytest.raises(Mistake, match="x: is given twice"):
        cli.main(["codes", "unpack", str(packed), *twice, str(tmp_path / "x")])
    assert [path.read_bytes() for path in (given, made, packed)] == whole
    assert not (tmp_path / "x").exists()


def test_a_record_of_other_vectors_is_not_replaced(tmp_path: Path) -> None:
    given, records = tmp_path / "given.vec", tmp_path / "records"
    write_word2vec(some_vectors(), given)
    learn = ["codes", "learn", str(given), "--codes", "3x4", "--iterations", "20"]
    learn += ["--check-interval", "20", "--records", str(records), "--output"]
    cli.main([*learn, str(tmp_path / "a.pt")])
    whole = (records / "3x4--seed1.json").read_bytes()
    with pytest.raises(Mistake, match=r"3x4--seed1\.json: is of other settings \(lr"):
        cli.main([*learn, str(tmp_path / "b.pt"), "--lr", "0.01"])
    assert (records / "3x4--seed1.json").read_bytes() == whole
    assert not (tmp_path / "b.pt").exists()


def test_force_begins_anew_after_a_damaged_state(tmp_path: Path) -> None:
    given, made = tmp_path / "given.vec", tmp_path / "c.pt"
    write_word2vec(some_vectors(), given)
    Unfinished(made, {}).path.write_bytes(b"damaged")
    learn = ["codes", "learn", str(given), "--codes", "3x4", "--iterations", "20"]
    learn += ["--check-interval", "20", "--output", str(made)]
    with pytest.raises(Mistake, match="remove it, or begin anew with --force"):
        cli.main(learn)
    cli.main([*learn, "--force"])
    assert set(tmp_path.iterdir()) == {given, made}


def test_packed_codes_are_known_where_others_are_wanted(tmp_path: Path) -> None:
    given, packed = tmp_path / "given.vec", tmp_path / "c.codes"
    packed.write_bytes(code_file.MAGIC + bytes(100))
    write_word2vec(some_vectors(), given)
    with pytest.raises(Mistake, match="codes unpack --vectors-out"):
        cli.main(["codes", "learn", str(packed), "--output", str(tmp_path / "c.pt")])
    with pytest.raises(AloneError, match="codes unpack --embedding-out"):
        saved_embedding.load(packed)


@pytest.mark.parametrize("codes", ["8", "0x8", "8x1", "8x", "x", "8x65537", "-1x8"])
def test_sizes_that_are_none(codes: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["codes", "learn", "v", "--output", "o", f"--codes={codes}"])
    said = capsys.readouterr().err
    assert "must be MxK such as 32x16" in said
    assert said.count("\n") == 1
