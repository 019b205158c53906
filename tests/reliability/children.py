"""Processes of their own for what would end, or bend, the one that tests."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

HERE = Path(__file__).parent
PATIENCE = 300  # seconds after which a process counts as hanging, on a busy machine


def surroundings(**changed):
    """The environment of a child, which finds the package and the files beside this one; None takes a name out."""
    paths = os.pathsep.join([str(HERE), *(one for one in sys.path if one)])
    wanted = {**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "error", **changed}
    return {name: str(value) for name, value in wanted.items() if value is not None}


BOUND = """
import ctypes, os, sys
for capability in (1, 2) if sys.platform == "linux" else ():  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP, in force from the next program on
os.execv(sys.argv[1], sys.argv[1:])
"""
"""A program that lets modes of files bind root, too, and becomes another one; everybody else is bound anyway."""


def command(code, *arguments):
    """A child that runs a text, which passes through any locale."""
    return [sys.executable, "-c", f"exec({code!a})", *map(str, arguments)]


def run(code, *arguments, cwd=None, bound=False, **changed):
    """A child that has come to its end."""
    before = [sys.executable, "-c", BOUND] if bound else []
    return subprocess.run(
        [*before, *command(code, *arguments)], env=surroundings(**changed), cwd=cwd,
        capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False,
    )  # fmt: skip


def said(code, *arguments, **options):
    """What a child prints that ends well and does not complain."""
    done = run(code, *arguments, **options)
    assert (done.returncode, done.stderr) == (0, ""), f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


def begun(code, *arguments, **changed):
    """A child that has just printed a line."""
    child = subprocess.Popen(
        command(code, *arguments), env=surroundings(**changed), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    watchdog = Timer(PATIENCE, os.killpg, [child.pid, signal.SIGKILL])
    watchdog.start()
    first = child.stdout.readline().strip()
    watchdog.cancel()
    if first != "begun":
        child.kill()
        raise AssertionError(child.communicate(timeout=PATIENCE)[1][-2000:])
    return child


def ended(child):
    """The exit code of a child, and what it complained about; nothing that it started may be left."""
    try:
        complaint = child.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        raise
    assert not descendants(child.pid), "processes are left behind"
    return child.returncode, complaint


def descendants(session):
    """What is alive of the session that a child began."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found
