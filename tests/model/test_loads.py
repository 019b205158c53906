"""Loads: power and potential energy, action and reaction, signs, laws."""

import math

import numpy as np
import pytest
from tests.refusal import refused

from multibody.algebra import ForceMotor, Vec3
from multibody.errors import ModelError
from multibody.graph import (
    Table,
    all_same,
    array,
    as_expr,
    evaluate,
    free_symbols,
    is_zero,
    same,
    sin,
    sqrt,
    symbol,
    time_derivative,
)
from multibody.model import (
    Acceleration,
    Bushing,
    CentralGravity,
    Damper,
    Distance,
    DistanceAndRate,
    Force,
    Free,
    Friction,
    GravityField,
    JointDamper,
    JointFriction,
    JointLoad,
    JointSpring,
    PointToPointForce,
    Revolute,
    Spherical,
    Spring,
    SpringDamper,
    System,
    Torque,
    UniformGravity,
    Velocity,
    Weld,
)
from multibody.model.energy import potential_energy
from multibody.model.loads.law import Law
from multibody.model.sensors.joint import joint_state

from .samples import frozen, numbers, proved, random_tree, random_values, rates

SEEDS = range(3)
TABLE = Table("law", [-1.0, -0.2, 0.5, 2.0, 5.0], [-40.0, -3.0, 2.0, 30.0, 90.0], "cubic")


def power(load, kinematics):
    """Of all forces on frames and of all forces on speeds."""
    total = as_expr(0)
    for frame, force in load.forces(kinematics):
        total = total + force.power(kinematics.velocity(frame))
    for u, force in load.generalized(kinematics).items():
        total = total + force * u
    return total


def resultant(load, kinematics):
    """The sum of all forces on frames, at the world's origin and in its axes."""
    total = ForceMotor(*[Vec3(*[as_expr(0)] * 3)] * 2)
    for frame, force in load.forces(kinematics):
        total = total + kinematics.pose(frame).to_parent(force)
    return total


def ends(system):
    """A point on each of two bodies that move."""
    return system["b2"].frame("end2", (0.1, -0.4, 0.2)), system["b4"].frame("end4", (0.3, 0.2, 0.5))


def conservative(system):
    """One of every load that stores energy, between frames of different branches."""
    (a, b), joint = ends(system), elementary_joint(system)
    k = system.parameter("k", 3.0)
    return {
        "spring": Spring(a, b, stiffness=k, length=0.5),
        "spring_of_no_length": Spring(a, b, stiffness=k),
        "spring_to_the_world": Spring(system.world, b, stiffness=k, length=system.parameter("l0", 1.0)),
        "spring_by_energy": Spring(a, b, length=0.3, energy=lambda x: k * x**4 + sin(x)),
        "attraction": Spring(a, b, energy=lambda r: -k / r),
        "spring_and_damper_without_damping": SpringDamper(a, b, stiffness=k, length=1),
        "bushing": Bushing(a, b, stiffness=(1, 2, k), torsion=[[3, 0.1, 0], [0.1, 4, 0.2], [0, 0.2, k]]),
        "bushing_of_one_number": Bushing(b, a, stiffness=k, torsion=2),
        "uniform": UniformGravity((1, k, 3)),
        "uniform_on_one": UniformGravity((1, 2, 3), bodies=[system["b2"]]),
        "central": CentralGravity(k, system.frame("planet", (3, 4, 5))),
        "field_by_potential": GravityField(potential=lambda r: k * r.x**3 * r.y - r.z),
        "joint_spring": JointSpring(joint, k, rest=0.4),
        "joint_spring_by_energy": JointSpring(joint, energy=lambda x: k * (1 - x**3)),
    }


def elementary_joint(system):
    """A joint of the tree with one degree of freedom, added at its end."""
    extra = system.body("extra", 1, inertia=(1, 1, 1))
    return system.joint("elementary", system["f0"], extra, Revolute((1, 2, 2)))


