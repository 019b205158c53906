"""The Python modules: for NumPy, JAX and CasADi."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import Casadi, Jax, Program, Python, Target, export
from multibody.codegen.live.guarding import guarded
from multibody.graph import acos, atan2, evaluate, exp, log, sqrt, symbols, where

from .driving import written
from .models import STATES, Case, still

RESULTS = {
    "state_rate": ("q_dot", "u_dot"), "mass_matrix": ("M",), "bias": ("bias",), "sensors": ("outputs",),
    "multipliers": ("multipliers",), "jacobian": ("A", "B"),
}  # fmt: skip

FEW = 15
"""States where Python computes one after the other."""


def exported(case: Case, target: Target, folder: Path) -> ModuleType:
    """The module that was written."""
    (path,) = written(case, target, folder)
    return loaded(path)


def loaded(path: Path) -> ModuleType:
    """The module in a file."""
    module = ModuleType(path.stem)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    return module


def called(module: ModuleType, *arguments: Any) -> dict[str, Any]:
    """The results of all functions by name."""
    found: dict[str, Any] = {}
    for name, results in RESULTS.items():
        if hasattr(module, name):
            values = getattr(module, name)(*arguments)
            found |= dict(zip(results, values if isinstance(values, tuple) else (values,), strict=True))
    return found


def stacked(case: Case) -> tuple[np.ndarray, ...]:
    """All states at once, the last dimension for the states."""
    return tuple(np.stack(part, axis=-1) for part in zip(*case.states, strict=True))


def per_state(case: Case, found: dict[str, Any]) -> dict[str, np.ndarray]:
    """Results for each state; one that does not depend on the state is the same for all."""
    shapes = {r.name: r.shape for name in RESULTS for r in case.program.routine(name).results}
    arrays = {name: np.asarray(value) for name, value in found.items()}
    for name, value in arrays.items():
        if value.ndim == len(shapes[name]):
            arrays[name] = np.broadcast_to(value[..., None], (*value.shape, STATES))
    return {name: np.moveaxis(value, -1, 0) for name, value in arrays.items()}


def test_numpy_one_state_at_a_time(case: Case, tmp_path: Path) -> None:
    module = exported(case, Python(jacobians=case.name != "tree"), tmp_path)
    rows = []
    for t, q, u, r, p in case.states[:FEW]:
        given = module.parameters(**dict(zip(module.PARAMETERS, p, strict=True)))
        rows.append(called(module, t, q, u, r, given))
    found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    case.agrees(found, states=FEW)
    if "A" in found:
        case.agrees(found, 1e-11, case.slopes, FEW)


def test_numpy_many_states_at_once(case: Case, tmp_path: Path) -> None:
    module, states = exported(case, Python(names="short"), tmp_path), stacked(case)
    p = module.parameters(**dict(zip(module.PARAMETERS, states[4], strict=True)))
    case.agrees(per_state(case, called(module, *states[:4], p)))


def test_jax(case: Case, tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    module, states = exported(case, Jax(), tmp_path), stacked(case)
    case.agrees(per_state(case, called(module, *map(jax.numpy.asarray, states))))


def test_jax_compiles_and_differentiates(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from .conftest import named_case

    case = named_case("crane_crab")
    module = exported(case, Jax(), tmp_path)
    slopes = jax.jit(jax.jacfwd(module.state_rate, argnums=(1, 2)))
    state = case.states[0]
    (q_by_q, q_by_u), (u_by_q, u_by_u) = slopes(*map(jax.numpy.asarray, state))
    found = np.block([[q_by_q, q_by_u], [u_by_q, u_by_u]]).ravel()
    assert found == pytest.approx(case.slopes["A"][0], rel=1e-11, abs=1e-11)


@cache
def choices() -> mb.EquationsOfMotion:
    """A rope that pulls by a law which has no slope, or no value, where the rope is slack."""
    system = mb.System("rope")
    joint = system.joint("x", system.world, system.body("b", 1.0), "Tx", q=-0.5)
    x, v = joint.coordinate, joint.speed
    strong = where(x > 0, -sqrt(x) * log(x + 2) / x, where(v > 0, acos(v / 4), exp(800 * v)))
    system.load(mb.JointLoad(joint, strong + where((x > 0) | (v > 2), atan2(v, x) * x**1.5, 0)))
    system.sensor("both", mb.Expression(where(x > 0, sqrt(x), 0) + where(v > 0, sqrt(x + 1), 0)))
    system.sensor("pull", mb.Acceleration(system["b"]))
    return mb.derive(system)


@pytest.mark.parametrize("mode", ["jacfwd", "jacrev"])
@pytest.mark.parametrize(
    ("x", "v"), [(-0.5, 0.3), (0.0, 0.3), (0.7, 0.3), (0.0, -0.0), (-0.5, -2.0), (-1.5, 0.0), (0.4, -1.0), (-0.5, 1.5)]
)
def test_jax_has_slopes_where_the_other_side_has_none(mode: str, x: float, v: float, tmp_path: Path) -> None:
    """Against our own derivatives, which are those of the side that is taken."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    eom = choices()
    (path,) = export(eom, Jax(), tmp_path).written
    module, empty = loaded(path), jax.numpy.zeros(0)

    def outputs(state: Any) -> Any:
        given = (0.0, state[:1], state[1:], empty, empty)
        return jax.numpy.concatenate([*module.state_rate(*given), module.sensors(*given)])

    program = Program.of(eom)
    slopes = [
        [*result.values] for one in ("jacobian", "sensor_jacobian") for result in program.routine(one).results[:1]
    ]
    wanted = [
        np.ravel(eom.function(f"slopes_{k}", {"A": values})(0.0, [x], [v], [], [])) for k, values in enumerate(slopes)
    ]
    found = getattr(jax, mode)(outputs)(jax.numpy.array([x, v]))
    assert np.isfinite(np.concatenate(wanted)).all()
    np.testing.assert_allclose(np.ravel(found), np.concatenate(wanted), rtol=1e-12, atol=1e-12)
    if mode == "jacrev":
        pull = jax.grad(lambda state: outputs(state)[1])(jax.numpy.array([x, v]))
        np.testing.assert_allclose(pull, wanted[0].reshape(2, 2)[1], rtol=1e-12, atol=1e-12)


