"""The page on formalisms says how much of a derivation all of them share; the command that it names finds the same."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("shared_lines", ROOT / "docs" / "shared_lines.py")
shared_lines = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shared_lines)


def test_the_page_quotes_what_the_command_counts():
    page = " ".join((ROOT / "docs" / "formalisms.md").read_text(encoding="utf-8").split())
    quoted = [int(one) for one in re.search(r"(\d+) % in the mean are run by .*? and (\d+) % of all", page).groups()]
    counted = re.search(r"(\d+)% of the lines of a derivation, in the mean, and (\d+)%", shared_lines.table(found()))
    for said, now in zip(quoted, map(int, counted.groups()), strict=True):
        assert abs(said - now) <= 3  # a few lines come and go with other work; run docs/shared_lines.py then
    assert "`python docs/shared_lines.py`" in page


def found():
    return shared_lines.derivations()


def test_what_is_shared_is_more_than_expressions():
    parts = {shared_lines.part_of(path) for path, _ in shared_lines.shared(found())}
    assert {"joints, loads and loops", "kinematics and constraint equations"} <= parts
    assert shared_lines.recorded(lambda: None) == set()
