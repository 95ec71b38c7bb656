"""Classifiers of reviews: what they learn, kills, records, what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from alone_experiments import cli
from alone_experiments.lines import sha256
from alone_experiments.mistakes import Mistake
from alone_experiments.results.result_files import read_kept
from alone_experiments.sentiment.classifier import Classifier, batch_of
from alone_experiments.sentiment.fit import POOL, Fit, Schedule, in_batches, split
from alone_experiments.sentiment.reviews import Encoded
from tests.sentiment.made_up_reviews import prepare

QUICK = ("--epochs", 3, "--hidden", 6, "--lr", 0.02, "--batch-size", 8)


@pytest.fixture(scope="module")
def imdb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("reviews"))


def some_reviews(count: int = 30, words: int = 9) -> Encoded:
    chooser = np.random.default_rng(4)
    rows = [chooser.integers(0, words, chooser.integers(1, 6)) for _ in range(count)]
    return Encoded(np.array([int(own[0] > 4) for own in rows]), rows)


def by_hand(model: Classifier, words: Tensor) -> Tensor:
    """The equations of an LSTM, a word at a time; ``words`` is ``(T, D)``."""
    cell = model.lstm
    size = cell.hidden_size
    h, c = torch.zeros(size), torch.zeros(size)
    for x in words:
        gates = cell.weight_ih_l0 @ x + cell.bias_ih_l0
        gates = gates + cell.weight_hh_l0 @ h + cell.bias_hh_l0
        i, f, g, o = gates.view(4, size)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return model.output.weight @ h + model.output.bias


def test_the_last_word_of_each_review_decides() -> None:
    reviews, table = some_reviews(), torch.randn(9, 4)
    model = Classifier(4, 5, seed=1)
    batch = batch_of(reviews, torch.device("cpu"))
    expected = [by_hand(model, table[torch.from_numpy(own)]) for own in reviews.rows]
    logits = model(batch.words, batch.lengths, table)
    torch.testing.assert_close(logits, torch.stack(expected))
    assert batch.labels.tolist() == reviews.labels.tolist()


def test_vectors_stay_as_they_are_and_weights_follow_from_the_seed() -> None:
    one, same, other = (Classifier(4, 5, seed=seed) for seed in (1, 1, 2))
    for mine, theirs in zip(one.parameters(), same.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert not torch.equal(one.output.weight, other.output.weight)
    bias = one.lstm.bias_ih_l0 + one.lstm.bias_hh_l0
    assert torch.equal(bias[5:10], torch.ones(5))
    table = nn.Parameter(torch.randn(9, 4), requires_grad=False)
    before = table.clone()
    fit = Fit(table, some_reviews(), some_reviews(9), Schedule(epochs=1, hidden=5))
    fit.run(100)
    assert torch.equal(table, before)


def test_an_epoch_sees_every_review_once() -> None:
    reviews = some_reviews(29)
    fit = Fit(torch.randn(9, 4), reviews, some_reviews(9), Schedule(batch_size=8))
    seen: list[int] = []
    choose = Encoded.choose

    class Seen(Encoded):
        def choose(self, which: Any) -> Encoded:
            seen.extend(int(i) for i in which)
            return choose(self, which)

    fit.train = Seen(*reviews)
    fit.run(2)
    assert (fit.update, fit.updates) == (2, 2)
    assert len(seen) in (13, 16)  # the smaller batch may be among the first
    fit.run(100)
    assert sorted(seen) == list(range(29))
    assert (len(fit.epochs), fit.update, fit.updates) == (1, 0, 4)


def test_batches_are_of_like_length_and_random() -> None:
    lengths = np.random.default_rng(5).integers(1, 400, 4 * POOL + 3)
    rows = [np.zeros(length, np.int64) for length in lengths]
    one, same, other = (
        in_batches(rows, 4, np.random.RandomState(s)) for s in (1, 1, 2)
    )
    assert sorted(np.concatenate(one)) == list(range(len(rows)))
    assert len(one) == POOL + 1
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert [set(batch) for batch in one] != [set(batch) for batch in other]
    longest = [lengths[batch].max() for batch in one]
    padded = sum(len(batch) * most for batch, most in zip(one, longest, strict=True))
    assert padded < 1.05 * lengths.sum()
    assert longest != sorted(longest)


def test_reviews_kept_back_are_others() -> None:
    reviews = Encoded(np.arange(50), [np.array([i]) for i in range(50)])
    learnt, kept = split(reviews, 0.2)
    assert (len(learnt.rows), len(kept.rows)) == (40, 10)
    assert sorted([*learnt.labels, *kept.labels]) == list(range(50))
    with pytest.raises(Mistake, match="leaves none on one side"):
        split(reviews, 0.001)


def test_the_best_state_is_the_one_that_is_tested() -> None:
    fit = Fit(torch.randn(9, 4), some_reviews(), some_reviews(9), Schedule(hidden=5))
    fit.run(100)
    best = {k: v.clone() for k, v in fit.model.state_dict().items()}
    with torch.no_grad():
        fit.model.output.bias.copy_(torch.tensor([99.0, -99.0]))
    fit.run(100)
    assert fit.best_epoch == 1
    fit.take_best()
    for name, values in fit.model.state_dict().items():
        assert torch.equal(values, best[name])
    loss, right = fit.evaluate(fit.valid)
    assert loss == pytest.approx(fit.epochs[0].valid)
    assert right.mean() == pytest.approx(fit.epochs[0].accuracy)


def train(imdb: Path, output: Path, *more: object, vectors: Path | None = None) -> Any:
    words = ["sentiment", "train", vectors or imdb / "vectors.vec", "--reviews", imdb]
    cli.main([*map(str, [*words, *QUICK, "--output", output, *more])])
    return json.loads(output.read_text())


class Killed(BaseException):
    """Stands for a kill: nothing in the program may catch it."""


def test_what_was_killed_ends_as_what_was_not(
    imdb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = tmp_path / "whole.json", tmp_path / "cut.json"
    expected = train(imdb, whole)
    run = Fit.run

    def dies(fit: Fit, updates: int) -> None:
        if fit.updates >= 10:  # within the second epoch
            raise Killed
        run(fit, updates)

    with monkeypatch.context() as patch:
        patch.setattr(Fit, "run", dies)
        with pytest.raises(Killed):
            train(imdb, cut, "--save-interval", 3)
    assert [file.name for file in tmp_path.glob("cut*")] == ["cut.json.unfinished"]
    found = train(imdb, cut, "--save-interval", 3)
    assert found["valid"] == expected["valid"]
    del found["test"]["right"]["file"], expected["test"]["right"]["file"]
    assert found["test"] == expected["test"]
    assert not list(tmp_path.glob("*.unfinished"))


def test_the_record_says_what_was_done(
    imdb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = train(imdb, tmp_path / "lookup--seed1.json", "--epochs", 20)
    assert (record["row"], record["seed"]) == ("lookup", 1)
    assert record["method"] == "lookup"
    words = record["settings"]["words"]
    assert record["footprint"]["stored_bytes"] == 4 * 8 * words
    # A word decides, so that even this small network learns it.
    assert record["test"]["accuracy"] >= 90
    right = read_kept(record["test"]["right"], tmp_path)
    assert len(right) == record["test"]["reviews"] == 20
    assert right.count("1") == 20 * record["test"]["accuracy"] / 100
    assert record["updates"] == 20 * 8  # 57 reviews in batches of 8
    assert record["data"].keys() == {"train.tsv", "test.tsv"}
    assert {"command", "commit", "dirty", "versions", "hardware"} <= record.keys()
    train(imdb, tmp_path / "lookup--seed1.json", "--epochs", 20)
    assert "is done already" in capsys.readouterr().out
    with pytest.raises(Mistake, match=r"other settings \(epochs: 20, now 3\)"):
        train(imdb, tmp_path / "lookup--seed1.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(Mistake, match=r"list\.json: is no record"):
        train(imdb, tmp_path / "list.json")


def test_each_record_has_answers_of_its_own(imdb: Path, tmp_path: Path) -> None:
    for name, seed in (("run.v1", 1), ("run.v2", 2)):
        train(imdb, tmp_path / name, "--seed", seed)
    for name in ("run.v1", "run.v2"):
        record = json.loads((tmp_path / name).read_text())
        assert len(read_kept(record["test"]["right"], tmp_path)) == 20


@pytest.mark.slow
def test_any_embedding_will_do(imdb: Path, tmp_path: Path) -> None:
    vectors, sizes = imdb / "vectors.vec", {}
    codes, packed = tmp_path / "codes.pt", tmp_path / "packed"
    learn = ["codes", "learn", vectors, "--codes", "3x4", "--iterations", 20]
    cli.main([*map(str, [*learn, "--check-interval", 20, "--output", codes])])
    cli.main(["codes", "export", str(codes), "--output", str(packed)])
    fit = ["reconstruct", vectors, "--words", 20, "--embedding-method", "low_rank"]
    fit += ["--low-rank-dim", 2, "--epochs", 15, "--output", tmp_path / "low.pt"]
    cli.main([*map(str, fit)])
    made = (codes, packed, tmp_path / "low.pt")
    for file in made:
        record = train(imdb, tmp_path / f"{file.stem}.json", vectors=file)
        sizes[file.name] = (record["method"], record["footprint"]["stored_bytes"])
        assert record["test"]["reviews"] == 20
        assert ("start" in record) == (file != packed)
    assert record["start"]["settings"]["epochs"] == 15
    assert record["start"]["sha256"] == sha256(tmp_path / "low.pt")
    words = record["settings"]["words"]
    # 12 codewords of 8 values; 3 codes of 2 bits for each of the file's 22 words.
    assert sizes["packed"] == ("codes", 4 * 12 * 8 + -(-22 * 3 * 2 // 8))
    assert sizes["codes.pt"] == sizes["packed"]
    assert sizes["low.pt"][0] == "low_rank"
    assert sizes["low.pt"][1] >= 4 * 2 * (words + 8)


def test_a_bad_test_set_is_found_before_the_training(
    imdb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fit, "run", None)
    with pytest.raises(Mistake, match="--test-reviews 999: there are"):
        train(imdb, tmp_path / "r.json", "--test-reviews", "999")
    assert not list(tmp_path.iterdir())


def test_a_loss_that_is_no_number_ends_the_training() -> None:
    table = torch.full((9, 4), float("nan"))
    fit = Fit(table, some_reviews(), some_reviews(9), Schedule(hidden=5))
    with pytest.raises(Mistake, match="the loss is not finite; lower --lr"):
        fit.run(1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lr", "0"], "--lr must be above 0"),
        (["--lr", "1e39"], "--lr must be above 0 and at most 10"),
        (["--train-reviews", "61"], "--train-reviews 61: there are 60"),
        (["--hold-out", "1"], "--hold-out must be above 0 and below 1"),
        (["--device", "cuda"], "there is no GPU"),
    ],
)
def test_bad_input(words: list[str], message: str, imdb: Path, tmp_path: Path) -> None:
    if "cuda" in words and torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(Mistake, match=message):
        train(imdb, tmp_path / "r.json", *words)
    assert not (tmp_path / "r.json").exists()
