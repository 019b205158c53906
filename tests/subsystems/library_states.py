"""States in which all constraints of a coupled system hold, and the accelerations there, as numbers."""

import numpy as np

import multibody as mb
from multibody.graph import evaluate, jacobian
from multibody.model.quantity import defaults
from multibody.subsystems.explicit import accelerations


def state(system, known, guess=None, parameters=None, t=0.0):
    """Numbers for all symbols: given ones, and what follows for other variables from the invariants.

    Args:
        system: a subsystem.
        known: values that are kept, by name: coordinates, quasi-velocities, inputs.
        guess: where to look for other coordinates, by name.
        parameters: values by name.
        t: the time.
    """
    values = {one.name: value for one, value in defaults(system.parameters, parameters).items()}
    values |= {one.name: 0.0 for given in system.inputs for one in given.flat} | {"t": t} | known
    kept = system.all_invariants()
    positions = [one.positions[-1] for one in kept if one.positions]
    lower = [one for one in system.rates if one.name not in known]
    upper = [one for one in system.top if one.name not in known]
    values |= {one.name: (guess or {}).get(one.name, 0.4) for one in lower}
    _newton(positions, lower, values)
    values |= {one.name: 0.0 for one in upper}
    _newton([one.velocity for one in kept if one.velocity is not None], upper, values)
    return values


def _newton(equations, unknown, values):
    if not equations:
        return
    slopes = jacobian(equations, unknown)
    for _ in range(60):
        gaps = np.array(evaluate(equations, values), dtype=float)
        if np.abs(gaps).max() < 1e-14:
            return
        table = np.array(evaluate(list(slopes.flat), values), dtype=float).reshape(slopes.shape)
        step = np.linalg.lstsq(table, -gaps, rcond=None)[0]
        values |= {one.name: values[one.name] + float(d) for one, d in zip(unknown, step, strict=True)}
    gaps = np.array(evaluate(equations, values), dtype=float)
    assert np.abs(gaps).max() < 1e-12, "the constraints could not be met"


def rates(system, values):
    """The rate of every highest variable, by name."""
    found = accelerations(system)
    return dict(zip([one.name for one in found], evaluate(list(found.values()), values), strict=True))


def of_system(system, **values):
    """The accelerations of a ``System``, by the names of its speeds."""
    eom = mb.derive(system)
    return dict(zip([one.name for one in eom.speeds], evaluate(list(eom.acceleration), values), strict=True))
