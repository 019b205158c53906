"""Derivatives near poles, at removable singularities and at kinks, in meters, millimeters and micrometers."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import ExpressionError
from multibody.graph import Table, absolute, cos, less, maximum, sin, sqrt, where
from multibody.linearization import equilibrium, jacobians, linearize

LENGTHS = {"m": 1.0, "mm": 1e3, "µm": 1e6}
"""How many units of length a meter has."""


def mass_under(law, mass=1.0, damping=0.0, joint="Tx"):
    """A mass on a slide (or a flywheel) under a force that is a function of its coordinate."""
    system = mb.System("mass", gravity=(0, 0, 0))
    body = system.body("box", mass, inertia=(mass, mass, mass))
    slide = system.joint("x", system.world, body, joint)
    system.load(mb.JointLoad(slide, law(slide.coordinate)))
    system.load(mb.JointDamper(slide, damping))
    return mb.derive(system)


@pytest.mark.parametrize("unit", LENGTHS)
def test_a_rotor_in_a_magnetic_bearing_is_unstable(unit):
    """A₁₀ = (16e-6/δ³ - k)/m at the center, with the gap δ: the poles at x = ±δ are near, and leave the slope alone."""
    scale = LENGTHS[unit]
    gap = 3e-4 * scale
    force = 4e-6 * scale**3  # N·m² in kg·length³/s²
    eom = mass_under(lambda x: force * (1 / (gap - x) ** 2 - 1 / (gap + x) ** 2) - 5e5 * x, 2.0, 50.0)
    found = equilibrium(eom)
    slope = (16e-6 / 3e-4**3 - 5e5) / 2
    assert found.linear.A[1] == pytest.approx([slope, -25.0], rel=1e-12)
    assert slope == pytest.approx(46296.296, rel=1e-8)
    assert found.stability == "unstable"
    assert jacobians(eom).q.dense(0.0, [0.0], [0.0], [], []) == pytest.approx(np.array([[0.0], [slope]]))


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_pole_however_near_leaves_the_slope_alone(gap):
    eom = mass_under(lambda x: gap**2 / (gap - x))
    assert linearize(eom, at={"x": 0.0}).A[1, 0] == pytest.approx(1.0, rel=1e-12)
    assert linearize(eom, at={"x": 0.5 * gap}).A[1, 0] == pytest.approx(4.0, rel=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e-12, 1e9])
def test_a_removable_singularity_has_its_limit(size):
    """x·sinc(x/a) and (1 - cos(x/a))·a²/x, whose slopes at zero are 1 and ½, beside a pole at x = a."""
    eom = mass_under(lambda x: -size * sin(x / size) ** 2 / sin(x / size) - (1 - cos(x / size)) * size**2 / x)
    assert linearize(eom, at={"x": 0.0}).A[1, 0] == pytest.approx(-1.5, rel=1e-9)


@pytest.mark.parametrize("x", [1e-5, 1e-7, 1e-9, 1e-12, 1e-15])
def test_digits_that_cancel_beside_a_removable_singularity_come_back(x):
    """The force (1 - cos x)/x = x/2 - x³/24 … has the slope ½ - x²/8 … all around zero."""
    eom = mass_under(lambda x: -(1 - cos(x)) / x, joint="Ry")
    assert linearize(eom, at={"x": x}).A[1, 0] == pytest.approx(-0.5, rel=1e-9)


@pytest.mark.parametrize("law", [lambda x: 1 / x, lambda x: 1 / x**2, lambda x: x / sqrt(x * x)])
def test_a_pole_or_a_jump_is_refused(law):
    with refused("derivative-missing"):
        linearize(mass_under(law), at={"x": 0.0})


KINKS = {
    "table": lambda a: lambda x: -a * Table("f", [-1.0, 0.0, 1.0], [-1.0, 0.0, -1.0])(x / a),
    "table of another place": lambda a: lambda x: -Table("f", [-a, 0.0, a], [-3 * a, 0.0, 1 * a])(x),
    "where": lambda a: lambda x: where(less(x, 0), -x, -3 * x),
    "absolute": lambda a: lambda x: -x - 0.5 * absolute(x),
    "maximum": lambda a: lambda x: -x - maximum(0.0, x),
}


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("kind", KINKS)
def test_a_kink_at_the_equilibrium_is_refused(kind, size):
    eom = mass_under(KINKS[kind](size), damping=1.0)
    found = equilibrium(eom)
    assert found["x"] == 0.0
    with refused("derivative-missing"):
        _ = found.linear
    with pytest.raises(ExpressionError):
        linearize(eom)
    assert found.stability == "undecided"
    assert "undecided" in str(found)


@pytest.mark.parametrize("kind", KINKS)
def test_beside_a_kink_there_is_a_slope(kind):
    eom = mass_under(KINKS[kind](1.0))
    one, other = (linearize(eom, at={"x": x}).A[1, 0] for x in (-1e-6, 1e-6))
    assert abs(one - other) >= 1.0


def test_a_knot_without_a_kink_is_not_refused():
    table = Table("f", [-2.0, -1.0, 0.0, 1.0], [-6.0, -3.0, 0.0, 3.0])
    assert linearize(mass_under(lambda x: -table(x))).A[1, 0] == pytest.approx(-3.0)
    smooth = Table("g", [-2.0, -1.0, 0.0, 1.0, 2.0], [-8.0, -1.0, 0.0, 1.0, 8.0], "cubic")
    assert linearize(mass_under(lambda x: -smooth(x))).A[1, 0] == pytest.approx(-smooth.derivative().evaluate(0.0))


def test_a_knot_that_rounding_moves_is_still_a_kink():
    """The equilibrium 0.1 + 0.2 of the spring is the knot 0.3, but for the last digit."""
    table = Table("f", [-1.0, 0.3, 1.0], [1.3, 0.0, -2.1])
    with pytest.raises(ExpressionError):
        linearize(mass_under(table), at={"x": 0.1 + 0.2})


def quarter_car(law):
    system = mb.System("quarter", gravity=(0, 0, 0))
    strut = system.joint("z", system.world, system.body("wheel", 300.0), "Tz")
    system.load(mb.JointSpring(strut, 2e4))
    system.load(mb.JointLoad(strut, law(strut.speed)))
    return mb.derive(system)


BUMP = Table("bump", [-1, 0, 1], [500.0, 0.0, -1500.0])
EVEN = Table("even", [-1, 0, 1], [500.0, 0.0, -500.0])


@pytest.mark.parametrize(
    "law", [BUMP, lambda u: -BUMP(-1 * u), lambda u: BUMP(2 * u) / 2, lambda u: where(u < 0, -500 * u, -1500 * u)]
)
def test_a_damper_with_a_kink_at_rest_has_no_linear_system_there(law):
    """At rest speeds have no size: the point of the table is where the speed is, not somewhere beside it."""
    eom = quarter_car(law)
    with refused("derivative-missing", "z_dot"):
        linearize(eom)
    assert equilibrium(eom).stability == "undecided"


def test_a_table_without_a_kink_at_rest_has_a_slope():
    assert linearize(quarter_car(EVEN)).A[1, 1] == pytest.approx(-500 / 300)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize(("left", "right"), [(-1.0, 3.0), (3.0, -1.0)])
def test_a_kink_at_a_small_equilibrium_is_seen(scale, left, right):
    """A spring by a table of 2 m, whose stiffness changes where it carries the weight: at 0.37·scale m."""
    weight, x0 = 0.37 * 9.81, 0.37 * scale
    system = mb.System("knot", gravity=(0, 0, -9.81))
    slide = system.joint("z", system.world, system.body("box", 0.37), "Tz", q=0.3)
    law = Table("spring", [x0 - 1, x0, x0 + 1], [weight - left, weight, weight + right])
    system.load(mb.JointLoad(slide, law(slide.coordinate)))
    system.load(mb.JointDamper(slide, 1.0))
    assert equilibrium(mb.derive(system)).stability == "undecided"
