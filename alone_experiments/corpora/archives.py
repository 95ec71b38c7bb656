"""A corpus's raw text from archives, which are checked first."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from alone_experiments.corpora import extraction
from alone_experiments.corpora.description import PARTS, Archive, read_archives
from alone_experiments.corpora.fetch import Source, checksum
from alone_experiments.corpora.job import Job
from alone_experiments.files import write_text, writing
from alone_experiments.lines import DamagedFileError
from alone_experiments.mistakes import Mistake, say
from alone_experiments.steps import Steps, made_by


def write_raw(job: Job) -> None:
    """Write ``raw/{train,valid,test}.<language>``, unless that is done.

    Raises:
        Mistake: If archives are missing or wrong; all of them are named.
    """
    catalogue = job.settings.catalogue or job.description.path
    extract_all(read_archives(catalogue), job.raw, job.source, job.steps)


def extract_all(
    archives: list[Archive], raw: Path, source: Source, steps: Steps
) -> None:
    """Write the text of each part, unless that is done.

    Args:
        archives: All of the corpus.
        raw: Folder for ``<part>.<language>``.
        source: Where archives come from.
        steps: The steps that are done.

    Raises:
        Mistake: If archives are missing or wrong; all of them are named.
    """
    find_all = functools.cache(lambda: _find_all(archives, source))
    if not all(one.has_checksum or recorded(one, source).exists() for one in archives):
        find_all()
    for part in PARTS:
        chosen = [archive for archive in archives if archive.part == part]
        files = [raw / f"{part}.{name}" for name in chosen[0].members]

        def make(part: str = part, chosen: list[Archive] = chosen) -> str:
            found = [(archive, find_all()[archive.file]) for archive in chosen]
            return f"raw {part}: {'; '.join(_extract_part(part, found, raw, source))}"

        steps.run(f"raw.{part}", files, _depends(chosen, source), make)


def recorded(archive: Archive, source: Source) -> Path:
    """Return the file for the checksum of an archive that has no known one."""
    return source.downloads / f"{archive.file}.sha256"


def _depends(archives: list[Archive], source: Source) -> dict[str, object]:
    checksums = [recorded(archive, source) for archive in archives]
    return {
        "archives": [{**asdict(archive), "url": ""} for archive in archives],
        "recorded": [file.read_text() if file.exists() else "" for file in checksums],
        "by": made_by(extraction),
    }


def _find_all(archives: list[Archive], source: Source) -> dict[str, Path]:
    found, errors = {}, []
    for archive in archives:
        try:
            found[archive.file] = _find(archive, source)
        except Mistake as error:
            errors.append(str(error))
    if errors:
        raise Mistake(
            f"{len(errors)} of {len(archives)} archives are missing or wrong;"
            f" the same command carries on with what is there:\n  "
            + "\n  ".join(errors)
        )
    return found


def _find(archive: Archive, source: Source) -> Path:
    mirror = source.url and f"{source.url.rstrip('/')}/{archive.file}"
    address, hint = mirror or archive.url, f"it is {archive.url}"
    found = source.find([archive.file], address, hint, keep=archive.file)
    wrong = _first_difference(found, archive, recorded(archive, source))
    if wrong is not None:
        raise Mistake(f"{found}: {wrong}; {source.discard(found)}")
    return found


# Without a known checksum, the one that is found first is written down, and from then
# on the archive must have it.
def _first_difference(path: Path, archive: Archive, record: Path) -> str | None:
    size = path.stat().st_size
    if archive.bytes not in (None, size):
        return f"it has {size} bytes, and the published file {archive.bytes}"
    for name, right in (("sha256", archive.sha256), ("md5", archive.md5)):
        if right is not None and (found := checksum(path, name)) != right:
            return f"its {name.upper()} is {found}, not {right}"
    if not archive.has_checksum:
        found = f"{checksum(path, 'sha256')}  {archive.file}\n"
        if record.exists() and record.read_text() != found:
            return f"it is not the file of the first run, of which {record} tells"
        if not record.exists():
            write_text(record, found)
            say(f"{archive.file}: no known checksum; its own is now in {record}")
    return None


def _extract_part(
    part: str, archives: Sequence[tuple[Archive, Path]], raw: Path, source: Source
) -> list[str]:
    """Join the texts of one part; return a line an archive: how many pairs it has."""
    report = []
    with ExitStack() as stack:
        outputs = {
            language: stack.enter_context(writing(raw / f"{part}.{language}"))
            for language in archives[0][0].members
        }
        for archive, path in archives:
            members = {
                archive.members[language]: outputs[language] for language in outputs
            }
            try:
                counts = extraction.extract(path, members)
            except DamagedFileError as error:
                recorded(archive, source).unlink(missing_ok=True)
                raise Mistake(f"{error}; {source.discard(path)}") from error
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
