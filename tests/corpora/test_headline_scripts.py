"""The scripts that prepare headlines: refusals, kills, and the real corpora."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from alone_experiments.corpora import given_text
from alone_experiments.corpora.description import find_description
from alone_experiments.corpora.headlines import (
    headline_pairs,
    headline_units,
    near_duplicates,
    splits,
)
from alone_experiments.corpora.options import parse
from alone_experiments.mistakes import Mistake
from alone_experiments.text.characters import from_characters, to_characters
from alone_experiments.text.subwords import join
from tests.corpora.made_up_headlines import month, nist

Parts = dict[str, list[tuple[str, str]]]
SCRIPTS = ("gigaword", "duc2004", "reuters_headlines", "acl_titles")


class Scripts:
    """The scripts of data-prep, with a folder for their output."""

    def __init__(self, output: Path, repo_root: Path) -> None:
        self.data, self.folder = output / "data", repo_root / "data-prep"
        self.environment = {**os.environ, "ALONE_OUTPUT": str(output)}

    def start(self, name: str, *options: object) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", str(self.folder / f"{name}.sh"), *map(str, options)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, name: str, *options: object) -> tuple[int, str, str]:
        process = self.start(name, *options)
        output, errors = process.communicate(timeout=180)
        return process.returncode, output, errors


@pytest.fixture
def scripts(tmp_path: Path, repo_root: Path) -> Scripts:
    return Scripts(tmp_path / "output", repo_root)


@pytest.fixture
def warm(scripts: Scripts, warm_venv: Path) -> None:
    """Let fairseq's commands of the scripts start faster."""
    scripts.environment["ALONE_VENV"] = str(warm_venv)


