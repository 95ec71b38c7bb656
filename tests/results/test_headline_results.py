"""Records of headlines: what is kept, compared, tabled and plotted."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from alone_experiments.results import (
    headline_comparisons,
    headline_results,
    plot_lengths,
    plot_loss,
    result_files,
    table,
)

pytestmark = pytest.mark.usefixtures("plugin")

METRICS = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
F1 = "preset:gigaword|nrefs:1|bytes:all|version:1"
DUC = "preset:duc2004|nrefs:4|bytes:75|version:1"


def rouge(desired: int, first: float, signature: str = F1) -> dict[str, Any]:
    """What ``alone-fairseq rouge`` says; ``first`` is ROUGE-1's average."""

    def average(value: float) -> dict[str, float]:
        return {"average": value, "lower": value - 0.01, "upper": value + 0.02}

    kind = "recall" if "duc" in signature else "f1"
    return {
        "signature": signature,
        "lines": 1951,
        "references": 4 if "nrefs:4" in signature else 1,
        "reported": kind,
        "scores": {
            metric: {kind: average(first / number)}
            for number, metric in enumerate(METRICS, start=1)
        },
        "lengths": {
            "desired": desired,
            "mean_length": desired - 1.25,
            "mean_difference": -1.25,
            "mean_absolute_difference": 2.5,
            "within_characters": 0.875,
        },
    }


def record(row: str, scores: dict[str, Any], seed: int = 1, **other: Any) -> Any:
    values = 8_300_000 if row.startswith("lookup") else 1_049_088
    control = ["--length-lrpe", "--length-ordinary"] if row != "lookup_ldpe" else []
    return {
        "experiment": "gigaword",
        "row": row,
        "method": row.partition("_")[0],
        "seed": seed,
        "command": ["fairseq-train", "--alone-inter-dim", "1024", *control],
        "test": {"rouge": scores, "checkpoints_averaged": 10},
        "footprint": {"trained_values": values, "stored_bytes": 4 * values},
        "lookup_values": 8_300_000,
        "total_values": values + 50_000_000,
        "commit": "0123456789abcdef",
        "dirty": False,
        "updates": 100,
        "valid": {"loss": [[50, 2.5 - values / 1e8], [100, 2.25]]},
        "hardware": {"cpu": "Abacus", "cores": 2, "gpu": None},
        "data": {"raw/test.title": "abc"},
        **other,
    }


def cells(table: str, heading: str) -> list[dict[str, str]]:
    """Read the table below a line that begins with ``heading``."""
    lines = iter(
        table[table.index(heading) :].splitlines()[0 if heading == "|" else 2 :]
    )
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.split("|")[1:-1]])
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def test_table_3() -> None:
    records = [
        record("alone_real_1024_published", {"75": rouge(75, 0.32571, DUC)}),
        record("lookup", {"75": rouge(75, 0.3, DUC), "gigaword/30": rouge(30, 0.4)}, 1),
        record(
            "lookup", {"75": rouge(75, 0.31, DUC), "gigaword/30": rouge(30, 0.4)}, 2
        ),
    ]
    text = table.make_table(records)
    models = cells(text, "|")
    assert models[1] == {
        "row": "alone_real_1024_published",
        "method": "alone",
        "length control": "LRPE+PE",
        "H": "1024",
        "embedding values": "1,049,088",
        "share of lookup": "12.6%",
        "stored bytes": "4,196,352",
        "total values": "51,049,088",
        "validation loss": "2.25",
    }
    heading = (
        "**Desired length N = 75**: recall of the first 75 bytes, 1,951 lines with 4"
    )
    lookup, real = cells(text, heading)
    assert real == {
        "row": "alone_real_1024_published",
        "H": "1024",
        "embedding values": "1,049,088",
        "ROUGE-1": "32.57 [31.57, 34.57]",
        "ROUGE-2": "16.29 [15.29, 18.29]",
        "ROUGE-L": "10.86 [9.86, 12.86]",
        "in the paper": "32.57 / 11.63 / 28.24",
        "length - N": "-1.2",
        "abs(length - N)": "2.5",
        "at most N": "87.5%",
    }
    assert lookup["ROUGE-1"] == "30.50 ± 0.71 (2 seeds)"
    (only,) = cells(
        text, "**Desired length N = 30, gigaword**: F1, 1,951 lines with 1 r"
    )
    assert only["row"] == "lookup"
    assert "in the paper" not in only
    assert [line for line in text.splitlines() if line.startswith("ROUGE: ")] == [
        f"ROUGE: {DUC}  ",
        f"ROUGE: {F1}  ",
    ]
    assert "No test of significance: the headlines were not kept." in text


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--length-ldpe"], "LDPE"),
        (["--length-lrpe", "--length-ldpe", "--length-ordinary"], "LRPE+LDPE+PE"),
        (["--length-ordinary"], "none"),
        ([], "none"),
    ],
)
def test_length_control_is_named(flags: list[str], expected: str) -> None:
    entry = record("lookup", {"30": rouge(30, 0.4)}, command=flags)
    assert cells(table.make_table([entry]), "|")[0]["length control"] == expected


