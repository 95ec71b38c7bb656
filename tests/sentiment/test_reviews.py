"""Reviews: the forms in which they come, their words, their vectors."""

import gzip
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.sentiment.raw_reviews import read_raw
from alone_experiments.sentiment.reviews import Review, encode, read_reviews
from alone_experiments.sentiment.words import make_splitter
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_vectors import WordVectors
from tests.sentiment.made_up_reviews import prepare, texts, write_tables


def write_folders(folder: Path) -> Path:
    """Write the same reviews as the makers of the data set give them out."""
    for part, count, seed in (("train", 60, 1), ("test", 20, 2)):
        numbers = {"neg": 0, "pos": 0}
        for label, text in texts(count, seed):
            file = folder / part / label / f"{numbers[label]}_7.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            numbers[label] += 1
    return folder


def test_both_forms_hold_the_same(tmp_path: Path) -> None:
    table, folders = write_tables(tmp_path / "a"), write_folders(tmp_path / "b")
    for part in ("train", "test"):
        mine, theirs = (sorted(read_raw(each, part)) for each in (table, folders))
        assert mine == theirs
    # Review 10 comes after review 9.
    [tenth] = islice(read_raw(folders, "train"), 10, 11)
    assert tenth == (0, (folders / "train/neg/10_7.txt").read_text())


def test_words_are_those_of_nltk_in_lower_case() -> None:
    split = make_splitter()
    assert split("It's GREAT.<br /><br />Don't miss it (really)!") == [
        *("it", "'s", "great", ".", "do", "n't", "miss", "it", "(", "really", ")", "!")
    ]
    assert split("") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("neg\t1\t0\tbad\nmaybe\t1\t2\tso\n", r"test\.tsv, line 2: must be neg or pos"),
        ("neg\t1\t0\n", "line 1: must be neg or pos"),
    ],
)
def test_lines_that_are_no_reviews(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text(text)
    with pytest.raises(Mistake, match=message):
        list(read_raw(tmp_path, "test"))


def test_files_that_are_missing_or_cut_off(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"has neither train\.tsv, .* aclImdb"):
        list(read_raw(tmp_path, "train"))
    empty = tmp_path / "empty"
    for part in ("train/pos", "train/neg", "test/pos", "test/neg"):
        (empty / part).mkdir(parents=True)
    words = ["--from", str(empty), "--output", str(tmp_path / "out")]
    with pytest.raises(Mistake, match="no reviews"):
        cli.main(["sentiment", "prepare", *words])
    file = write_tables(tmp_path) / "test.tsv.gz"
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(Mistake, match=r"test\.tsv\.gz is damaged"):
        list(read_raw(tmp_path, "test"))


def test_raw_reviews_are_not_replaced(tmp_path: Path) -> None:
    folder = write_tables(tmp_path)
    whole = {file.name: file.read_bytes() for file in folder.iterdir()}
    for into in (folder, folder / ".." / folder.name):
        words = ["--from", str(folder), "--output", str(into)]
        with pytest.raises(Mistake, match="has the raw reviews: name another folder"):
            cli.main(["sentiment", "prepare", *words])
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == whole


def test_preparation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = prepare(tmp_path)
    assert "train: 60 reviews, test: 20 reviews" in capsys.readouterr().err
    first = read_reviews(folder / "train.tsv")[0]
    label, text = texts(1, 1)[0]
    assert first == (label == "pos", make_splitter()(text))
    counts = (folder / "words.txt").read_text().split("\n")
    assert {". 80", "! 80", "unknown 80", "fine 40"} <= set(counts)
    vectors = VectorFile(folder / "vectors.vec").read()
    # As the reviews write them, and only these.
    assert "fine" in vectors.words
    assert not {"nowhere", "Fine", "unknown"} & set(vectors.words)
    given = VectorFile(tmp_path / "given.vec").read()
    wanted = given.vectors[given.exact["Fine"]]
    np.testing.assert_array_equal(vectors.vectors[vectors.exact["fine"]], wanted)
    prepare(tmp_path)
    assert capsys.readouterr().err == ""


def test_vectors_chosen_by_the_words_of_other_reviews_are_removed(
    tmp_path: Path,
) -> None:
    folder = prepare(tmp_path)
    again = ["sentiment", "prepare", "--output", str(folder), "--from"]
    raw = tmp_path / "given"
    cli.main([*again, str(raw)])
    assert (folder / "vectors.vec").exists()
    file = raw / "train.tsv.gz"
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    file.write_bytes(gzip.compress(b"".join(lines[1:])))
    cli.main([*again, str(raw)])
    assert not (folder / "vectors.vec").exists()


def test_words_without_a_vector_are_left_out() -> None:
    vectors = WordVectors(["a", "B"], np.zeros((2, 3), np.float32))
    reviews = [Review(1, ["a", "x", "b", "a"]), Review(0, ["x", "y"]), Review(0, [])]
    found = encode(reviews, vectors, longest=3)
    assert [own.tolist() for own in found.rows] == [[0, 1], [2], [2]]
    assert found.labels.tolist() == [1, 0, 0]


def test_damaged_preparation_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("1\ta b\n2\tc\n")
    with pytest.raises(Mistake, match=r"train\.tsv, line 2: must be 0 or 1"):
        read_reviews(tmp_path / "train.tsv")
    words = ["sentiment", "train", "v", "--reviews", str(tmp_path), "--output", "o"]
    with pytest.raises(Mistake, match=r"has no test\.tsv: make it with"):
        cli.main(words)


@pytest.mark.slow
def test_the_data_set_itself(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("imdb")
    for part in ("train", "test"):
        labels = [label for label, _ in read_raw(folder, part)]
        assert (len(labels), sum(labels)) == (25_000, 12_500)
