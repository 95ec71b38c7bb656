"""The ``rouge`` command: scores and lengths of headlines."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from alone_experiments.arguments import whole_number
from alone_experiments.evaluation import other_rouge, rouge_report
from alone_experiments.evaluation.bootstrap import ORDERS, Resampling
from alone_experiments.evaluation.lengths import LengthStatistics, length_statistics
from alone_experiments.evaluation.rouge import (
    RougeResult,
    RougeSettings,
    score_corpus,
)
from alone_experiments.evaluation.rouge_tokens import Tokeniser
from alone_experiments.evaluation.word_exceptions import (
    built_in_exceptions,
    load_exceptions,
)
from alone_experiments.files import (
    refuse_to_replace,
    refuse_twice,
    write_json,
    write_text,
)
from alone_experiments.lines import read_lines
from alone_experiments.mistakes import Mistake


class Preset(NamedTuple):
    """What the flags are unless they are given.

    Attributes:
        max_bytes: ``--bytes``; 0 for all.
        stem: ``--stem``.
        score: The score that papers report.
        desired_length: ``--desired-length``, if the task has a limit.
    """

    max_bytes: int
    stem: bool
    score: str
    desired_length: int | None


PRESETS = {
    # ROUGE-1.5.5 -m -b 75 -n 2 -w 1.2
    "duc2004": Preset(75, True, "recall", 75),
    # ROUGE-1.5.5 -m -n 2 -w 1.2
    "gigaword": Preset(0, True, "f1", None),
}
_NO_PRESET = Preset(0, False, "recall", None)
NO_EXCEPTIONS = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the ``rouge`` subcommand."""
    parser.description = (
        "ROUGE-N and ROUGE-L of one-line outputs, as ROUGE-1.5.5 computes them: hits"
        " and counts summed over the references, scores averaged over the lines."
    )
    add = parser.add_argument
    add("--system", required=True, metavar="FILE", help="output, one document a line")
    add(
        "--references",
        required=True,
        nargs="+",
        metavar="FILE",
        help="reference files with a line for each of these lines; a blank one is an"
        " empty reference, which lowers precision",
    )
    add(
        "--preset",
        choices=sorted(PRESETS),
        help="duc2004: --bytes 75 --stem --desired-length 75, recall;"
        " gigaword: --stem, F1; other flags change them [no limit, no stemming]",
    )
    _add_counting(parser)
    _add_averaging(parser)
    add(
        "--desired-length",
        type=whole_number(1),
        metavar="N",
        help="compare lengths with N characters and N bytes",
    )
    add(
        "--also",
        choices=[other_rouge.NAME],
        help="print the numbers of that package beside ours, of whole lines, with its"
        " version: what newer papers report",
    )
    add("--json", metavar="FILE", help="write scores, lengths and signature there")
    add("--per-line", metavar="FILE", help="write the scores of each line there (TSV)")


def _add_counting(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--bytes",
        type=whole_number(),
        metavar="N",
        help="count only the first N bytes of outputs and references (-b); 0: all",
    )
    add(
        "--stem",
        action=argparse.BooleanOptionalAction,
        help="compare the stems of words, by ROUGE-1.5.5's Porter stemmer (-m)",
    )
    add(
        "--exceptions",
        metavar="PATH",
        help="other irregular forms than those of ROUGE-1.5.5, which are built in: a"
        " WordNet-2.0.exc.db of yours, or a folder of WordNet's *.exc files; or 'none',"
        " as where ROUGE was installed with an empty list, which took 0.004 from the"
        " ROUGE-1 of Reuters headlines and 0.0001 from that of paper titles",
    )
    add(
        "--max-ngram",
        type=whole_number(1),
        default=2,
        metavar="N",
        help="ROUGE-1 to ROUGE-N (-n) [%(default)s]",
    )


def _add_averaging(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--confidence",
        type=float,
        default=95.0,
        metavar="PERCENT",
        help="of the bootstrap intervals (-c) [95]",
    )
    add(
        "--resamples",
        type=whole_number(100),
        default=1000,
        metavar="N",
        help="number of resamples (-r), with the seeds 0, 1, 2, … [%(default)s]",
    )
    add(
        "--numbering",
        choices=ORDERS,
        default=ORDERS[0],
        help="the names that ROUGE-1.5.5 would know the lines by: resamples depend on"
        " their alphabetical order, in the fourth decimal [%(default)s]",
    )


