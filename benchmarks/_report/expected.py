"""What the key figures of each benchmark should be, and what limits those that fall short.

Ratios say how many times faster we are than the peer in the key.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Expected(NamedTuple):
    """What a figure should be: at least, or at most, a number."""

    what: str
    least: float = -math.inf
    most: float = math.inf

    def met(self, figure: float) -> bool:
        """Whether it is."""
        return self.least <= figure <= self.most

    def __str__(self) -> str:
        return f"≥ {self.least:g}" if self.least > -math.inf else f"≤ {self.most:g}" if self.most < math.inf else ""


REFERENCE = "operations over those of the reference program"
EXPECTED: dict[str, dict[str, Expected]] = {
    "operations": {
        f"{robot}_{way}": Expected(f"{REFERENCE}, {robot.replace('_', ' ')}, {way} dynamics", most=1.0)
        for robot in ("6r", "7r", "puma_560", "stanford_arm")
        for way in ("inverse", "forward")
    },
    "importing": {
        "import_s": Expected("seconds for `import multibody`", most=0.3),
    },
    "first_run": {
        "cold_s": Expected("seconds of the first `simulate` with an empty cache", most=0.5),
        "warm_s": Expected("the same in the next process", most=0.1),
        "picture_s": Expected("seconds of the first picture with an empty cache", most=1.0),
        "install_mb": Expected("megabytes of an installation", most=540),
    },
    "calls": {
        "panda_call_us": Expected("microseconds of a plain call of the Panda's forward dynamics", most=2.0),
        "ur5_call_us": Expected("the same for the UR5", most=2.0),
        "call_vs_pin": Expected("the Panda, beside `pin.aba` from Python", 1.5),
    },
    "graph": {
        "derive_vs_sympy": Expected("building and differentiating a chain of 16 links, beside SymPy", 100),
        "derive_vs_casadi": Expected("the same with 30 links, beside CasADi's SX", 5),
        "eval_vs_lambdify": Expected("evaluating by a bound call, beside SymPy's lambdify", 200),
        "eval_vs_casadi": Expected("evaluating by a bound call, beside CasADi's virtual machine with buffers", 10),
        "batch_gain": Expected("a state in a batch, beside single calls in a compiled loop", 3),
    },
    "robots": {
        "panda_vs_pin": Expected("Panda, single states, beside Pinocchio's ABA in C++", 6),
        "ur5_vs_pin": Expected("UR5, single states, beside Pinocchio's ABA in C++", 6),
        "talos_vs_pin": Expected("Talos, single states, beside Pinocchio's ABA in C++", 4),
        "panda_batch_vs_pin": Expected("Panda, batches on one core", 15),
        "talos_batch_vs_pin": Expected("Talos, batches on one core", 15),
        "panda_ready_s": Expected("Panda, seconds from URDF to a callable function", most=1.0),
        "talos_ready_s": Expected("Talos, seconds from URDF to a callable function", most=3.0),
        "panda_cached_s": Expected("Panda, the same from the cache", most=0.1),
        "derive7_vs_sympy": Expected("derivation of a chain of 7 links, beside SymPy's Kane", 500),
    },
    "formalisms": {
        "kane_vs_sympy_n5": Expected("Kane's equations of five spatial links, beside SymPy", 100),
        "lagrange_vs_sympy_n5": Expected("Lagrange's equations of five spatial links, beside SymPy", 100),
        "pairs_proved": Expected("pairs of formalisms proved equal: all of them", 315),
    },
    "loops": {
        "bicycle_derive_vs_sympy": Expected("the bicycle, beside SymPy", 100),
        "nfourbar_growth": Expected("time for twice as many four-bars (2 is linear)", most=2.2),
    },
    "simulate": {
        "dp_vs_scipy": Expected("double pendulum, beside the best of `solve_ivp` on our own compiled equations", 50),
        "dp_vs_pydy": Expected("double pendulum, beside PyDy with its fastest generator", 100),
        "fourbar_vs_exudyn": Expected("four-bars, beside Exudyn", 1),
        "batch_gain": Expected("1,000 double pendulums at once, beside one by one", 5),
        "stiff_choice": Expected("share of models for which the integrator that is chosen is near the best", 0.9),
        "stiff_vs_cvode": Expected("stiff models with Rodas5P, beside Cvode at equal accuracy", 5),
        "stiff_batch_gain": Expected("stiff models, 128 runs at once, beside one by one", 3),
    },
    "modular": {
        "reuse_gain_6": Expected("a platform on six legs: one derived and five renamed, beside six derived", 2),
    },
    "linearize": {
        "ops_n5": Expected("operations of the linearized pendulum of five links on a cart", most=2000),
        "vs_sympy_n5": Expected("the same, model to matrices, beside SymPy's linearizer", 50),
        "n50_s": Expected("fifty links, seconds from model to matrices", most=5.0),
    },
    "export": {
        "c_vs_llvm": Expected("time of exported C over that of our own machine code, the worst of three", most=1.3),
        "c_vs_sympy_c": Expected("exported C beside SymPy's, the worse of Panda and four-bar", 3),
    },
    "sympy": {
        "vs_pydy": Expected("from a SymPy System to the end of 10 s, beside PyDy, mean of six models", 20),
        "vs_lambdify": Expected("the same, beside lambdify and SciPy", 20),
    },
    "view": {
        "first_frame_s": Expected("seconds until the viewer shows its first picture", most=3.0),
        "poses_per_s_50": Expected("poses of 50 bodies that reach the page in a second, 60 pictures", 3000),
    },
}

SMALL_MODELS = (
    "Small models: half of our time goes into reading SymPy's objects, a third into machine code, which lambdify does "
    "without, and SymPy forms their equations quickly; the larger a model, the larger the ratio."
)
LIMITS = {
    "graph.derive_vs_casadi": "A new node of the graph takes 2 µs in CPython, and derivatives make most of them; "
    "CasADi differentiates in C++. Building alone is about 6 times faster than CasADi's.",
    "graph.batch_gain": "Memory: 1.25 kB go in and out for each state, and blocks are transposed in registers; with "
    "numbers of all states side by side, as the loops of `simulate` keep them, nothing is transposed.",
    "robots.talos_ready_s": "Most of it is LLVM's optimization of 10,000 operations.",
    "robots.panda_cached_s": "Reading and deriving are all of it: the cache keeps machine code, not models.",
    "robots.talos_batch_vs_pin": "Memory, it seems: a batch keeps four states at once, and what is computed on the way "
    "for 38 speeds is then four times larger; arms gain more from batches.",
    "loops.bicycle_derive_vs_sympy": "2,900 new nodes at 2 µs, of which 1,800 are the equations themselves, and as "
    "many operations that find a node; a third contain a root, which makes them dearer. SymPy is timed with its "
    "quickest solver, Cramer's rule; its default gave wrong numbers.",
    "loops.nfourbar_growth": "LLVM: long programs are split, and the longer they are, the more values pass from one "
    "function to the next through memory. Derivation alone is linear.",
    "simulate.batch_gain": "Registers hold four doubles here, and there are two cores. Weighted sums of stages take as "
    "long as the equations of so small a system.",
    "simulate.dp_vs_scipy": "Half of the time is the right-hand side itself, which SciPy calls too; the best method of "
    "`solve_ivp` is LSODA, in compiled code, which needs fewer evaluations than its DOP853. SciPy's old interfaces, "
    "which make no steps in Python, are 5 to 6 times faster than `solve_ivp`: see `dp_vs_old_scipy`.",
    "simulate.dp_vs_pydy": "With Cython, PyDy's right-hand side is compiled and its solver is LSODA: evaluations alone "
    "take us 0.09 ms a run, and 100 times faster would be 0.11 ms. With its default generator PyDy takes 4 to 5 times "
    "longer.",
    "modular.reuse_gain_6": "The platform itself and the coupling are derived in both ways; for 12 legs the gain is 3.",
    "export.c_vs_sympy_c": "The four-bar: three sines and cosines take most of the time, and of so small a mechanism "
    "SymPy's formulas are as short as ours. For the Panda the ratio is above 15.",
    "sympy.vs_pydy": SMALL_MODELS,
    "sympy.vs_lambdify": SMALL_MODELS,
    "view.first_frame_s": "The browser compiles and draws the page on the processor, without a graphics card.",
    "view.poses_per_s_50": "Sixty pictures a second are sent, never more, and one that is late is left out; server and "
    "client share two cores here.",
}
"""Why a figure falls short of what is expected, or would on a slower machine."""


def short(results: dict[str, dict[str, float]]) -> list[str]:
    """Names of the figures that were measured and fall short."""
    return [
        f"{name}.{key}"
        for name, figures in results.items()
        for key, expected in EXPECTED.get(name, {}).items()
        if not math.isnan(figures.get(key, math.nan)) and not expected.met(figures[key])
    ]
