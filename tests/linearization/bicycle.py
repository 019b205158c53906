"""The Whipple bicycle of the benchmark, as the example describes it."""

import runpy
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "gallery" / "bicycle_stability.py"


@cache
def example():
    """Everything that the example has defined, after it ran with all its own asserts."""
    with TemporaryDirectory() as folder, patch.object(sys, "argv", [EXAMPLE.name, f"{folder}/poles.png"]):
        return runpy.run_path(str(EXAMPLE))
