"""From a SymPy ``System`` to a finished simulation of 10 s, beside PyDy's way and that of lambdify.

Each way is given a ``System`` of SymPy's mechanics package, with bodies, joints, loads and constraints, or, for the
rolling disc and the bicycle, a ``KanesMethod`` with bodies and loads. It is built anew for each way, and SymPy's caches
are empty. Inside the clock is everything from there to 501 states over 10 s, at rtol = atol = 1e-8. Outside are the
building of the model object, imports, and a first run of everybody on a pendulum, in which our integrator's own machine
code is made, once for all models. What is done inside:

  multibody      ``from_sympy``, which reads velocities and forms the equations itself; machine code, with its cache
                 switched off; ``simulate`` with DormandPrince8, with constraints kept and energy checked
  PyDy           ``form_eoms`` or ``kanes_equations``, PyDy's generated right-hand side (``lambdify``, its default, and
                 ``cython``, which runs a C compiler), ``integrate`` with odeint
  lambdify       the same forming, ``lambdify`` of mass matrix and forcing with cse, ``solve_ivp`` with DOP853

Forming is SymPy's own work in the other ways; ratios are given with and without it. All must end in the same state.
The figures at the end are geometric means over the models: against PyDy's better generator (which is that without a C
compiler, its default, in all models here), against its C code alone, and against lambdify; ``least`` is the least ratio
of all. A way that needs more than a few seconds is measured once, all others are the best of some rounds.
Run with ``./dev bench sympy``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log
from pathlib import Path
from time import perf_counter

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
from _lines import claim
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
ROUNDS = 3
LONG = 4.0
"""Seconds after which a way is not measured again."""


@dataclass
class Model:
    """A maker of SymPy objects, and start values by the names of some coordinates and speeds; others follow."""

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
    states = dict(zip((*written.q, *written.u), start, strict=True))
    eom = from_sympy(written.object, parameters=written.values, start=states)
    formed = perf_counter()
    solver = mb.DormandPrince8(rtol=TOLERANCE, atol=TOLERANCE)
    run = mb.simulate(eom, times=TIMES, integrator=solver)
    seconds = perf_counter() - begun
    if run.status.name != "DONE":
        raise RuntimeError(run.message)
    return Outcome(seconds, formed - begun, np.array(run.q[-1]))


def formed_by_sympy(obj: me.System | me.KanesMethod) -> me.KanesMethod:
    """Kane's equations, formed by SymPy."""
    if isinstance(obj, me.System):
        obj.form_eoms()
        return obj.eom_method
    obj.kanes_equations(obj.bodylist, obj.forcelist)
    return obj


def pydy(generator: str, written: objects.Written, start: np.ndarray) -> Outcome:
    """Through PyDy's ``System``."""
    from pydy.system import System

    begun = perf_counter()
    method = formed_by_sympy(written.object)
    formed = perf_counter()
    initial = dict(zip((*written.q, *written.u), start, strict=True))
    system = System(method, initial_conditions=initial, times=TIMES)
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
    method = formed_by_sympy(written.object)
    formed = perf_counter()
    n, states = len(written.q), [sm.Dummy() for _ in (*written.q, *written.u)]
    swap = dict(zip((*written.u, *written.q), [*states[n:], *states[:n]], strict=True))
    parts = [me.msubs(part, swap) for part in (method.mass_matrix_full, method.forcing_full)]
    compiled = sm.lambdify([states, list(written.values), list(written.inputs)], parts, cse=True)
    values, inputs = list(written.values.values()), [0.0] * len(written.inputs)

    def rate(_: float, x: np.ndarray) -> np.ndarray:
        matrix, right = compiled(x, values, inputs)
        return np.linalg.solve(matrix, right[:, 0])

    run = solve_ivp(rate, (0.0, 10.0), start, t_eval=TIMES, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)
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
    "rolling disc": Model(objects.rolling_disc_kane, {"q2": 0.2, "u2": 9.0}),
    "bicycle": Model(objects.bicycle, {"lean": 0.02, "w3": -4.6 / 0.3}),  # 4.6 m/s, where it is stable by itself
}


def starting(model: Model) -> np.ndarray:
    """Coordinates and speeds that keep all constraints, in the order of SymPy's object."""
    written = model.make()
    eom = from_sympy(written.object, parameters=written.values)
    coordinates = {one.name for one in eom.coordinates}
    q = {name: value for name, value in model.start.items() if name in coordinates}
    u = {name: value for name, value in model.start.items() if name not in coordinates}
    state = eom.consistent(q, u)
    return np.concatenate([state.q, state.u])


def measured(model: Model, start: np.ndarray, way: Callable[..., Outcome]) -> Outcome:
    """The best of some rounds, each with a new object and empty caches of SymPy."""
    best = Outcome(inf, inf, start)
    for done in range(ROUNDS):
        if done and best.seconds > LONG:
            break
        written = model.make()
        clear_cache()
        outcome = way(written, start)
        best = min(best, outcome, key=lambda one: one.seconds)
    return best


def main() -> None:
    """Measure all ways on all models."""
    warnings.simplefilter("ignore")  # of SymPy's and PyDy's deprecations
    for way in WAYS.values():  # imports and first steps of everybody, outside the clock
        way(objects.pendulum_chain(1), np.array([0.1, 0.0]))
    ratios: dict[str, list[float]] = {"pydy": [], "lambdify": [], "pydy_cython": []}
    for name, model in MODELS.items():
        start = starting(model)
        found = {label: measured(model, start, way) for label, way in WAYS.items()}
        own = found["multibody"]
        print(f"{name}: from the System to the end of 10 s")
        for label, one in found.items():
            apart = float(np.abs(one.end - own.end).max())
            if not apart <= SAME:  # nor if it ends nowhere
                raise RuntimeError(f"{label} ends {apart:.1e} away from multibody")
            rest = one.seconds - one.forming
            print(
                f"  {label:16} {one.seconds:8.3f} s, of which forming {one.forming:7.3f} s;"
                f" {one.seconds / own.seconds:7.1f} times ours, {rest / own.seconds:6.1f} without its forming;"
                f" end {apart:.0e} apart"
            )
        claim("from SymPy", name, "s", {label: one.seconds for label, one in found.items()})
        times = {label: one.seconds / own.seconds for label, one in found.items()}
        ratios["pydy"].append(min(times["PyDy, lambdify"], times["PyDy, cython"]))
        ratios["lambdify"].append(times["lambdify"])
        ratios["pydy_cython"].append(times["PyDy, cython"])
    means = {f"vs_{key}": exp(sum(map(log, values)) / len(values)) for key, values in ratios.items()}
    least = min(value for values in ratios.values() for value in values)
    print("BAR " + " ".join(f"{key}={value:.1f}" for key, value in means.items()) + f" least={least:.1f}")


if __name__ == "__main__":
    main()
