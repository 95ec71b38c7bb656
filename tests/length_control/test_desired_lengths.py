"""Desired lengths: what users write, in flags, files and typed lines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

BAD = ["0", "-3", "3.5", "", " ", "ten", "1e3", "٣", "9" * 19, "+5", "1_000", "0x10"]
SENTENCES = st.text().filter(lambda text: not set(text) & {"\t", "\n"})


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_length_is_refused_in_one_line(text: str) -> None:
    from alone_fairseq.errors import AloneError
    from alone_fairseq.length_control.desired import DesiredLengths

    with pytest.raises(AloneError, match="--desired-length") as caught:
        DesiredLengths.from_options(text, None)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options() -> None:
    from alone_fairseq.errors import AloneError
    from alone_fairseq.length_control.desired import DesiredLengths

    assert DesiredLengths.from_options(None, None).missing
    assert DesiredLengths.from_options("gold", None) == DesiredLengths(gold=True)
    assert DesiredLengths.from_options("007", None) == DesiredLengths(same=7)
    assert not DesiredLengths(same=7).missing
    assert not DesiredLengths(gold=True).missing
    with pytest.raises(AloneError, match="remove one"):
        DesiredLengths.from_options("7", "file")


def test_file(tmp_path: Path) -> None:
    from alone_fairseq.errors import AloneError
    from alone_fairseq.length_control.desired import DesiredLengths

    file = tmp_path / "some lengths.txt"
    file.write_text("3\n 12 \n5")
    desired = DesiredLengths.from_options(None, str(file))
    assert desired.each == (3, 12, 5)
    desired.check_number(3, "test")
    with pytest.raises(AloneError, match="3 lengths for the 4 sentences of 'test'"):
        desired.check_number(4, "test")
    desired.check_longest(12)
    desired.check_longest(None)
    with pytest.raises(AloneError, match=r"line 2.*12 is above the 11 .*--max-len-b"):
        desired.check_longest(11)
    with pytest.raises(AloneError, match=r"--desired-length: .*--max-len-b"):
        DesiredLengths(same=12).check_longest(11)


@pytest.mark.parametrize("text", ["3\n\n4\n", "3\nx\n4\n", "3\n0\n4\n"])
def test_bad_file_names_its_line(text: str, tmp_path: Path) -> None:
    from alone_fairseq.errors import AloneError
    from alone_fairseq.length_control.desired import DesiredLengths

    file = tmp_path / "lengths.txt"
    file.write_text(text)
    with pytest.raises(AloneError, match=r"lengths.txt line 2"):
        DesiredLengths.from_options(None, str(file))
    with pytest.raises(AloneError, match=r"none.txt"):
        DesiredLengths.from_options(None, str(tmp_path / "none.txt"))


@given(st.lists(st.tuples(SENTENCES, st.integers(1, 10**18 - 1) | st.none())))
def test_typed_lines_come_apart(lines: list[tuple[str, int | None]]) -> None:
    from alone_fairseq.length_control.desired import split_lines

    typed = [text if n is None else f"{text}\t{n}" for text, n in lines]
    texts, lengths = split_lines(typed, 1, default=5, longest=None)
    assert texts == [text for text, _ in lines]
    assert lengths == [5 if n is None else n for _, n in lines]


@given(SENTENCES, SENTENCES | st.integers(-9, 300).map(str))
def test_whatever_is_typed_is_read_or_refused(text: str, length: str) -> None:
    from alone_fairseq.errors import AloneError
    from alone_fairseq.length_control.desired import split_lines

    line = f"{text}\t{length}"
    number = length.strip()
    if set(number) <= set("0123456789") and number.strip("0") and int(number) <= 200:
        assert split_lines([line], 8, None, longest=200) == ([text], [int(number)])
    else:
        with pytest.raises(AloneError, match=r"^line 8 of the input"):
            split_lines([line], 8, None, longest=200)


def test_line_without_a_length_and_no_default() -> None:
    from alone_fairseq.errors import AloneError
    from alone_fairseq.length_control.desired import split_lines

    with pytest.raises(AloneError, match=r"line 4 .* --desired-length N"):
        split_lines(["a b\t3", "a b"], 3, None, None)
