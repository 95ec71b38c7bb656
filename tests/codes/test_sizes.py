"""Sizes of codes: every cell of Tables 2 and 3 of the paper, to the printed digit."""

import pytest

from alone_experiments import cli
from alone_experiments.codes.shapes import Shape
from alone_experiments.codes.sizes import PUBLISHED_DIM, PUBLISHED_WORDS, mib, size_of

# Table 2, right: K by M = 8, 16, 32, 64.
TABLE_2 = {
    8: ["0.28", "0.57", "1.15", "2.30"],
    16: ["0.43", "0.86", "1.73", "3.46"],
    32: ["0.65", "1.30", "2.60", "5.20"],
    64: ["1.01", "2.03", "4.06", "8.12"],
}
# Table 3: vectors, their size, bits, size of the codes, total size.
TABLE_3 = {
    "8x8": [64, "0.07", 24, "0.21", "0.28"],
    "8x16": [128, "0.14", 32, "0.28", "0.43"],
    "16x8": [128, "0.14", 48, "0.42", "0.57"],
    "8x64": [512, "0.58", 48, "0.42", "1.01"],
    "16x32": [512, "0.58", 80, "0.71", "1.30"],
    "32x16": [512, "0.58", 128, "1.14", "1.73"],
    "64x8": [512, "0.58", 192, "1.71", "2.30"],
}


@pytest.mark.parametrize("values", TABLE_2)
def test_table_2(values: int) -> None:
    shapes = [Shape(codebooks, values) for codebooks in (8, 16, 32, 64)]
    sizes = [size_of(shape, PUBLISHED_WORDS, PUBLISHED_DIM) for shape in shapes]
    assert [mib(size.bytes) for size in sizes] == TABLE_2[values]


@pytest.mark.parametrize("coding", TABLE_3)
def test_table_3(coding: str) -> None:
    shape = Shape.parse(coding)
    size = size_of(shape, PUBLISHED_WORDS, PUBLISHED_DIM)
    cells = [shape.codewords, mib(size.codeword_bytes), size.code_bits]
    assert [*cells, mib(size.code_bytes), mib(size.bytes)] == TABLE_3[coding]


def test_the_table_of_vectors_and_what_is_saved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cli.main(["codes", "sizes", "--codes", "16x32"])
    _, table, codes = capsys.readouterr().out.splitlines()
    assert table.split()[-1] == "85.94"
    assert codes.endswith("98.4 %")


def test_the_published_translation_model() -> None:
    size = size_of(Shape(32, 16), 37_000, 512)
    assert (size.values, size.code_bytes) == (262_144, 592_000)
    assert size.bytes / 2**20 == pytest.approx(1.565, abs=0.001)


def test_codes_of_other_numbers_take_whole_bits() -> None:
    assert [Shape(1, k).bits for k in (2, 3, 4, 5, 16, 17, 2**16)] == [
        *(1, 2, 2, 3, 4, 5, 16)
    ]
