"""Tables 1 and 3 of the paper about students, from records."""

from pathlib import Path
from typing import Any

import pytest

from alone_experiments.mistakes import Mistake
from alone_experiments.results.plot import draw
from alone_experiments.results.table import make_table


def student(distance: str, seed: int, rho: float) -> dict[str, Any]:
    looks = [
        {
            "epoch": epoch,
            "loss": 1.0,
            "cosine": 0.1,
            "rho": {"a": rho * epoch, "b": 0.0},
        }
        for epoch in (0, 10)
    ]
    score = {"rho": rho, "source_rho": 0.5, "covered": 7, "pairs": 9}
    return {
        **{"experiment": "reconstruction", "row": f"student_{distance}", "seed": seed},
        **{"looks": looks, "cosine": 0.25, "source": "v.gz", "commit": "abc" * 9},
        "similarity": {"a": score, "b": {**score, "source_rho": 0.3}},
        "settings": {"method": "characters", "distance": distance, "epochs": 10},
        "footprint": {"trained_values": 190_200},
    }


def test_similarity_by_distance_and_epochs() -> None:
    found = make_table(
        [student("l1", 1, 0.01), student("cosine", 1, 0.02), student("cosine", 2, 0.04)]
    )
    lines = [[c.strip() for c in x.split("|")[1:-1]] for x in found.split("\n")[:5]]
    assert lines[0] == ["distance", "seeds", "0 epochs", "10 epochs", "cosine"]
    assert lines[2] == [
        "cosine",
        "2",
        "0.000 ± 0.000",
        "0.150 ± 0.071",
        "0.250 ± 0.000",
    ]
    assert lines[3] == ["l1", "1", "0.000", "0.050", "0.250"]
    assert lines[4] == ["given vectors", "", "", "0.400", ""]
    assert "a 7 of 9, b 7 of 9 pairs" in found
    assert "190,200" in found


def asked(distance: str, epochs: int, right: int, **more: Any) -> dict[str, Any]:
    score = {"section": "all", "covered": 200, "questions": 250, "candidates": 300}
    answers = {"syntactic": {**score, "mul": right}, "semantic": {**score, "mul": 2}}
    record = student(distance, 1, 0.0) | {"analogies": answers} | more
    record["settings"]["epochs"] = epochs
    return record


def test_analogies_by_distance() -> None:
    given = {"section": "all", "covered": 100, "questions": 250, "candidates": 5000}
    known = {kind: {**given, "mul": 40} for kind in ("syntactic", "semantic")}
    more = {
        "analogies_of_given": {"syntactic": {**given, "mul": 75}},
        "analogies_of_known_words": known,
    }
    found = make_table([asked("cosine", 10, 50), asked("squared", 0, 130, **more)])
    head, _, *lines = [
        [c.strip() for c in x.split("|")[1:-1]] for x in found.split("\n")
    ]
    kinds = ["syntactic", "semantic"]
    assert head[2:] == [*kinds, *(f"{kind}, fitted words" for kind in kinds)]
    assert lines[0] == ["none (random)", "1", "65.00", "1.00", "40.00", "40.00"]
    assert lines[1] == ["cosine", "1", "25.00", "1.00", "-", "-"]
    assert lines[2] == ["given vectors", "", "", "", "75.00", ""]
    assert "after 10 epochs" in found
    assert "syntactic 200 of 250 questions and 300 candidates" in found
    assert "syntactic 100 of 250 questions and 5,000 candidates" in found


def tagger(row: str, test: list[float], unseen: list[float | None]) -> dict[str, Any]:
    return {
        **{"experiment": "tagging", "row": row, "tags": "upos", "commit": "abc" * 9},
        **{"chosen": {"lr": 0.0005, "dropout": 0.2}, "tried": [{}, {}]},
        **{"seeds": [1, 2], "dev": [0.9, 0.9], "test": test, "test_unseen": unseen},
        "rows": {"table": 1234, "characters": 93},
        "footprint": {"table": {"trained_values": 5}, "spelled": {"trained_values": 6}},
    }


def test_accuracies_of_taggers() -> None:
    found = make_table(
        [
            tagger("full", [0.95, 0.97], [0.8, 0.8]),
            tagger("char", [0.9, 0.9], [None, 0.7]),
        ]
    )
    _, _, char, full, *_ = found.split("\n")
    cells = [cell.strip() for cell in full.split("|")[1:-1]]
    assert cells[:6] == ["full", "upos", "1,234", "93", "11", "0.0005"]
    assert cells[6:] == ["0.2", "2", "90.00 ± 0.00", "96.00 ± 1.41", "80.00 ± 0.00"]
    assert char.rstrip(" |").endswith("90.00 ± 0.00 |               -")
    assert "2 pairs" in found


def test_there_is_no_plot_of_them(tmp_path: Path) -> None:
    others = [{"experiment": name} for name in ("overlap", "sentiment", "zipf")]
    trial = {"experiment": "toy", "is_the_rows": True}
    for record in (
        student("l1", 1, 0.1),
        tagger("full", [0.9], [None]),
        trial,
        *others,
    ):
        with pytest.raises(Mistake, match="no plot of these records"):
            draw([record], tmp_path)
