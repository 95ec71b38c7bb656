"""lines.py and files.py: what a line is, and files that are whole or absent."""

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alone_experiments import files, lines, mistakes

LINES = st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"\r")))
in_one_folder = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@in_one_folder
@given(LINES, st.integers(1, 5), st.booleans())
def test_only_a_line_feed_ends_a_line(
    tmp_path: Path, content: list[bytes], size: int, last_end: bool
) -> None:
    file = tmp_path / "text"
    text = b"".join(line + b"\n" for line in content)
    file.write_bytes(text if last_end else text.removesuffix(b"\n"))
    if not last_end and content and not content[-1]:
        content = content[:-1]
    found = list(lines.chunks(file, size))
    assert [line for chunk in found for line in chunk] == content
    assert all(len(chunk) == size for chunk in found[:-1])
    assert lines.count_lines(file) == len(content)


def test_gzipped_text_is_read_as_it_is_or_named_as_damaged(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a", tmp_path / "a.gz"
    plain.write_text("ä \r\n\n \u2028b\x85\n")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for space in (None, "\n", "\r\n"):
        assert lines.read_lines(packed, space) == lines.read_lines(plain, space)
    assert lines.read_lines(packed, "\r\n") == ["ä ", "", " \u2028b\x85"]
    whole = packed.read_bytes()
    for size in range(len(whole)):
        packed.write_bytes(whole[:size])
        if size:
            with pytest.raises(mistakes.Mistake, match=r"a\.gz is damaged"):
                lines.read_lines(packed)


@in_one_folder
@given(LINES, LINES, st.integers(1, 5))
def test_pairs_are_read_in_step_or_refused(
    tmp_path: Path, source: list[bytes], target: list[bytes], size: int
) -> None:
    files = tmp_path / "a.en", tmp_path / "a.de"
    for file, content in zip(files, (source, target), strict=True):
        file.write_bytes(b"".join(line + b"\n" for line in content))
    found = lines.pair_chunks(*files, size)
    if len(source) == len(target):
        read = [pair for pairs in found for pair in zip(*pairs, strict=True)]
        assert read == list(zip(source, target, strict=True))
    else:
        counts = rf"a\.en has {len(source)} lines and .*a\.de {len(target)};"
        with pytest.raises(mistakes.Mistake, match=counts):
            list(found)


def test_unfinished_file_has_no_name_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "text"

    def fail_half_way() -> None:
        with files.writing(file) as output:
            output.write(b"half")
            assert not file.exists()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert list(file.parent.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk_is_told_with_the_file_and_the_remedy(tmp_path: Path) -> None:
    file = tmp_path / "train.de"
    files.partial(file).symlink_to("/dev/full")

    def fill() -> None:
        with files.writing(file) as output:
            output.write(b"text\n")

    with pytest.raises(mistakes.Mistake, match=r"train\.de: No space left.*make room"):
        fill()
    assert list(tmp_path.iterdir()) == []
