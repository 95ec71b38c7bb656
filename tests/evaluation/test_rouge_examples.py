"""Scores of single documents, each derived by hand.

The program ROUGE-1.5.5 itself gave the same values for every example of this file.
"""

import pytest

from alone_experiments.evaluation.rouge import RougeSettings, Score, score_document
from alone_experiments.evaluation.rouge_tokens import Tokeniser

IRREGULAR = {"rose": "rise", "geese": "goose"}


def score(
    system: str,
    *references: str,
    max_bytes: int | None = 75,
    stemming: bool = True,
    exceptions: dict[str, str] | None = None,
) -> dict[str, Score]:
    tokeniser = Tokeniser(max_bytes, stemming, exceptions or {})
    return score_document(system, references, RougeSettings(tokeniser))


def recalls(scores: dict[str, Score]) -> list[float]:
    return [scores[metric].recall for metric in ("ROUGE-1", "ROUGE-2", "ROUGE-L")]


def test_one_reference() -> None:
    # Words in common: the (twice), cat, on, mat = 5 of 6. Pairs in common: "the cat",
    # "on the", "the mat" = 3 of 5. In the same order: the cat on the mat = 5 of 6.
    found = score("the cat sat on the mat", "the cat was on the mat")
    assert recalls(found) == [0.83333, 0.6, 0.83333]


def test_two_references_are_pooled() -> None:
    # Words: 3 of 4 and 2 of 4, so 5 of 8, and not the better 3 of 4. Pairs: "police
    # kill", 1 of 3 and 0 of 3. Order: police kill gunman, 3 of 4; then gunman or
    # police, 1 of 4.
    found = score(
        "police kill gunman", "police kill the gunman", "gunman shot by police"
    )
    assert recalls(found) == [0.625, 0.16667, 0.5]
    # The output has 3 words, once for each reference: 5 of 6. F1 = 2PR / (P + R) of the
    # rounded values: 2 · 0.83333 · 0.625 / 1.45833 = 0.714284….
    assert found["ROUGE-1"].precision == 0.83333
    assert found["ROUGE-1"].f1 == 0.71428


def test_three_references_of_which_two_are_alike() -> None:
    # Words: 2 of 2, 2 of 2, 1 of 4. Pairs: 1 of 1, 1 of 1, 0 of 3. Order: as words.
    found = score("rain falls", "rain falls", "rain falls", "no rain for weeks")
    assert recalls(found) == [0.625, 0.4, 0.625]


def test_four_references() -> None:
    # Words: 1 of 1, 2 of 2, 2 of 2, 0 of 3. Pairs: none, 1 of 1, 0 of 1, 0 of 2.
    # Order: 1, 2, 1, 0.
    found = score("x1 x2", "x1", "x1 x2", "x2 x1", "x3 x4 x5")
    assert recalls(found) == [0.625, 0.25, 0.5]


def test_repeated_words_count_as_often_as_both_have_them() -> None:
    # "the" is there 4 times and 2 times: 2 of 3. No pair. Order: the, the = 2 of 3.
    assert recalls(score("the the the the", "the cat the")) == [0.66667, 0.0, 0.66667]


def test_each_reference_clips_by_itself() -> None:
    # 1 of 1 and 1 of 1, from one word of the output.
    found = score("rain", "rain", "rain")
    assert found["ROUGE-1"] == Score(1.0, 1.0, 1.0)


def test_ties_between_subsequences() -> None:
    # "c1 a1" and "a1 b1" are both common, each of 2 of 3 words.
    assert recalls(score("a1 b1 c1 a1", "c1 a1 b1"))[2] == 0.66667


@pytest.mark.parametrize("system", ["", "   ", "...", "-- !?", "日本語"])
def test_output_without_words_scores_0(system: str) -> None:
    assert set(score(system, "rain falls").values()) == {Score(0.0, 0.0, 0.0)}


def test_empty_reference_counts_for_precision_alone() -> None:
    # Recall: 2 of 0 + 2. Precision: 2 of 2 + 2. F1: 2 · 0.5 / 1.5.
    found = score("rain falls", "", "rain falls")
    assert found["ROUGE-1"] == Score(1.0, 0.5, 0.66667)


def test_nothing_but_empty_references_score_0() -> None:
    assert set(score("rain falls", "", "").values()) == {Score(0.0, 0.0, 0.0)}


def test_one_word_has_no_pair() -> None:
    assert score("rain", "rain")["ROUGE-2"] == Score(0.0, 0.0, 0.0)


