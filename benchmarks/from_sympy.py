"""From a SymPy ``System`` to a finished simulation of 10 s, beside PyDy's way and that of lambdify.

Each way is given a ``sympy.physics.mechanics.System`` with its bodies, joints, loads and constraints, built anew for it
and not formed, and SymPy's caches are empty. Inside the clock is everything from there to 501 states over 10 s, at
rtol = atol = 1e-8. Outside are the building of the model object, imports, and a first run of everybody on a pendulum,
in which our integrator's own machine code is made, once for all models. What is done inside:

  multibody      ``from_sympy``, which reads velocities and forms the equations itself; machine code, with its cache
                 switched off; ``simulate`` with DormandPrince8, with constraints kept and energy checked
  PyDy           ``System.form_eoms``, PyDy's generated right-hand side (``lambdify``, its default, and ``cython``,
                 which runs a C compiler), ``integrate`` with odeint
  lambdify       ``System.form_eoms``, ``lambdify`` of mass matrix and forcing with cse, ``solve_ivp`` with DOP853

Forming is SymPy's own work in the other ways; ratios are given with and without it. All must end in the same state.
The figures at the end are geometric means over the models, against PyDy's better generator, and the least ratios.
Run with ``./dev bench sympy``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import perf_counter

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
from sympy.core.cache import clear_cache

import multibody as mb
from multibody.compat.sympy import from_sympy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "compat"))

import sympy_objects as objects

os.environ["MULTIBODY_CACHE"] = "off"
TIMES = np.linspace(0.0, 10.0, 501)
TOLERANCE = 1e-8
SAME = 1e-4
"""How far apart the ends of two runs may be; PyDy does not keep constraints."""
ROUNDS = 2


@dataclass
class Model:
    """A maker of SymPy systems, and consistent start values by the names of coordinates."""

    make: Callable[[], objects.Written]
    start: dict[str, float]


@dataclass
class Outcome:
    """What a way took: all of it, forming alone; and the coordinates at the end."""

    seconds: float
    forming: float
    end: np.ndarray


def ours(written: objects.Written, start: np.ndarray) -> Outcome:
    """Through ``from_sympy`` and ``simulate``."""
    begun = perf_counter()
    eom = from_sympy(written.object, parameters=written.values)
    formed = perf_counter()
    solver = mb.DormandPrince8(rtol=TOLERANCE, atol=TOLERANCE)
    run = mb.simulate(eom, times=TIMES, q=start, integrator=solver)
    seconds = perf_counter() - begun
    if run.status.name != "DONE":
        raise RuntimeError(run.message)
    return Outcome(seconds, formed - begun, np.array(run.q[-1]))


def pydy(generator: str, written: objects.Written, start: np.ndarray) -> Outcome:
    """Through PyDy's ``System``."""
    from pydy.system import System

    begun = perf_counter()
    written.object.form_eoms()
    formed = perf_counter()
    initial = {**dict(zip(written.q, start, strict=True)), **dict.fromkeys(written.u, 0.0)}
    system = System(written.object.eom_method, initial_conditions=initial, times=TIMES)
    system.constants = {one: value for one, value in written.values.items() if one in system.constants_symbols}
    system.specifieds = dict.fromkeys(written.inputs, 0.0)
    system.generate_ode_function(generator=generator)
    states = system.integrate(rtol=TOLERANCE, atol=TOLERANCE)
    seconds = perf_counter() - begun
    order = [list(system.states).index(one) for one in written.q]
    return Outcome(seconds, formed - begun, states[-1, order])


