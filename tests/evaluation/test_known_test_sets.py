"""Recognising the test sets that SacreBLEU knows, without a network."""

from pathlib import Path

import pytest

from alone_experiments.evaluation import known_test_sets
from alone_experiments.evaluation.known_test_sets import recognise
from alone_experiments.mistakes import Mistake

REFERENCES = ["Der Hund schläft.", "Hallo, schöne Welt!"]


@pytest.mark.parametrize(
    ("theirs", "expected", "said"),
    [
        (REFERENCES, "wmt14/full:en-de", ""),
        (
            REFERENCES[:1],
            None,
            "test set: not SacreBLEU's wmt14/full (en-de)",
        ),
        (
            OSError("no network"),
            None,
            "test set: could not get SacreBLEU's wmt14/full: no",
        ),
        (SystemExit(1), None, "test set: could not get SacreBLEU's wmt14/full"),
    ],
)
def test_test_set_is_named_only_if_it_is_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    theirs: list[str] | BaseException,
    expected: str | None,
    said: str,
) -> None:
    def get(name: str, pair: str) -> list[str]:
        assert (name, pair) == ("wmt14/full", "en-de")
        if isinstance(theirs, BaseException):
            raise theirs
        path = tmp_path / "theirs"
        path.write_text("".join(f"{line}\n" for line in theirs), encoding="utf-8")
        return [str(path)]

    monkeypatch.setattr(known_test_sets, "get_reference_files", get)
    assert recognise("wmt14/full:en-de", REFERENCES) == expected
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["wmt14/full", "wmt14/full:en-xx", "wmt15x:en-de"])
def test_unknown_test_set(name: str) -> None:
    with pytest.raises(Mistake, match=f"--test-set {name}: SacreBLEU has no such"):
        recognise(name, REFERENCES)