def test_punctuation_and_numbers() -> None:
    # u s rates 3 5 against us rates 3 5. Words: rates, 3, 5 = 3 of 4. Pairs: "rates
    # 3", "3 5" = 2 of 3. Order: 3 of 4.
    found = score("U.S. rates: 3.5%", "us rates, 3 5")
    assert recalls(found) == [0.75, 0.66667, 0.75]


def test_commas_within_numbers_separate() -> None:
    # 1 000 000 against 1000 000: of two words one; no pair.
    assert recalls(score("1,000,000", "1000,000")) == [0.5, 0.0, 0.5]


def test_masked_digits_are_no_words() -> None:
    # "##" and "#.#" leave nothing: up percent against up by percent, 2 of 3.
    assert recalls(score("up ## percent", "up by #.# percent")) == [
        0.66667,
        0.0,
        0.66667,
    ]


def test_hyphens_separate() -> None:
    # well known anti war against well known antiwar: 2 of 3, 1 of 2, 2 of 3.
    found = score("well-known -anti-war-", "well known antiwar")
    assert recalls(found) == [0.66667, 0.5, 0.66667]


def test_case_does_not_count() -> None:
    assert recalls(score("NATO Expands East", "nato expands EAST")) == [1.0, 1.0, 1.0]


def test_letters_outside_ascii_separate() -> None:
    # caf z rich on both sides.
    assert recalls(score("Café Zürich", "caf z rich")) == [1.0, 1.0, 1.0]


def test_only_ascii_letters_are_put_into_lower_case() -> None:
    # The sign for Kelvin becomes "k" by Unicode's rules: 3 against 3 k, 1 of 2.
    assert recalls(score("3 \u212a", "3 k")) == [0.5, 0.0, 0.5]


def test_bytes_end_within_a_word() -> None:
    # "prime mini" against "ministers" uncut: nothing in common.
    assert recalls(score("prime minister", "minister", max_bytes=10))[0] == 0.0
    # "prime mini" against "prime mini": the reference is cut too.
    assert recalls(score("prime mini", "prime ministry", max_bytes=10))[0] == 1.0


def test_bytes_end_within_a_character() -> None:
    # é has two bytes; of "café" the first four are "caf" and half of it.
    assert recalls(score("café", "caf", max_bytes=4))[0] == 1.0
    # "éé " are five bytes, so that no word is left; five characters would keep "ab".
    assert recalls(score("éé ab", "ab", max_bytes=5))[0] == 0.0


def test_bytes_before_the_first_word_count() -> None:
    # "  ab" of "  abcd", against "ab".
    assert recalls(score("  abcd", "ab", max_bytes=4))[0] == 1.0


def test_text_as_long_as_the_limit_is_whole() -> None:
    assert recalls(score("abc def", "abc def", max_bytes=7)) == [1.0, 1.0, 1.0]


def test_stems() -> None:
    # price rise on both sides; without stems nothing in common.
    assert recalls(score("Prices rising", "price rises"))[0] == 1.0
    assert recalls(score("Prices rising", "price rises", stemming=False))[0] == 0.0


def test_words_of_three_letters_are_not_stemmed() -> None:
    # ads stays ads.
    assert recalls(score("ads", "ad"))[0] == 0.0


def test_irregular_forms_are_looked_up() -> None:
    # price rise against price rise; without the list rose stays: 1 of 2.
    found = score("prices rose", "price rises", exceptions=IRREGULAR)
    assert recalls(found) == [1.0, 1.0, 1.0]
    assert recalls(score("prices rose", "price rises")) == [0.5, 0.0, 0.5]


def test_what_was_looked_up_is_not_stemmed() -> None:
    # geese becomes goose, but goose is stemmed to goos.
    assert recalls(score("geese", "goose", exceptions=IRREGULAR))[0] == 0.0
    assert recalls(score("geese", "geese", exceptions=IRREGULAR))[0] == 1.0


def test_gigaword_has_no_limit_and_f1() -> None:
    # 20 words of 5 bytes with blanks; the last is the only one in common: recall 1 of
    # 2, precision 1 of 20, F1 2 · 0.5 · 0.05 / 0.55 = 0.0909….
    system = " ".join(f"w{number:03}" for number in range(20))
    found = score(system, "w019 other", max_bytes=None)
    assert found["ROUGE-1"] == Score(0.5, 0.05, 0.09091)
    assert score(system, "w019 other")["ROUGE-1"] == Score(0.0, 0.0, 0.0)
