"""Simulation at equal accuracy, beside SciPy, PyDy, Exudyn and MuJoCo; 1,000 runs at once, and a stored sweep.

Each task has a target: the largest error of positions at the end, against published numbers or a run of ours with the
tightest tolerances. Everyone's tolerance, or number of steps, is the loosest that meets the target and still does when
it is a notch tighter (a quarter of a decade, or √2 times the steps), so that none wins by luck. Then all of them run
in turn, and the best time of each counts. What is timed:

  multibody      the bare integrator on a prepared problem: from the start to the state at the end
  mb.simulate    what a user calls, with 501 samples and the trajectory; it prepares the problem each time
  SciPy          ``solve_ivp`` on our compiled rates of coordinates and speeds (ours has work integrals to carry), and
                 its old interfaces, whose steps are not made in Python
  PyDy           ``System.integrate``, with its default generator and with its fastest one
  Exudyn         ``SolveDynamic``, with its best of several methods and settings
  MuJoCo         ``rollout``, RK4; its other integrators are of first order

For the choice of the integrator there is a battery of stiff and other models (``_stiff_models.py``). Each of our
integrators that can be chosen gets the loosest tolerance that brings positions to within 1e-6 m or rad at the end.
``stiff_choice`` is the share of models in which the one that is chosen takes at most 1.5 times as long as the best,
``stiff_vs_cvode`` the median of the times of Cvode over those of Rodas5P, where an implicit one is chosen.
``stiff_batch_gain`` is ``batch_gain`` for Rodas5P, the median over some of these models.

Ratios are peer over our best. Set-up is everything before: deriving, generating and compiling, with an empty cache.
Run with ``./dev bench simulate``.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import _simulate_peers as peers
import numpy as np
import robots
from _lines import bar, claim
from _simulate_peers import Runner, Task

import multibody as mb
from multibody.simulation.contract import Watch
from multibody.simulation.lanes.lanes import Lanes
from multibody.simulation.preparation import chosen
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.run_functions import WORKS, RunFunctions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "formalisms"))

import mechanisms
from _stiff_models import STIFF_MODELS, StiffModel, start_of

ROUNDS = 7
PATIENCE = 30.0
"""Seconds to find a runner's setting; whoever needs more has not reached the target."""

MANY = 1000
NAMES = {
    "ours": "multibody", "call": "multibody, mb.simulate", "SciPy": "SciPy solve_ivp", "old SciPy": "SciPy ode, odeint",
    "PyDy": "PyDy", "Exudyn": "Exudyn", "MuJoCo": "MuJoCo",
}  # fmt: skip

FOUR_BARS = {2: (0.32845811154082, 0.9445185381786), 40: (0.18051222668673, 0.98357274058231)}
"""x and y of the first top after 10 s: La Coruña benchmark A02, recomputed with more digits."""

ANDREWS = {
    "beta": 33.8258677669545173, "Theta": -33.5834315174638685, "gamma": 0.113395073812599015,
    "Phi": -0.407852865601884442, "delta": 0.526060444916995827, "Omega": 0.407852865601884442,
    "epsilon": 1.05690242943496283,
}  # fmt: skip
"""After 0.05 s, recomputed with more digits than the table of Hairer and Wanner has."""


# the tasks ----------------------------------------------------------------------------------------------------------


def chain(links: int, com: float = 0.5, inertia: float = 1 / 12) -> mb.System:
    """Equal links of 1 kg and 1 m in a row, horizontal and at rest."""
    system = mb.System(f"chain{links}", gravity=(0, -9.81, 0))
    inner: mb.Frame = system.world
    for k in range(links):
        link = system.body(f"link{k}", 1.0, (com, 0, 0), (0, inertia, inertia))
        system.joint(f"q{k}", inner, link, "Rz")
        inner = link.frame(f"end{k}", (1, 0, 0))
    return system


def robot(name: str) -> mb.System:
    """A robot from its file, limp: no torques in its joints."""
    path, floating = robots.ROBOTS[name]
    return mb.read_urdf(robots.folder() / path, floating=floating, dynamics="ignore").system


def moving(system: mb.System) -> dict[str, float]:
    """Speeds for the joints, not for the base: about 1 rad/s for hinges, and 0.1 m/s for sliders."""
    rng = np.random.default_rng(0)
    joints = [joint for joint in system.freeze().joints if len(joint.speeds) == 1]
    return {j.speed.name: rng.normal() * (0.1 if isinstance(j.kind, mb.Prismatic) else 1.0) for j in joints}


def top(q: np.ndarray) -> np.ndarray:
    """x and y of the first vertical's end, from the angle of its foot."""
    return np.array([math.cos(q[0]), math.sin(q[0])])


