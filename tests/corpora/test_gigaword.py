"""Gigaword: the annotated files, the published rules, the public pairs."""

import gzip
import re
from pathlib import Path

import pytest

from alone_experiments.corpora.description import PARTS, find_description
from alone_experiments.corpora.headlines import (
    annotated_gigaword,
    gigaword_files,
    gigaword_pairs,
    gigaword_rules,
    public_pairs,
)
from alone_experiments.corpora.job import Job
from alone_experiments.corpora.options import parse
from alone_experiments.mistakes import Mistake
from tests.corpora.made_up_headlines import document, month, tree

ARTICLE = "the minister praised all the farmers of the town , he said ."


def pairs(text: str) -> list[tuple[str, str]]:
    counts = annotated_gigaword.Counts()
    return list(annotated_gigaword.pairs(text.splitlines(), counts))


def test_headline_and_first_sentence() -> None:
    text = document(
        "Minister praises 2 farmers", ["He said so .", "More ."], ["Other ."]
    )
    assert pairs(text) == [("He said so .", "Minister praises 2 farmers")]


def test_sentences_up_to_the_first_with_a_full_stop() -> None:
    text = document("Title", ["PARIS ;", "It rained . Again .", "Later ."])
    assert pairs(text) == [("PARIS ; It rained .", "Title")]


def test_only_the_first_paragraph_counts() -> None:
    text = document("Title", ["no stop here"], ["Second ."])
    assert pairs(text) == [("no stop here", "Title")]


def test_documents_that_lack_a_side_are_passed_over() -> None:
    whole = document("Title", ["One ."])
    untitled = whole.replace(tree("Title"), "")
    plain = whole.replace(tree("Title"), "A title in plain text")
    bare = document("Title")
    assert pairs(untitled + bare + plain + whole) == [("One .", "Title")]


def test_entities_and_brackets_of_the_treebank() -> None:
    text = document("AT&amp;T says", ["-LRB- so -RRB- &nbsp; ."])
    assert pairs(text) == [("-LRB- so -RRB- .", "AT&T says")]


@pytest.mark.parametrize(
    ("article", "title", "kept"),
    [
        (ARTICLE, "minister praises the farmers", True),
        (ARTICLE, "MINISTER praises all four", True),
        (ARTICLE.removesuffix(" ."), "minister praises the farmers", False),
        (ARTICLE, "minister praises farmers", False),  # 3 words
        (ARTICLE, " ".join(["minister"] * 49), True),
        (ARTICLE, " ".join(["minister"] * 50), False),
        (
            "minister farmers of the town said it at last .",
            "minister praises x y",
            False,
        ),
        ("minister a b c d e f g h i .", "minister praises x y", True),  # 11 words
        (" ".join(["minister"] * 98) + " .", "minister praises x y", True),
        (" ".join(["minister"] * 99) + " .", "minister praises x y", False),
        (ARTICLE, "the old he said yes", True),  # "said" has four letters
        (ARTICLE, "all the old men", False),  # nothing shared above three letters
        (ARTICLE, "minister in japan praises farmers", False),  # "ap", as published
        (ARTICLE, "UPDATE minister praises the farmers", False),
        (ARTICLE, "minister praises the farmers ?", False),
        (ARTICLE, "minister : praise the farmers", False),
        (ARTICLE, "minister praises farmers by name", False),
        (ARTICLE, "minister praises -LRB- two -RRB- farmers", False),
    ],
)
def test_the_published_filter(article: str, title: str, kept: bool) -> None:
    assert gigaword_rules.is_kept(article, title) is kept


def test_punctuation_of_titles() -> None:
    title = "`` Minister '' - praises , 3.5 'farmers' -- \\/ ! = ; '"
    assert gigaword_rules.clean_title(title) == "minister praises 3.5 'farmers' ;"


def convert(given: Path, out: Path, *more: object) -> None:
    words = ["--from", given, "--output", out.parent, "--jobs", 1, *more]
    description = find_description("gigaword")
    settings = parse(description, [str(word) for word in words])
    gigaword_pairs.write_raw(Job.of(description, settings))


