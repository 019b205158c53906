"""A cache of compiled code for one test alone, and a count of what was compiled."""

import pytest

from multibody.compiler import engine


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A fresh cache that does not exist yet."""
    path = tmp_path / "deep" / "cache"
    monkeypatch.setenv("MULTIBODY_CACHE", str(path))
    return path


@pytest.fixture
def compilations(monkeypatch):
    """How often the compiler has worked."""
    calls = []
    original = engine._compiled
    monkeypatch.setattr(engine, "_compiled", lambda *args: calls.append(1) or original(*args))
    return calls
