"""The parts of an evaluation of headlines: n best at each length, one chosen, ROUGE."""

from __future__ import annotations

from alone_experiments.evaluation.headline_sets import HeadlineSet
from alone_experiments.evaluation.parts import Part, state_of_corpus
from alone_experiments.evaluation.translations import generation, languages
from alone_experiments.lines import count_lines
from alone_experiments.training.experiment import flag_value
from alone_experiments.training.run import Run

# $1: sources with their digits, $2: headlines, $3: headlines with digits
RESTORE = 'alone-fairseq restore-digits --source "$1" <"$2" >"$3"'


def headline_parts(run: Run, tested: HeadlineSet) -> list[Part]:
    """Make the parts that generate, choose and score the headlines of a test set.

    Args:
        run: The run.
        tested: The test set.

    Returns:
        The parts, to be done after the part ``average``; what is done for one length
        does not depend on another.
    """
    return [
        part
        for length, name in zip(tested.lengths, tested.names(), strict=True)
        for part in _parts_of_length(run, tested, length, name)
    ]


def _parts_of_length(
    run: Run, tested: HeadlineSet, length: int, name: str
) -> list[Part]:
    step = name.replace("/", "-")
    folder, place = f"{run.save_dir}/test/{name}", run.folder / "test" / name
    source = tested.corpus / "raw/test.article"
    lines = count_lines(source) if source.is_file() else 0
    shown_length = f"desired length {length}" + (
        f" ({tested.name})" if tested.name else ""
    )
    generate = Part(
        name=f"generate-{step}",
        command=_generation(run, tested, length, folder),
        files=[place / "generate-test.txt"],
        after=["average"],
        sources=state_of_corpus(tested.corpus),
        message=f"generating {lines} headlines, {shown_length}",
        folder=place,
    )
    masked = tested.has_masked_sources()
    chosen = "chosen.txt" if masked else "headlines.txt"
    rerank = Part(
        name=f"rerank-{step}",
        command=[
            *("alone-fairseq", "rerank", "--generated", f"{folder}/generate-test.txt"),
            *("--source", f"{tested.data}/raw/test.article"),
            *(["--stem"] if tested.stem else []),
            *("--output", f"{folder}/{chosen}"),
        ],
        files=[place / chosen],
        after=[generate.name],
    )
    restore = Part(
        name=f"restore-{step}",
        command=[
            *("bash", "-c", RESTORE, "restore", f"{tested.data}/raw/test.unmasked"),
            *(f"{folder}/{chosen}", f"{folder}/headlines.txt"),
        ],
        files=[place / "headlines.txt"],
        after=[rerank.name],
    )
    score = Part(
        name=f"score-{step}",
        command=[
            *("alone-fairseq", "rouge", "--system", f"{folder}/headlines.txt"),
            *("--references", *tested.references(languages(run)[1])),
            *("--preset", tested.preset, "--desired-length", str(length)),
            *("--json", f"{folder}/rouge.json", "--per-line", f"{folder}/lines.tsv"),
        ],
        files=[place / "rouge.json", place / "lines.tsv"],
        after=[restore.name if masked else rerank.name],
        report="ROUGE-1",
    )
    return [generate, rerank, *([restore] if masked else []), score]


def _generation(run: Run, tested: HeadlineSet, length: int, folder: str) -> list[str]:
    task = flag_value("--task", run.row.recipe() + run.row.flags()) or ""
    # A model without length control is not told the length.
    controlled = task == "translation_with_length"
    wanted = ["--desired-length", str(length)] if controlled else []
    return generation(run, tested.data, folder, ["--task", task], wanted)
