"""What two spaces of words share."""

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from fairseq.data import Dictionary

from alone_experiments.mistakes import Mistake
from alone_experiments.reconstruction import saved
from alone_experiments.results.table import make_table_of
from alone_experiments.word_vectors import overlap, trained_models
from alone_experiments.word_vectors.overlap import compare
from alone_experiments.word_vectors.word_vectors import Floats, WordVectors
from alone_fairseq.embeddings import AloneEmbedding, LookupEmbedding

WORDS, DIM = 60, 8


def directions(seed: int, words: int = WORDS) -> Floats:
    vectors = np.random.default_rng(seed).normal(size=(words, DIM))
    return WordVectors([], vectors.astype(np.float32)).directions()


def test_by_its_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Word by word, in blocks that do not divide the number of words."""
    monkeypatch.setattr(overlap, "COSINES_AT_A_TIME", 7 * 20)
    first, second = directions(1, 20), directions(2, 20)
    found = compare(first, second, 5)
    for word in range(20):
        others = [other for other in range(20) if other != word]
        both = [[float(s[word] @ s[o]) for o in others] for s in (first, second)]
        near = [{*np.argsort(cosines)[-5:].tolist()} for cosines in both]
        assert found.shared[word] == len(near[0] & near[1]) / 5
        expected = np.corrcoef(*both)[0, 1]
        assert found.correlation[word] == pytest.approx(expected, abs=1e-5)


def test_a_turned_space_is_the_same_and_another_is_chance() -> None:
    space = directions(1)
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(DIM, DIM)))
    same = compare(space, (space @ turn).astype(np.float32), 10)
    assert same.shared.mean() > 0.99
    assert same.correlation.min() > 0.999
    other = compare(space, directions(2), 10)
    assert other.shared.mean() == pytest.approx(10 / (WORDS - 1), abs=0.03)
    assert abs(other.correlation.mean()) < 0.1
    zeros = compare(space, np.zeros_like(space), 10)
    assert not zeros.correlation.any()


@pytest.fixture
def spaces(tmp_path: Path) -> list[Path]:
    """Two files of vectors, a reconstruction by ALONE, and counts."""
    words = [f"w{number}" for number in range(WORDS)]
    for name, seed in (("one.txt", 1), ("other.txt", 2)):
        lines = zip(words, directions(seed), strict=True)
        text = "".join(f"{w} {' '.join(map(str, row))}\n" for w, row in lines)
        (tmp_path / name).write_text(text)
    torch.manual_seed(1)
    embedding = AloneEmbedding(WORDS, DIM, alone_inter_dim=6)
    rows = [*range(WORDS)]
    made = saved.Reconstruction(embedding.eval(), words, 0, rows, [], {})
    saved.save(made, tmp_path / "alone.pt")
    counts = "".join(f"w{number} {number * 3}\n" for number in range(1, WORDS + 9))
    (tmp_path / "dict.txt").write_text(counts)
    return [
        tmp_path / name for name in ("one.txt", "other.txt", "alone.pt", "dict.txt")
    ]


def run(*words: object) -> None:
    parser = argparse.ArgumentParser()
    overlap.add_arguments(parser)
    overlap.run(parser.parse_args([str(word) for word in words]))


def test_the_command(spaces: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    one, other, alone, counts = spaces
    made = one.with_name("overlap.json")
    flags = ("--counts", counts, "--filters", "--bins", "10,100", "--json", made)
    same = one.with_name("same.txt")
    same.write_text(one.read_text())
    run(one, same, other, alone, *flags)
    printed = capsys.readouterr().out
    assert "Of 59 words" in printed  # w0 has no count
    cells = [line.replace("|", " ").split() for line in printed.splitlines()]
    assert [str(same), "0-9", "3", "100.0%", "1.000"] in cells
    assert f"By chance {10 / 58:.2%}" in printed
    record = json.loads(made.read_text())
    assert (record["row"], record["reference"]) == ("overlap", str(one))
    found = record["spaces"]
    assert [*found] == [str(same), str(other), str(alone)]
    assert found[str(same)]["all"] == {
        **{"words": 59, "shared": 1.0, "correlation": pytest.approx(1.0)},
    }
    groups = {group: each["words"] for group, each in found[str(alone)].items()}
    assert groups == {"0-9": 3, "10-99": 30, "100+": 26, "all": 59}


def test_the_filters_of_a_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary()
    for number in range(9):
        dictionary.add_symbol(f"w{number}")
    embedding = AloneEmbedding(len(dictionary), DIM, alone_inter_dim=6)
    monkeypatch.setattr(trained_models, "read", lambda _: {"model": {}})
    monkeypatch.setattr(trained_models, "load_model", lambda *_: (None, None))
    monkeypatch.setattr(trained_models, "side_of", lambda *_: (embedding, dictionary))
    args = argparse.Namespace(vectors=Path("x.pt"), data=Path(), side="source")
    found = trained_models.read_filters(args)
    assert found is not None
    assert found.words == [f"w{number}" for number in range(9)]
    expected = embedding.filters(torch.tensor([4 + 7]))[0].numpy()
    assert np.array_equal(found.vectors[7], expected)
    embedding = LookupEmbedding(len(dictionary), DIM)
    assert trained_models.read_filters(args) is None


def test_bad_input(spaces: list[Path]) -> None:
    one, other, _, counts = spaces
    with pytest.raises(Mistake, match="name two spaces or more"):
        run(one, "--counts", counts)
    again = one.parent / "." / ".." / one.parent.name / one.name
    with pytest.raises(Mistake, match=f"{again}: is given twice"):
        run(one, again, "--counts", counts)
    with pytest.raises(Mistake, match="59 words in common, too few for 60"):
        run(one, other, "--counts", counts, "--count", "60")
    counts.write_text("w1 3\nw2\n")
    with pytest.raises(
        Mistake, match=f"{counts}, line 2: must be a word and its count"
    ):
        run(one, other, "--counts", counts)


def test_the_table_of_records(spaces: list[Path]) -> None:
    one, other, _, counts = spaces
    folder = one.with_name("records")
    folder.mkdir()
    flags = ("--counts", counts, "--bins", "10,100", "--json", folder / "x.json")
    run(one, other, *flags)
    made = make_table_of(folder)
    assert f"Of 59 words, compared with {one}:" in made
    cells = [line.replace("|", " ").split() for line in made.splitlines()]
    assert [str(other), "0-9", "3"] in [each[:3] for each in cells]
    assert f"By chance {10 / 58:.2%} of 10 neighbours are shared." in made
