"""From an empty interpreter to the first equations of motion: a crane crab, here and with SymPy's mechanics.

Each figure is the best of several processes that have just been started, so that nothing is loaded but Python itself;
the start of Python does not count. Both tools derive the accelerations of the same crab and load by Kane's equations
or better, in the way their documentation recommends; before anything is timed, both must find the same numbers. Run
with ``./dev bench importing``.
"""

from __future__ import annotations

import subprocess
import sys

from _lines import bar, claim

PROCESSES = 7

IMPORT_NUMPY = "import numpy"
IMPORT = "import multibody as mb"
IMPORT_SYMPY = "import sympy.physics.mechanics"
CRANE = """
import multibody as mb

crane = mb.System("crane_crab", gravity=(0, 0, -9.81))
m1, m2, l = crane.parameters(m1=10.0, m2=1.0, l=1.0)
F = crane.input("F")
crab = crane.body("crab", mass=m1)
load = crane.body("load", mass=m2, inertia=mb.diag(0, m2 * l**2 / 12, 0))
crane.joint("slide", crane.world, crab, "Tx")
crane.joint("swing", crab, load.frame("hook", (0, 0, l)), "Ry")
crane.load(mb.PointToPointForce(crane.world, crab, F))
accelerations = mb.derive(crane).acceleration
"""
CRANE_IN_SYMPY = """
from sympy import symbols
from sympy.physics.mechanics import (
    KanesMethod, Particle, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia
)

m1, m2, l, g, F = symbols("m1 m2 l g F")
x, swing, v, w = dynamicsymbols("x swing v w")
N, O = ReferenceFrame("N"), Point("O")
B = N.orientnew("B", "Axis", [swing, N.y])
B.set_ang_vel(N, w * N.y)
O.set_vel(N, 0)
P = O.locatenew("P", x * N.x)
P.set_vel(N, v * N.x)
C = P.locatenew("C", -l * B.z)
C.v2pt_theory(P, N, B)
crab = Particle("crab", P, m1)
load = RigidBody("load", C, B, m2, (inertia(B, 0, m2 * l**2 / 12, 0), C))
kane = KanesMethod(N, [x, swing], [v, w], [x.diff() - v, swing.diff() - w])
kane.kanes_equations([crab, load], [(P, F * N.x), (C, -m2 * g * N.z)])
accelerations = kane.mass_matrix.LUsolve(kane.forcing)
"""
STATE = {"x": 0.3, "swing": 0.7, "v": -0.4, "w": 1.1, "F": 5.0, "m1": 10.0, "m2": 1.0, "l": 1.0, "g": 9.81}
NUMBERS = f"""
state = {STATE}
names = dict(slide="x", slide_dot="v", swing_dot="w")
symbols = mb.graph.free_symbols(list(accelerations))
values = {{one: state[names.get(one.name, one.name)] for one in symbols}}
print(*(float(mb.graph.evaluate(one, values)) for one in accelerations))
"""
NUMBERS_IN_SYMPY = f"""
state = {STATE}
values = {{x: state["x"], swing: state["swing"], v: state["v"], w: state["w"]}}
values |= {{one: state[one.name] for one in (m1, m2, l, g, F)}}
print(*(float(one.subs(values)) for one in accelerations))
"""


def seconds(code: str) -> float:
    """How long a script takes in a process of its own, the best of several."""
    timed = f"from time import perf_counter\nstart = perf_counter()\n{code}\nprint(perf_counter() - start)"
    done = (subprocess.run([sys.executable, "-c", timed], capture_output=True, check=True) for _ in range(PROCESSES))
    return min(float(one.stdout) for one in done)


def numbers(code: str) -> list[float]:
    """What a script prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return [float(word) for word in done.stdout.split()]


def require_agreement() -> None:
    """Both tools find the same accelerations of one state."""
    own, peer = numbers(CRANE + NUMBERS), numbers(CRANE_IN_SYMPY + NUMBERS_IN_SYMPY)
    assert len(own) == len(peer) == 2, (own, peer)
    assert all(abs(a - b) <= 1e-12 * max(map(abs, own)) for a, b in zip(own, peer, strict=True)), (own, peer)


def main() -> None:
    """Measure and report."""
    require_agreement()
    numpy, ours, sympy = seconds(IMPORT_NUMPY), seconds(IMPORT), seconds(IMPORT_SYMPY)
    model, model_in_sympy = seconds(CRANE), seconds(CRANE_IN_SYMPY)
    print(f"import: {1e3 * ours:.0f} ms, with SymPy's mechanics {1e3 * sympy:.0f} ms, NumPy alone {1e3 * numpy:.0f} ms")
    print(f"import and first model: {1e3 * model:.0f} ms, with SymPy's mechanics {1e3 * model_in_sympy:.0f} ms")
    claim("import", "package", "ms", {"multibody": ours, "SymPy mechanics": sympy, "NumPy": numpy}, 1e-3)
    claim("import", "first model", "ms", {"multibody": model, "SymPy mechanics": model_in_sympy}, 1e-3)
    bar({"import_s": ours, "first_model_s": model, "vs_sympy_mechanics": model_in_sympy / model})


if __name__ == "__main__":
    main()
