"""Two versions of the package share one cache: each uses what it has made itself, or what is the same."""

import lzma
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import multibody

from .children import HERE, said

USED = """
import hashlib, sys, multibody as mb
from multibody.compiler import engine
from small_models import crane, moved

made = []
compiled = engine._compiled
engine._compiled = lambda *given: made.append(1) or compiled(*given)
run = moved(mb.derive(crane(links=1)))
print(mb.__version__, len(made), hashlib.sha256(run.y.tobytes() + run["tip"].tobytes()).hexdigest())
"""


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """This version, and one with other code: it multiplies and adds in two steps, and its loops differ."""
    here = Path(multibody.__file__).parent
    other = tmp_path_factory.mktemp("other") / "multibody"
    shutil.copytree(here, other, ignore=shutil.ignore_patterns("__pycache__"))
    change(other / "__init__.py", '__version__ = "', '__version__ = "99.')
    change(other / "compiler" / "engine.py", "return not x86 or ", "return False and ")
    loop = other / "simulation" / "kernel" / "advance.ll.xz"
    loop.write_bytes(lzma.compress(lzma.decompress(loop.read_bytes()) + b"; of the other version\n"))
    return here.parent, other.parent


def change(path, before, after):
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, path
    path.write_text(text.replace(before, after), encoding="utf-8")


def use(version, cache):
    found = said(USED, PYTHONPATH=":".join(map(str, [HERE, version, *(one for one in sys.path if one)])),
                 MULTIBODY_CACHE=cache)  # fmt: skip
    name, made, digest = found.split()
    return name, int(made), digest


def test_alternately_and_at_once(versions, tmp_path):
    shutil.copytree(os.environ["MULTIBODY_CACHE"], tmp_path / "of version 0")  # the loops may be there already
    alone = [use(version, tmp_path / f"of version {k}") for k, version in enumerate(versions)]
    assert len({name for name, _, _ in alone}) == 2
    assert alone[0][2] != alone[1][2], "the versions do not differ"
    common = tmp_path / "common"
    shutil.copytree(tmp_path / "of version 0", common)
    shutil.copytree(tmp_path / "of version 1", common, dirs_exist_ok=True)
    first, second = versions
    assert [use(one, common) for one in (second, first)] == [(name, 0, digest) for name, _, digest in alone[::-1]]
    for path in [*common.glob("[0-9a-f]*.o")][::2]:  # what is missing is made at once, by both
        path.unlink()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda one: use(one, common), [first, second, first, second]))
    assert [one[2] for one in found] == [alone[0][2], alone[1][2]] * 2
