"""Commands of PyMbs scripts that need equations: pictures, listings, descriptions of shapes."""

from __future__ import annotations

import logging
import os
from configparser import ConfigParser
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from multibody.compat.pymbs.command import Limits, Value, command
from multibody.compat.pymbs.frames import scalar
from multibody.compat.pymbs.generation.code import GenCode
from multibody.compat.pymbs.refusals import UnsupportedError, UsageError, rigid_only, unused
from multibody.compat.pymbs.world import WorldBase
from multibody.equations import EquationsOfMotion
from multibody.errors import StorageError
from multibody.graph import Expr, array, evaluate
from multibody.model import Drawing, Mesh, Parameter

_log = logging.getLogger("multibody")

HEADLESS = "MULTIBODY_HEADLESS"
"""The environment variable with which ``show`` opens nothing."""


class Assignment(NamedTuple):
    """An equation ``lhs := rhs``; expressions go to SymPy by ``multibody.graph.to_sympy``."""

    lhs: Any
    rhs: Any


class ResultCommands(WorldBase):
    """Commands that need equations of motion."""

    genCode: GenCode  # noqa: N815 - as PyMbs calls it

    @command()
    def show(self, modelname: str | None = None, options: Any = None, AAFrames: Any = None, **settings: Any) -> Any:
        """The system in the browser, with sliders; a script waits until Ctrl-C.

        Controllers act in the runs that the page makes.

        Args:
            modelname: the title of the page; by default the name of the world.
            options: of the window of PyMbs, which are not needed here; use ``setJointRange``.
            AAFrames: likewise.
            settings: for ``multibody.show``, such as ``port=8080`` or ``block=False``.

        Returns:
            The viewer, which can be closed; None if the environment variable ``MULTIBODY_HEADLESS`` is set. Then
            nothing is opened, and the script goes on.
        """
        if not (self.kinematics_only and self.equations is None):
            self.derived("show")
        if os.environ.get(HEADLESS, "") not in ("", "0"):
            _log.warning("show: nothing is shown, because the environment variable %s is set.", HEADLESS)
            return None
        from multibody import view

        kinematics = self.kinematics_only and self.equations is None
        own = {"title": modelname or ""} | ({"inputs": self.inputs} if self.controllers else {})
        return view.show(self.system if kinematics else self.derived("show"), **own | settings)

    @command("t q0 modelname text_output")
    def simulate(
        self, q0: Value | None = None, t: Value = 10.0, modelname: str = "pymbsModel", text_output: bool = False,
        **settings: Any,
    ) -> Any:  # fmt: skip
        """A run from rest, which is also written to ``<modelname>_values.npy`` as PyMbs does.

        Each row of the file holds the coordinates, then the speeds, at one of the instants ``run.t``. Controllers act.

        Args:
            q0: start values of the independent coordinates, in their order; those of the joints without it.
            t: how long, in seconds.
            modelname: what the name of the file begins with.
            text_output: whether to write ``<modelname>_values.csv`` with plain text instead.
            settings: for ``multibody.simulate``, such as ``inputs={'F': 2.0}`` or ``samples=1001``.

        Returns:
            The run, a ``multibody.Trajectory``.
        """
        from multibody.simulation.single_run import simulate
        from multibody.support.files import atomic_file

        equations = self.derived("simulate")
        if self.controllers or "inputs" in settings:
            settings["inputs"] = {**self.controllers, **(settings.get("inputs") or {})}
        start = None if q0 is None else self._start(equations, q0)
        run = simulate(equations, float(scalar(t)), q=start, **settings)
        values = np.hstack([run.q, run.u])
        with atomic_file(f"{modelname}_values.{'csv' if text_output else 'npy'}", overwrite=True) as stream:
            if text_output:
                np.savetxt(stream, values)
            else:
                np.save(stream, values)
        return run

    @staticmethod
    def _start(equations: EquationsOfMotion, q0: Any) -> dict[str, float]:
        """Coordinates by name."""
        numbers = np.ravel(np.array(q0, dtype=object))
        names = [coordinate.name for coordinate in equations.coordinates]
        if len(numbers) != len(names):
            raise UsageError(
                f"There are {len(names)} coordinates, and {len(numbers)} start values are given.",
                remedy=f"Give one for each of: {', '.join(names)}.",
                code="count-mismatch",
            )
        return dict(zip(names, map(float, numbers), strict=True))

    @command()
    def genMatlabAnimation(
        self, modelname: str, dirname: str = ".", axislimits: Limits | None = None, **settings: Any
    ) -> tuple[Path, ...]:
        """``<name>_visual.m``, which moves the system in MATLAB or Octave, and what it calls.

        Args:
            modelname: the name.
            dirname: the folder.
            axislimits: [Xmin, Xmax, Ymin, Ymax, Zmin, Zmax]; without them, the axes fit the motion.
            settings: not needed here.
        """
        from multibody.compat.pymbs.generation.files import AnimationFiles

        unused("genMatlabAnimation", settings)
        animation = AnimationFiles(() if axislimits is None else _limits(axislimits))
        return self.genCode.write("genMatlabAnimation", animation, modelname, dirname)

    @command()
    def exportGraphReps(self, fileName: str) -> Path:
        """All shapes as text: kind, sizes, body, position and rotation matrix on it, in one section each.

        Args:
            fileName: of the file; ``.cfg`` is added to a name without ending.
        """
        equations = self.derived("exportGraphReps")
        if not equations.model.drawings:
            raise UsageError(
                "There is nothing to look at.",
                where="PyMbs' exportGraphReps",
                remedy="Use addVisualisation first.",
                code="nothing-to-draw",
            )
        path = Path(fileName) if Path(fileName).suffix else Path(f"{fileName}.cfg")
        try:
            path.write_text(graph_reps(equations), encoding="utf-8")
        except OSError as error:
            raise StorageError(
                "The shapes cannot be written.",
                where=f"'{path}'"[:200],
                cause=str(error)[:200],
                remedy="Use another name.",
                code="file-not-writable",
            ) from error
        return path

    def getMotionEquations(self) -> list[Assignment]:
        """The accelerations as functions of coordinates, speeds, inputs, parameters and time; shortened."""
        equations = self.derived("getMotionEquations")
        made = equations.readable().acceleration
        return [Assignment(*pair) for pair in zip(equations.model.accelerations, made, strict=True)]

    def getSensorEquations(self) -> list[Assignment]:
        """What each sensor measures: an expression, or an array of them."""
        equations = self.derived("getSensorEquations")
        return [Assignment(name, value) for name, value in equations.outputs.items()]

    def getParameters(self) -> dict[str, Expr | None]:
        """The defaults of all parameters, by name: numbers, or formulas of others."""
        return {symbol.name: value for each in self.system.all(Parameter) for symbol, value in each.default.items()}

    def genSarturisXml(self, *args: Any, **named: Any) -> None:
        """Not supported."""
        raise UnsupportedError(
            "There are no files for SARTURIS.",
            where="PyMbs' genSarturisXml",
            remedy="Use genCode.C for the equations, or genCode.Fmu; exportGraphReps for the shapes.",
        )

    def addFlexibleBody(self, *args: Any, **named: Any) -> None:
        """Not supported."""
        raise rigid_only("addFlexibleBody")


