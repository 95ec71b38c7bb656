"""Multi30k in small: a copy of its scripts whose checksums are of made-up files."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.scripts.chain import VENV

NAMES = [
    f"{part}.{language}"
    for part in ("train", "val", "test_2016_flickr")
    for language in ("en", "de")
]
WORDS = {"en": "a dog sees the small house", "de": "ein Hund sieht das kleine Haus"}


def text_of(name: str) -> str:
    words = WORDS[name[-2:]].split()
    return "".join(f"{' '.join(words[i % 3 :])}.\n" for i in range(30))


class Corpus:
    """A copy of the scripts whose checksums are those of a tiny corpus."""

    venv = VENV

    def __init__(
        self, folder: Path, repo_root: Path, script: str = "multi30k.sh"
    ) -> None:
        self.script = script
        self.given, self.output = folder / "given", folder / "output"
        self.root, self.given_files = folder / "project", {}
        for name in ("scripts", "data-prep"):
            (self.root / name).mkdir(parents=True)
            for pattern in ("*.[sp]*", "*.toml"):
                for file in (repo_root / name).glob(pattern):
                    shutil.copy(file, self.root / name)
        package = "alone_experiments"
        shutil.copytree(repo_root / package, self.root / package)
        self.given.mkdir()
        description = self.root / "data-prep" / "multi30k.toml"
        text = description.read_text()
        for name in NAMES:
            content = text_of(name).encode()
            (self.given / name).write_bytes(content)
            published = rf'(name = "{name}"\n.*\nsha256 = )".*"'
            checksum = hashlib.sha256(content).hexdigest()
            text, found = re.subn(published, rf'\1"{checksum}"', text)
            assert found == 1
        description.write_text(text)

    def start(self, *options: object) -> subprocess.Popen[str]:
        script = self.root / "data-prep" / self.script
        return subprocess.Popen(
            ["bash", str(script), "--output", str(self.output), *map(str, options)],
            env={
                **os.environ,
                "ALONE_VENV": str(self.venv),
                "ALONE_DOWNLOAD_PAUSE": "0.01",
                "no_proxy": "*",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *options: object) -> tuple[int, str]:
        process = self.start(*options)
        _, errors = process.communicate(timeout=120)
        return process.returncode, errors

    def error(self, *options: object) -> str:
        status, errors = self.run(*options)
        assert status != 0
        assert not (self.output / "prepared").exists()
        # What the network did is on a line of its own.
        return errors.splitlines()[-1]

    def raw(self) -> set[str]:
        return {path.name for path in (self.output / "raw").glob("*")}