def test_values_that_are_used_are_not_hidden() -> None:
    """An operation that is needed elsewhere, too, or on a side that is taken, keeps its operand."""
    x, y = symbols("x y")
    root = sqrt(x)
    assert guarded([where(y > 0, root, 1), root]) == [where(y > 0, root, 1), root]
    (value,) = guarded([where(y > 0, where(x > 0, root, 0), root)])
    for at, wanted in {(4.0, 1.0): 2.0, (-4.0, 1.0): 0.0, (4.0, -1.0): 2.0}.items():
        assert evaluate(value, {x: at[0], y: at[1]}) == wanted
    with refused("expression-without-value", "sqrt"):
        evaluate(value, {x: -4.0, y: -1.0})


def test_casadi(case: Case, tmp_path: Path) -> None:
    pytest.importorskip("casadi")
    module, states = exported(case, Casadi(), tmp_path), stacked(case)
    found: dict[str, np.ndarray] = {}
    for name, results in RESULTS.items():
        if hasattr(module, name):
            function = getattr(module, name)()
            values = function.map(STATES)(states[0].reshape(1, -1), *states[1:])
            for k, (result, value) in enumerate(zip(results, values if len(results) > 1 else [values], strict=True)):
                rows, columns = function.size_out(k)
                found[result] = np.moveaxis(np.array(value).reshape(rows, STATES, columns), 1, 0)
    case.agrees(found)


def test_solve_ivp_takes_it(tmp_path: Path) -> None:
    """The pendulum swings with the period of the elliptic integral."""
    from scipy.integrate import solve_ivp
    from scipy.special import ellipk

    pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
    l = pendulum.parameter("l", 1.0)
    bob = pendulum.body("bob", mass=2.0, com=(0, 0, -l))
    hinge = pendulum.joint("angle", pendulum.world, bob, "Ry", q=1.0)
    pendulum.load(mb.JointLoad(hinge, pendulum.input("torque")))
    (path,) = export(mb.derive(pendulum), Python(), tmp_path).written
    module = loaded(path)
    period = 4 * np.sqrt(2.5 / 9.81) * ellipk(np.sin(0.5) ** 2)
    given = (lambda t, y: [0.0], module.parameters(l=2.5))
    run = solve_ivp(module.der_state, (0, period), module.START, args=given, rtol=1e-11, atol=1e-12)
    assert run.y[:, -1] == pytest.approx([1.0, 0.0], abs=1e-8)
    with pytest.raises(TypeError, match="no parameter length"):
        module.parameters(length=2.0)


def test_without_states_there_is_nothing_to_integrate(tmp_path: Path) -> None:
    module = exported(Case("still", still()), Python(), tmp_path)
    assert module.der_state(0.5, module.START).shape == (0,)
    assert module.sensors(0.5, [], [], [], module.parameters()) == pytest.approx(0.3 * np.sin(0.5), rel=1e-15)
