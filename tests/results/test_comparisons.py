"""Which results are compared, and what of it reaches the table."""

import hashlib
import json
import re
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.significance import PairedTest

from alone_experiments.mistakes import Mistake
from alone_experiments.repository import CONFIGS
from alone_experiments.results import (
    compare,
    differences,
    record_result,
    result_files,
    result_tables,
    table,
)
from alone_experiments.training.experiment import Row

pytestmark = pytest.mark.usefixtures("plugin")

REFERENCES = [f"der Hund Nummer {n} schläft heute im Garten" for n in range(10)]
GOOD = [*REFERENCES[:9], "ein Hund schläft"]
BAD = [line.replace("schläft heute", "läuft") for line in REFERENCES]
METHODS = ("lookup", "low_rank", "alone")


class Folder:
    """A folder of results on the test set ``REFERENCES``."""

    def __init__(self, path: Path) -> None:
        self.path = path / "results"
        self.path.mkdir()
        self.reference = path / "test.de"
        self.reference.write_text("".join(f"{line}\n" for line in REFERENCES))

    def name(self, row: str, *comparisons: str) -> None:
        """Write the file of a row, with what it is compared with."""
        lines = "".join(f"# Compared with: {other}\n" for other in comparisons)
        file = self.path.parent / "configs" / "exp" / f"{row}.flags"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{lines}--arch x\n")

    def add(self, row: str, values: int, lines: list[str] | None, seed: int = 1) -> Any:
        """Add the record of a run, with its translations if there are any."""
        test: dict[str, Any] = {"bleu": 30.0, "signature": "sig"}
        name = f"{row}--seed{seed}"
        if lines is not None:
            file = self.path / f"{name}.de.gz"
            test["translations"] = result_files.write_translations(lines, file)
        checksum = hashlib.sha256(self.reference.read_bytes()).hexdigest()
        record = {
            "experiment": "exp",
            "row": row,
            "seed": seed,
            "method": next(m for m in METHODS if row.startswith(m)),
            "test": test,
            "footprint": {"trained_values": values, "stored_bytes": 4 * values},
            "lookup_values": 1000,
            "data": {"raw/test.de": checksum},
            "commit": "0123456789abcdef",
            "dirty": False,
            "updates": 10,
            "hardware": {"cpu": "Abacus", "cores": 2, "gpu": None},
        }
        (self.path / f"{name}.json").write_text(json.dumps(record))
        return record

    def compare(self) -> list[dict[str, Any]]:
        """Compare the runs and keep the result, as the command does."""
        found: list[dict[str, Any]]
        found = compare.compare_all(self.path, self.reference)
        file = self.path / result_files.COMPARISONS
        file.write_text(json.dumps({"comparisons": found}))
        return found

    def table(self) -> str:
        """Make the table."""
        records = result_files.read_records(self.path)
        comparisons = result_files.read_comparisons(self.path)
        return str(table.make_table(records, comparisons))


@pytest.fixture(autouse=True)
def _few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PairedTest._DEFAULT_SAMPLES, "ar", 200)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr("alone_experiments.repository.CONFIGS", tmp_path / "configs")
    folder = Folder(tmp_path)
    folder.name("alone_real", "low_rank_half (low_rank of its size)")
    folder.add("lookup", 1000, GOOD)
    folder.add("low_rank_half", 510, BAD)
    folder.add("low_rank_eighth", 130, BAD)
    folder.add("alone_real", 500, GOOD[:5] + BAD[5:])
    return folder


