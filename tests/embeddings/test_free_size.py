"""A size that is solved for is the largest that takes no more than is wanted."""

from argparse import ArgumentParser, Namespace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from alone_experiments import params
from alone_experiments.solved_sizes import solve, wanted
from alone_fairseq.embeddings import CONFIGS, EMBEDDINGS, TableSize, build
from alone_fairseq.embeddings.alone import AloneEmbedding
from alone_fairseq.embeddings.low_rank import LowRankEmbedding
from alone_fairseq.errors import AloneError
from alone_fairseq.footprint import Footprint
from tests.methods import CASES, symbols


def sizes(words: SearchStrategy[int], dims: SearchStrategy[int]) -> Any:
    def with_words(size: tuple[int, int]) -> TableSize:
        return TableSize(*size, None, symbols(size[0]) if size[0] < 1000 else None)

    return st.tuples(words, dims).map(with_words)


# Appended weights need more than three values.
SIZES = sizes(st.integers(2, 400), st.integers(4, 24))
SHARES = st.decimals("0.001", 1, places=3).map(str)
WITH_A_SIZE = {
    name: case
    for name, case in CASES.items()
    if CONFIGS[case.method](**case.options).free_size()
}


def smallest(method: str, option: str) -> int:
    """Return the least value that a size may have."""
    limits = CONFIGS[method].__dataclass_fields__[option].metadata["range"]
    return int(limits.at_least or 1)


def taken(method: str, options: dict[str, Any], tables: list[TableSize]) -> Footprint:
    """Measure embeddings that are really built."""
    parts = [build(method, Namespace(**options), size).footprint() for size in tables]
    return sum(parts[1:], parts[0])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@settings(max_examples=100, deadline=None)
@given(
    tables=st.lists(SIZES, min_size=1, max_size=2),
    kind=st.sampled_from(["share", "values", "bytes"]),
    share=SHARES,
)
def test_params_finds_the_largest_that_fits(
    case: str, tables: list[TableSize], kind: str, share: str
) -> None:
    method, options = CASES[case].method, dict(CASES[case].options)
    lookup = sum(v * d for v, d, *_ in tables)
    limit = {
        "share": Fraction(share) * lookup,
        "values": int(Fraction(share) * lookup) + 1,
        "bytes": int(Fraction(share) * lookup * 4) + 1,
    }[kind]
    asked: dict[str, Any] = {"share": None, "values": None, "bytes": None}
    asked[kind] = share if kind == "share" else limit
    args = Namespace(**{**options, **asked})
    fits = wanted(args, tables)
    assert fits is not None
    ((name, size, found),) = solve([method], args, tables, fits)
    assert name == method
    option = CONFIGS[method](**options).free_size()

    def measure(value: int) -> int:
        with_size = {**options, option: value} if option else options
        made = taken(method, with_size, tables)
        return made.stored_bytes if kind == "bytes" else made.trained_values

    if option is None:
        assert size == "no size to choose"
        assert found == taken(method, options, tables)
    elif found is None:
        assert size.startswith("no --")
        assert option
        assert measure(smallest(method, option)) > limit
    else:
        value = int(size.split()[-1])
        assert found == taken(method, {**options, option: value}, tables)
        assert measure(value) <= limit < measure(value + 1)


def test_what_else_takes_values_is_named() -> None:
    size = TableSize(9800, 128, 1)
    own = {"alone_own_dim": 32, "alone_base_dim": 512}
    with pytest.raises(AloneError, match=r"values \(--alone-base-dim 512, .*-dim 32\)"):
        EMBEDDINGS["alone"](*size, **own, alone_inter_dim="auto:0.25")
    with pytest.raises(AloneError, match=r"what else takes values$"):
        EMBEDDINGS["alone"](*size, alone_inter_dim="auto:0.0001")


@pytest.mark.slow
@pytest.mark.parametrize("case", WITH_A_SIZE)
@settings(max_examples=100, deadline=None)
@given(size=SIZES, share=SHARES)
def test_auto_never_exceeds_the_share(case: str, size: TableSize, share: str) -> None:
    method, options = CASES[case].method, dict(CASES[case].options)
    option = CONFIGS[method](**options).free_size()
    assert option is not None
    allowed = Fraction(share) * size.num_embeddings * size.embedding_dim
    asked = {**options, option: f"auto:{share}"}
    least = {**options, option: smallest(method, option)}
    if taken(method, least, [size]).trained_values > allowed:
        with pytest.raises(AloneError, match=f"auto:{share}: every size makes more"):
            EMBEDDINGS[method](*size, **asked)
        return
    made = EMBEDDINGS[method](*size, **asked)
    assert made.footprint().trained_values <= allowed
    value = getattr(made.config, option)
    assert isinstance(value, int)
    more = taken(method, {**options, option: value + 1}, [size])
    assert more.trained_values > allowed


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(size=sizes(st.integers(1000, 10**6), st.integers(16, 1024)), share=SHARES)
def test_the_formulas_at_large_sizes(size: TableSize, share: str) -> None:
    words, dim, *_ = size
    allowed = Fraction(share) * words * dim
    options = Namespace(share=share, values=None, bytes=None)
    fits = wanted(options, [size])
    assert fits is not None
    (_, alone, _), (_, low_rank, _) = solve(
        ["alone", "low_rank"], options, [size], fits
    )
    inner, rank = (allowed - dim) // (2 * dim), allowed // (words + dim)
    assert alone.split()[-1] == (str(inner) if inner > 0 else "enough")
    assert low_rank.split()[-1] == (str(rank) if rank > 0 else "enough")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alone_inter_dim": "auto:0"}, "--alone-inter-dim auto:0: the share must be"),
        ({"alone_inter_dim": "auto:1.01"}, "auto:1.01: the share must be above 0"),
        ({"alone_inter_dim": "auto:half"}, "auto:half: the share must be above 0"),
        ({"alone_inter_dim": "auto:nan"}, "auto:nan: the share must be above 0"),
        ({"alone_inter_dim": "auto:1e-999999999"}, "the share must be above 0"),
        (
            {"alone_seed": "auto:0.5"},
            "--alone-seed cannot be auto:0.5, as --alone-inter-dim can",
        ),
        ({"alone_inter_dim": "auto:0.5", "alone_own_dim": 8}, "--alone-inter-dim auto"),
    ],
)
def test_what_cannot_be_solved(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AloneError, match=message):
        AloneEmbedding(100, 8, **options)


def test_one_layer_leaves_the_size_of_the_base_vector() -> None:
    made = AloneEmbedding(100, 8, alone_num_layers=1, alone_base_dim="auto:0.5")
    assert made.base.numel() == 400 // 9
    # A preset sets the inner size, which one layer does not have.
    AloneEmbedding(100, 8, alone_num_layers=1, alone_inter_dim="auto:0.5")


def test_a_method_without_a_size_says_so() -> None:
    with pytest.raises(AloneError, match="--random-table-seed cannot be auto"):
        EMBEDDINGS["random"](100, 8, random_table_seed="auto:0.5")


def test_a_flag_takes_a_number_or_a_share(capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    params.add_arguments(parser)
    words = ["--low-rank-dim", "auto:0.25", "--alone-seed", "3"]
    args = parser.parse_args(words)
    assert (args.low_rank_dim, args.alone_seed) == ("auto:0.25", 3)
    assert LowRankEmbedding(96, 32, low_rank_dim=args.low_rank_dim).narrow.size(1) == 6
    with pytest.raises(SystemExit):
        parser.parse_args(["--low-rank-dim", "half"])
    assert "--low-rank-dim: invalid int value: 'half'" in capsys.readouterr().err