TASKS: dict[str, Task] = {
    "pendulum, 10 s": Task(partial(chain, 1, 1.0, 0.0), 10.0, 1e-8),
    "double pendulum, 10 s": Task(partial(chain, 2), 10.0, 1e-8, q={"q0": -math.pi / 4}),
    "Panda, 1 s": Task(partial(robot, "Panda"), 1.0, 1e-8),
    "Talos, 2 s": Task(partial(robot, "Talos"), 2.0, 1e-8),
    "Andrews, 0.05 s": Task(mechanisms.andrews, 0.05, 1e-9),
    "2 four-bars, 10 s": Task(partial(mechanisms.n_four_bar, 2), 10.0, 1e-4, seen=top),
    "40 four-bars, 10 s": Task(partial(mechanisms.n_four_bar, 40), 10.0, 1e-4, seen=top),
}

PEERS: dict[str, Sequence[Callable[[Task], list[Runner]]]] = {
    "pendulum, 10 s": (peers.scipy, partial(peers.exudyn_chain, links=1, com=1.0, inertia=0.0)),
    "double pendulum, 10 s": (
        peers.scipy,
        partial(peers.pydy_chain, links=2),
        partial(peers.exudyn_chain, links=2, com=0.5, inertia=1 / 12),
    ),
    "Panda, 1 s": (peers.scipy, peers.mujoco),
    "Talos, 2 s": (peers.scipy, peers.mujoco),
    "Andrews, 0.05 s": (peers.scipy,),
    "2 four-bars, 10 s": (peers.scipy_with_projection, partial(peers.exudyn_four_bars, count=2)),
    "40 four-bars, 10 s": (peers.scipy_with_projection, partial(peers.exudyn_four_bars, count=40)),
}


def reference(name: str, task: Task) -> np.ndarray:
    """The positions at the end: published ones where there are, otherwise from the tightest tolerances."""
    if "four-bars" in name:
        return np.array(FOUR_BARS[int(name.split()[0])])
    if "Andrews" in name:
        return np.array([ANDREWS[one.name] for one in task.eom.coordinates])
    return task.moved(mb.DormandPrince8(rtol=1e-14, atol=1e-15))


# the contest --------------------------------------------------------------------------------------------------------


class Tuned(NamedTuple):
    """A runner, its setting, and the error that it has with it."""

    runner: Runner
    setting: float
    error: float


def tuned(runner: Runner, expected: np.ndarray, target: float) -> Tuned | None:
    """The loosest setting that meets the target, as the one after it does; None if there is none."""
    last: Tuned | None = None
    begun = perf_counter()
    for setting in runner.ladder:
        error = float(np.max(np.abs(runner.run(setting) - expected)))
        if error <= target and last is not None:
            return last
        last = Tuned(runner, setting, error) if error <= target else None
        if perf_counter() - begun > PATIENCE:
            break
    return last


def best_times(entries: Sequence[Tuned], budget: float = 0.15) -> list[float]:
    """The shortest run of each, all of them in turn; the slow ones leave out the later rounds."""
    times = [math.inf] * len(entries)
    for number in range(ROUNDS):
        for k, (runner, setting, _) in enumerate(entries):
            if times[k] * number > 20 * budget:
                continue
            begun = perf_counter()
            while perf_counter() - begun < budget:
                start = perf_counter()
                runner.run(setting)
                times[k] = min(times[k], perf_counter() - start)
    return times


def contest(name: str) -> dict[str, float]:
    """Print the table of a task; the best time of each family."""
    task = TASKS[name]
    if name[:5] in ("Panda", "Talos"):
        task.u = moving(task.system())
    setup = task.prepare()
    print(f"\n{name}: {len(task.eom.speeds)} speeds, errors at most {task.target:g}, by {task.eom.formalism}")
    runners = peers.ours(task, setup)
    for make in PEERS[name]:
        runners += peers.available(partial(make, task))
    expected = reference(name, task)
    entries: list[Tuned] = []
    for runner in runners:
        found = tuned(runner, expected, task.target)
        if found is None:
            print(f"  {runner.name:30} does not get there")
        else:
            entries.append(found)
    times = best_times(entries)
    families: dict[str, float] = {}
    for entry, seconds in zip(entries, times, strict=True):
        families[entry.runner.family] = min(seconds, families.get(entry.runner.family, math.inf))
    for entry, seconds in zip(entries, times, strict=True):
        print(
            f"  {entry.runner.name:30} {seconds * 1e3:10.3f} ms {seconds / families['ours']:9.1f} ×"
            f"   error {entry.error:.1e} with {entry.setting:<8.3g} set-up {entry.runner.setup:6.2f} s",
            flush=True,
        )
    claim("simulate", name, "ms", {NAMES[family]: seconds for family, seconds in families.items()}, 1e-3)
    return families