def test_every_row_meets_look_up_and_what_its_file_names(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    found = folder.compare()
    met = {(entry["row"], entry["baseline"]) for entry in found}
    assert met == {
        ("low_rank_half", "lookup"),
        ("low_rank_eighth", "lookup"),
        ("alone_real", "lookup"),
        ("alone_real", "low_rank_half"),
    }
    assert "alone_real against low_rank_half, seed 1: BLEU +" in capsys.readouterr().err
    assert folder.compare() == found
    assert capsys.readouterr().err == ""  # known already


def test_variations_meet_the_plain_row(folder: Folder) -> None:
    twin = "low_rank_half (low_rank of its size)"
    for end in ("from_vectors", "frozen"):
        folder.name(f"alone_real_{end}", twin, "alone_real (row without ending)")
    folder.name("lookup_from_vectors", "lookup (row without ending)")
    folder.add("alone_real_from_vectors", 500, GOOD)
    folder.add("lookup_from_vectors", 1000, GOOD)
    folder.add("alone_real_frozen", 500, BAD)
    met = [(entry["row"], entry["baseline"]) for entry in folder.compare()]
    assert ("alone_real_frozen", "alone_real") in met
    assert [row for row, other in met if row == "alone_real_from_vectors"] == [
        "alone_real_from_vectors"
    ] * 3
    assert ("alone_real_from_vectors", "alone_real") in met
    assert met.count(("lookup_from_vectors", "lookup")) == 1
    text = folder.table()
    listed = [line.split() for line in text.splitlines() if "without ending" in line]
    assert [line[1:4:2] for line in listed] == [
        ["alone_real_from_vectors", "alone_real"],
        ["alone_real_frozen", "alone_real"],
    ]
    part = result_tables.choose(text, columns="row,against row without ending")
    (row,) = (x for x in part.splitlines() if "| alone_real_from_vectors" in x)
    (plain,) = (x for x in part.splitlines() if x.startswith("| alone_real "))
    assert row.split("|")[2].strip().startswith("+")
    assert plain.split("|")[2].strip() == ""


def test_table_has_differences_and_needs_neither_translations_nor_corpus(
    folder: Folder,
) -> None:
    found = {(entry["row"], entry["baseline"]): entry for entry in folder.compare()}
    for file in (folder.reference, *folder.path.glob("*.gz")):
        file.unlink()
    text = folder.table()
    entry = found["alone_real", "low_rank_half"]
    shown = f"{entry['difference']:+.2f} (p = {entry['p_value']:.3f})"
    assert entry["difference"] > 5
    assert shown in text
    assert re.search(
        r"^p: paired approximate randomisation.*nrefs:1\|ar:200", text, re.M
    )


def test_each_seed_has_its_p_value() -> None:
    entries = [
        {"row": "a", "baseline": "lookup", "seed": seed, "difference": d, "p_value": p}
        for seed, d, p in ((2, 1.0, 0.0001), (1, 0.5, 0.0404))
    ]
    group = [{"experiment": "exp", "row": "a"}]
    shown = differences.against(group, "lookup", entries)
    assert shown == "+0.75 (p = 0.040, p < 0.001)"
    agreed = [{**entry, "p_value": 0.0001} for entry in entries]
    assert differences.against(group, "lookup", agreed) == "+0.75 (p < 0.001)"


def test_seeds_that_the_other_row_lacks_are_told() -> None:
    entry = {"row": "a", "baseline": "b", "seed": 2, "difference": 3, "p_value": 0.01}
    group = [{"experiment": "exp", "row": "a", "seed": seed} for seed in (1, 2, 3)]
    shown = differences.against(group, "b", [entry])
    assert shown == "+3.00 (1 of 3 seeds: p = 0.010)"


def test_seeds_that_differ_in_sign_have_their_own_differences() -> None:
    """Else one p-value for all would call the mean a difference."""
    entries = [
        {"row": "a", "baseline": "lookup", "seed": seed, "difference": d, "p_value": p}
        for seed, d, p in ((1, -2.5, 0.0001), (2, 2.0, 0.0001), (3, 0.0, 1.0))
    ]
    group = [{"experiment": "exp", "row": "a"}]
    shown = differences.against(group, "lookup", entries)
    assert shown == "-0.17 (-2.50: p < 0.001, +2.00: p < 0.001, +0.00: p = 1.000)"
    scaled = differences.against(group, "lookup", entries[:2], scale=100)
    assert scaled == "-25.00 (-250.00: p < 0.001, +200.00: p < 0.001)"


def test_comparison_of_translations_made_again_since_is_not_shown(
    folder: Folder,
) -> None:
    folder.compare()
    folder.add("lookup", 1000, BAD)
    text = folder.table()
    assert "against lookup" not in text
    assert "| low_rank of its size |" in text


def test_records_without_translations_are_left_out(folder: Folder) -> None:
    folder.add("low_rank_half", 510, None)
    folder.add("alone_real", 500, None, seed=2)
    rows = {(entry["row"], entry["baseline"]) for entry in folder.compare()}
    assert rows == {("low_rank_eighth", "lookup"), ("alone_real", "lookup")}


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*/*.flags")), ids=str)
def test_low_rank_of_its_size_differs_by_no_more_than_a_tenth(file: Path) -> None:
    def values(row: Path) -> int:
        return int(
            re.findall(r"([\d,]+) (?:values|%)", row.read_text())[0].replace(",", "")
        )

    for other in Row(file).comparisons():
        if other.label == "low_rank of its size":
            twin = values(file.with_stem(other.row))
            assert abs(values(file) - twin) <= 0.1 * values(file)


def test_other_reference_is_refused(folder: Folder) -> None:
    folder.reference.write_text("anders\n")
    with pytest.raises(ValueError, match=r"test\.de is not the reference that"):
        compare.compare_all(folder.path, folder.reference)


def test_a_corrected_reference_is_compared_anew(folder: Folder) -> None:
    before = folder.compare()
    folder.reference.write_text("".join(f"{line}\n" for line in BAD))
    checksum = hashlib.sha256(folder.reference.read_bytes()).hexdigest()
    for file in folder.path.glob("*--seed1.json"):
        record = json.loads(file.read_text()) | {"data": {"raw/test.de": checksum}}
        file.write_text(json.dumps(record))
    after = folder.compare()
    assert [entry["row"] for entry in after] == [entry["row"] for entry in before]
    assert before[0]["difference"] < 0 < after[0]["difference"]


def test_run_on_another_test_set_is_left_out(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder.path / "low_rank_half--seed1.json"
    record = json.loads(file.read_text()) | {"data": {"raw/test.de": "other"}}
    file.write_text(json.dumps(record))
    assert {entry["baseline"] for entry in folder.compare()} == {"lookup"}
    said = capsys.readouterr().err
    assert "not compared, other test set: low_rank_half" in said


def test_comparisons_on_another_test_set_are_kept(
    folder: Folder, tmp_path: Path
) -> None:
    folder.compare()
    other = tmp_path / "other.de"
    other.write_text("".join(f"{line}\n" for line in BAD))
    checksum = hashlib.sha256(other.read_bytes()).hexdigest()
    for row in ("lookup", "alone_real"):
        folder.add(row, 500, GOOD, seed=2)
        file = folder.path / f"{row}--seed2.json"
        record = json.loads(file.read_text()) | {"data": {"raw/test.de": checksum}}
        file.write_text(json.dumps(record))
    folder.compare()
    before = result_files.read_comparisons(folder.path)
    compare.compare_rows(folder.path, other)
    after = result_files.read_comparisons(folder.path)
    assert {entry["seed"] for entry in after} == {1, 2}
    assert [entry for entry in after if entry["seed"] == 1] == before


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "is missing"), (b"no gzip", "is damaged"), (b"", "not what was")],
)
def test_damaged_translations_are_named(
    folder: Folder, content: bytes | None, message: str
) -> None:
    file = folder.path / "lookup--seed1.de.gz"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        folder.compare()
    assert str(file) in str(raised.value)


def test_translations_keep_every_line(tmp_path: Path) -> None:
    lines = ["eins\u2028zwei", "", "drei", ""]
    file = tmp_path / "a.de.gz"
    kept = result_files.write_translations(lines, file)
    first = file.read_bytes()
    result_files.write_translations(lines, file)
    assert file.read_bytes() == first
    record = {"test": {"translations": kept}}
    assert result_files.read_translations(record, tmp_path) == lines


def test_unequal_test_sets_are_refused(folder: Folder) -> None:
    folder.add("alone_real", 500, GOOD[:-1])
    with pytest.raises(Mistake, match="compare results of one test set"):
        folder.compare()


def test_convs2s_is_measured_with_all_three_of_its_matrices(repo_root: Path) -> None:
    import torch
    from fairseq.data import Dictionary
    from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_REGISTRY

    vocabulary, dim = 9800, 256  # Multi30k's
    words = Dictionary()
    for number in range(vocabulary - len(words)):
        words.add_symbol(f"w{number}")
    task = Namespace(source_dictionary=words, target_dictionary=words)
    args = Namespace(
        arch="fconv_iwslt_de_en",
        max_source_positions=100,
        max_target_positions=100,
        dropout=0.1,
    )
    ARCH_CONFIG_REGISTRY[args.arch](args)
    with torch.device("meta"):
        model = ARCH_MODEL_REGISTRY[args.arch].build_model(args, task)
    found = record_result.describe_embeddings(model, args)
    # Two tables, and an output layer with a bias and a length for each word.
    values = 3 * vocabulary * dim + 2 * vocabulary
    assert found["method"] == "fconv_iwslt_de_en"
    assert found["footprint"]["trained_values"] == values
    assert found["footprint"]["stored_bytes"] == 4 * values
    assert found["lookup_values"] == values
    assert found["total_values"] == sum(p.numel() for p in model.parameters())
    header = (repo_root / "configs/multi30k/convs2s.flags").read_text()
    assert f"{values:,} values" in header
