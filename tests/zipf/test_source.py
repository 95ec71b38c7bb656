"""Text of a known source: its probabilities are those of what it draws."""

import numpy as np
import pytest

from alone_experiments.zipf.source import CLASSES, SHIFT, ZipfSource

WORDS = 50


def test_probabilities_add_up() -> None:
    source = ZipfSource(WORDS)
    assert source.frequencies.sum() == pytest.approx(1.0)
    every = np.arange(WORDS)
    for before in range(WORDS):
        pairs = np.stack([np.full(WORDS, before), every], axis=1)
        following = np.exp(-source.losses(pairs)[:, 1])
        assert following.sum() == pytest.approx(1.0)


def test_words_keep_zipfs_proportions_within_a_class() -> None:
    frequencies = ZipfSource(WORDS).frequencies
    ratio = frequencies[2 + CLASSES] / frequencies[2]
    assert ratio == pytest.approx((2 + SHIFT) / (2 + CLASSES + SHIFT))


def test_text_follows_the_probabilities() -> None:
    source = ZipfSource(WORDS)
    text = source.draw(4000, 20, seed=3)
    assert text.shape == (4000, 20)
    shares = np.bincount(text.ravel(), minlength=WORDS) / text.size
    assert shares == pytest.approx(source.frequencies, abs=0.005)
    # Pairs too: what came after each word, against what the losses say.
    pairs = np.zeros((WORDS, WORDS))
    np.add.at(pairs, (text[:, :-1].ravel(), text[:, 1:].ravel()), 1)
    likely = np.exp(
        -np.array(
            [
                source.losses(np.stack([np.full(WORDS, a), np.arange(WORDS)], 1))[:, 1]
                for a in range(WORDS)
            ]
        )
    )
    often = pairs.sum(1) > 1500
    assert often.sum() >= 5
    shares = pairs[often] / pairs[often].sum(1, keepdims=True)
    assert shares == pytest.approx(likely[often], abs=0.04)
    # One that knows the source needs less than one that knows frequencies.
    unigram = -np.log(source.frequencies[text]).mean()
    assert source.losses(text).mean() < unigram - 1.0


def test_a_seed_gives_the_same_text() -> None:
    source = ZipfSource(WORDS)
    first = source.draw(5, 7, seed=1)
    assert np.array_equal(first, source.draw(5, 7, seed=1))
    assert not np.array_equal(first, source.draw(5, 7, seed=2))
    assert first[0, 0] == ZipfSource(WORDS).draw(5, 7, seed=1)[0, 0]