def run(args: argparse.Namespace) -> None:
    """Score as the ``rouge`` subcommand does, and print scores and signature.

    Args:
        args: Options as added by :func:`add_arguments`.

    Raises:
        Mistake: If a file is missing, damaged or of another number of lines.
    """
    refuse_to_replace((args.system, *args.references), (args.per_line, args.json))
    preset = PRESETS.get(args.preset, _NO_PRESET)
    settings = _settings(args, preset)
    system = read_lines(args.system)
    refuse_twice(map(Path, args.references))
    references = [
        _read_reference(path, args.system, system) for path in args.references
    ]
    result = score_corpus(system, references, settings)
    lengths = _lengths(system, args.desired_length, preset)
    signature = make_signature(settings, len(references), args.preset)
    other = (
        other_rouge.score(
            system, references, settings.tokeniser.stemming, args.max_ngram
        )
        if args.also
        else None
    )
    if args.per_line:
        write_text(args.per_line, rouge_report.per_line(result))
    if args.json:
        record = _record(result, lengths, signature, preset.score, len(references))
        record |= {"also": asdict(other)} if other else {}
        write_json(args.json, record)
    print(rouge_report.table(result.averages, preset.score))
    if lengths:
        print(rouge_report.describe(lengths))
    print(f"{signature} ({len(system):,} lines)")
    if other:
        print(f"\n{other_rouge.table(other, rouge_report.kinds(preset.score))}")


def _settings(args: argparse.Namespace, preset: Preset) -> RougeSettings:
    stemming = preset.stem if args.stem is None else args.stem
    if args.exceptions and not stemming:
        raise Mistake("--exceptions is for stemming: add --stem, or leave it out")
    exceptions = _exceptions(args.exceptions) if stemming else {}
    limit = preset.max_bytes if args.bytes is None else args.bytes
    tokeniser = Tokeniser(limit or None, stemming, exceptions)
    resampling = Resampling(args.confidence, args.resamples, args.numbering)
    return RougeSettings(tokeniser, args.max_ngram, resampling)


def _exceptions(path: str | None) -> Mapping[str, str]:
    if path is None:
        return built_in_exceptions()
    return {} if path == NO_EXCEPTIONS else load_exceptions(path)


def _read_reference(path: str, system_path: str, system: Sequence[str]) -> list[str]:
    lines = read_lines(path)
    if len(lines) != len(system):
        raise Mistake(
            f"{path} has {len(lines)} lines, {system_path} has {len(system)}: line"
            f" {min(len(lines), len(system)) + 1} is in one of them only"
        )
    return lines


def _lengths(
    system: Sequence[str], desired: int | None, preset: Preset
) -> LengthStatistics | None:
    desired = preset.desired_length if desired is None else desired
    return None if desired is None else length_statistics(system, desired)


def make_signature(
    settings: RougeSettings, references: int, preset: str | None = None
) -> str:
    """Name everything that changes the scores, as SacreBLEU does.

    Args:
        settings: How the scores were counted.
        references: Number of references.
        preset: Its name, if there was one.

    Returns:
        Settings and version in one line without blanks.
    """
    tokeniser, resampling = settings.tokeniser, settings.resampling
    parts = {
        "preset": preset or "none",
        "nrefs": references,
        "bytes": tokeniser.max_bytes or "all",
        "stem": _stemming(tokeniser),
        "ngrams": settings.max_ngram,
        "formula": "pooled",
        "resamples": resampling.resamples,
        "confidence": f"{resampling.confidence:g}",
        "numbering": resampling.numbering,
        "like": "ROUGE-1.5.5",
        "version": f"alone_fairseq-{version('alone-fairseq')}",
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _stemming(tokeniser: Tokeniser) -> str:
    if not tokeniser.stemming:
        return "no"
    if not tokeniser.exceptions:
        return "porter"
    listed = "".join(f"{a} {b}\n" for a, b in sorted(tokeniser.exceptions.items()))
    return f"porter+exceptions-{hashlib.sha256(listed.encode()).hexdigest()[:8]}"


def _record(
    result: RougeResult,
    lengths: LengthStatistics | None,
    signature: str,
    score: str,
    references: int,
) -> dict[str, object]:
    averages = result.averages
    return {
        "signature": signature,
        "lines": len(next(iter(result.documents.values()))),
        "references": references,
        "reported": score,
        "scores": {
            metric: {kind: asdict(found) for kind, found in by_kind.items()}
            for metric, by_kind in averages.items()
        },
        "lengths": asdict(lengths) if lengths else None,
    }
