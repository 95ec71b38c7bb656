"""The modules under data-prep that prepare corpora of headlines, for the tests."""

import sys
from pathlib import Path

DATA_PREP = Path(__file__).resolve().parents[2] / "data-prep"
sys.path.insert(0, str(DATA_PREP))

import duc2004_pairs  # noqa: E402, F401
import gigaword_pairs  # noqa: E402, F401
import headline_pairs  # noqa: E402, F401
import headline_units  # noqa: E402, F401
from headlines import (  # noqa: E402, F401
    annotated_gigaword,
    cleaning,
    digits,
    duc2004,
    evenly,
    first_sentence,
    gigaword_files,
    gigaword_rules,
    near_duplicates,
    public_pairs,
    splits,
    text_files,
    treebank,
)
from headlines.errors import CorpusError  # noqa: E402, F401
