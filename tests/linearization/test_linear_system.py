"""What linear systems tell, and their ways to other programs and back."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.linearization import LinearSystem, linearize, read_linear_system


def oscillators():
    """Two masses with springs and a damper; the second coordinate is neither driven nor seen."""
    A = [[0, 0, 1, 0], [0, 0, 0, 1], [-4, 0, -0.4, 0], [0, -9, 0, 0]]
    B, C = [[0], [0], [1], [0]], [[1, 0, 0, 0]]
    units = {"x": "m", "z": "m", "x_dot": "m/s", "F": "N", "place": "m"}
    return LinearSystem(A, B, C, [[0]], ("x", "z", "x_dot", "z_dot"), ("F",), ("place",), units, "pair")


def cart(n=1):
    system = mb.System("cart", gravity=(0, 0, -9.81))
    body = inner = system.body("box", 1.0)
    system.joint("x", system.world, body, "Tx")
    for k in range(n):
        link = system.body(f"link{k}", 0.5, (0, 0, 0.4), (0.01, 0.02, 0.01))
        system.joint(f"q{k}", inner, link, "Ry")
        inner = link.frame(f"end{k}", (0, 0, 0.8))
    system.load(mb.Force(body, (system.input("F", unit="N"), 0, 0)))
    return mb.derive(system)


# modes ---------------------------------------------------------------------------------------------------------------


def test_modes_of_two_oscillators():
    free, damped = oscillators().modes
    assert free.pole == pytest.approx(3j, abs=1e-14)
    assert damped.pole == pytest.approx(-0.2 + 1j * np.sqrt(4 - 0.04), rel=1e-14)
    assert damped.frequency == pytest.approx(2.0, rel=1e-14)
    assert damped.damping == pytest.approx(0.1, rel=1e-13)
    assert damped.period == pytest.approx(2 * np.pi / np.sqrt(3.96), rel=1e-14)
    assert free.participation == pytest.approx({"x": 0, "z": 0.5, "x_dot": 0, "z_dot": 0.5}, abs=1e-14)
    assert free.shape["z"] / free.shape["z_dot"] == pytest.approx(1 / 3j, rel=1e-14)
    assert max(abs(value) for value in damped.shape.values()) == 1
    assert damped.stable
    assert not oscillators().stable


def test_shapes_solve_the_equations():
    """(A - λ)·v = 0 for the states of random systems, and participation adds up to one."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(7, 7))
    names = tuple("abcdefg")
    system = LinearSystem(A, np.zeros((7, 0)), np.zeros((0, 7)), np.zeros((0, 0)), names)
    for mode in system.modes:
        v = np.array([mode.shape[name] for name in names])
        np.testing.assert_allclose(A @ v, mode.pole * v, atol=1e-12)
        assert sum(mode.participation.values()) == pytest.approx(1)
    assert sum(1 + mode.oscillates for mode in system.modes) == 7
    assert (np.diff(system.poles.real) <= 1e-14).all()


def test_frequency_response_of_an_oscillator():
    """1/(k - ω² + i·d·ω)."""
    w = np.array([0.0, 1.0, 2.0, 5.0])
    np.testing.assert_allclose(oscillators().response(w)[:, 0, 0], 1 / (4 - w**2 + 0.4j * w), rtol=1e-13)


# parts and reach -----------------------------------------------------------------------------------------------------


def test_a_part_stands_for_itself():
    part = oscillators().part("x_dot", "x")
    np.testing.assert_array_equal(part.A, [[-0.4, -4], [1, 0]])
    assert part.outputs == ("place",)
    with refused("part-not-closed", "x", "x_dot"):
        oscillators().part("x", "z")
    with refused("name-unknown"):
        oscillators().part("xdot")


def test_what_inputs_reach_and_outputs_show():
    system = oscillators()
    for reach in (system.controllability, system.observability):
        assert reach.rank == 2
        assert not reach
        np.testing.assert_allclose(np.sort(reach.missing.imag), [-3, 3], rtol=1e-12)
    assert "no" in str(system.controllability)
    part = system.part("x", "x_dot")
    assert part.controllability.complete
    assert part.observability.complete


def test_two_equal_pendulums_on_one_cart_are_not_controllable():
    """Only their mean is moved by the force; with different lengths both are."""

    def side_by_side(first, second):
        system = mb.System("pair", gravity=(0, 0, -9.81))
        box = system.body("box", 1.0)
        system.joint("x", system.world, box, "Tx")
        for name, length in (("a", first), ("b", second)):
            system.joint(name, box, system.body(f"rod_{name}", 0.5, (0, 0, -length)), "Ry")
        system.load(mb.Force(box, (system.input("F"), 0, 0)))
        return linearize(mb.derive(system), outputs=["x"])

    equal, different = side_by_side(0.7, 0.7), side_by_side(0.7, 0.5)
    assert (equal.controllability.rank, different.controllability.rank) == (4, 6)
    np.testing.assert_allclose(np.abs(equal.controllability.missing), np.sqrt(9.81 / 0.7), rtol=1e-9)
    assert (equal.observability.rank, different.observability.rank) == (4, 6)


