"""The pages say what records and code have, and lead where they say."""

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from alone_experiments import cli
from alone_experiments.mistakes import Mistake
from alone_experiments.results import documents, result_tables

MARKED = """# Page

<!-- made: table results/multi30k rows=lookup columns=row,BLEU -->
<!-- end -->

A <!-- made: value results/multi30k/lookup--seed1.json test.bleu .1f -->?<!-- end -->.
"""


@pytest.fixture
def tree(tmp_path: Path, repo_root: Path) -> Path:
    """A folder with the records of an experiment."""
    shutil.copytree(repo_root / "results/multi30k", tmp_path / "results/multi30k")
    return tmp_path


@pytest.fixture
def score(tree: Path) -> Callable[[float], None]:
    """Give the look-up row another BLEU."""

    def change(bleu: float) -> None:
        file = tree / "results/multi30k/lookup--seed1.json"
        record = json.loads(file.read_text())
        record["test"]["bleu"] = bleu
        file.write_text(json.dumps(record))

    return change


def pages(root: Path) -> list[Path]:
    return documents.pages(root)


def test_every_page_is_what_the_records_make_of_it(
    plugin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    del plugin
    cli.main(["docs", "--check"])
    assert capsys.readouterr().out == ""


def test_every_result_has_its_whole_table_on_a_page(repo_root: Path) -> None:
    text = "".join(page.read_text() for page in pages(repo_root))
    for folder in (repo_root / "results").glob("*/"):
        if folder.name not in ("benchmarks", "trust"):
            assert f"<!-- made: table results/{folder.name} -->" in text


def test_a_block_and_a_number_are_written_between_their_markers(
    tree: Path, score: Callable[[float], None]
) -> None:
    score(12.34)
    made = documents.make(MARKED, "page.md", tree)
    assert "| lookup | 12.34 |" in made
    assert ".1f -->12.3<!-- end -->." in made
    assert documents.make(made, "page.md", tree) == made


def test_a_number_of_several_seeds_is_their_mean(
    tree: Path, score: Callable[[float], None]
) -> None:
    score(12.0)
    first = tree / "results/multi30k/lookup--seed1.json"
    text = first.read_text()
    first.with_name("lookup--seed2.json").write_text(text.replace("12.0", "15.0"))
    words = "value results/multi30k/lookup--seed{}.json test.bleu .1f"
    for seed, mean in (("*", "13.5"), ("2", "15.0")):
        page = f"<!-- made: {words.format(seed)} -->?<!-- end -->"
        assert f"-->{mean}<!--" in documents.make(page, "page.md", tree)
    page = f"<!-- made: {words.format(9)} -->?<!-- end -->"
    with pytest.raises(Mistake, match=r"page.md:1: .*no such record"):
        documents.make(page, "page.md", tree)


def test_a_changed_record_makes_a_page_stale(
    tree: Path,
    score: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(documents, "ROOT", tree)
    page = tree / "page.md"
    page.write_text(MARKED)
    cli.main(["docs", str(page)])
    cli.main(["docs", "--check", str(page)])
    capsys.readouterr()
    score(11.25)
    before = page.read_text()
    with pytest.raises(Mistake, match="run 'alone-fairseq docs'"):
        cli.main(["docs", "--check", str(page)])
    assert page.read_text() == before
    said = capsys.readouterr().out
    assert "page.md:7: is stale" in said
    assert "11.25" in said
    cli.main(["docs", str(page)])
    assert "11.25" in page.read_text()


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        (
            "<!-- made: tabel results/multi30k --><!-- end -->",
            "'tabel' makes nothing",
        ),
        ("<!-- made: table results/multi30k -->", "needs an <!-- end -->"),
        ("<!-- end -->", "needs an <!-- end -->"),
        ("<!-- made: table results/none -->\n<!-- end -->", "none: no such folder"),
        ("<!-- made: table results/multi30k rows=x -->\n<!-- end -->", "no row x"),
        (
            "<!-- made: table results/multi30k columns=x -->\n<!-- end -->",
            "no column x",
        ),
        (
            "<!-- made: table results/multi30k size=x -->\n<!-- end -->",
            "choice size",
        ),
        ("<!-- made: table -->\n<!-- end -->", "missing 1 required"),
        (
            "<!-- made: value results/multi30k/lookup--seed1.json x --><!-- end -->",
            "'x'",
        ),
    ],
)
def test_a_wrong_marker_is_named_with_its_line(
    marker: str, message: str, tree: Path
) -> None:
    with pytest.raises(Mistake) as raised:
        documents.make(f"# Page\n\n{marker}\n", "page.md", tree)
    line = str(raised.value)
    assert line.startswith("page.md:3: <!-- ")
    assert message in line
    assert "\n" not in line


