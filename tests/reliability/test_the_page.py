"""The page on reliability names every test, and every test that it names exists."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reliability.md"


def names_here():
    texts = [path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py") if path != Path(__file__)]
    return {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}


def fault_tables():
    """The tables of this folder's faults; the sections on other tools have tests of their own."""
    return PAGE.read_text(encoding="utf-8").partition("## Sanitizers and fuzzers")[0]


def test_every_test_is_named_and_every_name_is_a_test():
    named = set(re.findall(r"`(test_\w+)`", fault_tables()))
    assert named == names_here()


def test_every_file_that_is_named_exists():
    named = re.findall(r"`(tests/\w+/\w+\.py)`", PAGE.read_text(encoding="utf-8"))
    assert named
    assert [one for one in named if not (HERE.parents[1] / one).is_file()] == []