def read(out: Path, name: str) -> list[str]:
    return (out / name).read_text(encoding="utf-8").splitlines()


def test_annotated_files(tmp_path: Path) -> None:
    for number in range(4):
        month(tmp_path / "data" / "xml", f"afp_eng_19940{number}", 5, number * 5)
    convert(tmp_path / "data", tmp_path / "made" / "raw")
    counts = {
        part: len(read(tmp_path / "made" / "raw", f"{part}.title")) for part in PARTS
    }
    assert counts == {"train": 10, "valid": 5, "test": 5}
    article = read(tmp_path / "made" / "raw", "train.article")[0]
    title = read(tmp_path / "made" / "raw", "train.title")[0]
    assert re.fullmatch(r"the \w+ \w+ the \w+ of the town , .* on may \d+ \.", article)
    assert re.fullmatch(r"\w+ \w+ \w+ number \d+", title)
    assert read(tmp_path / "made" / "raw", "digits") == ["kept"]


def test_masked_digits(tmp_path: Path) -> None:
    for number in range(3):
        month(tmp_path / "xml", f"nyt_eng_19990{number}", 12)
    convert(tmp_path / "xml", tmp_path / "made" / "raw", "--digits", "mask")
    text = "".join(
        (tmp_path / "made" / "raw" / f"{part}.article").read_text() for part in PARTS
    )
    assert "may ##" in text
    assert not re.search("[0-9]", text)
    assert read(tmp_path / "made" / "raw", "digits") == ["masked"]


def test_lists_of_files_decide(tmp_path: Path) -> None:
    files = {}
    for name in ("afp_eng_1", "nyt_eng_1", "xin_eng_1", "xin_eng_2"):
        files[name] = month(tmp_path, name, 1)
    wanted = {"train": ["xin_eng_2", "afp_eng_1"], "valid": ["nyt_eng_1"]}
    for part, names in {**wanted, "test": ["xin_eng_1"]}.items():
        (tmp_path / f"{part}.splits").write_text("".join(f"{n}.gz\n" for n in names))
    assigned = gigaword_files.assign(gigaword_files.find_files(tmp_path), tmp_path)
    assert assigned["train"] == [files["xin_eng_2"], files["afp_eng_1"]]
    assert assigned["test"] == [files["xin_eng_1"]]
    (tmp_path / "valid.splits").write_text("ltw_eng_9\nnyt_eng_1\n")
    with pytest.raises(Mistake, match=r"1 of the 2 .* the first is ltw_eng_9"):
        gigaword_files.assign(gigaword_files.find_files(tmp_path), tmp_path)
    (tmp_path / "test.splits").unlink()
    (tmp_path / "valid.splits").write_text("nyt_eng_1\n")
    with pytest.raises(Mistake, match=r"test\.splits is missing"):
        gigaword_files.assign(gigaword_files.find_files(tmp_path), tmp_path)


def test_parts_without_lists_are_of_the_published_sizes() -> None:
    files = {f"afp_eng_{i:06}": Path(f"afp_eng_{i:06}.xml.gz") for i in range(998)}
    assigned = gigaword_files.assign(files, Path("/nowhere"))
    assert [len(assigned[part]) for part in PARTS] == [904, 47, 47]
    assert len({path for paths in assigned.values() for path in paths}) == 998


def test_extraction_carries_on(tmp_path: Path) -> None:
    files = [month(tmp_path, f"afp_eng_{i}", 2) for i in range(3)]
    kept = tmp_path / "kept"
    gigaword_files.extract_all(files[:2], kept, 1)
    before = gigaword_files.extracted(files[0], kept).stat().st_mtime_ns
    files[2].write_bytes(files[2].read_bytes()[:-9])
    with pytest.raises(Mistake, match=r"afp_eng_2\.xml\.gz is damaged"):
        gigaword_files.extract_all(files, kept, 1)
    assert len(list(kept.iterdir())) == 2
    assert gigaword_files.extracted(files[0], kept).stat().st_mtime_ns == before


