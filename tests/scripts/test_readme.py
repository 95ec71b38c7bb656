"""What the README says is what the project has."""

import dataclasses
import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TABLES = [
    ("toy", "README.md"),
    ("multi30k", "README.md"),
    ("multi30k_cpu", "docs/translation.md"),
    ("tatoeba_en_de", "docs/translation.md"),
    ("multi30k_vectors", "docs/reconstruction.md"),
    ("reuters_headlines", "docs/headlines.md"),
]


@pytest.fixture(scope="module")
def readme(repo_root: Path) -> str:
    return (repo_root / "README.md").read_text()


@pytest.mark.parametrize(("experiment", "page"), TABLES)
def test_tables_are_made_from_the_committed_results(
    experiment: str, page: str, repo_root: Path
) -> None:
    made = subprocess.run(
        [
            sys.executable,
            "-m",
            "alone_experiments.results.make_table",
            f"results/{experiment}",
        ],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=True,
    )
    text = (repo_root / page).read_text()
    for line in made.stdout.strip().splitlines():
        assert line.rstrip() in text


def test_scores_of_models_from_vectors_are_those_of_the_records(
    readme: str, repo_root: Path
) -> None:
    section = readme.split("### Word vectors")[1].split("\n### ")[0]
    records = sorted((repo_root / "results/multi30k_vectors").glob("*--seed1.json"))
    assert len(records) == 4
    for record in records:
        run = json.loads(record.read_text())
        score = f"{run['test']['bleu']:.2f}"
        assert score in section
        config = repo_root / f"configs/multi30k_vectors/{run['row']}.flags"
        assert f"\n# Measured: BLEU {score}.\n" in config.read_text()


@pytest.mark.parametrize(
    ("experiment", "heading", "rows"),
    [("multi30k_cpu", "Multi30k", 15), ("tatoeba_en_de", "Tatoeba", 13)],
)
def test_scores_of_the_rows_for_a_cpu_are_those_of_the_records(
    experiment: str, heading: str, rows: int, readme: str, repo_root: Path
) -> None:
    page = (repo_root / "docs/translation.md").read_text()
    page = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    section = readme.split(f"### {heading}\n")[1].split("\n### ")[0]
    measured = set()
    for record in (repo_root / f"results/{experiment}").glob("*--seed1.json"):
        run = json.loads(record.read_text())
        score, minutes = run["test"]["bleu"], run["train_seconds"] / 60
        config = repo_root / f"configs/{experiment}/{run['row']}.flags"
        said = f"BLEU {score:.2f}, {minutes:.0f} minutes of a shared CPU core"
        assert f"\n# Measured: {said}.\n" in config.read_text()
        measured.add(run["row"])
        if "frozen" not in run["row"]:
            assert f"{score:.1f}" in page
        if not re.search("frozen|scale|convs2s|binary_eighth", run["row"]):
            assert f"{score:.1f}" in section
    assert len(measured) == rows


def test_headers_of_headline_rows_have_the_scores_of_the_records(
    repo_root: Path,
) -> None:
    folder = repo_root / "configs/reuters_headlines"
    measured = {path for path in folder.glob("*") if "# Measured" in path.read_text()}
    found = set()
    for record in (repo_root / "results/reuters_headlines").glob("*--seed1.json"):
        run = json.loads(record.read_text())
        rouge = run["test"]["rouge"]["50"]
        score = 100 * rouge["scores"]["ROUGE-1"][rouge["reported"]]["average"]
        loss = run["valid"]["loss"][-1][1]
        config = folder / f"{run['row']}.flags"
        said = f"validation loss {loss:.2f}, ROUGE-1 {score:.2f} at 50 characters"
        assert f"\n# Measured: {said}.\n" in config.read_text()
        found.add(config)
    assert measured == found != set()


def test_different_headlines_are_as_many_as_the_text_says(repo_root: Path) -> None:
    different = {}
    for path in (repo_root / "results/reuters_headlines").glob("*--seed1.50.tsv.gz"):
        with gzip.open(path, "rt") as file:
            lines = [line.split("\t")[3] for line in file][1:]
        assert len(lines) == 1000
        different[path.name.split("--")[0]] = len(set(lines))
    page = " ".join((repo_root / "docs/headlines.md").read_text().split())
    alone = [
        number
        for row, number in different.items()
        if row.startswith("alone") and "scale" not in row
    ]
    said = f"have {different['lookup']} different texts, "
    said += f"ALONE's {min(alone)} to {max(alone)}"
    assert said in page


def test_table_of_reconstruction_is_that_of_the_committed_results(
    repo_root: Path, tmp_path: Path
) -> None:
    results = tmp_path / "reconstruction"
    shutil.copytree(repo_root / "results/reconstruction", results)
    (results / "table.md").unlink()
    command = [
        sys.executable,
        "-m",
        "alone_experiments.results.reconstruction_table",
        str(results),
    ]
    subprocess.run(command, cwd=repo_root, capture_output=True, check=True)
    page = (repo_root / "docs/reconstruction.md").read_text()
    assert (results / "table.md").read_text().strip() in page


def test_every_option_is_listed_with_its_default(plugin: None, readme: str) -> None:
    del plugin
    from alone_fairseq.embeddings import CONFIGS

    for config in CONFIGS.values():
        for field in dataclasses.fields(config):
            if not field.name.startswith("_"):
                flag = "--" + field.name.replace("_", "-")
                row = re.search(rf"^\| `{flag}` \|.*$", readme, flags=re.MULTILINE)
                assert row, f"{flag} is not in the table of options"
                shown = row[0].split("|")[3].strip().strip("`")
                default = "off" if field.default is False else str(field.default)
                assert shown == default


def test_every_option_of_length_control_is_listed(plugin: None, readme: str) -> None:
    del plugin
    from alone_fairseq.length_control import LengthControlConfig

    names = [x.name for x in dataclasses.fields(LengthControlConfig)]
    for name in [*names, "desired_length", "desired_lengths"]:
        if not name.startswith("_"):
            assert f"\n| `--{name.replace('_', '-')}` |" in readme


def test_every_method_and_command_is_listed(plugin: None, readme: str) -> None:
    del plugin
    from alone_experiments.cli import FAIRSEQ_COMMANDS, TOOLS
    from alone_fairseq.embeddings import EMBEDDINGS

    for method in EMBEDDINGS:
        assert f"| `{method}` |" in readme
    for tool in [*TOOLS, "user-dir"]:
        assert f"`alone-fairseq {tool}" in readme
    for command in FAIRSEQ_COMMANDS:
        assert f"`{command}`" in readme or f"alone-fairseq {command}" in readme


def pages(repo_root: Path) -> list[Path]:
    return [repo_root / "README.md", *sorted((repo_root / "docs").glob("*.md"))]


def test_every_file_that_is_named_exists(repo_root: Path) -> None:
    folders = "scripts|tests|configs|results|alone_fairseq|data-prep|docs"
    for page in pages(repo_root):
        named = re.findall(rf"(?:`|bash )((?:{folders})/[^\s`]+)", page.read_text())
        assert [x for x in named if "<" not in x and not (repo_root / x).exists()] == []


def test_every_link_leads_somewhere(repo_root: Path) -> None:
    for page in pages(repo_root):
        for target in re.findall(r"\]\((?!https:)([^)#]*)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_linked_from_the_readme(readme: str, repo_root: Path) -> None:
    for page in pages(repo_root)[1:]:
        assert f"(docs/{page.name})" in readme


def test_nothing_was_left_to_fill_in(readme: str) -> None:
    assert "@@" not in readme
