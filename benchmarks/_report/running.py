"""One benchmark after the other, each in a process of its own on one core, with a limit of time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Timer
from time import monotonic
from typing import Any, TextIO

from _lines import Claim, read

from _report.machine import load, machine

FOLDER = Path(__file__).resolve().parents[1]
LIMIT = 15 * 60.0
"""Seconds for one benchmark."""

ONE_CORE = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"], "1")
"""Linear algebra of all tools uses the same number of cores."""


@dataclass
class Result:
    """What came of a benchmark.

    Attributes:
        seconds: how long it took.
        load: of the machine, before and after.
        machine: what it ran on.
        lines: of its output, those for machines.
        failure: why there are no figures; empty if there are.
    """

    seconds: float
    load: list[float]
    machine: dict[str, str]
    lines: list[str] = field(default_factory=list)
    failure: str = ""

    @property
    def figures(self) -> dict[str, float]:
        """The key figures."""
        return read(self.lines).figures

    @property
    def claims(self) -> list[Claim]:
        """Absolute figures, ours and those of peers."""
        return read(self.lines).claims


def script(name: str) -> Path:
    """The file of a benchmark; one that would hide a library has a longer name."""
    plain = FOLDER / f"{name}.py"
    return plain if plain.exists() else FOLDER / f"from_{name}.py"


def run(path: Path, limit: float = LIMIT, show: Callable[[str], None] = print) -> Result:
    """Run a benchmark, show its output as it comes, and keep what is for machines."""
    before, begun = load(), monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
        lines, failure = _output(path, limit, show, complaints)
    kept = [line for line in lines if line.startswith(("CLAIM ", "BAR "))]
    if not failure and not any(line.startswith("BAR ") for line in kept):
        failure = "it printed no key figures"
    if failure:
        show(f"FAILED: {failure}")
    return Result(monotonic() - begun, [before, load()], machine(), [] if failure else kept, failure)


def _output(path: Path, limit: float, show: Callable[[str], None], complaints: TextIO) -> tuple[list[str], str]:
    """The lines that a benchmark prints, and why it failed if it did."""
    environment = {**os.environ, **ONE_CORE, "PYTHONUNBUFFERED": "1"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": complaints, "encoding": "utf-8"}
    late = Event()
    with subprocess.Popen([sys.executable, str(path)], env=environment, start_new_session=True, **pipes) as process:
        timer = Timer(limit, lambda: (late.set(), _end(process)))
        timer.start()
        try:
            lines = [_shown(line.rstrip("\n"), show) for line in process.stdout or ()]
            code = process.wait()
        finally:
            timer.cancel()
            _end(process)  # and what it may have left behind
    complaints.seek(0)
    return lines, _failure(code, complaints.read(), limit, late=late.is_set())


def _shown(line: str, show: Callable[[str], None]) -> str:
    show(line)
    return line


def _end(process: subprocess.Popen[str]) -> None:
    """End a benchmark with all the processes that it started."""
    with suppress(ProcessLookupError, PermissionError):  # all have ended
        os.killpg(process.pid, signal.SIGKILL)


def _failure(code: int, complaints: str, limit: float, *, late: bool) -> str:
    if late:
        return f"it did not end within {limit / 60:g} minutes"
    last = next((line for line in reversed(complaints.splitlines()) if line.strip()), "no word of why")
    return f"it ended with code {code}: {last.strip()}" if code else ""


# what is kept between runs -------------------------------------------------------------------------------------------


def stored(path: Path) -> dict[str, Result]:
    """Results of earlier runs, by name."""
    if not path.exists():
        return {}
    return {name: Result(**entry) for name, entry in json.loads(path.read_text(encoding="utf-8")).items()}


def store(results: Mapping[str, Result], path: Path) -> None:
    """Keep them for the page, and for a run of some benchmarks only."""
    entries = {name: asdict(result) for name, result in results.items()}
    for entry in entries.values():
        entry["seconds"], entry["load"] = round(entry["seconds"], 1), [round(one, 2) for one in entry["load"]]
    path.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
