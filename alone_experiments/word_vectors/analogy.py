"""The ``analogy`` command: a is to b as c is to which word?

3CosAdd takes the word whose direction is closest to ``b - a + c`` (Mikolov et al.,
2013); 3CosMul the one with the greatest ``cos(d, b) cos(d, c) / (cos(d, a) + 0.001)``,
cosines shifted to [0, 1] (Levy and Goldberg, 2014, section 6). All vectors have length
1, the words of the question are no answers, and questions with a missing word are left
out. Words are looked up as the ``similarity`` command does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from alone_experiments.arguments import names
from alone_experiments.files import refuse_to_replace, write_json
from alone_experiments.mistakes import Mistake
from alone_experiments.word_vectors.sources import (
    add_source_arguments,
    add_spell_argument,
    read_source,
    refuse_checkpoint_arguments,
)
from alone_experiments.word_vectors.word_lists import read_text_lines, words_of
from alone_experiments.word_vectors.word_vectors import Floats, WordVectors

COSINES_AT_A_TIME = 2**22
"""Cosines of some questions to all words that are in memory at a time: 16 MiB, and
there are eight such arrays."""
_EPSILON = 0.001

SEMANTIC = (
    *("capital-common-countries", "capital-world", "currency", "city-in-state"),
    "family",
)
"""Sections of Google's questions about what words mean: 8,869 of 19,544."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Question:
    """``a`` is to ``b`` as ``c`` is to ``d``; ``section`` names its kind."""

    section: str
    words: tuple[str, str, str, str]


@dataclass(frozen=True)
class AnalogyScore:
    """Answers to the questions of a section, or to all.

    Attributes:
        section: Its name.
        covered: Questions whose four words have vectors.
        questions: All its questions.
        add: Those answered rightly by 3CosAdd.
        mul: Those answered rightly by 3CosMul.
    """

    section: str
    covered: int
    questions: int
    add: int
    mul: int


def read_questions(path: Path, answers: Path | None = None) -> list[Question]:
    """Read analogy questions.

    Args:
        path: Lines of four words, with sections after lines ``: name`` (Google), or,
            where ``answers`` is given, of three.
        answers: MSR's file of answers: lines ``section word``, one a question.

    Returns:
        The questions, in the order of the file.

    Raises:
        Mistake: If a line has another number of words, or there are no questions.
    """
    section, found = path.stem, []
    for number, line in enumerate(read_text_lines(path), 1):
        fields = words_of(line)
        if fields[:1] == [":"]:
            section = " ".join(fields[1:])
        elif fields:
            wanted = 4 if answers is None else 3
            if len(fields) != wanted:
                raise Mistake(
                    f"{path}, line {number}: must have {wanted} words, it has"
                    f" {len(fields)}"
                )
            found.append((section, fields))
    if not found:
        raise Mistake(f"{path}: holds no questions")
    if answers is not None:
        found = _with_answers([fields for _, fields in found], answers)
    return [Question(name, (w[0], w[1], w[2], w[3])) for name, w in found]


def _with_answers(asked: list[list[str]], path: Path) -> list[tuple[str, list[str]]]:
    answers = [*filter(None, map(words_of, read_text_lines(path)))]
    if len(answers) != len(asked) or any(len(fields) != 2 for fields in answers):
        raise Mistake(
            f"{path}: must have one line 'section word' for each of the {len(asked):,}"
            " questions"
        )
    return [
        (section, [*words, answer])
        for words, (section, answer) in zip(asked, answers, strict=True)
    ]


def choose(questions: list[Question], sections: list[str]) -> list[Question]:
    """Take the questions of some sections.

    Args:
        questions: All questions.
        sections: Names of sections, or ``semantic`` or ``syntactic`` for those of
            Google's file.

    Raises:
        Mistake: If there is no such section.
    """
    there = list(dict.fromkeys(question.section for question in questions))
    wanted = set(sections) - {"semantic", "syntactic"}
    if "semantic" in sections:
        wanted |= {*SEMANTIC}
    if "syntactic" in sections:
        wanted |= {name for name in there if name not in SEMANTIC}
    if missing := sorted(wanted - {*there}):
        raise Mistake(
            f"--sections: the questions have no section {', '.join(missing)} (they have"
            f" {', '.join(there)})"
        )
    return [question for question in questions if question.section in wanted]


