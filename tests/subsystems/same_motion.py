"""One machine described twice: the same state in both, and the accelerations in it, by name."""

import numpy as np


def start_of(eom):
    """Start values of all coordinates, by name."""
    return {one.name: float(eom.model.start[one]) for one in eom.coordinates}


def random_state(eom, held, seed, size=0.1, speed=1.0):
    """A state near the start that keeps all constraints; what is held, coordinates and speeds, is random."""
    rng = np.random.default_rng(seed)
    start = start_of(eom)
    q = {name: start[name] + size * rng.uniform(-1, 1) for name in held if name in start}
    u = {name: speed * rng.uniform(-1, 1) for name in held if name not in start}
    return eom.consistent(q, u)


def values(state):
    """All coordinates and speeds of a state, by name."""
    names = [one.name for one in (*state.model.coordinates, *state.model.speeds)]
    return dict(zip(names, [*state.q, *state.u], strict=True))


def carried_over(eom, known):
    """The state of other equations with the same values; they must keep the constraints there."""
    q, u = ([known[one.name] for one in group] for group in (eom.coordinates, eom.speeds))
    state = eom.consistent(q, u)
    assert np.abs(state.q - q).max() < 1e-10
    assert np.abs(state.u - u).max() < 1e-10
    return state


def accelerations(eom, state, inputs=None):
    """u̇ by the names of the speeds."""
    forces = [(inputs or {}).get(one.name, 0.0) for one in eom.inputs]
    parameters = [float(value) for value in eom.model.parameter_values().values()]
    found = eom.forward_dynamics(0.0, state.q, state.u, np.array(forces), np.array(parameters))
    return dict(zip([one.name for one in eom.speeds], map(float, found), strict=True))


def require_same(found, expected, names, relative=1e-10):
    """Equal numbers under these names, relative to the largest of them."""
    largest = max(abs(expected[name]) for name in names)
    assert largest > 0
    worst = max(names, key=lambda name: abs(found[name] - expected[name]))
    assert abs(found[worst] - expected[worst]) < relative * largest, (worst, found[worst], expected[worst])
