"""The free rigid body: every description of its place, against rotations, balances and the same body as a System."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.algebra import Vec3
from multibody.graph import (
    ZERO,
    all_same,
    array,
    cos,
    evaluate,
    gradient,
    is_zero,
    parse,  # fmt: skip
    same,
    sin,
    substitute,
    symbol,
    time_derivative,
)
from multibody.subsystems import couple
from multibody.subsystems.explicit import accelerations
from multibody.subsystems.rigid_body.newton_euler import newton_euler
from multibody.subsystems.rigid_body.placement import SEQUENCES, rotation

ORIENTED = [*SEQUENCES, "quaternion"]
LOADED = {
    "gravity": ("gx", "gy", "gz"), "inertia": "general", "torque": ("T1", "T2", "T3"), "force": ("F1", "F2", "F3"),
    "parameters": ["gx", "gy", "gz", "T1", "T2", "T3", "F1", "F2", "F3"],
}  # fmt: skip


def triple(letter, system):
    """p, v or w of the body B."""
    return Vec3(*(known(system)[f"{letter}_B_{axis}"] for axis in "xyz"))


def known(system):
    """All symbols of a system by name."""
    parameters = {one.name: one for p in system.parameters for one in p.default}
    inputs = {one.name: one for given in system.inputs for one in given.flat}
    return {one.name: one for one in system.orders} | parameters | inputs


def parameters(system, *names):
    return Vec3(*(known(system)[name] for name in names))


def tensor(system):
    """The general inertia tensor, row by row."""
    names = ("xx", "xy", "xz"), ("xy", "yy", "yz"), ("xz", "yz", "zz")
    return array([[known(system)[f"I_B_{pair}"] for pair in row] for row in names])


def motion(system):
    """The rate of every variable, with the equations of motion put in."""
    return {**system.rates, **accelerations(system)}


def test_there_are_twelve_sequences():
    assert sorted(SEQUENCES) == sorted("xyx xyz xzx xzy yxy yxz yzx yzy zxy zxz zyx zyz".split())


# names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "coordinates"),
    [
        ("None", ""),
        ("Position", "p_B_x p_B_y p_B_z"),
        ("POSITION only", "p_B_x p_B_y p_B_z"),
        ("Quaternion", "p_B_x p_B_y p_B_z q_B_t q_B_x q_B_y q_B_z"),
        ("zyx Euler Angles", "p_B_x p_B_y p_B_z psi_B phi_B theta_B"),
        ("ZYX", "p_B_x p_B_y p_B_z psi_B phi_B theta_B"),
        ("xyx euler angles redundant", "p_B_x p_B_y p_B_z psi_B phi_B theta_B"),
        ("xyx|Redundant", "p_B_x p_B_y p_B_z psi_B phi_B theta_B"),
    ],
)
def test_variables_have_the_names_of_the_seed(description, coordinates):
    made = newton_euler("B", description)
    speeds = "v_B_x v_B_y v_B_z w_B_x w_B_y w_B_z".split()
    rates = "psi_B_dot phi_B_dot theta_B_dot".split() if "edundant" in description else []
    assert [one.name for one in made.variables(0)] == coordinates.split()
    assert [one.name for one in made.variables(1)] == speeds + rates
    assert [one.name for one in made.independent] == (speeds[:3] + rates if rates else speeds)
    assert {one.name for one in made.parameters} == {"m_B", "I_B_x", "I_B_y", "I_B_z", "g", "xi"}


# kinematics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ORIENTED)
def test_body_turns_with_its_angular_velocity(form):
    """Ṙ = R·ω̃ with ω in body axes, exactly."""
    made = newton_euler("B", form, "none")
    R, w = rotation("B", form).to_matrix(), triple("w", made)
    turned = [[time_derivative(entry, made.rates) for entry in column] for column in R.columns]
    assert all_same(turned, [list(R @ w.cross(unit)) for unit in np.eye(3)], points=2)


@pytest.mark.parametrize("form", SEQUENCES)
def test_rotation_is_made_of_turns_about_moving_axes(form):
    """``Rotation[a, b, c][ψ, φ, θ]`` is R_a(ψ)·R_b(φ)·R_c(θ)."""
    psi, phi, theta = (symbol(f"{name}_B", "coordinate") for name in ("psi", "phi", "theta"))
    expected = turn(form[0], psi) @ turn(form[1], phi) @ turn(form[2], theta)
    assert all_same(array(rotation("B", form).to_matrix().rows), expected, points=2)


def turn(axis, angle):
    """The elementary rotation about an axis, written down."""
    c, s = cos(angle), sin(angle)
    rows = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]]}
    return array(rows.get(axis, [[c, -s, 0], [s, c, 0], [0, 0, 1]]))


@pytest.mark.parametrize("form", SEQUENCES)
def test_redundant_rates_give_the_same_angular_velocity(form):
    """ω = E·(rates): with the rates that belong to ω put in, the invariants vanish."""
    plain, redundant = newton_euler("B", form), newton_euler("B", f"{form} redundant")
    angles = ("psi", "phi", "theta")
    rates = {symbol(f"{name}_B_dot", "speed"): plain.rates[known(plain)[f"{name}_B"]] for name in angles}
    assert [one.name for one in redundant.invariants] == ["spin_x", "spin_y", "spin_z"]
    assert all(is_zero(substitute(one.velocity, rates), points=2) for one in redundant.invariants)
    E = [[redundant.S[f"w_B_{axis}", f"{name}_B_dot"] for name in angles] for axis in "xyz"]
    spin = array(E) @ array(list(rates.values()))
    assert all_same(spin, list(triple("w", plain)), points=2)


@pytest.mark.parametrize("form", ORIENTED)
def test_entries_of_the_rotation_have_names(form):
    made = newton_euler("B", form)
    named = [[made.aliases[f"R_B_{row}{column}"] for column in "xyz"] for row in "xyz"]
    assert all_same(named, array(rotation("B", form).to_matrix().rows), points=2)


def test_rotation_is_that_of_the_renamed_copy():
    copy = newton_euler("B", "zyx").renamed("C", suffix="_2")
    assert all_same(
        [copy.aliases[f"R_B_{row}{column}_2"] for row in "xyz" for column in "xyz"],
        [entry for row in rotation("B_2", "zyx").to_matrix().rows for entry in row],
    )


# balances ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [*ORIENTED, "zyx redundant", "zxz redundant"])
def test_angular_momentum_changes_by_the_torque(form):
    """d(R·J·ω)/dt = R·T: exactly, with any inertia."""
    made = newton_euler("B", form, **LOADED)
    R = array(rotation("B", form).to_matrix().rows)
    momentum = R @ tensor(made) @ array(list(triple("w", made)))
    found = substitute([time_derivative(entry, motion(made)) for entry in momentum], spin_of(made))
    assert all_same(found, R @ array(list(parameters(made, "T1", "T2", "T3"))), points=2)


def spin_of(made):
    """ω by the rates of the angles, where both are variables."""
    values = {}
    for one in made.invariants:
        w = known(made)[f"w_B_{one.name[-1]}"]
        values[w] = -substitute(one.velocity, {w: 0})
    return values


@pytest.mark.parametrize("form", ["none", "position", "quaternion", "zyx", "zyx redundant"])
def test_linear_momentum_changes_by_force_and_weight(form):
    made = newton_euler("B", form, **LOADED)
    v, weight, force = triple("v", made), parameters(made, "gx", "gy", "gz"), parameters(made, "F1", "F2", "F3")
    m = known(made)["m_B"]
    found = [time_derivative(one * m, motion(made)) for one in v]
    assert all_same(found, list(weight * m + force), points=2)


@pytest.mark.parametrize("form", ["position", "quaternion", "xyz", "zxz redundant"])
def test_energy_changes_by_the_power_of_force_and_torque(form):
    """d(T + V)/dt = F·v + T·ω, exactly; and that is what the subsystem says of its powers."""
    made = newton_euler("B", form, **LOADED)
    power = parameters(made, "F1", "F2", "F3").dot(triple("v", made))
    power = power + parameters(made, "T1", "T2", "T3").dot(triple("w", made))
    rate = time_derivative(made.energy.kinetic + made.energy.potential, motion(made))
    assert is_zero(substitute(rate - power, spin_of(made)), points=2)
    assert same(made.energy.inputs - made.energy.dissipated, power, points=2)


def test_without_position_the_weight_has_no_potential():
    made = newton_euler("B", "none", "-z")
    v, m, g = triple("v", made), known(made)["m_B"], known(made)["g"]
    assert made.energy.potential is ZERO
    assert same(-made.energy.dissipated, -m * g * v.z)


# the same body as a System -------------------------------------------------------------------------------------------


def as_system(kind):
    """A body with general inertia, force, torque and gravity, on a joint with six degrees of freedom."""
    system = mb.System("one", gravity=(1.1, -2.2, 3.3))
    m, xx, xy, yy, xz, yz, zz = 2.5, 1.3, 0.1, 1.7, -0.2, 0.3, 1.9
    body = system.body("B", m, inertia=(xx, xy, yy, xz, yz, zz))
    joint = system.joint("f", system.world, body, kind)
    system.load(mb.Force(body, (4.0, -5.0, 6.0), expressed_in=system.world))
    system.load(mb.Torque(body, (0.7, 0.8, -0.9)))
    numbers = {"m_B": m, "I_B_xx": xx, "I_B_xy": xy, "I_B_yy": yy, "I_B_xz": xz, "I_B_yz": yz, "I_B_zz": zz}
    return mb.derive(system), joint, numbers


def as_subsystem(form, numbers):
    return newton_euler(
        "B", form, (1.1, -2.2, 3.3), "general", (0.7, 0.8, -0.9), (4.0, -5.0, 6.0), parameters=numbers
    )  # fmt: skip


def numbers_of(expressions, values):
    return np.array(evaluate(list(expressions), values), dtype=float)


def values_for(made, numbers, values):
    """Symbols with numbers, from names with numbers."""
    return {one: (numbers | values)[name] for name, one in known(made).items() if name in numbers | values}


@pytest.mark.parametrize("form", ORIENTED)
def test_accelerations_are_those_of_a_free_joint(form):
    """The joint's speeds are ω and the velocity in body axes: v̇ = R·(v̇_B + ω × v_B)."""
    eom, joint, numbers = as_system(mb.Free(form))
    made = as_subsystem(form, numbers)
    rng = np.random.default_rng(ORIENTED.index(form))
    for _ in range(3):
        q, w, v_B = rng.uniform(0.3, 1.2, len(joint.coordinates)), rng.normal(size=3), rng.normal(size=3)
        if form == "quaternion":
            q[3:] /= np.linalg.norm(q[3:])
        theirs = dict(zip((*joint.coordinates, *joint.speeds), (*q, *w, *v_B), strict=True))
        spin, forward = np.split(numbers_of(eom.acceleration, theirs), 2)
        names = [one.name for one in made.variables(0)]
        place = values_for(made, numbers, dict(zip(names, q, strict=True)))
        R = numbers_of(made.aliases.values(), place).reshape(3, 3)
        v = dict(zip(("v_B_x", "v_B_y", "v_B_z"), R @ v_B, strict=True))
        spins = dict(zip(("w_B_x", "w_B_y", "w_B_z"), w, strict=True))
        ours = place | values_for(made, numbers, v | spins)
        found = accelerations(made)
        assert numbers_of([found[one] for one in made.top], ours) == pytest.approx(
            [*(R @ (forward + np.cross(w, v_B))), *spin], rel=1e-12, abs=1e-12
        )
        assert numbers_of(made.rates.values(), ours) == pytest.approx(
            numbers_of(eom.model.rates, theirs), rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("form", SEQUENCES)
def test_redundant_accelerations_are_those_of_three_slides_and_three_turns(form):
    """A stack of elementary joints knows nothing of Euler angles; its speeds are v and the rates of the angles."""
    eom, joint, numbers = as_system(["Tx", "Ty", "Tz", *(f"R{axis}" for axis in form)])
    made = as_subsystem(f"{form} redundant", numbers)
    found = accelerations(made)
    states = [*made.variables(0), *made.independent]
    rng = np.random.default_rng(SEQUENCES.index(form))
    for _ in range(3):
        state = np.concatenate([rng.uniform(0.3, 1.2, 6), rng.normal(size=6)])
        theirs = dict(zip((*joint.coordinates, *joint.speeds), state, strict=True))
        ours = values_for(made, numbers, dict(zip([one.name for one in states], state, strict=True)))
        ours |= {w: evaluate(value, ours) for w, value in spin_of(made).items()}
        assert numbers_of([found[one] for one in made.independent], ours) == pytest.approx(
            numbers_of(eom.acceleration, theirs), rel=1e-12, abs=1e-12
        )


def test_rotation_in_constraints_makes_a_ball_joint():
    """p = R·(0, 0, -l), by the names of the entries of R: the same as a spherical joint."""
    numbers = {"m_B": 2.5, "I_B_x": 1.3, "I_B_y": 1.7, "I_B_z": 1.9, "g": 9.81}
    body = newton_euler("B", "quaternion", "-z", parameters=numbers)
    tied = couple("S", [body], [f"p_B_{axis} + l*R_B_{axis}z" for axis in "xyz"], parameters={"l": 0.8},
                  independent=["w_B_x", "w_B_y", "w_B_z"])  # fmt: skip
    system = mb.System("top", gravity=(0, 0, -9.81))
    bob = system.body("B", 2.5, (0, 0, -0.8), inertia=(1.3, 1.7, 1.9))
    joint = system.joint("f", system.world, bob, mb.Spherical())
    found = accelerations(tied)
    rng = np.random.default_rng(5)
    q, w = rng.normal(size=4), rng.normal(size=3)
    q /= np.linalg.norm(q)
    theirs = dict(zip((*joint.coordinates, *joint.speeds), (*q, *w), strict=True))
    names = "q_B_t q_B_x q_B_y q_B_z w_B_x w_B_y w_B_z".split()
    ours = values_for(tied, numbers | {"l": 0.8}, dict(zip(names, (*q, *w), strict=True)))
    spin = [found[one] for one in tied.independent]
    assert numbers_of(spin, ours) == pytest.approx(
        numbers_of(mb.derive(system).acceleration, theirs), rel=1e-12, abs=1e-12
    )


def test_symmetric_body_precesses_at_the_rate_of_euler():
    """ω_x + i·ω_y turns at (I_a - I_r)/I_r·ω_z in body axes; the angular momentum stays where it is in space."""
    Ir, Ia, spin = 1.0, 1.6, 3.0
    start = {"w_B_x": 0.5, "w_B_z": spin}
    made = newton_euler(
        "B", "quaternion", "none", "cylindrical z", parameters={"m_B": 1.0, "I_B_r": Ir, "I_B_a": Ia}, start=start
    )
    run = mb.simulate(
        made.equations(), 2.0, samples=21, integrator=mb.ScipySolver(method="DOP853", rtol=1e-11, atol=1e-12)
    )
    rate = (Ia - Ir) / Ir * spin
    assert run["w_B_x"] == pytest.approx(0.5 * np.cos(rate * run.t), abs=1e-9)
    assert run["w_B_y"] == pytest.approx(0.5 * np.sin(rate * run.t), abs=1e-9)
    L = [Ir * run["w_B_x"], Ir * run["w_B_y"], Ia * run["w_B_z"]]
    for axis, fixed in zip("xyz", (Ir * 0.5, 0.0, Ia * spin), strict=True):
        along = sum(run[f"R_B_{axis}{other}"] * part for other, part in zip("xyz", L, strict=True))
        assert along == pytest.approx(np.full_like(run.t, fixed), abs=1e-9)


# options -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["spherical", "S"], "I_B,0,0; 0,I_B,0; 0,0,I_B"),
        (["Cylindrical x", "Cx"], "I_B_a,0,0; 0,I_B_r,0; 0,0,I_B_r"),
        (["cylindrical y", "cy"], "I_B_r,0,0; 0,I_B_a,0; 0,0,I_B_r"),
        (["cylindrical z", "CZ"], "I_B_r,0,0; 0,I_B_r,0; 0,0,I_B_a"),
        (["Central", "xyz", "C"], "I_B_x,0,0; 0,I_B_y,0; 0,0,I_B_z"),
        (["xy Plane", "xy", "z"], "I_B_xx,I_B_xy,0; I_B_xy,I_B_yy,0; 0,0,I_B_zz"),
        (["xz plane", "xz", "y"], "I_B_xx,0,I_B_xz; 0,I_B_yy,0; I_B_xz,0,I_B_zz"),
        (["yz plane", "yz", "x"], "I_B_xx,0,0; 0,I_B_yy,I_B_yz; 0,I_B_yz,I_B_zz"),
        (["general"], "I_B_xx,I_B_xy,I_B_xz; I_B_xy,I_B_yy,I_B_yz; I_B_xz,I_B_yz,I_B_zz"),
    ],
)
def test_inertia_symmetries_are_those_of_the_seed(names, expected):
    for name in names:
        made = newton_euler("B", "none", "none", name)
        J = array([[parse(entry, known(made)) for entry in row.split(",")] for row in expected.split(";")])
        assert all_same(made.M.matrix[3:, 3:], J, points=2)
        w = array(list(triple("w", made)))
        assert all_same(made.k[3:], list(Vec3(*w).cross(Vec3(*(J @ w)))), points=2)


