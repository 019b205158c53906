"""Models that stay written in SymPy: its objects become equations of motion, and equations of motion its objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from multibody.compat.sympy.auxiliary_speeds import forces_in_evidence
from multibody.compat.sympy.builder import SympyBuilder
from multibody.compat.sympy.contradictions import (
    require_rates_of_orientations,
    require_rates_of_positions,
    require_rates_of_velocities,
)
from multibody.compat.sympy.equations import SympyModelEquations, equations_of
from multibody.compat.sympy.forms import given_by_forms
from multibody.compat.sympy.kinematics import SympyKinematics, constraints_of, kinematics_of, linear_rows, rate_of
from multibody.compat.sympy.lagrange import Lagrangian
from multibody.compat.sympy.mechanism import Mechanism
from multibody.compat.sympy.potentials import require_potentials
from multibody.compat.sympy.read_equations import ReadEquations
from multibody.compat.sympy.symbolic import written_equations
from multibody.compat.sympy.vocabulary import SympyVocabulary
from multibody.equations import EquationsOfMotion, Handling, IndependentSpeeds, Multipliers
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.errors import ConversionError, ModelError
from multibody.graph import isolated, names
from multibody.graph.sympy.reader import Functions
from multibody.graph.sympy.system import REDUNDANT
from multibody.model import Model, System
from multibody.model.quantity import acceleration_symbol

if TYPE_CHECKING:
    from sympy.physics.mechanics import SymbolicSystem, System as SympySystem


def from_sympy(
    obj: Any, *, parameters: Mapping[Any, float] | None = None, inputs: Iterable[Any] = (),
    start: Mapping[Any, float] | None = None, bodies: Iterable[Any] | None = None, origin: Any = None,
    constraints: Handling | None = None, functions: Functions | None = None, name: str = "model",
) -> SympyModelEquations:  # fmt: skip
    """Equations of motion of a model that was written with SymPy's mechanics package.

    SymPy need not have formed its equations: velocities are read from its frames and points, and the equations formed
    here, which takes milliseconds. Functions of time that are neither coordinates nor speeds become inputs, and so do
    their derivatives; plain symbols become parameters.

    Args:
        obj: a ``KanesMethod``, ``LagrangesMethod``, ``System``, ``SymbolicSystem`` or ``JointsMethod``.
        parameters: values by SymPy symbol or by name; what has none must be given wherever numbers are needed.
        inputs: symbols and functions of time that are to be inputs, in their order; others follow by name.
        start: start values of coordinates and speeds, by SymPy object or by name; zero without.
        bodies: bodies whose places are wanted in ``places``, for a picture; by default those of the object.
        origin: the point from which places are measured; by default the fixed point of a ``System``, or one that does
            not move and from which the places of all bodies change as their velocities say.
        constraints: how to solve for constrained motions; by default ``IndependentSpeeds`` with those that are
            independent in SymPy, ``Multipliers()`` where there is no such choice. A ``SymbolicSystem`` has constraints
            only if ``to_sympy`` has made it; for others this is refused.
        functions: what undefined functions of other things than time stand for, by name; tables, for example.
        name: of the model.

    Raises:
        ConversionError: for an object, or a function in it, that has no counterpart.
        ModelError: for a model that cannot be used, such as one whose kinematic equations cannot be solved.

    Example:
        >>> import sympy
        >>> from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols
        >>> (q, u), (m, k) = dynamicsymbols("q u"), sympy.symbols("m k")
        >>> N, P = ReferenceFrame("N"), Point("P")
        >>> P.set_vel(N, u * N.x)
        >>> method = KanesMethod(
        ...     N, [q], [u], [q.diff() - u], bodies=[Particle("bob", P, m)], forcelist=[(P, -k * q * N.x)]
        ... )
        >>> eom = from_sympy(method, parameters={m: 2.0, k: 8.0}, start={q: 1.0})
        >>> eom.acceleration
        (-k*q/m,)
    """
    vocabulary = SympyVocabulary(names.check(name, "model"), parameters, inputs, functions)
    extra = None if bodies is None else list(bodies)
    with isolated():
        given, independent = _read(obj, vocabulary, extra, origin)
        if constraints is not None:
            _require_constraints(given, vocabulary.scope)
        handling = constraints or (IndependentSpeeds(*independent) if independent else Multipliers())
        return equations_of(given, vocabulary, start, handling)


def _read(
    obj: Any, vocabulary: SympyVocabulary, bodies: list[Any] | None, origin: Any
) -> tuple[ReadEquations, list[str]]:
    """What an object holds, and the names of its independent speeds where it has a choice of them."""
    from sympy.physics import mechanics as me

    if isinstance(obj, me.System):
        if isinstance(obj.eom_method, me.LagrangesMethod):
            return _lagrange(obj.eom_method, vocabulary, bodies, origin or obj.fixed_point), []
        return _system(obj, vocabulary, bodies, origin or obj.fixed_point)
    if isinstance(obj, me.JointsMethod):
        if isinstance(obj.method, me.LagrangesMethod):
            return _lagrange(obj.method, vocabulary, bodies, origin), []
        return _joints(obj, vocabulary, bodies, origin), []
    if isinstance(obj, me.KanesMethod):
        return _kane(obj, vocabulary, bodies, origin)
    if isinstance(obj, me.LagrangesMethod):
        return _lagrange(obj, vocabulary, bodies, origin), []
    if isinstance(obj, me.SymbolicSystem):
        _require_no_places(vocabulary.scope, bodies, origin)
        return given_by_forms(vocabulary, obj), []
    raise ConversionError(
        f"A {type(obj).__name__} is none of SymPy's objects that hold equations of motion.",
        where=f"model '{vocabulary.scope}'",
        remedy="Give a KanesMethod, LagrangesMethod, System, SymbolicSystem or JointsMethod; of PyDy's System its "
        "eom_method, with parameters=….constants and start=….initial_conditions.",
        code="sympy-object-unsupported",
    )


def _require_no_places(name: str, bodies: list[Any] | None, origin: Any) -> None:
    """A SymbolicSystem has bodies, perhaps, but does not say which frame stands still."""
    if bodies is not None or origin is not None:
        raise ModelError(
            "The places of bodies are not known for a SymbolicSystem.",
            where=f"model '{name}'",
            cause="It does not say in which frame they are measured.",
            remedy="Convert the KanesMethod, LagrangesMethod or System, or leave bodies= and origin= away.",
            code="bodies-unknown",
        )


def _require_constraints(given: ReadEquations, name: str) -> None:
    """An error if there are no constraint equations that could be handled in another way."""
    if not given.constraints_known:
        raise ModelError(
            "constraints= has no effect on a SymbolicSystem that does not hold its constraints.",
            where=f"model '{name}'",
            cause="Its equations are solved for the rates already; which constraints they keep is not known.",
            remedy="Convert the KanesMethod, LagrangesMethod or System that it was made of, or leave constraints= out.",
            code="option-without-effect",
        )


def _system(
    obj: Any, vocabulary: SympyVocabulary, bodies: list[Any] | None, origin: Any
) -> tuple[ReadEquations, list[str]]:
    _require_said(obj, vocabulary.scope)
    kinematics = kinematics_of(vocabulary, obj.q, obj.u, obj.kdes, obj.u_aux)
    mechanism = Mechanism(kinematics, obj.frame, obj.bodies, [*obj.loads, *obj.actuators], origin)
    velocities = obj.nonholonomic_constraints if obj._vel_constrs is None else obj.velocity_constraints
    held = constraints_of(kinematics, obj.holonomic_constraints, velocities)
    redundant = {name: kinematics.read(equation) for name, equation in getattr(obj, REDUNDANT, {}).items()}
    given = _given(kinematics, mechanism, held | redundant, bodies, _apart(obj.u_aux, velocities))
    return given, [] if redundant else _independent(vocabulary, obj.u_ind, obj.u_dep)


def _require_said(obj: Any, name: str) -> None:
    """Kane's method, which SymPy takes by default, does not look at potential energies, and Lagrange's does."""
    stored = [str(body.name) for body in obj.bodies if body.potential_energy != 0]
    if stored and obj.eom_method is None:
        raise ModelError(
            f"The potential energy of {', '.join(stored)} counts in Lagrange's equations and not in Kane's.",
            where=f"model '{name}'",
            remedy="Say which is meant, by form_eoms(LagrangesMethod) or form_eoms(KanesMethod); or write a load.",
            code="potential-counts-twice",
            names=stored,
        )


def _kane(
    obj: Any, vocabulary: SympyVocabulary, bodies: list[Any] | None, origin: Any
) -> tuple[ReadEquations, list[str]]:
    if obj.bodylist is None:
        raise ModelError(
            "The KanesMethod has no bodies yet.",
            where=f"model '{vocabulary.scope}'",
            remedy="Give it bodies= and forcelist=, or call kanes_equations(bodies, loads) first.",
            code="sympy-method-without-bodies",
        )
    rates = obj.q.applyfunc(rate_of)
    equations = linear_rows(((obj._k_kqdot_implicit, rates), (obj._k_ku_implicit, obj.u)), obj._f_k_implicit)
    kinematics = kinematics_of(vocabulary, obj.q, obj.u, equations, obj._uaux)
    mechanism = Mechanism(kinematics, obj._inertial, obj.bodylist, obj.forcelist or (), origin)
    velocities = linear_rows([(obj._k_nh, obj.u)], obj._f_nh) if obj._udep else ()
    held = constraints_of(kinematics, obj._f_h, velocities)
    independent = obj.u[: len(obj.u) - len(obj._udep)]
    given = _given(kinematics, mechanism, held, bodies, _apart(obj._uaux, velocities))
    return given, _independent(vocabulary, independent, obj._udep)


def _joints(obj: Any, vocabulary: SympyVocabulary, bodies: list[Any] | None, origin: Any) -> ReadEquations:
    kinematics = kinematics_of(vocabulary, obj.q, obj.u, obj.kdes)
    mechanism = Mechanism(kinematics, obj.frame, obj.bodies, obj.loads, origin)
    return _given(kinematics, mechanism, {}, bodies)


def _given(
    kinematics: SympyKinematics, mechanism: Mechanism, held: dict[str, Any], bodies: list[Any] | None,
    auxiliary: Sequence[Any] = (),
) -> ReadEquations:  # fmt: skip
    require_rates_of_velocities(kinematics, mechanism.world, mechanism.written)
    require_rates_of_orientations(kinematics, mechanism.world, mechanism.written, mechanism.said, held.values())
    require_rates_of_positions(kinematics, mechanism.world, mechanism.written, mechanism.said, held.values())
    require_potentials(kinematics, mechanism, kinematics.vocabulary.scope)
    parts = mechanism.balance()
    energy = mechanism.energy([acceleration_symbol(speed) for speed in kinematics.u])
    q, u, rates = kinematics.q, kinematics.u, kinematics.rates
    places, inertias = mechanism.places(bodies), mechanism.inertias()
    given = ReadEquations("Kane", q, u, rates, parts, held, energy, places, inertias=inertias)
    return replace(given, auxiliary=forces_in_evidence(kinematics, mechanism, auxiliary, given.motion))


def _apart(auxiliary: Iterable[Any], velocities: Iterable[Any]) -> list[Any]:
    """Auxiliary speeds; none if constraints restrict them, whose forces would be in the same equations."""
    speeds = list(auxiliary)
    return [] if speeds and any(row.has(*speeds) for row in velocities) else speeds


def _lagrange(obj: Any, vocabulary: SympyVocabulary, bodies: list[Any] | None, origin: Any) -> ReadEquations:
    speeds = obj.q.applyfunc(rate_of)
    kinematics = kinematics_of(vocabulary, obj.q, speeds, ())
    own = bodies if bodies is not None else list(obj.bodies or ())
    if obj.forcelist and obj.inertial is None:
        raise ModelError(
            "The LagrangesMethod has loads, but no frame in which their points move.",
            where=f"model '{vocabulary.scope}'",
            remedy="Give it frame=….",
            code="sympy-method-without-frame",
        )
    mechanism = None if obj.inertial is None else Mechanism(kinematics, obj.inertial, own, obj.forcelist, origin)
    lagrangian = Lagrangian(kinematics, obj._L[0], mechanism)
    held = constraints_of(kinematics, obj._hol_coneqs, obj.coneqs)
    if mechanism is not None:
        require_rates_of_orientations(kinematics, obj.inertial, own, mechanism.said, held.values())
        require_rates_of_positions(kinematics, obj.inertial, own, mechanism.said, held.values())
    parts, energy = lagrangian.balance(), lagrangian.energy()
    places, inertias = (mechanism.places(), mechanism.inertias()) if mechanism else ((), ())
    q, u, rates = kinematics.q, kinematics.u, kinematics.rates
    return ReadEquations("Lagrange", q, u, rates, parts, held, energy, places, inertias=inertias)


def _independent(vocabulary: SympyVocabulary, independent: Iterable[Any], dependent: Any) -> list[str]:
    return [str(vocabulary[variable]) for variable in independent] if len(dependent) else []


@overload
def to_sympy(obj: EquationsOfMotion) -> SymbolicSystem: ...


@overload
def to_sympy(obj: System | Model) -> SympySystem: ...


def to_sympy(obj: System | Model | EquationsOfMotion) -> Any:
    """A system, built again with SymPy's bodies and joints; or equations of motion as a ``SymbolicSystem``.

    Args:
        obj: a system or a model: a ``sympy.physics.mechanics.System`` that is not formed yet, with the same coordinates
            and speeds, and with loops as constraints; sensors and start values have no counterpart. Or equations of
            motion: M·u̇ = f - h + Bᵀ·λ with λ put in, beside q̇; ``from_sympy`` finds their constraints again.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> m, l = pendulum.parameters(m=2.0, l=1.0)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", m, (0, 0, -l)), "Ry")
        >>> to_sympy(pendulum).form_eoms()
        Matrix([[-l**2*m*Derivative(angle_dot(t), t) - 9.81*l*m*sin(angle(t))]])
    """
    if isinstance(obj, EquationsOfMotion):
        require_no_acting_angles(obj, "SymPy equations")
        return written_equations(obj)
    if not isinstance(obj, System | Model):
        raise ConversionError(
            f"A {type(obj).__name__} cannot be written with SymPy's mechanics package.",
            remedy="Give a System, or equations of motion; expressions have multibody.graph.to_sympy.",
            code="sympy-object-unsupported",
        )
    return SympyBuilder(obj.freeze() if isinstance(obj, System) else obj).system()