def lambdified(written: objects.Written, start: np.ndarray) -> Outcome:
    """Through lambdify and SciPy."""
    from scipy.integrate import solve_ivp

    begun = perf_counter()
    written.object.form_eoms()
    formed = perf_counter()
    n, states = len(written.q), [sm.Dummy() for _ in (*written.q, *written.u)]
    swap = dict(zip((*written.u, *written.q), [*states[n:], *states[:n]], strict=True))
    parts = [me.msubs(part, swap) for part in (written.object.mass_matrix_full, written.object.forcing_full)]
    compiled = sm.lambdify([states, list(written.values), list(written.inputs)], parts, cse=True)
    values, inputs = list(written.values.values()), [0.0] * len(written.inputs)

    def rate(_: float, x: np.ndarray) -> np.ndarray:
        matrix, right = compiled(x, values, inputs)
        return np.linalg.solve(matrix, right[:, 0])

    x0 = np.concatenate([start, np.zeros(len(written.u))])
    run = solve_ivp(rate, (0.0, 10.0), x0, t_eval=TIMES, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)
    return Outcome(perf_counter() - begun, formed - begun, run.y[:n, -1])


WAYS: dict[str, Callable[[objects.Written, np.ndarray], Outcome]] = {
    "multibody": ours,
    "PyDy, lambdify": lambda written, start: pydy("lambdify", written, start),
    "PyDy, cython": lambda written, start: pydy("cython", written, start),
    "lambdify": lambdified,
}
MODELS = {
    "pendulum on a cart": Model(objects.cart_pole, {"a": 1.0}),
    "five-link pendulum": Model(lambda: objects.pendulum_chain(5), {f"q{k}": 0.3 for k in range(1, 6)}),
    "four-link pendulum in space": Model(
        lambda: objects.pendulum_chain(4, spatial=True), {f"q{k}": 0.3 for k in range(1, 5)}
    ),
    "four-bar linkage": Model(objects.four_bar, {"q1": 1.0}),
}


def starting(model: Model) -> np.ndarray:
    """Coordinates that close all loops, in the order of SymPy's object."""
    written = model.make()
    return np.array(from_sympy(written.object, parameters=written.values).consistent(model.start).q)


def measured(model: Model, start: np.ndarray, way: Callable[..., Outcome]) -> Outcome:
    """The best of some rounds, each with a new object and empty caches of SymPy."""
    best = Outcome(inf, inf, start)
    for _ in range(ROUNDS):
        written = model.make()
        clear_cache()
        outcome = way(written, start)
        best = min(best, outcome, key=lambda one: one.seconds)
    return best


def main() -> None:
    """Measure all ways on all models."""
    warnings.simplefilter("ignore")  # of SymPy's and PyDy's deprecations
    for way in WAYS.values():  # imports and first steps of everybody, outside the clock
        way(objects.pendulum_chain(1), np.array([0.1]))
    ratios: dict[str, list[float]] = {"pydy": [], "lambdify": []}
    for name, model in MODELS.items():
        start = starting(model)
        found = {label: measured(model, start, way) for label, way in WAYS.items()}
        own = found["multibody"]
        print(f"{name}: from the System to the end of 10 s")
        for label, one in found.items():
            apart = float(np.abs(one.end - own.end).max())
            if apart > SAME:
                raise RuntimeError(f"{label} ends {apart:.1e} away from multibody")
            rest = one.seconds - one.forming
            print(
                f"  {label:16} {one.seconds:8.3f} s, of which forming {one.forming:7.3f} s;"
                f" {one.seconds / own.seconds:7.1f} times ours, {rest / own.seconds:6.1f} without its forming;"
                f" end {apart:.0e} apart"
            )
        quick = min(one.seconds for label, one in found.items() if label.startswith("PyDy"))
        ratios["pydy"].append(quick / own.seconds)
        ratios["lambdify"].append(found["lambdify"].seconds / own.seconds)
    means = {f"vs_{key}": float(np.exp(np.mean(np.log(values)))) for key, values in ratios.items()}
    least = {f"least_vs_{key}": min(values) for key, values in ratios.items()}
    print("BAR " + " ".join(f"{key}={value:.1f}" for key, value in (means | least).items()))


if __name__ == "__main__":
    main()
