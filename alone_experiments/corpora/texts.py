"""Published text files, each checked before it gets its name."""

from __future__ import annotations

from pathlib import Path

from alone_experiments.corpora.description import Description, Text
from alone_experiments.corpora.fetch import Source
from alone_experiments.corpora.given_text import text_blocks
from alone_experiments.corpora.job import Job
from alone_experiments.files import writing
from alone_experiments.lines import sha256
from alone_experiments.mistakes import Mistake, say


def write_raw(job: Job) -> None:
    """Put all texts of a corpus where they belong, unless they are there.

    A file of which no checksum is known is right where it is: it got its name when it
    had been checked.

    Raises:
        Mistake: If one is missing, damaged, or not the published one.
    """
    for text in job.description.text:
        target = job.folder / text.to
        if not target.is_file() or text.sha256 not in (None, sha256(target)):
            job.steps.finished.unlink(missing_ok=True)
            _write(text, target, job.description, job.source)
    if job.description.units is None:
        say(f"{job.description.title}: {job.folder}")


def _write(text: Text, target: Path, description: Description, source: Source) -> None:
    published = text.archive or text.name + (".gz" if description.compressed else "")
    if source.given is None and not source.url:
        raise Mistake(
            f"no server is known to keep {description.name}; give its files with --from"
            f" DIR or --url URL: {_names(description)}"
        )
    names = [text.name, f"{text.name}.gz"]
    if text.archive is not None:
        names.append(text.archive)
    url = source.url or ""
    address = url if text.archive else f"{url.rstrip('/')}/{published}"
    found = source.find(names, address, f"it needs: {_names(description)}")
    try:
        with writing(target) as file:
            for block in text_blocks(found, text.name):
                file.write(block)
            file.flush()
            wrong = first_difference(text, Path(file.name))
            if wrong is not None:
                raise Mistake(
                    f"{text.name} from {source.given or source.url} is not the"
                    f" published file: {wrong}"
                )
    except Mistake as error:
        remedy = source.discard(found)
        raise Mistake(f"{error}; {remedy}") from error
    if text.sha256 is None:
        say(f"SHA-256 of {text.name}: {sha256(target)}")
    if source.given is None:
        found.unlink()
        source.downloads.rmdir()


def _names(description: Description) -> str:
    return " ".join(text.name for text in description.text)


def first_difference(text: Text, path: Path) -> str | None:
    """Say what tells a file from the published one, if anything does."""
    if text.sha256 is not None:
        found = sha256(path)
        return (
            None
            if found == text.sha256
            else f"its SHA-256 is {found}, not {text.sha256}"
        )
    number = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if text.fields not in (None, len(words)):
                return f"line {number} has {len(words)} fields, not {text.fields}"
            if number == 1 and text.first not in (None, words[0].decode()):
                return f"line 1 is of the word {words[0].decode()}"
    if text.lines not in (None, number):
        return f"it has {number} lines, not {text.lines}"
    return None