def _limits(given: Any) -> tuple[float, ...]:
    """Six numbers, of which each second one is greater than the one before."""
    numbers = np.array(given, dtype=float)
    if not (np.isfinite(numbers).all() and (numbers[::2] < numbers[1::2]).all()):
        raise UsageError(
            f"{given!r:.200} are not limits of axes.",
            remedy="Write [Xmin, Xmax, Ymin, Ymax, Zmin, Zmax], each least number before a greater one.",
            code="range-invalid",
        )
    return tuple(numbers.tolist())


# shapes as a text file: a section for each one with its kind, sizes, and place on a body ---------------------------


def graph_reps(eom: EquationsOfMotion) -> str:
    """All shapes of a system, with the numbers that parameters have by default.

    Each section has the name of a shape. ``r`` and ``T`` are position and rotation matrix, row by row, of the shape in
    the frame of its ``body``; boxes and cylinders have their center there, cylinders stand along z.
    """
    known: dict[Any, float] = dict(eom.model.parameter_values())
    sheet = ConfigParser(interpolation=None)
    sheet.optionxform = str  # type: ignore[assignment, method-assign]
    for name, drawing in eom.model.drawings.items():
        sheet[name] = _entries(drawing, known)
    page = StringIO()
    sheet.write(page)
    return page.getvalue()


def _entries(drawing: Drawing, known: dict[Any, float]) -> dict[str, str]:
    place, shape = drawing.frame.pose @ drawing.pose, drawing.shape
    sizes = {size: _numbers(value, known) for size, value in shape.sizes.items()}
    file = {"file": shape.label, "scale": _numbers(shape.scale, known)} if isinstance(shape, Mesh) else {}
    colour = {} if shape.colour is None else {"colour": " ".join(f"{part:.6g}" for part in shape.colour)}
    return {
        "type": type(shape).__name__,
        "body": drawing.frame.body.name,
        **sizes,
        **file,
        **colour,
        "r": _numbers(place.position.to_array(), known),
        "T": _numbers(place.rotation.to_matrix().symbolic().to_array(), known),
    }


def _numbers(value: Any, known: dict[Any, float]) -> str:
    return " ".join(f"{float(evaluate(number, known)):.12g}" for number in array(value).flat)
