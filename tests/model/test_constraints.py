"""Every kind of constraint: its velocity form, its force, agreement of all formalisms, and what is refused."""

import re

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.equations import Kinetics
from multibody.errors import MultibodyError
from multibody.graph import free_symbols, same, substitute, time_derivative

from .constrained import ALL, BETWEEN, State, arena, between, geared, moved

# what every kind must keep --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "blade"])
def test_the_velocity_form_is_the_rate_of_the_position_form(kind):
    for seed in (1, 2, 3):
        state = State(ALL[kind]().freeze(), seed)
        holonomic = [e for e in state.equations if e.position is not None]
        velocity = state([e.velocity for e in holonomic])
        assert np.abs(velocity).max() > 1e-3
        np.testing.assert_allclose(state.rate([e.position for e in holonomic]), velocity, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", BETWEEN)
def test_a_unit_multiplier_has_the_power_of_the_velocity_form(kind):
    """The force on one body and its reaction on the other, with the velocity of each."""
    system, constraint = between(kind)
    kinetics = Kinetics(system.freeze())
    for equation in constraint.equations(kinetics):
        powers = [force.inner(kinetics.velocity(frame)) for frame, force in kinetics.both_sides(equation.wrench)]
        assert same(sum(powers), equation.velocity)


def test_the_ends_of_a_rod_that_is_driven_work_against_the_drive():
    system = moved()
    kinetics = Kinetics(system.freeze())
    for constraint in system.constraints.values():
        (equation,) = constraint.equations(kinetics)
        powers = [force.inner(kinetics.velocity(frame)) for frame, force in kinetics.both_sides(equation.wrench)]
        rest = substitute(equation.velocity, dict.fromkeys(kinetics.model.speeds, 0))
        assert same(sum(powers), equation.velocity - rest)
        assert "stroke_dot" in {one.name for one in free_symbols(rest)}


@pytest.mark.parametrize("kind", ALL)
def test_all_formalisms_agree(kind):
    comparison = mb.compare(
        ALL[kind](), [mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange()]
    )
    assert len(comparison.pairs) == 10
    assert comparison.proved


@pytest.mark.parametrize("kind", ["skew_line", "graph", "disc"])
def test_independent_speeds_give_the_same_motion(kind):
    system, _ = between(kind)
    derived = [mb.derive(system, constraints=handling) for handling in (mb.Multipliers(), mb.IndependentSpeeds())]
    state = State(system.freeze(), 4)
    one, other = (state([*eom.acceleration, *eom.multiplier_values]) for eom in derived)
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", BETWEEN)
def test_constraint_forces_do_no_work(kind):
    system, _ = between(kind)
    eom = mb.derive(system)
    state = State(eom.model, 5)
    state.keep_velocities()
    energy = eom.kinetic_energy + eom.potential_energy
    rates = time_derivative([energy, eom.kinetic_energy], eom.model.flow(eom.acceleration))
    total, kinetic = state(rates)
    assert abs(kinetic) > 1e-2
    assert abs(total) < 1e-12


# faults ---------------------------------------------------------------------------------------------------------------

FAULTS = {
    "zero length": (lambda s, a, b: mb.DistanceConstraint(a, b, 0), "length is 0.*FrameConstraint"),
    "a length that is zero": (lambda s, a, b: mb.DistanceConstraint(a, b, s.time - s.time), "FrameConstraint"),
    "negative length": (lambda s, a, b: mb.DistanceConstraint(a, b, -1.5), "length is -1.5"),
    "one body": (lambda s, a, b: mb.DistanceConstraint(a, a.body, 1), "Both frames are on the body 'carrier'"),
    "line without direction": (lambda s, a, b: mb.PointOnLine(a, b, (0, 0, 0)), "length zero.*'base', 'tip'"),
    "plane without normal": (lambda s, a, b: mb.PointOnPlane(a, b, (0, 0.0, 0)), "length zero.*'base', 'tip'"),
    "unknown axis": (lambda s, a, b: mb.PointOnPlane(a, b, "up"), "'up' is not an axis.*'base', 'tip'"),
    "line with symbols": (lambda s, a, b: mb.PointOnLine(a, b, (1, s.parameter("e"), 0)), "symbols.*rotation="),
    "no function": (lambda s, a, b: mb.PointOnSurface(a, b, 3), "3 is not a function of x, y and z"),
    "constant function": (lambda s, a, b: mb.PointOnSurface(a, b, lambda x, y, z: x - x + 2), "is 2 everywhere"),
    "blade of no length": (lambda s, a, b: mb.KnifeEdge(a, b, (0, 0, 0)), "length zero.*'base', 'tip'"),
    "zero radius": (lambda s, a, b: mb.RollingDisc(a, b, 0), "radius is 0"),
    "negative radius": (lambda s, a, b: mb.RollingSphere(a, b, -0.1), "radius is -0.1"),
    "thick crown": (lambda s, a, b: mb.RollingDisc(a, b, 0.3, crown=0.3), "crown.*RollingSphere"),
    "negative crown": (lambda s, a, b: mb.RollingDisc(a, b, 0.3, crown=-0.1), "crown"),
    "gear to itself": (lambda s, a, b: mb.Gear((s["way"], 0), (s["way"], 0), 2), "way_tx cannot be coupled to itself"),
    "gear of several": (lambda s, a, b: mb.Gear(s["way"], (s["way"], 0), 2), "'way' has 2 coordinates.*is way_ry"),
    "gear out of range": (lambda s, a, b: mb.Gear((s["way"], 2), (s["way"], 0), 2), "none of them is chosen"),
    "gear of no joint": (lambda s, a, b: mb.Gear(a, s["way"], 2), "is not a joint"),
    "gear of orientation": (lambda s, a, b: mb.Gear((s["fly"], 4), (s["way"], 0), 2), "neither an angle nor a length"),
    "gear without ratio": (lambda s, a, b: mb.Gear((s["way"], 0), (s["way"], 1), 0), "ratio of zero"),
    "rack that turns": (lambda s, a, b: mb.RackAndPinion((s["way"], 0), (s["way"], 1), 0.1), "way_ry is an angle"),
    "length that moves": (
        lambda s, a, b: mb.DistanceConstraint(a, b, 2 + s["way"].coordinates[0]), "depends on way_tx"
    ),
    "ratio that moves": (lambda s, a, b: mb.Gear((s["way"], 0), (s["way"], 1), s.time), "Only parameters may occur"),
    "surface that moves": (
        lambda s, a, b: mb.PointOnSurface(a, b, lambda x, y, z: z - s["way"].speeds[1]), "depends on way_ry_dot"
    ),
}  # fmt: skip


def derived_with(make):
    system, base, frame = arena()
    system.constraint(make(system, base, frame), name="held")
    return mb.derive(system)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_constrained_is_said(fault):
    make, message = FAULTS[fault]
    with pytest.raises(MultibodyError) as caught:
        derived_with(make)
    assert re.search(message, " ".join(str(caught.value).split()))


def test_frames_of_another_system_are_refused():
    system, base, _ = arena()
    _, _, stranger = arena("elsewhere")
    for constraint in (mb.DistanceConstraint(base, stranger, 1), mb.RollingDisc(base, stranger, 1)):
        with refused("element-not-in-system"):
            system.constraint(constraint, name="held")
    with refused("element-not-in-system"):
        system.constraint(mb.Gear((system["way"], 0), geared()["turn"], 2))


def test_a_difference_of_squares_of_speeds_is_not_linear():
    """The second derivatives 2 and -2 cancel in their sum; each of them counts."""
    system = mb.System("squares")
    a, b = (system.joint(name, system.world, system.body(f"body_{name}", 1.0), "Tx") for name in "ab")
    system.constraint(mb.ExpressionConstraint(a.speed**2 - b.speed**2))
    with refused("constraint-not-solvable"):
        mb.derive(system)
