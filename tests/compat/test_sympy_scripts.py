"""Scripts in the style of SymPy's and PyDy's examples, read by ``from_sympy``, against numbers of SymPy's matrices."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import sympy as sm
from scipy.integrate import solve_ivp

import multibody as mb
from multibody.compat.sympy import from_sympy

from .sympy_numbers import our_rates, sympy_rates

HERE = Path(__file__).parent
SYMPY = sorted((HERE / "sympy_scripts").glob("*.py"))
PYDY = sorted((HERE / "pydy_scripts").glob("*.py"))


def by_name(path):
    return path.stem


def states(eom, count, seed, at):
    """Random coordinates and speeds that keep the constraints, near given coordinates."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        q, u = 0.4 * rng.normal(size=len(eom.coordinates)), rng.normal(size=len(eom.speeds))
        near = {name: value + 0.05 * rng.normal() for name, value in eom.named(at).items()}
        q = np.array([near.get(one.name, x) for one, x in zip(eom.coordinates, q, strict=True)])
        if len(eom.constraints):
            found = eom.consistent(q, u)
            q, u = np.array(found.q), np.array(found.u)
        yield q, u, rng.normal(size=len(eom.inputs))


def agreement(method, eom, constants, specified, at):
    """The largest difference between our rates and those of SymPy, relative to the largest of them."""
    pairs = sorted(eom.symbols.items(), key=lambda pair: not pair[0].is_Derivative)
    nodes = {str(meaning): node for node, meaning in pairs}  # u itself, where q' is known to be u
    q, u = ([nodes[one.name] for one in part] for part in (eom.coordinates, eom.speeds))
    assert [nodes[one.name] for one in eom.inputs] == list(specified)
    theirs = sympy_rates(method, q, u, constants, specified)
    for place, speeds, given in states(eom, 3, 1, at):
        expected = theirs(place, speeds, given)[: len(q) + len(u)]
        yield np.abs(our_rates(eom, place, speeds, given) - expected).max() / max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("script", SYMPY, ids=by_name)
def test_scripts_as_those_of_sympy(script):
    made = runpy.run_path(str(script))
    specified = made.get("specified", [])
    eom = from_sympy(made["method"], parameters=made["constants"], inputs=specified)
    assert max(agreement(made["method"], eom, made["constants"], specified, made.get("at", {}))) < 1e-9


@pytest.mark.parametrize("script", PYDY, ids=by_name)
def test_scripts_as_those_of_pydy(script):
    """The rates, and a run beside that of SciPy with SymPy's equations, as PyDy does it."""
    made = runpy.run_path(str(script))
    kane, constants, start = made["kane"], made["constants"], made["initial_conditions"]
    specifieds, times = made.get("specifieds", {}), made["times"]
    eom = from_sympy(kane, parameters=constants, inputs=list(specifieds), start=start)
    assert max(agreement(kane, eom, constants, list(specifieds), start)) < 1e-9
    rates = sympy_rates(kane, list(kane.q), list(kane.u), constants, list(specifieds))
    n = len(kane.q)
    x0 = [float(start.get(one, 0.0)) for one in (*kane.q, *kane.u)]
    right = lambda t, x: rates(x[:n], x[n:], [given(x, t) for given in specifieds.values()])  # noqa: E731
    expected = solve_ivp(right, (times[0], times[-1]), x0, t_eval=times, rtol=1e-9, atol=1e-11).y
    inputs = {
        eom.symbols[node].name: lambda t, q, u, given=given: given(np.concatenate([q, u]), t)
        for node, given in specifieds.items()
    }
    run = mb.simulate(eom, times=times, inputs=inputs)
    assert [eom.symbols[one].name for one in (*kane.q, *kane.u)] == [
        one.name for one in (*eom.coordinates, *eom.speeds)
    ]
    np.testing.assert_allclose(np.hstack([run.q, run.u]).T, expected, atol=2e-5 * max(1.0, np.abs(expected).max()))


def test_ten_of_each_kind_and_none_of_them_knows_this_library():
    assert (len(SYMPY), len(PYDY)) == (10, 10)
    assert not any("multibody" in script.read_text() for script in (*SYMPY, *PYDY))


def test_a_sign_that_is_wrong_is_seen():
    """The comparison itself: gravity upwards in what is read."""
    made = runpy.run_path(str(HERE / "pydy_scripts" / "double_pendulum.py"))
    g = sm.Symbol("g")
    eom = from_sympy(made["kane"], parameters={**made["constants"], g: -9.81})
    assert max(agreement(made["kane"], eom, made["constants"], [], {})) > 1e-2
