"""A corpus's raw text from its archives: the first half of ``wmt16_en_de.sh``."""

from __future__ import annotations

import argparse
import functools
import hashlib
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from alone_experiments import files
from alone_experiments.corpora import extraction
from alone_experiments.corpora.catalogue import Archive, read_catalogue
from alone_experiments.corpora.download import download
from alone_experiments.corpora.raw_text import PARTS
from alone_experiments.mistakes import Mistake, exit_status, say
from alone_experiments.steps import Steps, made_by

REMOVED = "it was removed; run the same command again to download it again"


@dataclass(frozen=True)
class Source:
    """Where archives come from.

    Attributes:
        downloads: Folder for what is downloaded, and for checksums.
        given: Folder of the user's with archives, or ``None``.
        mirror: Address of a folder to download from in place of the organisers', or
            ``None``.
    """

    downloads: Path
    given: Path | None = None
    mirror: str | None = None

    def find(self, archive: Archive) -> Path:
        """Find an archive, download it if need be, and check it.

        Args:
            archive: Which one.

        Returns:
            The file.

        Raises:
            Mistake: If it is missing, or not what it should be.
        """
        given = None if self.given is None else self.given / archive.file
        if given is not None and not given.is_file():
            raise Mistake(f"{archive.file} is not in {self.given}; it is {archive.url}")
        kept = self.downloads / archive.file
        if given is None and not kept.exists():
            say(f"downloading {archive.file}")
            download(self._address(archive), kept)
        verify(given or kept, archive, self.recorded(archive), ours=given is None)
        return given or kept

    def _address(self, archive: Archive) -> str:
        if self.mirror is None:
            return archive.url
        return f"{self.mirror.rstrip('/')}/{archive.file}"

    def discard(self, archive: Archive) -> bool:
        """Remove an archive that turned out to be damaged, if we downloaded it."""
        if self.given is not None:
            return False
        self.recorded(archive).unlink(missing_ok=True)
        (self.downloads / archive.file).unlink()
        return True

    def recorded(self, archive: Archive) -> Path:
        """Return the file for the checksum of an archive that has no known one."""
        return self.downloads / f"{archive.file}.sha256"


def verify(path: Path, archive: Archive, recorded: Path, ours: bool) -> None:
    """Check an archive's size and checksum.

    Without a known checksum, the one that is found first is written down, and from then
    on the archive must have it.

    Args:
        path: The file.
        archive: What it should be.
        recorded: File for the checksum that was found first.
        ours: Whether we downloaded it: then it is removed if it is wrong.

    Raises:
        Mistake: If it is another file.
    """
    wrong = _first_difference(path, archive, recorded)
    if wrong is None:
        return
    remedy = "get the published file"
    if ours:
        path.unlink()
        remedy = REMOVED
    raise Mistake(f"{path}: {wrong}; {remedy}")


def _first_difference(path: Path, archive: Archive, recorded: Path) -> str | None:
    size = path.stat().st_size
    if archive.bytes not in (None, size):
        return f"it has {size} bytes, and the published file {archive.bytes}"
    for name, right in (("sha256", archive.sha256), ("md5", archive.md5)):
        if right is not None and (found := _checksum(path, name)) != right:
            return f"its {name.upper()} is {found}, not {right}"
    if not archive.has_checksum:
        found = f"{_checksum(path, 'sha256')}  {archive.file}\n"
        if recorded.exists() and recorded.read_text() != found:
            return f"it is not the file of the first run, of which {recorded} tells"
        if not recorded.exists():
            with files.writing(recorded) as file:
                file.write(found.encode())
            say(f"{archive.file}: no known checksum; its own is now in {recorded}")
    return None


def _checksum(path: Path, name: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, name).hexdigest()


