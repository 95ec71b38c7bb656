"""data-prep/tatoeba_en_de.sh: its files have to be given, and are checked."""

import gzip
import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path


def test_the_given_files_are_those_of_the_checksums(
    shared_data: Callable[[str], Path], repo_root: Path
) -> None:
    folder = shared_data("tatoeba_en_de")
    lines = (repo_root / "data-prep" / "tatoeba_en_de.sha256").read_text().splitlines()
    assert len(lines) == 6
    for line in lines:
        checksum, name = line.split("  ")
        content = gzip.decompress((folder / f"{name}.gz").read_bytes())
        assert hashlib.sha256(content).hexdigest() == checksum


def test_without_files_it_says_which_it_needs(repo_root: Path, tmp_path: Path) -> None:
    script = repo_root / "data-prep" / "tatoeba_en_de.sh"
    command = ["bash", str(script), "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: no server is known to keep tatoeba_en_de;")
    assert "--from DIR or --url URL: train.en train.de valid.en" in done.stderr