# many runs ----------------------------------------------------------------------------------------------------------


@cache
def swinging() -> tuple[mb.EquationsOfMotion, np.ndarray]:
    """The double pendulum, and many states to start from."""
    starts = np.zeros((MANY, 4))
    starts[:, 0] = np.linspace(-1.5, 0.0, MANY)
    return mb.derive(chain(2)), starts


def batch_gain() -> float:
    """How many times faster a run is among 1,000 at once, side by side and on all cores, than one by one."""
    eom, starts = swinging()
    single, lanes, batch = microseconds_of_many(eom, starts, mb.DormandPrince8(), 10.0)
    print(f"\n{MANY} double pendulums, 10 s, µs a run: {single:.0f} one by one, {lanes:.0f} side by side on one core "
          f"({single / lanes:.1f} times faster), {batch:.0f} on {os.cpu_count()} cores")  # fmt: skip
    times = {"multibody, one by one": single, "multibody, side by side": lanes, "multibody, all cores": batch}
    claim("many runs", f"{MANY} double pendulums", "µs", times)
    return single / batch


def microseconds_of_many(
    eom: mb.EquationsOfMotion, starts: np.ndarray, integrator: Any, duration: float
) -> tuple[float, float, float]:  # fmt: skip
    """Time of one of many runs: one by one, side by side on one core, side by side on all cores."""
    functions, times = RunFunctions(eom), np.array([0.0, duration])
    values = np.array([*eom.model.parameter_values().values()])
    problem = Problem(eom, values, functions=functions)
    full = np.pad(starts, ((0, 0), (0, problem.size - starts.shape[1])))
    cores = os.cpu_count() or 1
    shares = np.array_split(starts, cores)

    def one_by_one() -> list[Any]:
        return [integrator.run(problem, 0.0, y, times[1:], 0.0, Watch()) for y in full]

    def side_by_side(share: np.ndarray) -> list[Any]:
        return Lanes(functions, integrator).run(
            times, share, np.zeros((len(share), 0)), np.tile(values, (len(share), 1))
        )

    def at_once() -> list[Any]:
        with ThreadPoolExecutor(cores) as pool:
            return [one for part in pool.map(side_by_side, shares) for one in part]

    ways = [one_by_one, partial(side_by_side, starts), at_once]
    ends = [np.array([one.last_y[: problem.n] for one in way()]) for way in ways]
    assert all((ends[0] == other).all() for other in ends[1:]), "they must arrive at the same place"
    single, lanes, batch = (min(seconds(way) for _ in range(5)) / len(starts) * 1e6 for way in ways)
    return single, lanes, batch


def stiff_batch_gain() -> float:
    """The same for Rodas5P on stiff models: the median of their gains."""
    gains = []
    print("\nstiff models, µs a run: one by one, side by side on one core, on all cores")
    for name in STIFF_BATCH:
        model = STIFF_MODELS[name]
        eom = mb.derive(model.make())
        start = start_of(eom)[: -len(WORKS)]
        starts = np.tile(start, (STIFF_MANY, 1))
        starts[:, len(eom.coordinates) :] *= np.linspace(0.8, 1.2, STIFF_MANY)[:, None]
        single, lanes, batch = microseconds_of_many(eom, starts, mb.Rodas5P(rtol=1e-6), model.duration)
        print(
            f"  {name:28} {single:10.0f} {lanes:10.0f} {batch:10.0f}   {single / batch:5.1f} times faster", flush=True
        )
        gains.append(single / batch)
    return float(np.median(gains))


def seconds(run: Callable[[], Any]) -> float:
    """How long it takes."""
    begun = perf_counter()
    run()
    return perf_counter() - begun


def sweep_runs_per_second() -> float:
    """Double pendulums per second by ``mb.sweep``, as users call it: 101 samples each, stored in a file, all cores."""
    eom, starts = swinging()
    with tempfile.TemporaryDirectory() as folder:
        takes = [
            seconds(partial(mb.sweep, eom, 10.0, initial={"q0": list(starts[:, 0])}, path=Path(folder) / f"{k}.sweep"))
            for k in range(3)
        ]
    print(f"stored with 101 samples by mb.sweep: {MANY / min(takes):.0f} runs a second")
    return MANY / min(takes)


# stiff models -------------------------------------------------------------------------------------------------------

NEAR = 1e-6
"""m or rad: how far positions at the end may be off."""

