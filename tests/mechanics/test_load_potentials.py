"""Potentials of loads and their forces: a load of which the two do not belong together is named and refused."""

import numpy as np
import pytest
import sympy
from sympy.physics import mechanics
from tests.refusal import refused

import multibody as mb
from multibody.formalisms import Formalism
from multibody.graph import ZERO, Table, sin, where
from multibody.mechanics.validation import load_potentials
from multibody.mechanics.validation.load_potentials import matches, require_matching_potentials
from multibody.model import Load
from multibody.model.loads.law import Law


class SevenTimes(mb.Spring):
    def potential(self, kinematics):
        return 7 * super().potential(kinematics)


class WithoutStore(mb.Spring):
    def potential(self, kinematics):
        return ZERO


class Pusher(WithoutStore):
    """A force of its own, which stores nothing and is none of a spring."""

    def push(self, line, kinematics):
        return self.scalar(2.0, kinematics)


class Own(Load):
    """A spring, a damper and a drive on one joint, as a user writes them."""

    def __init__(self, joint, stored, drive=0):
        self.joint, self.stored, self.drive = joint, stored, drive

    def generalized(self, kinematics):
        q, u = self.joint.coordinate, self.joint.speed
        return {u: -6 * q - 2 * u + self.scalar(self.drive, kinematics)}

    def potential(self, kinematics):
        return self.scalar(self.stored, kinematics)

    @property
    def touches(self):
        return (self.joint,)


class Pieces(Own):
    """Force -6·q and a stop where ``law`` is not zero; the potential of the stop is ``wrong`` times too large."""

    def __init__(self, joint, condition, wrong=1.0):
        super().__init__(joint, 0)
        self.condition, self.wrong = condition, wrong

    def generalized(self, kinematics):
        q = self.joint.coordinate
        return {self.joint.speed: -6 * q - where(self.condition(q), 1000 * q, 0)}

    def potential(self, kinematics):
        q = self.joint.coordinate
        return 3 * q**2 + where(self.condition(q), self.wrong * 500 * q**2, 0)


class Partial(Own):
    @property
    def conservative(self):
        return False


def arm(make):
    """A body that slides and turns, with one load."""
    system = mb.System("arm")
    body = system.body("b", 1.0, (0.1, 0, -1), (1, 1, 1))
    slide = system.joint("x", system.world, system.body("s", 1.0), "Tx", q=0.3)
    system.joint("angle", system["s"], body, "Ry", q=0.2)
    wall = system.frame("wall", (3, 1, 0))
    system.load(make(system, body, slide, wall), "coil")
    return system


WRONG = {
    "seven times": lambda s, b, j, w: SevenTimes(w, b, 3.0, 1.0),
    "nothing is stored": lambda s, b, j, w: WithoutStore(w, b, 3.0, 1.0),
    "seven times, with a rest length that follows a coordinate": lambda s, b, j, w: SevenTimes(w, b, 3.0, j.coordinate),
    "seven times, with a rest length that follows time": lambda s, b, j, w: SevenTimes(w, b, 3.0, 1 + sin(s.time)),
    "a law of two functions": lambda s, b, j, w: mb.Spring(w, b, Law(lambda x: 3 * x, lambda x: 3 * x**2)),
    "a law in a list": lambda s, b, j, w: mb.JointSpring(j, [Law(lambda x: 3 * x, lambda x: 3 * x**2)]),
    "a field": lambda s, b, j, w: mb.GravityField(lambda r: (0, 0, -9.81), lambda r: 9.8 * r.z),
    "a load of the user's": lambda s, b, j, w: Own(j, 4 * j.coordinate**2),
    "beside a drive": lambda s, b, j, w: Own(j, 3.1 * j.coordinate**2, s.input("F")),
    "by one part in a hundred million": lambda s, b, j, w: Own(j, 3.00000003 * j.coordinate**2),
}
RIGHT = {
    "a spring": lambda s, b, j, w: mb.Spring(w, b, 3.0, 1.0),
    "a rest length that follows a coordinate": lambda s, b, j, w: mb.Spring(w, b, 3.0, 1 + j.coordinate),
    "a rest length that follows time": lambda s, b, j, w: mb.Spring(w, b, 3.0, 1 + sin(s.time)),
    "a rest length that follows an input": lambda s, b, j, w: mb.SpringDamper(w, b, 3.0, 0.5, 1 + s.input("r")),
    "a table": lambda s, b, j, w: mb.Spring(w, b, Table("pull", [0, 1, 2, 4], [0, 1, 3, 10])),
    "a table and its integral": lambda s, b, j, w: mb.Spring(w, b, Law.of(Table("pull", [0, 1, 2, 4], [0, 1, 3, 10]))),
    "a law of two functions": lambda s, b, j, w: mb.Spring(w, b, Law(lambda x: 3 * x, lambda x: 1.5 * x**2)),
    "rounded constants": lambda s, b, j, w: mb.Spring(w, b, Law(lambda x: 1.1 * x**2, lambda x: 1.1 / 3 * x**3)),
    "a load of the user's": lambda s, b, j, w: Own(j, 3 * j.coordinate**2),
    "beside a drive": lambda s, b, j, w: Own(j, 3 * j.coordinate**2, s.input("F")),
    "a field": lambda s, b, j, w: mb.GravityField(lambda r: (0, 0, -9.81), lambda r: 9.81 * r.z),
    "friction": lambda s, b, j, w: mb.SpringDamper(w, b, 3.0, mb.Friction(2.0), 1.0),
    "a bushing": lambda s, b, j, w: mb.Bushing(w, b, (1, 2, 3), 0.1, (4, 5, 6), 0.2),
    "a force that stores nothing": lambda s, b, j, w: Pusher(w, b, 3.0, 1.0),
    "a potential of a part": lambda s, b, j, w: Partial(j, j.coordinate**2),
}


