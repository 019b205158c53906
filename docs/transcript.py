"""Run the commands on ``docs/command_line.md``, and write what they answer below them.

Run it when a command or its output changes: ``python docs/transcript.py``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from pathlib import Path

from multibody.cli import main

PAGE = Path(__file__).resolve().with_name("command_line.md")
BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
MASKED = [
    (r"time taken +.*", "time taken …"),
    (r"(\w+ +)[\d.]+( +\d+  proved equal)", r"\1…\2"),
    (r"-?[\d.]+e-\d+|0\.0e\+00", "…"),  # rounding, which may also be zero
    (" +", " "),
]
"""What is different in each run, or on each machine: times that were taken, and the last digits."""


def answered(line: str, before: int) -> tuple[str, int]:
    """What a line prints, on both streams, and its exit code; ``echo $?`` and ``cat`` are the only other programs."""
    words = shlex.split(line)
    if words[:2] == ["echo", "$?"]:
        return f"{before}\n", 0
    if words[0] == "cat":
        return Path(words[1]).read_text(encoding="utf-8"), 0
    assert words[0] == "multibody", f"only the multibody command can be run, not {line!r}"
    streams = io.StringIO()
    with contextlib.redirect_stdout(streams), contextlib.redirect_stderr(streams):
        code = main(words[1:])
    return streams.getvalue(), int(code)


def answered_block(block: str, code: int) -> tuple[str, int]:
    """A block with fresh answers below its commands."""
    lines = []
    for command in (line for line in block.splitlines() if line.startswith("$ ")):
        text, code = answered(command[2:], code)
        lines.append(f"{command}\n{text}")
    return "".join(lines), code


def page(text: str) -> str:
    """The page with the answers of now; all commands run in one folder, which goes away."""
    here, code = Path.cwd(), 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal code
        fresh, code = answered_block(match[0], code)
        return fresh

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return BLOCK.sub(replaced, text)
        finally:
            os.chdir(here)


def comparable(text: str) -> str:
    """The page without what is different in each run."""
    for pattern, replacement in MASKED:
        text = re.sub(pattern, replacement, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
