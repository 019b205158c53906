"""Examples, run as they are."""

import runpy
import sys
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "examples" / "gallery"


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """What a script of the gallery has defined and printed, and its picture, after it ran with all its own asserts."""
    folder = tmp_path_factory.mktemp("gallery")

    @cache
    def run(name):
        import matplotlib as mpl
        import matplotlib.pyplot as plt

        mpl.use("Agg")
        picture = folder / f"{name}.png"
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
            patch.setattr(sys, "argv", [name, str(picture)])
            defined = runpy.run_path(str(SCRIPTS / f"{name}.py"))
        plt.close("all")
        return SimpleNamespace(defined=defined, printed=printed.getvalue(), picture=picture)

    return run


@pytest.fixture(scope="session")
def ran(shown):
    """Everything that an example has defined."""
    return lambda name: shown(name).defined
