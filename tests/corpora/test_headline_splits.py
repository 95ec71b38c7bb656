"""No pair of one set is a near-duplicate of a pair of another."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alone_experiments.corpora.description import find_description
from alone_experiments.corpora.headlines import headline_pairs, near_duplicates, splits
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.options import parse
from alone_experiments.mistakes import Mistake

Pair = tuple[str, str]
PARTS = ("train", "valid", "test")
WORDS = st.lists(st.sampled_from([*"abcde", "1", "22"]), min_size=1, max_size=8)
PAIRS = st.tuples(WORDS.map(" ".join), WORDS.map(" ".join))


def independent(one: Pair, other: Pair) -> bool:
    """Near-duplicates, by their definition, without an index."""
    (s, t), (u, v) = (
        [near_duplicates.normalise(x) for x in pair] for pair in (one, other)
    )
    if s == u or t == v:
        return True
    a, b = (
        {" ".join(w[i : i + 3]) for i in range(len(w) - 2)} or {" ".join(w)}
        for w in (s.split(), u.split())
    )
    return len(a & b) / len(a | b) >= 0.5


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("U.S. Fed, 1.5 bln -- up 9-1/4!", "u s fed 0 bln up 0"),
        ("Caf\u00c9 STRASSE_x 1987/88", "caf\u00e9 strasse x 0"),
        ("...", ""),
    ],
)
def test_normalised(text: str, normalised: str) -> None:
    assert near_duplicates.normalise(text) == normalised


@pytest.mark.parametrize(
    ("source", "title", "reason"),
    [
        ("The bank, said 37 mln.", "other", "same source"),
        ("else entirely here now", "Bank GIVES 12", "same title"),
        ("the bank said 5 mln today", "other", "similar source"),  # 3 shared of 4
        ("the bank said he had it", "other", None),  # 1 shared of 6
    ],
)
def test_reasons(source: str, title: str, reason: str | None) -> None:
    index = near_duplicates.NearDuplicates([("the bank said 5 mln", "bank gives 3")])
    assert index.reason(source, title) == reason


@settings(max_examples=80, deadline=None)
@given(st.lists(PAIRS, min_size=1, max_size=8), PAIRS)
def test_the_index_finds_what_the_definition_says(
    known: list[Pair], pair: Pair
) -> None:
    found = near_duplicates.NearDuplicates(known).reason(*pair)
    assert (found is not None) == any(independent(pair, other) for other in known)


def made_up(count: int, seed: int) -> list[Pair]:
    chooser = random.Random(seed)
    vocabulary = [first + second for first in "bcdfghk" for second in "aeiou"]
    return [
        (
            " ".join(chooser.choices(vocabulary, k=chooser.randint(3, 7))),
            " ".join(chooser.choices(vocabulary, k=2)),
        )
        for _ in range(count)
    ]


def test_no_near_duplicate_across_sets_and_nothing_lost_uncounted() -> None:
    pairs = made_up(400, 1)
    pairs += pairs[:30] + [(s.upper(), t) for s, t in pairs[:40]]
    done = splits.split(pairs, 30, 25, "")
    parts = done.parts
    assert (len(parts["valid"]), len(parts["test"])) == (30, 25)
    across = [("train", "valid"), ("train", "test"), ("valid", "test")]
    for one, other in across:
        for pair in parts[one]:
            assert not any(independent(pair, known) for known in parts[other])
    left_out = sum(counts.total() for counts in done.left_out.values())
    assert left_out > 0
    assert sum(map(len, parts.values())) + left_out + done.repeated == len(pairs)
    assert done.repeated == 30


def test_splits_keep_the_order_and_do_not_depend_on_it() -> None:
    pairs = made_up(300, 2)
    parts = splits.split(pairs, 20, 20, "").parts
    for drawn in parts.values():
        positions = [pairs.index(pair) for pair in drawn]
        assert all(before < after for before, after in pairwise(positions))
    again = splits.split(pairs[::-1], 20, 20, "").parts
    assert {k: set(v) for k, v in again.items()} == {
        k: set(v) for k, v in parts.items()
    }


def test_too_few_pairs() -> None:
    with pytest.raises(Mistake, match=r"^50 pairs are too few.*: give more$"):
        splits.split(made_up(50, 3), 20, 30, "give more")


def write(folder: Path, sources: str, titles: str) -> Path:
    folder.mkdir()
    (folder / "src.txt").write_bytes(sources.encode())
    (folder / "tgt.txt").write_bytes(titles.encode())
    return folder


def job(given: Path, out: Path, pairs: int) -> Job:
    description = find_description("reuters_headlines")
    settings = parse(description, ["--from", str(given), "--output", str(out)])
    settings.valid_pairs = settings.test_pairs = pairs
    return Job.of(description, settings)


def test_command_cleans_and_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [
        f"Company {chr(97 + i) * 3} <ABC> said it {i * 'so '}.\r" for i in range(9)
    ]
    titles = [f"{chr(97 + i) * 3} <ABC> SAYS SO" for i in range(9)]
    given = write(
        tmp_path / "given",
        "\n".join([*sources, "", "no title\r"]) + "\n",
        "\n".join([*titles, "no source", "  "]),
    )
    out = tmp_path / "out"
    headline_pairs.write_raw(job(given, out, pairs=2))
    assert (out / "splits.txt").read_text().startswith("9 pairs\n")
    assert sorted(path.name for path in (out / "raw").iterdir()) == sorted(
        f"{part}.{side}" for part in PARTS for side in ("article", "title")
    )
    assert "<" not in (out / "raw" / "test.title").read_text()
    capsys.readouterr()
    headline_pairs.write_raw(job(given, out, pairs=2))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("sources", "titles", "message"),
    [
        ("a\nb\n", "a\n", r"tgt\.txt has 1 lines, .*src\.txt has more"),
        ("a\n", "a\n", "1 pairs are too few.* must hold all of the corpus"),
        ("a\n", None, r"has no file tgt\.txt or tgt\.txt\.gz"),
    ],
)
def test_command_refuses(
    tmp_path: Path, sources: str, titles: str | None, message: str
) -> None:
    given = write(tmp_path / "given", sources, titles or "")
    if titles is None:
        (given / "tgt.txt").unlink()
    out = tmp_path / "out"
    with pytest.raises(Mistake, match=message) as raised:
        headline_pairs.write_raw(job(given, out, pairs=1000))
    assert "\n" not in str(raised.value)
    assert not (out / "raw").exists()