@pytest.mark.parametrize("name", SCRIPTS)
def test_refusals_are_one_line(
    scripts: Scripts, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, errors = scripts.run(name)
    missing = f"--from is missing: nothing is downloaded for {name}; see --help\n"
    assert (status, errors) == (1, f"alone-fairseq: error: {missing}")
    description = find_description(name)
    with pytest.raises(Mistake, match=f"--from: no folder {tmp_path / 'none'}"):
        parse(description, ["--from", str(tmp_path / "none")])
    with pytest.raises(SystemExit):
        parse(description, ["--form", str(tmp_path)])
    errors = capsys.readouterr().err
    assert errors.startswith(f"alone-fairseq prepare {name}: error: unrecognized")
    assert errors.count("\n") == 1
    with pytest.raises(SystemExit):
        parse(description, ["--help"])
    usage = f"usage: alone-fairseq prepare {name} [-h] [--from DIR]"
    assert usage in capsys.readouterr().out


def test_no_corpus_to_take_a_dictionary_from(scripts: Scripts, tmp_path: Path) -> None:
    options = ("--from", tmp_path, "--training", tmp_path / "none")
    status, _, errors = scripts.run("duc2004", *options)
    assert status == 1
    assert "none is not prepared; run: bash data-prep/gigaword.sh" in errors


def test_merges_are_learned_on_the_articles_alone(tmp_path: Path) -> None:
    (tmp_path / "article").write_text("low lower lowest a@@ low\u00a0er\n" * 5)
    codes = tmp_path / "codes"
    headline_units.learn(tmp_path / "article", codes, 40)
    assert "l o\n" in codes.read_text()
    assert "\u00a0" not in codes.read_text()
    before = codes.read_bytes()
    with pytest.raises(Mistake, match="--vocabulary 3 is too small"):
        headline_units.learn(tmp_path / "article", codes, 3)
    assert codes.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_gigaword_killed_and_run_again_then_duc(
    scripts: Scripts, tmp_path: Path
) -> None:
    for number in range(4):
        month(tmp_path / "ldc", f"afp_eng_{number}", 40, number * 40)
    options = ("--from", tmp_path / "ldc", "--vocabulary", 60, "--digits", "mask")
    folder = scripts.data / "gigaword"
    process = scripts.start("gigaword", *options, "--jobs", 1)
    while not [*folder.glob("steps/*.json")]:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (folder / "prepared").exists()
    status, _, errors = scripts.run("gigaword", *options, "--jobs", 1)
    assert status == 0, errors
    assert "train: 80 pairs, valid: 40 pairs, test: 40 pairs" in errors
    assert not [*folder.glob("**/*partial*"), *folder.glob("extracted*")]
    dictionaries = [folder / "bin" / f"dict.{s}.txt" for s in ("article", "title")]
    assert dictionaries[0].read_text() == dictionaries[1].read_text()
    assert (folder / "bpe" / "train.title").read_text().count("@@@@") == 80 * 4
    status, _, errors = scripts.run("gigaword", *options)
    assert status == 0
    assert "is prepared already" in errors
    assert "reading the pairs" not in errors
    check_duc(scripts, tmp_path / "nist")


def check_duc(scripts: Scripts, given: Path) -> None:
    nist(given)
    status, _, errors = scripts.run("duc2004", "--from", given, "--documents", 2)
    assert status == 0, errors
    assert "2 documents, 4 references each; digits of sources: mask" in errors
    gigaword, duc = scripts.data / "gigaword", scripts.data / "duc2004"
    for name in ("bin/dict.article.txt", "bin/dict.title.txt"):
        assert (duc / name).read_bytes() == (gigaword / name).read_bytes()
    assert (duc / "bin" / "test.article-title.title.idx").is_file()
    assert "Writer F on talks, no. 0\n" in (duc / "raw" / "test.ref3").read_text()
    assert "accusing # of them" in (duc / "raw" / "test.article").read_text()


def read(folder: Path, part: str) -> list[tuple[str, str]]:
    sides = (folder / f"{part}.article", folder / f"{part}.title")
    articles, titles = (path.read_text(encoding="utf-8").split("\n") for path in sides)
    return list(zip(articles[:-1], titles[:-1], strict=True))


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_reuters_headlines(
    scripts: Scripts, shared_data: Callable[[str], Path]
) -> None:
    given = shared_data("headlines") / "reuters21578"
    status, _, errors = scripts.run("reuters_headlines", "--from", given)
    assert status == 0, errors
    assert "==> 452 pairs occurred before, word for word: left out\n" in errors
    assert "405 near-duplicates left out" in errors
    folder = scripts.data / "reuters_headlines"
    raw = {part: read(folder / "raw", part) for part in ("train", "valid", "test")}
    assert [len(pairs) for pairs in raw.values()] == [12824, 1000, 1000]
    check_no_near_duplicates(raw)
    for part, pairs in raw.items():
        units = read(folder / "bpe", part)
        assert [(join(a), from_characters(t, strict=True)) for a, t in units] == pairs
    entries = (folder / "bin" / "dict.title.txt").read_text().splitlines()
    assert len(entries) + 4 == 3928


@pytest.mark.slow
def test_acl_titles(shared_data: Callable[[str], Path]) -> None:
    given = shared_data("headlines") / "acl_titles"
    files = given_text.needed(given, headline_pairs.NAMES)
    pairs = headline_pairs.read_pairs(files, tickers=False)
    assert len(pairs) == 30345
    assert all(from_characters(to_characters(t), strict=True) == t for _, t in pairs)
    done = splits.split(pairs, 1000, 1000, "")
    assert {part: len(drawn) for part, drawn in done.parts.items()} == {
        "train": 28271,
        "valid": 1000,
        "test": 1000,
    }
    assert max(len(source.split()) for source, _ in pairs) == 99
    check_no_near_duplicates(done.parts)


def check_no_near_duplicates(parts: Parts) -> None:
    """Compare sets of trigrams pair by pair, where they share any at all."""
    for part, earlier in (("valid", ["train"]), ("test", ["train", "valid"])):
        known = [trigrams(source) for source, _ in parts[part]]
        titles = {near_duplicates.normalise(title) for _, title in parts[part]}
        having: dict[tuple[str, ...], set[int]] = {}
        for position, found in enumerate(known):
            for trigram in found:
                having.setdefault(trigram, set()).add(position)
        for source, title in (pair for name in earlier for pair in parts[name]):
            assert near_duplicates.normalise(title) not in titles
            found = trigrams(source)
            for position in set().union(*(having.get(t, set()) for t in found)):
                union = len(found | known[position])
                assert 2 * len(found & known[position]) < union


def trigrams(source: str) -> set[tuple[str, ...]]:
    words = near_duplicates.normalise(source).split()
    return set(zip(words, words[1:], words[2:], strict=False))
