"""Cache directories that cannot be used are left alone, and nobody is bothered."""

import logging
import os
import sys

import pytest

from multibody.compiler import Function, disk_cache
from multibody.graph import sin, symbols

(x,) = symbols("x")
as_root = hasattr(os, "getuid") and os.getuid() == 0


def _use(k=3):
    return Function("f", {"x": x}, {"y": sin(x) * k + x})(0.5)


def _files(folder):
    return sorted(folder.glob("*.o"))


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o720, 0o777, 0o701])
def test_a_directory_open_to_others_is_not_used(folder, compilations, caplog, mode):
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with caplog.at_level(logging.WARNING, "multibody"):
        assert _use() == _use()
    assert len(compilations) == 2
    assert list(folder.iterdir()) == []
    assert "700" in caplog.text


@pytest.mark.skipif(not as_root, reason="only root can give a directory away")
def test_a_directory_of_another_user_is_not_used(folder, compilations):
    folder.mkdir(parents=True, mode=0o700)
    os.chown(folder, 12345, -1)
    assert _use() == _use()
    assert len(compilations) == 2
    assert list(folder.iterdir()) == []


def _forbidden(*args, **kwargs):
    raise PermissionError(13, "Permission denied")


def test_a_read_only_directory_is_read_and_not_written(folder, compilations, monkeypatch):
    good = _use(3)
    if as_root:  # whom no mode keeps from writing
        monkeypatch.setattr(disk_cache.tempfile, "mkstemp", _forbidden)
        monkeypatch.setattr(disk_cache.os, "utime", _forbidden)
    else:
        folder.chmod(0o500)
    assert _use(3) == good
    assert len(compilations) == 1, "code that can be read need not be compiled"
    assert _use(5) == _use(5)
    assert len(compilations) == 3
    folder.chmod(0o700)
    assert len(_files(folder)) == 1


def test_a_full_disk_leaves_nothing_behind(folder, compilations, monkeypatch):
    folder.mkdir(parents=True, mode=0o700)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk_cache.os, "replace", full)
    assert _use() == _use()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("place", ["/dev/null/cache", "/proc/nowhere"])
def test_an_impossible_place_does_no_harm(monkeypatch, compilations, place):
    monkeypatch.setenv("MULTIBODY_CACHE", place)
    assert _use() == _use()
    assert len(compilations) == 2


@pytest.mark.parametrize("word", ["off", "OFF", "Off"])
def test_it_can_be_switched_off(tmp_path, monkeypatch, compilations, word):
    monkeypatch.setenv("MULTIBODY_CACHE", word)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert disk_cache.directory() is None
    assert _use() == _use()
    assert len(compilations) == 2
    assert list(tmp_path.iterdir()) == []


def test_by_default_it_is_in_the_users_cache_directory(tmp_path, monkeypatch):
    monkeypatch.delenv("MULTIBODY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform != "win32":
        assert disk_cache.directory() == tmp_path / "multibody"
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert disk_cache.directory() == tmp_path / ".cache" / "multibody"
