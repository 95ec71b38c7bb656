"""Which training pairs stay: Moses' limits, and no side ever shifts."""

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alone_experiments.corpora import filters, segmentation, subwords, tokens, words
from alone_experiments.corpora.unit_files import is_of_sentencepiece
from alone_experiments.mistakes import Mistake


def moses_keeps(source: int, target: int, longest: int, ratio: float) -> bool:
    """Say what clean-corpus-n does with sides of so many words."""
    in_range = 1 <= source <= longest and 1 <= target <= longest
    return in_range and source / target <= ratio and target / source <= ratio


@given(st.integers(0, 12), st.integers(0, 12))
def test_limits_are_those_of_moses(source: int, target: int) -> None:
    limits = filters.PairFilter(max_length=10, max_ratio=1.5)
    reason = limits.reason(" ".join("a" * source), " ".join("b" * target))
    assert (reason is None) == moses_keeps(source, target, 10, 1.5)


def test_reasons_and_their_report() -> None:
    limits = filters.PairFilter(max_length=4, max_ratio=1.5)
    source = ["a a", "", "a a a a a", "a a a a", "a a a", " "]
    target = ["b b", "b", "b b b b b", "b", "b b", "b"]
    kept = limits.split(source, target)
    assert kept[:2] == (["a a", "a a a"], ["b b", "b b"])
    assert filters.describe(6, kept[2]) == (
        "2 of 6 training pairs stay; left out: 2 with an empty side,"
        " 1 over 4 subword units, 1 with a ratio of lengths over 1.5"
    )


def test_without_limits_only_empty_sides_go() -> None:
    limits = filters.PairFilter(max_length=0, max_ratio=0)
    assert limits.reason("a " * 999, "b") is None
    assert limits.reason("a", " ") is not None
    assert filters.describe(1, Counter()) == "1 of 1 training pairs stay"


LONG = b"x " * 99
NASTY = st.sampled_from(
    [
        *(b"", b" ", b"\r", b"\xff", b"\x00", b"a\rb", b"\xe2\x80", b"\t", b"\x0c"),
        *(sign.encode() for sign in "\u2028\u2029\u0085\u00a0\u200b\ufeff\u00ad@"),
        *(b"@@", b"&amp;", b"ein Hund", LONG, b"it's", b"@-@", b"</w>"),
    ]
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=12), st.integers(1, 4))
def test_pairs_that_stay_are_pairs_of_the_input_in_order(
    tmp_path: Path, pairs: list[tuple[bytes, bytes]], chunk: int
) -> None:
    files = {}
    for side, language in enumerate(("en", "de")):
        raw = tmp_path / f"raw.{language}"
        # A number on every line, which cleaning does not touch, says which it was.
        raw.write_bytes(
            b"".join(
                b"n%dn %s\n" % (number, pair[side]) for number, pair in enumerate(pairs)
            )
        )
        files[language] = tmp_path / f"tokens.{language}"
        tokens.tokenise_file(raw, files[language], language, 1)
    model = tmp_path / "codes"
    if not model.exists():
        counts = Counter({"ein": 9, "n1n": 8, "Hund": 7, "&amp;amp;": 6})
        segmentation.SEGMENTATIONS["bpe"].learn(counts, 9, model)
    output = tmp_path / "train.en", tmp_path / "train.de"
    subwords.CHUNK = chunk
    found = subwords.split_training_set(
        (files["en"], files["de"]),
        output,
        subwords.Splitter("bpe", model),
        filters.PairFilter(max_length=60, max_ratio=0),
        1,
    )
    sides = [file.read_bytes().decode().split("\n")[:-1] for file in output]
    numbers = [
        [int(re.search(r"n(\d+)n", line.replace("@@ ", ""))[1]) for line in side]  # type: ignore[index]
        for side in sides
    ]
    assert numbers[0] == numbers[1] == sorted(set(numbers[0]))
    assert len(numbers[0]) + found.left_out.total() == found.pairs == len(pairs)
    undecodable = [b"\xff", b"\xe2\x80"]
    expected = [
        number
        for number, pair in enumerate(pairs)
        if not set(pair) & {*undecodable, LONG}
    ]
    assert numbers[0] == expected


@pytest.fixture
def text() -> list[str]:
    generator = random.Random(1)
    syllables = ["ba", "do", "ki", "lu", "ne"]
    return [
        " ".join("".join(generator.choices(syllables, k=3)) for _ in range(6))
        for _ in range(200)
    ]


def test_units_are_those_of_subword_nmt(text: list[str], tmp_path: Path) -> None:
    """The same merges and units as by its own commands from the text itself."""
    from subword_nmt.apply_bpe import BPE
    from subword_nmt.learn_bpe import learn_bpe

    file, theirs, ours = tmp_path / "text", tmp_path / "theirs", tmp_path / "ours"
    file.write_text("\n".join(text) + "\n")
    with file.open() as source, theirs.open("w") as codes:
        learn_bpe(source, codes, 30)
    bpe = segmentation.SEGMENTATIONS["bpe"]
    bpe.learn(words.count_words([file]), 30, ours)
    assert ours.read_text() == theirs.read_text()
    assert not is_of_sentencepiece(ours)
    with theirs.open() as codes:
        expected = [BPE(codes).process_line(line) for line in text]
    assert [bpe.split(line, ours, None) for line in text] == expected


@pytest.mark.parametrize("words_of_text", [["a", "b", "c"], ["ab", "cd"]])
def test_nothing_to_merge_is_told(words_of_text: list[str], tmp_path: Path) -> None:
    bpe, model = segmentation.SEGMENTATIONS["bpe"], tmp_path / "codes"
    with pytest.raises(Mistake, match="so there are no subword units to learn"):
        bpe.learn(Counter(words_of_text), 30, model)
    assert not model.exists()


def test_unknown_units_are_split_further(text: list[str], tmp_path: Path) -> None:
    bpe, model = segmentation.SEGMENTATIONS["bpe"], tmp_path / "codes"
    bpe.learn(Counter(" ".join(text).split(" ")), 30, model)
    word = text[0].split(" ")[0]
    units = bpe.split(word, model, None).split(" ")
    vocabulary = tmp_path / "vocabulary"
    words.write_counts(Counter(set(word)), vocabulary)
    split = bpe.split(word, model, vocabulary)
    assert len(split.split(" ")) > len(units)
    assert split.replace("@@ ", "") == word


def test_sentencepiece(text: list[str], tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    pieces, model = segmentation.SEGMENTATIONS["sentencepiece"], tmp_path / "codes"
    pieces.learn(Counter(" ".join(text).split(" ")), 40, model)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["codes"]
    assert is_of_sentencepiece(model)
    split = pieces.split(text[0], model, None)
    assert split.count(" ") > text[0].count(" ")
    assert split.replace(" ", "").replace("\u2581", " ").strip() == text[0]
    with pytest.raises(Mistake, match="cannot learn 9999 pieces"):
        pieces.learn(Counter({"a": 1}), 9999, model)