class Folder:
    """A folder of results at the desired length 30, with their headlines."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, row: str, of_lines: list[float], **other: Any) -> Any:
        """Add a run whose headlines scored ``of_lines``."""
        lines = ["\t".join([f"{s:.5f}"] * 3 + ["a headline"]) for s in of_lines]
        entry = rouge(30, sum(of_lines) / len(of_lines)) | other.pop("scores", {})
        file = self.path / f"{row}--seed1.30.tsv.gz"
        header = "\t".join([*METRICS, "headline"])
        entry["headlines"] = result_files.write_translations([header, *lines], file)
        found = record(row, {"30": entry}, **other)
        (self.path / f"{row}--seed1.json").write_text(json.dumps(found))
        return found

    def compare(self) -> Any:
        """Compare and keep the result, as alone-fairseq compare does."""
        found = headline_comparisons.compare_headlines(self.path)
        file = self.path / result_files.COMPARISONS
        file.write_text(json.dumps({"comparisons": found}))
        return found

    def table(self) -> str:
        """Make the tables."""
        comparisons = result_files.read_comparisons(self.path)
        return str(table.make_table(result_files.read_records(self.path), comparisons))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    folder.add("lookup", [0.3] * 12)
    folder.add("alone_real", [0.4] * 12)
    folder.add("lookup_ldpe", [0.31, 0.29] * 6)
    return folder


def test_differences_are_in_the_table_without_headlines_and_corpus(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    first = folder.compare()
    assert "lookup_ldpe against lookup, seed 1, desired" in capsys.readouterr().err
    assert folder.compare() == first
    assert capsys.readouterr().err == ""  # known already
    for file in folder.path.glob("*.gz"):
        file.unlink()
    table = folder.table()
    ldpe, real = cells(table, "**Differences in points of ROUGE**")
    assert (real["row"], real["against"]) == ("alone_real", "lookup")
    # Of twelve lines, all better: two in 4,096 exchanges are as extreme.
    assert real["ROUGE-2"] == "+10.00 (p < 0.001)"
    assert (ldpe["N"], ldpe["ROUGE-1"]) == ("30", "+0.00 (p = 1.000)")
    assert "not corrected for the number of tests: paired-ar:10000" in table


def test_headlines_made_again_since_are_not_compared(folder: Folder) -> None:
    folder.compare()
    folder.add("lookup", [0.5] * 12)
    assert "**Differences" not in folder.table()
    assert "nothing to compare, or not compared" in folder.table()


@pytest.mark.parametrize(
    "other", [{"data": {}}, {"scores": {"signature": F1.replace("all", "75")}}]
)
def test_other_data_or_scoring_is_not_compared(
    folder: Folder, other: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder.add("alone_real", [0.4] * 12, **other)
    assert [entry["row"] for entry in folder.compare()] == ["lookup_ldpe"]
    said = capsys.readouterr().err
    assert "not compared, other data or scoring: alone_real and lookup" in said


def test_missing_headlines_are_named(folder: Folder) -> None:
    file = folder.path / "lookup--seed1.30.tsv.gz"
    file.unlink()
    with pytest.raises(ValueError, match="is missing") as raised:
        folder.compare()
    assert str(file) in str(raised.value)


def test_headlines_are_kept_behind_the_reported_scores(tmp_path: Path) -> None:
    run = tmp_path / "run" / "gigaword" / "30"
    run.mkdir(parents=True)
    kinds = ("recall", "precision", "f1")
    names = [f"{metric}-{kind}" for metric in METRICS for kind in kinds]
    rows = [[f"0.{line}{column}" for column in range(9)] for line in range(2)]
    table = [["line", *names], *(["7", *row] for row in rows)]
    (run / "lines.tsv").write_text("".join("\t".join(row) + "\n" for row in table))
    (run / "headlines.txt").write_bytes("oil\u2028\t\rup\n\n".encode())
    (run / "rouge.json").write_text(json.dumps(rouge(30, 0.4)))
    result = tmp_path / "lookup--seed1.json"
    found = headline_results.read_rouge(tmp_path / "run", "gigaword/30", result)
    assert found["scores"] == rouge(30, 0.4)["scores"]
    assert found["headlines"]["file"] == "lookup--seed1.gigaword-30.tsv.gz"
    text = gzip.decompress(
        (tmp_path / found["headlines"]["file"]).read_bytes()
    ).decode()
    assert text == (
        "ROUGE-1\tROUGE-2\tROUGE-L\theadline\n"
        "0.02\t0.05\t0.08\toil\u2028\t\rup\n"
        "0.12\t0.15\t0.18\t\n"
    )
    kept = record("lookup", {"gigaword/30": found})
    scores = headline_results.scores_of_lines(kept, "gigaword/30", tmp_path)
    assert scores == {
        "ROUGE-1": [0.02, 0.12],
        "ROUGE-2": [0.05, 0.15],
        "ROUGE-L": [0.08, 0.18],
    }


def test_checksums_cover_further_test_sets(tmp_path: Path) -> None:
    raw = tmp_path / "duc2004" / "raw"
    raw.mkdir(parents=True)
    for name in ("test.ref0", "test.article", "train.article", "origin"):
        (raw / name).write_text("")
    assert headline_results.checksums_of_test_sets([raw.parent]) == {
        f"duc2004/raw/{name}": (
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
        for name in ("test.article", "test.ref0")
    }


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Figures by the name of their file, in place of the files."""
    pytest.importorskip("matplotlib", reason="plots are an extra")
    found: dict[str, Any] = {}
    for script in (plot_loss, plot_lengths):
        monkeypatch.setattr(
            script, "save", lambda f, file: found.update({file.name: f})
        )
    return found


