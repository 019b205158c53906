"""The Whipple bicycle of the benchmark, as the example describes it."""

import runpy
from functools import cache
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "bicycle_stability.py"


@cache
def example():
    """Everything that the example has defined, after it ran with all its own asserts."""
    return runpy.run_path(str(EXAMPLE))
