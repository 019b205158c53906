"""One file for each sub-command; importing them enters them in the app."""

from multibody.cli.app import app
from multibody.cli.commands import (
    bench,
    check,
    compare,
    demo,
    derive,
    equilibrium,
    export,
    linearize,
    new,
    report,
    show,
    simulate,
    sweep,
)  # fmt: skip

ORDER = "new check demo bench derive compare export report simulate show sweep linearize equilibrium".split()
"""In which they stand in the help: as one comes to need them."""

app.registered_commands.sort(key=lambda one: ORDER.index(str(one.name)))

__all__ = [
    "bench", "check", "compare", "demo", "derive", "equilibrium", "export", "linearize", "new", "report", "show",
    "simulate", "sweep",
]  # fmt: skip
