"""Plain calls of forward dynamics from Python, for one state and for many, beside Pinocchio.

A call is what a user types, ``eom.forward_dynamics(t, q, u, r, p)`` with arrays; with ``(N, n)`` arrays it evaluates N
states. Pinocchio's ``pin.aba`` is called from Python for one state; for many, ``pin.abaInParallel`` on one thread calls
its C++ without Python in between. Before anything is timed, both must find the same accelerations. Damping and friction
of the files are left out, because Pinocchio leaves them out. Run with ``./dev bench calls``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _lines import bar
from _timing import per_call
from robots import ROBOTS, driven, folder, pinocchio_model, plain_calls, require_pinocchio

from multibody.formalisms import EquationsOfMotion, derive
from multibody.io.urdf import read_urdf

COUNTS = (8, 64, 1000)


def many_states(eom: EquationsOfMotion, model: Any, count: int) -> dict[str, float]:
    """Seconds of one call for so many states, ours and Pinocchio's."""
    import pinocchio as pin

    rng = np.random.default_rng(0)
    q, u, r = (rng.normal(size=(count, size)) for size in (len(eom.coordinates), len(eom.speeds), len(eom.inputs)))
    p, pool, out = np.empty(0), pin.ModelPool(model, 1), np.asfortranarray(np.zeros((model.nv, count)))
    theirs = [np.asfortranarray(rng.normal(size=(size, count))) for size in (model.nq, model.nv, model.nv)]
    f = eom.forward_dynamics
    assert f(0.0, q, u, r, p).shape == (count, len(eom.speeds))
    return {
        "multibody": per_call(lambda: f(0.0, q, u, r, p)),
        "Pinocchio": per_call(lambda: pin.abaInParallel(1, pool, *theirs, out)),
    }


def main() -> None:
    """Measure and report."""
    figures: dict[str, float] = {}
    for name in ("Panda", "UR5"):
        file, floating = ROBOTS[name]
        eom = derive(driven(read_urdf(folder() / file, dynamics="ignore").system))
        model = pinocchio_model(folder() / file, floating)
        require_pinocchio(eom, model)
        times = plain_calls(eom, model)
        print(f"{name}: a call takes {1e6 * times['multibody, plain']:.2f} µs,"
              f" pin.aba {1e6 * times['Pinocchio, plain']:.2f} µs")  # fmt: skip
        figures[f"{name.lower()}_call_us"] = 1e6 * times["multibody, plain"]
        if name == "Panda":
            figures["call_vs_pin"] = times["Pinocchio, plain"] / times["multibody, plain"]
            for count in COUNTS:
                batch = many_states(eom, model, count)
                print(f"{name}, {count} states: {1e6 * batch['multibody']:.2f} µs,"
                      f" abaInParallel {1e6 * batch['Pinocchio']:.2f} µs")  # fmt: skip
                figures[f"batch{count}_us"] = 1e6 * batch["multibody"]
                figures[f"batch{count}_vs_pin"] = batch["Pinocchio"] / batch["multibody"]
    bar(figures)


if __name__ == "__main__":
    main()
