"""The gallery: every script runs and keeps its own asserts, and the page shows what the scripts print and draw."""

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

from multibody import library

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCRIPTS = DOCS.parent / "examples" / "gallery"
NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")
ROUNDING = 1e-6
"""Errors in what scripts print are smaller than this, and depend on the machine."""


@cache
def pages():
    spec = importlib.util.spec_from_file_location("gallery_pages", DOCS / "gallery_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def page():
    return (DOCS / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_script_draws_its_picture_and_prints_what_the_page_shows(name, shown):
    found, expected = shown(name), pages().shown(page())[name]
    assert found.picture.read_bytes().startswith(b"\x89PNG")
    assert found.picture.stat().st_size > 10_000
    printed = pages().result(found.printed)
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", expected).split()
    numbers = ([float(one) for one in NUMBER.findall(text)] for text in (printed, expected))
    for ours, theirs in zip(*numbers, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-5, abs=ROUNDING)


@pytest.mark.parametrize("name", NAMES)
def test_a_script_tells_what_it_is(name):
    title, text = pages().told(name)
    assert 0 < len(title) < 100
    assert text.endswith(".")
    assert not re.search(r"^\s*([-+*>#]|\d+[.)])\s", text, re.MULTILINE)  # which Markdown would take for a list
    code = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    assert "\nassert " in code
    assert f'sys.argv[1] if len(sys.argv) > 1 else "{name}.png"' in code  # never into the repository by itself


def test_the_page_is_what_its_maker_makes():
    assert pages().page(pages().shown(page())) == page()


def test_every_script_is_on_the_page_once():
    assert sorted(pages().names()) == NAMES
    assert sorted(pages().shown(page())) == NAMES


def test_pictures_are_there_and_small():
    pictures = {path.stem: path for path in (DOCS / "gallery").iterdir()}
    assert sorted(pictures) == NAMES
    for path in pictures.values():
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < 80_000


def test_every_model_of_the_library_has_a_script():
    code = "".join((SCRIPTS / f"{name}.py").read_text(encoding="utf-8") for name in NAMES)
    assert [name for name in library.names() if f"library.{name}(" not in code] == []