FAR = {
    "below, from above": (100.0, lambda q: q < 0),
    "far away": (0.3, lambda q: q > 5e5),
    "far below": (0.3, lambda q: q < -40_000),
    "close by and narrow": (0.3, lambda q: (q > 5) & (q < 5.01)),
    "close by and very narrow": (0.3, lambda q: (q > 1) & (q < 1.00001)),
    "beyond a distance": (1.0, lambda q: abs(q) > 3000),
}


@pytest.mark.parametrize("case", FAR)
@pytest.mark.parametrize("wrong", [1.0, 7.0])
def test_potentials_are_compared_on_both_sides_of_all_conditions(case, wrong):
    start, condition = FAR[case]
    system = mb.System("ball")
    joint = system.joint("z", system.world, system.body("b", 1.0), "Tz", q=start)
    system.load(Pieces(joint, condition, wrong), "floor")
    if wrong == 1.0:
        assert mb.derive(system).speeds
    else:
        with refused("potential-not-of-force", "floor"):
            mb.derive(system)


@pytest.mark.parametrize("name", WRONG)
def test_derive_check_and_others_name_the_load(name):
    system = arm(WRONG[name])
    for use in (mb.derive, mb.compare, mb.modular.from_system):
        with refused("potential-not-of-force", "coil"):
            use(system)
    assert any("'coil'" in one.what for one in system.check().errors)


class ByHand(Formalism):
    """A formalism of the user's own, which makes its equations by another one."""

    def derive(self, model, handling=None):
        return mb.Recursive().derive(model, handling)


class Twice(mb.Kane):
    """One that adds to another one."""

    def derive(self, model, handling=None):
        return super().derive(model, handling)


FORMALISMS = (
    mb.Recursive, mb.ArticulatedBody, mb.NewtonEuler, mb.Kane, mb.Lagrange, mb.Wittenburg, mb.Modular, ByHand, Twice
)  # fmt: skip


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("name", WRONG)
def test_no_formalism_takes_a_wrong_potential_where_it_is_called_by_itself(name, formalism):
    model = arm(WRONG[name]).freeze()
    for _ in range(2):  # what was refused once is refused again
        with refused("potential-not-of-force", "coil"):
            formalism().derive(model)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_formalisms_take_right_potentials_where_they_are_called_by_themselves(formalism):
    assert formalism().derive(arm(RIGHT["a load of the user's"]).freeze()).speeds


