"""data-prep/tatoeba_en_de.sh: its files have to be given, and are checked."""

import gzip
import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

from alone_experiments.corpora.description import read_description


def test_the_given_files_are_those_of_the_checksums(
    shared_data: Callable[[str], Path], repo_root: Path
) -> None:
    folder = shared_data("tatoeba_en_de")
    texts = read_description(repo_root / "data-prep" / "tatoeba_en_de.toml").text
    assert len(texts) == 6
    for text in texts:
        content = gzip.decompress((folder / f"{text.name}.gz").read_bytes())
        assert hashlib.sha256(content).hexdigest() == text.sha256


def test_without_files_it_says_which_it_needs(repo_root: Path, tmp_path: Path) -> None:
    script = repo_root / "data-prep" / "tatoeba_en_de.sh"
    command = ["bash", str(script), "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    prefix = "alone-fairseq: error: no server is known to keep tatoeba_en_de;"
    assert done.stderr.startswith(prefix)
    assert done.stderr.count("\n") == 1
    assert "--from DIR or --url URL: train.en train.de valid.en" in done.stderr
