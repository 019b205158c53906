"""Long routines as lists of operations: JAX compiles them in constant time, and finds the same numbers and slopes."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import Jax, export
from multibody.codegen.live.tape import SUM, TERMS, WIDTH, taped
from multibody.codegen.live.tape_loop import PAD, operations
from multibody.codegen.syntax import FUNCTIONS
from multibody.graph import evaluate, sin, symbols, where

from .conftest import named_case
from .models import Case
from .test_python import called, choices, exported, loaded, per_state, stacked

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)


@cache
def chain(links: int) -> mb.EquationsOfMotion:
    """Links with hinges about all axes in turn, a mass and a motor each."""
    system = mb.System(f"chain{links}", gravity=(0, 0, -9.81))
    at = system.world
    for k in range(links):
        mass = system.parameter(f"m{k}", 1.0 + 0.01 * k)
        body = system.body(f"b{k}", mass, (0.02, 0.01, -0.15), (0.02, 0.03, 0.01))
        joint = system.joint(f"q{k}", at, body, ("Ry", "Rz", "Rx")[k % 3], q=0.1 + 0.05 * k)
        system.load(mb.JointLoad(joint, system.input(f"tau{k}") - 0.1 * joint.speed))
        at = body.frame(f"f{k}", (0, 0, -0.3))
    return mb.derive(system)


def point(eom: mb.EquationsOfMotion) -> tuple[Any, ...]:
    """Time, coordinates, speeds, inputs and parameters of a state."""
    rng = np.random.default_rng(7)
    q, u, r = rng.normal(size=(3, len(eom.coordinates)))
    return 0.3, q, u, r, np.array([float(value) for value in eom.model.parameter_values().values()])


def module_of(eom: mb.EquationsOfMotion, folder: Path, limit: int = 300) -> ModuleType:
    """The exported module."""
    (path,) = export(eom, Jax(limit=limit), folder).written
    return loaded(path)


# the same numbers ----------------------------------------------------------------------------------------------------


def test_every_routine_as_a_list(case: Case, tmp_path: Path) -> None:
    """Also short ones, with conditions, tables and all functions, for many states at once."""
    module, states = exported(case, Jax(limit=1), tmp_path), stacked(case)
    case.agrees(per_state(case, called(module, *map(jax.numpy.asarray, states))))


@pytest.mark.parametrize("limit", [1, 10_000])
def test_one_state_and_many(limit: int, tmp_path: Path) -> None:
    """Lists of numbers, ``vmap``, and trailing dimensions mean the same in both forms."""
    case = named_case("crane_crab")
    module = exported(case, Jax(limit=limit), tmp_path)
    t, q, u, r, p = (np.array(part[:3]) for part in zip(*case.states, strict=True))
    wanted = np.stack([np.concatenate(module.state_rate(t[k], *(list(x[k]) for x in (q, u, r, p)))) for k in range(3)])
    mapped = jax.vmap(module.state_rate)(t, q, u, r, p)
    trailing = module.state_rate(t, q.T, u.T, r.T, p[0])
    np.testing.assert_allclose(np.hstack(mapped), wanted, rtol=1e-13, atol=1e-13)
    if (p == p[0]).all():
        np.testing.assert_allclose(np.vstack(trailing).T, wanted, rtol=1e-13, atol=1e-13)


def test_single_precision_stays_single(tmp_path: Path) -> None:
    module = module_of(chain(5), tmp_path, limit=1)
    given = [np.asarray(one, np.float32) for one in point(chain(5))]
    assert {one.dtype for one in module.state_rate(*given)} == {np.dtype(np.float32)}


def test_wrong_lengths_are_refused(tmp_path: Path) -> None:
    module = module_of(chain(5), tmp_path)
    t, q, u, r, p = point(chain(5))
    with pytest.raises(ValueError, match=r"\(4, 5, 5, 5\) entries in the place of \(5, 5, 5, 5\)"):
        module.state_rate(t, q[:4], u, r, p)


# derivatives ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["jacfwd", "jacrev"])
@pytest.mark.parametrize(("x", "v"), [(-0.5, 0.3), (0.7, 0.3), (-0.5, -2.0), (0.4, -1.0)])
def test_slopes_where_the_other_side_has_none(mode: str, x: float, v: float, tmp_path: Path) -> None:
    """Those of the straight-line form, which is tested against our own."""
    lists, lines = (module_of(choices(), tmp_path / str(limit), limit) for limit in (1, 10_000))
    empty = np.zeros(0)

    def slopes(module: ModuleType) -> Any:
        return getattr(jax, mode)(module.state_rate, argnums=(1, 2))(0.0, np.array([x]), np.array([v]), empty, empty)

    found = np.array(jax.tree.leaves(slopes(lists)))
    np.testing.assert_allclose(found, jax.tree.leaves(slopes(lines)), rtol=1e-12, atol=1e-12)


def test_a_chain_of_thirty_links(tmp_path: Path) -> None:
    """Call, Jacobian, gradient and ``vmap``, all compiled, against our own function and derivatives."""
    eom = chain(30)
    module, given = module_of(eom, tmp_path), point(eom)
    begun = time.process_time()
    rates = np.concatenate(jax.jit(module.state_rate)(*given))
    slopes = jax.jit(jax.jacfwd(module.state_rate, argnums=(1, 2, 3, 4)))(*given)[1]
    gradient = jax.jit(jax.grad(lambda q: (module.state_rate(0.3, q, *given[2:])[1]).sum()))(given[1])
    mapped = jax.jit(jax.vmap(module.state_rate, (None, 0, 0, None, None)))(
        0.3, np.stack([given[1], -given[1]]), np.stack([given[2], given[2]]), *given[3:]
    )
    assert time.process_time() - begun < 60  # as straight-line code, the call alone does not end within minutes
    wanted = eom.function("rates", {"x": [*eom.rates, *eom.acceleration]})(*given)
    np.testing.assert_allclose(rates, wanted, rtol=1e-11, atol=1e-11 * np.abs(wanted).max())
    np.testing.assert_allclose(np.concatenate([one[0] for one in mapped]), rates, rtol=1e-12, atol=1e-12)
    exact = mb.jacobians(eom)
    values = dict(zip("tqurp", given, strict=True))
    for name, found in zip("qurp", slopes, strict=True):
        ours = getattr(exact, name).dense(**values)[30:]
        np.testing.assert_allclose(found, ours, rtol=1e-9, atol=1e-10 * np.abs(ours).max())
    np.testing.assert_allclose(gradient, slopes[0].sum(axis=0), rtol=1e-9, atol=1e-9 * np.abs(gradient).max())


def test_the_dynamics_without_a_file() -> None:
    """``mb.jax_function`` runs the same loop where there are many operations."""
    eom = chain(12)
    t, q, u, r, p = point(eom)
    f = jax.jit(mb.jax_function(eom))
    wanted = eom.function("rates", {"x": [*eom.rates, *eom.acceleration]})(t, q, u, r, p)
    x = np.concatenate([q, u])
    np.testing.assert_allclose(f(t, x, r, p), wanted, rtol=1e-11, atol=1e-11 * np.abs(wanted).max())
    slopes = jax.jit(jax.jacrev(mb.jax_function(eom), argnums=1))(t, x, r, p)
    ours = mb.jacobians(eom).x.dense(t=t, q=q, u=u, r=r, p=p)
    np.testing.assert_allclose(slopes, ours, rtol=1e-9, atol=1e-10 * np.abs(ours).max())
    with refused("array-wrong-shape"):
        f(t, x[:-1], r, p)


# the list itself -----------------------------------------------------------------------------------------------------


def test_short_routines_stay_readable(tmp_path: Path) -> None:
    (path,) = export(chain(2), Jax(), tmp_path).written
    text = path.read_text(encoding="utf-8")
    assert "looped" not in text
    assert "jnp.sin(q0)" in text


def test_every_operation_is_known() -> None:
    """And finite, with a finite slope, at the operands of unused lanes."""
    known = operations()
    assert {*known} == (FUNCTIONS - {"table"}) | {"recip", SUM}
    for name, function in known.items():
        signs = np.zeros((2, 1))

        def value(x: Any, function: Any = function, signs: Any = signs) -> Any:
            return function(signs, *(x[k : k + 1] for k in range(4)))[0]

        assert np.isfinite(value(jax.numpy.full(4, PAD))), name
        assert np.isfinite(jax.grad(lambda x: 1.0 * value(x))(jax.numpy.full(4, PAD))).all(), name


def test_steps_keep_their_bounds_and_their_order() -> None:
    """Every operand was there before, and no step or sum is longer than it may be."""
    t, x, y = symbols("t x y")
    value = x
    for k in range(40):
        value = sin(value * y + x * k) - (value + t) * x + where(value > y, x, y * value)
    tape = taped([value, x], {}, [[x], [y]], t, {})
    width = max(len(lanes) for _, lanes in tape.steps)
    assert width <= WIDTH
    start = len(tape.constants) + 3
    for k, (name, lanes) in enumerate(tape.steps):
        for lane in lanes:
            assert name != SUM or 1 <= len(lane) <= TERMS
            places = [place for term in lane for place in term[1:]] if name == SUM else list(lane)
            assert max(places) < start + width * k
    w = [*tape.constants, 0.1, 0.2, 0.3, *np.zeros(width * len(tape.steps))]
    plain = {"sin": np.sin, "lt": np.less, "where": lambda c, a, b: a if c else b}
    for k, (name, lanes) in enumerate(tape.steps):
        for j, lane in enumerate(lanes):
            found = sum(s * w[a] * w[b] for s, a, b in lane) if name == SUM else plain[name](*(w[one] for one in lane))
            w[start + width * k + j] = found
    assert w[tape.results[0]] == pytest.approx(evaluate(value, {t: 0.1, x: 0.2, y: 0.3}), rel=1e-12)
    assert w[tape.results[1]] == 0.2
