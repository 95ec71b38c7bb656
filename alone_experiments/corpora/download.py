"""Downloads that carry on where they were cut off."""

from __future__ import annotations

import http.client
import os
import re
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from alone_experiments.corpora.progress import byte_bar
from alone_experiments.files import partial
from alone_experiments.lines import BLOCK
from alone_experiments.mistakes import Mistake, explain, say

ATTEMPTS = 4
"""Tries in a row that bring nothing new before a download is given up."""

PAUSE = float(os.environ.get("ALONE_DOWNLOAD_PAUSE", "2"))
"""Seconds before the second try; each further pause is twice as long."""

TIMEOUT = 60
"""Seconds without an answer after which a connection counts as lost."""


class _BrokenOffError(Exception):
    """Something that may go better the next time."""


@dataclass(frozen=True)
class _Answer:
    """What a server is about to send.

    Attributes:
        start: Position of its first byte in the file.
        total: Size of the whole file, where the server tells it.
        body: The bytes.
    """

    start: int
    total: int | None
    body: http.client.HTTPResponse


def download(url: str, target: Path, pause: float = PAUSE) -> None:
    """Download a file; the same call carries on what an earlier one left.

    A range is asked for only of the same version of the file (``If-Range``); a server
    that cannot send ranges, or has another version by now, sends all of it again.

    Args:
        url: ``http`` or ``https``.
        target: The file, written under a provisional name until it is whole.
        pause: Seconds before the second try.

    Raises:
        Mistake: If the server has no such file, does not answer, breaks off again
            and again, or the file cannot be written.
    """
    best, failures = _size(partial(target)), 0
    while True:
        try:
            _continue(url, target)
            break
        except _BrokenOffError as error:
            reached = _size(partial(target))
            failures = 1 if reached > best else failures + 1
            best = max(best, reached)
            if failures == ATTEMPTS:
                raise Mistake(
                    f"{url}: {error}, {ATTEMPTS} times; run the same command again,"
                    " it carries on from here"
                ) from error
            say(f"{url}: {error}; trying again")
            time.sleep(pause * 2 ** (failures - 1))
    partial(target).replace(target)
    _version_file(target).unlink(missing_ok=True)


def _continue(url: str, target: Path) -> None:
    unfinished = partial(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        answer = _ask(url, target)
        with (
            answer.body,
            unfinished.open("r+b" if answer.start else "wb") as file,
            byte_bar(answer.total, target.name, answer.start) as bar,
        ):
            if answer.start:
                file.seek(answer.start)
                file.truncate()
            while block := _read(answer.body):
                file.write(block)
                bar.update(len(block))
    except OSError as error:
        raise Mistake(explain(error, error.filename or unfinished)) from error
    size = _size(unfinished)
    if answer.total is not None and size < answer.total:
        raise _BrokenOffError(
            f"the connection broke off at {size} of {answer.total} bytes"
        )


def _read(body: http.client.HTTPResponse) -> bytes:
    try:
        return body.read1(BLOCK)
    except (http.client.HTTPException, OSError) as error:
        raise _BrokenOffError(f"the connection broke off ({error})") from error


def _ask(url: str, target: Path) -> _Answer:
    start, version = _size(partial(target)), _version_file(target)
    headers = {"Accept-Encoding": "identity"}
    if start and version.exists():
        headers |= {"Range": f"bytes={start}-", "If-Range": version.read_text()}
    try:
        request = urllib.request.Request(url, headers=headers)
        body = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        raise _refusal(url, target, error) from error
    except urllib.error.URLError as error:
        raise _no_answer(url, error.reason) from error
    except (http.client.InvalidURL, ValueError) as error:
        raise Mistake(f"{url} is no address: {error}") from error
    except (http.client.HTTPException, OSError) as error:
        raise _BrokenOffError(f"no answer ({error})") from error
    _keep_version(body, version)
    return _answer(body, start)


def _refusal(url: str, target: Path, error: urllib.error.HTTPError) -> Exception:
    if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        # What is here is longer than the file, or all of it: begin again.
        partial(target).unlink()
        return _BrokenOffError("the file on the server has changed")
    if error.code == http.HTTPStatus.TOO_MANY_REQUESTS or error.code >= 500:
        return _BrokenOffError(f"the server answered {error.code} {error.reason}")
    return Mistake(f"{url}: the server answered {error.code} {error.reason}")


def _no_answer(url: str, reason: object) -> Exception:
    if isinstance(reason, (TimeoutError, ConnectionResetError)):
        return _BrokenOffError(f"no answer ({reason})")
    if isinstance(reason, socket.gaierror):
        reason = "the name of the server is not known here; is there a network?"
    return Mistake(f"{url}: {reason}")


def _answer(body: http.client.HTTPResponse, start: int) -> _Answer:
    length = body.headers.get("Content-Length")
    whole = None if length is None else int(length)
    if body.status != http.HTTPStatus.PARTIAL_CONTENT:
        return _Answer(0, whole, body)
    found = re.fullmatch(
        r"bytes (\d+)-\d+/(\d+|\*)", body.headers.get("Content-Range", "")
    )
    if found is None or int(found[1]) != start:
        raise _BrokenOffError(
            "the server sent another part of the file than was asked for"
        )
    if found[2] == "*":
        return _Answer(start, None if whole is None else start + whole, body)
    return _Answer(start, int(found[2]), body)


def _keep_version(body: http.client.HTTPResponse, version: Path) -> None:
    tag = body.headers.get("ETag", "")
    mark = tag if tag.startswith('"') else body.headers.get("Last-Modified", "")
    if mark:
        version.write_text(mark)
    else:
        version.unlink(missing_ok=True)


def _version_file(target: Path) -> Path:
    return target.with_name(target.name + ".version")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
