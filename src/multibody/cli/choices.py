"""What can be chosen by name: formalisms, solvers, export targets."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from multibody.cli.codes import CommandError
from multibody.formalisms import (
    ArticulatedBody,
    Formalism,
    Kane,
    Lagrange,
    Modular,
    NewtonEuler,
    Recursive,
    Wittenburg,
)  # fmt: skip

if TYPE_CHECKING:
    from multibody.export import Target
    from multibody.simulate.contract import Integrator


class FormalismName(StrEnum):
    """How equations are derived."""

    RECURSIVE = "recursive"
    ARTICULATED_BODY = "articulated-body"
    NEWTON_EULER = "newton-euler"
    KANE = "kane"
    LAGRANGE = "lagrange"
    WITTENBURG = "wittenburg"
    MODULAR = "modular"


_FORMALISMS: Mapping[FormalismName, type[Formalism]] = {
    FormalismName.RECURSIVE: Recursive, FormalismName.ARTICULATED_BODY: ArticulatedBody,
    FormalismName.NEWTON_EULER: NewtonEuler, FormalismName.KANE: Kane, FormalismName.LAGRANGE: Lagrange,
    FormalismName.WITTENBURG: Wittenburg, FormalismName.MODULAR: Modular,
}  # fmt: skip


def formalism(name: FormalismName | None) -> Formalism | None:
    """The formalism with this name; None where the choice is left to ``derive``.

    Example:
        >>> formalism(FormalismName.NEWTON_EULER), formalism(None)
        (NewtonEuler(), None)
    """
    return None if name is None else _FORMALISMS[name]()


class SolverName(StrEnum):
    """What moves a mechanism through time."""

    DOPRI5 = "dopri5"
    DOPRI8 = "dopri8"
    RK4 = "rk4"
    EULER = "euler"
    SYMPLECTIC = "symplectic"
    CVODE = "cvode"
    IDA = "ida"
    RADAU = "radau"
    BDF = "bdf"
    LSODA = "lsoda"
    INDEPENDENT = "independent"


_FIXED_STEP = (SolverName.RK4, SolverName.EULER, SolverName.SYMPLECTIC)


def solver(name: SolverName | None, rtol: float | None = None, step: float | None = None) -> Integrator | None:
    """The solver with this name; None where the choice is left to ``simulate``.

    Args:
        name: of the solver.
        rtol: relative error of a step, for solvers that choose their steps.
        step: for solvers with fixed steps.
    """
    fixed = name in _FIXED_STEP
    if name is None and (rtol is not None or step is not None):
        name, fixed = (SolverName.DOPRI8, False) if step is None else (SolverName.RK4, True)
    wrong = "--rtol" if fixed and rtol is not None else "--step" if not fixed and step is not None else ""
    if wrong:
        raise CommandError(
            f"{wrong} has no meaning for the solver '{name}'.",
            where=wrong,
            remedy="--step belongs to rk4, euler and symplectic, --rtol to all others.",
        )
    options = {"step": step} if fixed else {"rtol": rtol}
    return None if name is None else _solver(name, {key: value for key, value in options.items() if value is not None})


def _solver(name: SolverName, options: dict[str, Any]) -> Integrator:
    import multibody.simulate as room

    if name in (SolverName.RADAU, SolverName.BDF, SolverName.LSODA):
        method = "Radau" if name is SolverName.RADAU else name.upper()
        return room.ScipySolver(method=method, **options)
    kinds: dict[SolverName, Any] = {
        SolverName.DOPRI5: room.DormandPrince5, SolverName.DOPRI8: room.DormandPrince8, SolverName.CVODE: room.Cvode,
        SolverName.IDA: room.Ida, SolverName.INDEPENDENT: room.IndependentCoordinates, SolverName.RK4: room.RungeKutta4,
        SolverName.EULER: room.SemiImplicitEuler, SolverName.SYMPLECTIC: room.Symplectic,
    }  # fmt: skip
    made: Integrator = kinds[name](**options)
    return made


class TargetName(StrEnum):
    """What equations are written for."""

    PYTHON = "python"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    JULIA = "julia"
    JAVASCRIPT = "javascript"
    MATLAB = "matlab"
    SFUNCTION = "sfunction"
    MODELICA = "modelica"
    FMI = "fmi"
    FMU = "fmu"
    JAX = "jax"
    CASADI = "casadi"
    LATEX = "latex"
    MARKDOWN = "markdown"


def target(name: TargetName) -> Target:
    """The target with this name: the class of the export room that is called so; an FMU is a packed ``Fmi``.

    Example:
        >>> type(target(TargetName.JAVASCRIPT)).__name__
        'JavaScript'
    """
    import multibody.export as room

    wanted = "fmi" if name is TargetName.FMU else name.value
    found = next(one for one in room.__all__ if one.lower() == wanted)
    made: Target = getattr(room, found)()
    return made