def test_part_of_a_table() -> None:
    text = (
        "| row | H | BLEU |\n| --- | - | ---- |\n| a | 1 | 2.0 |\n| b |  | 10.0 |\n\nx"
    )
    assert result_tables.choose(text, rows="b,a", columns="row,BLEU") == (
        "| row | BLEU |\n| --- | ---- |\n| b   | 10.0 |\n| a   |  2.0 |"
    )


def test_every_option_is_listed(plugin: None, repo_root: Path) -> None:
    del plugin
    from alone_fairseq.embeddings import CONFIGS
    from alone_fairseq.length_control import LengthControlConfig

    page = (repo_root / "docs/options.md").read_text()
    configs = [*CONFIGS.values(), LengthControlConfig]
    names = [field.name for each in configs for field in dataclasses.fields(each)]
    for name in [*names, "embedding_method", "desired_length", "desired_lengths"]:
        if not name.startswith("_"):
            assert f"| `--{name.replace('_', '-')}`" in page


def test_every_method_command_and_experiment_is_listed(
    plugin: None, repo_root: Path
) -> None:
    del plugin
    from alone_experiments.training.experiment import experiments
    from alone_fairseq.embeddings import EMBEDDINGS

    readme = (repo_root / "README.md").read_text()
    for method in EMBEDDINGS:
        assert f"| `{method}` |" in readme
    for experiment in experiments():
        assert re.search(rf"^\|[^|]*`{experiment}[` ]", readme, flags=re.MULTILINE)
    commands = (repo_root / "docs/commands.md").read_text()
    for name in [*cli.TOOLS, *cli.FAIRSEQ_COMMANDS, "user-dir"]:
        assert f"| `alone-fairseq {name}` |" in commands


def test_tables_beside_the_records_are_made_from_them(repo_root: Path) -> None:
    from benchmarks.table import make_markdown

    records = list((repo_root / "results/benchmarks").glob("*/benchmark.json"))
    assert records
    for file in records:
        table = make_markdown(json.loads(file.read_text()))
        assert file.with_name("benchmark.md").read_text() == table


def test_every_file_that_is_named_exists(repo_root: Path) -> None:
    folders = "scripts|tests|configs|results|alone_fairseq|alone_experiments"
    folders += "|benchmarks|data-prep|docs"
    named = re.compile(rf"(?:`|bash )((?:{folders})/[^\s`…]+)")
    more = [repo_root / "CONTRIBUTING.md", repo_root / "results/README.md"]
    for page in [*pages(repo_root), *more]:
        files = [x for x in named.findall(page.read_text()) if not re.search("[<*]", x)]
        assert [x for x in files if not (repo_root / x).exists()] == [], page


def test_every_link_leads_somewhere(repo_root: Path) -> None:
    for page in pages(repo_root):
        for target in re.findall(r"\]\((?!https:)([^)#]*)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_linked_from_the_readme(repo_root: Path) -> None:
    readme, *others = pages(repo_root)
    for page in others:
        assert f"(docs/{page.name})" in readme.read_text()


def test_the_test_command_of_the_readme_is_what_ci_runs(repo_root: Path) -> None:
    for file in ("README.md", ".ci/run"):
        assert re.search(
            r"^(check )?bash scripts/test\.sh( |$)",
            (repo_root / file).read_text(),
            flags=re.MULTILINE,
        )
