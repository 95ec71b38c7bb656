"""Words, stems and irregular forms as ROUGE-1.5.5 makes them."""

import hashlib
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from alone_experiments.evaluation.porter import stem
from alone_experiments.evaluation.rouge_tokens import Tokeniser
from alone_experiments.evaluation.word_exceptions import load_exceptions
from alone_experiments.mistakes import Mistake

FORMS = {"geese": "goose", "rose": "rise", "best": "good"}

# Examples of the rules in Porter (1980), step by step; the stems are those after all.
PORTER = {
    "caresses": "caress",
    "ponies": "poni",
    "caress": "caress",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "bled": "bled",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "troubled": "troubl",
    "sized": "size",
    "hopping": "hop",
    "falling": "fall",
    "hissing": "hiss",
    "failing": "fail",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "conditional": "condit",
    "digitizer": "digit",
    "vietnamization": "vietnam",
    "sensibiliti": "sensibl",
    "triplicate": "triplic",
    "hopefulness": "hope",
    "goodness": "good",
    "electrical": "electr",
    "revival": "reviv",
    "replacement": "replac",
    "adjustment": "adjust",
    "adoption": "adopt",
    "probate": "probat",
    "rate": "rate",
    "cease": "ceas",
    "controll": "control",
    "roll": "roll",
}
# Where ROUGE-1.5.5 departs from Porter (1980): after -al, -ism or nothing at all it
# takes off -ment, then -ent or -ion, as well. The program itself gave these stems.
DEPARTURES = {
    "governmental": "govern",
    "impressionism": "impress",
    "settlement": "settlem",
    "basements": "basem",
    "supplemented": "supplem",
    "tournament": "tournam",
}


@pytest.mark.parametrize(("word", "expected"), (PORTER | DEPARTURES).items())
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", ["", "a", "is", "by"])
def test_shortest_words_stay(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("word", "expected"),
    [("yes", "ye"), ("saying", "sai"), ("crying", "cry"), ("yyyyed", "yyyi")],
)
def test_y_is_a_vowel_after_a_consonant(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(("word", "expected"), [("747s", "747"), ("x11ing", "x11ing")])
def test_digits_are_consonants(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text("aeiouybdlmnrst1", max_size=12))
@example("ays")
@example("aed")
@example("ies")
def test_a_stem_is_no_longer_than_its_word(word: str) -> None:
    found = stem(word)
    assert len(found) <= len(word)
    # Of Porter's rules, step 1a makes ies i, step 1b leaves a vowel alone as any stem
    # that has one (aed, a), and 1c turns a y left at the end into i (ays, ay, ai).
    vowel = re.match("([aeiou])(ed|ing)|(i)es$", word)
    kept = {word[:2], *(vowel.groups() if vowel else ())}
    assert found[:2] in kept or (word[1:2] == "y" and found == word[0] + "i")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("It's the U.N.'s 1st-ever $5 “deal”", "it s the u n s 1st ever 5 deal"),
        ("-well--known- _x_", "well known x"),
        ("Ångström naïve", "ngstr m na ve"),
        ("tab\tand\u00a0blank\u2028line\r", "tab and blank line"),
    ],
)
def test_words(line: str, expected: str) -> None:
    assert Tokeniser()(line) == expected.split()


def test_irregular_forms_before_stems_and_long_words_alone() -> None:
    tokeniser = Tokeniser(None, True, {"geese": "goose", "ran": "run"})
    assert tokeniser("Geese-geese ran, goose") == ["goose", "goose", "ran", "goos"]


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_that_leaves_nothing_is_refused(limit: int) -> None:
    with pytest.raises(Mistake, match="--bytes must be at least 1"):
        Tokeniser(limit)


