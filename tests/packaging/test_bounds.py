"""What the project asks for, and what is tested: the oldest version of each library is the one that is tried."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEVELOPERS = {"test", "lint", "bench", "docs", "package", "kernels", "all"}


def lowest() -> dict[str, str]:
    """The bound of each library that a user may get."""
    extras = PROJECT["optional-dependencies"]
    needs = [*PROJECT["dependencies"], *(need for name in extras.keys() - DEVELOPERS for need in extras[name])]
    found = (
        re.match(r"([\w.-]+)(?:\[\w+\])?(?:>=([\d.]+))?", need) for need in needs if not need.startswith("multibody[")
    )
    return {one[1]: one[2] or "none" for one in found if one}


def test_each_library_has_a_lowest_version_and_that_is_tested():
    lines = (HERE / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    numbers = {name: tuple(map(int, tested.get(name, "0").split("."))) for name in lowest()}
    asked = {name: tuple(int(part) for part in bound.split(".") if part.isdigit()) for name, bound in lowest().items()}
    short = {name: number[: len(asked[name])] for name, number in numbers.items()}
    assert short == asked
    rest = {name: number[len(asked[name]) :] for name, number in numbers.items()}
    assert not any(any(more) for more in rest.values()), rest  # 1.2 is tested as 1.2.0


def test_everything_for_users_is_in_one_extra():
    extras = PROJECT["optional-dependencies"]
    (named,) = extras["all"]
    assert set(named.removeprefix("multibody[").removesuffix("]").split(",")) == extras.keys() - DEVELOPERS