@pytest.mark.parametrize(
    ("gravity", "expected"),
    [
        ("default", "g*sin(xi), 0, g*cos(xi)"),
        ("Default", "g*sin(xi), 0, g*cos(xi)"),
        ("none", "0, 0, 0"),
        ("x", "g, 0, 0"),
        ("-x", "-g, 0, 0"),
        ("y", "0, g, 0"),
        ("-Y", "0, -g, 0"),
        ("+z", "0, 0, g"),
        ("-z", "0, 0, -g"),
        ((0, "-2*g", "gamma"), "0, -2*g, gamma"),
        (np.array([1.5, 0.0, -9.81]), "1.5, 0, -9.81"),
        ("gamma", "g*sin(gamma), 0, g*cos(gamma)"),
        ("xi + gamma/2", "g*sin(xi + gamma/2), 0, g*cos(xi + gamma/2)"),
        (0, "0, 0, g"),
        (symbol("gamma", "parameter"), "g*sin(gamma), 0, g*cos(gamma)"),
    ],
)
def test_gravity_is_a_force_with_a_potential(gravity, expected):
    made = newton_euler("B", "position", gravity, parameters="gamma")
    words = {name: symbol(name, "parameter") for name in ("g", "xi", "gamma", "m_B")}
    field = [parse(text, words) for text in expected.split(",")]
    weight = [words["m_B"] * entry for entry in field]
    assert all_same(made.k[:3], [-entry for entry in weight], points=2)
    assert all_same(gradient(-made.energy.potential, list(triple("p", made))), weight, points=2)