def test_irregular_forms_that_are_built_in() -> None:
    forms = load_exceptions()
    assert len(forms) == 3636
    # As the list that ROUGE's own script made of its own files.
    expected = {"rose": "rise", "best": "good", "better": "good", "testes": "testes"}
    expected |= {"said": "say", "children": "child", "comics": "comic_strip"}
    assert {form: forms.get(form, form) for form in expected} == expected
    assert "halfpence" not in forms
    lines = "".join(f"{form} {forms[form]}\n" for form in sorted(forms))
    checksum = "0c840e7807c4a27a"
    assert hashlib.sha256(lines.encode()).hexdigest().startswith(checksum)


def write(path: Path, forms: dict[str, str]) -> Path:
    path.write_text("".join(f"{form} {base} more\n" for form, base in forms.items()))
    return path


def hash_file(forms: dict[str, str], order: str) -> bytes:
    """Berkeley DB's format: a page about the file, then one with all pairs."""
    size = 512
    first = struct.pack(f"{order}12xIII", 0x061561, 9, size).ljust(size, b"\0")
    items = [b"\1" + word.encode() for pair in forms.items() for word in pair]
    body, starts = b"", []
    for item in items:
        body = item + body
        starts.append(size - len(body))
    header = struct.pack(f"{order}20xHHBB", len(items), starts[-1], 0, 13)
    table = struct.pack(f"{order}{len(items)}H", *starts)
    return first + (header + table).ljust(size - len(body), b"\0") + body


def test_text_file_of_irregular_forms(tmp_path: Path) -> None:
    assert load_exceptions(write(tmp_path / "forms", FORMS)) == FORMS


def test_forms_that_never_matter_are_left_out(tmp_path: Path) -> None:
    # Shorter than four letters; no word; the base form is the stem.
    others = {"ran": "run", "well-spoken": "spoken", "o'er": "over", "houses": "hous"}
    assert load_exceptions(write(tmp_path / "forms", FORMS | others)) == FORMS


@pytest.mark.parametrize("order", ["<", ">"])
def test_hash_file_of_irregular_forms(tmp_path: Path, order: str) -> None:
    file = tmp_path / "WordNet-2.0.exc.db"
    file.write_bytes(hash_file(FORMS, order))
    assert load_exceptions(file) == FORMS


def test_hash_file_that_perl_wrote(tmp_path: Path) -> None:
    perl = shutil.which("perl")
    if (
        perl is None
        or subprocess.run([perl, "-MDB_File", "-e1"], check=False).returncode
    ):
        pytest.skip("no perl with DB_File")
    program = 'use DB_File; tie %d, "DB_File", shift, O_CREAT|O_RDWR, 0600, $DB_HASH;'
    program += "$d{$_} = $_ + 1 for (1000 .. 6000)"
    file = tmp_path / "numbers.db"
    subprocess.run([perl, "-e", program, file], check=True)
    assert load_exceptions(file) == {
        str(number): str(number + 1) for number in range(1000, 6001)
    }


@pytest.mark.parametrize("name", ["", "WordNet-2.0-Exceptions"])
def test_folder_of_irregular_forms(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    write(folder / "adj.exc", {"best": "good"})
    write(folder / "adv.exc", {"best": "well"})
    write(folder / "noun.exc", {"geese": "goose"})
    assert load_exceptions(tmp_path) == {"best": "good", "geese": "goose"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read .*forms: No such file"),
        (b"", "--exceptions .*forms: no irregular forms in it"),
        (b"geese goose\nrose\n", "forms, line 2: 'rose' is no form with its base"),
        (b"geese \xff\n", "forms line 1 is not UTF-8 text"),
        (b"\0\5\x15\x61" * 9, "forms is neither text nor a hash file"),
        (hash_file(FORMS, "<")[:600], "forms is damaged"),
        (hash_file(FORMS, "<").replace(b"\1rise", b"\3rise"), "forms is damaged"),
    ],
)
def test_bad_list_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "forms").write_bytes(content)
    with pytest.raises(Mistake, match=message):
        load_exceptions(tmp_path / "forms")


def test_folder_without_lists_is_named(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"the folder has no \*\.exc files"):
        load_exceptions(tmp_path)
