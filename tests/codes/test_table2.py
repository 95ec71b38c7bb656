"""Table 2 of the paper: its sizes, its commands."""

from pathlib import Path

import pytest

from alone_experiments.codes.fit import Run
from alone_experiments.codes.job import name_files
from alone_experiments.codes.shapes import Shape
from tests.scripts.stand_in_fairseq import Project


def option(step: list[str], name: str) -> str:
    return step[step.index(name) + 1]


def test_all_sizes_those_of_equally_many_codewords_together(project: Project) -> None:
    prepare, *learn = project.words("reproduce.sh", "codes", "--dry-run")
    assert prepare == ["bash", "data-prep/glove.sh"]
    groups = [option(step, "--codes").split(",") for step in learn]
    assert len({shape for group in groups for shape in group}) == 16
    counts = []
    for group in groups:
        sizes = [[*map(int, shape.split("x"))] for shape in group]
        [codewords] = {m * k for m, k in sizes}
        counts.append(codewords)
    assert counts == [64, 128, 256, 512, 1024, 2048, 4096]
    assert len({option(step, "--output") for step in learn}) == 7
    assert "--iterations" not in learn[0]  # the published number


def test_choices_are_handed_on(project: Project) -> None:
    project.write("v.vec.gz", "")
    words = ("--vectors", f"{project.folder}/v.vec.gz", "--codes", "8x8,16x4")
    more = ("--seed", "1,2", "--iterations", "9", "--lr", "0.01", "--words", "50")
    found = project.words("reproduce.sh", "codes", *words, *more, "--dry-run")
    folder, link, learn = found
    assert folder[:2] == ["mkdir", "-p"]
    given = f"{project.folder}/output/data/codes/v.vec.gz"
    assert link[-1] == learn[3] == given
    assert [option(learn, f"--{name}") for name in ("codes", "seed", "lr")] == [
        *("8x8,16x4", "1,2", "0.01")
    ]
    assert [option(learn, f"--{name}") for name in ("iterations", "words")] == [
        *("9", "50")
    ]
    assert option(learn, "--records") == f"{project.folder}/output/results/codes"


def test_one_run_has_the_file_that_it_has_among_several(project: Project) -> None:
    files = [
        option(
            project.words("reproduce.sh", "codes", "--dry-run", *words)[-1], "--output"
        )
        for words in (
            ("--codes", "8x8", "--seed", "1"),
            ("--codes", "8x8", "--seed", "2"),
            ("--codes", "16x4", "--seed", "1"),
            ("--codes", "8x8,16x4", "--seed", "1"),
        )
    ]
    together = Path(files.pop())
    runs = [Run(Shape(8, 8), 1), Run(Shape(8, 8), 2), Run(Shape(16, 4), 1)]
    named = name_files(together, runs)
    assert files == [str(named[run]) for run in runs]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--codes", "8"], "must be MxK such as 32x16"),
        (["--vectors", "none.vec"], "--vectors: no file none.vec"),
    ],
)
def test_bad_arguments(project: Project, arguments: list[str], message: str) -> None:
    assert message in project.error("reproduce.sh", "codes", *arguments)