@pytest.mark.parametrize(("name", "count"), [("a load of the user's", 1), ("a spring", 0)])
def test_each_load_is_looked_at_once(name, count, monkeypatch):
    """Those of the package never: tests prove them right."""
    seen = []

    def counted(load, *others):
        seen.append(load)
        return matches(load, *others)

    monkeypatch.setattr(load_potentials, "matches", counted)
    for use in (mb.derive, mb.compare, *(one().derive for one in FORMALISMS)):
        seen.clear()
        system = arm(RIGHT[name])
        use(system if use in (mb.derive, mb.compare) else system.freeze())
        assert len(seen) == count


@pytest.mark.parametrize("name", RIGHT)
def test_potentials_that_belong_are_accepted(name):
    system = arm(RIGHT[name])
    assert system.check().ok
    assert mb.compare(system, [mb.Kane(), mb.Lagrange(), mb.Recursive()]).agree(1e-9)


def test_lagrange_uses_the_potential_also_where_equality_is_not_proved():
    """The slope of a table's integral is another table to the fingerprint; the motion is that of the force."""
    system = arm(lambda s, b, j, w: mb.Spring(w, b, Table("pull", [0, 1, 2, 4], [0, 1, 3, 10], "cubic")))
    runs = [mb.simulate(mb.derive(system, one), 1.0)["angle"][-1] for one in (mb.Lagrange(), mb.Kane())]
    assert runs[0] == pytest.approx(runs[1], abs=1e-7)


def test_a_load_with_a_drive_keeps_the_energy_balance():
    """x'' = -6x - 2x' + F with F = 1: what drive and damper do together is the change of x'²/2 + 3x²."""
    system = mb.System("driven")
    joint = system.joint("x", system.world, system.body("box", 1.0), "Tx", q=0.5)
    system.load(Own(joint, 3 * joint.coordinate**2, system.input("F")))
    run = mb.simulate(mb.derive(system), 3.0, inputs={"F": 1.0})
    assert run.energy_drift < 1e-6
    gained = run["x_dot"] ** 2 / 2 + 3 * run["x"] ** 2 - 3 * 0.5**2
    assert run.energies.work_of_inputs == pytest.approx(gained, abs=1e-6)


def test_an_instance_whose_potential_was_replaced_is_looked_at():
    system = arm(RIGHT["a spring"])
    system.loads["coil"].potential = lambda kinematics: 2 * mb.Spring.potential(system.loads["coil"], kinematics)
    with refused("potential-not-of-force", "coil"):
        require_matching_potentials(system.freeze())


@pytest.mark.parametrize("factor", [1.0, 7.0])
def test_a_class_of_the_package_whose_potential_was_replaced_is_looked_at(factor, monkeypatch):
    own = mb.Spring.potential
    monkeypatch.setattr(mb.Spring, "potential", lambda self, kinematics: factor * own(self, kinematics))
    if factor == 1.0:
        assert mb.derive(arm(RIGHT["a spring"])).speeds
        return
    with refused("potential-not-of-force", "coil"):
        mb.derive(arm(RIGHT["a spring"]))


def test_prescribed_joints_move_the_end_of_a_spring():
    """The end of the spring moves with time; the potential belongs to the force all the same, and seven times not."""

    def follower(kind):
        system = mb.System("follower")
        hand = system.body("hand")
        system.joint("hand_x", system.world, hand, "Tx", prescribed=sin(system.time))
        box = system.body("box", 1.0)
        system.joint("x", system.world, box, "Tx", q=2.0)
        system.load(kind(hand, box, 3.0, 1.0), "coil")
        return system

    run = mb.simulate(mb.derive(follower(mb.Spring)), 3.0)
    assert run.energy_drift < 1e-6
    with refused("potential-not-of-force", "coil"):
        mb.derive(follower(SevenTimes))


# subsystems ----------------------------------------------------------------------------------------------------------


def cart(dynamics, potential, kinetic="m*v**2/2"):
    return mb.modular.subsystem(
        "cart", {0: "x", 1: "v"}, {"v": dynamics}, kinematics={"x": "v"}, inputs="F",
        parameters={"m": 1.0, "k": 4.0, "g": 9.81, "d": 0.1}, energy=(kinetic, potential),
    )  # fmt: skip