def answer(directions: Floats, asked: Indices) -> tuple[Indices, Indices]:
    """Answer questions by both rules.

    Args:
        directions: Vectors of length 1, ``(N, D)``.
        asked: Rows of a, b and c, ``(Q, 3)``.

    Returns:
        Rows of the answers of 3CosAdd and of 3CosMul, ``(Q,)`` each.
    """
    a, b, c = (directions[asked[:, column]] @ directions.T for column in range(3))
    added = b - a + c
    a, b, c = ((cosine + 1) / 2 for cosine in (a, b, c))
    multiplied = b * c / (a + _EPSILON)
    for values in (added, multiplied):
        np.put_along_axis(values, asked, -np.inf, axis=1)
    return added.argmax(axis=1), multiplied.argmax(axis=1)


def score(vectors: WordVectors, questions: list[Question]) -> list[AnalogyScore]:
    """Score vectors on questions.

    Args:
        vectors: Words and vectors.
        questions: The questions.

    Returns:
        A score for each section, in their order, and at last one named ``all``.
    """
    rows = [[vectors.find(word) for word in question.words] for question in questions]
    known = [number for number, found in enumerate(rows) if None not in found]
    directions = vectors.directions()
    right = np.zeros((len(questions), 2), dtype=np.int64)
    at_a_time = max(1, COSINES_AT_A_TIME // max(1, len(directions)))
    for start in range(0, len(known), at_a_time):
        part = known[start : start + at_a_time]
        asked = np.array([rows[number] for number in part], dtype=np.int64)
        answers = np.stack(answer(directions, asked[:, :3]), axis=1)
        right[part] = answers == asked[:, 3:]
    covered = np.zeros(len(questions), dtype=np.int64)
    covered[known] = 1
    sections = dict.fromkeys(question.section for question in questions)
    members = {
        name: [i for i, question in enumerate(questions) if question.section == name]
        for name in sections
    }
    everything: Iterable[int] = range(len(questions))
    return [
        AnalogyScore(
            name, int(covered[own].sum()), len(own), *map(int, right[own].sum(axis=0))
        )
        for name, own in [*members.items(), ("all", list(everything))]
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_source_arguments(parser)
    add_spell_argument(parser)
    parser.add_argument(
        "--questions",
        type=Path,
        required=True,
        metavar="FILE",
        help="lines of four words, with sections after lines ': name' (Google's"
        " questions-words.txt), or MSR's questions with --answers",
    )
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="MSR's word_relationship.answers, where the questions are without",
    )
    parser.add_argument(
        "--sections",
        metavar="A,B",
        type=names,
        help="only these sections; 'semantic' are the five of Google's 8,869 semantic"
        " questions, 'syntactic' its other nine [all]",
    )
    parser.add_argument("--json", type=Path, help="write the scores to this file")


def run(args: argparse.Namespace) -> None:
    """Print accuracy and coverage of each section and of all questions."""
    refuse_to_replace((args.vectors, args.questions, args.answers), [args.json])
    questions = read_questions(args.questions, args.answers)
    if args.sections:
        questions = choose(questions, args.sections)
    words = [word for question in questions for word in question.words]
    refuse_checkpoint_arguments(args, [args.vectors])
    vectors = read_source(args, words)
    scores = score(vectors, questions)
    print(f"{'section':<32}{'3CosAdd':>9}{'3CosMul':>9}{'covered':>9}{'of':>9}")
    for found in scores:
        shares = [
            f"{right / found.covered:>9.3f}" if found.covered else f"{'-':>9}"
            for right in (found.add, found.mul)
        ]
        print(
            f"{found.section:<32}{''.join(shares)}{found.covered:>9,}"
            f"{found.questions:>9,}"
        )
    print(
        f"{len(vectors.words):,} words are candidates; questions with a word that is"
        " none of them are left out"
    )
    if args.json:
        candidates = {"candidates": len(vectors.words)}
        write_json(args.json, [asdict(each) | candidates for each in scores])
