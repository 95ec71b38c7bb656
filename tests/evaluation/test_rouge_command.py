"""The ``rouge`` command and the statistics of lengths."""

import argparse
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alone_experiments.evaluation import rouge_command
from alone_experiments.evaluation.lengths import length_statistics
from alone_experiments.mistakes import Mistake

SYSTEM = ["Police kill gunman", "", "Café prices rose 3.5%"]
REFERENCES = {
    "ref0": ["police kill the gunman", "rain falls", "café price rises by 3.5"],
    "ref1": ["gunman shot by police", "it rains", "price of coffee rises"],
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, lines in {"system": SYSTEM, **REFERENCES}.items():
        found[name] = tmp_path / name
        text = "".join(f"{line}\n" for line in lines)
        found[name].write_text(text, encoding="utf-8")
    return found


def run(*arguments: object) -> None:
    parser = argparse.ArgumentParser()
    rouge_command.add_arguments(parser)
    rouge_command.run(parser.parse_args([str(argument) for argument in arguments]))


def run_on(files: dict[str, Path], *arguments: object) -> None:
    references = [files["ref0"], files["ref1"]]
    run("--system", files["system"], "--references", *references, *arguments)


def test_scores_lengths_and_signature(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, table = tmp_path / "rouge.json", tmp_path / "lines.tsv"
    forms = tmp_path / "forms"
    forms.write_text("rose rise\n")
    arguments = ["--json", record, "--per-line", table, "--exceptions", forms]
    run_on(files, "--preset", "duc2004", *arguments)
    # First line: words 3 of 4 and 2 of 4, pairs 1 of 6. Second: none. Third, caf price
    # rise 3 5: all five of caf price rise by 3 5, 2 of price of coffe rise.
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert rows[0][:3] == ["line", "ROUGE-1-recall", "ROUGE-1-precision"]
    assert [row[1] for row in rows[1:]] == ["0.62500", "0.00000", "0.70000"]
    assert [row[4] for row in rows[1:]] == ["0.16667", "0.00000", "0.37500"]
    score = json.loads(record.read_text())
    assert score["lines"] == 3
    assert score["references"] == 2
    assert score["reported"] == "recall"
    recall = score["scores"]["ROUGE-1"]["recall"]
    assert recall["mean"] == pytest.approx((0.625 + 0.7) / 3)
    assert recall["lower"] <= recall["average"] <= recall["upper"]
    assert score["lengths"]["desired"] == 75
    printed = capsys.readouterr()
    assert f"ROUGE-1  {recall['average']:.5f} [{recall['lower']:.5f}, " in printed.out
    assert f"{score['signature']} (3 lines)" in printed.out
    assert "nrefs:2|bytes:75|stem:porter+exceptions-" in score["signature"]
    assert printed.err == ""


def test_gigaword_stems_and_reports_f1(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run_on(files, "--preset", "gigaword")
    printed = capsys.readouterr().out
    assert "preset:gigaword|nrefs:2|bytes:all|stem:porter+exceptions-" in printed
    assert printed.split()[0] == "f1"


def test_irregular_forms_are_built_in_and_can_be_left_out(
    files: dict[str, Path], tmp_path: Path
) -> None:
    # Of caf price rise 3 5 all but "rise" are there without the list: 4 of 6.
    tables = {}
    for name, choice in (("built-in", []), ("none", ["--exceptions", "none"])):
        tables[name] = tmp_path / name
        run_on(files, "--preset", "duc2004", *choice, "--per-line", tables[name])
    last = {name: path.read_text().split("\n")[3] for name, path in tables.items()}
    assert last["built-in"].split("\t")[1] == "0.70000"
    assert last["none"].split("\t")[1] == "0.50000"


def test_flags_change_a_preset(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--no-stem", "--bytes", 0, "--max-ngram", 3, "--confidence", 90]
    run_on(files, "--preset", "duc2004", *arguments, "--desired-length", 20)
    printed = capsys.readouterr()
    assert "bytes:all|stem:no|ngrams:3|" in printed.out
    assert "confidence:90" in printed.out
    assert "ROUGE-3" in printed.out
    assert " for 20; " in printed.out
    assert printed.err == ""


def test_without_preset_as_rouge_without_options(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run_on(files)
    printed = capsys.readouterr().out
    assert "preset:none|nrefs:2|bytes:all|stem:no|ngrams:2|" in printed
    assert "length" not in printed


def test_signature_names_the_list_of_forms(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forms, signatures = tmp_path / "forms", set()
    for text in ("rose rise\n", "rose flower\n"):
        forms.write_text(text)
        run_on(files, "--stem", "--exceptions", forms)
        signatures.add(capsys.readouterr().out.splitlines()[-1])
    assert len(signatures) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"cannot read .*ref1: No such file"),
        (b"one\ntwo\n", r"ref1 has 2 lines, .*system has 3: line 3 is in one of them"),
        (
            b"1\n2\n3\n4\n",
            r"ref1 has 4 lines, .*system has 3: line 4 is in one of them",
        ),
        (b"one\n\xe9\nthree\n", r"ref1 line 2 is not UTF-8 text"),
    ],
)
def test_bad_reference_is_named_and_nothing_is_written(
    files: dict[str, Path], tmp_path: Path, content: bytes | None, message: str
) -> None:
    files["ref1"].unlink()
    if content is not None:
        files["ref1"].write_bytes(content)
    record = tmp_path / "rouge.json"
    with pytest.raises(Mistake, match=message):
        run_on(files, "--json", record)
    assert not record.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--confidence", "0"], "--confidence must lie between"),
        (["--exceptions", "forms"], "--exceptions is for stemming: add --stem"),
        (["--stem", "--exceptions", "no/where"], "cannot read no/where"),
        (["--json", "/dev/null/rouge.json"], "cannot write /dev/null"),
    ],
)
def test_bad_flags_are_named(
    files: dict[str, Path], arguments: list[str], message: str
) -> None:
    with pytest.raises(Mistake, match=message):
        run_on(files, *arguments)


@pytest.mark.parametrize(
    ("flag", "least", "value"),
    [
        ("--bytes", 0, "-1"),
        ("--max-ngram", 1, "0"),
        ("--resamples", 100, "99"),
        ("--desired-length", 1, "0"),
    ],
)
def test_numbers_out_of_range_are_named(
    files: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    flag: str,
    least: int,
    value: str,
) -> None:
    with pytest.raises(SystemExit):
        run_on(files, flag, value)
    told = capsys.readouterr().err
    assert f"{flag}: must be a whole number from {least}, not {value}" in told


def test_empty_files_are_refused(files: dict[str, Path]) -> None:
    for file in files.values():
        file.write_text("")
    with pytest.raises(Mistake, match="nothing to score"):
        run_on(files)


def test_length_statistics_by_hand() -> None:
    # Lengths 4, 2, 6 around 4: differences 0, -2, 2. "café" has five bytes.
    found = length_statistics([" café ", "ab", "abcdef"], 4)
    assert found.mean_length == pytest.approx(4.0)
    assert found.mean_difference == pytest.approx(0.0)
    assert found.mean_absolute_difference == pytest.approx(4 / 3)
    assert found.variance == pytest.approx(8 / 3)
    assert found.within_characters == pytest.approx(2 / 3)
    assert found.within_bytes == pytest.approx(1 / 3)


@given(st.lists(st.text("ab é日\t"), min_size=1), st.integers(1, 100))
def test_variance_is_that_of_the_lengths_and_their_bias(
    lines: list[str], desired: int
) -> None:
    found = length_statistics(lines, desired)
    lengths = [len(line.strip()) for line in lines]
    mean = sum(lengths) / len(lengths)
    spread = sum((length - mean) ** 2 for length in lengths) / len(lengths)
    assert found.variance == pytest.approx(spread + (mean - desired) ** 2)
    assert found.within_bytes <= found.within_characters
    assert abs(found.mean_difference) <= found.mean_absolute_difference + 1e-9


def test_no_line_has_no_length() -> None:
    with pytest.raises(Mistake, match="no line whose length"):
        length_statistics([], 75)


def test_the_numbers_of_rouge_score_beside_ours(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer")
    record = tmp_path / "rouge.json"
    run_on(files, "--preset", "gigaword", "--also", "rouge-score", "--json", record)
    also = json.loads(record.read_text())["also"]
    theirs = scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    found = [
        max(
            (theirs.score(line, output)["rouge2"] for line in of_output),
            key=lambda score: score.fmeasure,
        )
        for output, *of_output in zip(SYSTEM, *REFERENCES.values(), strict=True)
    ]
    expected = sum(score.fmeasure for score in found) / len(found)
    assert also["scores"]["ROUGE-2"]["f1"] == pytest.approx(expected)
    assert also["scores"]["ROUGE-2"]["f1"] > 0
    ours, others = capsys.readouterr().out.split("\n\n")
    assert "like:ROUGE-1.5.5" in ours
    assert "version:rouge-score-" in others
    assert f"{expected:.5f}" in others


def test_it_is_only_asked_when_named(files: dict[str, Path], tmp_path: Path) -> None:
    record = tmp_path / "rouge.json"
    run_on(files, "--json", record)
    assert "also" not in json.loads(record.read_text())
