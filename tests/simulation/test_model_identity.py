"""The identification of models: any detail that can change a number changes it, and nothing else does."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, cos, sin
from multibody.model import Load
from multibody.simulation.results.digests import different, equations_digest
from multibody.simulation.results.model_identity import equation_parts, motion_parts, sensor_parts, unidentified_parts

STANDARD = {
    "gravity": 9.81, "mass": 2.0, "com": -0.6, "inertia": 0.2, "product": 0.0, "pivot": 0.1, "turn": 0.2, "axis": "y",
    "limit": 2.0, "amplitude": 0.1, "table_mass": 3.0, "stiffness": 4.0, "length": 0.2, "damping": 0.1, "grip": 0.3,
    "push": 1.0, "values": 2.0, "ratio": -2.0, "offset": 0.1, "reach": 0.7, "stretch": 1.0, "drive": 3.0,
    "start": 0.2, "speed": 0.0, "factor": 1.5, "sensor": "Position", "slider": 1.0, "color": "red", "text": "a",
    "gain": 1.0,
}  # fmt: skip


class Wind(Load):
    """A load of the user."""

    def __init__(self, joint, gain, law=None):
        self.joint, self.gain, self.law = joint, gain, law

    def generalized(self, kinematics):
        return {self.joint.speed: self.scalar(self.gain * cos(self.joint.coordinate), kinematics)}

    @property
    def touches(self):
        return (self.joint,)


def rig(law=None, **changed):
    """A table that is shaken, a pendulum on it with all kinds of loads, and two wheels in mesh."""
    x = STANDARD | changed
    system = mb.System("rig", gravity=(0, 0, -x["gravity"]))
    k = system.parameter("k", x["factor"], description=x["text"])
    table = system.body("table", x["table_mass"])
    system.joint("lift", system.world, table, "Tz", prescribed=x["amplitude"] * sin(2 * system.time))
    tensor = [[0.3, x["product"], 0], [x["product"], x["inertia"], 0], [0, 0, 0.3]]
    rod = system.body("rod", x["mass"], (0, 0, x["com"]), tensor)
    pivot = table.frame("pivot", (x["pivot"], 0, 0), mb.Rotation.about_z(x["turn"]))
    hinge = system.joint("q", pivot, rod, f"R{x['axis']}", q=x["start"], u=x["speed"], limits=(-2.0, x["limit"]))
    tip, post = rod.frame("tip", (0, 0, -x["reach"])), system.world.frame("post", (1, 0, 0))
    system.load(mb.Spring(post, tip, x["stiffness"], x["length"]), name="spring")
    system.load(mb.JointDamper(hinge, x["damping"] * k), name="damper")
    system.load(mb.Force(rod, (x["push"], 0, 0), at=(0, 0, x["grip"])), name="push")
    curve = Table("curve", [-1.0, 0.0, 1.0], [-1.0, 0.2, x["values"]])
    system.load(mb.JointLoad(hinge, curve(hinge.coordinate)), name="curve")
    motor = system.input("M", limits=(-x["drive"], x["drive"]), slider=(-x["slider"], x["slider"]))
    system.load(mb.JointLoad(hinge, motor), name="motor")
    system.load(Wind(hinge, x["gain"], law), name="wind")
    wheels = [system.body(f"wheel_{k}", 1.0, inertia=(1, 1, 1)) for k in "ab"]
    a, b = (system.joint(f"w{k}", system.world, wheel, "Rz") for k, wheel in zip("ab", wheels, strict=True))
    system.constraint(mb.Gear(a, b, ratio=x["ratio"], offset=x["offset"]), name="mesh")
    system.sensor("place", getattr(mb, x["sensor"])(tip))
    system.draw(rod, mb.Box(0.1, 0.1, 1.0, colour=x["color"]))
    return mb.derive(system)


@pytest.fixture(scope="module")
def standard():
    return rig()


CHANGES = {
    "gravity": (9.8, "gravity"), "mass": (2.1, "body rod"), "com": (-0.61, "body rod"), "inertia": (0.21, "body rod"),
    "product": (0.01, "body rod"), "pivot": (0.2, "joint q"), "turn": (0.3, "joint q"), "axis": ("x", "joint q"),
    "limit": (2.1, "joint q"), "amplitude": (0.2, "joint lift"), "table_mass": (3.1, "body table"),
    "stiffness": (5.0, "load spring"), "length": (0.3, "load spring"), "damping": (0.2, "load damper"),
    "grip": (0.4, "load push"), "push": (2.0, "load push"), "values": (3.0, "load curve"),
    "ratio": (-2.5, "constraint mesh"), "offset": (0.2, "constraint mesh"), "drive": (4.0, "limits of inputs"),
    "gain": (2.0, "load wind"), "start": (0.3, "start value of q"), "speed": (0.1, "start value of q_dot"),
    "factor": (1.6, "default of parameter k"), "sensor": ("Velocity", "sensor place"),
    "law": (np.sin, "load wind"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_detail_is_named(standard, name):
    value, part = CHANGES[name]
    others = different(equation_parts(standard), equation_parts(rig(**{name: value})))
    assert part in others
    assert not [one for one in others if one.startswith(("body", "load", "sensor")) and one != part]


@pytest.mark.parametrize(("name", "value"), [("color", "blue"), ("slider", 2.0), ("text", "b"), ("mass", 2)])
def test_what_changes_no_number_does_not_count(standard, name, value):
    assert equation_parts(rig(**{name: value})) == equation_parts(standard)


def test_what_a_motion_depends_on(standard):
    parts = motion_parts(standard)
    assert {"body table", "joint lift", "limits of inputs", "equation of constraint mesh"} <= {*parts}
    assert not [name for name in parts if name.startswith(("sensor", "default", "start"))]
    assert [*sensor_parts(standard)] == ["place"]


def test_a_mass_that_does_not_change_the_motion(standard):
    """A driven body has energy and needs a force; the accelerations do not know it."""
    others = different(equation_parts(standard), equation_parts(rig(table_mass=5.0)))
    assert others == ["body table"]


def test_a_law_that_cannot_be_identified(standard):
    source = (k for k in range(3))
    eom = rig(law=source)
    assert unidentified_parts(eom) == ["load wind"]
    assert unidentified_parts(standard) == []
    with refused("object-not-identified"):
        mb.sweep(eom, 0.1, path="unused.sweep")


@pytest.mark.parametrize("make", [mb.library.crane_crab, mb.library.slider_crank, mb.library.rolling_disc])
def test_formalisms_agree(make):
    found = [equations_digest(mb.derive(make(), way)) for way in (mb.Kane(), mb.Lagrange(), mb.NewtonEuler())]
    assert len(set(found)) == 1


def modular(stiffness, length=1.0):
    """Two carts on a spring, as subsystems, one with a pendulum whose tip is kept on a circle."""
    system = mb.System("carts", gravity=(0, 0, -9.81))
    slide = system.joint("x", system.world, system.body("box", 2.0), "Tx", q=0.1)
    bob = system.body("bob", 1.0)
    system.joint("p", system["box"], bob, ["Tx", "Tz"], q=(0.0, -length))
    system.constraint(mb.DistanceConstraint(system["box"], bob, length), name="rod")
    system.load(mb.JointSpring(slide, stiffness))
    return mb.modular.from_system(system).equations()


def from_sympy(stiffness, length=1.0):
    """A mass on a spring, from SymPy."""
    mechanics, sympy = pytest.importorskip("sympy.physics.mechanics"), pytest.importorskip("sympy")
    (q,) = mechanics.dynamicsymbols("q:1")
    m = sympy.Symbol("m")
    method = mechanics.LagrangesMethod(m * q.diff() ** 2 / 2 - stiffness * (q - length) ** 2 / 2, [q])
    method.form_lagranges_equations()
    return mb.from_sympy(method, parameters={m: 2.0})


@pytest.mark.parametrize("make", [modular, from_sympy])
def test_equations_without_bodies_are_their_formulas(make):
    one, again, *others = (equation_parts(make(*values)) for values in ((3,), (3,), (4,), (3, 2)))
    assert one == again
    assert all(one.values())
    assert all(different(one, other) for other in others)


@pytest.mark.parametrize(
    ("name", "value"), [("table_mass", 4.0), ("offset", 0.3), ("limit", 1.9), ("drive", 2.5), ("gravity", 9.8)]
)
def test_runs_of_another_model_neither_join_nor_go_on(standard, name, value):
    other = rig(**{name: value})
    first, second = (mb.simulate(eom, 0.02, samples=2) for eom in (standard, other))
    with refused("run-equations-differ"):
        mb.simulate(other, 0.02, start=first)
    with refused("run-equations-differ"):
        first + second
    again = mb.simulate(rig(), 0.02, samples=2, start=first)
    assert len((first + again).t) == 3


def test_runs_that_do_not_meet_are_not_joined(standard):
    first = mb.simulate(standard, 0.02, samples=2)
    apart = mb.simulate(standard, 0.02, samples=2, t0=0.5)
    moved = mb.simulate(standard, 0.02, samples=2, t0=0.02, q={"q": 0.5})
    for later in (apart, moved):
        with refused("runs-not-consecutive"):
            first + later


def test_runs_with_other_contacts_are_not_joined():
    """The forces of a contact at another place would be those of both runs."""
    system = mb.System("ball", gravity=(0, 0, -9.81))
    z = system.joint("z", system.world, system.body("rubber", 1.0), "Tz", q=0.1).coordinate
    eom, floor = mb.derive(system), mb.Impact(z, 0.5, name="floor")
    first = mb.simulate(eom, 0.1, samples=3, events=[floor])
    second = mb.simulate(eom, 0.1, samples=3, start=first, events=[floor])
    lower = mb.simulate(eom, 0.1, samples=3, start=first, events=[mb.Impact(z + 0.2, 0.5, name="floor")])
    assert len((first + second).t) >= 5
    with refused("run-equations-differ"):
        first + lower