def test_files_of_another_kind(tmp_path: Path) -> None:
    for number in range(3):
        path = month(tmp_path / "xml", f"afp_eng_{number}", 1)
        text = gzip.decompress(path.read_bytes()).replace(b"(TOP", b"TOP")
        path.write_bytes(gzip.compress(text))
    with pytest.raises(Mistake, match="none of its 1 headlines is a parse tree"):
        convert(tmp_path / "xml", tmp_path / "made" / "raw")
    assert not (tmp_path / "made" / "raw").exists()


def write_public(folder: Path, train: str, valid: str = "", test: str = "") -> None:
    (folder / "train").mkdir(parents=True)
    (folder / "Giga").mkdir()
    title = "minister praises UNK farmers\n"
    for name, text in {
        "train/train.{}.txt": train,
        "train/valid.{}.filter.txt": valid or train,
        "Giga/{}.txt": test or train,
    }.items():
        one, two = ("input", "task1_ref0") if "Giga" in name else ("article", "title")
        (folder / name.format(one)).write_text(text)
        (folder / name.format(two)).write_text(title * text.count("\n"))


def test_public_pairs(tmp_path: Path) -> None:
    train = "the UNK said ## <unk>\r\n\r\n  two   blanks \n" + "more\n" * 9
    write_public(tmp_path / "given", train)
    options = ("--valid-pairs", 4, "--test-pairs", 0)
    raw = tmp_path / "made" / "raw"
    convert(tmp_path / "given", raw, *options)
    articles = read(raw, "train.article")
    assert articles[:2] == ["the <unk> said ## <unk>", "two blanks"]
    assert len(articles) == 11
    assert len(read(raw, "valid.article")) == 4
    assert len(read(raw, "test.title")) == 11
    assert read(raw, "test.title")[0] == "minister praises UNK farmers"
    assert read(raw, "digits") == ["masked"]


@pytest.mark.parametrize(
    ("remove", "message"),
    [
        ("train/train.title.txt", r"train has no train\.title\.txt or"),
        ("Giga/*", r"has no test pairs: it needs input\.txt and task1_ref0\.txt \(?or"),
        ("train/*", r"has no files \*\.xml\.gz"),
    ],
)
def test_missing_files_are_named(tmp_path: Path, remove: str, message: str) -> None:
    write_public(tmp_path / "given", "a\n")
    for path in (tmp_path / "given").glob(remove):
        path.unlink()
    with pytest.raises(Mistake, match=message) as raised:
        convert(tmp_path / "given", tmp_path / "made" / "raw")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"one\n", r"title\.txt has 1 lines, .*article\.txt has more"),
        (b"one\n\xe9\n", r"title\.txt line 2 is not UTF-8"),
        (b" \n\n", "no train pair is left"),
    ],
)
def test_pairs_that_do_not_fit(tmp_path: Path, content: bytes, message: str) -> None:
    write_public(tmp_path / "given", "a\nb\n")
    (tmp_path / "given" / "train" / "train.title.txt").write_bytes(content)
    with pytest.raises(Mistake, match=message):
        convert(tmp_path / "given", tmp_path / "made" / "raw")
    assert not list((tmp_path / "made" / "raw").glob("*"))


def test_every_published_name_is_found(tmp_path: Path) -> None:
    for part, names in public_pairs.NAMES.items():
        for pair in names:
            for place in public_pairs.FOLDERS:
                folder = tmp_path / f"{part}{pair[0]}{place}".replace("/", "_") / place
                folder.mkdir(parents=True)
                (folder / pair[0]).touch()
                (folder / f"{pair[1]}.gz").touch()
                top = folder if place == "." else folder.parents[place.count("/")]
                found = public_pairs.find_part(top, part)
                assert found is not None
                assert found.title.name == f"{pair[1]}.gz"
