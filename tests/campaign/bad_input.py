"""Files that were changed at random: each is read rightly, or refused in one line."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from alone_experiments.mistakes import Mistake, in_one_line
from alone_fairseq.errors import AloneError
from tests.campaign.readers import Reader, readers

SECONDS = 20
"""Longest time for one file: more is a hang."""

MEMORY = 1 << 30
"""Most bytes of address space that reading small files may add."""

_TOKENS = [
    *(b"nan", b"inf", b"-1", b"0", b"99999999999999999999", b"1e999", b"-0.0"),
    *(b"\0", b"\xff", b"\xc3", b"\n", b"\r\n", b"\t", b" ", b"  ", b"\xe2\x80\xa8"),
    *(b"\xef\xbb\xbf", b"\xc2\xa0", b"#", b'"', b"=", b"[", b"]", b"{", b"}", b"--"),
    *(b"x" * 5000, b"9" * 400, b"\x80\x02", b"PK\x03\x04", b"\x1f\x8b"),
    "\u202e\u0661\u00b2".encode(),
]


def run(work: Path, seed: int, inputs: int) -> dict[str, Any]:
    """Read changed files.

    Args:
        work: A folder for them.
        seed: Of all that is random.
        inputs: How many files for each reader.

    Returns:
        ``rows``, one a reader, and ``failures``, which should be none.
    """
    rows, failures = [], []
    for reader in readers():
        folder = work / reader.name.replace(" ", "_").replace(",", "")
        folder.mkdir(parents=True, exist_ok=True)
        found = _in_a_process(reader, folder, f"{seed} {reader.name}", inputs)
        rows.append({"reader": reader.name, **found["row"]})
        failures += [f"{reader.name}: {failure}" for failure in found["failures"]]
        print(rows[-1], *found["failures"][:3], sep="\n", file=sys.stderr, flush=True)
    return {"rows": rows, "failures": failures}


def _in_a_process(
    reader: Reader, folder: Path, seed: str, inputs: int
) -> dict[str, Any]:
    """Do it where a crash, a hang or the limit of memory harms nothing else."""
    answer = folder.parent / "answer.json"
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            found = _read_all(reader, folder, random.Random(seed), inputs)
            answer.write_text(json.dumps(found))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    if answer.exists():
        found = json.loads(answer.read_text())
        return dict(found)
    code = os.waitstatus_to_exitcode(status)
    crashed = f"the process ended with status {code} at {folder}"
    return {"row": {"inputs": 0}, "failures": [crashed]}


def _read_all(
    reader: Reader, folder: Path, chooser: random.Random, inputs: int
) -> dict[str, Any]:
    for good in reader.good:
        _read_one(reader, folder, good, Counter())
    signal.signal(signal.SIGALRM, _hang)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    # Readers tell of oddities on the error stream, some 10,000 times here.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    counts: Counter[str] = Counter()
    failures: list[str] = []
    slowest = 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(inputs):
        content = change(chooser.choice(reader.good), chooser)
        start = time.monotonic()
        signal.alarm(SECONDS)
        failure = _read_one(reader, folder, content, counts)
        signal.alarm(0)
        slowest = max(slowest, time.monotonic() - start)
        if failure:
            failures.append(f"input {number}, {content[:200]!r}: {failure}")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    row = {
        "inputs": inputs,
        "read": counts["read"],
        "refused in one line": counts["refused"],
        "anything else": len(failures),
        "slowest, s": round(slowest, 2),
        "memory grown by, MiB": max(0, grown) // 1024,
    }
    return {"row": row, "failures": failures[:20]}


def _hang(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise TimeoutError("it hangs")


def _read_one(
    reader: Reader, folder: Path, content: bytes, counts: Counter[str]
) -> str | None:
    path = folder / f"file{reader.ending}"
    path.write_bytes(content)
    try:
        reader.read(path)
    except (Mistake, AloneError) as error:
        counts["refused"] += 1
        if not in_one_line(str(error)).strip():
            return "refused without a word"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return f"{type(error).__name__} in {where}: {str(error)[:200]}"
    else:
        counts["read"] += 1
    return None


def change(content: bytes, chooser: random.Random) -> bytes:
    """Change a file in one to four places, or leave little or nothing of it."""
    changed = bytearray(content)
    for _ in range(chooser.randint(1, 4)):
        _change_once(changed, chooser)
    return bytes(changed)


def _change_once(content: bytearray, chooser: random.Random) -> None:
    size = len(content)
    at, length = chooser.randint(0, size), chooser.randint(1, 1 + size // 3)
    kind = chooser.choice(["bit", "cut", "remove", "twice", "token", "token", "lines"])
    if kind == "bit" and size:
        content[min(at, size - 1)] ^= 1 << chooser.randrange(8)
    elif kind == "cut":
        del content[at:]
    elif kind == "remove":
        del content[at : at + length]
    elif kind == "twice":
        content[at:at] = content[at : at + length]
    elif kind == "token":
        replaced = chooser.choice([0, 0, 1, 4])
        content[at : at + replaced] = chooser.choice(_TOKENS)
    elif kind == "lines":
        lines = content.split(b"\n")
        chooser.shuffle(lines)
        content[:] = b"\n".join(lines)
