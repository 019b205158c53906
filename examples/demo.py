"""A tour with the crane crab: seven derivations that agree, a motion, a linear system, code, a page and pictures.

Run it with ``./dev demo``; what it writes goes into ``out/``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import multibody as mb
from multibody.errors import MissingLibraryError
from multibody.graph import is_zero

OUT = Path("out")
BEGUN = perf_counter()


def title(text: str) -> None:
    """What comes now."""
    print(f"\n== {text}\n", flush=True)


def written(name: str, write: Callable[[Path], Any]) -> bool:
    """Write a file, where the library that it takes is installed."""
    try:
        write(OUT / name)
    except MissingLibraryError as error:
        print(f"without {name}: {error.what} {error.remedy}")
        return False
    return True


title("1. Describe: a crab on a rail, a load on a rod below it, a force between wall and crab")
crane = mb.System("crane_crab", gravity=(0, 0, -9.81))
m1, m2, l = crane.parameters(m1=10.0, m2=1.0, l=1.0)
force = crane.input("F", unit="N", limits=(-100.0, 100.0))
crab = crane.body("crab", mass=m1)
load = crane.body("load", mass=m2, inertia=mb.diag(m2 * l**2 / 12, m2 * l**2 / 12, 0))
hook = load.frame("hook", (0, 0, l))
slide = crane.joint("slide", crane.world, crab, "Tx", q=1.0, limits=(0.0, 4.0))
crane.joint("swing", crab, hook, "Ry", q=-1.0, limits=(-1.5, 1.5))
crane.load(mb.PointToPointForce(crane.world, crab, force))
crane.draw(crab, mb.Box(0.5, 0.3, 0.15, colour="orange"))
crane.draw(hook, mb.Cylinder(0.015, colour="grey"), to=load)
crane.draw(load, mb.Sphere(0.12, colour="steelblue"))
print(crane.check())

title("2. Derive: seven formalisms, and a proof that their equations are the same functions")
comparison = mb.compare(crane)
for one in comparison.derivations:
    print(f"{one.name:16} {1e3 * one.seconds:6.1f} ms  {one.operations:3} operations")
proved = sum(pair.proved for pair in comparison.pairs)
print(f"proved equal: {proved} of {len(comparison.pairs)} pairs; all formalisms agree ({comparison.agree()})")

title("3. Read the equations")
eom = mb.derive(crane)
print(eom)
readable = eom.readable()
print("mass matrix: " + "; ".join(", ".join(map(str, row)) for row in readable.M))
u = mb.graph.array(list(eom.speeds))
print(f"kinetic energy: ½·uᵀ·M·u is T ({is_zero(eom.kinetic_energy - u @ eom.M @ u / 2)})")

title("4. Move it: a controller brings the crab to 3 m; the energy balance is the check of every run")
control = 40 * (3 - slide.coordinate) - 60 * slide.speed
run = mb.simulate(eom, duration=10.0, inputs={"F": control})
print(run, end="\n\n")
energies = run.energies
print("    t    slide    swing    force   work of force   kinetic + potential   balance")
for k in range(0, len(run.t), 100):
    row = run.t[k], run["slide"][k], run["swing"][k], run["F"][k], energies.work_of_inputs[k], energies.total[k]
    print("{:5.1f} {:8.4f} {:8.4f} {:8.3f} {:15.5f} {:21.5f}".format(*row) + f" {energies.balance[k]:9.0e}")

title("5. Linearize it about the hanging load")
print(mb.linearize(eom, at={"swing": 0.0}))

title("6. Write it in four languages")
for target in (mb.Python(), mb.C(), mb.Matlab(), mb.Modelica()):
    exported = mb.export(eom, target, OUT / "code" / type(target).__name__.lower(), overwrite=True)
    print("\n".join(map(str, exported.files)))

title("7. Look at it")
shown = {
    "crane_crab.html": "the motion, with plots, parameters and equations: open it in a browser, no network is needed",
    "crane_crab.png": "the start, drawn without a browser",
    "crane_crab_motion.png": "ten instants in one picture",
    "crane_crab_curves.png": "coordinates, speeds and energies over time",
    "crane_crab.glb": "the motion for Blender, PowerPoint and whatever shows glTF",
    "crane_crab.csv": "all numbers of the run",
}
writers: dict[str, Callable[[Path], Any]] = {
    "crane_crab.html": lambda path: mb.write_page(run, path, overwrite=True),
    "crane_crab.png": lambda path: mb.picture(crane, path, overwrite=True),
    "crane_crab_motion.png": lambda path: mb.picture(run, path, t=run.t[:200:20], overwrite=True),
    "crane_crab_curves.png": lambda path: run.plot(path=path, overwrite=True),
    "crane_crab.glb": lambda path: mb.animate(run, path, overwrite=True),
    "crane_crab.csv": lambda path: run.save(path, overwrite=True),
}
made = [name for name, write in writers.items() if written(name, write)]
print(f"It took {perf_counter() - BEGUN:.0f} s. What to look at:\n")
for name in made:
    print(f"  {OUT / name!s:26} {shown[name]}")
print(f"  {OUT / 'code'!s:26} the equations in Python, C, MATLAB and Modelica")
script = Path(sys.executable).with_name("multibody")
command = str(script) if script.exists() else "python -m multibody.cli"
print(f"\nThen try:\n  {command} --help\n  {command} demo bicycle\n  {command} new my_crane.yaml")
