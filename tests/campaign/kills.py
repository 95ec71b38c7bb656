"""Random kills: a job that is killed and started again ends as one that was not."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.campaign.jobs import JOBS, SAVE_INTERVAL, Job
from tests.campaign.programs import Program, Programs, Script, programs

UNFINISHED = re.compile(r".*\.(tmp|partial|unfinished)")
MOST_KILLS_OF_A_RUN = 3
_UPDATE = re.compile(r'"num_updates": "(\d+)"')
_RESTORED = re.compile(r"Loaded checkpoint .* @ (\d+) updates")
_BUSY = "another run is working"
_RETRIES = 8


@dataclass
class Tally:
    """What came of the kills of one job."""

    kills: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    most_updates_lost: int = 0
    failures: list[str] = field(default_factory=list)


def run(work: Path, seed: int, kills: int) -> dict[str, Any]:
    """Kill all jobs.

    Args:
        work: A folder for it, removed at the end.
        seed: Of all that is random.
        kills: How many, shared among the jobs so that each gets about as much time as
            the others.

    Returns:
        ``rows``, one a job, and ``failures``, which should be none.
    """
    shares = {job.name: 1 / job.cost for job in JOBS}
    total = sum(shares.values())
    rows, failures = [], []
    with programs(work) as shared:
        shared.prepare_small()
        for job in JOBS:
            chooser = random.Random(f"{seed} {job.name}")
            wanted = round(kills * shares[job.name] / total)
            if wanted == 0:  # too few to kill what takes long: the short form
                continue
            tally = kill_job(job, shared, wanted, chooser)
            rows.append(_row(job, tally))
            failures += [f"{job.name}: {failure}" for failure in tally.failures]
            print(rows[-1], *tally.failures, sep="\n", file=sys.stderr, flush=True)
    return {"rows": rows, "failures": failures}


def _row(job: Job, tally: Tally) -> dict[str, object]:
    training = job.name.startswith("training")
    return {
        "job": job.name,
        "kills": _count(tally),
        "SIGKILL": tally.kills["SIGKILL"],
        "SIGTERM": tally.kills["SIGTERM"],
        "of one process of several": tally.kills["one"],
        "while a file was written": tally.places["writing"],
        "while validating": tally.places["validating"] if training else "",
        "runs carried to their end": tally.runs,
        "most updates lost": tally.most_updates_lost if training else "",
        "other ends, leftovers, refusals": len(tally.failures),
    }


def kill_job(job: Job, shared: Programs, wanted: int, chooser: random.Random) -> Tally:
    """Kill one job until there are enough kills; see :func:`run`."""
    tally = Tally()
    folder = shared.folder / "job" / re.sub(r"\W+", "-", job.name)
    start = time.monotonic()
    _begin(job, shared, folder)
    began = time.monotonic()
    _finish(job, shared, folder)
    seconds = time.monotonic() - began
    expected = job.result(folder)
    print(f"{job.name}: {seconds:.1f} s", seconds + began - start, file=sys.stderr)
    ended_before = 0
    while (left := wanted - _count(tally)) > 0 and ended_before < 20 + wanted:
        _begin(job, shared, folder)
        before = _count(tally)
        for _ in range(min(left, chooser.randint(1, MOST_KILLS_OF_A_RUN))):
            if not _kill_once(job, shared, folder, seconds, chooser, tally):
                break
        ended_before += _count(tally) == before
        _finish(job, shared, folder, tally)
        tally.runs += 1
        if (found := job.result(folder)) != expected:
            ends = f"{found!r:.600}, not {expected!r:.600}"
            tally.failures.append(f"run {tally.runs} has another end: {ends}")
        if left_behind := _leftovers(folder):
            tally.failures.append(f"left behind: {', '.join(left_behind)}")
    shutil.rmtree(folder)
    return tally


def _count(tally: Tally) -> int:
    return tally.kills["SIGKILL"] + tally.kills["SIGTERM"]


def _begin(job: Job, shared: Programs, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_name(f"{folder.name}.reached").unlink(missing_ok=True)
    folder.mkdir(parents=True)
    job.begin(shared, folder)


def _leftovers(folder: Path) -> list[str]:
    return [p.name for p in folder.rglob("*") if UNFINISHED.fullmatch(p.name)]


def _finish(
    job: Job, shared: Programs, folder: Path, tally: Tally | None = None
) -> None:
    for _ in range(_RETRIES):
        done = [program.wait() for program in job.start(shared, folder)]
        if all(each.returncode == 0 for each in done):
            if tally is not None:
                _look_at_loss(folder, done[0].stdout, tally)
            return
        if not any(_BUSY in str(each) for each in done):
            break  # what a killed script left behind may still be working
    message = f"the command does not carry on: {done[0]}"
    if tally is None:
        raise RuntimeError(message)
    tally.failures.append(message)


def _kill_once(
    job: Job,
    shared: Programs,
    folder: Path,
    seconds: float,
    chooser: random.Random,
    tally: Tally,
) -> bool:
    """Start the job and kill it somewhere; whether it could be before its end."""
    started = job.start(shared, folder)
    moment = chooser.choice(["any", "any", "writing", "validating"])
    if not _wait(moment, started, folder, chooser.uniform(0, seconds)):
        for program in started:
            program.wait()
        return False
    name = chooser.choice(["SIGKILL", "SIGTERM"])
    number = getattr(signal, name)
    one = chooser.random() < 0.5 and (
        len(started) > 1 or isinstance(started[0], Script)
    )
    victims = [chooser.choice(started)] if one else started
    said = started[0].stdout
    for victim in victims:
        victim.send(number, to_all=not one)
    _end(started)
    tally.kills[name] += 1
    tally.kills["one"] += one
    if any(not name.endswith(".unfinished") for name in _leftovers(folder)):
        tally.places["writing"] += 1
    elif _validates(said):
        tally.places["validating"] += 1
    _look_at_loss(folder, said, tally)
    return True


def _wait(moment: str, started: list[Program], folder: Path, seconds: float) -> bool:
    """Wait for the moment; at most until any of the programs has ended."""
    end = time.monotonic() + seconds
    while not any(program.ended for program in started):
        if time.monotonic() > end:
            if moment == "any":
                return True
            if moment == "writing" and _writes(folder):
                return True
            if moment == "validating" and _validates(started[0].stdout):
                return True
        time.sleep(0.0005 if moment == "writing" else 0.005)
    return False


def _writes(folder: Path) -> bool:
    for place in (folder, folder / "run"):
        try:
            names = os.listdir(place)
        except OSError:
            continue
        if any(name.endswith((".tmp", ".partial")) for name in names):
            return True
    return False


def _validates(said: str) -> bool:
    return said.rfind("begin validation") > said.rfind("| valid | {")


def _end(started: list[Program]) -> None:
    """Wait for the end of all; what does not end by itself is ended."""
    deadline = time.monotonic() + 20
    while not all(program.ended for program in started):
        if time.monotonic() > deadline:
            for program in started:
                if not program.ended:
                    program.send(signal.SIGKILL)
            deadline = time.monotonic() + 20
        time.sleep(0.01)
    for program in started:
        if isinstance(program, Script):
            program.end_all()


def _look_at_loss(folder: Path, said: str, tally: Tally) -> None:
    """Compare where a training began again with where the kill before found it."""
    updates = [*map(int, _UPDATE.findall(said))]
    restored = _RESTORED.search(said)
    if not (updates or restored):
        return  # killed before it could begin: the next start is looked at
    begun_at = int(restored[1]) if restored else 0
    file = folder.parent / f"{folder.name}.reached"
    lost = int(file.read_text()) - begun_at if file.exists() else 0
    tally.most_updates_lost = max(tally.most_updates_lost, lost)
    if lost > SAVE_INTERVAL:
        tally.failures.append(f"{lost} updates lost")
    file.write_text(str(max([begun_at, *updates])))
