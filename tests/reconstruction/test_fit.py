"""Fitting embeddings to given vectors."""

import math
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial import distance
from torch import Tensor

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved, targets
from alone_experiments.reconstruction.distances import DISTANCES
from alone_experiments.reconstruction.fit import Fit, Schedule, build_rows, build_seeded
from alone_experiments.reconstruction.job import Job, fit_to_file
from alone_experiments.word_vectors.word_pairs import Pair
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq.embeddings import EMBEDDINGS, TableSize
from alone_fairseq.errors import AloneError

WORDS, DIM = 40, 6
SIZE = TableSize(WORDS, DIM, 0, [f"w{number}" for number in range(WORDS)])
SMALL = {
    "alone_inter_dim": 12,
    "alone_num_codebooks": 2,
    "alone_codebook_size": 8,
    "low_rank_dim": 3,
}


def some_vectors(words: int = WORDS, dim: int = DIM) -> WordVectors:
    values = np.random.default_rng(5).normal(size=(words, dim)).astype(np.float32)
    return WordVectors([f"w{number}" for number in range(words)], values)


def make_job(method: str = "alone", **changes: Any) -> Job:
    job = Job(
        method,
        SMALL,
        targets.from_words(some_vectors()),
        Schedule(epochs=6, batch_size=16),
        source="made up",
        device="cpu",
        look_interval=100,
        save_interval=2,
        command=["a", "command"],
    )
    return replace(job, **changes)


def made(name: str, given: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Distances, and their gradient by the second argument."""
    other = other.clone().requires_grad_()
    distances = DISTANCES[name](given, other)
    (gradient,) = torch.autograd.grad(distances.sum(), other)
    return distances, gradient


def closed_form(name: str, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Value and gradient by ``v``, worked out by hand for one pair of vectors."""
    away = v - u
    if name == "squared":
        return (away**2).sum(), 2 * away
    if name == "euclidean":
        length = (away**2).sum().sqrt()
        return length, away / length
    if name == "l1":
        return away.abs().sum(), away.sign()
    if name == "linf":
        gradient = torch.zeros_like(v)
        largest = int(away.abs().argmax())
        gradient[largest] = away[largest].sign()
        return away.abs().max(), gradient
    inner, a, b = (u * v).sum(), (u * u).sum().sqrt(), (v * v).sum().sqrt()
    return -inner / (a * b), inner / (a * b**3) * v - u / (a * b)


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_and_their_gradients(name: str) -> None:
    generator = torch.Generator().manual_seed(3)
    given, other = torch.randn(
        (2, 7, DIM), generator=generator, dtype=torch.float64
    ).unbind()
    distances, gradient = made(name, given, other)
    for row in range(7):
        value, slope = closed_form(name, given[row], other[row])
        torch.testing.assert_close(distances[row], value)
        torch.testing.assert_close(gradient[row], slope)


SCIPY = {
    "squared": "sqeuclidean",
    "euclidean": "euclidean",
    "l1": "cityblock",
    "linf": "chebyshev",
    "cosine": "cosine",
}


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_are_scipys_and_gradients_true(name: str) -> None:
    """The cosine's too, whose published program leaves out a part of it."""
    given, other = torch.randn((2, 5, DIM), dtype=torch.float64).unbind()
    less = 1.0 if name == "cosine" else 0.0  # scipy has 1 - cos
    for u, v, found in zip(given, other, DISTANCES[name](given, other), strict=True):
        expected = getattr(distance, SCIPY[name])(u.numpy(), v.numpy()) - less
        assert float(found) == pytest.approx(expected, rel=1e-12)
    # Finite differences, through a network whose last layer the distance sees.
    embedding = build_seeded(
        "characters", Namespace(characters_highway=True), SIZE, seed=3
    ).double()
    rows, vectors = torch.arange(4, 9), torch.randn(5, DIM, dtype=torch.float64)
    trained = [p for p in embedding.parameters() if p.requires_grad]
    assert torch.autograd.gradcheck(
        lambda *_: DISTANCES[name](vectors, embedding.rows(rows)),
        trained,
        fast_mode=True,
    )


@pytest.mark.parametrize("name", DISTANCES)
def test_gradients_are_finite_where_vectors_are_equal_or_zero(name: str) -> None:
    vectors = torch.tensor([[0.0, 0.0], [1.0, -2.0]])
    distances, gradient = made(name, vectors, vectors)
    assert distances.isfinite().all()
    torch.testing.assert_close(gradient, torch.zeros(2, 2))


@pytest.mark.parametrize("method", ["alone", "low_rank", "lookup", "characters"])
@pytest.mark.parametrize("name", DISTANCES)
def test_every_distance_is_lowered(method: str, name: str) -> None:
    given = torch.from_numpy(some_vectors().vectors)
    embedding = build_seeded(method, Namespace(**SMALL), SIZE, 1)
    schedule = Schedule(name, epochs=12, batch_size=16, lr=0.02)
    fit = Fit(embedding, torch.arange(WORDS), given, schedule)
    before = fit.loss()
    fit.run(schedule.epochs)
    assert fit.loss() < before - 0.05 * abs(before)


def test_muon_trains_the_network_and_adam_the_rest() -> None:
    schedule = Schedule(
        epochs=3, batch_size=16, optimizer="adam_muon", lr=0.02, lr_schedule="linear"
    )
    given = torch.from_numpy(some_vectors().vectors)
    embedding, same = (
        build_seeded("alone", Namespace(**SMALL), SIZE, 4) for _ in range(2)
    )
    fit = Fit(embedding, torch.arange(WORDS), given, schedule)
    fit.run(2)
    # The same by hand: words drawn as always, 7 updates in all, the rate falling to 0.
    base, *network = same.parameters()
    adam = torch.optim.Adam([base])
    muon = torch.optim.Muon(network, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
    update = 0
    for epoch, batches in ((0, 2), (1, 3)):
        drawn = np.random.RandomState([1, epoch]).randint(
            0, WORDS, (batches, 16), dtype=np.uint32
        )
        for batch in torch.from_numpy(drawn.astype(np.int64)):
            for optimizer in (adam, muon):
                optimizer.zero_grad()
                optimizer.param_groups[0]["lr"] = 0.02 * (1 - update / 7)
            ((same.rows(batch) - given[batch]) ** 2).sum(1).mean().backward()
            adam.step()
            muon.step()
            update += 1
    for mine, expected in zip(embedding.parameters(), same.parameters(), strict=True):
        torch.testing.assert_close(mine, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "changes", "line"),
    [
        ("alone", {"optimizer": "sgd"}, "--optimizer must be adam or adam_muon"),
        ("alone", {"lr_schedule": "up"}, "--lr-schedule must be constant or linear"),
        ("lookup", {"optimizer": "adam_muon"}, "has no network for Muon"),
    ],
)
def test_another_optimizer_is_refused(
    method: str, changes: dict[str, str], line: str
) -> None:
    given = torch.from_numpy(some_vectors().vectors)
    embedding = build_seeded(method, Namespace(**SMALL), SIZE, 1)
    with pytest.raises(Mistake, match=line):
        Fit(embedding, torch.arange(WORDS), given, Schedule(**changes))  # type: ignore[arg-type]


def test_a_torch_without_muon_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.optim, "Muon")
    with pytest.raises(Mistake, match=r"needs torch 2\.9 or newer, this is"):
        Schedule(optimizer="adam_muon").check(WORDS)


