"""Equations of motion as code for other tools.

Example:
    >>> import multibody as mb
    >>> from multibody.codegen import Python, export
    >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
    >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
    >>> folder = getfixture("tmp_path")
    >>> [path.name for path in export(mb.derive(pendulum), Python(), folder).written]
    ['pendulum.py']
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multibody.codegen.binaries.shared_library import write_library
from multibody.codegen.contract import SourceTarget, Target, check_option, path_of
from multibody.codegen.live.casadi import Casadi
from multibody.codegen.live.jax import Jax
from multibody.codegen.program import Program
from multibody.codegen.program_data import Result, Routine, ScalarVariable
from multibody.codegen.syntax import Syntax
from multibody.codegen.targets.c.c import C
from multibody.codegen.targets.c.cpp import Cpp
from multibody.codegen.targets.fmi import Fmi, write_fmu
from multibody.codegen.targets.javascript import JavaScript
from multibody.codegen.targets.julia import Julia
from multibody.codegen.targets.matlab import Matlab, SFunction
from multibody.codegen.targets.modelica import Flange, Modelica
from multibody.codegen.targets.python.python import Python
from multibody.codegen.targets.rust import Rust
from multibody.codegen.writing import Exported, write
from multibody.equations import EquationsOfMotion
from multibody.errors import ConversionError
from multibody.graph import isolated

__all__ = [
    "C", "Casadi", "Cpp", "Exported", "Flange", "Fmi", "JavaScript", "Jax", "Julia", "Matlab", "Modelica", "Program",
    "Python", "Result", "Routine", "Rust", "SFunction", "ScalarVariable", "SourceTarget", "Syntax", "Target",
    "export", "write_fmu", "write_library",
]  # fmt: skip


def export(
    eom: EquationsOfMotion, target: Target | type[Target], folder: str | Path, *,
    parameters: Mapping[str, Any] | None = None, overwrite: bool = False,
) -> Exported:  # fmt: skip
    """Write equations of motion for another tool.

    Args:
        eom: the equations.
        target: the language or tool, such as ``Python()``; the class ``Python`` represents its defaults.
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
            f"{made!r:.80} is not a target.",
            where="export",
            remedy="Give an object such as C(), Python() or Matlab().",
            code="target-expected",
            value=f"{made!r:.80}",
        )
    return made