@pytest.mark.parametrize(("dynamics", "potential"), [
    ("F - k*x - m*v_dot", "7*k*x**2/2"), ("F - m*g - m*v_dot", "2*m*g*x"), ("F - d*v - m*v_dot", "m*g*x"),
    ("F - k*x + sin(t) - m*v_dot", "7*k*x**2/2"), ("F - k*x - m*v_dot", "-k*x**2/2"),
    ("F - 9.81 - m*v_dot", "9.8*x"),
])  # fmt: skip
def test_the_energy_of_a_subsystem_must_belong_to_its_forces(dynamics, potential):
    with refused("potential-not-of-force") as caught:
        cart(dynamics, potential)
    assert "'cart'" in caught.value.where


@pytest.mark.parametrize(("dynamics", "potential"), [
    ("F - k*x - d*v - m*v_dot", "k*x**2/2"), ("F - k*x - m*g - m*v_dot", "k*x**2/2 + m*g*x"),
    ("F - k*x - m*v_dot", "0"), ("F - k*x + sin(t) - m*v_dot", "k*x**2/2"), ("F - 1.1*x**2 - m*v_dot", "1.1*x**3/3"),
])  # fmt: skip
def test_energies_of_subsystems_that_belong_are_accepted(dynamics, potential):
    made = cart(dynamics, potential)
    assert mb.simulate(made.equations(), 1.0, u=[0.3]).energy_drift < 1e-6


@pytest.mark.parametrize(("energy", "code"), [
    (("k*x**2/2", "m*v**2/2"), "potential-of-velocities"),
    (("m*v**2/4", "m*v**2/4 + k*x**2/2"), "potential-of-velocities"),
    (("m*v**2/2 + k*x**2/4", "k*x**2/4"), "potential-not-of-force"),
])  # fmt: skip
def test_energies_that_are_exchanged_or_mixed_are_refused(energy, code):
    """Their sum is right each time, so that no energy balance would show it."""
    with refused(code):
        cart("F - k*x - m*v_dot", energy[1], energy[0])


def bead(potential, kinetic="m*r**2*(v**2 + w**2*sin(x)**2)/2"):
    """A bead on a hoop that turns at a constant rate: kinetic energy at rest, whose slope is the centrifugal force."""
    return mb.modular.subsystem(
        "bead", {0: "x", 1: "v"}, {"v": "m*r**2*w**2*sin(x)*cos(x) - m*g*r*sin(x) - m*r**2*v_dot"},
        kinematics={"x": "v"}, parameters={"m": 1.0, "r": 0.5, "g": 9.81, "w": 2.0}, energy=(kinetic, potential),
    )  # fmt: skip


@pytest.mark.parametrize("energies", [
    ("-7*m*g*r*cos(x)",), ("-m*g*r*cos(x)", "m*r**2*(v**2 - w**2*sin(x)**2)/2"),
    ("-m*g*r*cos(x)", "m*r**2*v**2/2"),
])  # fmt: skip
def test_potentials_beside_kinetic_energy_at_rest_are_compared(energies):
    with refused("potential-not-of-force"):
        bead(*energies)


def test_potentials_that_belong_beside_kinetic_energy_at_rest_are_accepted():
    jacobi = bead("-m*g*r*cos(x) - m*r**2*w**2*sin(x)**2/2", "m*r**2*v**2/2")
    for made in (bead("-m*g*r*cos(x)"), jacobi):
        assert mb.simulate(made.equations(), 1.0, u=[0.3]).energy_drift < 1e-6


def test_a_force_that_stores_nothing_has_a_level_of_its_own():
    whole = mb.modular.couple(
        "pushed", [cart("F - k*x - m*v_dot", "k*x**2/2")], own=mb.modular.OwnEquations(dynamics={"v": "3*x**2"})
    )
    assert mb.simulate(whole.equations(), 1.0, u=[0.3]).energy_drift < 1e-6


# SymPy ---------------------------------------------------------------------------------------------------------------


def kane(factor, *, spring=False):
    """A pendulum with gravity, perhaps with a spring and a damper; its potential energy times a factor."""
    (q, u), (m, g, l, k) = mechanics.dynamicsymbols("q u"), sympy.symbols("m g l k")
    world, origin = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    origin.set_vel(world, 0)
    turned = world.orientnew("A", "Axis", (q, world.z))
    point = origin.locatenew("P", l * turned.x)
    point.v2pt_theory(origin, world, turned)
    bob = mechanics.Particle("bob", point, m)
    bob.potential_energy = -factor * m * g * l * sympy.cos(q) + (factor * k * q**2 / 2 if spring else 0)
    loads = [(point, m * g * world.x)]
    loads += [(turned, -k * q * world.z), (turned, -3 * u * world.z)] if spring else []
    method = mechanics.KanesMethod(world, [q], [u], kd_eqs=[q.diff() - u])
    method.kanes_equations([bob], loads)
    return method


