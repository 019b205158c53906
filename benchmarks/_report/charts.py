"""What is plotted: a title for each claim, a sentence on what was measured, and where our bars should end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from _lines import Claim

from _report.expected import EXPECTED

SCALES = {"ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


class Mark(NamedTuple):
    """Where a bar should end.

    Attributes:
        figure: what is expected, by benchmark and key.
        case: of the claim.
        bar: whose bar it is.
        peer: whose figure the expectation is relative to; empty if it is absolute.
    """

    figure: str
    case: str
    peer: str = ""
    bar: str = "multibody"

    def place(self, claim: Claim) -> float:
        """On the axis of the claim, where absolute times are given in seconds; NaN if the peer did not take part."""
        name, _, key = self.figure.partition(".")
        expected = EXPECTED[name][key]
        if self.peer:
            other = claim.figures.get(self.peer, math.nan)
            return other / expected.least if expected.least > -math.inf else other * expected.most
        absolute = expected.least if expected.least > -math.inf else expected.most
        return absolute / SCALES.get(claim.unit, 1.0)


class Chart(NamedTuple):
    """A claim in words."""

    title: str
    says: str
    marks: tuple[Mark, ...] = ()
    more_is_better: bool = False


ARMS = {"general 6R": "6r", "general 7R": "7r", "PUMA 560": "puma_560", "Stanford arm": "stanford_arm"}
MODELS = (
    "pendulum on a cart", "five-link pendulum", "four-link pendulum in space", "four-bar linkage", "rolling disc",
    "bicycle",
)  # fmt: skip
SIMULATE = "multibody, mb.simulate"
CHARTS: Mapping[str, Chart] = {
    "derive equations": Chart(
        "Deriving equations of motion",
        "From the description to equations: here up to explicit accelerations, with SymPy up to mass matrix and "
        "forcing. Seven symbolic parameters, except where numbers are given.",
        (
            Mark("formalisms.kane_vs_sympy_n5", "5 links in space", "SymPy Kane", "multibody Kane"),
            Mark("formalisms.lagrange_vs_sympy_n5", "5 links in space", "SymPy Lagrange", "multibody Lagrange"),
            Mark("robots.derive7_vs_sympy", "7 links in space, numbers", "SymPy Kane"),
        ),
    ),
    "derive loops": Chart(
        "Deriving equations of closed loops and rolling wheels",
        "From the description to accelerations as functions of the state, beside SymPy's KanesMethod with `rhs`.",
        (Mark("loops.bicycle_derive_vs_sympy", "bicycle", "SymPy Kane"),),
    ),
    "operations": Chart(
        "Operations of generated code",
        "Multiplications, additions and divisions; all ten inertial parameters of every link are symbols. The counts "
        "beside ours are those of a program of straight-line code for each arm, which `benchmarks/operations.py` "
        "describes; they are no lower bounds. With parameters regrouped to a minimal set, which we do not do, fewer "
        "operations are possible, as the last column shows where such a count is known.",
        tuple(
            Mark(f"operations.{key}_{way}", f"{arm}, {way}", "reference program")
            for arm, key in ARMS.items()
            for way in ("inverse", "forward")
        ),
    ),
    "forward dynamics": Chart(
        "Forward dynamics of robots",
        "Accelerations of one state, in a compiled loop on one core; in batches several states per instruction. "
        "Pinocchio is its C++ library as PyPI has it, by its articulated-body algorithm. Plain: one call from Python.",
        (
            Mark("robots.panda_vs_pin", "Panda", "Pinocchio"),
            Mark("robots.panda_batch_vs_pin", "Panda", "Pinocchio", "multibody, batch"),
            Mark("robots.ur5_vs_pin", "UR5", "Pinocchio"),
            Mark("robots.talos_vs_pin", "Talos", "Pinocchio"),
            Mark("robots.talos_batch_vs_pin", "Talos", "Pinocchio", "multibody, batch"),
        ),
    ),
    "forward dynamics of chains": Chart(
        "Forward dynamics of chains in space",
        "As above, for chains of equal links. MuJoCo's figure is a step of its `rollout` by Euler's method. With 1,000 "
        "links Pinocchio runs out of memory, and MuJoCo refuses so deep a file.",
    ),
    "ready": Chart(
        "From a URDF file to a function that can be called",
        "Reading, deriving and compiling; from the cache without compiling. Pinocchio only reads the file: there is "
        "nothing to compile, which is its advantage here.",
        (
            Mark("robots.panda_ready_s", "Panda"),
            Mark("robots.panda_cached_s", "Panda", bar="multibody, cached"),
            Mark("robots.talos_ready_s", "Talos"),
        ),
    ),
    "derive expressions": Chart(
        "Expressions: building and differentiating",
        "Position, Jacobian and velocity of the tip of a chain in space. All run the same text with their own scalars; "
        "CasADi also with a matrix product for each link.",
        (
            Mark("graph.derive_vs_sympy", "16 links", "SymPy"),
            Mark("graph.derive_vs_casadi", "30 links", "CasADi SX"),
        ),
    ),
    "evaluate expressions": Chart(
        "Expressions: evaluating",
        "The same as functions, one call from Python: bound, on arrays that were given once, as CasADi's buffers are, "
        "or plain, as SymPy's functions are called; the last case is a state in a compiled loop and in a batch. "
        "Compile time is not contained: see `compile_s` below.",
        (
            Mark("graph.eval_vs_lambdify", "16 links", "SymPy lambdify", "multibody, bound"),
            Mark("graph.eval_vs_casadi", "30 links", "CasADi, buffers", "multibody, bound"),
            Mark("graph.batch_gain", "30 links, no Python", "multibody, in a loop", "multibody, batch"),
        ),
    ),
    "evaluate loops": Chart(
        "Accelerations of closed loops",
        "One call from Python, ours bound, on arrays that were given once, and plain; SymPy's calls are plain: its "
        "mass matrix and forcing are lambdified with cse and solved by NumPy.",
    ),
    "rows of four-bars": Chart(
        "Rows of four-bars: growth with size",
        "From the description to compiled accelerations. Twice as many should take at most 2.2 times as long.",
    ),
    "simulate": Chart(
        "Simulation at equal accuracy",
        "Time of a run, each with the loosest tolerance, or fewest steps, that keep errors at the end below the same "
        "target (1e-8; Andrews 1e-9, four-bars 1e-4). SciPy integrates our own compiled equations. `mb.simulate` is "
        "what a user calls, with 501 samples, and what our speed is judged by; the bar above it is the integrator "
        "alone, with bound arrays.",
        (
            Mark("simulate.dp_vs_scipy", "double pendulum, 10 s", "SciPy solve_ivp", SIMULATE),
            Mark("simulate.dp_vs_pydy", "double pendulum, 10 s", "PyDy", SIMULATE),
            Mark("simulate.fourbar_vs_exudyn", "2 four-bars, 10 s", "Exudyn", SIMULATE),
            Mark("simulate.fourbar_vs_exudyn", "40 four-bars, 10 s", "Exudyn", SIMULATE),
        ),
    ),
    "many runs": Chart(
        "Many runs at once",
        "Time of one run among 1,000 of a double pendulum, 10 s each: one after the other, several side by side on one "
        "core, and on all cores.",
        (Mark("simulate.batch_gain", "1000 double pendulums", "multibody, one by one", "multibody, all cores"),),
    ),
    "legs": Chart(
        "Robots from legs: a leg derived once",
        "Time of the processor from the description to equations of motion of the whole robot.",
        (Mark("modular.reuse_gain_6", "6 UPS legs", "each leg derived", "multibody, a leg reused"),),
    ),
    "linearize": Chart(
        "Linearizing pendulums on a cart",
        "From the description to A and B: as formulas in all states and parameters, or at one point in numbers.",
        (
            Mark("linearize.vs_sympy_n5", "5 links", "SymPy, symbols", "multibody, symbols"),
            Mark("linearize.n50_s", "50 links", bar="multibody, numbers"),
        ),
    ),
    "operations of linear systems": Chart(
        "Operations of linearized pendulums",
        "A and B as formulas in all states and parameters: ours as compiled, where what is equal is shared; SymPy's as "
        "printed, where nothing is.",
        (Mark("linearize.ops_n5", "5 links"),),
    ),
    "generated C": Chart(
        "Exported C",
        "Accelerations of one state, in a loop, by gcc with -O3; beside our own machine code, and C that SymPy writes "
        "after cse, with a solver by hand.",
        (
            Mark("export.c_vs_llvm", "Panda", "multibody", "multibody, C by gcc"),
            Mark("export.c_vs_llvm", "four-bar", "multibody", "multibody, C by gcc"),
            Mark("export.c_vs_sympy_c", "Panda", "SymPy, C by gcc", "multibody, C by gcc"),
            Mark("export.c_vs_sympy_c", "four-bar", "SymPy, C by gcc", "multibody, C by gcc"),
        ),
    ),
    "from SymPy": Chart(
        "From a SymPy System to ten seconds of motion",
        "Everything from SymPy's object to 501 states: forming equations, making code, integrating at 1e-8. The mark "
        "is what is expected in the mean over the models.",
        tuple(Mark("sympy.vs_lambdify", model, "lambdify") for model in MODELS),
    ),
    "import": Chart(
        "Importing, and the first model",
        "In a process that has just been started; the first model is a crane crab with its accelerations. Importing "
        "loads little: what is used first is loaded then, and counts in the second case.",
        (Mark("importing.import_s", "package"),),
    ),
    "first picture": Chart(
        "The viewer: first picture",
        "From the call of `show` until Chromium has drawn the ball of a pendulum.",
        (Mark("view.first_frame_s", "pendulum"),),
    ),
    "poses": Chart(
        "The viewer: poses that reach the page",
        "Positions and orientations of bodies that all move, at 60 pictures a second.",
        (Mark("view.poses_per_s_50", "50 bodies"),),
        more_is_better=True,
    ),
}
"""In the order of the report."""