STIFF_LADDER = tuple(10.0 ** -np.arange(3.0, 11.6, 0.5))
STIFF_BATCH = ("flyball, 1e5", "chain of 6, 1e4", "servo, 1e6", "quarter car", "belt", "bushing, 1e7")
STIFF_MANY = 128
MOST_STEPS = 400_000
GOOD = 1.5
"""So many times as long as the best may take what is chosen."""


def stiff_runners(model: StiffModel) -> tuple[list[Runner], str, np.ndarray]:
    """Integrators on a model, the name of the one that is chosen, and the positions at the end."""
    eom = mb.derive(model.make())
    problem = Problem(eom, list(eom.model.parameter_values().values()))
    problem.functions.is_first_run()  # that of code in haste
    y, times = start_of(eom), np.array([0.0, model.duration])

    def ends(integrator: Any) -> np.ndarray:
        found = integrator.for_run(model.duration).run(problem, 0.0, y, times[1:], 0.0, Watch())
        return found.last_y[: problem.n] if found.status is mb.Status.DONE else np.full(problem.n, np.nan)

    choice = type(chosen(problem, times, y).integrator).__name__
    kinds: list[Any] = [mb.DormandPrince8, mb.Rodas5P, mb.Cvode]
    options = {"max_steps": MOST_STEPS}
    runners = [
        Runner(kind.__name__, "ours", STIFF_LADDER, lambda rtol, kind=kind: ends(kind(rtol=rtol, **options)), 0.0)
        for kind in kinds
    ]
    exact = mb.DormandPrince8 if choice == "DormandPrince8" else mb.Rodas5P
    tolerances = (1e-13, 1e-12, 1e-11) if exact is mb.DormandPrince8 else (1e-12, 1e-11)
    found = (ends(exact(rtol=rtol, atol=0.1 * rtol, max_steps=10**7)) for rtol in tolerances)
    reached = (one for one in found if np.isfinite(one).all())  # flat positions are not passed with all tolerances
    return runners, choice, next(reached, np.full(problem.n, np.nan))


def stiff_figures(names: Sequence[str] = ()) -> dict[str, float]:
    """Print the table of the battery; how often the choice is good, and how much faster than Cvode Rodas5P is."""
    print("\nthe choice of the integrator, ms for errors of at most 1e-6 m or rad")
    good, ratios = [], []
    for name in names or STIFF_MODELS:
        runners, choice, expected = stiff_runners(STIFF_MODELS[name])
        entries = [found for runner in runners if (found := tuned(runner, expected, NEAR))]
        times = dict(zip((one.runner.name for one in entries), best_times(entries, 0.05), strict=True))
        share = times.get(choice, math.inf) / min(times.values(), default=1.0)
        good.append(share <= GOOD)
        if choice != "DormandPrince8" and {"Rodas5P", "Cvode"} <= times.keys():
            ratios.append(times["Cvode"] / times["Rodas5P"])
        shown = "  ".join(f"{kind} {1e3 * seconds:9.3f}" for kind, seconds in times.items())
        print(f"  {name:28} {choice:14} {share:6.2f} of the best   {shown}", flush=True)
    print(f"good choices: {sum(good)} of {len(good)}")
    return {"stiff_choice": sum(good) / len(good), "stiff_vs_cvode": float(np.median(ratios)) if ratios else math.nan}


def main() -> None:
    """Measure, print the tables, then the line of key figures."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MULTIBODY_CACHE"] = folder
        warm = Task(partial(chain, 1), 1.0, 1.0)
        warm.prepare()
        loop = seconds(lambda: warm.moved(mb.DormandPrince8()))
        print(f"the loop over steps is compiled once for all mechanisms: {loop:.1f} s, later from a cache")
        found = {name: contest(name) for name in TASKS}
        gain, per_second, stiff = batch_gain(), sweep_runs_per_second(), stiff_figures()
        stiff["stiff_batch_gain"] = stiff_batch_gain()
    double = found["double pendulum, 10 s"]
    ratio = lambda families, peer: families.get(peer, math.nan) / families["ours"]  # noqa: E731
    bars = [ratio(families, "Exudyn") for name, families in found.items() if "four-bars" in name]
    whole = double.get("SciPy", math.nan) / double["call"]
    print(f"whole call of mb.simulate, double pendulum: {whole:.1f} times faster than solve_ivp alone")
    figures = {
        "dp_vs_scipy": ratio(double, "SciPy"),
        "dp_vs_pydy": ratio(double, "PyDy"),
        "fourbar_vs_exudyn": min(bars),
        "batch_gain": gain,
        "andrews_ms": found["Andrews, 0.05 s"]["ours"] * 1e3,
        "sweep_runs_per_s": per_second,
        "dp_vs_old_scipy": ratio(double, "old SciPy"),
        **stiff,
    }
    bar(figures)


if __name__ == "__main__":
    main()
