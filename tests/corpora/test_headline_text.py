"""What headlines and articles are cleaned and cut to, line by line."""

import gzip
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_experiments import lines
from alone_experiments.corpora import given_text
from alone_experiments.corpora.headlines import (
    cleaning,
    digits,
    evenly,
    first_sentence,
    treebank,
)
from alone_experiments.mistakes import Mistake


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's U.S. oil, they said.", "It 's U.S. oil , they said ."),
        ('He said "no" (twice).', "He said `` no '' ( twice ) ."),
        ("$3.5 mln at 15:30, up 1,000: why?", "$ 3.5 mln at 15:30 , up 1,000 : why ?"),
        ("They won't; we can't -- cannot!", "They wo n't ; we ca n't -- can not !"),
        ("the workers' 9-1/4 pct S&L...", "the workers ' 9-1/4 pct S & L ..."),
        ('the "end."', "the `` end . ''"),
        ("", ""),
    ],
)
def test_treebank_tokens(text: str, tokens: str) -> None:
    assert treebank.tokenise(text) == tokens


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30))
def test_tokens_are_words_with_one_blank_between(text: str) -> None:
    for tokens in (treebank.tokenise(text), cleaning.clean(text)):
        assert tokens == " ".join(tokens.split())


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("STANDARD OIL <SRD> TO FORM UNIT", "standard oil to form unit"),
        ("CONSOLIDATED GAS <CNG>UNIT SAYS NO", "consolidated gas unit says no"),
        (
            "<KENT TOYS INC> IN PACT WITH LORIMAR <LT>",
            "kent toys inc in pact with lorimar",
        ),
        ("UNITED-GUARDIAN <UNIR>, <FEDERAL> SIGN", "united-guardian , federal sign"),
        (
            "CALMAR SEEKS TO BE ACQUIRED BY <KEBO>",
            "calmar seeks to be acquired by kebo",
        ),
        ("Barclays Plc <BCS.L> cut its rates.", "barclays plc cut its rates ."),
        ("DOW <DOW>'S UNIT", "dow 's unit"),
    ],
)
def test_tickers_go_and_names_stay(raw: str, clean: str) -> None:
    assert cleaning.clean(cleaning.without_tickers(raw)) == clean


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\u201cFine\u2011tuning\u201d \u2014 it\u2019s", "`` fine-tuning '' -- it 's"),
        ("a \x93quoted\x94 word\x92s \ufb01nd", "a `` quoted '' word 's find"),
        ("soft\u00adware\u200b\u00a0 and\tmore\r", "software and more"),
        ("CAF\u00c9 Cafe\u0301", "caf\u00e9 caf\u00e9"),
        ("\u00ad\x00", ""),
    ],
)
def test_typography_becomes_plain(raw: str, clean: str) -> None:
    assert cleaning.clean(raw) == clean


def test_long_sources_are_cut() -> None:
    assert cleaning.truncate(" ".join(["w"] * 120)).split() == ["w"] * 99
    assert cleaning.truncate("short one") == "short one"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("He left. She stayed.", "He left."),
        ("Mr. J. Smith of Acme Corp. Ltd. met Gov. Lee on Oct. 3. He left.", None),
        ("It is in the U.S. The U.S. Army left.", "It is in the U.S."),
        ("The U.S. Army left. Then it came back.", "The U.S. Army left."),
        ('"Is it over?" He said so.', '"Is it over?"'),
        ("He said no. 3 men left.", "He said no."),
        ("Up 3.5 percent. Good.", "Up 3.5 percent."),
        ("no end", "no end"),
    ],
)
def test_first_sentence(text: str, first: str | None) -> None:
    expected = first or text.removesuffix(" He left.")
    assert first_sentence.sentences(text)[0] == expected


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("aB. ?!'\")(1U\n")))
def test_sentences_hold_all_of_the_text(text: str) -> None:
    assert " ".join(first_sentence.sentences(text)) == " ".join(text.split())


def test_masked_digits_are_the_ascii_ones() -> None:
    assert digits.mask("7.07 b. in 1998 \u0663") == "#.## b. in #### \u0663"
    assert not digits.has_digit(digits.mask("1 2"))


@given(st.integers(0, 60), st.integers(0, 70))
def test_evenly_spread(total: int, wanted: int) -> None:
    picked = list(evenly.evenly(range(total), total, wanted))
    assert len(picked) == (wanted if 0 < wanted < total else total)
    gaps = {after - before for before, after in pairwise(picked)}
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_lines_of_windows_and_compressed_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\n\r\nt\xe2\x80\xa8wo")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"1\n2\n3\n"))
    paths = [tmp_path / "a", tmp_path / "b.gz"]
    rows = list(given_text.parallel_lines(paths))
    assert rows == [("one", "1"), ("", "2"), ("t\u2028wo", "3")]


Maker = Callable[[Path], None]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p.write_bytes(b"ok\n\xff\n3\n"), "b line 2 is not UTF-8 text"),
        (lambda p: p.write_bytes(b"1\n2\n"), "b has 2 lines, .*a has more"),
        (lambda p: p.write_bytes(b"1\n2\n3\n4\n"), "a has 3 lines, .*b has more"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, make: Maker, message: str) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n")
    make(tmp_path / "b")
    with pytest.raises(Mistake, match=message):
        list(given_text.parallel_lines([tmp_path / "a", tmp_path / "b"]))


@pytest.mark.parametrize("cut", [5, -9, 30])
def test_damaged_compressed_file(tmp_path: Path, cut: int) -> None:
    data = gzip.compress(b"text of a line\n" * 9000)
    (tmp_path / "a.gz").write_bytes(data[:cut] if cut != 30 else data[:30] + b"x" * 99)
    with pytest.raises(Mistake, match=r"a\.gz is damaged"):
        list(given_text.text_lines(tmp_path / "a.gz"))


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    paths = [tmp_path / "new" / "a", tmp_path / "new" / "b"]

    def rows() -> Iterator[tuple[str, str]]:
        yield "one", "1"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lines.write_parallel(paths, rows())
    assert list(paths[0].parent.iterdir()) == []
    assert lines.write_parallel(paths, [("one", "1"), ("two", "2")]) == 2
    assert paths[1].read_text() == "1\n2\n"
