"""Modular modelling as a formalism (MoSs manual): a model is coupled from its links, one after the other.

Every link is a subsystem of its own: a free rigid body, whose quasi-velocities are ω and the velocity of its origin, in
its own axes. Its joint couples it to what is there already, by the six equations that give its velocity by that of its
parent and by the joint's speeds. In these the dynamic equations are projected, C̃ᵀ·d̄ = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from multibody.algebra import ForceMotor, Inertia, MomentumMotor, Vec3, VelocityMotor
from multibody.equations import EquationsOfMotion, Handling, IndependentSpeeds, Kinetics
from multibody.formalisms.contract import Formalism
from multibody.graph import Expr, Symbol, array, free_symbols, substitute, symbol
from multibody.graph.linear_algebra import Matrix
from multibody.model import Link, Model
from multibody.model.kinematics import ZERO3
from multibody.subsystems import OwnEquations, Subsystem, couple, subsystem
from multibody.subsystems.arguments.vocabulary import TIME, rate_symbol


class Modular(Formalism):
    """Orthogonal complements, level by level. It takes every model.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> mb.derive(pendulum, mb.Modular()).acceleration
        (-9.81*sin(angle),)
    """

    def derive(self, model: Model, handling: Handling | None = None) -> EquationsOfMotion:
        """Couple all links, then solve for the constraints that are left."""
        kinetics = Kinetics(model)
        tree = NestedLinks(kinetics)
        M, h = tree.dynamics()
        f = tree.loads()
        solution = (handling or IndependentSpeeds()).solve(M, list(h - f), kinetics.constraints)
        return EquationsOfMotion.of(kinetics, "Modular", lambda: (M, h, f), solution)


AXES = ("wx", "wy", "wz", "vx", "vy", "vz")


class NestedLinks:
    """A model as nested subsystems: each level adds a link to all that came before."""

    def __init__(self, kinetics: Kinetics) -> None:
        self._kinetics, self._model = kinetics, kinetics.model
        self._names = _Names(kinetics.model)
        self._falls: list[Vec3] = []
        self._coordinates: set[Symbol] = set()
        self._speeds: set[Symbol] = set()
        self._whole: Subsystem | None = None
        for link in self._model.links:
            self._whole = self._extended(link)

    def _extended(self, link: Link) -> Subsystem:
        """Everything so far with one link more."""
        known = self._model.gravity if link.parent < 0 else self._falls[link.parent]
        self._falls.append(self._kinetics.pose_of_link(link.index).vector_to_child(known))
        parts = [_free_body(link, self._names)] if self._whole is None else [self._whole, _free_body(link, self._names)]
        variables, rates = self._new_variables(link)
        free = [speed.name for speed in self._model.speeds if speed in self._speeds]
        return couple(
            f"{self._model.name}_{link.index}", parts, self._joint(link), variables=variables,
            own=OwnEquations(kinematics=rates, dynamics=self._weight(link)),
            independent={1: free}, parameters=_names(self._model.parameter_symbols),
            inputs=_names(self._model.input_symbols),
        )  # fmt: skip

    def _new_variables(self, link: Link) -> tuple[dict[int, list[str]], dict[str, Expr]]:
        """Coordinates and speeds that this link brings in, and the rates of the coordinates."""
        model = self._model
        used = set(free_symbols([*link.before.components(), *link.q, *link.u, *link.drift]))
        coordinates = [
            coordinate for coordinate in model.coordinates if coordinate in used and coordinate not in self._coordinates
        ]
        rates = {
            coordinate: rate
            for coordinate, rate in zip(model.coordinates, model.rates, strict=True)
            if coordinate in coordinates
        }
        used |= set(free_symbols(list(rates.values()))) if rates else set()
        speeds = [speed for speed in model.speeds if speed in used and speed not in self._speeds]
        self._coordinates |= set(coordinates)
        self._speeds |= set(speeds)
        return {0: _names(coordinates), 1: _names(speeds)}, {variable.name: rate for variable, rate in rates.items()}

    def _joint(self, link: Link) -> dict[str, Expr]:
        """The velocity of a link minus what its parent and its joint give it: six equations."""
        parent = VelocityMotor(ZERO3, ZERO3) if link.parent < 0 else self._names.velocity(link.parent)
        carried = link.motion.pose(link.q).to_child(link.before.to_child(parent))
        for axis, speed in zip(link.motion.axes(link.q), link.u, strict=True):
            carried = carried + axis * speed
        gap = self._names.velocity(link.index) - carried
        return dict(zip(AXES, [*gap.resultant, *gap.moment], strict=True))

    def _weight(self, link: Link) -> Mapping[str, Expr]:
        if link.inertia is None:
            return {}
        fall = self._falls[link.index]
        return self._names.rows(link.index, ForceMotor(fall * link.inertia.mass, link.inertia.first_moment.cross(fall)))

    def dynamics(self) -> tuple[Matrix, Matrix]:
        """M and h of the whole."""
        if self._whole is None:
            return array([]).reshape(0, 0), array([])
        M, h = self._whole.reduced.M, self._whole.reduced.k
        return self._back(M), self._back(h)

    def loads(self) -> Matrix:
        """f: the loads on all links, projected by the complement of all levels, and those on the joints themselves."""
        total = array(self._kinetics.joint_loads)
        if self._whole is None or not len(total):
            return total
        S, rows = self._back(self._whole.S.matrix), self._whole.S.rows
        for index, force in self._kinetics.applied.items():
            for name, component in self._names.rows(index, force).items():
                total = total + S[rows.index(name)] * component
        return total

    def _back(self, matrix: Matrix) -> Matrix:
        """The same in the symbols of the model, which has a scope of its own, with the links' velocities put in."""
        return array(substitute(matrix, self._known)) if matrix.size else matrix

    @cached_property
    def _known(self) -> dict[Expr, Expr]:
        model = self._model
        symbols = [*model.coordinates, *model.speeds, *model.parameter_symbols, *model.input_symbols]
        known: dict[Expr, Expr] = {
            TIME: model.time,
            **{symbol(own.name, own.kind): own for own in symbols},
        }
        for link in model.links:
            named, found = self._names.velocity(link.index), self._kinetics.velocity_of_link(link.index)
            known |= dict(zip([*named.resultant, *named.moment], [*found.resultant, *found.moment], strict=True))
        return known


