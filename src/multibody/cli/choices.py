"""Choices by name: formalisms, solvers, export targets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from multibody.cli.exit_codes import CommandError
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
    from multibody.codegen import Target
    from multibody.simulation.integrators.integrator import Integrator


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
    RODAS5P = "rodas5p"
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
            code="option-without-effect",
            name=name,
        )
    for option, value in (("--rtol", rtol), ("--step", step)):
        if value is not None:
            require_positive(value, option)
    options = {"step": step} if fixed else {"rtol": rtol}
    return None if name is None else _solver(name, {key: value for key, value in options.items() if value is not None})


def require_positive(value: float, option: str) -> float:
    """The value itself.

    Raises:
        CommandError: unless it is a positive, finite number.
    """
    if not 0 < value < math.inf:
        raise CommandError(
            f"{value:g} is not a positive number.",
            where=option,
            remedy=f"Write {option} 0.01, or more.",
            code="number-out-of-range",
            value=value,
        )
    return value


def _solver(name: SolverName, options: dict[str, Any]) -> Integrator:
    from multibody import simulation

    if name in (SolverName.RADAU, SolverName.BDF, SolverName.LSODA):
        method = "Radau" if name is SolverName.RADAU else name.upper()
        return simulation.ScipySolver(method=method, **options)
    kinds: dict[SolverName, Any] = {
        SolverName.DOPRI5: simulation.DormandPrince5,
        SolverName.DOPRI8: simulation.DormandPrince8,
        SolverName.RODAS5P: simulation.Rodas5P,
        SolverName.CVODE: simulation.Cvode,
        SolverName.IDA: simulation.Ida,
        SolverName.INDEPENDENT: simulation.IndependentCoordinates,
        SolverName.RK4: simulation.RungeKutta4,
        SolverName.EULER: simulation.SemiImplicitEuler,
        SolverName.SYMPLECTIC: simulation.Symplectic,
    }
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
    """The target with this name: the class of ``multibody.codegen`` with this name; an FMU is a packed ``Fmi``.

    Example:
        >>> type(target(TargetName.JAVASCRIPT)).__name__
        'JavaScript'
    """
    from multibody import codegen, report

    wanted = "fmi" if name is TargetName.FMU else name.value
    kinds = {name.lower(): getattr(package, name) for package in (codegen, report) for name in package.__all__}
    made: Target = kinds[wanted]()
    return made