def write_raw(
    part: str, archives: Sequence[tuple[Archive, Path]], raw: Path, source: Source
) -> list[str]:
    """Join the texts of one part of the corpus.

    Args:
        part: ``train``, ``valid`` or ``test``.
        archives: What the part consists of, in order, and the files.
        raw: Folder for ``<part>.<language>``.
        source: Where the archives came from.

    Returns:
        A line a text: how many pairs it has.

    Raises:
        Mistake: If an archive is damaged, or its texts are not parallel.
    """
    report = []
    with ExitStack() as stack:
        outputs = {
            language: stack.enter_context(files.writing(raw / f"{part}.{language}"))
            for language in archives[0][0].members
        }
        for archive, path in archives:
            members = {
                archive.members[language]: outputs[language] for language in outputs
            }
            try:
                counts = extraction.extract(path, members)
            except extraction.DamagedArchiveError as error:
                if source.discard(archive):
                    raise Mistake(f"{error}: {REMOVED}") from error
                raise
            pairs = _check_counts(archive, path, counts)
            report.append(f"{archive.file}: {pairs:,} pairs")
    return report


def _check_counts(archive: Archive, path: Path, counts: dict[str, int]) -> int:
    different = set(counts.values())
    if len(different) > 1:
        said = ", ".join(f"{name} has {count} lines" for name, count in counts.items())
        raise Mistake(f"{path} is not parallel: {said}")
    pairs = different.pop()
    if archive.pairs not in (None, pairs):
        raise Mistake(f"{path} has {pairs} pairs, and the published {archive.pairs}")
    return pairs


def fetch(catalogue: Path, folder: Path, source: Source) -> None:
    """Write ``raw/{train,valid,test}.<language>`` of a corpus, unless that is done.

    Args:
        catalogue: Table of the archives.
        folder: Folder of the corpus.
        source: Where archives come from.

    Raises:
        Mistake: If archives are missing or wrong; all of them are named.
    """
    archives = read_catalogue(catalogue)
    steps = Steps(folder / "steps", folder / "prepared")
    raw = folder / "raw"
    find_all = functools.cache(lambda: _find_all(archives, source))
    if not all(one.has_checksum or source.recorded(one).exists() for one in archives):
        find_all()
    for part in PARTS:
        chosen = [archive for archive in archives if archive.part == part]
        files = [raw / f"{part}.{name}" for name in chosen[0].members]

        def make(part: str = part, chosen: list[Archive] = chosen) -> str:
            found = [(archive, find_all()[archive.file]) for archive in chosen]
            return f"raw {part}: {'; '.join(write_raw(part, found, raw, source))}"

        steps.run(f"raw.{part}", files, _depends(chosen, source), make)


def _depends(archives: list[Archive], source: Source) -> dict[str, object]:
    recorded = [source.recorded(archive) for archive in archives]
    return {
        "archives": [{**asdict(archive), "url": ""} for archive in archives],
        "recorded": [file.read_text() if file.exists() else "" for file in recorded],
        "by": made_by(extraction),
    }


def _find_all(archives: list[Archive], source: Source) -> dict[str, Path]:
    found, errors = {}, []
    for archive in archives:
        try:
            found[archive.file] = source.find(archive)
        except Mistake as error:
            errors.append(str(error))
    if errors:
        raise Mistake(
            f"{len(errors)} of {len(archives)} archives are missing or wrong;"
            f" the same command carries on with what is there:\n  "
            + "\n  ".join(errors)
        )
    return found


def main(arguments: Sequence[str]) -> int:
    """Run the command; its options are those of ``wmt16_en_de.sh``."""
    parser = argparse.ArgumentParser(
        prog="wmt16_en_de.sh", usage=argparse.SUPPRESS, add_help=False
    )
    add = parser.add_argument
    add("--catalogue", type=Path, required=True)
    add("--output", type=Path, required=True)
    add("--from", dest="given", type=Path)
    add("--mirror")
    args = parser.parse_args(arguments)
    source = Source(args.output / "downloads", args.given, args.mirror)
    return exit_status(lambda: fetch(args.catalogue, args.output, source))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