def test_gravity_that_follows_an_input_has_no_potential():
    made = newton_euler("B", "position", ("shake", 0, 0), inputs="shake")
    assert made.energy.potential is ZERO
    assert same(made.energy.inputs, known(made)["m_B"] * known(made)["shake"] * triple("v", made).x)


def test_force_and_torque_may_be_text_numbers_and_expressions():
    import sympy

    c = symbol("c", "parameter")
    made = newton_euler(
        "B", "zyx", "none", torque=("T", "-c*psi_B_dot", 2), inputs=["T"], parameters={"c": 0.5},
        force=(sympy.Symbol("c") ** 2, -c * symbol("v_B_y"), "t*R_B_xz"),
    )  # fmt: skip
    names = known(made)
    rows = [
        "c**2", "-c*v_B_y", "t*(sin(psi_B)*sin(theta_B) + cos(psi_B)*sin(phi_B)*cos(theta_B))",
        "T", "-c*(w_B_y*sin(theta_B) + w_B_z*cos(theta_B))/cos(phi_B)", "2",
    ]  # fmt: skip
    expected = [parse(row, names | {"t": symbol("t", "time")}) for row in rows]
    still = substitute(list(made.k), dict.fromkeys(triple("w", made), ZERO))
    assert all_same([still[k] for k in (0, 1, 2, 3, 5)], [-expected[k] for k in (0, 1, 2, 3, 5)], points=2)
    euler = (names["I_B_x"] - names["I_B_z"]) * names["w_B_x"] * names["w_B_z"]
    assert same(made.k[4], euler - expected[4], points=2)
    assert [one.name for one in made.inputs] == ["T"]