def test_an_update_is_adam_on_the_mean_of_the_batch() -> None:
    schedule = Schedule(epochs=1, batch_size=16, seed=4)
    given = torch.from_numpy(some_vectors().vectors)
    embedding = build_seeded("alone", Namespace(**SMALL), SIZE, 4)
    base, first, second = (p.detach().clone() for p in embedding.parameters())
    filters = embedding.filters(torch.arange(WORDS))  # type: ignore[operator]
    fit = Fit(embedding, torch.arange(WORDS), given, schedule)
    fit.run_epoch()
    # The same by hand: two batches of 16 of the 40 words.
    drawn = np.random.RandomState([4, 0]).randint(0, WORDS, (2, 16), dtype=np.uint32)
    values = [base, first, second]
    means = [torch.zeros_like(v) for v in values]
    squares = [torch.zeros_like(v) for v in values]
    for step, batch in enumerate(drawn.astype(np.int64), 1):
        leaves = [v.clone().requires_grad_() for v in values]
        inner = torch.relu((filters[batch] * leaves[0]) @ leaves[1].T)
        loss = (((inner @ leaves[2].T) - given[batch]) ** 2).sum() / 16
        for i, slope in enumerate(torch.autograd.grad(loss, leaves)):
            means[i] = 0.9 * means[i] + 0.1 * slope
            squares[i] = 0.999 * squares[i] + 0.001 * slope**2
            mean, square = means[i] / (1 - 0.9**step), squares[i] / (1 - 0.999**step)
            values[i] = values[i] - 0.001 * mean / (square.sqrt() + 1e-8)
    for value, parameter in zip(values, embedding.parameters(), strict=True):
        torch.testing.assert_close(parameter.detach(), value)


def test_epochs_hold_as_many_words_as_there_are() -> None:
    schedule = Schedule()
    assert schedule.updates(1000, 5000) == 19531  # 5,000,000 words of 256 each
    assert [schedule.updates(e + 1, 5000) - schedule.updates(e, 5000) for e in (0, 1)]
    steps = {
        schedule.updates(e + 1, 5000) - schedule.updates(e, 5000) for e in range(9)
    }
    assert steps == {19, 20}


