"""What is in the cache is never believed: entries of every kind, damaged in every way.

Single entries in one process: ``tests/compiler/test_disk_cache.py``; sweeps: ``tests/simulation/test_sweep_stored.py``.
"""

import os
import shutil
import sys
from hashlib import sha256

import pytest

from .children import said

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are other owners and links there")

USED = """
import hashlib, multibody as mb
from small_models import crane, moved

eom = mb.derive(crane(links=1))
run = moved(eom)
image = mb.picture(crane(links=1), run=run, size=(64, 48))
print(hashlib.sha256(run.y.tobytes() + run["tip"].tobytes() + image.tobytes()).hexdigest())
"""
PATTERN = "[0-9a-f]*.o"
"""Files of machine code, of functions and of shipped loops alike."""


def truncated(path):
    path.write_bytes(path.read_bytes()[:-100])


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def emptied(path):
    path.write_bytes(b"")


def of_another_version(path):
    """What a version would have written that puts something else in front of the code."""
    path.write_bytes(b"multibody 99\n" + path.read_bytes())


def of_another_name(path):
    """It is whole, but something else."""
    code = path.read_bytes()[32:]
    path.write_bytes(sha256(b"another" + code).digest() + code)


def made_a_folder(path):
    path.unlink()
    path.mkdir()


def linked_elsewhere(path):
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def linked_to_what_has_no_end(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def linked_to_itself(path):
    path.unlink()
    path.symlink_to(path)


def made_a_pipe(path):
    """Whoever opens it for reading would wait forever."""
    path.unlink()
    os.mkfifo(path)


def forbidden(path):
    path.chmod(0o000)


DAMAGES = [
    truncated, flipped, emptied, of_another_version, of_another_name, made_a_folder, linked_elsewhere,
    linked_to_what_has_no_end, linked_to_itself, made_a_pipe, forbidden,
]  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with entries of all kinds, and what was computed with them."""
    cache = tmp_path_factory.mktemp("filled") / "cache"
    shutil.copytree(os.environ["MULTIBODY_CACHE"], cache)  # the loops may be there already
    digest = said(USED, MULTIBODY_CACHE=cache)
    assert len(list(cache.glob(PATTERN))) > 3
    return cache, digest


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_damaged_entry_is_believed(filled, tmp_path, damage):
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    paths = sorted(filled[0].glob(PATTERN))[:3]
    for path in paths:
        shutil.copy(path, cache / path.name)
    for path in paths:
        damage(cache / path.name)
    assert loaded(cache, *paths) == [False] * 3


def loaded(cache, *paths):
    """Whether each of them is used."""
    code = (
        "import logging, sys; from multibody.compiler import disk_cache; logging.disable()\n"
        "print(*(disk_cache.load(key) is not None for key in sys.argv[1:]))"
    )
    found = said(code, *(path.stem for path in paths), MULTIBODY_CACHE=cache, bound=True)
    return [word == "True" for word in found.split()]


def test_undamaged_entries_are_used(filled):
    assert loaded(filled[0], *sorted(filled[0].glob(PATTERN))[:3]) == [True] * 3


def test_all_entries_damaged_at_once(filled, tmp_path):
    """Everything is compiled again, and everything is the same to the last bit."""
    cache = tmp_path / "cache"
    shutil.copytree(filled[0], cache)
    for k, path in enumerate(sorted(cache.glob("*.o"))):
        DAMAGES[k % len(DAMAGES)](path)
    assert said("import logging; logging.disable()\n" + USED, MULTIBODY_CACHE=cache, bound=True) == filled[1]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a file away")
def test_a_good_entry_of_another_user_is_not_used(filled, tmp_path):
    """A checksum is no signature."""
    cache = tmp_path / "cache"
    shutil.copytree(filled[0], cache)
    path = next(cache.glob("*.o"))
    os.chown(path, 12345, -1)
    assert loaded(cache, path) == [False]


@pytest.mark.parametrize("name", ["a cache with spaces", "Каталог-кэш-Größe", "line\nbreak", "dash -rf *"])
def test_names_of_the_folder(filled, tmp_path, name):
    cache = tmp_path / name
    shutil.copytree(filled[0], cache)
    before = sorted(path.stat().st_mtime for path in cache.glob("*.o"))
    assert said(USED, MULTIBODY_CACHE=cache) == filled[1]
    assert len(list(cache.glob("*.o"))) == len(before)
