"""Equations of motion as code for other tools.

Example:
    >>> import multibody as mb
    >>> from multibody.export import Python, export
    >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
    >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
    >>> folder = getfixture("tmp_path")
    >>> [path.name for path in export(mb.derive(pendulum), Python(), folder).written]
    ['pendulum.py']
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import ConversionError
from multibody.export.c import C
from multibody.export.casadi import Casadi
from multibody.export.contract import SourceTarget, Target
from multibody.export.cpp import Cpp
from multibody.export.fmi import Fmi, write_fmu
from multibody.export.javascript import JavaScript
from multibody.export.jax import Jax
from multibody.export.julia import Julia
from multibody.export.matlab import Matlab, SFunction
from multibody.export.modelica import Flange, Modelica
from multibody.export.options import check_option, path_of
from multibody.export.program import Program
from multibody.export.python import Python
from multibody.export.quantities import Quantity, Result, Routine
from multibody.export.report import Latex, Markdown
from multibody.export.rust import Rust
from multibody.export.shared_library import write_library
from multibody.export.syntax import Syntax
from multibody.export.writing import Exported, write
from multibody.graph import isolated

__all__ = [
    "C", "Casadi", "Cpp", "Exported", "Flange", "Fmi", "JavaScript", "Jax", "Julia", "Latex", "Markdown", "Matlab",
    "Modelica", "Program", "Python", "Quantity", "Result", "Routine", "Rust", "SFunction", "SourceTarget", "Syntax",
    "Target", "export", "write_fmu", "write_library",
]  # fmt: skip


def export(
    eom: EquationsOfMotion, target: Target | type[Target], folder: str | Path, *,
    parameters: Mapping[str, Any] | None = None, overwrite: bool = False,
) -> Exported:  # fmt: skip
    """Write equations of motion for another tool.

    Args:
        eom: the equations.
        target: the language or tool, such as ``Python()``; the class ``Python`` stands for its defaults.
        folder: where the files go; it is made if it does not exist.
        parameters: numbers by name, to be written as defaults in the place of the model's own; an array by its own
            name. Parameters whose defaults are formulas of others stay formulas, unless they are given numbers here.
            Those without any value must be given by whoever uses the code, and FMUs cannot be written without them.
        overwrite: whether files that were changed by hand are replaced, too. By default they stay as they are, and a
            new text, if there is one, goes beside them, as ``name.new``.

    Returns:
        What became of each file.
    """
    chosen = _chosen(target)
    check_option("overwrite", overwrite, "export")
    place, program = path_of(folder, "export"), Program.of(eom, parameters)
    with isolated():  # what is written does not depend on what else is alive
        files = chosen.files(program)
    return write(place, files, overwrite=overwrite, superseded=chosen.superseded())


def _chosen(target: object) -> Target:
    """The target; a class is one with the defaults of all options."""
    made = target() if isinstance(target, type) and issubclass(target, Target) else target
    if not isinstance(made, Target):
        raise ConversionError(
            f"{made!r:.80} is no target.", where="export", remedy="Give an object such as C(), Python() or Matlab()."
        )
    return made


class _Room(ModuleType):
    """The room itself can be called, because ``multibody.export`` is the name of the verb as well."""

    def __call__(self, *args: Any, **named: Any) -> Exported:
        return export(*args, **named)


sys.modules[__name__].__class__ = _Room
