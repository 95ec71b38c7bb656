"""Words outside a vocabulary get vectors by their spelling, where a method can."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.spelled_words import add_spelled_words
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_vectors import WordVectors
from alone_fairseq.embeddings.characters import CharactersEmbedding

WORDS = ["red", "Tree", "treed", "reed"]


def embedding(words: list[str] = WORDS) -> CharactersEmbedding:
    return CharactersEmbedding(len(words), 4, None, words).eval()


def vectors_of(made: CharactersEmbedding, words: list[str]) -> WordVectors:
    return WordVectors(words, made.table().detach().numpy())


def test_only_missing_words_are_added() -> None:
    made = embedding()
    wanted = ["tree", "reed", "der", "der"]
    found = add_spelled_words(vectors_of(made, WORDS), made, wanted)
    assert found.words == [*WORDS, "tree", "der"]
    expected = made.vectors_of(["tree", "der"]).detach().numpy()
    # Without gradients torch computes by other kernels.
    np.testing.assert_allclose(found.vectors[4:], expected, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(found.vectors[:4], vectors_of(made, WORDS).vectors)
    assert add_spelled_words(found, made, []).words == found.words


def test_words_begin_with_the_mark_of_the_vocabulary() -> None:
    words = ["▁red", "tree", "▁reed"]
    made = embedding(words)
    found = add_spelled_words(vectors_of(made, words), made, ["der"])
    expected = made.vectors_of(["▁der"]).detach().numpy()
    np.testing.assert_allclose(found.vectors[3:], expected, rtol=0, atol=1e-6)
    # A stray one among plain words is no mark.
    words = [*"abcdefghijkl", "▁"]
    made = embedding(words)
    found = add_spelled_words(vectors_of(made, words), made, ["der"])
    expected = made.vectors_of(["der"]).detach().numpy()
    np.testing.assert_allclose(found.vectors[13:], expected, rtol=0, atol=1e-6)


def test_from_reconstruct_to_similarity_and_analogy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: Any) -> str:
        cli.main([str(word) for word in words])
        return capsys.readouterr().out

    lines = [f"{word} {n} {n % 2} 1 0.5" for n, word in enumerate(WORDS)]
    (tmp_path / "v").write_text("\n".join(lines) + "\n")
    (tmp_path / "pairs").write_text("red REED 1\nred der 2\nder deer 4\n")
    (tmp_path / "new").write_text("der\ndeer\nTREE\n")
    (tmp_path / "questions").write_text("red reed der deer\n")
    file, out = tmp_path / "a.pt", tmp_path / "out.vec"
    flags = ["--words", 4, "--epochs", 2, "--batch-size", 2, "--output", file]
    flags += ["--vectors-out", out, "--spell", tmp_path / "new"]
    run("reconstruct", tmp_path / "v", "--embedding-method", "characters", *flags)
    assert VectorFile(out).read().words == [*WORDS, "der", "deer", "TREE"]
    pairs = ["similarity", file, "--pairs", tmp_path / "pairs"]
    assert "1       3" in run(*pairs)
    assert "3       3" in run(*pairs, "--spell")
    asked = ["analogy", file, "--questions", tmp_path / "questions"]
    assert "0        1" in run(*asked).splitlines()[-2]
    found = run(*asked, "--spell").splitlines()
    assert "1        1" in found[-2]
    assert "6 words are candidates" in found[-1]
    with pytest.raises(Mistake, match="--spell needs a reconstruction"):
        run("similarity", out, "--pairs", tmp_path / "pairs", "--spell")
    with pytest.raises(Mistake, match="--spell needs --vectors-out"):
        run("reconstruct", out, "--output", file, "--spell", tmp_path / "new")


def test_methods_that_cannot_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("a 1 0\nb 1 1\nc 0 1\n")
    (tmp_path / "pairs").write_text("a b 3\na new 1\n")
    file = tmp_path / "a.pt"
    fit = ["--words", "3", "--epochs", "1", "--batch-size", "2", "--output", str(file)]
    method = ["--embedding-method", "lookup"]
    cli.main(["reconstruct", str(tmp_path / "v"), *method, *fit])
    with pytest.raises(Mistake, match="lookup knows only the words"):
        cli.main(["similarity", str(file), "--pairs", f"{tmp_path}/pairs", "--spell"])
    (tmp_path / "words").write_text("new\n")
    file.unlink()
    out = ["--spell", f"{tmp_path}/words", "--vectors-out", f"{tmp_path}/out.vec"]
    with pytest.raises(Mistake, match="lookup knows only the words"):
        cli.main(["reconstruct", str(tmp_path / "v"), *method, *fit, *out])
    assert not file.exists()  # refused before the fit
    plain = torch.nn.Embedding(3, 2)
    with pytest.raises(Mistake, match="--spell: the method lookup knows only"):
        add_spelled_words(WordVectors(["a"], np.ones((1, 2))), plain, ["new"])
