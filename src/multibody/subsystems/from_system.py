"""Any model of this library as a subsystem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from multibody.equations import Kinetics
from multibody.equations.without_bodies import require_bodies
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, free_symbols, product, substitute, symbol
from multibody.graph.workspace import alone
from multibody.mechanics.composite_inertia import mass_matrix
from multibody.mechanics.validation.own_parts import require_consistent_parts
from multibody.model import Model, System
from multibody.model.energy import kinetic_energy, potential_energy
from multibody.model.quantity import Input, Parameter
from multibody.subsystems.appearance import appearance_of
from multibody.subsystems.arguments.groups import KnownMotion, KnownRelations, OwnEquations, Progress
from multibody.subsystems.arguments.naming import by_order
from multibody.subsystems.arguments.origin import OfSystem
from multibody.subsystems.arguments.vocabulary import TIME
from multibody.subsystems.constraints.invariant import Invariant
from multibody.subsystems.coupling import couple
from multibody.subsystems.energy import energy_of
from multibody.subsystems.subsystem import Subsystem


@alone
def from_system(
    system: System | Model, label: str | None = None, *, variables: Iterable[str] = (), kinematics: Any = (),
    constraints: Any = (), independent: Any = None, progress: Progress | None = None,
) -> Subsystem:  # fmt: skip
    """A system, or what was read from a file, as a subsystem: its coordinates, speeds, loops, loads and energies.

    Joints that close loops, rolling and other constraints become invariants of the subsystem. Bodies, drawings and
    sensors are kept: equations of what is coupled from such subsystems can be shown, and measure the same. Where two
    parts have a body or a sensor of the same name, the label of the part comes in front. Limits of joints are watched,
    and coordinates of joints that close loops or are driven can be read by their names, likewise. Sensors of forces in
    joints measure as long as the system is not coupled: forces of a coupling act on variables.

    Args:
        system: a system or a model.
        label: the name of the subsystem; by default that of the system.
        variables: further variables, such as the position of a point that others will be coupled to.
        kinematics: their rates, where these are not new variables themselves.
        constraints: further invariants, such as what the new variables are.
        independent: names of variables that the others shall follow from.
        progress: receives the label, the finished stage, and the seconds that it took.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> dict(from_system(pendulum).explicit())
        {'angle_dot': angle_dot, 'angle_ddot': -9.81*sin(angle)}
    """
    model = system.freeze() if isinstance(system, System) else system
    if not isinstance(model, Model):
        raise ModelError(
            f"{system!r:.80} is not a system.",
            where="from_system",
            remedy="Give a System or a Model; what mb.read_urdf reads has one: robot.system.",
            code="value-not-a-system",
        )
    further = by_order(variables)
    require_bodies(model)
    require_consistent_parts(model)
    kinetics = Kinetics(model)
    written = _Written(kinetics)
    bias, accelerations = array(kinetics.bias()), array(list(model.accelerations))
    residual = product(mass_matrix(model, [motion.pose for motion in kinetics.drifts]), accelerations) + bias
    rows = written.of([-row for row in residual])
    rates = written.of(list(model.rates))
    name = label or model.name
    by_name = {coordinate.name: rate for coordinate, rate in zip(model.coordinates, rates, strict=True)}
    made = couple(
        name, (),
        constraints=_constraints(kinetics, written),
        variables={0: [*by_name], 1: [speed.name for speed in model.speeds]},
        parameters=_parameters(model, written), inputs=[_input(input_) for input_ in model.inputs],
        own=OwnEquations(
            by_name, dict(zip([speed.name for speed in model.speeds], rows, strict=True)),
            quaternions=[[model.coordinates[k].name for k in group] for group in model.quaternions],
        ),
        motion=KnownMotion(start={symbol.name: value for symbol, value in model.start.items()}),
        relations=KnownRelations(redundant=_redundant(kinetics)),
        independent=None if any(further.values()) or constraints else independent,
        description=f"the system {model.name}", progress=progress,
    )  # fmt: skip
    T, V = written.of([kinetic_energy(kinetics), potential_energy(kinetics)])
    driven = any(joint.prescribed is not None for joint in model.joints)
    made = replace(made, energy=energy_of(made, T, V, driven=driven), guesses=_guesses(made, model))
    made = _with_sides(made, kinetics, written)
    made = replace(made, appearance=appearance_of(kinetics, written.of))
    origin = OfSystem(system, further, kinematics, constraints, independent)
    if not any(further.values()) and not constraints:
        return replace(made, origin=origin)
    inner = made.renamed(f"{name}_itself")
    whole = couple(
        name,
        [inner],
        constraints,
        variables=further,
        own=OwnEquations(kinematics),
        independent=independent,
        progress=progress,
    )
    return replace(whole, origin=origin)


class _Written:
    """Exchanges the symbols of a model for those of modular modelling: the same names, in the common scope."""

    def __init__(self, kinetics: Kinetics) -> None:
        model = kinetics.model
        symbols = [*model.coordinates, *model.speeds, *model.accelerations, *model.input_symbols]
        symbols += model.parameter_symbols
        self._known: dict[Expr, Expr] = {own: symbol(own.name, own.kind) for own in symbols}
        self._known[model.time] = TIME
        constraints = kinetics.constraints
        acting = {*constraints.acting, *constraints.independent}
        for row, multiplier in enumerate(constraints.multipliers):
            self._known[multiplier] = symbol(multiplier.name, multiplier.kind) if row in acting else ZERO

    def of(self, expressions: list[Expr]) -> list[Expr]:
        """Expressions in the new symbols."""
        return list(substitute(expressions, self._known)) if expressions else []


def _constraints(kinetics: Kinetics, written: _Written) -> Mapping[str, Expr]:
    """φ where positions are restricted, B·u + β otherwise; of all equations that act."""
    found = kinetics.constraints
    kept = {found.names[row] for row in (*found.acting, *found.independent)}
    equations = {name: equation for name, equation in found.written.items() if name in kept}
    return dict(zip(equations, written.of(list(equations.values())), strict=True))


def _guesses(made: Subsystem, model: Model) -> frozenset[Symbol]:
    """Variables that follow from others by constraints, and whose start values were not written."""
    velocities = [
        invariant.velocity for invariant in (*made.invariants, *made.redundant) if invariant.velocity is not None
    ]
    positions = [position for invariant in (*made.invariants, *made.redundant) for position in invariant.positions]
    restricted = free_symbols([*velocities, *positions])
    return frozenset(
        variable for variable in restricted if variable in made.start and variable.name not in model.written
    )


def _with_sides(made: Subsystem, kinetics: Kinetics, written: _Written) -> Subsystem:
    """The same with what equations of joints say besides positions: the right way round, and the unit of the force."""
    found = kinetics.constraints
    sides = {found.names[k]: equation.side for k, equation in enumerate(found.equations) if equation.side is not None}
    sides = dict(zip(sides, written.of(list(sides.values())), strict=True))
    units = {name: found.unit(row) for row, name in enumerate(found.names)}

    def told(invariants: Iterable[Invariant]) -> tuple[Invariant, ...]:
        return tuple(
            replace(invariant, side=sides.get(invariant.name), unit=units[invariant.name]) for invariant in invariants
        )

    return replace(made, invariants=told(made.invariants), redundant=told(made.redundant))


def _redundant(kinetics: Kinetics) -> list[str]:
    """The names of equations that follow from others in closed positions near the start.

    Numbers decide that here: in loops with rounded directions and lengths, no equation follows from others exactly.
    """
    found = kinetics.constraints
    return [found.names[row] for row in found.acting if row not in found.independent]


def _parameters(model: Model, written: _Written) -> dict[str, Parameter]:
    """One parameter for each symbol, with its formula."""
    found = {}
    for parameter in model.parameters:
        for variable, default in parameter.default.items():
            new = symbol(variable.name, "parameter")
            value = None if default is None else written.of([default])[0]
            found[variable.name] = Parameter(variable.name, new, {new: value}, parameter.unit, parameter.description)
    return found


def _input(one: Input) -> Input:
    symbols = [symbol(s.name, "input") for s in one.flat]
    return replace(one, symbols=symbols[0] if len(symbols) == 1 else symbols)
