"""The tables of learned codes: losses by M and K, and each size's codes in detail."""

from __future__ import annotations

from functools import partial

from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import mib
from alone_experiments.results.cells import describe_changes, made_on
from alone_experiments.results.columns import Column, write_table
from alone_experiments.results.reconstruction_table import spread
from alone_experiments.results.result_files import Group, Record


def shape_of(record: Record) -> Shape:
    """Read the size of a run's codes."""
    return Shape.parse(record["settings"]["codes"])


def group_by_shape(records: list[Record]) -> dict[Shape, Group]:
    """Put the seeds of a size together; sizes by K, then by M, as in the paper."""
    found: dict[Shape, Group] = {}
    for record in records:
        found.setdefault(shape_of(record), []).append(record)
    return dict(sorted(found.items(), key=lambda each: (each[0].values, each[0])))


def loss_table(groups: dict[Shape, Group]) -> str:
    """Make the paper's Table 2: losses of the words kept back, K by M."""
    books = sorted({shape.codebooks for shape in groups})

    def cell(values: int, codebooks: int) -> str:
        runs = groups.get(Shape(codebooks, values), [])
        return _loss("half_sum_of_squares", "kept_back", runs) if runs else ""

    columns: list[Column[int]] = [Column("loss", lambda k: f"K = {k}", words=True)]
    columns += [Column(f"M = {m}", partial(cell, codebooks=m)) for m in books]
    return write_table(columns, sorted({shape.values for shape in groups}))


def _loss(name: str, words: str, runs: Group) -> str:
    losses = [run["losses"][name][words] for run in runs]
    return "" if None in losses else spread(losses, ".3f")


def detail_table(groups: dict[Shape, Group]) -> str:
    """Make the table of both losses, of how codes are used, and of what they take."""
    half, whole = "half_sum_of_squares", "mean_of_squares"
    columns: list[Column[Group]] = [
        Column("codes", lambda g: str(shape_of(g[0])), words=True),
        Column("seeds", lambda g: str(len(g))),
        Column("half sum, kept back", partial(_loss, half, "kept_back")),
        Column("half sum, all", partial(_loss, half, "all_words")),
        Column("squares, kept back", partial(_loss, whole, "kept_back")),
        Column("squares, all", partial(_loss, whole, "all_words")),
        Column("unused codewords", partial(_balance, "unused", ".0f")),
        Column("entropy, bits", partial(_balance, "entropy_bits", ".2f")),
        Column("MiB", lambda g: _mib(g[0])),
        Column("best update", _best_update),
    ]
    return write_table(columns, list(groups.values()))


def _balance(name: str, form: str, runs: Group) -> str:
    return spread([run["balance"][name] for run in runs], form)


def _mib(record: Record) -> str:
    size = record["size"]
    return mib(size["codeword_bytes"] + size["code_bytes"])


def _best_update(runs: Group) -> str:
    return ", ".join(f"{run['best_update']:,}" for run in runs)


def remarks(records: list[Record]) -> list[str]:
    """Say what all numbers share, and where they do not."""
    first = records[0]
    settings = first["settings"]
    said = [
        f"{settings['words']:,} words of {first['source']}, {settings['held_out']:,} of"
        f" them kept back; {settings['iterations']:,} updates of"
        f" {settings['batch_size']} words, rate {settings['lr']}. Losses by hard codes"
        " without noise, means over words: half the sum of squares, and the mean of"
        " squares of the paper's equation 2, which is twice as much.",
        made_on(records),
    ]
    own = ("codes", "seed")
    for name in (name for name in settings if name not in own):
        if len({str(record["settings"][name]) for record in records}) > 1:
            said.append(f"Rows differ in '{name}': do not compare them.")
    return said + describe_changes(records)


def make_codes_table(records: list[Record]) -> str:
    """Make the tables of learned codes.

    Args:
        records: The records of ``codes learn --records``, in any order.

    Returns:
        Markdown, remarks included, with a line feed at the end.
    """
    groups = group_by_shape(records)
    tables = [loss_table(groups), detail_table(groups)]
    return "\n\n".join([*tables, "  \n".join(remarks(records))]) + "\n"
