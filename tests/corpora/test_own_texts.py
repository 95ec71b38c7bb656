"""Two text files of a user's as training, validation and test sets."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_experiments import cli
from alone_experiments.corpora import own_texts
from alone_experiments.corpora.description import PARTS, find_description
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.options import parse
from alone_experiments.corpora.raw_text import write_raw
from alone_experiments.mistakes import Mistake


def write_pair(folder: Path, pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    files = (folder / "talks.nl", folder / "talks.it")
    for number, file in enumerate(files):
        file.write_text("".join(f"{pair[number]}\n" for pair in pairs))
    return files


def different(count: int) -> list[tuple[str, str]]:
    """Pairs none of which resembles another."""
    words = "abcdefghij"
    spelt = ["".join(words[int(digit)] for digit in str(n)) for n in range(count)]
    return [(f"{w}x {w}y {w}z", f"{w}p {w}q {w}r") for w in spelt]


def prepare_raw(files: tuple[Path, Path], *options: str) -> Job:
    words = own_texts.words_for(*files, options)
    description = find_description("own_translation")
    job = Job.of(description, parse(description, words))
    write_raw(job)
    return job


def read(job: Job) -> dict[str, list[tuple[str, ...]]]:
    return {
        part: list(
            zip(
                *(
                    (job.raw / f"{part}.{side}").read_text().splitlines()
                    for side in ("nl", "it")
                ),
                strict=True,
            )
        )
        for part in PARTS
    }


@pytest.fixture(autouse=True)
def _output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALONE_OUTPUT", str(tmp_path / "output"))


def test_a_twentieth_is_kept_back(tmp_path: Path) -> None:
    pairs = different(200)
    job = prepare_raw(write_pair(tmp_path, pairs))
    assert job.folder == tmp_path / "output/data/talks"
    found = read(job)
    assert {part: len(rows) for part, rows in found.items()} == {
        "train": 180,
        "valid": 10,
        "test": 10,
    }
    assert sorted(row for rows in found.values() for row in rows) == sorted(pairs)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(*[st.text("ab ", max_size=6)] * 2), max_size=20),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_pairs_stay_together_and_apart(
    more: list[tuple[str, str]], valid: int, test: int
) -> None:
    pairs = [*different(20), *more]
    parts = own_texts.split(pairs, valid, test).parts
    assert (len(parts["valid"]), len(parts["test"])) == (valid, test)
    seen: set[tuple[str, str]] = set()
    for rows in parts.values():
        assert set(rows) <= set(pairs)
        assert not seen & set(rows)
        seen |= set(rows)


def test_near_duplicates_of_the_test_set_are_not_trained_on(tmp_path: Path) -> None:
    pairs = [*different(30)]
    pairs += [(source.upper(), f"anders {n}") for n, (source, _) in enumerate(pairs)]
    job = prepare_raw(write_pair(tmp_path, pairs), "--test-pairs", "5")
    found = read(job)
    trained = {source.lower() for source, _ in found["train"]}
    assert not trained & {source.lower() for source, _ in found["test"]}
    assert "same source" in job.report.read_text()


def test_files_from_windows_compressed_or_with_gaps(tmp_path: Path) -> None:
    pairs = different(40)
    text = "".join(f"{source}\r\n" for source, _ in pairs)
    first = tmp_path / "a.nl.gz"
    first.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode() + b"\r\n"))
    second = tmp_path / "b.it"
    second.write_text("".join(f"{target}\n" for _, target in pairs) + "di piu\n")
    job = prepare_raw((first, second))
    assert job.folder.name == "a-b"
    assert sorted(row for rows in read(job).values() for row in rows) == sorted(pairs)
    assert "1 more have an empty side" in job.report.read_text()


def test_other_endings_need_names_of_languages(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("mine.txt", "yours.txt")]
    for file in files:
        file.write_text("a\n")
    with pytest.raises(Mistake, match=r"mine.txt does not end in a language.*--source"):
        own_texts.words_for(*files, [])
    named = ["--source", "xx", "--target", "yy"]
    assert own_texts.words_for(*files, named)[-4:] == named
    joined = ["--source=xx", "--target=yy"]
    assert own_texts.words_for(*files, joined)[-2:] == joined


def test_bad_files_are_refused(tmp_path: Path) -> None:
    first, second = write_pair(tmp_path, different(40))
    with pytest.raises(Mistake, match="needs the text of the other language"):
        cli.main(["prepare", str(first)])
    with pytest.raises(Mistake, match=r"no file .*missing.it"):
        cli.main(["prepare", str(first), str(tmp_path / "missing.it")])
    with pytest.raises(Mistake, match=r"no file .*missing.nl$"):
        cli.main(["prepare", str(tmp_path / "missing.nl"), str(second)])
    with pytest.raises(Mistake, match="source and target are both nl"):
        cli.main(["prepare", str(first), str(first)])
    with pytest.raises(Mistake, match="must be at least 1"):
        cli.main(["prepare", str(first), str(second), "--test-pairs", "0"])
    with pytest.raises(Mistake, match=r"few for 30 to test on.*lower --valid-pairs"):
        prepare_raw((first, second), "--test-pairs", "30", "--valid-pairs", "30")
    second.write_text("only one line\n")
    with pytest.raises(Mistake, match=r"talks.it has 1 lines, .*talks.nl has more"):
        cli.main(["prepare", str(first), str(second)])
    second.write_bytes(b"caf\xe9\n" * 40)
    with pytest.raises(Mistake, match=r"talks.it line 1 is not UTF-8"):
        cli.main(["prepare", str(first), str(second)])
    assert not list((tmp_path / "output").rglob("train.*"))


def test_a_corpus_of_other_languages_is_not_mixed_with_it(tmp_path: Path) -> None:
    files = write_pair(tmp_path, different(60))
    job = prepare_raw(files)
    other = files[1].with_suffix(".de")
    other.write_bytes(files[1].read_bytes())
    before = read(job)
    with pytest.raises(Mistake, match="holds a corpus of it too: name another folder"):
        prepare_raw((files[0], other))
    assert read(job) == before


def test_it_carries_on_after_a_kill(tmp_path: Path) -> None:
    files = write_pair(tmp_path, different(60))
    raw = tmp_path / "output" / "data" / "talks" / "raw"
    raw.mkdir(parents=True)
    (raw / "train.nl.partial").write_text("half a li")
    assert len(read(prepare_raw(files))["train"]) > 50


def test_the_texts_are_not_replaced(tmp_path: Path) -> None:
    raw = tmp_path / "corpus" / "raw"
    raw.mkdir(parents=True)
    pairs = different(60)
    files = (raw / "train.nl", raw / "train.it")
    for number, file in enumerate(files):
        file.write_text("".join(f"{pair[number]}\n" for pair in pairs))
    whole = [file.read_bytes() for file in files]
    with pytest.raises(Mistake, match="would replace what it is made of"):
        prepare_raw(files, "--output", str(tmp_path / "corpus"))
    assert [file.read_bytes() for file in files] == whole
