"""Several runs per instruction: each lane of a register moves a run of its own, with its own steps and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.compiler.block import StateBlock
from multibody.compiler.calls import BoundBlock
from multibody.compiler.loops.shipped import ShippedLoop
from multibody.simulation.contract import Segment, Status, Vector
from multibody.simulation.events.dead_points import discriminants
from multibody.simulation.integrators.butcher_tableaus import EXPLICIT, ROSENBROCK
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator
from multibody.simulation.integrators.integrator import Integrator, gap_limit
from multibody.simulation.kernel.run_memory import GuardedMemory, address, guarded_places, of_method
from multibody.simulation.kernel.run_record import OWN_SHARE
from multibody.simulation.lanes.lane_record import ARRIVED, FINISHED, IDLE, LANES, NO_RTOL, OWN_RTOL, RTOL, LaneRun
from multibody.simulation.problem.run_functions import RunFunctions

STATES = """
    t next h step error last_error rejected_last accepted lost open worst theta rest due tries samples fresh
    rejected_error rejected_h corner
""".split()
"""One number for each lane."""

LINEAR = ("matrix", "pivots", "drift")
"""Of implicit methods alone; see ``lane_rosenbrock``."""

MOST_SLOPE_OPERATIONS = 10_000
"""Operations of a Jacobian up to which it is compiled for several lanes."""

advance_lanes = ShippedLoop("multibody.simulation.lanes.lane_advance", LaneRun)
"""Moves several runs on, side by side."""


def allows_lanes(integrator: Integrator, functions: RunFunctions) -> bool:
    """Whether runs can go side by side, where no events and no dead points have to be found.

    Explicit methods do, and Rosenbrock methods whose exact Jacobian is not too long.
    """
    kind = integrator.method.kind if isinstance(integrator, CompiledIntegrator) else None
    fits = kind == EXPLICIT or (kind == ROSENBROCK and _has_short_jacobian(functions))
    steady = not functions.events and (not functions.switching or _has_common_corners(integrator, functions))
    safe = steady and discriminants(functions) is None
    return fits and safe and not getattr(integrator, "every_step", False)


def _has_short_jacobian(functions: RunFunctions) -> bool:
    """Whether the exact Jacobian is soon compiled for all lanes."""
    return functions.derives_exactly and sum(functions.slopes.operations.values()) <= MOST_SLOPE_OPERATIONS


def _has_common_corners(integrator: Integrator, functions: RunFunctions) -> bool:
    """Whether steps adapt, and all runs have the same times at which they must end."""
    adapts = isinstance(integrator, CompiledIntegrator) and integrator.stepping.step == 0.0
    return adapts and functions.switching.same_for_all


class Lanes:
    """Memory for several runs side by side, to be used by one thread at a time.

    Args:
        functions: what to move, compiled; several ``Lanes`` may share it.
        integrator: one that ``allows_lanes``.

    Attributes:
        memory: what the compiled loop reads and writes.

    Example:
        >>> import multibody as mb
        >>> spring = mb.System("spring")
        >>> k = spring.parameters(k=1.0)
        >>> slide = spring.joint("x", spring.world, spring.body("mass", mass=1.0), "Tx")
        >>> pull = spring.load(mb.JointSpring(slide, k))
        >>> lanes = Lanes(RunFunctions(mb.derive(spring)), mb.DormandPrince8())
        >>> starts = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
        >>> runs = lanes.run(np.array([0.0, np.pi]), starts, np.zeros((3, 0)), np.array([[1.0], [1.0], [4.0]]))
        >>> [round(float(one.last_y[0]), 6) for one in runs]
        [-1.0, -2.0, 1.0]
    """

    def __init__(self, functions: RunFunctions, integrator: CompiledIntegrator) -> None:
        eom, size = functions.eom, functions.size
        n, m = len(eom.coordinates), len(eom.speeds)
        self._functions, self._integrator, method = functions, integrator, integrator.method
        rows = {"y": size, "new": size, "K": len(method.c) * size, "F": (4 + len(method.D)) * size, "rate": size}
        rows |= {"bound_y": size, "r": len(eom.inputs), "p": len(eom.parameters), "projected": n + m, "gaps": 3}
        rows |= dict.fromkeys([*STATES, "bound_t", "doing"], 1) | dict.fromkeys(("floors", "scales", "noises"), size)
        rows["groups"] = NO_RTOL + 1
        if method.kind == ROSENBROCK:
            rows |= {"slopes": size * size, "matrix": (n + m) ** 2, "pivots": n + m, "drift": size}
        self.memory = GuardedMemory(guarded_places({name: LANES * count for name, count in rows.items()}))
        one_row = {*STATES, "bound_t", "doing"}
        self._arrays: dict[str, Vector] = {
            name: self.memory[name].reshape(LANES if name in one_row else (count, LANES))
            for name, count in rows.items()
        }
        self._arrays["floors"][:] = integrator.stepping.atol
        self._arrays["groups"][RTOL] = integrator.stepping.rtol
        self._arrays["groups"][OWN_RTOL] = OWN_SHARE * integrator.stepping.rtol
        bound = self._arrays["bound_y"]
        ports = {"t": self._arrays["bound_t"], "q": bound[:n], "u": bound[n : n + m], "r": self._arrays["r"]}
        self._ports = {**ports, "p": self._arrays["p"]}
        implicit = "slopes" in rows
        # the Jacobian belongs to one form of the equations, as in ``Rodas5P.run``
        equations = functions.regularized if implicit and functions.has_regularized else functions
        self._rhs, self._slopes = self._bound(equations.rhs_block, "rate"), None
        if implicit:
            slopes = self._arrays["slopes"].reshape(size, size, LANES)
            self._slopes = equations.slopes_block.bind(**self._ports, slopes=slopes)
        back = functions.projection_block(integrator.gap is None) if integrator.project else None
        self._projection = None if back is None else self._bound(back, "projected", "gaps")
        self._fields = self._known_fields(n, m)

    def run(self, times: Vector, starts: Vector, r: Vector, p: Vector) -> list[Segment]:
        """From the first of the times to the last.

        Args:
            times: when to start, and where samples are wanted, increasing; the last one is the end.
            starts: coordinates and speeds of each run, a row for each.
            r: the same for inputs, which are constant; those that follow an expression do not matter.
            p: the same for parameters.

        Returns:
            A segment for each run. One with another status than DONE was given up here; ``integrator.run`` knows more
            ways to go on, and says what is wrong.
        """
        count, size = len(starts), self._functions.size
        y = np.zeros((count, size))
        y[:, : starts.shape[1]] = starts
        results: dict[str, Any] = {
            "starts": y, "all_r": np.ascontiguousarray(r, dtype=float), "all_p": np.ascontiguousarray(p, dtype=float),
            "sample_t": np.ascontiguousarray(times, dtype=float), "sample_y": np.empty((count, len(times), size)),
            "ends": np.empty((count, size + 1)), "codes": np.zeros(count), "steps": np.zeros(count),
            "rejected": np.zeros(count),
        }  # fmt: skip
        known = self._functions.switching.known_times({}, float(times[0]), float(times[-1]))
        results["corner_t"] = np.union1d(known.kinks, known.bends)
        fields = {name: address(array) for name, array in results.items()}
        fields["corners"] = len(results["corner_t"])
        run = LaneRun(**self._fields, **fields, runs=count, wanted=len(times), start=times[0], end=times[-1])
        self._arrays["doing"][:] = IDLE
        while run.code != FINISHED:
            advance_lanes(run)
        return [self._segment(results, k) for k in range(count)]

    def _segment(self, results: dict[str, Any], k: int) -> Segment:
        status = Status.DONE if results["codes"][k] == ARRIVED else Status.SOLVER_FAILED
        steps, rejected = int(results["steps"][k]), int(results["rejected"][k])
        t, *y = results["ends"][k]
        evaluations = (steps + rejected) * self._integrator.method.stages
        samples, jacobians = (results["sample_t"], results["sample_y"][k]), 0 if self._slopes is None else steps
        return Segment(*samples, status, t, np.array(y), 0.0, [], steps, rejected, evaluations, jacobians)

    def _bound(self, block: StateBlock, *outputs: str) -> BoundBlock:
        return block.bind(**self._ports, **{name: self._arrays[name] for name in outputs})

    def _known_fields(self, n: int, m: int) -> dict[str, Any]:
        """What is the same for all runs."""
        eom, arrays, integrator = self._functions.eom, self._arrays, self._integrator
        size, stepping, method = self._functions.size, integrator.stepping, of_method(integrator.method)
        fields: dict[str, Any] = {
            name: address(arrays[name])
            for name in [*STATES, "doing", "floors", "scales", "noises", "groups", "y", "new", "K", "F", *LINEAR]
            if name in arrays
        }
        for name in ("rate", "r", "p", "projected", "gaps", "slopes"):
            fields[f"bound_{name}"] = address(arrays[name]) if name in arrays else 0
        fields |= {"bound_t": address(arrays["bound_t"]), "bound_y": address(arrays["bound_y"])}
        for name, call in {"rhs": self._rhs, "projection": self._projection, "jacobian": self._slopes}.items():
            if call is not None:
                fields |= dict(zip((f"{name}_at", f"{name}_ports", f"{name}_more"), call.native, strict=True))
                fields[f"{name}_prepare_at"] = call.preparation[0]
        fields |= {"size": size, "width": size * LANES, "coordinates": n, "speeds": m}
        fields["works"] = self._functions.counted_works
        fields |= {"inputs": len(eom.inputs), "parameters": len(eom.parameters)}
        fields |= {"switchable": self._projection is not None and self._functions.has_regularized}
        fields |= {"timed": self._slopes is not None and self._functions.timed}
        fields |= {name: method[name] for name in METHOD}
        fields |= {"rtol": stepping.rtol, "atol": stepping.atol, "fixed": stepping.step, "max_step": stepping.max_step}
        return fields | {"gap": gap_limit(integrator.gap), "max_steps": integrator.most_steps}


METHOD = "kind stages rows order c A E estimates D refinements C d beta gamma".split()
"""The numbers of a method that the loop needs."""