def _free_body(link: Link, names: _Names) -> Subsystem:
    """Newton and Euler for a link about its own origin: -(I·V̇ + V × I·V) = 0."""
    V, label = names.velocity(link.index), names.label(link.index)
    if link.inertia is None:
        return subsystem(label, {1: names.of(link.index)})
    rates = VelocityMotor(*(Vec3(*[rate_symbol(component) for component in part]) for part in (V.resultant, V.moment)))
    rows = names.rows(link.index, -_inertia_force(link.inertia, V, rates))
    return subsystem(label, {1: names.of(link.index)}, rows)


def _inertia_force(inertia: Inertia, V: VelocityMotor, rates: VelocityMotor) -> ForceMotor:
    """The rate of the momentum (p, L): ṗ + ω × p, and L̇ + ω × L + v × p."""
    momentum: MomentumMotor = inertia.apply(V)
    change = inertia.apply(rates)
    w, v, p = V.resultant, V.moment, momentum.resultant
    return ForceMotor(change.resultant + w.cross(p), change.moment + w.cross(momentum.moment) + v.cross(p))


class _Names:
    """Names for the quasi-velocities of links that no symbol of the model begins with."""

    def __init__(self, model: Model) -> None:
        symbols = (*model.coordinates, *model.speeds, *model.parameter_symbols, *model.input_symbols)
        self._prefix = "link"
        while any(symbol.name.startswith(self._prefix) for symbol in symbols):
            self._prefix += "_"

    def label(self, index: int) -> str:
        """Of the subsystem of a link."""
        return f"{self._prefix}_{index}"

    def of(self, index: int) -> list[str]:
        """The six quasi-velocities of a link."""
        return [f"{self.label(index)}_{axis}" for axis in AXES]

    def velocity(self, index: int) -> VelocityMotor:
        """The same as a motor of symbols."""
        symbols = [symbol(name, "speed") for name in self.of(index)]
        return VelocityMotor(Vec3(*symbols[:3]), Vec3(*symbols[3:]))

    def rows(self, index: int, force: ForceMotor) -> dict[str, Expr]:
        """A force by the quasi-velocities that it has power with: the moment with ω, the resultant with v."""
        return dict(zip(self.of(index), [*force.moment, *force.resultant], strict=True))


def _names(symbols: tuple[Symbol, ...] | list[Symbol]) -> list[str]:
    return [symbol.name for symbol in symbols]
