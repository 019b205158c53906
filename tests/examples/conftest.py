"""Examples, run as they are."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="session")
def ran():
    """Everything that an example has defined, after it ran with all its own asserts."""
    return lambda name: runpy.run_path(str(EXAMPLES / f"{name}.py"))