@pytest.mark.parametrize("spring", [False, True])
def test_potential_energies_of_sympy_bodies_must_belong_to_the_loads(spring):
    mb.from_sympy(kane(1, spring=spring))
    with refused("potential-not-of-force", "bob"):
        mb.from_sympy(kane(7, spring=spring))


def test_the_check_is_not_left_among_expressions():
    """Equations are the same objects' text, whether the loads were compared before or not."""
    texts = []
    for use in (lambda system: None, mb.System.check):
        system = arm(RIGHT["a load of the user's"])
        use(system)
        texts.append(str(mb.derive(system).acceleration))
    assert texts[0] == texts[1]
    assert np.isfinite(mb.simulate(mb.derive(system), 0.1)["x"]).all()


@pytest.mark.parametrize("kind", ["JointSpring", "Spring", "SpringDamper"])
@pytest.mark.parametrize("factor", [2.0, 9.0])
def test_laws_that_are_exchanged_after_construction(kind, factor):
    """4·x belongs to 2·x², not to 9·x²; ``derive`` looks at the law that acts, not at the one of the constructor."""
    system = mb.System("exchanged")
    box = system.body("box", mass=1)
    slide = system.joint("x", system.world, box, "Tx", q=0.3)
    ends = (slide,) if kind == "JointSpring" else (system.world, box)
    load = system.load(getattr(mb, kind)(*ends, 4.0), name="spring")
    law = Law(lambda x: 4 * x, lambda x: factor * x * x)
    if kind == "JointSpring":
        load.laws = [law]
    else:
        (load.spring if kind == "SpringDamper" else load).law = law
    if factor == 2.0:
        assert mb.simulate(mb.derive(system), 1.0).energy_drift < 1e-6
        return
    with refused("potential-not-of-force", "spring"):
        mb.derive(system)


def cardan(factor=1.0):
    """Two shafts at an angle of 0.5 rad, a cross between them, and a spring where the second one is held: in a cut."""

    class Spring(mb.JointSpring):
        def potential(self, kinematics):
            return factor * super().potential(kinematics)

    system = mb.System("cardan", recognise_loops=False)
    first, cross, second = (
        system.body(name, m, inertia=i)
        for name, m, i in (
            ("first", 1, (0.3, 0.3, 0.2)),
            ("cross", 0.3, (0.05, 0.06, 0.04)),
            ("second", 1, (0.4, 0.3, 0.2)),
        )
    )
    system.joint("a", system.world, first, "Rz", u=14.0)
    system.joint("c1", first, cross, "Rx", guess=0.5)
    system.joint("c2", cross, second, "Ry")
    bearing = system.world.frame("bearing", (0, 0, 0), mb.Rotation.about_x(0.5))
    held = system.joint("b", bearing, second, "Rz", cut=True)
    system.load(Spring(held, 0.8, 0.3))
    return system


@pytest.mark.parametrize("formalism", [mb.Recursive(), mb.Lagrange(), mb.Kane()], ids=repr)
def test_a_spring_on_a_joint_that_closes_a_loop_in_space(formalism):
    """Only where the loop is closed is the speed of that joint the rate of its angle; the angles of a Cardan joint."""
    system = cardan()
    assert not system.check().errors
    run = mb.simulate(mb.derive(system, formalism), 1.0, samples=101)
    a, b = run["a"], run["b"]
    assert np.sin(b) * np.cos(a) == pytest.approx(np.cos(b) * np.sin(a) * np.cos(0.5), abs=1e-8)
    assert np.abs(b).max() > np.pi
    assert run.energy_drift < 1e-7


@pytest.mark.parametrize("factor", [0.5, -1.0, 1.001])
def test_a_wrong_potential_on_a_joint_that_closes_a_loop_in_space(factor):
    with refused("potential-not-of-force"):
        mb.derive(cardan(factor))
