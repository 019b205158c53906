"""The verb ``linearize``: from equations of motion to the linear system near an operating point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.linear.linear_system import LinearizedSystem
from multibody.linear.linearizer import Linearizer
from multibody.linear.point import At, place
from multibody.linear.signals import input_places, output_signals


def linearize(
    eom: EquationsOfMotion, at: At = None, *, inputs: Iterable[str] | None = None,
    outputs: Iterable[str] | Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None,
    independent: Iterable[str] = (), t: float | None = None,
) -> LinearizedSystem:  # fmt: skip
    """The linear system near an operating point, with numbers; ``linearize_symbolic`` leaves symbols in it.

    The point need not be an equilibrium: along a motion it is the picture of deviations from it at that instant.
    Derivatives are exact. Dependent coordinates and speeds, accelerations and constraint forces follow from the
    equations of motion.

    Args:
        eom: equations of motion.
        at: values by name of coordinates, speeds and inputs; or a state, an instant of a run (which brings its inputs,
            parameters and time along), or another operating point. What is not given has its start value, or follows
            from the constraints; inputs are zero.
        inputs: names of those that are inputs of the linear system; by default all.
        outputs: names of sensors (``"tip"``, or ``"tip[2]"`` for a component), coordinates, speeds, accelerations or
            multipliers; or expressions by name. By default all sensors; in a system without sensors, coordinates and
            speeds.
        parameters: values by name, where they are not the defaults.
        independent: names of coordinates and speeds that shall be states; others are chosen by pivoting where these
            are not enough.
        t: time; zero, unless an instant says otherwise.

    Raises:
        ModelError: for names that do not exist, or independent states that are not.
        AssemblyError: if no state keeps the constraints with the given values.
        ExpressionError: where a derivative does not exist; it says of what.
        SingularMatrixError: where constraints lose rank or the mass matrix is singular.

    Example:
        >>> import multibody as mb
        >>> from multibody.linear import linearize
        >>> crane = mb.System("crane", gravity=(0, 0, -10))
        >>> crab = crane.body("crab", mass=10)
        >>> load = crane.body("load", mass=1, com=(0, 0, -1))
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> swing = crane.joint("swing", crab, load, "Ry")
        >>> force = crane.load(mb.Force(crab, (crane.input("F"), 0, 0)))
        >>> lin = linearize(mb.derive(crane), at={"swing": 0.0})
        >>> lin.A.round(12).tolist()[2:]
        [[0.0, -1.0, 0.0, 0.0], [0.0, -11.0, 0.0, 0.0]]
        >>> [round(mode.frequency, 6) for mode in lin.modes if mode.oscillates]
        [3.316625]
    """
    where = place(eom, at, parameters=parameters, t=t)
    found = Linearizer.of(eom, output_signals(eom, outputs))
    return found.at(where, input_places(eom, inputs), independent)
