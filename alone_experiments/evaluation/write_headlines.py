"""The ``headlines`` command: raw text in, headlines in plain text out."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.arguments import whole_number
from alone_experiments.corpora.headlines.cleaning import clean, truncate
from alone_experiments.corpora.headlines.digits import are_masked, mask
from alone_experiments.evaluation.generation import in_order, parse_generation
from alone_experiments.mistakes import Mistake
from alone_experiments.repository import user_dir
from alone_experiments.text.characters import from_characters
from alone_experiments.text.masked_digits import restore_digits
from alone_experiments.text.subwords import Subwords
from alone_experiments.training.language_pair import language_pair

PASSES_ON = "fairseq-interactive"
"""What the words after ``--`` on the command line are flags of."""

DESCRIPTION = """\
Read raw text from standard input, a source sentence a line, and write a headline a
line: text is cleaned and split as the corpora of headlines here are (tokens of the Penn
Treebank in lower case, subword units; digits as # where the corpus has them so, until
the headline is written), and characters become words again. A tab and a
number after a sentence are the desired length of its headline in characters;
--desired-length is that of all other lines. A model without length control takes none.
Flags of fairseq-interactive after --, such as: -- --beam 10"""

_DEFAULTS = ("--buffer-size", "1000", "--max-tokens", "8192", "--beam", "5")


@dataclass(frozen=True)
class Order:
    """A line of the input.

    Attributes:
        text: The source.
        length: Desired length in characters, if one is wanted.
    """

    text: str
    length: int | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add("corpus", type=Path, help="prepared corpus of headlines that trained the model")
    add("--path", required=True, metavar="FILE", help="checkpoint")
    add(
        "--desired-length",
        type=whole_number(1),
        metavar="N",
        help="characters of a headline whose line names no length",
    )
    add("--as-is", action="store_true", help="the lines are tokens already: only split")


def run(args: argparse.Namespace) -> None:
    """Write the headlines of standard input.

    Raises:
        Mistake: If a line, the corpus or the model is not as it should be.
    """
    splitter = Subwords(args.corpus / "bpe" / "codes")
    languages = language_pair(args.corpus / "bin")
    controlled = has_length_control(Path(args.path))
    orders = read_orders(sys.stdin.buffer, args.desired_length, controlled)
    change = str if args.as_is else _clean
    sources = [change(order.text) for order in orders]
    masked = are_masked(args.corpus)
    prepared = [
        _split(mask(source) if masked else source, order.length, splitter)
        for source, order in zip(sources, orders, strict=True)
    ]
    wanted = [number for number, line in enumerate(prepared) if line.strip()]
    command = [
        *(sys.executable, "-P", "-m", "fairseq_cli.interactive"),
        *(str(args.corpus / "bin"), "--user-dir", user_dir(), "--path", args.path),
        *("--source-lang", languages[0], "--target-lang", languages[1]),
        *("--task", "translation_with_length" if controlled else "translation"),
        *(*_DEFAULTS, *args.extra),
    ]
    try:
        found = generate(command, [prepared[number] for number in wanted])
    except Mistake as error:
        raise Mistake(_of_all_lines(str(error), wanted)) from None
    headlines = dict(zip(wanted, map(from_characters, found), strict=True))
    if masked:
        headlines = {n: restore_digits(h, sources[n]) for n, h in headlines.items()}
    for number in range(len(prepared)):
        print(headlines.get(number, ""))


def _of_all_lines(message: str, wanted: Sequence[int]) -> str:
    """Number a line as standard input has it; blank ones are not given to fairseq."""

    def number(found: re.Match[str]) -> str:
        return f"line {wanted[int(found[1]) - 1] + 1} of the input"

    return re.sub(r"line (\d+) of the input", number, message)


def has_length_control(checkpoint: Path) -> bool:
    """Whether the model of a checkpoint is told a length."""
    from alone_fairseq import checkpoints
    from alone_fairseq.length_control.options import is_controlled

    state = checkpoints.load(checkpoint)
    return is_controlled((state.get("cfg") or {}).get("model"))


def read_orders(
    lines: Iterable[bytes], length: int | None, controlled: bool
) -> list[Order]:
    r"""Read lines ``text`` or ``text\tlength``.

    Args:
        lines: UTF-8, with their line feeds.
        length: Desired length of a line that has none.
        controlled: Whether the model is told one.

    Returns:
        One order a line.

    Raises:
        Mistake: If a line is not UTF-8, its length is no number from 1, or it has a
            length or none against what the model needs; it names the line.
    """
    if length is not None and not controlled:
        raise Mistake("--desired-length: the model has no length control; leave it out")
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            text, tab, written = line.rstrip(b"\r\n").decode("utf-8").rpartition("\t")
        except UnicodeDecodeError as error:
            raise Mistake(f"line {number} is not UTF-8 text") from error
        if not tab:
            text, order = written, length
        else:
            order = _length(written.strip(), number)
        if controlled and order is None and text.strip():
            raise Mistake(
                f"line {number} has no length: put a tab and a number after it, or give"
                " --desired-length N for all lines"
            )
        if not controlled and order is not None:
            raise Mistake(
                f"line {number} has a length, and the model has no length control:"
                " leave the tab and the number out"
            )
        found.append(Order(text, order))
    return found


def _length(text: str, number: int) -> int:
    try:
        return whole_number(1)(text)
    except argparse.ArgumentTypeError as error:
        raise Mistake(f"line {number}, after the tab: the length {error}") from error


def _clean(text: str) -> str:
    return truncate(clean(text))


def _split(source: str, length: int | None, splitter: Subwords) -> str:
    units = splitter.split(source.strip())
    if not units.strip() or length is None:
        return units
    return f"{units}\t{length}"


def generate(command: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Let fairseq-interactive write the outputs of lines.

    Args:
        command: The command, but for its input.
        lines: What it reads.

    Returns:
        What the model wrote for each.

    Raises:
        Mistake: If it fails; the line is what it said last.
    """
    if not lines:
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "input"
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        done = subprocess.run(
            [*command, "--input", str(file)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
    if done.returncode:
        said = done.stderr.rstrip("\n").rpartition("\n")[2]
        raise Mistake(said.removeprefix("alone_fairseq: error: "))
    # Only a line feed ends a line.
    return in_order(parse_generation(done.stdout.split("\n")), len(lines))