def test_a_chain_on_a_cart_is_controllable():
    assert linearize(cart(3)).controllability.complete


# other programs ------------------------------------------------------------------------------------------------------


def test_python_control_knows_the_names():
    control = pytest.importorskip("control")
    lin = linearize(cart(2), outputs=["x", "q1_dot"])
    system = lin.to_control()
    assert isinstance(system, control.StateSpace)
    assert (system.state_labels, system.input_labels) == (list(lin.states), ["F"])
    assert system.output_labels == ["x", "q1_dot"]
    np.testing.assert_array_equal(system.A, lin.A)
    np.testing.assert_allclose(system(2j), lin.response(2.0), rtol=1e-9)
    closed = system.feedback(control.ss([], [], [], np.zeros((1, 2))))
    assert closed.nstates == len(lin.states)


def test_scipy():
    lin = linearize(cart(1), outputs=["x"])
    system = lin.to_scipy()
    np.testing.assert_array_equal(np.hstack([system.A, system.B]), np.hstack([lin.A, lin.B]))
    t, y = system.step(T=np.linspace(0, 0.1, 5))
    assert y[-1] == pytest.approx(0.5 * t[-1] ** 2 * lin.B[2, 0], rel=0.05)  # it starts as a free mass


def test_a_file_gives_back_every_digit(tmp_path):
    lin = linearize(cart(2), {"q0": 0.3}, outputs=["x", "q1"])
    path = tmp_path / "cart.csv"
    lin.to_csv(path)
    found = read_linear_system(path)
    for name in "ABCD":
        np.testing.assert_array_equal(getattr(found, name), getattr(lin, name))
    assert (found.states, found.inputs, found.outputs, found.name) == (lin.states, lin.inputs, lin.outputs, "cart")
    assert found.units == {name: lin.units[name] for name in (*lin.states, "F")}
    with refused("file-exists"):
        lin.to_csv(path)
    lin.to_csv(path, overwrite=True)
    with refused("file-not-writable"):
        lin.to_csv(tmp_path / "nowhere" / "cart.csv")


HEAD = "linear system,x,,a\n,,kind,state\nname,kind,unit,m\n"


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", HEAD + "a,state,m,one\n", HEAD + "b,state,m,1\n"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "other.csv"
    path.write_text(text)
    with refused("file-not-a-linear-system"):
        read_linear_system(path)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_file_with_holes_is_refused(tmp_path, value):
    path = tmp_path / "holes.csv"
    path.write_text(f"{HEAD}a,state,m,{value}\n")
    with refused("file-not-a-linear-system"):
        read_linear_system(path)


# people --------------------------------------------------------------------------------------------------------------


def test_printed():
    text = str(oscillators())
    assert "LinearSystem('pair', 4 states, 1 inputs, 1 outputs)" in text
    assert "d/dt x_dot  -4" in text
    assert "-0.2 ± 1.98997i" in text


def test_matrices_must_fit_and_stay():
    with refused("array-wrong-shape"):
        LinearSystem(np.eye(2), np.zeros((3, 1)), np.zeros((0, 2)), np.zeros((0, 1)), ("a", "b"), ("F",))
    with pytest.raises(ValueError, match="read-only"):
        oscillators().A[0, 0] = 1


def test_a_mode_to_look_at():
    """The motion is one of the linear system: x(t) = exp(A·t)·x(0)."""
    from scipy.linalg import expm

    lin = linearize(cart(2), {"q0": np.pi})  # hanging
    mode = next(one for one in lin.modes if one.oscillates)
    motion = lin.motion(mode, amplitude=0.05, samples=7)
    assert np.abs(motion.q - lin.point.q).max() == pytest.approx(0.05)
    assert motion.t[-1] == pytest.approx(3 * mode.period)
    x = np.hstack([motion.q, motion.u]) - np.concatenate([lin.point.q, lin.point.u])
    np.testing.assert_allclose(x[2], expm(lin.A * motion.t[2]) @ x[0], atol=1e-9)
    assert motion["q0"][0] == motion.q[0, 1]
    with refused("name-unknown"):
        motion["q9"]


def test_second_order_form_needs_coordinates_with_rates():
    lin = linearize(cart(2), {"q0": np.pi})
    found = lin.second_order()
    np.testing.assert_allclose(found.M, found.M.T, atol=1e-14)
    np.testing.assert_allclose(found.K, found.K.T, atol=1e-13)  # it is conservative
    np.testing.assert_allclose(found.C, 0, atol=1e-13)
    poles = np.sqrt(-np.linalg.eigvals(np.linalg.solve(found.M, found.K)) + 0j)
    np.testing.assert_allclose(np.sort(np.abs(poles)), np.sort(np.abs(lin.poles))[::2], atol=1e-6)
    with refused("rate-not-a-state"):
        lin.second_order("x_dot")
