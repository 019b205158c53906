"""``genEquations``: equations of motion, in the call form of the tutorial and by the names of the schemes."""

from __future__ import annotations

from typing import Any

from multibody.compat.pymbs.command import Levels, command
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase
from multibody.equations import EquationsOfMotion
from multibody.errors import SingularMatrixError
from multibody.formalisms import ArticulatedBody, Formalism, NewtonEuler, Recursive, derive
from multibody.formalisms.articulated_body import has_own_speeds


class GenEquations:
    """Derives the equations of motion of a world, and returns them.

    ``diff``, ``simplify`` and ``graphOptimizations`` are understood and not needed: constraints are there at all three
    levels, and derivation takes milliseconds. With ``kinematicsOnly``, parts need no masses; if they have none, there
    are no equations, but ``show`` moves the system.
    """

    def __init__(self, mbs: WorldBase) -> None:
        self._mbs = mbs

    @command()
    def __call__(
        self, explicit: bool = False, diff: Levels = 0, kinematicsOnly: bool = False, simplify: bool = True,
        graphOptimizations: bool = True,
    ) -> EquationsOfMotion | None:  # fmt: skip
        """By the explicit scheme if ``explicit`` is true, otherwise by the recursive one."""
        return self._derive(NewtonEuler() if explicit else Recursive(), diff, kinematicsOnly)

    @command()
    def Explicit(
        self, diff: Levels = 0, kinematicsOnly: bool = False, simplify: bool = False, graphOptimizations: bool = False
    ) -> EquationsOfMotion | None:
        """Newton and Euler with Jacobians (section 4.1.2 of the manual): ``multibody.NewtonEuler()``."""
        return self._derive(NewtonEuler(), diff, kinematicsOnly)

    @command()
    def Recursive(
        self, diff: Levels = 0, kinematicsOnly: bool = False, simplify: bool = False, graphOptimizations: bool = True
    ) -> EquationsOfMotion | None:
        """The recursive scheme (section 4.1.3 of the manual): ``multibody.Recursive()``."""
        return self._derive(Recursive(), diff, kinematicsOnly)

    @command()
    def OrderN(
        self, diff: Levels = 0, kinematicsOnly: bool = False, simplify: bool = False, graphOptimizations: bool = True
    ) -> EquationsOfMotion | None:
        """For large systems, without a mass matrix: ``multibody.ArticulatedBody()``.

        Where loops are solved in closed form, joints have no speeds of their own, which it needs: ``Recursive()``.
        """
        self._mbs.hold_strays()
        suits = has_own_speeds(self._mbs.system.freeze())
        return self._derive(ArticulatedBody() if suits else Recursive(), diff, kinematicsOnly)

    def _derive(self, formalism: Formalism, diff: Any, kinematics_only: bool) -> EquationsOfMotion | None:
        levels = diff if isinstance(diff, list | tuple) else [diff]
        if not all(level in (0, 1, 2) for level in levels):
            raise UsageError(
                f"Constraints have no level {diff!r}.",
                remedy="Write 0, 1, 2, or a list of them.",
                code="option-unknown",
            )
        self._mbs.kinematics_only = kinematics_only
        self._mbs.hold_strays()
        try:
            equations = derive(self._mbs.system, formalism)
        except SingularMatrixError:  # parts without mass
            if not kinematics_only:
                raise
            equations = None
        self._mbs.keep(equations, lambda: self._derive(formalism, diff, kinematics_only))
        return equations
