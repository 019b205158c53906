"""Compiled code on disk: found again, never trusted blindly, never in the way."""

import logging
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from multibody.compiler import Function, disk_cache
from multibody.graph import sin, symbols

(x,) = symbols("x")

PROGRAM = """
import sys
from multibody.compiler import Function, engine
from multibody.graph import sin, symbols
(x,) = symbols("x")
compiled = []
original = engine._compiled
engine._compiled = lambda *args: compiled.append(1) or original(*args)
print(Function("f", {"x": x}, {"y": sin(x) * 3 + x})(0.5), len(compiled))
"""


def _use(k=3):
    return Function("f", {"x": x}, {"y": sin(x) * k + x})(0.5)


def _files(folder):
    return sorted(folder.glob("*.o"))


def test_the_second_time_nothing_is_compiled(folder, compilations):
    first = _use()
    assert len(compilations) == 1
    assert _use() == first
    assert len(compilations) == 1
    assert len(_files(folder)) == 1


def test_different_functions_have_different_files(folder, compilations):
    assert _use(3) != _use(4)
    assert len(_files(folder)) == len(compilations) == 2


def test_another_process_finds_the_code(folder):
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=300)
        for _ in range(2)
    ]
    first, second = (run.stdout.split() for run in runs)
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("2", "0")  # the function, and the loop over states that all functions share


def test_processes_that_write_at_once_do_not_disturb_each_other(folder):
    def run(_):
        return subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=300)

    with ThreadPoolExecutor(5) as pool:
        runs = list(pool.map(run, range(5)))
    assert [r.returncode for r in runs] == [0] * 5
    assert len({r.stdout.split()[0] for r in runs}) == 1
    assert len(_files(folder)) == 2
    assert list(folder.glob("*.tmp")) == []


def test_only_the_user_can_read_it(folder):
    before = os.umask(0)
    try:
        _use()
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in _files(folder)} == {0o600}


DAMAGES = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "checksum only": lambda content: content[:32],
    "one bit": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "garbage": lambda content: os.urandom(len(content)),
    "longer": lambda content: content + b"x",
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_damaged_files_are_compiled_again_and_replaced(folder, compilations, caplog, damage):
    good = _use()
    (path,) = _files(folder)
    content = path.read_bytes()
    path.write_bytes(DAMAGES[damage](content))
    with caplog.at_level(logging.WARNING, "multibody"):
        assert _use() == good
    assert "damaged" in caplog.text
    assert len(compilations) == 2
    assert len(path.read_bytes()) == len(content)
    assert _use() == good
    assert len(compilations) == 2


def test_a_file_under_the_wrong_name_is_not_believed(folder, compilations):
    three, four = _use(3), _use(4)
    first, second = _files(folder)
    contents = first.read_bytes(), second.read_bytes()
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    assert (_use(3), _use(4)) == (three, four)
    assert len(compilations) == 4


def test_a_directory_in_place_of_a_file_does_no_harm(folder, compilations):
    good = _use()
    (path,) = _files(folder)
    path.unlink()
    path.mkdir()
    assert _use() == good
    assert len(compilations) == 2


# --- size ------------------------------------------------------------------------------------------------------------


def test_the_files_that_were_not_used_for_longest_are_removed(folder, monkeypatch, compilations):
    _use(0.5)
    (first,) = _files(folder)
    monkeypatch.setattr(disk_cache, "MAX_BYTES", int(3.5 * first.stat().st_size))
    os.utime(first, (1, 1))
    for k in (1.5, 2.5):
        _use(k)
    _use(0.5)  # used again: now the youngest
    second = min(_files(folder), key=lambda path: path.stat().st_mtime)
    os.utime(second, (2, 2))
    _use(3.5)
    assert len(_files(folder)) == 3
    assert first.exists()
    assert not second.exists()
    assert len(compilations) == 4


def test_other_files_are_left_alone(folder, monkeypatch):
    folder.mkdir(parents=True, mode=0o700)
    (folder / "notes.txt").write_text("mine")
    monkeypatch.setattr(disk_cache, "MAX_BYTES", 0)
    _use()
    assert (folder / "notes.txt").read_text() == "mine"