def test_quaternion_begins_without_rotation_and_keeps_its_length():
    made = newton_euler("B", "quaternion")
    names = ["q_B_t", "q_B_x", "q_B_y", "q_B_z"]
    start = made.equations().model.start
    assert [start[known(made)[name]] for name in names] == [1.0, 0.0, 0.0, 0.0]
    assert [[one.name for one in group] for group in made.quaternions] == [names]
    ((pattern, value),) = made.identities
    assert same(pattern, sum((known(made)[name] ** 2 for name in names), start=ZERO))
    assert same(value, 1)
    assert is_zero(time_derivative(pattern, made.rates), points=2)


def test_reference_of_a_quaternion_is_not_overruled_by_the_start():
    made = newton_euler("B", "quaternion", reference={"q_B_t": "cos(t)", "q_B_x": "sin(t)"})
    assert not made.start
    assert same(made.reference[known(made)["q_B_t"]], cos(symbol("t", "time")))


def test_values_of_parameters_are_kept():
    made = newton_euler("B", gravity="-z", parameters={"m_B": 2.0, "g": 9.81})
    values = {one.name: value for p in made.parameters for one, value in p.default.items()}
    assert (values["m_B"].value, values["g"].value) == (2, 9.81)
    assert values["I_B_x"] is None


def test_values_of_parameters_may_be_formulas():
    """A rod of length l: I = m·l²/12, with numbers only in the end; a copy has its own length."""
    rod = newton_euler("B", "none", "none", "Cx", parameters={"I_B_r": "m_B*l**2/12", "l": 3.0, "I_B_a": 1e-3})
    both = couple("S", [rod, rod.renamed("C", suffix="_2")], parameters={"m_B": "2*m_B_2", "m_B_2": 2.0})
    values = mb.model.quantity.defaults(both.parameters, {"l_2": 6.0})
    numbers = {one.name: value for one, value in values.items()}
    assert (numbers["I_B_r"], numbers["I_B_r_2"]) == (3.0, 6.0)