def test_one_seed_makes_all_and_leaves_the_global_generator_alone() -> None:
    state = torch.random.get_rng_state()
    first, again, other = (
        build_seeded("alone", Namespace(**SMALL), SIZE, s) for s in (7, 7, 8)
    )
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(first.table(), again.table())
    assert first.config.alone_seed == 7
    assert first.description()["checksum"] != other.description()["checksum"]
    own = build_seeded("alone", Namespace(alone_seed=9, **SMALL), SIZE, 7)
    assert own.config.alone_seed == 9


class Killed(BaseException):
    """Stands for a kill: nothing in the program may catch it."""


@pytest.mark.parametrize("optimizer", ["adam", "adam_muon"])
@pytest.mark.parametrize("method", ["alone", "low_rank"])
def test_a_killed_fit_ends_as_one_that_was_not(
    method: str, optimizer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = Schedule(
        epochs=6, batch_size=16, optimizer=optimizer, lr_schedule="linear"
    )

    def job() -> Job:
        return make_job(method, schedule=schedule)

    whole = fit_to_file(job(), tmp_path / "whole.pt", {})
    run_epoch = Fit.run_epoch

    def dies(fit: Fit) -> None:
        if fit.epoch == 5:
            raise Killed
        run_epoch(fit)

    cut = tmp_path / "cut.pt"
    monkeypatch.setattr(Fit, "run_epoch", dies)
    with pytest.raises(Killed):
        fit_to_file(job(), cut, {})
    monkeypatch.undo()
    assert not cut.exists()
    state = tmp_path / "cut.pt.unfinished"
    assert saved.read(state)["fit"]["epoch"] == 4
    whole_state = state.read_bytes()
    state.write_bytes(whole_state[:-100])
    with pytest.raises(Mistake, match=r"damaged.*; remove it, or begin anew with --f"):
        fit_to_file(job(), cut, {})
    state.write_bytes(whole_state)
    resumed = fit_to_file(job(), cut, {})
    assert resumed.facts["loss"] == whole.facts["loss"]
    for mine, theirs in zip(
        whole.embedding.state_dict().values(),
        resumed.embedding.state_dict().values(),
        strict=True,
    ):
        assert torch.equal(mine, theirs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.pt", "whole.pt"]


def test_the_file_gives_the_same_vectors_and_says_where_they_come_from(
    tmp_path: Path,
) -> None:
    kept_back = targets.hold_out(targets.from_words(some_vectors()), 0.25, seed=1)
    made = fit_to_file(make_job(targets=kept_back), tmp_path / "a.pt", {})
    found = saved.load(tmp_path / "a.pt")
    assert found.symbols == some_vectors().words
    assert sorted(found.fitted + found.held_out) == list(range(WORDS))
    assert len(found.held_out) == 10
    torch.testing.assert_close(
        found.word_vectors().vectors, made.word_vectors().vectors, rtol=0, atol=0
    )
    facts = found.facts
    assert facts["settings"]["seed"] == 1
    assert facts["settings"]["words_sha256"] == some_vectors().checksums()["words"]
    assert facts["command"] == ["a", "command"]
    assert facts["versions"]["torch"] == str(torch.__version__)
    assert facts["updates"] == 6 * 30 // 16
    given, fitted = some_vectors().vectors, np.array(found.fitted)
    away = found.word_vectors().vectors[fitted] - given[fitted]
    assert math.isclose(facts["loss"], (away**2).sum(1).mean(), rel_tol=1e-5)


def test_early_scores_are_kept_over_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def job() -> Job:
        return make_job("characters", look_interval=2, save_interval=2)

    pairs = {"some": [Pair("w1", "w2", 1.0), Pair("w3", "w2", 2.0)]}
    whole = fit_to_file(job(), tmp_path / "whole.pt", pairs).facts["looks"]
    assert [look["epoch"] for look in whole] == [0, 2, 4, 6]
    assert set(whole[0]) == {"epoch", "loss", "cosine", "rho"}
    assert whole[0]["rho"]["some"] is not None
    run_epoch = Fit.run_epoch

    def dies(fit: Fit) -> None:
        if fit.epoch == 5:
            raise Killed
        run_epoch(fit)

    monkeypatch.setattr(Fit, "run_epoch", dies)
    with pytest.raises(Killed):
        fit_to_file(job(), tmp_path / "cut.pt", pairs)
    monkeypatch.undo()
    assert fit_to_file(job(), tmp_path / "cut.pt", pairs).facts["looks"] == whole


def test_no_epoch_leaves_the_initial_values(tmp_path: Path) -> None:
    random = make_job("characters", schedule=Schedule(epochs=0))
    made = fit_to_file(random, tmp_path / "a.pt", {})
    fresh = build_seeded("characters", Namespace(), SIZE, 1)
    assert torch.equal(made.embedding.table(), fresh.table())
    assert made.facts["updates"] == 0
    found = saved.load(tmp_path / "a.pt").embedding
    assert torch.equal(found.vectors_of(["new"]), fresh.vectors_of(["new"]))


def test_only_fitted_words_move_a_lookup_table() -> None:
    kept_back = targets.hold_out(targets.from_words(some_vectors()), 0.5, seed=2)
    embedding = build_seeded("lookup", Namespace(), SIZE, 1)
    before = embedding.table().detach().clone()
    fit = Fit(embedding, *kept_back.fitted(), Schedule(epochs=20, batch_size=16))
    fit.run(20)
    moved = (embedding.table() != before).any(1)
    assert torch.equal(moved, ~kept_back.held_out)


def test_other_settings_do_not_continue_or_replace(tmp_path: Path) -> None:
    output = tmp_path / "a.pt"
    first = fit_to_file(make_job(), output, {})
    again = fit_to_file(make_job(command=["another"]), output, {})
    assert again.facts == first.facts
    other = make_job(schedule=Schedule(epochs=6, batch_size=16, seed=2))
    with pytest.raises(Mistake, match=r"a\.pt: is of other settings .* --force"):
        fit_to_file(other, output, {})
    forced = fit_to_file(replace(other, force=True), output, {})
    assert forced.facts["settings"]["seed"] == 2


def test_a_refusal_names_the_one_option_that_differs(tmp_path: Path) -> None:
    output = tmp_path / "a.pt"
    fit_to_file(make_job(), output, {})
    changed = {**make_job().options, "alone_inter_dim": 99}
    with pytest.raises(Mistake, match=r"\(alone_inter_dim: \d+, now 99\)"):
        fit_to_file(make_job(options=changed), output, {})


def test_scaling_keeps_cosines() -> None:
    scaled = targets.scale_to(targets.from_words(some_vectors()), 0.5)
    assert math.isclose(scaled.vectors.std(), 0.5, rel_tol=1e-5)
    np.testing.assert_allclose(
        scaled.vectors, some_vectors().vectors * scaled.scale, rtol=1e-6
    )


@pytest.mark.parametrize(
    ("method", "changes", "message"),
    [
        ("random", {}, "has no values to train"),
        ("alone", {"epochs": -1}, "--epochs must be at least 0, not -1"),
        ("alone", {"batch_size": 0}, "--batch-size must be at least 1, not 0"),
        ("alone", {"batch_size": 500}, "--epochs 6 of 40 words make no batch of 500"),
        ("alone", {"lr": math.nan}, "--lr must be above 0, not nan"),
        ("alone", {"distance": "l3"}, "--distance must be one of squared, euclidean"),
        ("alone", {"seed": -1}, "--seed must lie in"),
        ("aloen", {}, "did you mean 'alone'?"),
        (
            "lookup",
            {"lr": 1e38},
            "the fit diverged: its loss is not finite; lower --lr",
        ),
    ],
)
def test_what_cannot_work_is_refused(
    method: str, changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    schedule = {"epochs": 6, "batch_size": 16, **changes}
    seed = int(schedule.pop("seed", 1))
    with pytest.raises((Mistake, AloneError)) as caught:
        fit_to_file(
            make_job(method, schedule=Schedule(seed=seed, **schedule)),
            tmp_path / "a.pt",
            {},
        )
    assert message in str(caught.value)
    assert not list(tmp_path.glob("*.pt"))


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_damaged_files_are_told_in_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(content)
    with pytest.raises(
        AloneError, match=r"a\.pt: it is damaged, unfinished or"
    ) as told:
        saved.load(path)
    assert "\n" not in str(told.value)


def test_rows_are_built_in_slices() -> None:
    embedding = build_seeded("lookup", Namespace(), TableSize(3000, 2, 0), 1)
    rows = torch.arange(2999, -1, -1)
    assert torch.equal(build_rows(embedding, rows), embedding.table().detach()[rows])
    assert "lookup" in EMBEDDINGS


def test_options_of_another_method_are_refused(tmp_path: Path) -> None:
    vectors = tmp_path / "v"
    vectors.write_text("dog 1 0 2\ncat 0 1 0.5\n")
    words = ["reconstruct", str(vectors), "--words", "2", "--epochs", "1"]
    words += ["--batch-size", "2", "--output", str(tmp_path / "out.pt")]
    with pytest.raises(AloneError, match="--hashed-buckets belongs to --embedding-met"):
        cli.main([*words, "--embedding-method", "lookup", "--hashed-buckets", "7"])
    assert not (tmp_path / "out.pt").exists()
    cli.main([*words, "--embedding-method", "lookup"])


def test_a_random_table_follows_from_the_seed_too() -> None:
    one, same, other = (
        build_seeded("random", Namespace(), SIZE, seed).table() for seed in (1, 1, 2)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
