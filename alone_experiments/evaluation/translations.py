"""The parts of an evaluation of translations: generation, and BLEU."""

from __future__ import annotations

from collections.abc import Sequence

from alone_experiments.corpora.unit_files import is_of_sentencepiece
from alone_experiments.evaluation.parts import Part, state_of_corpus
from alone_experiments.lines import count_lines
from alone_experiments.training.experiment import read_flags
from alone_experiments.training.run import Run


def generation(
    run: Run,
    corpus: str,
    results: str,
    task: Sequence[str] = (),
    wanted: Sequence[str] = (),
) -> list[str]:
    """Make the command that generates the output of a test set.

    Args:
        run: The run, whose checkpoints are averaged already.
        corpus: Folder of the corpus with the test set.
        results: Folder for the output, which the command is told as provisional.
        task: Flags of the task, if it is not translation.
        wanted: Flags of this output alone.

    Returns:
        fairseq-generate and its flags.
    """
    source, target = run.languages()
    # What is scored joins the units of subword-nmt itself, not these.
    pieces = ["--post-process", "sentencepiece"]
    if not is_of_sentencepiece(run.corpus / "bpe" / "codes"):
        pieces = []
    return [
        *("fairseq-generate", f"{corpus}/bin", "--user-dir", "alone_fairseq", *task),
        *("--source-lang", source, "--target-lang", target, "--gen-subset", "test"),
        *("--path", f"{run.save_dir}/averaged.pt", *wanted),
        *read_flags(run.row.folder / "generate.flags"),
        *pieces,
        *("--no-progress-bar", "--results-path", f"{results}.partial"),
    ]


def translation_parts(run: Run) -> list[Part]:
    """Make the parts that translate the test set and score the translations.

    Args:
        run: The run.

    Returns:
        The parts, to be done after the part ``average``.
    """
    _, target = run.languages()
    test, folder = f"{run.save_dir}/test", run.folder / "test"
    reference = run.corpus / "raw" / f"test.{target}"
    scoring = run.row.folder / "score.flags"
    lines = count_lines(reference) if reference.is_file() else 0
    translate = Part(
        name="generate",
        command=generation(run, run.data, test),
        files=[folder / "generate-test.txt"],
        after=["average"],
        sources=state_of_corpus(run.corpus),
        message=f"translating {lines} sentences",
        folder=folder,
    )
    score = Part(
        name="score",
        command=[
            *("alone-fairseq", "bleu", "--generated", f"{test}/generate-test.txt"),
            *("--reference", f"{run.data}/raw/test.{target}", "--language", target),
            *("--output", f"{test}/hypotheses.{target}", "--json", f"{test}/bleu.json"),
            *("--compound-split", *(read_flags(scoring) if scoring.is_file() else [])),
        ],
        files=[folder / f"hypotheses.{target}", folder / "bleu.json"],
        after=["generate"],
        report="BLEU|Tokenised|test set",
    )
    return [translate, score]
