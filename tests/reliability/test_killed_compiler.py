"""Processes that are killed while they compile and write to the cache: the next one works, and finds no half files."""

import os
import signal
import subprocess
import sys
import time
from hashlib import sha256

import pytest

from .children import command, said, surroundings

COMPILING = """
import sys
from multibody.compiler import Function
from multibody.graph import sin, symbols

x, y = symbols("x y")
for k in range(int(sys.argv[1])):
    Function("f", {"x": x, "y": y}, {"z": [sin(x * j + k) * y for j in range(1, 40)]})(0.5, 2.0)
    if not k:
        print("begun", flush=True)
"""
CHECKED = (
    COMPILING
    + """
import math
z = Function("f", {"x": x, "y": y}, {"z": [sin(x * j) * y for j in range(1, 40)]})(0.5, 2.0)
assert max(abs(z[j - 1] - 2 * math.sin(0.5 * j)) for j in range(1, 40)) < 1e-14
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="the system kills in another way")
def test_a_compiler_that_is_killed_again_and_again(tmp_path):
    cache = tmp_path / "cache"
    for moment in (0.0, 0.03, 0.06, 0.1, 0.15):
        child = subprocess.Popen(
            command(COMPILING, 10_000), env=surroundings(MULTIBODY_CACHE=cache), stdout=subprocess.PIPE
        )
        with child:
            try:
                child.stdout.readline()
                time.sleep(moment)
            finally:
                child.send_signal(signal.SIGKILL)
    files = list(cache.glob("*.o"))
    assert files
    for file in files:  # what has its name is whole
        content = file.read_bytes()
        assert sha256(file.stem.encode() + content[32:]).digest() == content[:32]
    assert said(CHECKED, 3, MULTIBODY_CACHE=cache) == "begun\n"
    assert len(list(cache.glob("*.o"))) >= len(files)


def test_what_a_killed_process_has_left_is_removed_in_time(tmp_path):
    """A file without its name may be another process's that is just being written; but not for a day."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    old, fresh = cache / "tmpold.tmp", cache / "tmpfresh.tmp"
    for one in (old, fresh):
        one.write_bytes(b"half")
    os.utime(old, (time.time() - 2 * 86_400,) * 2)
    said(COMPILING, 1, MULTIBODY_CACHE=cache)
    assert not old.exists()
    assert fresh.exists()