# what is wrong -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({"position": "quaternoin"}, ["no position 'quaternoin'", "Did you mean 'quaternion'", "'zyx euler angles'"]),
        ({"position": "zzx euler angles"}, ["no position 'zzx euler angles'", "Did you mean"]),
        ({"position": 3}, ["no position 3", "'position'"]),
        ({"position": "quaternion redundant"}, ["no position 'quaternion redundant'"]),
        ({"inertia": "sphericl"}, ["no inertia 'sphericl'", "Did you mean 'spherical'", "'general'", "'Cx'"]),
        ({"inertia": None}, ["no inertia None"]),
        ({"gravity": "defalt"}, ["no gravity 'defalt'", "Did you mean 'default'", "'-z'", "three components"]),
        ({"gravity": "--z+"}, ["no gravity '--z+'"]),
        ({"gravity": (1, 2)}, ["The gravity has 2 components, not 3."]),
        ({"torque": (1, 2, 3, 4)}, ["The torque has 4 components, not 3."]),
        ({"torque": "T"}, ["The torque has 1 component, not 3."]),
        ({"force": ("F", 0, 0)}, ["name-unknown", "'F'", "force along x of subsystem 'B'"]),
        ({"parameters": {"m_B": -2.0}}, ["The mass is negative", "body 'B'"]),
        ({"parameters": {"m_B": 1, "I_B_x": 1.0, "I_B_y": 1.0, "I_B_z": 5.0}}, ["more than the sum of the other two"]),
        ({"position": "zyx", "inputs": "R_B_xx"}, ["'R_B_xx' is used for a variable and for an input"]),
        ({"parameters": {"m_B": "2*mm"}}, ["name-unknown", "'mm'", "parameter 'm_B' of subsystem 'B'"]),
        ({"parameters": {"v_B_x": 1.0}}, ["'v_B_x' is used for a variable and for a parameter"]),
    ],
)
def test_bad_options_are_told(options, texts):
    with pytest.raises(mb.errors.ModelError) as told:
        newton_euler("B", **options)
    said = f"{told.value.code}\n{told.value}"
    missing = [text for text in texts if text not in said]
    assert not missing, said


def test_bad_label_is_told():
    with refused("name-invalid", "2 b"):
        newton_euler("2 b")


def test_rotation_of_a_mere_position_is_told():
    with refused("orientation-missing", "position"):
        rotation("B", "position")
