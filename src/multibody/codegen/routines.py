"""The routines that every target may write, each as a function from a program to named results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from multibody.codegen.program_data import ProgramData, Result, Routine, ScalarVariable
from multibody.codegen.start_equations import assembly_step, closure as start_equations
from multibody.equations.projection import correction
from multibody.equations.solution import tips_first
from multibody.graph import Expr, Symbol, array, jacobian, ldl, ldl_solve, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.graph.traverse import flat


def _names(quantities: Iterable[ScalarVariable | Any], suffix: str = "", prefix: str = "") -> list[str]:
    return [f"{prefix}{quantity.name}{suffix}" for quantity in quantities]


def _rates(program: ProgramData) -> tuple[Result, Result]:
    eom = program.eom
    return (
        Result.of("q_dot", list(eom.rates), "rates of the coordinates", _names(eom.coordinates, prefix="rate_")),
        Result.of("u_dot", list(eom.acceleration), "rates of the speeds", _names(eom.model.accelerations)),
    )


def state_rate(program: ProgramData) -> Routine:
    """q̇ and u̇."""
    return Routine("state_rate", "rates of coordinates and speeds", _rates(program))


def acceleration(program: ProgramData) -> Routine:
    """u̇."""
    return Routine("acceleration", "rates of the speeds", _rates(program)[1:])


def mass_matrix(program: ProgramData) -> Routine:
    """M."""
    return Routine("mass_matrix", "mass matrix M(q, t)", (Result.of("M", program.eom.M, "mass matrix, row by row"),))


def bias(program: ProgramData) -> Routine:
    """h - f, so that M·u̇ + bias = Bᵀ·λ."""
    eom = program.eom
    result = Result.of(
        "bias", eom.h - eom.f, "inertia forces and gravity less loads", _names(eom.speeds, prefix="bias_")
    )
    return Routine("bias", "bias h - f in M*u_dot + bias = B'*lambda", (result,))


def sensors(program: ProgramData) -> Routine:
    """All outputs in one vector."""
    values = program.explicit(_outputs(program))
    return Routine("sensors", "outputs of all sensors", (Result.of("outputs", values, "", _names(program.outputs)),))


def _outputs(program: ProgramData) -> list[Expr]:
    return [entry for value in program.eom.outputs.values() for entry in flat(value)]


def multipliers(program: ProgramData) -> Routine:
    """λ."""
    eom = program.eom
    result = Result.of("multipliers", list(eom.multiplier_values), "", _names(eom.multipliers))
    return Routine("multipliers", "constraint forces", (result,))


def residuals(program: ProgramData) -> Routine:
    """φ and B·u + β: zero where the constraints are kept."""
    constraints = program.eom.constraints
    position = Result.of("position", list(constraints.phi), "gaps of the constraints")
    velocity = Result.of("velocity", list(constraints.velocity), "their rates")
    return Routine("residuals", "what must vanish for the constraints to be kept", (position, velocity))


def projection(program: ProgramData) -> Routine:
    """One step back onto the constraints and to unit quaternions; nothing where there is nothing to keep."""
    found = correction(program.eom)
    parts = () if found is None else (
        Result.of("q_new", found.q, "corrected coordinates"), Result.of("u_new", found.u, "corrected speeds"),
    )  # fmt: skip
    return Routine("projection", "one step back onto the constraints", parts)


def assembly(program: ProgramData) -> Routine:
    """One step of start values onto the constraints; nothing where there are none."""
    found = assembly_step(program)
    parts = () if found is None else (
        Result.of("q_new", found.q, "corrected coordinates"), Result.of("u_new", found.u, "corrected speeds"),
    )  # fmt: skip
    return Routine(
        "assembly", "one step from start values onto the constraints, if that can be, without those given", parts
    )


def closure(program: ProgramData) -> Routine:
    """What start values must fulfil, with derivatives; nothing where there are no constraints and no quaternions."""
    found = start_equations(program)
    parts = () if found is None else (
        Result.of("gaps", found.gaps, "of positions and quaternions"),
        Result.of("slopes", found.slopes, "their derivatives by coordinates, row by row"),
        Result.of("rate_gaps", found.rate_gaps, "of velocities"),
        Result.of("rate_slopes", found.rate_slopes, "their derivatives by speeds, row by row"),
    )  # fmt: skip
    return Routine("closure", "what must vanish at the start, and its derivatives", parts)


def state_jacobian(program: ProgramData) -> Routine:
    """A = ∂(q̇, u̇)/∂(q, u) and B = ∂(q̇, u̇)/∂r."""
    rates = list(program.eom.rates)

    def slopes(symbols: Sequence[Symbol]) -> Matrix:
        return np.vstack([_table(rates, symbols), _acceleration_slopes(program, symbols)])

    return Routine("jacobian", "derivatives of the state's rate", _slopes(program, slopes, "A", "B"))


def unsolved_jacobian(program: ProgramData) -> Routine:
    """Like the Jacobian, but of u̇ the right-hand sides only, with the mass matrix that they are to be solved with.

    For few speeds, and where there are constraints, it is the Jacobian.
    """
    eom = program.eom
    if len(eom.constraints) or len(eom.speeds) < UNSOLVED_FROM:
        return state_jacobian(program)
    rates, residual, order = list(eom.rates), eom.kinetics.residual(), tips_first(eom.model)

    def slopes(symbols: Sequence[Symbol]) -> Matrix:
        return np.vstack([_table(rates, symbols), -_table(residual, symbols)])

    mass = Result.of("mass_factors", eom.M[np.ix_(order, order)], "mass matrix, tips first")
    results = (*_slopes(program, slopes, "A", "B"), mass)
    return Routine(UNSOLVED_JACOBIAN, "derivatives of the state's rate", results)


UNSOLVED_JACOBIAN = "unsolved_jacobian"
UNSOLVED_FROM = 10
"""From so many speeds on, solves by loops make shorter code than solves that are written out."""


def sensor_jacobian(program: ProgramData) -> Routine:
    """C = ∂y/∂(q, u) and D = ∂y/∂r of the outputs y."""
    outputs = flat(substitute(_outputs(program), program.solved)) if program.outputs else []
    slopes = partial(_table, outputs)
    return Routine("sensor_jacobian", "derivatives of the outputs", _slopes(program, slopes, "C", "D"))


def _slopes(
    program: ProgramData, slopes: Callable[[Sequence[Symbol]], Matrix], by_states: str, by_inputs: str
) -> tuple[Result, Result]:
    states = [*program.eom.coordinates, *program.eom.speeds]
    return (
        Result.of(by_states, slopes(states), "by coordinates and speeds, row by row"),
        Result.of(by_inputs, slopes(program.eom.inputs), "by inputs, row by row"),
    )


def _acceleration_slopes(program: ProgramData, symbols: Sequence[Symbol]) -> Matrix:
    """∂u̇/∂x.

    Without constraints ρ(t, q, u, u̇, r) = M·u̇ + h - f = 0, and M·∂u̇/∂x = -∂ρ/∂x while u̇ is held (Carpentier and
    Mansard 2018, equation 10). For a humanoid that takes two thirds of the operations of a derivative of u̇ itself.
    """
    eom = program.eom
    if len(eom.constraints):
        return _table(list(eom.acceleration), symbols)
    order = tips_first(eom.model)
    right = -_table(eom.kinetics.residual(), symbols)
    right[order] = ldl_solve(ldl(eom.M[np.ix_(order, order)]), right[order])
    return right


def _table(values: list[Expr], symbols: Sequence[Symbol]) -> Matrix:
    columns = list(symbols)
    if not values or not columns:
        return np.empty((len(values), len(columns)), dtype=object)
    return jacobian(values, columns).reshape(len(values), len(columns))


def energy(program: ProgramData) -> Routine:
    """T and V, where they are known."""
    eom = program.eom
    values = [eom.kinetic_energy, eom.potential_energy] if eom.energy_known else []
    result = Result.of(
        "energy", array(values), "kinetic and potential energy", ["kinetic_energy", "potential_energy"][: len(values)]
    )
    return Routine("energy", "kinetic and potential energy", (result,))


ROUTINES: dict[str, Callable[[Any], Routine]] = {
    "state_rate": state_rate,
    "acceleration": acceleration,
    "mass_matrix": mass_matrix,
    "bias": bias,
    "sensors": sensors,
    "multipliers": multipliers,
    "residuals": residuals,
    "projection": projection,
    "assembly": assembly,
    "closure": closure,
    "jacobian": state_jacobian,
    UNSOLVED_JACOBIAN: unsolved_jacobian,
    "sensor_jacobian": sensor_jacobian,
    "energy": energy,
}
"""By name."""