NAMES = list(conservative(random_tree(1)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_power_is_what_the_potential_loses(name, seed):
    system = random_tree(seed)
    load = system.load(conservative(system)[name])
    kinematics = frozen(system)
    lost = -time_derivative(load.potential(kinematics), rates(kinematics.model))
    assert not is_zero(lost)
    assert is_zero(power(load, kinematics) - lost)


def test_gravity_of_the_system_is_conservative_too():
    system = random_tree(3)
    kinematics = frozen(system)
    model = kinematics.model
    work = as_expr(0)
    for body in model.bodies:
        pose = kinematics.pose(body)
        weight = ForceMotor.single_force(pose.vector_to_child(model.gravity) * body.mass, body.com)
        work = work + weight.power(kinematics.velocity(body))
    assert is_zero(work + time_derivative(potential_energy(kinematics), rates(model)))


def closed(system):
    """One of every load that acts between two bodies."""
    a, b = ends(system)
    F = system.input("F", (3,))
    return {
        "point_to_point": PointToPointForce(a, b, F[0]),
        "spring": Spring(a, b, stiffness=2, length=1),
        "damper": Damper(a, b, 3),
        "spring_damper": SpringDamper(a, b, 2, 3, 1, law=lambda x, v: x * v),
        "bushing": Bushing(a, b, (1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)),
        "force": Force(a, F, reaction_on=b),
        "force_at": Force(a, F, at=(1, 2, 3), reaction_on=b, expressed_in=system["b1"]),
        "force_at_a_frame": Force(a, F, at=system["f1"], reaction_on=b),
        "torque": Torque(a, F, reaction_on=b, expressed_in=system["b1"]),
    }


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", list(closed(random_tree(1))))
def test_action_and_reaction(name, seed):
    """Neither resultant nor moment is left of a pair."""
    system = random_tree(seed)
    load = system.load(closed(system)[name])
    kinematics = frozen(system)
    assert len(list(load.forces(kinematics))) == 2
    assert proved(resultant(load, kinematics), 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bushing_loses_power_in_all_six_dampers(seed):
    """-(vᵀ·D·v + ωᵀ·E·ω), with v = ṙ and ω from Ṙ·Rᵀ of b in the axes of a."""
    system = random_tree(seed)
    a, b = ends(system)
    D, E = [[4, 0.1, 0], [0.1, 5, 0.3], [0, 0.3, 6]], [[7, 0, 0.2], [0, 8, 0.5], [0.2, 0.5, 9]]
    load = system.load(Bushing(a, b, damping=D, torsion_damping=E))
    kinematics = frozen(system)
    pose = kinematics.pose(b, a)
    R = array(pose.rotation.to_matrix().components()).reshape(3, 3)
    moving = rates(kinematics.model)
    v, spin = time_derivative(array([*pose.position]), moving), time_derivative(R, moving) @ R.T
    w = array([spin[2, 1], spin[0, 2], spin[1, 0]])
    assert same(power(load, kinematics), -(v @ array(D) @ v) - w @ array(E) @ w)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_between_two_bodies_depends_on_relative_motion_only(seed):
    """Of a point-to-point force: force times rate of distance."""
    system = random_tree(seed)
    a, b = ends(system)
    load = PointToPointForce(a, b, system.input("F"))
    kinematics = frozen(system)
    distance, rate = DistanceAndRate(a, b).measure(kinematics)
    assert same(power(load, kinematics), system["F"].symbols * rate)
    assert same(time_derivative(distance, rates(kinematics.model)), rate)


def slider():
    """A body that moves along x, and a wall on its left."""
    system = System("slider")
    body = system.body("body", 1, inertia=(1, 1, 1))
    joint = system.joint("s", system.world, body, "Tx")
    return system, system.frame("wall", (-10, 0, 0)), body, joint


def on_body(system, load, values):
    """The force on the slider, as numbers."""
    kinematics = frozen(system)
    (force,) = [force for frame, force in load.forces(kinematics) if frame.body is not system.world]
    return numbers(force, values)


@pytest.mark.parametrize(
    ("load", "state", "expected"),
    [
        (lambda wall, body: PointToPointForce(wall, body, 5), (0, 0), 5),
        (lambda wall, body: PointToPointForce(body, wall, 5), (0, 0), 5),
        (lambda wall, body: Spring(wall, body, 3, length=10), (2, 0), -6),
        (lambda wall, body: Spring(wall, body, 3, length=14), (2, 0), 6),
        (lambda wall, body: Spring(wall, body, lambda x: x**3, length=10), (2, 0), -8),
        (lambda wall, body: Spring(wall, body, TABLE, length=10), (2, 0), -30),
        (lambda wall, body: Damper(wall, body, 3), (2, 4), -12),
        (lambda wall, body: Damper(body, wall, lambda v: v**2), (2, 4), -16),
        (lambda wall, body: SpringDamper(wall, body, 3, 2, 10), (2, 4), -14),
        (lambda wall, body: SpringDamper(wall, body, length=10, law=lambda x, v: x * v), (2, 4), -8),
        (lambda wall, body: Bushing(body.frame("other"), wall.frame("ref", (10, 0, 0)), 3, 2), (2, 4), -14),
        (lambda wall, body: Force(body, (7, 0, 0)), (2, 4), 7),
        (lambda wall, body: Force(wall, (7, 0, 0), reaction_on=body), (2, 4), -7),
    ],
)
def test_signs_and_sizes(load, state, expected):
    system, wall, body, joint = slider()
    made = system.load(load(wall, body))
    force = on_body(system, made, {joint.coordinate: state[0], joint.speed: state[1]})
    assert force[0] == pytest.approx(expected)
    assert force[1:3] == pytest.approx([0, 0])


def test_a_force_has_the_same_power_wherever_its_line_is_cut():
    system = random_tree(2)
    body = system["b3"]
    f = Vec3(1, 2, 3)
    kinematics = frozen(system)
    here, there = Force(body, f, at=(0.5, 0, 0)), Force(body, f, at=tuple(Vec3(0.5, 0, 0) + f * 2))
    assert same(power(here, kinematics), power(there, kinematics))


def test_components_along_other_axes():
    """A force given in the world's axes does not turn with the body."""
    system = random_tree(2)
    body = system["b3"]
    kinematics = frozen(system)
    (applied,) = Force(body, (1, 2, 3), at=system["n1"], expressed_in=system.world).forces(kinematics)
    in_world = kinematics.pose(body).to_parent(applied.force)
    assert proved(in_world.resultant, [1, 2, 3])
    assert proved(in_world.moment_at(kinematics.pose(system["n1"]).position), 0)


def test_the_force_of_pymbs_reacts_at_its_second_frame():
    """CmpForce(F, CS1, CS2): the reaction acts at the origin of CS2, so a moment is left."""
    system = random_tree(2)
    one, two = system["f3"], system["n2"]
    kinematics = frozen(system)
    load = Force(one, (1, 2, 3), reaction_on=two, reaction_at=two)
    total = resultant(load, kinematics)
    arm = kinematics.pose(one).position - kinematics.pose(two).position
    assert proved(total.resultant, 0)
    assert proved(total.moment, arm.cross(kinematics.pose(one).vector_to_parent((1, 2, 3))))


# joints --------------------------------------------------------------------------------------------------------------


def test_joint_load_is_power_conjugate_to_the_speeds():
    """Against forces and torques on the two frames, for a joint run through forwards and backwards."""
    for seed, turned_round in ((1, False), (2, True)):
        system = random_tree(seed, bodies=2)
        arm = system.body("arm", 1, inertia=(1, 1, 1))
        ends = (arm, system["f1"]) if turned_round else (system["f1"], arm)
        joint = system.joint("drive", *ends, "Rz")
        torque = system.input("M")
        kinematics = frozen(system)
        on_frames = Torque(joint.child, (0, 0, torque), reaction_on=joint.parent)
        assert same(power(JointLoad(joint, torque), kinematics), power(on_frames, kinematics))


def test_joint_load_on_many_speeds():
    system = System("many")
    joint = system.joint("j", system.world, system.body("b", 1), ["Tx", "Rz"])
    kinematics = frozen(system)
    assert JointLoad(joint, [3, 0]).generalized(kinematics) == {joint.speeds[0]: 3, joint.speeds[1]: 0}
    ball = system.joint("ball", system["b"], system.body("c", 1), Spherical())
    kinematics = frozen(system)
    assert list(JointDamper(ball, [1, 2, 3]).generalized(kinematics)) == list(ball.speeds)


def test_joint_damper_and_spring_oppose():
    system, _, _, joint = slider()
    kinematics = frozen(system)
    values = {joint.coordinate: 2.0, joint.speed: 4.0}
    for load, expected in (
        (JointSpring(joint, 3, rest=1), -3.0),
        (JointSpring(joint, TABLE), -30.0),
        (JointSpring(joint, [lambda x: x**2]), -4.0),
        (JointDamper(joint, 3), -12.0),
        (JointDamper(joint, [lambda v: v**3]), -64.0),
        (JointFriction(joint, 2, viscous=1), -6.0),
        (JointFriction(joint, Friction(2, static=3)), -2.0),
    ):
        assert evaluate(load.generalized(kinematics)[joint.speed], values) == pytest.approx(expected)


def test_a_spring_on_a_prescribed_joint_follows_the_motion():
    system = System("given")
    joint = system.joint("j", system["world"], system.body("b", 1), ["Tx", "Ry"], prescribed=[system.time**2, 3])
    kinematics = frozen(system)
    assert all_same(joint_state(kinematics, joint).u, [2 * system.time, 0])
    assert all_same(JointSpring(joint, [2, 0]).potential(kinematics), system.time**4)
    assert all(u not in kinematics.model.speeds for u in JointLoad(joint, [1, 2]).generalized(kinematics))


@pytest.mark.parametrize(
    ("make", "what", "remedy"),
    [
        (lambda j: JointLoad(j, [1, 2]), "1 degrees of freedom, and 2 values", "one value for each"),
        (lambda j: JointLoad(None, 1), "None is not a joint", "system.joint"),
        (lambda j: JointSpring(j), "either a stiffness or an energy", "stiffness=k"),
        (lambda j: JointSpring(j, 1, energy=lambda x: x), "either a stiffness or an energy", "stiffness=k"),
        (lambda j: Spring(j.parent, j.child), "either a stiffness or an energy", "stiffness=k"),
        (lambda j: GravityField(), "needs a field or a potential", "one of the two"),
    ],
)
def test_loads_that_cannot_be(make, what, remedy):
    _, _, _, joint = slider()
    with pytest.raises(ModelError) as caught:
        make(joint)
    assert what in caught.value.what
    assert remedy in caught.value.remedy


def test_a_spring_cannot_act_on_a_quaternion():
    system = System("ball")
    joint = system.joint("j", system.world, system.body("b", 1), Spherical())
    with refused("coordinate-not-a-rate") as caught:
        JointSpring(joint, [1, 1, 1, 1])
    assert "'j'" in caught.value.where
    assert "Bushing" in caught.value.remedy


# points that coincide ------------------------------------------------------------------------------------------------


def test_a_spring_of_no_length_has_no_singular_point():
    system = System("zero")
    body = system.body("body", 1)
    joint = system.joint("j", system.world, body, ["Tx", "Ty", "Tz"])
    (_, applied) = Spring(system.world, body, 3).forces(frozen(system))
    at_rest = dict.fromkeys(joint.coordinates, 0.0)
    assert numbers(applied.force, at_rest) == pytest.approx([0] * 6)
    assert proved(applied.force.resultant, [-3 * q for q in joint.coordinates])


def test_other_loads_have_no_direction_where_points_coincide():
    system = System("zero")
    body = system.body("body", 1)
    joint = system.joint("j", system.world, body, ["Tx", "Ty", "Tz"])
    (_, applied) = PointToPointForce(system.world, body, 3).forces(frozen(system))
    with refused("expression-without-value"):
        numbers(applied.force, dict.fromkeys(joint.coordinates, 0.0))


def test_points_that_coincide_for_ever():
    system, _, body, _ = slider()
    with refused("points-coincide") as caught:
        list(Spring(body, body.frame("same"), 3).forces(frozen(system)))
    assert caught.value.where == "from 'body' to 'same'"


# laws ----------------------------------------------------------------------------------------------------------------


def test_energy_of_a_table():
    """Zero at zero, and its derivative is the table, also beyond its ends."""
    for table in (TABLE, Table("line", [1.0, 2.0, 4.0], [3.0, -1.0, 5.0])):
        law = Law.of(table)
        x = symbol("x")
        assert evaluate(law.energy(x), {x: 0.0}) == pytest.approx(0, abs=1e-12)
        for value in (-3.0, -0.7, 0.1, 1.2, 3.3, 4.9, 7.0):
            slope = evaluate(time_derivative(law.energy(x), {x: 1}), {x: value})
            assert slope == pytest.approx(table.evaluate(value), abs=1e-12)


def test_power_of_a_tabulated_spring_is_what_its_energy_loses():
    system = random_tree(1)
    load = Spring(*ends(system), TABLE, length=1)
    kinematics = frozen(system)
    values = random_values(kinematics.model, 3)
    lost = -time_derivative(load.potential(kinematics), rates(kinematics.model))
    assert numbers([power(load, kinematics)], values) == pytest.approx(numbers([lost], values), rel=1e-12)


def test_a_law_that_is_a_function_stores_no_known_energy():
    system, wall, body, _ = slider()
    assert Spring(wall, body, lambda x: x**3).potential(frozen(system)) == 0


def test_friction_resists_and_dissipates():
    v = symbol("v")
    friction = Friction(2.0, viscous=0.5, static=3.0, stribeck=0.1, smoothing=0.001)
    force = friction(v)
    for value in (-2.0, -0.05, 1e-4, 0.02, 3.0):
        assert evaluate(force, {v: value}) * value > 0
        assert evaluate(force, {v: -value}) == pytest.approx(-evaluate(force, {v: value}))
    assert evaluate(force, {v: 0.0}) == 0
    assert evaluate(force, {v: 2.0}) == pytest.approx(3.0)
    assert max(evaluate(force, {v: x}) for x in np.linspace(0, 0.1, 101)) == pytest.approx(3.0, abs=0.05)


def test_damping_dissipates():
    """The power of dampers and bushings without springs is never positive."""
    system = random_tree(4)
    a, b = ends(system)
    kinematics = frozen(system)
    for load in (Damper(a, b, 2), Bushing(a, b, damping=(1, 2, 3), torsion_damping=(4, 5, 6))):
        for seed in range(5):
            assert numbers([power(load, kinematics)], random_values(kinematics.model, seed))[0] < 0


def test_bushing_is_linear_for_small_angles():
    system = System("mount")
    body = system.body("body", 1, inertia=(1, 1, 1))
    joint = system.joint("j", system.world, body, Free("xyz"))
    c = np.array([[3.0, 0.4, 0.1], [0.4, 2.0, -0.2], [0.1, -0.2, 5.0]])
    (_, applied) = Bushing(system.world, body, torsion=c).forces(frozen(system))
    angles = np.array([1e-6, -2e-6, 3e-6])
    values = dict(zip(joint.coordinates, [0.0, 0.0, 0.0, *angles], strict=True)) | dict.fromkeys(joint.speeds, 0.0)
    assert numbers(applied.force.moment, values) == pytest.approx(-c @ angles, abs=1e-10)


@pytest.mark.parametrize("given", [2, (2, 2, 2), [[2, 0, 0], [0, 2, 0], [0, 0, 2]], np.eye(3) * 2, Vec3(2, 2, 2)])
def test_ways_to_give_a_stiffness(given):
    system, wall, body, _ = slider()
    kinematics = frozen(system)
    expected = list(Bushing(wall, body, stiffness=symbol("two")).forces(kinematics))
    found = list(Bushing(wall, body, stiffness=given).forces(kinematics))
    for (_, one), (_, two) in zip(found, expected, strict=True):
        assert proved(one, two.substitute({symbol("two"): 2}))


def test_bushing_turns_back_with_the_sine():
    system = System("twist")
    body = system.body("body", 1, inertia=(1, 1, 1))
    joint = system.joint("j", system.world, body, "Rz")
    (_, applied) = Bushing(system.world, body, torsion=(0, 0, 7)).forces(frozen(system))
    assert same(applied.force.moment.z, -7 * sin(joint.coordinate))


# gravity -------------------------------------------------------------------------------------------------------------


def test_gravity_fields_are_like_weight():
    system = random_tree(2, gravity=(0, 0, -9.81))
    kinematics = frozen(system)
    field = UniformGravity((0, 0, -9.81))
    assert same(field.potential(kinematics), potential_energy(kinematics))
    chosen = UniformGravity((0, 0, 1), bodies=[system["b1"]])
    assert [frame.name for frame, _ in chosen.forces(kinematics)] == ["b1"]


def test_central_gravity():
    system = System("orbit", gravity=(0, 0, 0))
    satellite = system.body("satellite", 5)
    joint = system.joint("j", system.world, satellite, ["Tx", "Ty"])
    (applied,) = CentralGravity(100, system.world).forces(frozen(system))
    x, y = joint.coordinates
    r = sqrt(x**2 + y**2)
    assert proved(applied.force.resultant, [-500 * x / r**3, -500 * y / r**3, 0])


# loads that use what sensors measure ---------------------------------------------------------------------------------


def test_loads_can_use_sensors():
    """The spring and damper of PyMbs, made of a distance sensor, an expression and a force."""
    system, wall, body, _ = slider()
    k, c, l0 = system.parameters(k=3.0, c=2.0, l0=9.0)
    system.sensor("d", DistanceAndRate(wall, body))
    d = system.measured("d")
    assert [s.name for s in d] == ["d_1", "d_2"]
    F = system.expression("F", k * (d[0] - l0) + c * d[1])
    load = system.load(PointToPointForce(wall, body, -F))
    kinematics = frozen(system)
    built_in = SpringDamper(wall, body, k, c, l0)
    for (_, one), (_, two) in zip(load.forces(kinematics), built_in.forces(kinematics), strict=True):
        assert proved(one, two)
    parts = [part for applied in load.forces(kinematics) for part in applied.force.components()]
    assert "d_1" not in [s.name for s in free_symbols(parts)]


def test_expressions_of_expressions():
    system, wall, body, joint = slider()
    system.sensor("d", Distance(wall, body))
    one = system.expression("one", 2 * system.measured("d"))
    system.expression("two", [one, system.measured("one") + 1])
    kinematics = frozen(system)
    value = kinematics.model.sensors["two"].measure(kinematics)
    assert evaluate(value, {joint.coordinate: 3.0}) == pytest.approx([26, 27])


def test_every_kind_of_load_takes_measured_values():
    system, wall, body, joint = slider()
    system.sensor("v", Velocity(body))
    v = system.measured("v")[0]
    kinematics = frozen(system)
    for load in (
        Force(body, (v, 0, 0)),
        Torque(body, (v, 0, 0)),
        Spring(wall, body, v, length=v),
        Damper(wall, body, v),
        Bushing(wall, body, stiffness=v, torsion=(v, 0, 0)),
        JointLoad(joint, v),
        JointSpring(joint, v, rest=v),
        JointFriction(joint, v),
        GravityField(lambda r: (v, 0, 0)),
    ):
        parts = [part for applied in load.forces(kinematics) for part in applied.force.components()]
        parts += [*load.generalized(kinematics).values(), load.potential(kinematics)]
        found = {s.name for s in free_symbols(parts)}
        assert found <= {"s", "s_dot"}, load
        assert "s_dot" in found


def test_a_load_cannot_depend_on_accelerations():
    system, _, body, _ = slider()
    system.sensor("a", Acceleration(body))
    load = system.load(Force(body, system.measured("a")))
    with refused("load-depends-on-accelerations") as caught:
        list(load.forces(frozen(system)))
    assert caught.value.where == "Force('body')"


def test_measured_needs_a_sensor():
    with refused("sensor-unknown", "d"):
        System("empty").measured("d")


def test_a_vector_load_needs_three_components():
    system, _, body, _ = slider()
    with refused("array-wrong-shape"):
        list(Force(body, (1, 2)).forces(frozen(system)))


def test_loads_show_what_they_act_on():
    _, wall, body, joint = slider()
    assert repr(Spring(wall, body, 1)) == "Spring('wall', 'body')"
    assert repr(JointLoad(joint, 1)) == "JointLoad('s')"


def test_loads_on_joints_that_do_not_move():
    system = System("fixed")
    joint = system.joint("weld", system.world, system.body("b", 1), Weld())
    with refused("load-wrong-size"):
        JointLoad(joint, 1)


def test_distance_is_never_negative():
    system, _, body, joint = slider()
    distance = Distance(system.world, body).measure(frozen(system))
    assert evaluate(distance, {joint.coordinate: -2.0}) == 2.0
    assert math.isclose(evaluate(distance, {joint.coordinate: 3.0}), 3.0)