def test_lengths_are_drawn_where_a_test_set_has_several(drawn: dict[str, Any]) -> None:
    scores = {name: rouge(int(name[-2:]), 0.4) for name in ("75", "duc/75", "duc/30")}
    runs = [record("lookup", scores, 1), record("lookup", dict(scores), 2)]
    del runs[1]["test"]["rouge"]["75"]
    assert plot_lengths.lengths_by_test_set(runs) == {"duc": ["duc/30", "duc/75"]}
    found = plot_lengths.mean_lengths(runs, ["duc/30", "duc/75", "75"])
    assert found == {30: 28.75, 75: 73.75}
    single = [record("lookup", {"75": rouge(75, 0.4, DUC)})]
    assert not plot_lengths.plot(single, Path("none.png"))
    assert plot_lengths.plot(runs, Path("lengths.png"))
    (axes,) = drawn.pop("lengths.png").axes
    assert drawn == {}
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert lines == {
        "lookup": [[30, 28.75], [75, 73.75]],
        "as desired": [[30, 30], [75, 75]],
    }


def test_figure_4b_has_a_line_a_row(drawn: dict[str, Any]) -> None:
    scores = {"75": rouge(75, 0.3, DUC)}
    records = [record("lookup", scores), record("alone_real_512", scores)]
    plot_loss.plot(records, Path("loss.png"))
    lookup, real = drawn["loss.png"].axes[0].lines
    assert lookup.get_label() == "lookup"
    assert real.get_label() == "alone_real_512"
    assert lookup.get_xydata().tolist() == [[50, 2.5 - 0.083], [100, 2.25]]
