"""Word lists and files of judged word pairs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.analogy import Question, choose, read_questions
from alone_experiments.word_vectors.vectors import VectorFile
from alone_experiments.word_vectors.word_lists import (
    read_chosen,
    read_word_counts,
    read_word_list,
)
from alone_experiments.word_vectors.word_pairs import Pair, read_pairs

ORIGINAL = {
    "simlex": (
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\n"
        "old\tnew\tA\t1.58\t2.72\t2.81\t2\t7.25\n"
        "smart\tintelligent\tA\t9.2\t1.75\t2.46\t1\t7.11\n",
        [Pair("old", "new", 1.58), Pair("smart", "intelligent", 9.2)],
    ),
    "wordsim tabs": (
        "Word 1\tWord 2\tHuman (mean)\nlove\tsex\t6.77\n",
        [Pair("love", "sex", 6.77)],
    ),
    "wordsim commas": (
        "\ufeffWord 1,Word 2,Human (mean)\r\nlove,sex,6.77\r\n",
        [Pair("love", "sex", 6.77)],
    ),
    "wordsim, one judge a column": (
        "# a remark\nlove\tsex\t6.77\t9\t6\t8\n",
        [Pair("love", "sex", 6.77)],
    ),
    "rg65": (
        "cord;smile;0.02\nautomobile;car;3.92\n",
        [Pair("cord", "smile", 0.02), Pair("automobile", "car", 3.92)],
    ),
    "men lemmas": (
        "sun-n sunlight-n 50.000000\nglow-v red-j 20\n",
        [Pair("sun", "sunlight", 50), Pair("glow", "red", 20)],
    ),
    "men natural": ("sun sunlight 50.000000\n", [Pair("sun", "sunlight", 50)]),
    "rw": (
        "squishing\tsquirt\t5.88\t7\t7\t6\t1\n",
        [Pair("squishing", "squirt", 5.88)],
    ),
    "plain": ("x-n\ty\t1\n\nz\tz\t-2e1\n", [Pair("x-n", "y", 1), Pair("z", "z", -20)]),
}


@pytest.mark.parametrize("name", ORIGINAL)
def test_pairs_in_the_formats_they_are_given_out_in(name: str, tmp_path: Path) -> None:
    text, pairs = ORIGINAL[name]
    (tmp_path / "pairs").write_text(text, encoding="utf-8")
    assert read_pairs(tmp_path / "pairs") == pairs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# nothing\n", "holds no word pairs"),
        ("word1 word2 score\n", "holds no word pairs"),
        ("a b 1\nc d\n", "line 2: must be two words and, in column 3, a score"),
        ("a b 1\nc d nan\n", "line 2: must be"),
        ("a\tb\t1\n\tb\t1\n", "line 2: must be"),
        ("word1\tword2\tPOS\tSimLex999\na\tb\tN\tx\n", "line 2: .* column 4"),
    ],
)
def test_bad_pairs(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text(text)
    with pytest.raises(Mistake, match=message):
        read_pairs(tmp_path / "pairs")


def test_the_published_questions(shared_data: Callable[[str], Path]) -> None:
    """8,869 semantic and 8,000 syntactic ones, as Stratos (2017) has them."""
    google = read_questions(shared_data("analogy") / "questions-words.txt")
    assert len(choose(google, ["semantic"])) == 8869
    assert len(choose(google, ["semantic", "syntactic"])) == len(google) == 19_544
    assert len(choose(google, ["family"])) == 506
    assert len(read_questions(shared_data("analogy") / "msr.txt")) == 8000


def test_sections_are_chosen_by_name() -> None:
    questions = [Question(name, ("a", "b", "c", "d")) for name in ("one", "two")]
    assert choose(questions, ["two"]) == questions[1:]
    assert choose(questions, ["syntactic"]) == questions
    with pytest.raises(Mistake, match="no section family, three"):
        choose(questions, ["one", "three", "family"])


def test_questions_of_google_and_msr(tmp_path: Path) -> None:
    google, msr, answers = (tmp_path / name for name in ("google", "msr", "answers"))
    google.write_text(": capital-world\nAthens Greece Oslo Norway\n")
    assert read_questions(google) == [
        Question("capital-world", ("Athens", "Greece", "Oslo", "Norway"))
    ]
    msr.write_text("good better rough\nbetter good rougher\n")
    answers.write_text("JJ_JJR rougher\nJJR_JJ rough\n")
    assert read_questions(msr, answers) == [
        Question("JJ_JJR", ("good", "better", "rough", "rougher")),
        Question("JJR_JJ", ("better", "good", "rougher", "rough")),
    ]
    with pytest.raises(Mistake, match="line 1: must have 4 words, it has 3"):
        read_questions(msr)
    answers.write_text("JJ_JJR rougher\n")
    with pytest.raises(Mistake, match="one line 'section word' for each of the 2"):
        read_questions(msr, answers)


def test_the_most_frequent_words_come_first(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    path.write_text("rare 1\nthe 90\nalso 90\nnovector 500\n\nof 70\n")
    words = read_word_list(path)
    assert words == ["novector", "the", "also", "of", "rare"]
    vectors = tmp_path / "vectors"
    vectors.write_text("rare 1\nof 2\nalso 3\nother 4\nthe 5\n")
    found = read_chosen(VectorFile(vectors), words, 3)
    assert found.words == ["the", "also", "of"]
    assert found.vectors.tolist() == [[5], [3], [2]]
    with pytest.raises(Mistake, match="vectors for 4 of the 5 listed words, 6 were"):
        read_chosen(VectorFile(vectors), words, 6)


@pytest.mark.parametrize("word", ["a\u2028b", "a\u00a0b", "a\x85", "\u3000", "\x1c"])
def test_words_hold_the_rarer_white_space_of_unicode(word: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(f"{word}\nc\r\n".encode())
    assert read_word_list(path) == [word, "c"]
    path.write_bytes(f"\ufeffc\t2\n{word} 3\n".encode())
    assert read_word_list(path) == [word, "c"]


def test_counts_of_a_dictionary(tmp_path: Path) -> None:
    file = tmp_path / "dict.txt"
    file.write_text("b 3\n<pad> 4 #fairseq:overwrite\nb 2\n")
    assert read_word_counts(file) == {"b": 3, "<pad>": 4}
    file.write_text("b\n")
    with pytest.raises(Mistake, match="line 1: must be a word and its count"):
        read_word_counts(file)


@pytest.mark.parametrize("text", ["a 1\nb\n", "a 1\nb x\n", "a\nb 1\n", "a b c\n"])
def test_bad_word_lists(text: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(text)
    with pytest.raises(Mistake, match=r"line [12]: must be"):
        read_word_list(tmp_path / "list")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=40), st.text("ab;,\t 1.-n\n#:", max_size=40).map(str.encode)
    ),
    read=st.sampled_from([read_pairs, read_word_list, read_questions]),
)
def test_anything_is_read_or_told_in_one_line(
    content: bytes, read: object, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    message = "one line"
    try:
        assert read(path)  # type: ignore[operator]
    except Mistake as error:
        message = str(error)
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_a_list_without_words_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(content)
    with pytest.raises(Mistake, match="words: is empty"):
        read_word_list(tmp_path / "words")


def test_a_line_that_is_neither_is_not_told_of_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "words"
    file.write_text("\nnew york\nlondon\n")
    with pytest.raises(Mistake, match=r"line 2: must be a word and its count$"):
        read_word_list(file)
